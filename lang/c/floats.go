package c

import (
	"math"
	"math/big"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Values of floating point are known where they are constants, and computed as the machine would
// compute them. Of others nothing is known but that they are there: they are stored, loaded,
// computed with, handed on and printed, and their cells hold nothing. Where one of them decides of
// anything else, in a comparison or as an integer, it is not modelled.

// deciding is what is refused.
const deciding = "floating point that decides of more than what is printed"

// real is a value of floating point that is known.
func real(t *types.Type, x float64) value {
	if t.Size == 4 {
		x = float64(float32(x))
	}
	v := someReal(t)
	if t.Size <= 8 { // what the machine has beyond that is more exact than x
		v.real = &x
	}
	return v
}

// someReal is one of which nothing is known.
func someReal(t *types.Type) value { return value{t: t.Plain(), e: program.Const(0)} }

// convertReal is a conversion from or to floating point.
func (l *lowerer) convertReal(v value, t *types.Type) value {
	switch k, constant := v.e.(program.Const); {
	case t.Kind == types.FloatKind && v.t.Kind == types.FloatKind:
		if v.real == nil {
			return someReal(t)
		}
		return real(t, *v.real)
	case t.Kind == types.FloatKind && v.t.Integer():
		switch {
		case !constant:
			return someReal(t)
		case t.Size == 4 && (v.t.Signed || v.t.Size < 8): // rounded once
			return real(t, float64(float32(int64(k))))
		case t.Size == 4:
			return real(t, float64(float32(uint64(k))))
		case v.t.Signed || v.t.Size < 8:
			return real(t, float64(int64(k)))
		}
		return real(t, float64(uint64(k)))
	case t.Kind == types.BoolKind:
		return value{t: t, e: l.truth(nil, v)}
	case t.Integer():
		if v.real == nil {
			return l.decides(t)
		}
		x, w := math.Trunc(*v.real), t.Word()
		switch {
		case !w.Signed && x >= 0 && x < math.Ldexp(1, int(w.Bits)):
			return value{t: t, e: program.Const(w.Wrap(int64(uint64(x))))}
		case w.Signed && math.Abs(x) < math.Ldexp(1, int(w.Bits)-1):
			return value{t: t, e: program.Const(int64(x))}
		}
		l.u.failAt(l.pos(), "", "%g is no value of %s", x, t.Name)
	}
	l.u.failAt(l.pos(), "", "a conversion from %s to %s", v.t.Name, t.Name)
	panic("unreachable")
}

// decides refuses what a value decides of; where nothing is executed, any value does.
func (l *lowerer) decides(t *types.Type) value {
	if l.dryness > 0 {
		return value{t: t, e: program.Const(0)}
	}
	l.u.refuseHere(deciding)
	panic("unreachable")
}

// binaryReal is x op y of floating point.
func (l *lowerer) binaryReal(n cc.Node, op operator, x, y value) value {
	if !x.t.Scalar() || !y.t.Scalar() || x.t.Kind == types.PointerKind || y.t.Kind == types.PointerKind || op != divOp && op > mulOp && op < eqOp {
		l.u.fail(n, "", "%s and %s are no operands here", x.t.Name, y.t.Name)
	}
	t := types.Usual(x.t, y.t)
	x, y = l.convertReal(x, t), l.convertReal(y, t)
	if x.real == nil || y.real == nil {
		if op >= eqOp {
			return l.decides(types.Int)
		}
		return someReal(t)
	}
	a, b := *x.real, *y.real
	switch op {
	case addOp:
		return real(t, a+b)
	case subOp:
		return real(t, a-b)
	case mulOp:
		return real(t, a*b)
	case divOp:
		return real(t, a/b)
	}
	holds := map[operator]bool{eqOp: a == b, neOp: a != b, ltOp: a < b, gtOp: a > b, leOp: a <= b, geOp: a >= b}[op]
	return number(types.Int, program.Bool(holds))
}

// realConstant is a constant of floating point.
func (l *lowerer) realConstant(n *cc.PrimaryExpression) value {
	t := types.Double
	if n.Type() != nil {
		switch n.Type().Kind() {
		case cc.Float:
			t = types.Float
		case cc.LongDouble:
			t = types.LongDouble
		}
	}
	switch v := n.Value().(type) {
	case cc.Float64Value:
		return real(t, float64(v))
	case *cc.LongDoubleValue:
		x, _ := (*big.Float)(v).Float64()
		return real(t, x)
	}
	return someReal(t)
}

// exact are the functions that give what IEEE 754 says to the last bit.
var exact = map[string]func(float64) float64{"sqrt": math.Sqrt, "fabs": math.Abs, "floor": math.Floor, "ceil": math.Ceil, "trunc": math.Trunc}

// floatBuiltins are the functions of floating point.
func floatBuiltins() map[string]builtin {
	m := map[string]builtin{}
	for _, name := range []string{"sqrt", "fabs", "floor", "ceil", "trunc", "round", "pow", "sin", "cos", "tan", "atan", "atan2", "exp", "log", "log2", "log10", "fmod",
		"fmax", "fmin", "hypot", "cbrt", "asin", "acos", "sinh", "cosh", "tanh", "rint", "exp2",
		"atof", "strtod", "drand48", "difftime", "__builtin_inf", "__builtin_nan", "__builtin_huge_val"} {
		m[name] = builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			f := exact[name]
			if f == nil || len(args) != 1 {
				evaluateAll(l, args)
				return someReal(types.Double)
			}
			v := l.convert(l.expr(args[0]), types.Double)
			if v.real == nil {
				return v
			}
			return real(types.Double, f(*v.real))
		}}
	}
	for _, name := range []string{"sqrtf", "fabsf", "floorf", "ceilf", "powf", "__builtin_inff", "__builtin_huge_valf"} {
		m[name] = builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			evaluateAll(l, args)
			return someReal(types.Float)
		}}
	}
	// A number that is not known is none that anything can be decided by.
	for name, f := range map[string]func(float64) float64{"lround": math.Round, "llround": math.Round, "lrint": math.RoundToEven, "llrint": math.RoundToEven} {
		m[name] = builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			v := l.convert(l.expr(args[0]), types.Double)
			l.at(n)
			if v.real != nil {
				v = real(types.Double, f(*v.real))
			}
			return l.convert(v, types.Long)
		}}
	}
	return m
}
