package c

import (
	"fmt"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// An operator is a binary operator of C.
type operator byte

const (
	addOp operator = iota
	subOp
	mulOp
	divOp
	remOp
	shlOp
	shrOp
	andOp
	xorOp
	orOp
	eqOp
	neOp
	ltOp
	gtOp
	leOp
	geOp
)

// operands takes a binary expression apart; y is nil where it is the same as x.
func operands(n cc.ExpressionNode) (op operator, x, y cc.ExpressionNode, ok bool) {
	switch n := n.(type) {
	case *cc.AdditiveExpression:
		switch n.Case {
		case cc.AdditiveExpressionMul:
			return 0, n.MultiplicativeExpression, nil, true
		case cc.AdditiveExpressionAdd:
			op = addOp
		default:
			op = subOp
		}
		return op, n.AdditiveExpression, n.MultiplicativeExpression, true
	case *cc.MultiplicativeExpression:
		switch n.Case {
		case cc.MultiplicativeExpressionCast:
			return 0, n.CastExpression, nil, true
		case cc.MultiplicativeExpressionMul:
			op = mulOp
		case cc.MultiplicativeExpressionDiv:
			op = divOp
		default:
			op = remOp
		}
		return op, n.MultiplicativeExpression, n.CastExpression, true
	case *cc.ShiftExpression:
		switch n.Case {
		case cc.ShiftExpressionAdd:
			return 0, n.AdditiveExpression, nil, true
		case cc.ShiftExpressionLsh:
			op = shlOp
		default:
			op = shrOp
		}
		return op, n.ShiftExpression, n.AdditiveExpression, true
	case *cc.RelationalExpression:
		switch n.Case {
		case cc.RelationalExpressionShift:
			return 0, n.ShiftExpression, nil, true
		case cc.RelationalExpressionLt:
			op = ltOp
		case cc.RelationalExpressionGt:
			op = gtOp
		case cc.RelationalExpressionLeq:
			op = leOp
		default:
			op = geOp
		}
		return op, n.RelationalExpression, n.ShiftExpression, true
	case *cc.EqualityExpression:
		switch n.Case {
		case cc.EqualityExpressionRel:
			return 0, n.RelationalExpression, nil, true
		case cc.EqualityExpressionEq:
			op = eqOp
		default:
			op = neOp
		}
		return op, n.EqualityExpression, n.RelationalExpression, true
	case *cc.AndExpression:
		if n.Case == cc.AndExpressionEq {
			return 0, n.EqualityExpression, nil, true
		}
		return andOp, n.AndExpression, n.EqualityExpression, true
	case *cc.ExclusiveOrExpression:
		if n.Case == cc.ExclusiveOrExpressionAnd {
			return 0, n.AndExpression, nil, true
		}
		return xorOp, n.ExclusiveOrExpression, n.AndExpression, true
	case *cc.InclusiveOrExpression:
		if n.Case == cc.InclusiveOrExpressionXor {
			return 0, n.ExclusiveOrExpression, nil, true
		}
		return orOp, n.InclusiveOrExpression, n.ExclusiveOrExpression, true
	}
	return 0, nil, nil, false
}

// wrapping is x op y of an atomic operation, which wraps around.
func (l *lowerer) wrapping(n cc.Node, op operator, x, y value) value {
	was := l.wraps
	l.wraps = true
	v := l.binary(n, op, x, y)
	l.wraps = was
	return v
}

// binary is x op y.
func (l *lowerer) binary(n cc.Node, op operator, x, y value) value {
	if x.t.Kind == types.OtherKind || y.t.Kind == types.OtherKind {
		l.u.refuse(n, unmodelled(x.t, y.t))
	}
	if x.t.TwoWords || y.t.TwoWords {
		return l.binaryDouble(n, op, x, y)
	}
	if x.t.Kind == types.FloatKind || y.t.Kind == types.FloatKind {
		return l.binaryReal(n, op, x, y)
	}
	if !x.t.Scalar() || !y.t.Scalar() {
		bad := x.t
		if x.t.Scalar() {
			bad = y.t
		}
		l.u.fail(n, "", "%s is no operand here", bad.Name)
	}
	if op >= eqOp {
		return l.compare(n, op, x, y)
	}
	xp, yp := x.t.Kind == types.PointerKind, y.t.Kind == types.PointerKind
	switch {
	case op == addOp && xp && !yp:
		return l.advance(n, x, y, program.Add)
	case op == addOp && yp && !xp:
		return l.advance(n, y, x, program.Add)
	case op == subOp && xp && !yp:
		return l.advance(n, x, y, program.Sub)
	case op == subOp && xp && yp:
		size := l.elemSize(n, x.t)
		l.relate(n, x, y, false)
		return value{t: types.Long, e: flowgraph.Fold(bin(program.Div, flowgraph.Fold(bin(program.Sub, x.e, y.e)), size))}
	case xp || yp:
		l.u.fail(n, "", "a pointer is no operand here")
	}
	if op == shlOp || op == shrOp {
		return l.shift(n, op, x, y)
	}
	t := types.Usual(x.t, y.t)
	x, y = l.convert(x, t), l.convert(y, t)
	unsigned64 := !t.Signed && t.Size == 8
	if op == addOp || op == subOp || op == mulOp {
		l.checkOverflow(n, op, x.e, y.e, t)
	}
	var e program.Expr
	switch op {
	case addOp:
		e = bin(program.Add, x.e, y.e)
	case subOp:
		e = bin(program.Sub, x.e, y.e)
	case mulOp:
		e = bin(program.Mul, x.e, y.e)
	case divOp, remOp:
		l.assertThat(bin(program.Ne, y.e, program.Const(0)), n, "%s does not divide by 0", "division by zero")
		if _, k := y.e.(program.Const); t.Signed && (!k || y.e == program.Const(-1)) {
			l.assertThat(bin(program.LogicalOr, bin(program.Ne, y.e, program.Const(-1)),
				bin(program.Ne, x.e, program.Const(t.Word().Min()))), n, "%s does not overflow", "overflow of a division")
		}
		switch {
		case op == divOp && unsigned64:
			e = bin(program.UDiv, x.e, y.e)
		case op == divOp:
			e = bin(program.Div, x.e, y.e)
		case unsigned64:
			e = bin(program.URem, x.e, y.e)
		default:
			e = bin(program.Rem, x.e, y.e)
		}
		return value{t: t, e: flowgraph.Fold(e)}
	case andOp:
		return value{t: t, e: flowgraph.Fold(bin(program.BitAnd, x.e, y.e))}
	case orOp:
		return value{t: t, e: flowgraph.Fold(bin(program.BitOr, x.e, y.e))}
	case xorOp:
		return value{t: t, e: flowgraph.Fold(bin(program.BitXor, x.e, y.e))}
	}
	return value{t: t, e: wrap(e, t)}
}

// wrap reduces e to t.
func wrap(e program.Expr, t *types.Type) program.Expr {
	e = flowgraph.Fold(e)
	if t.Size == 8 {
		return e
	}
	return flowgraph.Fold(un(program.Cast(t.Word()), e))
}

func (l *lowerer) shift(n cc.Node, op operator, x, y value) value {
	t := x.t.Promoted()
	x, y = l.convert(x, t), l.convert(y, y.t.Promoted())
	width := program.Const(t.Size * 8)
	l.assertThat(bin(program.ULt, y.e, width), n, fmt.Sprintf("%%s shifts by 0 to %d bits", t.Size*8-1),
		fmt.Sprintf("shift by a number of bits that %s does not have", t.Name))
	if op == shlOp {
		l.checkOverflow(n, op, x.e, y.e, t)
		return value{t: t, e: wrap(bin(program.Shl, x.e, y.e), t)}
	}
	if !t.Signed && t.Size == 8 {
		return value{t: t, e: flowgraph.Fold(bin(program.UShr, x.e, y.e))}
	}
	return value{t: t, e: flowgraph.Fold(bin(program.Shr, x.e, y.e))}
}

func (l *lowerer) compare(n cc.Node, op operator, x, y value) value {
	unsigned := false
	switch {
	case x.t.Kind == types.PointerKind || y.t.Kind == types.PointerKind:
		unsigned = true
	default:
		t := types.Usual(x.t, y.t)
		x, y = l.convert(x, t), l.convert(y, t)
		unsigned = !t.Signed && t.Size == 8
	}
	if op >= ltOp && x.t.Kind == types.PointerKind && y.t.Kind == types.PointerKind {
		l.relate(n, x, y, true)
	}
	a, b := x.e, y.e
	if op == gtOp || op == geOp {
		a, b = b, a
	}
	var e program.Expr
	switch op {
	case eqOp:
		e = bin(program.Eq, a, b)
	case neOp:
		e = bin(program.Ne, a, b)
	case ltOp, gtOp:
		e = bin(program.Lt, a, b)
		if unsigned {
			e = bin(program.ULt, a, b)
		}
	default:
		e = bin(program.Le, a, b)
		if unsigned {
			e = bin(program.ULe, a, b)
		}
	}
	return value{t: types.Int, e: flowgraph.Fold(e)}
}

// elemSize is how far apart the elements are that a pointer of type t walks over.
func (l *lowerer) elemSize(n cc.Node, t *types.Type) program.Expr {
	switch {
	case t.Elem.Kind == types.FunctionKind || t.Elem.Kind == types.VoidKind:
		return program.Const(1) // as GCC has it
	case t.Elem.Varies():
		return l.bytesOf(t.Elem)
	case t.Elem.Incomplete() || t.Elem.Size == 0:
		l.u.fail(n, "", "arithmetic on a pointer to %s, which has no size here", t.Elem.Name)
	}
	return program.Const(t.Elem.Size)
}

// advance is p + i or p - i.
func (l *lowerer) advance(n cc.Node, p, i value, op program.BinaryOp) value {
	off := flowgraph.Fold(bin(program.Mul, i.e, l.elemSize(n, p.t)))
	return value{t: p.t, e: flowgraph.Fold(bin(op, p.e, off)), span: p.span, of: p.of.advanced(op, off), align: p.align}
}
