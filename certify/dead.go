package certify

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// dead is, by thread, control state and register, whether nobody reads the register before it is
// written, no property either. Where a thread comes to such a state the register gets its initial
// value, so that states that differ in nothing else are one.
type dead [][][]bool

func newDead(p *program.Program) (d dead) {
	for ti, t := range p.Threads {
		out := t.Out()
		sets := make([][]bool, len(t.States))
		for q := range sets {
			sets[q] = slices.Repeat([]bool{true}, len(t.Regs))
			ends := len(out[q]) == 0 || t.States[q].Kind == program.Unstarted
			look := func(e program.Expr) {
				if r, ok := e.(program.ThreadReg); ok && r.Thread == ti {
					sets[q][r.Reg] = false
				}
			}
			for i := range p.Properties {
				if pr := &p.Properties[i]; !pr.Final() || ends {
					program.Walk(pr.Cond, look)
				}
			}
			if ends {
				program.Walk(p.Filter, look)
			}
		}
		for changed := true; changed; {
			changed = false
			for i := range t.Edges {
				e, from := &t.Edges[i], sets[t.Edges[i].From]
				read, written := make([]bool, len(t.Regs)), make([]bool, len(t.Regs))
				e.Cmd.Reads(func(r int) { read[r] = true })
				e.Cmd.Writes(func(r int) { written[r] = true })
				for r := range from {
					if from[r] && (read[r] || !written[r] && !sets[e.To][r]) {
						from[r], changed = false, true
					}
				}
			}
		}
		d = append(d, sets)
	}
	return d
}

// reset gives the dead registers of thread t, where it is, their initial values.
func (d dead) reset(m *machine, t int) {
	q := m.value[m.pc[t]]
	for r, x := range m.reg[t] {
		if d[t][q][r] {
			m.set(x, m.p.Threads[t].Regs[r].Init)
		}
	}
}
