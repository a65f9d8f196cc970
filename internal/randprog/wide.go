package randprog

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Widen makes some accesses of p, which [New] has made for x86, reach two or three cells in one instruction, and returns whether
// there are such accesses. Between the parts of some something is assigned.
func Widen(rng *rand.Rand, p *program.Program) bool {
	var cells []int64
	for _, c := range p.Memory {
		starts := slices.ContainsFunc(p.Threads, func(t *program.Thread) bool {
			return t.States[t.Initial].Kind == program.Unstarted && t.StartCell(t.Initial) == c.Addr
		})
		if !starts {
			cells = append(cells, c.Addr)
		}
	}
	found := false
	for _, t := range p.Threads {
		for i := range len(t.Edges) {
			c := t.Edges[i].Cmd
			switch {
			case rng.IntN(2) == 0:
			case c.Op == program.Load || c.Op == program.Store:
				if others := besides(c.Addr, cells); len(others) > 0 {
					splice(t, i, parts(rng, t, c, others))
					found = true
				}
			case c.Op == program.Atomic && len(c.Body) == 2 && c.Body[0].Op == program.Load && c.Body[1].Op == program.Store:
				if others := besides(c.Body[0].Addr, cells); len(others) > 0 {
					l, s := c.Body[0], c.Body[1]
					l.Addr, l.Part = others[0], true
					s.Addr, s.Part = others[0], true
					t.Edges[i].Cmd.Body = []program.Command{c.Body[0], l, c.Body[1], s}
				}
			}
		}
	}
	return found
}

// parts is what comes with c, an access of thread t, for it to reach some of the other cells as well.
func parts(rng *rand.Rand, t *program.Thread, c program.Command, others []program.Expr) (more []program.Command) {
	rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	for _, a := range others[:1+rng.IntN(min(2, len(others)))] {
		if rng.IntN(8) == 0 {
			more = append(more, program.Command{Op: program.Assign, Reg: rng.IntN(len(t.Regs)), Value: program.Reg(rng.IntN(len(t.Regs)))})
		}
		part := c
		part.Addr, part.Part = a, true
		if c.Op == program.Load {
			part.Reg = rng.IntN(len(t.Regs))
		}
		more = append(more, part)
	}
	return more
}

// splice puts commands behind that of edge i.
func splice(t *program.Thread, i int, more []program.Command) {
	to := t.Edges[i].To
	for k, c := range more {
		q := program.StateID(len(t.States))
		t.States = append(t.States, program.State{Name: fmt.Sprintf("q%d", q)})
		if k == 0 {
			t.Edges[i].To = q
		} else {
			t.Edges[len(t.Edges)-1].To = q
		}
		t.Edges = append(t.Edges, program.Edge{From: q, To: to, Cmd: c})
	}
}

// besides is addresses of cells that an access there does not reach.
func besides(addr program.Expr, cells []int64) (others []program.Expr) {
	var taken []int64
	switch a := addr.(type) {
	case program.Const:
		taken = []int64{int64(a)}
	case program.Binary: // one of two
		base, ok := a.X.(program.Const)
		if !ok {
			return nil
		}
		taken = []int64{int64(base), int64(base) + 1}
		others = append(others, program.Binary{Op: program.Add, X: base, Y: program.Binary{Op: program.BitXor, X: a.Y, Y: program.Const(1)}})
	default:
		return nil
	}
	for _, c := range cells {
		if !slices.Contains(taken, c) {
			others = append(others, program.Const(c))
		}
	}
	return others
}
