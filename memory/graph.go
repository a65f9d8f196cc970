package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Kind is what an [Event] does.
type Kind uint8

// The kinds of events.
const (
	Read Kind = iota
	Write
	Fence
)

// InitialThread is the thread of the initial writes, which belong to none.
const InitialThread = -1

// An Event is a memory access or a fence.
type Event struct {
	Thread int // InitialThread for the initial write of a location
	Index  int // its place in the program order of its thread, from 0
	Kind   Kind
	Tags   program.Tags // what the source says of it, and whether it is of an atomic command
	Addr   int64        // of a Read or a Write
	Value  int64        // read or written
	// Block is a number that the events of one atomic block or locked section
	// share: no event of another thread comes between them. 0: none.
	Block int
	// Part is true of an access of the same instruction as the event before it in the
	// thread; there is no program order between the two.
	Part bool
	// whole is the Index of the first event of its instruction.
	whole int

	Loc  string // what the source calls the location; may be empty
	Mark int64  // that of the location: see [program.Cell.Mark]
	// Members are those of the location: see [program.Cell.Members].
	Members *program.Members
	Text    string           // what the source says there; may be empty
	Pos     program.Position // in the source; may be zero
}

// Initial is true of the initial write of a location.
func (e *Event) Initial() bool { return e.Thread == InitialThread }

// String is the event as the literature writes it, such as "W x=1".
func (e *Event) String() string {
	if e.Kind == Fence {
		return strings.ToLower(e.Tags.String())
	}
	loc := e.Loc
	if loc == "" {
		loc = fmt.Sprintf("[%d]", e.Addr)
	}
	if e.Mark != 0 && e.Value == e.Mark {
		return fmt.Sprintf("%c %s (%s)", "RW"[e.Kind], loc, program.Unwritten)
	}
	if e.Members != nil {
		return fmt.Sprintf("%c %s=%s", "RW"[e.Kind], loc, e.Members.Format(e.Value))
	}
	return fmt.Sprintf("%c %s=%d", "RW"[e.Kind], loc, e.Value)
}

// A Graph is an execution, or a part of one: events, and how they are related.
// Every relation is over all events, which are numbered in the order in which
// [Graph.Add] took them.
type Graph struct {
	Events []Event
	PO     Relation // program order, transitive
	RF     Relation // reads-from: one write for every read, once the graph is complete
	CO     Relation // coherence: a total order for every location, transitive
	RMW    Relation // from a read of an atomic command to its write
	Addr   Relation // address dependencies
	Data   Relation // data dependencies
	Ctrl   Relation // control dependencies
	CasDep Relation // from a read to the read of a command that is compared with what depends on it

	// Picks is whether the events are of an architecture with pick dependencies (Arm): the
	// relations below. It is set before the first event is added.
	Picks    bool
	PickAddr Relation // the address is chosen by what was read
	PickData Relation // the value is
	PickCtrl Relation // what decides how the thread goes on is
}

// Add puts an event into the graph, after those of its thread that are there
// already, and returns its number. The Index that e comes with is disregarded.
func (g *Graph) Add(e Event) int {
	n := len(g.Events)
	for k, r := range g.all() {
		if k < plainRelations || g.Picks {
			r.grow()
		}
	}
	e.Index = 0
	if !e.Initial() {
		last := -1
		for i := range g.Events {
			if g.Events[i].Thread == e.Thread {
				e.Index++
				last = i
			}
		}
		e.whole = e.Index
		if e.Part && last >= 0 {
			e.whole = g.Events[last].whole
		}
		for i := range g.Events {
			if o := &g.Events[i]; o.Thread == e.Thread && o.whole != e.whole {
				g.PO.Add(i, n)
			}
		}
	}
	g.Events = append(g.Events, e)
	return n
}

// Fill makes g, of which nobody knows any more, the graph that comes of adding these events in order, of which those of a
// thread follow one another. The memory of events is g's then.
func (g *Graph) Fill(events []Event, picks bool) {
	g.Events, g.Picks = events, picks
	n, w := len(events), words(len(events))
	for k, r := range g.all() {
		if k >= plainRelations && !picks {
			*r = Relation{}
			continue
		}
		r.n, r.w, r.bits = n, w, slices.Grow(r.bits[:0], n*w)[:n*w]
		clear(r.bits)
	}
	first := 0 // of the thread
	for i := range events {
		e := &events[i]
		if i == 0 || events[i-1].Thread != e.Thread {
			first = i
		}
		if e.Index, e.whole = 0, 0; e.Initial() {
			continue
		}
		e.Index = i - first
		e.whole = e.Index
		if e.Part && i > first {
			e.whole = events[i-1].whole
		}
		for k := first; k < i && events[k].whole != e.whole; k++ {
			g.PO.Add(k, i)
		}
	}
}

// all is the relations, first those that there are on every architecture.
func (g *Graph) all() [11]*Relation {
	return [...]*Relation{&g.PO, &g.RF, &g.CO, &g.RMW, &g.Addr, &g.Data, &g.Ctrl, &g.CasDep, &g.PickAddr, &g.PickData, &g.PickCtrl}
}

// plainRelations is how many relations there are where there are no pick dependencies.
const plainRelations = 8

// relations is those that there are.
func (g *Graph) relations() []*Relation {
	rs := g.all()
	if g.Picks {
		return rs[:]
	}
	return rs[:plainRelations]
}

// Clone is a copy to which events and pairs can be added.
func (g *Graph) Clone() *Graph {
	c := g.Fork()
	c.Events = slices.Clip(g.Events) // nobody changes those that are there
	return c
}

// Fork is a copy to which events and pairs can be added, and that shares the memory of events with
// g: what is added to one of the two overwrites what was added to the other. So it is for who
// has done with one before he goes on with the other.
func (g *Graph) Fork() *Graph {
	c := &Graph{}
	g.ForkInto(c)
	return c
}

// ForkInto is [Graph.Fork] in the memory of c, a graph of which nobody knows any more.
func (g *Graph) ForkInto(c *Graph) {
	own := c.all()
	n := 0
	for i, r := range g.all() {
		if k := len(r.bits); k > cap(own[i].bits) {
			n += k + forkRoom*r.w
		}
	}
	var memory []uint64
	if n > 0 {
		memory = make([]uint64, n)
	}
	for i, r := range g.all() {
		o, k := own[i], len(r.bits)
		if k > cap(o.bits) {
			o.bits = memory[: k : k+forkRoom*r.w]
			memory = memory[cap(o.bits):]
		}
		o.n, o.w, o.bits = r.n, r.w, o.bits[:k]
		copy(o.bits, r.bits)
	}
	c.Events, c.Picks = g.Events, g.Picks
}

// forkRoom is for how many events to come there is room in a new fork.
const forkRoom = 4

// Bytes is about what the graph takes in memory.
func (g *Graph) Bytes() int64 {
	const event = 160 // with its part of the texts
	n := int64(len(g.Events))
	return n*event + int64(len(g.relations()))*n*int64(words(len(g.Events)))*8
}

// Order makes ws, which write to one location, follow one another in coherence.
func (g *Graph) Order(ws ...int) {
	for i, w := range ws {
		for _, x := range ws[i+1:] {
			g.CO.Add(w, x)
		}
	}
}

// Sorted is the same graph with its events in the order of the threads and, in
// a thread, of the program; initial writes come first.
func (g *Graph) Sorted() *Graph {
	s, _ := g.Sorting()
	return s
}

// Sorting is [Graph.Sorted] with the new numbers of the events, by their old ones.
func (g *Graph) Sorting() (s *Graph, at []int) {
	order := make([]int, len(g.Events)) // old numbers by new ones
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		if d := g.Events[a].Thread - g.Events[b].Thread; d != 0 {
			return d
		}
		return g.Events[a].Index - g.Events[b].Index
	})
	at = make([]int, len(order))
	s = &Graph{Picks: g.Picks}
	for i, old := range order {
		at[old] = i
		s.Events = append(s.Events, g.Events[old])
	}
	to := s.relations()
	for k, r := range g.relations() {
		*to[k] = NewRelation(r.n)
		for e := range r.n {
			each(r.row(e), func(f int) { to[k].Add(at[e], at[f]) })
		}
	}
	return s, at
}

// inOrder lists the events, those of one thread in the order of the program.
func (g *Graph) inOrder() []int {
	order := make([]int, len(g.Events))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return g.Events[a].Index - g.Events[b].Index })
	return order
}

// Source is the write that r reads from, or -1 where it is not known yet.
func (g *Graph) Source(r int) int {
	for w := range g.Events {
		if g.RF.Has(w, r) {
			return w
		}
	}
	return -1
}

// String lists the events with what they read from and the coherence order, for
// messages.
func (g *Graph) String() string {
	var b strings.Builder
	for i := range g.Events {
		e := &g.Events[i]
		fmt.Fprintf(&b, "%d: %s", i, g.name(i))
		if e.Kind == Read {
			if w := g.Source(i); w >= 0 {
				fmt.Fprintf(&b, " from %d", w)
			}
		}
		if e.Kind == Write {
			g.CO.After(i, func(w int) { fmt.Fprintf(&b, " before %d", w) })
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// name is the event with its thread, such as "P0: W x=1".
func (g *Graph) name(i int) string {
	e := &g.Events[i]
	if e.Initial() {
		return "init: " + e.String()
	}
	return fmt.Sprintf("P%d: %s", e.Thread, e.String())
}
