package replay

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// mostOrdered is how many steps a run may have for every two of them to be looked at.
const mostOrdered = 1_000

// ordered is a schedule of the same steps that depends on nothing but which of them have to do with each other and in which
// order these come (a normal form of their trace: Mazurkiewicz 1977), so that it does not matter who has found
// the run. The last thread goes on as long as it can, with a flush as soon as there can be one; where it cannot,
// it is the turn of the first thread that can. An assertion that fails at the end stays there; a property is
// about the state at the end, which is the same whatever comes last.
func (r *Replayer) ordered(evs []abstract.Event, v *verdict.Violation) []abstract.Event {
	n := len(evs)
	if n > mostOrdered {
		return evs
	}
	if v.Property == nil {
		n--
	}
	steps := r.happenings(evs[:n])
	later := make([][]int, n) // by step: those that have to come after it
	waits := make([]int, n)   // by step: how many have to come before it
	for j := range steps {
		for i := range steps[:j] {
			if steps[i].before(&steps[j]) {
				later[i] = append(later[i], j)
				waits[j]++
			}
		}
	}
	var all []abstract.Event
	done := make([]bool, n)
	next := func(t int) bool {
		best := -1
		for i := range steps {
			if !done[i] && waits[i] == 0 && steps[i].thread == t && (best < 0 || steps[i].flush && !steps[best].flush) {
				best = i
			}
		}
		if best < 0 {
			return false
		}
		done[best] = true
		all = append(all, evs[best])
		for _, j := range later[best] {
			waits[j]--
		}
		return true
	}
	for t := 0; len(all) < n; {
		if !next(t) {
			for t = 0; !next(t); t++ {
			}
		}
	}
	return append(all, evs[n:]...)
}

// until is a schedule up to where a property about every moment is first violated: in another order of the steps that
// may be before the end.
func (r *Replayer) until(evs []abstract.Event, v *verdict.Violation) []abstract.Event {
	if v.Property == nil || v.Property.Kind != program.Forbid {
		return evs
	}
	r.x.Initial(r.s)
	for i, ev := range evs {
		if pr := r.Forbidden(r.s); pr != nil && pr.Pos == v.Property.Pos && pr.Text == v.Property.Text {
			if r.still(evs[:i], v) { // no other property comes first there
				return evs[:i]
			}
			return evs
		}
		r.x.Step(r.s, ev)
	}
	return evs
}

// A happening is what a step of a run has to do with others.
type happening struct {
	thread       int
	flush, store bool // of a flush, or into a buffer
	nth          int  // flush of the thread, or store
	strict       bool // it stays where it is among the steps of its thread
	lock         bool // the lock changes hands
	open         bool // it takes place only while no other thread holds the lock
	memory       []abstract.Access
}

// happenings looks at the steps of a schedule, which is possible.
func (r *Replayer) happenings(evs []abstract.Event) (steps []happening) {
	_, fifo := r.x.Buffer.(abstract.FIFO)
	flushes, stores := make([]int, r.x.Threads()), make([]int, r.x.Threads())
	s := r.x.NewState()
	r.x.Initial(s)
	for _, ev := range evs {
		h := happening{thread: ev.Thread, strict: !fifo}
		if h.flush = ev.Edge == abstract.Flush; h.flush {
			h.nth = flushes[ev.Thread]
			flushes[ev.Thread]++
		} else {
			switch cmd := &r.x.Program.Threads[ev.Thread].Edges[ev.Edge].Cmd; {
			case cmd.Enters() && !r.x.Buffer.Immediate():
				h.store, h.nth = true, stores[ev.Thread]
				stores[ev.Thread]++
			case cmd.Op == program.Lock, cmd.Op == program.Unlock:
				h.lock, h.strict = true, true
			case cmd.Op == program.Atomic, cmd.Op == program.Fence:
				h.strict, h.open = true, cmd.Op == program.Atomic // even one without accesses
			}
		}
		if !h.store {
			h.memory, _ = r.x.Accesses(nil, s, ev)
			h.open = h.open || len(h.memory) > 0
		}
		steps = append(steps, h)
		r.x.Step(s, ev)
	}
	return steps
}

// before is whether h, which comes before g, has to. What a thread does does not wait for its flushes, and they do
// not wait for more than their store, in a FIFO buffer. Steps of several threads have to do with each other
// where both access a cell of the memory, one of them to write it, and where the lock changes hands. That is
// more than there need be: a load counts as one from memory wherever its value comes from.
func (h *happening) before(g *happening) bool {
	if h.thread == g.thread {
		return h.flush == g.flush || h.strict || g.strict || g.flush && h.store && h.nth == g.nth
	}
	if h.lock || g.lock {
		return h.lock == g.lock || h.open || g.open
	}
	return slices.ContainsFunc(h.memory, func(a abstract.Access) bool {
		return slices.ContainsFunc(g.memory, func(b abstract.Access) bool { return a.Cell == b.Cell && (a.Store || b.Store) })
	})
}
