package certify

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Large steps. A step of a thread from a control state that is a cut ends at the next one.
// It is one access, and after it edges that leave states called middle. Where the
// cut has nothing but a full fence, that comes first, and then edges that leave states
// called before. No other thread comes between. That loses no violation, since every run is as good as one
// of large steps (Lipton, "Reduction"):
//
//   - What leaves a middle state can as well happen earlier, right after the access: it
//     computes; or loads from a cell that no other thread writes, what is in the
//     buffer of its own thread disregarded, which does not change what it loads; or
//     stores into the set of a buffer, which no one else sees, and after which a flush that
//     was possible before is still possible, with the same result; or, where there are no
//     buffers, stores to a cell that no other thread reads or writes and no property sees.
//     It is never stuck and does not go on for ever.
//   - What leaves a state called before, and the fence, can as well happen later, right
//     before the access: it computes, and the buffer stays empty until the access.
//   - Properties of moments see nothing of either.
//
// Which cells a thread reads and writes is what was noted of all steps.

// checkSteps checks what can be seen without making steps.
func (c *invariant) checkSteps() error {
	for ti, t := range c.p.Threads {
		if !c.cut[ti][t.Initial] {
			return fmt.Errorf("certificate: thread %s begins in the middle of a step", t.Name)
		}
		for q := range t.States {
			if !c.middle[ti][q] && !c.before[ti][q] {
				continue
			}
			for _, e := range c.m.out[ti][q] {
				if !c.large || !c.local(ti, &t.Edges[e], c.before[ti][q]) {
					return fmt.Errorf("certificate: control state %d of thread %s is not one that others need not see", q, t.Name)
				}
			}
		}
	}
	return nil
}

// local is whether an edge may come before the access, or only after it.
func (c *invariant) local(ti int, e *program.Edge, before bool) bool {
	if c.visible(ti, e) {
		return false
	}
	switch e.Cmd.Op {
	case program.Assign, program.Check, program.Assert:
		return true
	case program.Fence:
		return c.m.immediate || !e.Cmd.FullFence()
	case program.Havoc:
		return !before
	case program.Load:
		return !before && !c.locks
	case program.Store:
		return !before && (c.m.immediate && !c.locks || !c.m.immediate && c.m.queue == 0)
	}
	return false
}

// visible is whether a property of moments sees that the thread takes the edge.
func (c *invariant) visible(ti int, e *program.Edge) (seen bool) {
	for i := range c.p.Properties {
		if c.p.Properties[i].Kind != program.Forbid {
			continue
		}
		program.Walk(c.p.Properties[i].Cond, func(x program.Expr) {
			switch x := x.(type) {
			case program.At:
				seen = seen || x.Thread == ti && slices.Contains(x.States, e.From) != slices.Contains(x.States, e.To)
			case program.ThreadReg:
				e.Cmd.Writes(func(r int) { seen = seen || x.Thread == ti && x.Reg == r })
			}
		})
	}
	return seen
}

// step is a step of thread t.
func (c *invariant) step(t int) outcome {
	m, th := c.m, c.p.Threads[t]
	q := m.get(m.pc[t])
	out := m.out[t][q]
	choices := len(out)
	if len(m.pairs[t]) > 0 {
		choices++
	}
	if choices == 0 {
		return disabled
	}
	i := m.choose(choices)
	if i == len(out) {
		return m.flush(t)
	}
	if o := m.take(t, out[i], false); o != done {
		return o
	}
	first := &th.Edges[out[0]]
	at := func(set [][]bool) bool { return set[t][m.value[m.pc[t]]] }
	left := len(th.States) + 1 // no longer way has no cycle
	if c.large && !m.immediate && len(out) == 1 && first.Cmd.FullFence() && !c.visible(t, first) {
		for ; at(c.before) && left > 0; left-- {
			if o := c.pass(t, false); o != done {
				return o
			}
		}
		if len(m.out[t][m.value[m.pc[t]]]) > 0 {
			if o := c.pass(t, false); o != done {
				return o
			}
		}
	}
	for ; at(c.middle) && left > 0; left-- {
		if o := c.pass(t, true); o != done {
			return o
		}
	}
	if left == 0 && !m.dead {
		m.failure = fmt.Errorf("certificate: a step of thread %s goes on for ever", th.Name)
	}
	if !at(c.cut) {
		return stray
	}
	c.dead.reset(m, t)
	return done
}

// pass takes an edge on the way. In a middle state one must be enabled.
func (c *invariant) pass(t int, late bool) outcome {
	m := c.m
	out := m.out[t][m.value[m.pc[t]]]
	stuck := late
	for _, e := range out {
		cmd := &c.p.Threads[t].Edges[e].Cmd
		stuck = stuck && cmd.Op == program.Check && m.eval(t, cmd.Value) == 0
	}
	if stuck {
		return stray
	}
	return m.take(t, out[m.choose(len(out))], late)
}

// checkLate checks of the accesses that come after another one in a step that no other
// thread minds.
func (c *invariant) checkLate() error {
	for a := range c.late {
		others := func(threads map[int]bool) bool { return len(threads) > 1 || len(threads) == 1 && !threads[a.thread] }
		seen := false
		for i := range c.p.Properties {
			if pr := &c.p.Properties[i]; pr.Kind == program.Forbid {
				program.Walk(pr.Cond, func(x program.Expr) {
					mem, ok := x.(program.Mem)
					seen = seen || ok && mem.Addr == c.m.cells[a.cell].Addr
				})
			}
		}
		if others(c.writes[a.cell]) || a.write && (seen || others(c.reads[a.cell])) {
			return fmt.Errorf("certificate: another thread minds what thread %s does to %d in the middle of a step", c.p.Threads[a.thread].Name, c.m.cells[a.cell].Addr)
		}
	}
	return nil
}
