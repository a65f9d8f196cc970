package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Integers of two words, __int128 of GCC, are in programs that swap a pointer and a counter in one step, as cmpxchg16b does. They are structures of
// their words (see [types.Int128]), so accesses to them are those of structures; here is what is computed with them.

// words are the two words of a value of such a type, low one first, in registers: they are used several times.
func (l *lowerer) words(v value) (low, high program.Expr) {
	return l.word(v.agg[0]), l.word(v.agg[1])
}

// word is a word in a register.
func (l *lowerer) word(e program.Expr) program.Expr {
	return l.hold(value{t: types.UnsignedLong, e: flowgraph.FoldAll(e)})
}

// ofWords is a value of two words.
func ofWords(t *types.Type, low, high program.Expr) value {
	return value{t: t, agg: []program.Expr{flowgraph.Fold(low), flowgraph.Fold(high)}}
}

// convertDouble is v as a value of type t, one of which is of two words.
func (l *lowerer) convertDouble(v value, t *types.Type) value {
	scalar := v.t
	if v.t.TwoWords {
		scalar = t
	}
	switch {
	case scalar.TwoWords:
		v.t = t // the same words
		return v
	case scalar.Kind == types.FloatKind:
		l.u.refuseHere("__int128 and floating point")
	case !scalar.Integer() && scalar.Kind != types.PointerKind:
		l.u.failAt(l.pos(), "", "%s where %s is wanted", v.t.Name, t.Name)
	case t.Kind == types.BoolKind:
		return value{t: t, e: l.truth(nil, v)}
	case v.t.TwoWords:
		return l.convert(value{t: types.UnsignedLong, e: v.agg[0]}, t)
	case v.e == nil:
		l.u.failAt(l.pos(), "", "an expression without a value is used")
	}
	high := program.Expr(program.Const(0))
	if v.t.Signed {
		high = bin(program.Shr, v.e, program.Const(63))
	}
	return ofWords(t, l.convert(v, types.UnsignedLong).e, high)
}

// unaryDouble is +v, -v or ~v of two words.
func (l *lowerer) unaryDouble(n *cc.UnaryExpression, v value) value {
	switch n.Case {
	case cc.UnaryExpressionMinus:
		return l.binaryDouble(n, subOp, ofWords(v.t, program.Const(0), program.Const(0)), v)
	case cc.UnaryExpressionCpl:
		return ofWords(v.t, un(program.Complement, v.agg[0]), un(program.Complement, v.agg[1]))
	}
	return v
}

// binaryDouble is x op y, one of which is of two words.
func (l *lowerer) binaryDouble(n cc.Node, op operator, x, y value) value {
	for _, v := range []value{x, y} {
		switch {
		case v.t.Kind == types.FloatKind:
			l.u.refuse(n, "__int128 and floating point")
		case v.t.Kind == types.PointerKind:
			l.u.refuse(n, "__int128 and a pointer")
		case !v.t.Number():
			l.u.fail(n, "", "%s is no operand here", v.t.Name)
		}
	}
	if op == shlOp || op == shrOp {
		return l.shiftDouble(n, op, x, y)
	}
	t := types.Usual(x.t, y.t)
	a, b := l.words(l.convert(x, t))
	c, d := l.words(l.convert(y, t))
	l.wrapsDouble(n, op, t)
	boolean := func(op program.BinaryOp, x, y program.Expr) value {
		return value{t: types.Int, e: flowgraph.FoldAll(bin(op, x, y))}
	}
	switch op {
	case eqOp:
		return boolean(program.LogicalAnd, bin(program.Eq, a, c), bin(program.Eq, b, d))
	case neOp:
		return boolean(program.LogicalOr, bin(program.Ne, a, c), bin(program.Ne, b, d))
	case ltOp, gtOp, leOp, geOp:
		if op == gtOp || op == geOp {
			a, b, c, d = c, d, a, b
		}
		less, low := program.ULt, program.ULt
		if t.Signed {
			less = program.Lt
		}
		if op == leOp || op == geOp {
			low = program.ULe
		}
		return boolean(program.LogicalOr, bin(less, b, d), bin(program.LogicalAnd, bin(program.Eq, b, d), bin(low, a, c)))
	case addOp:
		sum := l.word(bin(program.Add, a, c))
		return ofWords(t, sum, flowgraph.FoldAll(bin(program.Add, bin(program.Add, b, d), bin(program.ULt, sum, a))))
	case subOp:
		return ofWords(t, bin(program.Sub, a, c), flowgraph.FoldAll(bin(program.Sub, bin(program.Sub, b, d), bin(program.ULt, a, c))))
	case mulOp:
		low, high := l.product(a, c)
		return ofWords(t, low, flowgraph.FoldAll(bin(program.Add, high, bin(program.Add, bin(program.Mul, a, d), bin(program.Mul, b, c)))))
	case andOp:
		return ofWords(t, bin(program.BitAnd, a, c), bin(program.BitAnd, b, d))
	case orOp:
		return ofWords(t, bin(program.BitOr, a, c), bin(program.BitOr, b, d))
	case xorOp:
		return ofWords(t, bin(program.BitXor, a, c), bin(program.BitXor, b, d))
	}
	l.u.refuse(n, "a division of type "+t.Name)
	panic("unreachable")
}

// wrapsDouble refuses what may overflow, where that is asked for: it wraps around here.
func (l *lowerer) wrapsDouble(n cc.Node, op operator, t *types.Type) {
	if l.u.opts.Overflow && t.Signed && !l.wraps && (op == addOp || op == subOp || op == mulOp || op == shlOp) {
		l.u.refuse(n, "arithmetic of type "+t.Name+" that is not to overflow")
	}
}

// product is the two words of x * y, of words without a sign, from the products of their halves.
func (l *lowerer) product(x, y program.Expr) (low, high program.Expr) {
	half := func(e program.Expr) (lo, hi program.Expr) {
		return l.word(bin(program.BitAnd, e, program.Const(1<<32-1))), l.word(bin(program.UShr, e, program.Const(32)))
	}
	a, b := half(x)
	c, d := half(y)
	p, q := half(l.word(bin(program.Mul, a, c)))
	// None of these sums goes round: a product of halves is at most (2^32-1)^2.
	r, s := half(l.word(bin(program.Add, bin(program.Mul, b, c), q)))
	u, v := half(l.word(bin(program.Add, bin(program.Mul, a, d), r)))
	low = l.word(bin(program.Add, bin(program.Shl, u, program.Const(32)), p))
	high = l.word(bin(program.Add, bin(program.Add, bin(program.Mul, b, d), s), v))
	return low, high
}

// shiftDouble is x << y or x >> y, one of which is of two words.
func (l *lowerer) shiftDouble(n cc.Node, op operator, x, y value) value {
	if y.t.TwoWords {
		l.assertThat(bin(program.Eq, y.agg[1], program.Const(0)), n, "%s shifts by as many bits as there are", "shift by a number of bits that "+x.t.Name+" does not have")
		y = value{t: types.UnsignedLong, e: y.agg[0]}
	}
	if !x.t.TwoWords {
		return l.shift(n, op, x, y)
	}
	t := x.t
	k := l.hold(l.convert(y, y.t.Promoted()))
	l.assertThat(bin(program.ULt, k, program.Const(128)), n, "%s shifts by 0 to 127 bits", "shift by a number of bits that "+t.Name+" does not have")
	l.wrapsDouble(n, op, t)
	low, high := l.words(x)
	right := program.UShr
	if t.Signed {
		right = program.Shr
	}
	far := l.word(bin(program.ULe, program.Const(64), k)) // by a word, and then by so many bits
	by := l.word(bin(program.BitAnd, k, program.Const(63)))
	rest := l.word(bin(program.Sub, program.Const(63), by))
	choose := func(yes, no program.Expr) program.Expr {
		return flowgraph.FoldAll(bin(program.Add, bin(program.Mul, far, yes), bin(program.Mul, bin(program.Sub, program.Const(1), far), no)))
	}
	if op == shlOp {
		moved := l.word(bin(program.Shl, low, by))
		carry := bin(program.UShr, bin(program.UShr, low, program.Const(1)), rest) // by 64 - by, which may be 64
		return ofWords(t, choose(program.Const(0), moved), choose(moved, bin(program.BitOr, bin(program.Shl, high, by), carry)))
	}
	moved := l.word(bin(right, high, by))
	carry := bin(program.Shl, bin(program.Shl, high, program.Const(1)), rest)
	filled := program.Expr(program.Const(0))
	if t.Signed {
		filled = bin(program.Shr, high, program.Const(63))
	}
	return ofWords(t, choose(moved, bin(program.BitOr, bin(program.UShr, low, by), carry)), choose(filled, moved))
}
