package flow

import "github.com/fencepost-verifier/fencepost/program"

// A Reset is a register that is set to its initial value, being dead.
type Reset struct {
	Reg int
	// At is the index of the register among those of all threads, one thread after
	// the other.
	At    int
	Value int64
}

// Dead lists, by thread and edge, what every edge leaves dead that was live before
// it, or that it has written. keepFinal is that of [Live].
func Dead(p *program.Program, keepFinal bool) [][][]Reset {
	base := 0
	dead := make([][][]Reset, len(p.Threads))
	for ti, t := range p.Threads {
		dead[ti] = make([][]Reset, len(t.Edges))
		live := Live(p, ti, keepFinal)
		for i := range t.Edges {
			e := &t.Edges[i]
			for r := range t.Regs {
				maybe := live[e.From].Has(r)
				e.Cmd.Writes(func(w int) { maybe = maybe || w == r })
				if maybe && !live[e.To].Has(r) {
					dead[ti][i] = append(dead[ti][i], Reset{r, base + r, t.Regs[r].Init})
				}
			}
		}
		base += len(t.Regs)
	}
	return dead
}

// NoneDead is [Dead] where registers keep their values.
func NoneDead(p *program.Program) [][][]Reset {
	dead := make([][][]Reset, len(p.Threads))
	for ti, t := range p.Threads {
		dead[ti] = make([][]Reset, len(t.Edges))
	}
	return dead
}
