package certify

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// newLive is, by thread, control state and register, whether somebody reads the register before it is
// written, or a property does.
func newLive(p *program.Program) (live [][][]bool) {
	for ti, t := range p.Threads {
		out := t.Out()
		sets := make([][]bool, len(t.States))
		for q := range sets {
			sets[q] = make([]bool, len(t.Regs))
			ends := len(out[q]) == 0 || t.States[q].Kind == program.Unstarted
			look := func(e program.Expr) {
				if r, ok := e.(program.ThreadReg); ok && r.Thread == ti {
					sets[q][r.Reg] = true
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
				e := &t.Edges[i]
				before := slices.Clone(sets[e.To])
				e.Cmd.Writes(func(r int) { before[r] = false })
				e.Cmd.Reads(func(r int) { before[r] = true })
				for r, is := range before {
					if is && !sets[e.From][r] {
						sets[e.From][r], changed = true, true
					}
				}
			}
		}
		live = append(live, sets)
	}
	return live
}

// forget gives the registers of thread t that are not live where it is their initial values, so that states that differ in
// nothing else are one.
func (m *machine) forget(t int) {
	l := m.local(t)
	for r, reg := range m.p.Threads[t].Regs {
		if !m.live[t][l.pc][r] {
			l.regs[r] = reg.Init
		}
	}
}
