package certify

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// newLive is, by thread, control state and register, whether somebody reads the register before it is
// written, or a property does.
func newLive(p *program.Program) (live [][][]bool) {
	for ti, t := range p.Threads {
		out, sets := t.Out(), make([][]bool, len(t.States))
		for q := range sets {
			sets[q] = make([]bool, len(t.Regs))
			look := func(e program.Expr) {
				if r, ok := e.(program.ThreadReg); ok && r.Thread == ti {
					sets[q][r.Reg] = true
				}
			}
			ends := len(out[q]) == 0 || t.States[q].Kind == program.Unstarted
			for i := range p.Properties {
				if pr := &p.Properties[i]; ends || !pr.Final() {
					program.Walk(pr.Cond, look)
				}
			}
			if ends {
				program.Walk(p.Filter, look)
			}
		}
		for changed := true; changed; {
			changed = false
			for _, e := range t.Edges {
				before := slices.Clone(sets[e.To])
				e.Cmd.Writes(func(r int) { before[r] = false })
				e.Cmd.Reads(func(r int) { before[r] = true })
				for r, is := range before {
					changed = changed || is && !sets[e.From][r]
					sets[e.From][r] = is || sets[e.From][r]
				}
			}
		}
		live = append(live, sets)
	}
	return live
}
