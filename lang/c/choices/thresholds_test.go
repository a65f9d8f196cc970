package choices

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestThresholds: threads that choose a number and compute with it take the same way for all numbers between two thresholds.
func TestThresholds(t *testing.T) {
	const hi = 400
	told := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 17))
		p := choosing(rng, hi)
		if err := program.Sanity(p); err != nil {
			t.Fatal(err)
		}
		r, err := program.AnalyseContext(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		x := foreseer{r: r, t: p.Threads[0]}
		follows := x.states()[1][0]
		if follows.all {
			continue
		}
		if len(follows.at) > 0 {
			told++
		}
		var before string
		for v := range int64(hi + 1) {
			way := wayOf(p.Threads[0], v)
			if v > 0 && way != before && !slices.Contains(follows.at, v) {
				var b strings.Builder
				_ = program.Print(&b, p)
				t.Fatalf("seed %d: %d goes another way than %d, and the thresholds are %d: %s, %s\n%s", seed, v, v-1, follows.at, way, before, &b)
			}
			before = way
		}
	}
	if t.Logf("%d of 3000 have some", told); told < 500 {
		t.Error("that is too few")
	}
}

// choosing is a program of one thread that chooses one of 0..hi, and goes on with three registers.
func choosing(rng *rand.Rand, hi int64) *program.Program {
	types := []program.Type{program.Int64Type, program.Int64Type, {Bits: 8, Signed: true}}
	th := &program.Thread{Name: "t"}
	for i, ty := range types {
		th.Regs = append(th.Regs, program.Register{Name: fmt.Sprintf("r%d", i), Type: ty})
	}
	reg := func() int { return rng.IntN(3) }
	number := func() program.Expr { return program.Const(rng.Int64N(60) - 20) }
	bin := func(op program.BinaryOp, x, y program.Expr) program.Expr { return program.Binary{Op: op, X: x, Y: y} }
	term := func() program.Expr {
		r := program.Expr(program.Reg(reg()))
		for range rng.IntN(3) {
			switch op := []program.BinaryOp{program.Add, program.Sub, program.Mul, program.Div, program.Rem, program.Add}[rng.IntN(6)]; {
			case op == program.Div || op == program.Rem:
				r = bin(op, r, program.Const(1+rng.Int64N(300)))
			case rng.IntN(8) == 0:
				r = program.Unary{Op: program.Neg, X: r}
			case rng.IntN(4) == 0:
				r = bin(op, number(), r)
			case rng.IntN(12) == 0:
				r = bin(op, r, program.Reg(reg()))
			default:
				r = bin(op, r, number())
			}
		}
		return r
	}
	var cond func(depth int) program.Expr
	cond = func(depth int) program.Expr {
		if depth > 0 && rng.IntN(4) == 0 {
			return bin([]program.BinaryOp{program.LogicalAnd, program.LogicalOr}[rng.IntN(2)], cond(depth-1), cond(depth-1))
		}
		x, y := term(), program.Expr(program.Const(rng.Int64N(500)-50))
		if rng.IntN(3) == 0 {
			x, y = y, x
		}
		return bin([]program.BinaryOp{program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge, program.ULt, program.ULe}[rng.IntN(8)], x, y)
	}
	n := 4 + rng.IntN(10)
	for q := range n {
		th.States = append(th.States, program.State{Name: fmt.Sprintf("q%d", q)})
	}
	add := func(from, to int, c program.Command) {
		th.Edges = append(th.Edges, program.Edge{From: program.StateID(from), To: program.StateID(to), Cmd: c})
	}
	add(0, 1, program.Command{Op: program.Havoc, Reg: 0, Lo: 0, Hi: hi})
	for q := 1; q < n-1; q++ {
		to := func() int {
			if rng.IntN(8) == 0 {
				return 1 + rng.IntN(n-1) // back, too
			}
			return q + 1 + rng.IntN(n-q-1)
		}
		switch rng.IntN(3) {
		case 0:
			e := cond(1)
			add(q, to(), program.Command{Op: program.Check, Value: e})
			add(q, to(), program.Command{Op: program.Check, Value: program.NotExpr(e)})
		case 1:
			e := term()
			switch rng.IntN(10) {
			case 0, 1:
				e = cond(1)
			case 2:
				e = bin(program.Add, cond(1), bin(program.Mul, cond(0), number()))
			case 3:
				e = bin(program.Sub, e, program.Unary{Op: program.LogicalNot, X: term()})
			}
			add(q, to(), program.Command{Op: program.Assign, Reg: reg(), Value: e})
		default:
			add(q, q+1, program.Command{Op: program.Assign, Reg: reg(), Value: bin(program.Add, program.Reg(reg()), number())})
		}
	}
	return &program.Program{Name: "choosing", Default: program.Int64Type, Threads: []*program.Thread{th}}
}

// wayOf is the control states in which the thread is, for a while, where it chooses v.
func wayOf(t *program.Thread, v int64) string {
	regs := []int64{v, 0, 0}
	env := &program.Env{Reg: func(r program.Reg) int64 { return regs[r] }}
	way, q := []byte{}, program.StateID(1)
	for range 60 {
		way = append(way, byte('a'+q))
		i := slices.IndexFunc(t.Edges, func(e program.Edge) bool {
			return e.From == q && (e.Cmd.Op != program.Check || program.Eval(e.Cmd.Value, env) != 0)
		})
		if i < 0 {
			break
		}
		if c := &t.Edges[i].Cmd; c.Op == program.Assign {
			regs[c.Reg] = t.Regs[c.Reg].Type.Wrap(program.Eval(c.Value, env))
		}
		q = t.Edges[i].To
	}
	return string(way)
}
