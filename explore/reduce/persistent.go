package reduce

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// persistentSets is the reduction by persistent sets (thesis 4.1): where a thread is
// about to do what no other thread can see or influence, the search follows that
// thread alone. These are the local events, told by a table; where there are none,
// [independent] looks at what the threads may still do. Unlike algorithm 4.2 it
// has no favourite thread: which events are expanded is a function of the state,
// so that a set of visited states is all that the search needs to remember.
//
// # Which events
//
// At a state s the search expands only a set T of the events that are enabled
// there, where T is one of
//
//	(a) all events of the program edges of one thread t, where the control
//	    state of t is local (below) and at least one of them is enabled;
//	(b) the flush of the oldest pair of one thread t, where no other thread
//	    accesses its cell.
//
// A control state is local where every edge that leaves it is: a Check, Assign,
// Havoc or Assert; a Store into the buffer; a Fence; a Load of cells that no
// other thread writes, or a Store, without a buffer, to cells that no other
// thread accesses. The last two, and (b), only in programs without Lock
// commands, where nothing disables them. Two are local in some states only: a
// full Fence where the buffer is empty, and a Store where the buffer has room (in
// an [abstract.Coherence] with a queue: in the queue).
//
// # T is persistent
//
// Let w be a sequence of events from s, none of them in T. Then every event of
// w is independent of every event of T, and T is the same set of events, with
// the same effects, after w.
//
// (a) Other threads neither read nor write what the edges of t use: registers
// of t, its buffer, cells that only t writes. The flushes of t in w do not change
// what a Load of t gives (it gets the newest pair, whether that is in the buffer
// or in memory) and do not touch the pair that a Store of t adds. No edge that is
// disabled in s becomes enabled by w: a Check depends on registers of t only, and
// where a Fence or a Store is disabled, t is not chosen. None becomes disabled: a
// Fence needs the buffer of t empty, which only t fills, and flushes only make
// room for a Store.
//
// (b) w has no access of another thread to the cell, and no other flush of t. The
// edges of t in w read the same value whether the pair is in the buffer or in
// memory, and add their own pairs behind it; those that need an empty buffer
// cannot be in w.
//
// The abstractions of TSO keep (a). Their flushes are of several kinds, and some
// of them add to what a Store of t has done, so that "independent" is to be read
// like this: where the flushes of t in w, before the Store of (c, v), lead from
// contents C to D, flushes of the same pairs in the same order lead from C + (c,
// v) to D + (c, v). For each of them separately: in a set or a multiset the mark
// of c is now at v, which only makes more pairs removable; a flush that takes
// (c, v) itself from a set becomes one that leaves it there, as D + (c, v) has it
// anyway; a count is higher by one before and after, and where it is saturated
// after, or before and after, it may also stay as it is. A store into the queue
// of a partial coherence buffer is as in TSO. One into its set is not: after w the
// queue may have room, and the program would have lost order that the
// abstraction keeps; with an empty queue for K = 0 there is only the set. What t
// loads from a cell that only t writes is the newest value in every buffer, since
// its mark leaves last. (b) is for TSO only.
//
// # T is invisible
//
// Whether a Forbid property holds is not changed by an event of T, in any state:
// edges that enter or leave the states of an At of the property, that write a
// register that it reads, or that write a cell that it reads (where there is a
// buffer, their flush) do not count as local. A failing Assert ends the run. It
// depends on registers of its thread alone, so whatever other threads do first,
// it stays possible.
//
// # No event is put off for ever
//
// The edges that leave local control states form no cycle: in every cycle that
// there would be, the state that a retreating edge of a depth-first walk leaves
// does not count as local. Let rank be the length of the longest path of such
// edges from where a thread is, summed over the threads. A step of kind (a)
// lowers the rank and adds at most one pair to a buffer; a step of kind (b)
// leaves the rank and takes a pair away. So at most rank steps (a) and rank plus
// the number of pairs steps (b) can follow each other: every chain of reduced
// steps ends, whatever the order of the search, though nothing bounds the
// buffers.
//
// # The reduced search finds a violation where there is one
//
// Let w lead from a visited state s to a violation: a state where a Forbid
// property is violated, a failing Assert, a final state that counts, or a
// deadlock. By induction over the length of w, and for equal lengths over the
// length of the longest chain of reduced steps from s, the reduced search finds
// one as well. Where s is expanded fully, it goes on with the rest of w. Else, if
// w contains an event of T, the first of them can be brought to the front, since
// those before it are independent of it; the rest is shorter and ends in the same
// state. (Or, for a Forbid property, in one that differs by an invisible event.)
// If w contains none, it does not end in a final state or a deadlock, as T is
// still enabled there; and after any event of T, w is as possible as before, ends
// in the same violation, and the chains are shorter. Unless that event is itself
// a failing Assert: this is why a program with several violations may show
// another one with the reduction than without.
type persistentSets struct {
	x     *abstract.System
	local [][]bool           // by thread and control state
	flush [][]bool           // by thread and cell: whether (b) applies
	any   bool               // whether there is any of them
	more  *independent       // kinds (c) and (d); nil where it finds nothing
	fifo  bool               // whether the buffers are those of TSO, without which (b) does not apply
	queue abstract.Coherence // with K > 0 where a store is local only in the queue
}

// newPersistent finds the local control states.
func newPersistent(task *Task) Reduction {
	x := task.System
	p, r := x.Program, x.Ranges
	l := &persistentSets{x: x}
	locks := flow.Locks(p)
	for _, t := range p.Threads {
		l.local = append(l.local, make([]bool, len(t.States)))
		l.flush = append(l.flush, make([]bool, len(r.Cells)))
	}
	v := flow.NewVisible(p, r, task.Props)
	buffered := !x.Buffer.Immediate()
	_, l.fifo = x.Buffer.(abstract.FIFO)
	l.queue, _ = x.Buffer.(abstract.Coherence)
	for ti, t := range p.Threads {
		// unwritten: no other thread writes the cells that c may access.
		unwritten := func(c *program.Command) bool {
			for _, i := range r.Access[c] {
				for u, writes := range r.Writers[i] {
					if writes && u != ti {
						return false
					}
				}
			}
			return true
		}
		// hidden: no other thread and no property accesses cell i.
		hidden := func(i int) bool { return r.Private(i) == ti && !v.Cells[i] }
		eligible := func(e *program.Edge) bool {
			if v.Edge(ti, e) {
				return false
			}
			switch e.Cmd.Op {
			case program.Check, program.Assign, program.Havoc, program.Assert, program.Fence:
				return true
			case program.Load:
				return !locks && unwritten(&e.Cmd)
			case program.Store:
				return buffered || !locks && !slices.ContainsFunc(r.Access[&e.Cmd], func(i int) bool { return !hidden(i) })
			}
			return false
		}
		local := l.local[ti]
		out := t.Out()
		for q := range local {
			local[q] = len(out[q]) > 0
			for _, e := range out[q] {
				local[q] = local[q] && eligible(&t.Edges[e])
			}
		}
		flow.BreakCycles(t, out, local)
		for q := range local {
			l.any = l.any || local[q]
		}
		for i := range r.Cells {
			l.flush[ti][i] = l.fifo && !locks && hidden(i)
			l.any = l.any || l.flush[ti][i]
		}
	}
	l.more = newIndependent(x, v, l.local)
	return l
}

// localEvents is a set of kind (a) or (b).
func (l *persistentSets) localEvents(s *abstract.State) (sel Selection, full bool) {
	if !l.any {
		return sel, false
	}
	for t := range l.local {
		if b := s.Buf[t].Pairs; l.fifo && len(b) > 0 && l.flush[t][b[0].Cell] {
			return Selection{set: oneEvent, ev: abstract.Event{Thread: t, Edge: abstract.Flush}}, full
		}
		if !l.local[t][s.PC[t]] {
			continue
		}
		n := int64(0)
		first := -1
		for _, e := range l.x.Out(t, s.PC[t]) {
			switch l.x.Enabled(s, t, e) {
			case abstract.Full:
				full = true
				n = -1
			case abstract.Disabled:
				if l.x.Program.Threads[t].Edges[e].Cmd.Op == program.Fence {
					n = -1
				}
			case abstract.Done:
				if l.queue.K > 0 && l.x.Program.Threads[t].Edges[e].Cmd.Op == program.Store && !l.queue.Queues(&s.Buf[t]) {
					n = -1
					break
				}
				if first < 0 {
					first = e
				}
				n = max(n, 0) + l.x.Choices(t, e)
			}
			if n < 0 {
				break
			}
		}
		if n == 1 {
			return Selection{set: oneEvent, ev: abstract.Event{Thread: t, Edge: first}}, full
		}
		if n > 1 && sel.set == everything {
			sel = Selection{set: oneProgram, ev: abstract.Event{Thread: t}}
		}
	}
	return sel, full
}

// Choose is that of [Reduction].
func (l *persistentSets) Choose(s *abstract.State, _ int) (sel Selection, full bool) {
	sel, full = l.localEvents(s)
	if sel.set == everything && l.more != nil {
		sel = l.more.choose(s)
	}
	return sel, full
}

// Chain is that of [Reduction].
func (l *persistentSets) Chain(s *abstract.State) (ev abstract.Event, full, ok bool) {
	sel, full := l.localEvents(s)
	if sel.set == everything && l.more != nil {
		ev, ok = l.more.chain(s)
		return ev, full, ok
	}
	return sel.ev, full, sel.set == oneEvent
}

// Fork is l itself, which keeps nothing.
func (l *persistentSets) Fork() Reduction { return l }

// Alike is true where the same control states are local and calm.
func (l *persistentSets) Alike(a, b int) bool {
	return slices.Equal(l.local[a], l.local[b]) && (l.more == nil || slices.Equal(l.more.calm[a], l.more.calm[b]))
}
