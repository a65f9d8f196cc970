package certify

import "github.com/fencepost-verifier/fencepost/program"

// judge is a step of nobody, which fails where the state violates a property. What happens to a store that is late is none
// of the states that it speaks of.
func (m *machine) judge(pr *program.Property) outcome {
	m.local(0) // something is always looked at
	switch {
	case m.late != nil && m.late.phase() != calm:
	case pr.Kind == program.Forbid && m.condition(pr.Cond) != 0,
		pr.Kind == program.Deadlock && m.stuck(),
		pr.Final() && m.final() && (m.p.Filter == nil || m.condition(m.p.Filter) != 0) && pr.Violated(m.condition(pr.Cond)):
		return failed
	}
	return disabled
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
		q := program.StateID(l.pc)
		ends := len(m.out[t][q]) == 0 && th.States[q].Kind != program.GivenUp
		if th.States[q].Kind == program.Unstarted {
			ends = m.get(m.cell(th.StartCell(q))) == 0
		}
		if !ends || len(l.buffer) > 0 {
			return false
		}
	}
	return true
}

// stuck is whether there is no step, of a state that is no end, if blocks choose as they do.
func (m *machine) stuck() bool {
	for t, th := range m.p.Threads {
		l := m.local(t)
		if th.States[l.pc].Kind == program.GivenUp || len(l.buffer) > 0 && m.free(t) {
			return false
		}
		for _, e := range m.out[t][l.pc] {
			if m.take(t, e) != disabled {
				return false
			}
			m.start() // what was done is taken back, but not what was chosen
			for place, known := range m.known {
				if known {
					m.load(place)
				}
			}
		}
	}
	return !m.final()
}
