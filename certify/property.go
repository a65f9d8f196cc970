package certify

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// violates is whether the state violates a property.
func (m *machine) violates(pr *program.Property) bool {
	switch pr.Kind {
	case program.Forbid:
		return m.condition(pr.Cond) != 0
	case program.Deadlock:
		return m.stuck()
	}
	return m.final() && (m.p.Filter == nil || m.condition(m.p.Filter) != 0) && pr.Violated(m.condition(pr.Cond))
}

// condition is an expression over the state. What it does not depend on is not looked at.
func (m *machine) condition(e program.Expr) int64 {
	if b, ok := e.(program.Binary); ok && (b.Op == program.LogicalAnd || b.Op == program.LogicalOr) {
		if x := m.condition(b.X) != 0; x == (b.Op == program.LogicalOr) {
			return program.Bool(x)
		}
		return program.Bool(m.condition(b.Y) != 0)
	}
	return program.Eval(e, &program.Env{
		Mem:       func(addr int64) int64 { return m.get(m.cell(addr)) },
		ThreadReg: func(t, r int) int64 { return m.local(t).regs[r] },
		At:        func(t int) program.StateID { return program.StateID(m.local(t).pc) },
	})
}

// final is whether all threads are at their ends and all buffers are empty.
func (m *machine) final() bool {
	for t, th := range m.p.Threads {
		l := m.local(t)
		switch q := program.StateID(l.pc); th.States[q].Kind {
		case program.Unstarted:
			if m.get(m.cell(th.StartCell(q))) != 0 {
				return false
			}
		case program.GivenUp:
			return false
		default:
			if len(m.out[t][q]) > 0 {
				return false
			}
		}
		if len(l.buffer) > 0 {
			return false
		}
	}
	return true
}

// stuck is whether there is no step, of a state that is no end. What is tried is taken back.
// An atomic block with a free choice in it may be stuck, whatever was chosen.
func (m *machine) stuck() bool {
	for t, th := range m.p.Threads {
		l := m.local(t)
		if th.States[l.pc].Kind == program.GivenUp || len(l.buffer) > 0 && m.free(t) {
			return false
		}
		for _, e := range m.out[t][l.pc] {
			c := &th.Edges[e].Cmd
			if c.Op == program.Havoc {
				return false
			}
			if slices.ContainsFunc(c.Body, func(c program.Command) bool { return c.Op == program.Havoc }) {
				continue
			}
			before := m.numbers(nil)
			o := m.take(t, e)
			m.put(before)
			for place, known := range m.known {
				if known {
					m.load(place)
				}
			}
			if o != disabled {
				return false
			}
		}
	}
	return !m.final()
}
