package flowgraph

import (
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestMovesToWide: what is taken to come to an end does not go round past the end of its type before, where values are
// too many to try them all: near the ends of types of up to 64 bits.
func TestMovesToWide(t *testing.T) {
	n := 150000
	if testing.Short() {
		n = 40000
	}
	rng := rand.New(rand.NewPCG(3, 4))
	bits := []uint8{8, 16, 32, 64, 64}
	typ := func() program.Type { return program.Type{Bits: bits[rng.IntN(len(bits))], Signed: rng.IntN(2) == 0} }
	near := func(t program.Type) int64 {
		at := []int64{0, -1, t.Min(), t.Max(), 1 << 31, 1<<31 - 1, 1<<32 - 1, -1 << 63, 1<<63 - 1, 255, 127}
		return t.Wrap(at[rng.IntN(len(at))] + rng.Int64N(13) - 6)
	}
	ops := []program.BinaryOp{program.Lt, program.Le, program.Gt, program.Ge, program.Ne, program.Eq, program.ULt, program.ULe}
	ends := 0
	for range n {
		vt, bt := typ(), typ()
		g := &Graph{Regs: []program.Register{{Type: vt}, {Type: bt}}}
		step := []int64{1, 1, -1, -1, 2, -2, 3, -3, 5, -5, 127, 128, -128, 255, 1 << 31, -1 << 31, 1 << 62, -1 << 62, -1 << 63, 1 << 32}[rng.IntN(20)]
		env := affineEnv{0: {base: 0, off: step}}
		v, b := program.Expr(program.Reg(0)), program.Expr(program.Reg(1))
		if rng.IntN(2) == 0 {
			v = program.Unary{Op: program.Cast(typ()), X: v}
		}
		switch rng.IntN(4) {
		case 0:
			b = program.Unary{Op: program.Cast(typ()), X: b}
		case 1:
			b = program.Const(near(bt))
		case 2:
			b = program.Binary{Op: program.Sub, X: b, Y: program.Const(rng.Int64N(5) - 2)}
		}
		x := program.Binary{Op: ops[rng.IntN(len(ops))], X: v, Y: b}
		swapped := rng.IntN(3) == 0
		if swapped {
			x.X, x.Y = b, v
		}
		if !g.countsDown(x, env) {
			continue
		}
		ends++
		for range 60 {
			value, bound := near(vt), near(bt)
			if rng.IntN(2) == 0 {
				value = vt.Wrap(bound + rng.Int64N(9) - 4)
			}
			holds := func(v int64) bool {
				return program.Eval(x, &program.Env{Reg: func(r program.Reg) int64 { return []int64{v, bound}[r] }}) != 0
			}
			if !holds(value) {
				continue
			}
			next := vt.Wrap(value + step)
			if !holds(next) || x.Op == program.Ne && step&1 != 0 {
				continue
			}
			// It still holds: then it has not gone round, in the order that is asked for.
			s := program.Type{Bits: vt.Bits, Signed: true}.Wrap(step)
			order := func(v int64) int64 {
				return program.Eval(x.X, &program.Env{Reg: func(r program.Reg) int64 { return []int64{v, bound}[r] }})
			}
			if swapped {
				order = func(v int64) int64 {
					return program.Eval(x.Y, &program.Env{Reg: func(r program.Reg) int64 { return []int64{v, bound}[r] }})
				}
			}
			up, before, after := s > 0, order(value), order(next)
			grew := before < after
			if x.Op == program.ULt || x.Op == program.ULe {
				grew = uint64(before) < uint64(after)
			}
			if x.Op == program.Eq || x.Op == program.Ne || grew != up {
				t.Fatalf("%v of %v and %v, by %d: %d, %d, then %d", x, vt, bt, step, value, bound, next)
			}
		}
	}
	t.Logf("%d of %d end", ends, n)
	if ends < n/50 {
		t.Errorf("only %d of %d end", ends, n)
	}
}
