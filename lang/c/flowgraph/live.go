package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// Reads calls f for every register that an edge reads before it writes it.
func (e *Edge) Reads(f func(int)) {
	if e.Op == nil {
		e.Cmd.Reads(f)
		return
	}
	for _, x := range e.Op.Operands() {
		program.Walk(x, func(x program.Expr) {
			if r, ok := x.(program.Reg); ok {
				f(int(r))
			}
		})
	}
}

// Writes calls f for every register that an edge writes.
func (e *Edge) Writes(f func(int)) {
	if e.Op == nil {
		e.Cmd.Writes(f)
	} else if r := e.Op.Writes(); r >= 0 {
		f(r)
	}
}

// Live is, for every node, the registers that may still be read.
func (g *Graph) Live() []program.RegSet {
	in := make([][]int, len(g.Nodes))
	for i := range g.Edges {
		in[g.Edges[i].To] = append(in[g.Edges[i].To], i)
	}
	live := make([]program.RegSet, len(g.Nodes))
	for q := range live {
		live[q] = program.NewRegSet(len(g.Regs))
	}
	if g.End >= 0 && g.Result >= 0 {
		live[g.End].Add(g.Result)
	}
	work := make([]int, 0, len(g.Nodes))
	queued := make([]bool, len(g.Nodes))
	for q := range g.Nodes {
		work = append(work, q)
		queued[q] = true
	}
	set := program.NewRegSet(len(g.Regs))
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		queued[q] = false
		for _, i := range in[q] {
			e := &g.Edges[i]
			copy(set, live[q])
			e.Writes(set.Remove)
			e.Reads(set.Add)
			changed := false
			for w := range set {
				if set[w]&^live[e.From][w] != 0 {
					live[e.From][w] |= set[w]
					changed = true
				}
			}
			if changed && !queued[e.From] {
				queued[e.From] = true
				work = append(work, e.From)
			}
		}
	}
	return live
}
