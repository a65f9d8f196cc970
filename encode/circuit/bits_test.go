package circuit_test

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// pin is the assumptions under which x is v.
func pin(x circuit.Vector, v int64) []solver.Lit {
	lits := make([]solver.Lit, len(x))
	for i, l := range x {
		if lits[i] = l; v>>i&1 == 0 {
			lits[i] = -l
		}
	}
	return lits
}

// samples makes the test longer: go test ./encode/circuit -run Operators -samples 50
var samples = flag.Int("samples", 3, "how many values the operators are tried with, for each kind of operands")

// TestOperators compares every operator, on vectors of unknown bits and with a
// constant on either side, with what package program says of it.
func TestOperators(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	edges := []int64{0, 1, -1, 2, 3, 7, -8, 62, 63, 64, 65, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, 1 << 31, -1 << 31}
	pick := func() int64 {
		if rng.IntN(2) == 0 {
			return edges[rng.IntN(len(edges))]
		}
		return int64(rng.Uint64()) >> rng.IntN(64)
	}
	ranges := [][2]int64{{0, 1}, {-1, 0}, {0, 5}, {-7, 3}, {0, 255}, {math.MinInt32, math.MaxInt32}, {math.MinInt64, math.MaxInt64}}
	n := *samples
	if testing.Short() {
		n = min(n, 3)
	}
	for _, rx := range ranges {
		for _, ry := range ranges {
			s, err := solver.New("")
			if err != nil {
				t.Fatal(err)
			}
			c := circuit.New(s)
			within := func(r [2]int64) int64 {
				for {
					if v := pick(); r[0] <= v && v <= r[1] {
						return v
					}
					if r[1]-r[0] >= 0 && r[1]-r[0] < 1000 {
						return r[0] + rng.Int64N(r[1]-r[0]+1)
					}
				}
			}
			k := within(ry)
			x, y := c.FreshVec(rx[0], rx[1]), c.FreshVec(ry[0], ry[1])
			var xy, xk, kx []circuit.Vector // of all operators: quotient and remainder are parts of one circuit
			for op := program.Add; op <= program.LogicalOr; op++ {
				xy, xk, kx = append(xy, c.Binary(op, x, y)), append(xk, c.Binary(op, x, c.Vec(k))), append(kx, c.Binary(op, c.Vec(k), x))
			}
			for range n {
				a, b := within(rx), within(ry)
				st, err := s.Solve(context.Background(), append(pin(x, a), pin(y, b)...)...)
				if err != nil || st != solver.Sat {
					t.Fatalf("%d and %d: %v %v", a, b, st, err)
				}
				for op := program.Add; op <= program.LogicalOr; op++ {
					for _, r := range []struct {
						got  circuit.Vector
						x, y int64
					}{{xy[op-program.Add], a, b}, {xk[op-program.Add], a, k}, {kx[op-program.Add], k, a}} {
						if got, want := r.got.Eval(s.Value), program.EvalBinary(op, r.x, r.y); got != want {
							t.Errorf("%d %s %d = %d, want %d", r.x, op, r.y, got, want)
						}
					}
				}
			}
			s.Close()
		}
	}
}

func TestUnaryAndWrap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	types := []program.Type{program.BoolType, program.Int8Type, program.Int16Type, program.Int32Type, program.Int64Type, {Bits: 5}, {Bits: 32}, {Bits: 63}, program.Uint64Type, {Bits: 64, Signed: true}}
	for range 200 {
		s, err := solver.New("")
		if err != nil {
			t.Fatal(err)
		}
		c := circuit.New(s)
		v := int64(rng.Uint64()) >> rng.IntN(64)
		x := c.FreshVec(min(v, rng.Int64N(100)), max(v, rng.Int64N(100)))
		var want []int64
		var got []circuit.Vector
		for op := program.Neg; op <= program.LogicalNot; op++ {
			want = append(want, program.EvalUnary(op, v))
			got = append(got, c.Unary(op, x))
		}
		for _, typ := range types {
			want = append(want, typ.Wrap(v), program.EvalUnary(program.Cast(typ), v))
			got = append(got, c.Wrap(x, typ), c.Unary(program.Cast(typ), x))
		}
		if st, err := s.Solve(context.Background(), pin(x, v)...); st != solver.Sat {
			t.Fatal(st, err)
		}
		for i := range want {
			if g := got[i].Eval(s.Value); g != want[i] {
				t.Errorf("case %d of %d: %d, want %d", i, v, g, want[i])
			}
		}
		s.Close()
	}
}

// TestNegation: what the unroller relies on to see that two checks exclude each
// other.
func TestNegation(t *testing.T) {
	s, err := solver.New("")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c := circuit.New(s)
	regs := []circuit.Vector{c.FreshVec(0, 9), c.FreshVec(-5, 5)}
	r0, r1 := program.Reg(0), program.Reg(1)
	conds := []program.Expr{
		r0,
		program.Binary{Op: program.Eq, X: r0, Y: program.Const(3)},
		program.Binary{Op: program.Lt, X: r0, Y: r1},
		program.Binary{Op: program.Ge, X: r0, Y: r1},
		program.Binary{Op: program.LogicalAnd, X: r0, Y: program.Binary{Op: program.Le, X: r1, Y: r0}},
	}
	for _, e := range conds {
		if a, b := c.Cond(e, regs), c.Cond(program.NotExpr(e), regs); a != -b {
			t.Errorf("%s is %d, its negation %d", e, a, b)
		}
	}
}
