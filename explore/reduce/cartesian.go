package reduce

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// cartesian is cartesian partial-order reduction (thesis section 4.3.2; Gueta,
// Flanagan, Yahav and Sagiv, Cartesian partial-order reduction, SPIN 2007). For a
// state s it computes a vector of prefixes: for every process, events that it can
// perform from s one after the other. The search goes from s to the states after
// one whole prefix each, and nowhere else; there it computes the next vector. A
// vector is a function of the state.
//
// # Processes and their prefixes
//
// A thread t is two processes: the program P of t, and its buffer B, whose events
// are the flushes. A prefix grows, one event in turn for every process, for as
// long as the following holds, where the events of a prefix but the last are its
// inner events.
//
//	(1) No inner event of t is dependent on an event of another thread's
//	    prefixes. Dependent are two events that access a cell, one of them to
//	    write it; taking and giving back the lock writes a cell that every
//	    access of memory reads.
//	(2) An inner event is invisible ([visible]), no failing Assert, and the only
//	    event of its process that is enabled where it happens. What the disabled
//	    ones depend on counts as accesses of the event.
//
// Where a process has several events at once, or none, it is left at that: each
// of the several is a prefix. A process without events, which waits, has for (1)
// the accesses on which it depends that it has none.
//
// For P and B of one thread, of which B begins with the pairs that are buffered
// in s:
//
//	(3) P goes on over inner stores only where B has a prefix, or begins one
//	    with that store, or has to wait for the lock. The prefix of B has pairs
//	    that are there in s or that inner events of P add.
//	(4) P stops before a control state with an edge that needs an empty buffer,
//	    if the prefix or s has put anything into the buffer, and where a store
//	    is disabled for the capacity. Where that is so in s, a prefix of B is a
//	    single flush.
//	(5) Where the buffer is not that of TSO, a store is never an inner event of
//	    P, and each flush is a prefix of B.
//
// The successors of s are the states after the prefix of P, and after the prefix
// of B together with the part of the prefix of P that adds the last of its pairs.
//
// # No process leaves its prefix before a prefix ends
//
// Let w be a run from s that completes no prefix. Then every process is within its
// own, and all events so far are inner ones. By induction over w: what a process
// can do next depends on cells that no inner event of another thread writes (1),
// so it is what the prefix has (2). A flush of the own thread changes nothing for
// a load of P, which gets the newest pair from the buffer or from memory. It
// enables no edge that needs an empty buffer: in s, one pair at least stays until
// the prefix of B is complete, and later P does not come to such an edge (4).
// Nor does it make room for a store (4). B can do no more than its prefix says
// before it completes it, if it has one; if it has none, it has nothing to flush,
// as by (3) no inner event has added a pair, or it waits for the lock.
//
// # The reduced search finds a violation where there is one
//
// Let w lead from a state s that the search stores to a violation: a state where
// a Forbid property is violated, a failing Assert, a final state that counts, or
// a deadlock. By induction over the length of w, the search finds one as well.
//
// If w completes no prefix, all its events are inner ones. None is a failing
// Assert, and none is visible, so that a Forbid property is violated in s, which
// is noticed. If w ends in a final state or a deadlock, no process has a prefix:
// the next event of it would still be enabled there. So nothing is enabled in s,
// w is empty, and s is what w leads to.
//
// Else let p be the first prefix that w completes, of thread t. The events before
// its end are inner ones, of all processes. Those of other threads are independent
// of p (1). So p, with the events of P that it needs if it is one of B, can be
// brought to the front, for the events of the other process of t that it
// overtakes are independent of it, too: loads, local events and stores of flushes
// in the order of the buffer. The rest of w leads on from the state after p, which
// the search stores, to the same end, and is shorter.
//
// Nothing is put off for ever, and there is no proviso about cycles: each of the
// prefixes is performed, and they are finite. That a prefix could go on is no
// reason that it must: it is cut at maxPrefix, and where a thread comes to a
// control state with the values in its registers that it had there before
// (noticed by Brent's algorithm: a mark is moved on whenever the length is a
// power of two), which is where it waits in a loop.
type cartesian struct {
	allEvents
	x        *abstract.System
	v        *flow.Visible
	dead     [][][]flow.Reset
	locks    bool // there are Lock commands
	buffered bool
	fifo     bool

	procs []process // P of thread t at 2t, B at 2t + 1
	sims  []*abstract.State
	trace []abstract.Event

	// What node found out.
	node struct {
		enabled int // 0, 1 or 2 for several
		ev      abstract.Event
		out     abstract.Outcome
		acc     access
		stop    bool // of ev: it may not be an inner event
		waits   bool // an edge needs the buffer empty
		full    bool // a store is disabled for the capacity
		seen    bool // scratch: a visible cell is written
		store   bool // scratch: the accesses are those of a buffered store
	}
	note func(cell int, write bool)
}

// maxPrefix bounds the length of a prefix.
const maxPrefix = 256

// A process is one prefix.
type process struct {
	events []abstract.Event
	inner  access // of all events but the last
	last   access // of the last event or, where there is none, what the process waits for
	closed bool   // it does not grow any more

	// Of P:
	stores []int // the indices of buffered stores in events
	many   bool  // there are several events at once, not one prefix
	pc     program.StateID
	regs   []int64 // with pc the mark
}

// An access is the cells that something reads and writes, a bit each, the lock
// behind the cells.
type access struct{ reads, writes program.RegSet }

func newAccess(cells int) access {
	return access{program.NewRegSet(cells + 1), program.NewRegSet(cells + 1)}
}

func (a *access) clear() {
	clear(a.reads)
	clear(a.writes)
}

func (a *access) add(b *access) {
	for i := range a.reads {
		a.reads[i] |= b.reads[i]
		a.writes[i] |= b.writes[i]
	}
}

func (a *access) copy(b *access) {
	copy(a.reads, b.reads)
	copy(a.writes, b.writes)
}

// conflicts is true where a and b have a cell in common that one of them writes.
func (a *access) conflicts(b *access) bool {
	for i := range a.reads {
		if a.writes[i]&(b.reads[i]|b.writes[i])|a.reads[i]&b.writes[i] != 0 {
			return true
		}
	}
	return false
}

func newCartesian(task *Task) Reduction {
	x := task.System
	_, fifo := x.Buffer.(abstract.FIFO)
	v := &cartesian{x: x, v: flow.NewVisible(x.Program, x.Ranges, task.Props), dead: task.Dead, locks: flow.Locks(x.Program),
		buffered: !x.Buffer.Immediate(), fifo: fifo}
	return v.Fork()
}

// Fork shares the tables of v.
func (v *cartesian) Fork() Reduction {
	cells := len(v.x.Ranges.Cells)
	f := &cartesian{x: v.x, v: v.v, dead: v.dead, locks: v.locks, buffered: v.buffered, fifo: v.fifo}
	for range f.x.Program.Threads {
		f.sims = append(f.sims, f.x.NewState())
		for range 2 {
			f.procs = append(f.procs, process{inner: newAccess(cells), last: newAccess(cells)})
		}
	}
	f.node.acc = newAccess(cells)
	f.note = func(cell int, write bool) {
		switch {
		case f.node.store:
		case write:
			f.node.acc.writes.Add(cell)
			f.node.seen = f.node.seen || f.v.Cells[cell]
		default:
			f.node.acc.reads.Add(cell)
		}
	}
	return f
}

// Choose is that of [Reduction].
func (v *cartesian) Choose(s *abstract.State, _ int) (sel Selection, full bool) {
	return Selection{set: prefixes, vector: v}, v.plan(s)
}

// lock is the index of the lock among the cells.
func (v *cartesian) lock() int { return len(v.x.Ranges.Cells) }

// look finds out about the events of the program of thread t in s.
func (v *cartesian) look(s *abstract.State, t int) {
	n := &v.node
	n.enabled, n.stop, n.waits, n.full = 0, false, false, false
	n.acc.clear()
	edges := v.x.Program.Threads[t].Edges
	for _, e := range v.x.Out(t, s.PC[t]) {
		c := &edges[e].Cmd
		n.seen = false
		n.store = c.Op == program.Store && v.buffered
		switch c.Op {
		case program.Lock, program.Unlock, program.Atomic:
			n.waits = n.waits || !s.Buf[t].Empty()
		case program.Fence:
			n.waits = n.waits || c.FullFence() && !s.Buf[t].Empty()
		}
		ev := abstract.Event{Thread: t, Edge: e}
		out := v.x.Enabled(s, t, e)
		if out == abstract.Done {
			if v.x.Choices(t, e) > 1 {
				n.enabled = 2
				v.any(c)
			} else {
				out = v.x.Probe(s, ev, v.note)
			}
		}
		if v.locks {
			switch c.Op {
			case program.Lock, program.Unlock:
				if out == abstract.Done {
					n.acc.writes.Add(v.lock())
				}
				n.acc.reads.Add(v.lock())
			case program.Load, program.Store, program.Atomic:
				if !n.store {
					n.acc.reads.Add(v.lock())
				}
			}
		}
		switch out {
		case abstract.Disabled:
			continue
		case abstract.Full:
			n.full = true
			continue
		}
		n.ev, n.out = ev, out
		n.enabled = min(n.enabled+1, 2)
		adds := v.buffered && c.Enters() || c.StoreFence() // to the buffer
		n.stop = out != abstract.Done || n.seen || v.v.Edge(t, &edges[e]) || !v.fifo && adds
	}
}

// any notes all that an event of c may access.
func (v *cartesian) any(c *program.Command) {
	if c.Op != program.Atomic {
		return
	}
	for i := range c.Body {
		for _, cell := range v.x.Ranges.Access[&c.Body[i]] {
			v.note(cell, c.Body[i].Op == program.Store)
		}
	}
}

// plan computes the vector of s. It tells whether a store was disabled for the
// capacity.
func (v *cartesian) plan(s *abstract.State) (full bool) {
	for t, sim := range v.sims {
		sim.Copy(s)
		p, b := &v.procs[2*t], &v.procs[2*t+1]
		for _, q := range []*process{p, b} {
			q.events, q.stores = q.events[:0], q.stores[:0]
			q.inner.clear()
			q.last.clear()
			q.closed, q.many = false, false
		}
		p.mark(s, t)
		v.look(sim, t)
		n := &v.node
		full = full || n.full
		p.closed = n.enabled != 1 || n.waits || n.full
		p.many = n.enabled > 1
		if n.enabled == 1 {
			v.step(p, sim)
		} else {
			p.last.add(&n.acc)
		}
		switch pairs := sim.Buf[t].Pairs; {
		case v.locks && s.Lock >= 0 && s.Lock != t:
			b.last.reads.Add(v.lock())
			b.closed = true
		case !v.fifo:
			b.closed = true
			for _, pair := range s.Buf[t].Pairs {
				if pair.Cell != abstract.Barrier {
					v.flush(&b.last, pair.Cell)
				}
			}
		case !s.Buf[t].Empty():
			v.flush(&b.last, pairs[0].Cell)
			b.events = append(b.events, abstract.Event{Thread: t, Edge: abstract.Flush})
			b.closed = n.full || v.v.Cells[pairs[0].Cell]
		}
	}
	for again := true; again; {
		again = false
		for t := range v.sims {
			again = v.grow(t) || again
			again = v.drain(t) || again
		}
	}
	return full
}

func (v *cartesian) flush(a *access, cell int) {
	a.writes.Add(cell)
	if v.locks {
		a.reads.Add(v.lock())
	}
}

func (p *process) mark(s *abstract.State, t int) {
	p.pc = s.PC[t]
	p.regs = append(p.regs[:0], s.Regs[t]...)
}

// step performs the event that look has found and puts it behind p.
func (v *cartesian) step(p *process, sim *abstract.State) {
	n := &v.node
	t := n.ev.Thread
	e := &v.x.Program.Threads[t].Edges[n.ev.Edge]
	if e.Cmd.Op == program.Store && v.buffered {
		p.stores = append(p.stores, len(p.events))
	}
	p.events = append(p.events, n.ev)
	p.inner.add(&p.last)
	p.last.copy(&n.acc)
	p.closed = p.closed || n.stop || len(p.events) == maxPrefix
	if n.out != abstract.Done {
		return
	}
	v.x.Take(sim, n.ev)
	for _, r := range v.dead[t][n.ev.Edge] {
		sim.Vals[r.At] = r.Value
	}
}

// inner is true where the last event of p, a process of thread t, may become an
// inner one, with an event that has these accesses behind it: rule (1).
func (v *cartesian) inner(t int, p *process, next *access) bool {
	for i := range v.procs {
		q := &v.procs[i]
		if i/2 != t && (p.last.conflicts(&q.inner) || p.last.conflicts(&q.last) || next.conflicts(&q.inner)) {
			return false
		}
	}
	return true
}

// grow lets the prefix of the program of t grow by an event, if it can.
func (v *cartesian) grow(t int) bool {
	p, b, sim, n := &v.procs[2*t], &v.procs[2*t+1], v.sims[t], &v.node
	if p.closed {
		return false
	}
	p.closed = true // unless it grows
	if sim.PC[t] == p.pc && slices.Equal(sim.Regs[t], p.regs) {
		return false
	}
	if n := len(p.events); n&(n-1) == 0 {
		p.mark(sim, t)
	}
	v.look(sim, t)
	if n.enabled != 1 || n.waits || n.full || !v.inner(t, p, &n.acc) {
		return false
	}
	if len(p.stores) > 0 && len(b.events) == 0 && !b.closed {
		// The last event is the first store, into an empty buffer.
		cell := sim.Buf[t].Pairs[0].Cell
		v.flush(&b.last, cell)
		for i := range v.procs {
			if i/2 != t && b.last.conflicts(&v.procs[i].inner) {
				b.last.clear()
				return false
			}
		}
		b.events = append(b.events, abstract.Event{Thread: t, Edge: abstract.Flush})
		b.closed = v.v.Cells[cell]
	}
	p.closed = false
	v.step(p, sim)
	return true
}

// drain lets the prefix of the buffer of t grow by a flush, if it can.
func (v *cartesian) drain(t int) bool {
	p, b := &v.procs[2*t], &v.procs[2*t+1]
	k := len(b.events)
	pairs := v.sims[t].Buf[t].Pairs
	inner := len(pairs)
	if n := len(p.stores); n > 0 && p.stores[n-1] == len(p.events)-1 {
		inner-- // the last event is no inner one
	}
	if b.closed || k == 0 || k >= inner {
		return false
	}
	acc := &v.node.acc
	acc.clear()
	v.flush(acc, pairs[k].Cell)
	if !v.inner(t, b, acc) {
		b.closed = true
		return false
	}
	b.inner.add(&b.last)
	b.last.copy(acc)
	b.events = append(b.events, abstract.Event{Thread: t, Edge: abstract.Flush})
	b.closed = v.v.Cells[pairs[k].Cell]
	return true
}

// next is that of a [Selection].
func (v *cartesian) next(s *abstract.State, c *Cursor) (ev abstract.Event, rest []abstract.Event, ok bool) {
	whole := func(events []abstract.Event) (abstract.Event, []abstract.Event, bool) {
		return events[0], events[1:], true
	}
	for ; int(c.Thread) < len(v.sims); c.Thread, c.At, c.Choice = c.Thread+1, 0, 0 {
		t := int(c.Thread)
		p, b := &v.procs[2*t], &v.procs[2*t+1]
		for out := v.x.Out(t, s.PC[t]); int(c.At) < len(out); {
			if !p.many {
				c.At = int32(len(out))
				if len(p.events) > 0 {
					return whole(p.events)
				}
				break
			}
			if c.Choice < v.x.Choices(t, out[c.At]) {
				c.Choice++
				return abstract.Event{Thread: t, Edge: out[c.At], Choice: c.Choice - 1}, nil, true
			}
			c.At++
			c.Choice = 0
		}
		if !v.fifo {
			if c.Choice < int64(v.x.Flushes(s, t)) {
				c.Choice++
				return abstract.Event{Thread: t, Edge: abstract.Flush, Choice: c.Choice - 1}, nil, true
			}
		} else if c.Choice == 0 && len(b.events) > 0 {
			c.Choice++
			return whole(v.drained(s, t))
		}
	}
	return ev, nil, false
}

// drained is the prefix of the buffer of t, with those of its program that it needs,
// good until the next call.
func (v *cartesian) drained(s *abstract.State, t int) []abstract.Event {
	p, b := &v.procs[2*t], &v.procs[2*t+1]
	v.trace = v.trace[:0]
	if more := len(b.events) - len(s.Buf[t].Pairs); more > 0 {
		v.trace = append(v.trace, p.events[:p.stores[more-1]+1]...)
	}
	v.trace = append(v.trace, b.events...)
	return v.trace
}
