package explore

import "github.com/fencepost-verifier/fencepost/program"

// A reset is a value that is set to its initial value, being dead.
type reset struct {
	at    int // index into State.Vals
	value int64
}

// deadAfter lists what every edge leaves dead that was live before it, or that
// it has written; nothing where on is false.
func deadAfter(p *program.Program, keepFinal, on bool) [][][]reset {
	base := 0
	dead := make([][][]reset, len(p.Threads))
	for ti, t := range p.Threads {
		dead[ti] = make([][]reset, len(t.Edges))
		if !on {
			continue
		}
		live := program.Live(p, ti, keepFinal)
		for i := range t.Edges {
			e := &t.Edges[i]
			for r := range t.Regs {
				maybe := live[e.From].Has(r)
				e.Cmd.Writes(func(w int) { maybe = maybe || w == r })
				if maybe && !live[e.To].Has(r) {
					dead[ti][i] = append(dead[ti][i], reset{base + r, t.Regs[r].Init})
				}
			}
		}
		base += len(t.Regs)
	}
	return dead
}
