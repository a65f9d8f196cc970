package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// repeat writes a loop: as long as cond holds, body.
func (l *lowerer) repeat(cond program.Expr, body func()) {
	head, more, end := l.node(), l.node(), l.node()
	l.land(head)
	l.split(cond, more, end)
	l.cur = more
	body()
	l.jump(head)
	l.cur = end
}

// countBits are the functions of GCC that count the bits of a number; a suffix says of which type.
func countBits(name string, t *types.Type) builtin {
	return builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		v := l.convert(l.expr(args[0]), t)
		l.at(n)
		x, r := l.temp(types.UnsignedLong), l.temp(types.Int)
		xe, re := program.Reg(x), program.Reg(r)
		l.assign(x, v.e)
		shift := func() { l.assign(x, bin(program.UShr, xe, program.Const(1))) }
		l.assign(r, program.Const(0))
		switch name {
		case "popcount", "parity":
			l.repeat(ne(xe, program.Const(0)), func() {
				l.assign(r, bin(program.Add, re, bin(program.BitAnd, xe, program.Const(1))))
				shift()
			})
			if name == "parity" {
				return value{t: types.Int, e: bin(program.BitAnd, re, program.Const(1))}
			}
		case "clz":
			l.assert(ne(v.e, program.Const(0)), "__builtin_clz of 0")
			l.assign(r, program.Const(8*t.Size-1))
			l.repeat(bin(program.ULt, program.Const(1), xe), func() {
				l.assign(r, plus(re, -1))
				shift()
			})
		default: // ctz and ffs
			yes, end := l.node(), l.node()
			if name == "ctz" {
				l.assert(ne(v.e, program.Const(0)), "__builtin_ctz of 0")
			}
			l.split(ne(v.e, program.Const(0)), yes, end)
			l.cur = yes
			if name == "ffs" {
				l.assign(r, program.Const(1))
			}
			l.repeat(eq(bin(program.BitAnd, xe, program.Const(1)), program.Const(0)), func() {
				l.assign(r, plus(re, 1))
				shift()
			})
			l.land(end)
		}
		return value{t: types.Int, e: re}
	}}
}

// swapBytes is __builtin_bswap32 and its kin.
func swapBytes(t *types.Type) builtin {
	return builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		v := l.convert(l.expr(args[0]), t)
		return value{t: t, e: swapped(v.e, t)}
	}}
}

// swapped is e, of type t, with its bytes in reverse.
func swapped(e program.Expr, t *types.Type) program.Expr {
	to := program.Expr(program.Const(0))
	for i := range t.Size {
		b := flowgraph.Fold(bin(program.BitAnd, flowgraph.Fold(bin(program.UShr, e, program.Const(8*i))), program.Const(255)))
		to = flowgraph.Fold(bin(program.BitOr, to, flowgraph.Fold(bin(program.Shl, b, program.Const(8*(t.Size-1-i))))))
	}
	return wrap(to, t)
}

// checked is __builtin_add_overflow and its kin: they store the result as if it had all its bits
// and say whether some are lost.
func checked(op operator) builtin {
	return builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		x, y := l.expr(args[0]), l.expr(args[1])
		to := l.target(args[2])
		l.at(n)
		t := to.t.Plain()
		if x.t.TwoWords || y.t.TwoWords || t.TwoWords {
			l.u.refuse(n, "__int128 here")
		}
		if !x.t.Integer() || !y.t.Integer() || !t.Integer() {
			l.u.fail(n, "", "an operand that is no integer")
		}
		b := map[operator]program.BinaryOp{addOp: program.Add, subOp: program.Sub, mulOp: program.Mul}[op]
		e := l.temp(types.Long)
		lost := l.temp(types.Bool)
		l.assign(e, bin(b, x.e, y.e))
		sum := program.Expr(program.Reg(e))
		switch {
		case x.t.Size <= 4 && y.t.Size <= 4 && (op != mulOp || x.t.Signed || y.t.Signed):
			l.assign(lost, ne(wrap(sum, t), sum))
			if t.Size == 8 && !t.Signed {
				l.assign(lost, bin(program.Lt, sum, program.Const(0)))
			}
		case op == mulOp || !x.t.Same(t) || !y.t.Same(t):
			l.assign(lost, l.overflows(op, x, y, t))
		case t.Signed && op == addOp:
			l.assign(lost, bin(program.Lt, bin(program.BitAnd, bin(program.BitXor, x.e, sum), bin(program.BitXor, y.e, sum)), program.Const(0)))
		case t.Signed:
			l.assign(lost, bin(program.Lt, bin(program.BitAnd, bin(program.BitXor, x.e, y.e), bin(program.BitXor, x.e, sum)), program.Const(0)))
		case op == addOp:
			l.assign(lost, bin(program.ULt, sum, x.e))
		default:
			l.assign(lost, bin(program.ULt, x.e, y.e))
		}
		l.store(to, value{t: t, e: wrap(sum, t)})
		return value{t: types.Bool, e: program.Reg(lost)}
	}}
}

// overflows is whether the sum, the difference or the product of any two numbers is none of type t: they are computed as a number of 64
// bits, whether that is all of it, and a sign.
func (l *lowerer) overflows(op operator, x, y value, t *types.Type) program.Expr {
	type parts struct{ minus, size program.Expr }
	split := func(v value) parts {
		if !v.t.Signed {
			return parts{program.Const(0), v.e}
		}
		minus, size, yes, end := l.temp(types.Bool), l.temp(types.UnsignedLong), l.node(), l.node()
		l.assign(minus, bin(program.Lt, v.e, program.Const(0)))
		l.assign(size, v.e)
		l.split(program.Reg(minus), yes, end)
		l.cur = yes
		l.assign(size, un(program.Neg, v.e))
		l.land(end)
		return parts{program.Reg(minus), program.Reg(size)}
	}
	a, b := split(x), split(y)
	minus, size, more := l.temp(types.Bool), l.temp(types.UnsignedLong), l.temp(types.Bool)
	differ := ne(a.minus, b.minus)
	if op == subOp {
		b.minus = eq(b.minus, program.Const(0))
		differ = ne(a.minus, b.minus)
	}
	if op == mulOp {
		some, end := l.node(), l.node()
		l.assign(minus, differ)
		l.assign(size, bin(program.Mul, a.size, b.size))
		l.assign(more, program.Const(0))
		l.split(ne(a.size, program.Const(0)), some, end)
		l.cur = some
		l.assign(more, ne(bin(program.UDiv, program.Reg(size), a.size), b.size))
		l.land(end)
	} else {
		apart, together, less, end := l.node(), l.node(), l.node(), l.node()
		l.split(differ, apart, together)
		l.cur = together
		l.assign(minus, a.minus)
		l.assign(size, bin(program.Add, a.size, b.size))
		l.assign(more, bin(program.ULt, program.Reg(size), a.size))
		l.jump(end)
		l.cur = apart
		l.assign(minus, a.minus)
		l.assign(size, bin(program.Sub, a.size, b.size))
		l.assign(more, program.Const(0))
		l.split(bin(program.ULt, a.size, b.size), less, end)
		l.cur = less
		l.assign(minus, b.minus)
		l.assign(size, bin(program.Sub, b.size, a.size))
		l.land(end)
	}
	most := program.Const(int64(uint64(1)<<(8*t.Size-1)) - 1)
	below := plus(most, 1) // how far a number may be below 0
	if !t.Signed {
		most, below = program.Const(int64(^uint64(0)>>(64-8*t.Size))), program.Const(0)
	}
	limit, negative, end := l.temp(types.UnsignedLong), l.node(), l.node()
	l.assign(limit, most)
	l.split(program.Reg(minus), negative, end)
	l.cur = negative
	l.assign(limit, below)
	l.land(end)
	return bin(program.LogicalOr, program.Reg(more), bin(program.ULt, program.Reg(limit), program.Reg(size)))
}

// bitBuiltins are the functions that this file knows.
func bitBuiltins() map[string]builtin {
	m := map[string]builtin{
		"__builtin_bswap16": swapBytes(types.UnsignedShort), "__builtin_bswap32": swapBytes(types.UnsignedInt), "__builtin_bswap64": swapBytes(types.UnsignedLong),
		"__fp_add_overflow": checked(addOp), "__fp_sub_overflow": checked(subOp), "__fp_mul_overflow": checked(mulOp),
	}
	for _, name := range []string{"popcount", "parity", "clz", "ctz", "ffs"} {
		for suffix, t := range map[string]*types.Type{"": types.UnsignedInt, "l": types.UnsignedLong, "ll": types.UnsignedLongLong} {
			m["__builtin_"+name+suffix] = countBits(name, t)
		}
	}
	for suffix, t := range map[string]*types.Type{"": types.UnsignedInt, "l": types.UnsignedLong, "ll": types.UnsignedLong} {
		m["ffs"+suffix] = countBits("ffs", t)
	}
	return m
}
