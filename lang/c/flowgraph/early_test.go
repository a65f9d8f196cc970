package flowgraph

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestEarly: whoever begins a thread has the same in memory by then, whether choices are compared as they are stored or as they were chosen, and what
// has been freed is accessed in the same runs.
func TestEarly(t *testing.T) {
	changed := 0
	for seed := range uint64(12000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		g := storing(rng)
		want := begun(g)
		before := fmt.Sprint(g.Edges)
		cells := [2]program.Cell{{Addr: 64, Type: program.Int32Type}, {Addr: 68, Type: program.Int32Type}}
		x := &Early{
			G:      g,
			Begins: begins,
			Cell: func(c *program.Command) *program.Cell {
				if a := int64(c.Addr.(program.Const)); a == 64 || a == 68 {
					return &cells[(a-64)/4]
				}
				return nil
			},
			Frees: func(c *program.Command) bool { return c.Tags.Has(FreeTag) },
			Freed: func(c *program.Cell) bool { return c.Addr == 68 },
			Wide:  func(c *program.Command) bool { return c.Op == program.Havoc },
		}
		free := x.wide()
		did := x.forward(free)
		did = x.sink(free) || did
		if did = x.drop(free) || did; did {
			changed++
		}
		if got := begun(g); !maps.Equal(got, want) {
			t.Fatalf("seed %d: %v, want %v\n%s\n%v", seed, got, want, before, g.Edges)
		}
	}
	if t.Logf("%d of 12000 change", changed); changed < 1000 {
		t.Error("these are too few")
	}
}

func begins(c *program.Command) bool { return c.Op == program.Atomic }

// storing is a graph that chooses, stores, loads and compares, frees what is at 68, and begins threads, which an atomic store to 72 does.
func storing(rng *rand.Rand) *Graph {
	g := &Graph{GaveUp: -1, Result: -1}
	for i := range 4 {
		g.Regs = append(g.Regs, program.Register{Name: fmt.Sprintf("r%d", i), Type: program.Int32Type})
	}
	var pos program.Position
	nodes := 6 + rng.IntN(8)
	for range nodes {
		g.Node(pos)
	}
	g.End = nodes - 1
	tags := program.NewTags(AccessTag + program.Int32Type.String())
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
		cell := program.Const(64 + 4*rng.Int64N(2))
		switch rng.IntN(10) {
		case 0, 9:
			lo := rng.Int64N(3) - 1
			g.Add(q, to(), program.Command{Op: program.Havoc, Reg: rng.IntN(2), Lo: lo, Hi: lo + rng.Int64N(3)}, pos)
		case 1, 2, 3:
			var v program.Expr = program.Reg(rng.IntN(2))
			if rng.IntN(3) == 0 {
				v = program.Const(rng.Int64N(3))
			}
			g.Add(q, to(), program.Command{Op: program.Store, Addr: cell, Value: v, Tags: tags}, pos)
		case 4, 5:
			g.Add(q, to(), program.Command{Op: program.Load, Addr: cell, Reg: 2 + rng.IntN(2), Tags: tags}, pos)
		case 6:
			if rng.IntN(4) == 0 {
				g.Add(q, to(), program.Command{Op: program.Load, Addr: program.Const(68), Reg: 3, Tags: program.NewTags(FreeTag)}, pos)
				break
			}
			if rng.IntN(3) == 0 {
				g.Add(q, to(), program.Command{Op: program.Assign, Reg: 3, Value: program.Reg(rng.IntN(3))}, pos)
				break
			}
			g.Add(q, to(), program.Command{Op: program.Atomic, Body: []program.Command{{Op: program.Store, Addr: program.Const(72), Value: program.Const(1), Tags: tags}}}, pos)
		default:
			e := program.Expr(program.Binary{Op: program.Lt, X: program.Reg(rng.IntN(4)), Y: program.Const(rng.Int64N(4) - 1)})
			g.Add(q, to(), program.Command{Op: program.Check, Value: e}, pos)
			g.Add(q, to(), program.Command{Op: program.Check, Value: program.NotExpr(e)}, pos)
		}
	}
	g.Prune()
	return g
}

// begun is the registers and the memory with which a graph begins a thread, or stores afterwards, and those with which it ends, but for memory
// that no other thread can look at. A run ends at an access to what has been freed.
func begun(g *Graph) map[string]bool {
	type state struct {
		q     int
		regs  [4]int64
		mem   [2]int64
		begun bool
		freed bool
	}
	out := g.Out()
	found := map[string]bool{}
	first := state{q: g.Start}
	seen := map[state]bool{first: true}
	for work := []state{first}; len(work) > 0; {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if s.q == g.End {
			mem := s.mem
			if !s.begun {
				mem = [2]int64{}
			}
			found[fmt.Sprint("ends ", s.regs, s.begun, mem)] = true
		}
		for _, i := range out[s.q] {
			c := &g.Edges[i].Cmd
			value := func() int64 {
				return program.Eval(c.Value, &program.Env{Reg: func(r program.Reg) int64 { return s.regs[r] }})
			}
			n := s
			n.q = g.Edges[i].To
			next := []state{n}
			if s.freed && c.Addr == program.Const(68) {
				found[fmt.Sprint("fails ", s.regs, s.begun)] = true
				continue
			}
			switch c.Op {
			case program.Havoc:
				next = nil
				for v := c.Lo; v <= c.Hi; v++ {
					n.regs[c.Reg] = v
					next = append(next, n)
				}
			case program.Assign:
				next[0].regs[c.Reg] = value()
			case program.Check:
				if value() == 0 {
					next = nil
				}
			case program.Load:
				if c.Tags.Has(FreeTag) {
					next[0].freed = true
					break
				}
				next[0].regs[c.Reg] = s.mem[(c.Addr.(program.Const)-64)/4]
			case program.Store:
				next[0].mem[(c.Addr.(program.Const)-64)/4] = value()
				if s.begun {
					found[fmt.Sprint("stores ", s.regs, next[0].mem)] = true
				}
			case program.Atomic:
				next[0].begun = true
				found[fmt.Sprint("begins ", s.regs, s.mem)] = true
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
