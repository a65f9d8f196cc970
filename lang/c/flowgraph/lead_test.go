package flowgraph

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestLead: who is led past tests comes to the end with the same values.
func TestLead(t *testing.T) {
	led := 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		g := choosing(rng)
		want := ends(g)
		before := fmt.Sprint(g.Edges)
		if g.lead(); fmt.Sprint(g.Edges) != before {
			led++
		}
		if got := ends(g); !maps.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v\n%s\n%v", seed, got, want, before, g.Edges)
		}
	}
	if t.Logf("%d of 4000 have some", led); led < 300 {
		t.Error("that is too few")
	}
}

// choosing is a graph whose registers 0 and 1 hold choices, and 2 and 3 what they are set to.
func choosing(rng *rand.Rand) *Graph {
	g := &Graph{GaveUp: -1, Result: -1}
	for i := range 4 {
		g.Regs = append(g.Regs, program.Register{Name: fmt.Sprintf("r%d", i), Type: program.Int32Type})
	}
	var pos program.Position
	nodes := 5 + rng.IntN(6)
	for range nodes {
		g.Node(pos)
	}
	g.End = nodes - 1
	for q := range nodes - 1 {
		to := func() int {
			if q == nodes-2 || rng.IntN(5) > 0 {
				return q + 1 + rng.IntN(nodes-1-q)
			}
			return rng.IntN(nodes)
		}
		switch rng.IntN(5) {
		case 0:
			lo := rng.Int64N(5) - 2
			g.Add(q, to(), program.Command{Op: program.Havoc, Reg: rng.IntN(2), Lo: lo, Hi: lo + rng.Int64N(4)}, pos)
		case 1:
			g.Add(q, to(), program.Command{Op: program.Assign, Reg: 2 + rng.IntN(2), Value: program.Const(rng.Int64N(3))}, pos)
		default:
			ops := []program.BinaryOp{program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge}
			e := program.Expr(program.Binary{Op: ops[rng.IntN(len(ops))], X: program.Reg(rng.IntN(3)), Y: program.Const(rng.Int64N(5) - 2)})
			g.Add(q, to(), program.Command{Op: program.Check, Value: e}, pos)
			if rng.IntN(8) > 0 {
				g.Add(q, to(), program.Command{Op: program.Check, Value: program.NotExpr(e)}, pos)
			}
		}
	}
	g.Prune()
	return g
}

// ends are the values with which a graph comes to its end.
func ends(g *Graph) map[[4]int64]bool {
	type state struct {
		q    int
		regs [4]int64
	}
	out := g.Out()
	found := map[[4]int64]bool{}
	seen := map[state]bool{{q: g.Start}: true}
	for work := []state{{q: g.Start}}; len(work) > 0; {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if s.q == g.End {
			found[s.regs] = true
		}
		for _, i := range out[s.q] {
			c := &g.Edges[i].Cmd
			value := func() int64 {
				return program.Eval(c.Value, &program.Env{Reg: func(r program.Reg) int64 { return s.regs[r] }})
			}
			next := []state{{g.Edges[i].To, s.regs}}
			switch c.Op {
			case program.Havoc:
				next = nil
				for v := c.Lo; v <= c.Hi; v++ {
					n := state{g.Edges[i].To, s.regs}
					n.regs[c.Reg] = v
					next = append(next, n)
				}
			case program.Assign:
				next[0].regs[c.Reg] = value()
			case program.Check:
				if value() == 0 {
					next = nil
				}
			}
			for _, n := range next {
				if !seen[n] {
					seen[n] = true
					work = append(work, n)
				}
			}
		}
	}
	return found
}
