package symbolic

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// Large blocks. A step of a thread is, unless Options say otherwise, more than
// one event: a fence and what is computed after it, one access that others can
// see or influence, and what is local after that, up to the next such access.
// Control states within are not states of the System, and registers that are
// dead at all others have no bits.
//
// What may follow an access in its step is what the local-events-first reduction
// of package explore expands alone (thesis 4.1 and 4.3; the proof is there):
// computation, and accesses that no other thread sees or influences, none of
// which a property sees, in no cycle. A step is all or nothing, so in addition
// it must not get stuck half-way: the edges of a state in the middle are always
// enabled, or two checks of which one holds.
//
// What may precede it is a fence, and computation: they use and change nothing
// but registers, and nothing that other threads do, nor a flush of the thread's
// buffer, which is empty, disables them or changes what they do. So where they
// happen early in some run they can as well happen just before the access. (Not
// so a store: it could be flushed in between.) A thread that stays before the
// fence where it would otherwise be stuck behind it is in no other state as far
// as properties see, and is stuck likewise.
type blocks struct {
	cuts   []program.StateID // the control states that states have, ascending
	index  []int             // in cuts, by control state; or -1
	middle []bool            // may be in the middle of a step, after the access
	before []bool            // may be in the middle of a step, before the access
	fence  []bool            // has but a fence that may come before the access
	out    [][]int
	// slots numbers the choices to be made in a step from a control state.
	slots map[site]slot
}

// A site is where a choice is made in the step that begins at control state
// from: which edge to take from state, or the value of havoc number n of edge.
type site struct {
	from, state program.StateID
	edge, havoc int // -1 for the choice of an edge
}

// A slot is an input that makes a choice: one of n.
type slot struct{ index, n int }

// findBlocks finds the blocks of thread ti.
func (b *builder) findBlocks(ti int) blocks {
	t := b.p.Threads[ti]
	bl := blocks{
		index:  make([]int, len(t.States)),
		middle: make([]bool, len(t.States)),
		before: make([]bool, len(t.States)),
		fence:  make([]bool, len(t.States)),
		out:    t.Out(),
		slots:  map[site]slot{},
	}
	for q := range bl.index {
		bl.index[q] = -1
	}
	if !b.opts.SingleSteps {
		for q := range t.States {
			bl.middle[q] = b.isLocal(ti, bl.out[q])
		}
		flow.BreakCycles(t, bl.out, bl.middle)
		for q := range t.States {
			// No choices either: of two that a thread has behind a fence, one
			// may be a deadlock.
			bl.before[q] = bl.middle[q] && (len(bl.out[q]) == 1 || t.Edges[bl.out[q][0]].Cmd.Op == program.Check && !t.Edges[bl.out[q][0]].Cmd.IsSkip()) &&
				!slices.ContainsFunc(bl.out[q], func(e int) bool {
					op := t.Edges[e].Cmd.Op
					return op == program.Store || op == program.Load || op == program.Havoc
				})
			if out := bl.out[q]; len(out) == 1 {
				e := &t.Edges[out[0]]
				// Behind a fence a thread may be stuck, and it is not there yet.
				bl.fence[q] = b.buffered && e.Cmd.FullFence() && !b.seen.Edge(ti, e) && !b.deadlocks()
			}
		}
	}
	// The cuts are where steps end, beginning with the initial state.
	var reach func(q program.StateID)
	reach = func(q program.StateID) {
		if bl.index[q] >= 0 {
			return
		}
		bl.index[q] = 0
		for _, end := range b.ends(ti, &bl, q) {
			reach(end)
		}
	}
	reach(t.Initial)
	for q := range bl.index {
		if bl.index[q] >= 0 {
			bl.index[q] = len(bl.cuts)
			bl.cuts = append(bl.cuts, program.StateID(q))
		}
	}
	return bl
}

// starts is the control states from which the access of a step from q is made,
// and the states passed before, each after all that lead to it.
func (b *builder) starts(ti int, bl *blocks, q program.StateID) (starts, passed []program.StateID) {
	t := b.p.Threads[ti]
	if !bl.fence[q] {
		return []program.StateID{q}, nil
	}
	passed = bl.order(t, []program.StateID{t.Edges[bl.out[q][0]].To}, bl.before, &starts)
	return starts, passed
}

// ends is where steps from q may end.
func (b *builder) ends(ti int, bl *blocks, q program.StateID) []program.StateID {
	t := b.p.Threads[ti]
	starts, _ := b.starts(ti, bl, q)
	var ends, to []program.StateID
	for _, s := range starts {
		if len(bl.out[s]) == 0 {
			ends = append(ends, s)
		}
		for _, e := range bl.out[s] {
			if b.r.Reachable[ti][s] {
				to = append(to, t.Edges[e].To)
			}
		}
	}
	bl.order(t, to, bl.middle, &ends)
	return ends
}

// order is the states of the set pass that can be reached from roots through
// others of pass, each after all that lead to it. Where the walk leaves pass is
// appended to exits.
func (bl *blocks) order(t *program.Thread, roots []program.StateID, pass []bool, exits *[]program.StateID) []program.StateID {
	var order []program.StateID
	seen := map[program.StateID]bool{}
	var walk func(q program.StateID)
	walk = func(q program.StateID) {
		if seen[q] {
			return
		}
		seen[q] = true
		if !pass[q] {
			*exits = append(*exits, q)
			return
		}
		for _, e := range bl.out[q] {
			walk(t.Edges[e].To)
		}
		order = append(order, q)
	}
	for _, q := range roots {
		walk(q)
	}
	slices.Reverse(order)
	return order
}

// isLocal is true where a thread may be in the middle of a step.
func (b *builder) isLocal(ti int, out []int) bool {
	t := b.p.Threads[ti]
	if len(out) == 0 {
		return false
	}
	checks := 0
	for _, i := range out {
		e := &t.Edges[i]
		if b.seen.Edge(ti, e) {
			return false
		}
		c := &e.Cmd
		switch c.Op {
		case program.Assign, program.Havoc, program.Assert:
		case program.Check:
			if !c.IsSkip() {
				checks++
			}
		case program.Fence:
			if b.buffered && c.FullFence() {
				return false
			}
		case program.Load:
			if b.locks || slices.ContainsFunc(b.r.Access[c], func(cell int) bool { return b.sharedWriters(ti, cell) }) {
				return false
			}
		case program.Store:
			// Into the set of a partial coherence buffer is not local,
			// nor is it sure that the queue has room.
			if co, ok := b.Buffer.(abstract.Coherence); ok && co.K > 0 {
				return false
			}
			if !b.buffered && (b.locks || slices.ContainsFunc(b.r.Access[c], func(cell int) bool {
				return b.r.Private(cell) != ti || b.seen.Cells[cell]
			})) {
				return false
			}
		default:
			return false
		}
	}
	return checks == 0 || len(out) == 2 && checks == 2 && flow.Opposite(&t.Edges[out[0]].Cmd, &t.Edges[out[1]].Cmd)
}

// sharedWriters is true where a thread other than ti stores to the cell.
func (b *builder) sharedWriters(ti, cell int) bool {
	for u, w := range b.r.Writers[cell] {
		if w && u != ti {
			return true
		}
	}
	return false
}
