package trust

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/program"
)

// A kind is what an event does.
type kind uint8

const (
	read kind = iota
	write
	fence
	choice
)

// none is no event.
const none int32 = -1

// An event of a graph. Events are known by their numbers, which are in the order in
// which they were added, the initial writes first: number e of cell e.
type event struct {
	thread, index int32 // of an initial write: none, 0
	kind          kind
	inside        bool  // it happens at once with the event of the thread before it
	section       bool  // a part of a block: of an atomic block, or done while the lock is held
	ahead         bool  // of a read: it has taken a mutex in the place of one that was driven out
	half          bool  // of a read-modify-write: the write, or a read that a write may follow
	cell          int32 // of a read or a write
	rf            int32 // of a read: the write that it reads from
	place         int32 // of a write: where in the coherence order
	pair          int32 // of the write of a read-modify-write: the index of its read; else none
	readers, next int32 // the reads from a write, as a list, the newest first
	owed          int32 // of a read without rf, where its write is promised: 1 + the number of the promise
	node          int32 // what it is in the event structure of load buffering; 0: not known yet
	value         int64 // read, written or chosen
	ways, usual   int64 // of a choice: how many there are, and which it is where nothing asks for another
	// The last events of the thread before this one, by index, or -1: a read, one that
	// keeps all that is before it from all that is after it, and one that does so
	// for writes.
	lastRead, lastFull, lastStores int32
	cmd                            *program.Command
	class                          *class
	clock                          clock  // what is before it in program order and reads-from, and itself
	cause                          clock  // the same, but for what comes of the order of like threads (alike.go)
	views                          *views // of models that have them
	after                          *point // where its thread stands after it
}

// A point is where a thread stops, with what it is about to do.
type point struct {
	state threads.State
	stop  threads.Stop
	// late is true of a read that can only go on once there is a certain write: see once.
	late bool
}

// A clock says of how many events of each thread there is talk: its first ones.
type clock []int32

// has is true where e is among them.
func (c clock) has(e *event) bool { return e.thread == none || e.index < c[e.thread] }

func (c clock) join(d clock) {
	for t, n := range d {
		c[t] = max(c[t], n)
	}
}

// A graph is a part of an execution.
type graph struct {
	events  []event
	threads [][]int32 // the events of each thread
	co      [][]int32 // the writes to each cell in coherence order, the initial one first
}

func newGraph(cells []program.Cell, threads int) *graph {
	g := &graph{threads: make([][]int32, threads), co: make([][]int32, len(cells))}
	for i, c := range cells {
		g.events = append(g.events, event{thread: none, kind: write, cell: int32(i), value: c.Init, readers: none, rf: none, next: none, pair: none, class: &class{}})
		g.co[i] = []int32{int32(i)}
	}
	return g
}

// add makes room for an event of thread t.
func (g *graph) add(t int32, e event) int32 {
	id := int32(len(g.events))
	e.thread, e.index = t, int32(len(g.threads[t]))
	e.rf, e.readers, e.next, e.pair = none, none, none, g.partner(t, &e)
	e.lastRead, e.lastFull, e.lastStores = -1, -1, -1
	if e.index > 0 {
		before := &g.events[g.threads[t][e.index-1]]
		e.lastRead, e.lastFull, e.lastStores = before.lastRead, before.lastFull, before.lastStores
		if before.kind == read {
			e.lastRead = before.index
		}
		if before.class.full {
			e.lastFull = before.index
		}
		if before.class.stores {
			e.lastStores = before.index
		}
	}
	g.events = append(g.events, e)
	g.threads[t] = append(g.threads[t], id)
	return id
}

// drop takes back the event that was added last; it is neither read from nor in a
// coherence order, and reads from nothing.
func (g *graph) drop() {
	n := len(g.events) - 1
	t := g.events[n].thread
	g.threads[t] = g.threads[t][:len(g.threads[t])-1]
	g.events = g.events[:n]
}

// readFrom makes r read from w.
func (g *graph) readFrom(r, w int32) {
	e, src := &g.events[r], &g.events[w]
	e.rf, e.value = w, src.value
	e.next, src.readers = src.readers, r
}

// unread undoes the last readFrom of w.
func (g *graph) unread(r int32) {
	e := &g.events[r]
	g.events[e.rf].readers = e.next
	e.rf, e.next = none, none
}

// insert puts the write w into the coherence order, at place k.
func (g *graph) insert(w int32, k int) {
	c := g.events[w].cell
	g.co[c] = slices.Insert(g.co[c], k, w)
	g.renumber(c, k)
}

// remove undoes insert.
func (g *graph) remove(w int32) {
	c, k := g.events[w].cell, int(g.events[w].place)
	g.co[c] = slices.Delete(g.co[c], k, k+1)
	g.renumber(c, k)
}

func (g *graph) renumber(c int32, k int) {
	for i, w := range g.co[c][k:] {
		g.events[w].place = int32(k + i)
	}
}

// last is the event of thread t that was added last, or none.
func (g *graph) last(t int32) int32 {
	if n := len(g.threads[t]); n > 0 {
		return g.threads[t][n-1]
	}
	return none
}

// paired is true where the read e is followed by the write of its read-modify-write.
func (g *graph) paired(e *event) bool {
	return e.half && int(e.index)+1 < len(g.threads[e.thread]) && g.events[g.threads[e.thread][e.index+1]].half &&
		g.events[g.threads[e.thread][e.index+1]].kind == write
}

// taken is true of a write after which, in coherence, nothing can come: the write of a
// read-modify-write follows that reads from it.
func (g *graph) taken(w int32) bool {
	e := &g.events[w]
	next := int(e.place) + 1
	if next >= len(g.co[e.cell]) {
		return false
	}
	n := &g.events[g.co[e.cell][next]]
	return n.half && g.events[g.threads[n.thread][n.index-1]].rf == w
}
