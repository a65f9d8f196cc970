package traces

import (
	"math"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// The exploration of executions sees a program as processes whose next event is
// determined by the state: a process for each thread and, where stores are
// buffered, one for what flushes the buffer of a thread (TSO) or of a thread and
// a cell (PSO). Three things make threads determined.
//
//   - What is local and invisible is done together with the event before it.
//   - A thread that has several ways to go on picks one first. A pick is an event
//     of its own that depends on nothing but the events of its thread before it,
//     so that it can be made at once, before anything else happens; all picks
//     are tried. The two edges of a compare-and-swap, of which one is enabled, are
//     no choice. A thread that has picked an edge that waits for a fence or a
//     lock goes on waiting.
//   - An edge that closes a loop that only waits does not exist, or leads nowhere
//     where it asserts something: see [flow.Loops]. A thread that could only go
//     round once more stands still.
//
// An Atomic whose check fails cannot happen. What a thread does then is an
// attempt: an event that reads, after which the thread stands still. Other events
// before the attempt may make the Atomic succeed.
type processes struct {
	x       *abstract.System
	threads int
	control [][][]group // by thread and control state
	// waits and back are, by thread and edge, what closes a loop that only
	// waits, and is in control only where it asserts something, and what closes
	// any loop.
	waits, back [][]bool
	visible     *flow.Visible
	locks       bool // whether the program has Lock commands
	flusher     []flusher
	flushes     [][]int // the processes that flush, by thread
	cells       int
	pso         bool
	// only, where not nil, is of use to find out which assertion fails. The
	// program is then explored for its final states: an assertion that fails
	// is as good as a check that does, unless it is a fault.
	only *abstract.State
}

// A group is edges that leave one control state and are picked together: a
// single one, or several Atomics of which at most one is enabled in any state.
type group struct {
	edges []int
	op    program.Op
	quiet bool // local, and no property can see it
}

// A flusher is what the process len(threads) + i flushes.
type flusher struct {
	thread int
	cell   int // PSO only
}

// A status is what a thread is about to do.
type status struct {
	kind    standing
	group   *group // to be done next, with that choice
	choice  int64
	ways    int64 // how many there are to pick from
	attempt int32 // the event of the attempt after which the thread stands still, or -1
	epoch   int32 // how many store fences the thread has passed
}

type standing uint8

const (
	still   standing = iota // there is no next event
	ready                   // the next event is given; it may have to wait
	picking                 // the next event is a pick
)

func newProcesses(x *abstract.System, m memory.Model, props []program.Property) *processes {
	p := x.Program
	ps := &processes{x: x, threads: len(p.Threads), visible: flow.NewVisible(x.Program, x.Ranges, props), cells: len(x.Ranges.Cells), locks: flow.Locks(p), pso: m == memory.PSO}
	ps.flushes = make([][]int, ps.threads)
	add := func(f flusher) {
		ps.flushes[f.thread] = append(ps.flushes[f.thread], ps.threads+len(ps.flusher))
		ps.flusher = append(ps.flusher, f)
	}
	for t, th := range p.Threads {
		ps.control = append(ps.control, ps.groups(t, th))
		switch {
		case x.Buffer.Immediate():
		case ps.pso:
			for c := range x.Ranges.Cells {
				if x.Ranges.Writers[c][t] {
					add(flusher{t, c})
				}
			}
		default:
			add(flusher{thread: t})
		}
	}
	return ps
}

// groups are the groups of thread t, by control state.
func (ps *processes) groups(t int, th *program.Thread) [][]group {
	loops := flow.FindLoops(th, flow.Live(ps.x.Program, t, true))
	ps.waits, ps.back = append(ps.waits, loops.Wait), append(ps.back, loops.Back)
	all := make([][]group, len(th.States))
	for q, out := range th.Out() {
		for _, e := range out {
			c := &th.Edges[e].Cmd
			if loops.Wait[e] && !c.Asserts() || ps.joins(t, th, all[q], e) {
				continue
			}
			quiet := false
			switch c.Op {
			case program.Check, program.Assign, program.Havoc, program.Assert:
				quiet = true
			case program.Fence:
				quiet = !c.FullFence() && !c.StoreFence()
			}
			all[q] = append(all[q], group{[]int{e}, c.Op, quiet && !ps.visible.Edge(t, &th.Edges[e])})
		}
	}
	return all
}

// joins puts e into a group where it excludes every edge, if there is one.
func (ps *processes) joins(t int, th *program.Thread, gs []group, e int) bool {
	c := &th.Edges[e].Cmd
	if c.Op != program.Atomic || ps.x.Choices(t, e) != 1 {
		return false
	}
next:
	for i := range gs {
		if gs[i].op != program.Atomic || ps.x.Choices(t, gs[i].edges[0]) != 1 {
			continue
		}
		for _, f := range gs[i].edges {
			if !flow.Exclude(c, &th.Edges[f].Cmd) {
				continue next
			}
		}
		gs[i].edges = append(gs[i].edges, e)
		return true
	}
	return false
}

// count is how many processes there are.
func (ps *processes) count() int { return ps.threads + len(ps.flusher) }

// thread is the thread that process p belongs to.
func (ps *processes) thread(p int) int {
	if p < ps.threads {
		return p
	}
	return ps.flusher[p-ps.threads].thread
}

// outcomes is how many ways group g of thread t has in s.
func (ps *processes) outcomes(s *abstract.State, t int, g *group) int64 {
	switch g.op {
	case program.Check:
		if ps.x.Enabled(s, t, g.edges[0]) != abstract.Done {
			return 0
		}
	case program.Lock, program.Unlock:
		// Only the thread itself could change this.
		if (s.Lock == t) != (g.op == program.Unlock) {
			return 0
		}
	}
	return ps.x.Choices(t, g.edges[0])
}

// ways is how many ways thread t has to go on from its control state in s.
func (ps *processes) ways(s *abstract.State, t int) int64 {
	n := int64(0)
	gs := ps.control[t][s.PC[t]]
	for i := range gs {
		k := ps.outcomes(s, t, &gs[i])
		if n > math.MaxInt64-k {
			return math.MaxInt64
		}
		n += k
	}
	return n
}

// way is the k-th of them.
func (ps *processes) way(s *abstract.State, t int, k int64) (*group, int64) {
	gs := ps.control[t][s.PC[t]]
	for i := range gs {
		n := ps.outcomes(s, t, &gs[i])
		if k < n {
			return &gs[i], k
		}
		k -= n
	}
	panic("explore: no such way")
}

// enabled is true where process p can do its next event in s.
func (ps *processes) enabled(s *abstract.State, p int, st []status) bool {
	if p < ps.threads {
		return st[p].kind == ready && ps.x.Enabled(s, p, st[p].group.edges[0]) == abstract.Done
	}
	f := &ps.flusher[p-ps.threads]
	return ps.x.Flushes(s, f.thread) > 0 && ps.flush(s, f) >= 0
}

// barred is true where nothing but the lock, which another thread holds, keeps
// process p from its next event.
func (ps *processes) barred(s *abstract.State, p int, st []status) bool {
	holder := s.Lock
	if holder < 0 || holder == ps.thread(p) || ps.enabled(s, p, st) {
		return false
	}
	s.Lock = -1
	ok := ps.enabled(s, p, st)
	s.Lock = holder
	return ok
}

// flush is the number of the flush that f does, or -1 where it has nothing to
// flush.
func (ps *processes) flush(s *abstract.State, f *flusher) int64 {
	pairs := s.Buf[f.thread].Pairs
	if !ps.pso {
		return int64(min(len(pairs), 1) - 1)
	}
	n := int64(0)
	for i, p := range pairs {
		switch {
		case p.Cell == abstract.Barrier:
			return -1
		case i > 0 && pairs[i-1].Cell == p.Cell:
		case p.Cell == f.cell:
			return n
		default:
			n++
		}
	}
	return -1
}

// A footprint is what an event has to do with events of other processes.
type footprint struct {
	thread int
	// words are the cells that are read and written and, after those, the word
	// of the lock, which every access reads that a lock can keep waiting, and
	// the word that every visible event writes.
	words []abstract.Access
	// own, where not 0, is the number of the store of the thread to that cell
	// whose value a load takes, the first being 1: see dependent.
	own int32
	// buffers is the cell of a store that enters the buffer, else -1.
	buffers int
}

func (ps *processes) lockWord() int    { return ps.cells }
func (ps *processes) visibleWord() int { return ps.cells + 1 }
func (ps *processes) words() int       { return ps.cells + 2 }

// mentionsLock is true of what takes the lock, gives it back, or may have to wait
// for it.
func (ps *processes) mentionsLock(f *footprint) bool {
	for _, w := range f.words {
		if w.Cell == ps.lockWord() {
			return true
		}
	}
	return false
}

// look finds the next event of process p in s, its footprint and what becomes of
// it: Disabled stands for an attempt.
func (ps *processes) look(f *footprint, s *abstract.State, p int, st *status) (abstract.Event, abstract.Outcome) {
	t := ps.thread(p)
	f.thread, f.own, f.buffers, f.words = t, 0, -1, f.words[:0]
	if p >= ps.threads {
		ev := abstract.Event{Thread: t, Edge: abstract.Flush, Choice: ps.flush(s, &ps.flusher[p-ps.threads])}
		f.words, _ = ps.x.Accesses(f.words, s, ev)
		ps.mark(f, ps.locks, false)
		return ev, abstract.Done
	}
	g := st.group
	ev := abstract.Event{Thread: t, Choice: st.choice}
	out := abstract.Disabled
	for _, e := range g.edges {
		var o abstract.Outcome
		n := len(f.words)
		ev.Edge = e
		f.words, o = ps.x.Accesses(f.words, s, ev)
		if o != abstract.Disabled {
			f.words = append(f.words[:0], f.words[n:]...)
			if out = o; out == abstract.Failed && !ps.counts(s, ev) {
				f.words, out = reads(f.words, 0), abstract.Disabled
			}
			break
		}
		f.words = reads(f.words, n)
	}
	immediate := ps.x.Buffer.Immediate()
	switch g.op {
	case program.Load, program.Atomic:
		ps.mark(f, ps.locks, out != abstract.Disabled && ps.visible.Edge(t, ps.edge(t, ev.Edge)))
	case program.Store:
		if !immediate && out == abstract.Done {
			f.buffers = f.words[0].Cell
			f.words = f.words[:0]
		}
		ps.mark(f, ps.locks && immediate, ps.visible.Edge(t, ps.edge(t, ev.Edge)))
	default:
		if g.op == program.Lock || g.op == program.Unlock {
			f.words = append(f.words, abstract.Access{Cell: ps.lockWord(), Store: true})
		}
		ps.mark(f, false, ps.visible.Edge(t, ps.edge(t, ev.Edge)))
	}
	return ev, out
}

// counts is true of a step whose assertion fails, where that is of interest.
func (ps *processes) counts(s *abstract.State, ev abstract.Event) bool {
	if ps.only == nil {
		return true
	}
	ps.only.Copy(s)
	ps.x.Take(ps.only, ev)
	return ps.only.Failed.Kind != program.Assertion
}

func (ps *processes) edge(t, e int) *program.Edge { return &ps.x.Program.Threads[t].Edges[e] }

// reads drops the stores from words[n:].
func reads(words []abstract.Access, n int) []abstract.Access {
	k := n
	for _, w := range words[n:] {
		if !w.Store {
			words[k] = w
			k++
		}
	}
	return words[:k]
}

// mark adds the words that are no cells: that of the lock, and that of the
// visible events where the event is one, be it for the cells that it writes.
func (ps *processes) mark(f *footprint, lockable, seen bool) {
	for _, w := range f.words {
		seen = seen || w.Store && w.Cell < ps.cells && ps.visible.Cells[w.Cell]
	}
	if lockable {
		f.words = append(f.words, abstract.Access{Cell: ps.lockWord()})
	}
	if seen {
		f.words = append(f.words, abstract.Access{Cell: ps.visibleWord(), Store: true})
	}
}

// dependent is true where two events of different processes, next to each other,
// are in conflict: they access the same word, and one of them writes it. Values
// do not count.
//
// A load that takes the value of the newest store of its own thread, from the
// buffer or from memory, is independent of the flush of that store, as the value
// is the same before and after it (the chronological traces of Abdulla et al.,
// "Stateless model checking for TSO and PSO", TACAS 2015). Flushes of others are
// in conflict with it once the store is in memory. flushed is how many stores of
// the thread to the cell are.
func dependent(f, g *footprint, flushed func(thread, cell int) int32) bool {
	for _, a := range f.words {
		for _, b := range g.words {
			if a.Cell != b.Cell || !a.Store && !b.Store {
				continue
			}
			if f.own == 0 && g.own == 0 || f.conflicts(a, g, flushed) && g.conflicts(b, f, flushed) {
				return true
			}
		}
	}
	return false
}

// conflicts is false where a is the load of f, of an own store, and independent
// of what g writes.
func (f *footprint) conflicts(a abstract.Access, g *footprint, flushed func(thread, cell int) int32) bool {
	if f.own == 0 || a != f.words[0] {
		return true
	}
	return f.thread != g.thread && flushed(f.thread, a.Cell) >= f.own
}
