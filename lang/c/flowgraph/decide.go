package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// decide lets an assignment of a constant lead past the tests that it decides: to where the
// loop ends, or begins again, that a compare-and-swap is the condition of.
func (g *Graph) decide() {
	const far = 16 // steps to look ahead
	live := g.Live()
	out := g.Out()
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Op != nil || e.Cmd.Op != program.Assign {
			continue
		}
		k, ok := e.Cmd.Value.(program.Const)
		if !ok {
			continue
		}
		value := g.Regs[e.Cmd.Reg].Type.Wrap(int64(k))
		known := map[int]int64{e.Cmd.Reg: value}
		tested := false
		for q, n := e.To, 0; n < far; n++ {
			next := g.decided(q, out[q], known)
			if next < 0 {
				break
			}
			tested = tested || g.Edges[next].Cmd.Op == program.Check && !g.Edges[next].Cmd.IsSkip()
			q = g.Edges[next].To
			lost := false
			for r, v := range known {
				lost = lost || live[q].Has(r) && (r != e.Cmd.Reg || v != value)
			}
			if tested && !lost {
				e.To = q
			}
		}
	}
	g.Prune()
}

// decided is the edge that leaves q where the known registers have these values, which are
// those after it then; -1 where it is not known which one does.
func (g *Graph) decided(q int, out []int, known map[int]int64) int {
	if g.marked(q) {
		return -1
	}
	next := -1
	for _, i := range out {
		c := &g.Edges[i].Cmd
		if g.Edges[i].Op != nil || c.Op != program.Check && (c.Op != program.Assign || len(out) > 1) {
			return -1
		}
		sure := true
		program.Walk(c.Value, func(x program.Expr) {
			if r, ok := x.(program.Reg); ok {
				_, there := known[int(r)]
				sure = sure && there
			}
		})
		if !sure {
			return -1
		}
		v := program.Eval(c.Value, &program.Env{Reg: func(r program.Reg) int64 { return known[int(r)] }})
		switch {
		case c.Op == program.Assign:
			known[c.Reg] = g.Regs[c.Reg].Type.Wrap(v)
		case v == 0:
			continue
		case next >= 0:
			return -1
		}
		next = i
	}
	return next
}
