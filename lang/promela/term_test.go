package promela

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// randomExpr is an expression over registers 0 and 1.
func randomExpr(rng *rand.Rand, depth int) program.Expr {
	if depth == 0 || rng.IntN(4) == 0 {
		if rng.IntN(2) == 0 {
			return program.Reg(rng.IntN(2))
		}
		edge := []int64{0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 255, 256, -1, -2, -128, math.MaxInt32, math.MinInt32, 1 << 40}
		return program.Const(edge[rng.IntN(len(edge))])
	}
	if rng.IntN(4) == 0 {
		return program.Unary{Op: program.UnaryOp(rng.IntN(int(program.LogicalNot) + 1)), X: randomExpr(rng, depth-1)}
	}
	return program.Binary{Op: program.BinaryOp(rng.IntN(int(program.LogicalOr) + 1)), X: randomExpr(rng, depth-1), Y: randomExpr(rng, depth-1)}
}

// TestTerms lets Spin evaluate random expressions, wrapped to random types, where
// they can be translated, and compares with the semantics of the program model.
func TestTerms(t *testing.T) {
	needSpin(t)
	rng := rand.New(rand.NewPCG(3, 5))
	ranges := [][2]int64{{0, 1}, {0, 40}, {-130, 130}, {-3, 70}, {1, 31}, {-100000, 100000}, {math.MinInt32, math.MaxInt32}}
	types := []program.Type{program.BoolType, program.Int8Type, program.Int16Type, program.Int32Type, program.Int64Type, {Bits: 7}, {Bits: 31}, {Bits: 40, Signed: true}, {Bits: 8}}
	var model bytes.Buffer
	fmt.Fprint(&model, "int r0, r1;\nactive proctype P() {\n")
	written, refused := 0, 0
	for range 4000 {
		e := randomExpr(rng, 3)
		typ := types[rng.IntN(len(types))]
		var sets [2]program.ValueSet
		var values [2]int64
		for i := range sets {
			r := ranges[rng.IntN(len(ranges))]
			sets[i] = program.Interval(r[0], r[1])
			values[i] = r[0] + rng.Int64N(r[1]-r[0]+1)
			if rng.IntN(3) == 0 {
				values[i] = r[rng.IntN(2)]
			}
		}
		v, err := expr(e, func(e program.Expr) (term, error) {
			r := int(e.(program.Reg))
			return term{text: fmt.Sprintf("r%d", r), set: sets[r]}, nil
		})
		if err == nil {
			v, err = wrap(typ, v)
		}
		if err != nil {
			refused++
			continue
		}
		want := typ.Wrap(program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return values[r] }}))
		if !v.set.Has(want) {
			t.Errorf("%s with %d: %d is not in %s", e, values, want, v.set)
		}
		if _, ok := v.known(); ok {
			continue
		}
		written++
		fmt.Fprintf(&model, "\td_step { r0 = %s; r1 = %s; assert(%s == %s) }; /* %s, %+v */\n",
			constant(values[0]).text, constant(values[1]).text, v.text, constant(want).text, comment(e.String()), typ)
	}
	fmt.Fprint(&model, "}\n")
	if written < 500 {
		t.Errorf("%d written, %d refused", written, refused)
	}
	if _, failed, out := spin(t, model.Bytes(), nil, nil); failed {
		t.Errorf("%s", out)
	}
}
