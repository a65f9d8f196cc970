package reduce

import (
	"math/bits"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// independent finds persistent sets where no thread is about to do something
// local, from what the threads may still do: the cells that a thread may read and
// write from a control state on, together with what its buffer holds, are its
// future. In the words of persistentSets, T is one of
//
//	(c) all events of the program edges of one thread t, where these access no
//	    cell that the future of another thread writes, and write none that it
//	    reads; where t has something in its buffer, no edge may be one that
//	    depends on how full that is;
//	(d) the flush of the oldest pair of one thread, whose cell is not in the
//	    future of another thread;
//	(e) all events of a set of threads, where no edge from where these are, and
//	    no next flush, conflicts with the future of a thread outside: the
//	    smallest set that is closed in this way and has an event.
//
// In programs with Lock commands the lock is one more cell: Lock and Unlock
// write it, and every access of memory reads it. (d) is for TSO only; in other
// buffers every pair counts as the next one.
//
// # T is persistent
//
// (c) is (a) of persistentSets: instead of all other threads always, those after
// s do not write what t loads. An edge of t that is disabled in s, such as an
// atomic block in which a check fails, reads cells, too, so that nobody outside
// enables it. With an empty buffer t has no flushes before T.
//
// (d) is (b), likewise.
//
// (e) Let w be a sequence of events from s, none of them in T. Its first event of
// a thread in the set would be one that is disabled in s, and what it waits for
// (a cell, the lock; the buffer and the registers are its own) is not changed by
// those outside. So w has events of threads outside only, within their futures in
// s, and is independent of T.
//
// # No event is put off for ever
//
// Only calm control states count for the threads of T: edges that leave them are
// invisible, and together with the local ones they form no cycle. Where they
// would, the state is taken out whose edges conflict with most. So the rank of
// persistentSets is the longest path through local and calm states, and with (e),
// too, a step lowers it or takes a pair from a buffer.
type independent struct {
	x      *abstract.System
	v      *flow.Visible
	locks  bool
	fifo   bool
	cells  int
	calm   [][]bool   // by thread and control state
	next   [][]access // what the edges there do to memory
	future [][]access // what they and all later ones may do to memory in the end
	// By thread and control state, and by thread and cell: whether there is hope.
	edges, flushes [][]bool
	alone          [][]bool // by thread and cell: whether there is any for (d)
	lone           bool     // whether there is any for (d) anywhere

	// By thread and control state: with which control states of other threads
	// the edges conflict, a bit for each behind the base of its thread.
	meet [][]program.RegSet
	base []int
}

// maxPairs bounds how many words of cells are compared before the search, for any
// two control states.
const maxPairs = 1 << 27

// newIndependent is nil where it would never find anything, or where there are
// more than 64 threads or too many control states.
func newIndependent(x *abstract.System, v *flow.Visible, local [][]bool) *independent {
	n, states := x.Threads(), 0
	for _, t := range x.Program.Threads {
		states += len(t.States)
	}
	if n < 2 || n > 64 || states > 1<<12 || states*states*(len(x.Ranges.Cells)/64+1) > maxPairs {
		return nil
	}
	l := &independent{x: x, v: v, cells: len(x.Ranges.Cells), locks: flow.Locks(x.Program)}
	_, l.fifo = x.Buffer.(abstract.FIFO)
	buffered := !x.Buffer.Immediate()
	base := 0
	for ti, t := range x.Program.Threads {
		out := t.Out()
		next := make([]access, len(t.States))
		future := make([]access, len(t.States))
		calm := make([]bool, len(t.States))
		for q := range next {
			next[q], future[q] = newAccess(l.cells), newAccess(l.cells)
			calm[q] = len(out[q]) > 0
			for _, e := range out[q] {
				edge := &t.Edges[e]
				l.access(&next[q], &edge.Cmd, buffered)
				l.access(&future[q], &edge.Cmd, false)
				calm[q] = calm[q] && !v.Edge(ti, edge)
			}
			for c, seen := range v.Cells {
				calm[q] = calm[q] && !(seen && next[q].writes.Has(c))
			}
		}
		for again := true; again; {
			again = false
			for i := len(t.Edges) - 1; i >= 0; i-- {
				e := &t.Edges[i]
				again = future[e.From].grow(&future[e.To]) || again
			}
		}
		l.next, l.future, l.calm = append(l.next, next), append(l.future, future), append(l.calm, calm)
		l.base = append(l.base, base)
		base += len(t.States)
	}
	for ti, t := range x.Program.Threads {
		l.breakCycles(ti, t.Out(), local[ti])
	}
	if !l.hope(local) {
		return nil
	}
	for t := range l.next {
		meet := make([]program.RegSet, len(l.next[t]))
		for q := range meet {
			meet[q] = program.NewRegSet(states)
			for u := range l.future {
				for p := range l.future[u] {
					if l.next[t][q].conflicts(&l.future[u][p]) {
						meet[q].Add(l.base[u] + p)
					}
				}
			}
		}
		l.meet = append(l.meet, meet)
	}
	return l
}

// grow adds b to a and tells whether a has become larger.
func (a *access) grow(b *access) bool {
	grown := false
	for i := range a.reads {
		r, w := a.reads[i]|b.reads[i], a.writes[i]|b.writes[i]
		grown = grown || r != a.reads[i] || w != a.writes[i]
		a.reads[i], a.writes[i] = r, w
	}
	return grown
}

// access adds what c does to memory; not what it does to a buffer, where
// buffered.
func (l *independent) access(a *access, c *program.Command, buffered bool) {
	note := func(c *program.Command) {
		for _, i := range l.x.Ranges.Access[c] {
			if c.Op == program.Store {
				a.writes.Add(i)
			} else {
				a.reads.Add(i)
			}
		}
		if l.locks {
			a.reads.Add(l.cells)
		}
	}
	switch c.Op {
	case program.Load:
		note(c)
	case program.Store:
		if !buffered {
			note(c)
		}
	case program.Atomic:
		if l.locks {
			a.reads.Add(l.cells)
		}
		for i := range c.Body {
			switch c.Body[i].Op {
			case program.Load, program.Store:
				note(&c.Body[i])
			}
		}
	case program.Lock, program.Unlock:
		a.reads.Add(l.cells)
		a.writes.Add(l.cells)
	}
}

// breakCycles takes states that are not local out of calm until the calm and the
// local states of thread t form no cycle, of each cycle the one whose edges
// conflict with most.
func (l *independent) breakCycles(t int, out [][]int, local []bool) {
	th := l.x.Program.Threads[t]
	in := func(q program.StateID) bool { return local[q] || l.calm[t][q] }
	weights := make([]int, len(th.States)) // more by 1; 0: not known
	weight := func(q program.StateID) int {
		if weights[q] > 0 {
			return weights[q]
		}
		n := 1
		for u := range l.next {
			for p := range l.next[u] {
				if u != t && l.next[t][q].conflicts(&l.future[u][p]) {
					n++
				}
			}
		}
		weights[q] = n
		return n
	}
	for {
		cycle := flow.FindCycle(th, out, in)
		if cycle == nil {
			break
		}
		worst, most := program.StateID(-1), -1
		for _, q := range cycle {
			if w := weight(q); !local[q] && w > most {
				worst, most = q, w
			}
		}
		l.calm[t][worst] = false
	}
	for q := range l.calm[t] {
		l.calm[t][q] = in(program.StateID(q))
	}
}

// hope fills in where there is anything to be found, and is false where that is
// nowhere: where all other threads, or, for a set of several, one of them, can be
// where they do not conflict with what the thread does next.
func (l *independent) hope(local [][]bool) bool {
	n := len(l.next)
	// apart counts the threads that can be where what they may do does not conflict with what t does.
	apart := func(t int, conflicts func(b *access) bool) (free int) {
		for u := range l.future {
			for p := range l.future[u] {
				if u != t && l.x.Ranges.Reachable[u][p] && !conflicts(&l.future[u][p]) {
					free++
					break
				}
			}
		}
		return free
	}
	enough := func(free int) bool { return free == n-1 || n > 2 && free > 0 }
	any := false
	for t := range l.next {
		edges, flush, alone := make([]bool, len(l.next[t])), make([]bool, l.cells), make([]bool, l.cells)
		for q := range edges {
			edges[q] = l.calm[t][q] && !local[t][q] && l.x.Ranges.Reachable[t][q] && enough(apart(t, l.next[t][q].conflicts))
			any = any || edges[q]
		}
		for c := range flush {
			if l.x.Ranges.Writers[c][t] && !l.v.Cells[c] && !l.x.Buffer.Immediate() {
				free := apart(t, func(b *access) bool { return l.flushConflicts(c, b) })
				flush[c], alone[c] = enough(free), free == n-1
				any, l.lone = any || flush[c], l.lone || alone[c] && l.fifo
			}
		}
		l.edges, l.flushes, l.alone = append(l.edges, edges), append(l.flushes, flush), append(l.alone, alone)
	}
	return any
}

// flushConflicts is true where the flush of a pair for cell c, which reads the lock, conflicts with b.
// There may be as many cells as can be, so it does not look at them all.
func (l *independent) flushConflicts(c int, b *access) bool {
	return b.has(c) || l.locks && b.writes.Has(l.cells)
}

// hopes is true where a set may be found that begins with t.
func (l *independent) hopes(s *abstract.State, t int) bool {
	if l.edges[t][s.PC[t]] {
		return true
	}
	for _, p := range s.Buf[t].Pairs {
		if p.Cell != abstract.Barrier && l.flushes[t][p.Cell] {
			return true
		}
	}
	return false
}

// chain is a set of kind (d).
func (l *independent) chain(s *abstract.State) (ev abstract.Event, ok bool) {
	if !l.lone {
		return ev, false
	}
	for t := range s.Buf {
		if pairs := s.Buf[t].Pairs; len(pairs) > 0 && l.alone[t][pairs[0].Cell] && l.flushMeets(s, t) == 0 && l.x.Flushes(s, t) > 0 {
			return abstract.Event{Thread: t, Edge: abstract.Flush}, true
		}
	}
	return ev, false
}

// choose is everything where there is nothing smaller. It keeps nothing, so that
// several searches may use it side by side.
func (l *independent) choose(s *abstract.State) (sel Selection) {
	if ev, ok := l.chain(s); ok {
		return Selection{set: oneEvent, ev: ev}
	}
	n := len(l.next)
	all := ^uint64(0) >> (64 - n)
	best := all
	var clash [64]uint64 // by thread: the threads that have to be in a set with it; 0: not known
	for t := range n {
		if !l.hopes(s, t) {
			continue
		}
		if l.calm[t][s.PC[t]] && l.edgesMeet(s, t) == 0 && (s.Buf[t].Empty() || !l.waits(s, t)) && l.enabled(s, 1<<t, false) {
			return Selection{set: oneProgram, ev: abstract.Event{Thread: t}}
		}
		if n == 2 {
			continue
		}
		set, done := uint64(1)<<t, uint64(0)
		for set != done && set != all {
			u := bits.TrailingZeros64(set &^ done)
			if clash[u] == 0 {
				clash[u] = l.clash(s, u, all)
			}
			set |= clash[u]
			done |= 1 << u
		}
		if bits.OnesCount64(set) < bits.OnesCount64(best) && l.enabled(s, set, true) {
			best = set
		}
	}
	if best != all {
		return Selection{set: someThreads, threads: best}
	}
	return sel
}

// clash is the threads that have to be in a set with t, which is one of them: those
// whose futures conflict with what it does next; all, where t is for no set.
func (l *independent) clash(s *abstract.State, t int, all uint64) uint64 {
	q := s.PC[t]
	if !l.quiet(s.Buf[t].Pairs) || !l.calm[t][q] && len(l.x.Out(t, q)) > 0 {
		return all
	}
	meet := uint64(1) << t
	if l.calm[t][q] {
		meet |= l.edgesMeet(s, t)
	}
	if meet != all && len(s.Buf[t].Pairs) > 0 {
		meet |= l.flushMeets(s, t)
	}
	return meet
}

// edgesMeet is the threads whose futures conflict with the edges of t.
func (l *independent) edgesMeet(s *abstract.State, t int) (meet uint64) {
	next, row := &l.next[t][s.PC[t]], l.meet[t][s.PC[t]]
	for u := range l.base {
		if u == t {
			continue
		}
		if row.Has(l.base[u] + int(s.PC[u])) {
			meet |= 1 << u
			continue
		}
		for _, p := range s.Buf[u].Pairs {
			if p.Cell != abstract.Barrier && (next.has(p.Cell) || next.writes.Has(l.cells)) {
				meet |= 1 << u
				break
			}
		}
	}
	return meet
}

// flushMeets is the threads whose futures conflict with the next flushes of t,
// which has something to flush.
func (l *independent) flushMeets(s *abstract.State, t int) (meet uint64) {
	pairs := s.Buf[t].Pairs
	if l.fifo {
		pairs = pairs[:1]
	}
	for u := range l.base {
		if u == t {
			continue
		}
		future := &l.future[u][s.PC[u]]
		if future.writes.Has(l.cells) {
			meet |= 1 << u
			continue
		}
		for _, p := range pairs {
			if p.Cell != abstract.Barrier && (future.has(p.Cell) ||
				slices.ContainsFunc(s.Buf[u].Pairs, func(o abstract.Pair) bool { return o.Cell == p.Cell })) {
				meet |= 1 << u
				break
			}
		}
	}
	return meet
}

// has is true where cell i is read or written.
func (a *access) has(i int) bool { return a.reads.Has(i) || a.writes.Has(i) }

// quiet is true where no next flush of these pairs can be seen.
func (l *independent) quiet(pairs []abstract.Pair) bool {
	for i, p := range pairs {
		if p.Cell != abstract.Barrier && l.v.Cells[p.Cell] {
			return false
		}
		if i == 0 && l.fifo {
			break
		}
	}
	return true
}

// waits is true where an edge of t, which has something in its buffer, may depend
// on how full that is.
func (l *independent) waits(s *abstract.State, t int) bool {
	for _, e := range l.x.Out(t, s.PC[t]) {
		switch c := &l.x.Program.Threads[t].Edges[e].Cmd; c.Op {
		case program.Lock, program.Unlock, program.Atomic, program.Fence:
			return true
		case program.Store:
			if !l.fifo || l.x.Capacity > 0 {
				return true
			}
		}
	}
	return false
}

// enabled is true where a thread of the set has an event, as far as can be seen
// from outside of atomic blocks.
func (l *independent) enabled(s *abstract.State, set uint64, flushes bool) bool {
	for ; set != 0; set &= set - 1 {
		t := bits.TrailingZeros64(set)
		if flushes && l.x.Flushes(s, t) > 0 {
			return true
		}
		for _, e := range l.x.Out(t, s.PC[t]) {
			if l.x.Enabled(s, t, e) == abstract.Done {
				return true
			}
		}
	}
	return false
}
