package lowered

import "github.com/fencepost-verifier/fencepost/lang/c/flowgraph"

// ForeseenTag marks the loads by main, while other threads may run, on which guesses rest.
const ForeseenTag = flowgraph.AccessTag + "foreseen"

// changedBeside is whether other threads may store to what main is compared to read while they run.
func (g *guarding) changedBeside() bool {
	changed := false
	for i := range g.p.Threads[0].Edges {
		e := &g.p.Threads[0].Edges[i]
		if !g.r.Reachable[0][e.From] || !e.Cmd.Tags.Has(ForeseenTag) {
			continue
		}
		for _, cell := range g.r.Access[&e.Cmd] {
			for ti := range g.p.Threads {
				changed = changed || ti > 0 && g.r.Writers[cell][ti]
			}
		}
	}
	return changed
}
