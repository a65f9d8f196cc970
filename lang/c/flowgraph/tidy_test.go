package flowgraph

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestTidy: a graph that has been tidied does to memory what it did before, in all runs, and no more.
func TestTidy(t *testing.T) {
	changed, graphs := 0, 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 29))
		g := tidying(rng)
		want, ok := histories(g)
		if !ok {
			continue
		}
		graphs++
		before, edges := fmt.Sprint(g.Edges), len(g.Edges)
		g.Tidy()
		if len(g.Edges) < edges {
			changed++
		}
		if got, ok := histories(g); ok && !maps.Equal(got, want) {
			less := slices.DeleteFunc(slices.Collect(maps.Keys(want)), func(s string) bool { return got[s] })
			more := slices.DeleteFunc(slices.Collect(maps.Keys(got)), func(s string) bool { return want[s] })
			t.Fatalf("seed %d: without %v, and with %v\n%s\n%v", seed, less, more, before, g.Edges)
		}
	}
	if t.Logf("%d of %d become smaller", changed, graphs); changed < graphs/2 {
		t.Error("these are too few")
	}
}

// tidying is a graph that chooses, computes and compares, and loads and stores.
func tidying(rng *rand.Rand) *Graph {
	g := &Graph{GaveUp: -1, Result: -1}
	types := []program.Type{program.Int32Type, program.Int32Type, {Bits: 8, Signed: true}, {Bits: 8}, program.BoolType, program.Int64Type}
	for i := range 2 + rng.IntN(3) {
		g.Regs = append(g.Regs, program.Register{Name: fmt.Sprintf("r%d", i), Type: types[rng.IntN(len(types))]})
	}
	var pos program.Position
	nodes := 5 + rng.IntN(9)
	for range nodes {
		g.Node(pos)
	}
	g.End = nodes - 1
	last := 0 // the register that has been written last is read more often
	reg := func() int {
		if rng.IntN(3) == 0 {
			return last
		}
		return rng.IntN(len(g.Regs))
	}
	number := func() program.Expr {
		switch rng.IntN(12) {
		case 0:
			return program.Const([]int64{127, 128, 255, 256, -128, -129, -1}[rng.IntN(7)])
		}
		return program.Const(rng.Int64N(9) - 3)
	}
	var term func(depth int) program.Expr
	term = func(depth int) program.Expr {
		if depth == 0 || rng.IntN(3) == 0 {
			if rng.IntN(3) == 0 {
				return number()
			}
			return program.Reg(reg())
		}
		switch rng.IntN(8) {
		case 0:
			return program.Unary{Op: []program.UnaryOp{program.Neg, program.LogicalNot, program.Cast(types[rng.IntN(5)])}[rng.IntN(3)], X: term(depth - 1)}
		case 1:
			return bin([]program.BinaryOp{program.Div, program.Rem, program.URem}[rng.IntN(3)], term(depth-1), program.Const(1+rng.Int64N(5)))
		case 2:
			return bin([]program.BinaryOp{program.BitAnd, program.BitOr, program.BitXor}[rng.IntN(3)], term(depth-1), program.Const([]int64{1, 3, 7, 5, 2}[rng.IntN(5)]))
		}
		return bin([]program.BinaryOp{program.Add, program.Sub, program.Mul, program.Eq, program.Lt, program.Le, program.Ne, program.ULt, program.LogicalAnd, program.LogicalOr}[rng.IntN(10)], term(depth-1), term(depth-1))
	}
	cond := func() program.Expr {
		if rng.IntN(4) == 0 {
			return term(2)
		}
		x, y := program.Expr(program.Reg(reg())), number()
		if rng.IntN(6) == 0 {
			x = bin(program.BitAnd, x, program.Const([]int64{1, 3, 7, 15, 5}[rng.IntN(5)]))
		}
		if rng.IntN(4) == 0 {
			x, y = y, x
		}
		return bin([]program.BinaryOp{program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge}[rng.IntN(6)], x, y)
	}
	tags := program.NewTags(AccessTag + program.Int32Type.String())
	store := func() program.Command {
		return program.Command{Op: program.Store, Addr: program.Const(64 + 4*rng.Int64N(2)), Value: term(1), Tags: tags}
	}
	load := func() program.Command {
		return program.Command{Op: program.Load, Addr: program.Const(64 + 4*rng.Int64N(2)), Reg: reg(), Tags: tags}
	}
	assign := func() program.Command {
		r := program.Reg(reg())
		last = rng.IntN(len(g.Regs))
		switch rng.IntN(4) {
		case 0:
			return program.Command{Op: program.Assign, Reg: last, Value: r}
		case 1:
			return program.Command{Op: program.Assign, Reg: last, Value: number()}
		}
		return program.Command{Op: program.Assign, Reg: last, Value: term(2)}
	}
	for q := range nodes - 1 {
		to := func() int {
			switch rng.IntN(8) {
			case 0:
				return rng.IntN(nodes)
			case 1, 2:
				return q + 1 + rng.IntN(nodes-1-q)
			}
			return q + 1
		}
		switch rng.IntN(12) {
		case 0, 1:
			r := reg()
			last = r
			w := g.Regs[r].Type
			lo := min(w.Max(), max(w.Min(), rng.Int64N(30)-20))
			g.Add(q, to(), program.Command{Op: program.Havoc, Reg: r, Lo: lo, Hi: min(w.Max(), lo+rng.Int64N(40))}, pos)
		case 2, 3:
			g.Add(q, to(), store(), pos)
		case 4:
			g.Add(q, to(), load(), pos)
		case 5, 6:
			g.Add(q, to(), assign(), pos)
		case 7:
			g.Add(q, to(), program.Command{Op: program.Assert, Value: cond()}, pos)
		case 8:
			if rng.IntN(2) == 0 {
				g.Add(q, to(), program.Command{Op: program.Atomic, Body: []program.Command{load(), assign(), store()}}, pos)
				break
			}
			g.Add(q, to(), program.Command{Op: program.Assign, Reg: reg(), Value: number()}, pos)
		case 9: // several ways
			e := cond()
			g.Add(q, to(), program.Command{Op: program.Check, Value: e}, pos)
			g.Add(q, to(), program.Command{Op: program.Check, Value: cond()}, pos)
			g.Add(q, to(), program.Command{Op: program.Check, Value: program.NotExpr(e)}, pos)
		default:
			e := cond()
			g.Add(q, to(), program.Command{Op: program.Check, Value: e}, pos)
			g.Add(q, to(), program.Command{Op: program.Check, Value: program.NotExpr(e)}, pos)
		}
	}
	g.Prune()
	return g
}

// histories is what a graph does to memory in its runs, as far as its first accesses and assertions go; false where it takes long to find out.
func histories(g *Graph) (map[string]bool, bool) {
	type state struct {
		q       int
		regs    [8]int64
		mem     [2]int64
		events  int
		history string
	}
	out := g.Out()
	found := map[string]bool{}
	first := state{q: g.Start, mem: [2]int64{0, 5}}
	for r := range g.Regs {
		first.regs[r] = g.Regs[r].Init
	}
	seen := map[state]bool{first: true}
	for work := []state{first}; len(work) > 0; {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if len(seen) > 30000 {
			return nil, false
		}
		if s.events == 4 {
			found[s.history] = true
			continue
		}
		if s.q == g.End {
			found[s.history+" ends"] = true
		}
		enabled := false
		for _, i := range out[s.q] {
			next := []state{s}
			next[0].q = g.Edges[i].To
			var do func(c *program.Command)
			do = func(c *program.Command) {
				n := &next[0]
				env := &program.Env{Reg: func(r program.Reg) int64 { return n.regs[r] }}
				set := func(r int, v int64) { n.regs[r] = g.Regs[r].Type.Wrap(v) }
				cell := func() int64 { return (int64(c.Addr.(program.Const)) - 64) / 4 }
				switch c.Op {
				case program.Havoc:
					one := *n
					next = nil
					for v := c.Lo; v <= c.Hi; v++ {
						one.regs[c.Reg] = g.Regs[c.Reg].Type.Wrap(v)
						next = append(next, one)
					}
				case program.Assign:
					set(c.Reg, program.Eval(c.Value, env))
				case program.Check:
					if program.Eval(c.Value, env) == 0 {
						next = nil
					}
				case program.Assert:
					if program.Eval(c.Value, env) == 0 {
						found[n.history+" fails"] = true
						next = nil
						enabled = true
					}
				case program.Load:
					set(c.Reg, n.mem[cell()])
				case program.Store:
					v := program.Int32Type.Wrap(program.Eval(c.Value, env))
					n.mem[cell()] = v
					n.events++
					n.history += fmt.Sprintf(" %d:=%d", cell(), v)
				case program.Atomic:
					for k := range c.Body {
						do(&c.Body[k])
					}
				}
			}
			do(&g.Edges[i].Cmd)
			enabled = enabled || len(next) > 0
			for _, n := range next {
				for r := range n.regs[len(g.Regs):] {
					n.regs[len(g.Regs)+r] = 0
				}
				if !seen[n] {
					seen[n] = true
					work = append(work, n)
				}
			}
		}
		if !enabled && s.q != g.End {
			found[s.history+" is stuck"] = true
		}
	}
	return found, true
}
