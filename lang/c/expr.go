package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// maxDepth bounds how deep expressions and statements are nested.
const maxDepth = 2000

// expr evaluates n.
func (l *lowerer) expr(n cc.ExpressionNode) value {
	if first := l.listedWith(n); first != nil {
		var v value
		l.inPart(first, n, func() { v = l.expr(n) })
		return v
	}
	if l.depth++; l.depth > maxDepth {
		l.u.fail(n, "", "nested too deep")
	}
	defer func() { l.depth-- }()
	l.at(n)
	switch n := n.(type) {
	case *cc.ExpressionList:
		for n.ExpressionList != nil {
			l.effect(n.AssignmentExpression)
			n = n.ExpressionList
		}
		l.sequenced(n.AssignmentExpression)
		return l.expr(n.AssignmentExpression)
	case *cc.ConstantExpression:
		return l.expr(n.ConditionalExpression)
	case *cc.AssignmentExpression:
		return l.assignment(n, true)
	case *cc.ConditionalExpression:
		if n.Case == cc.ConditionalExpressionLOr {
			return l.expr(n.LogicalOrExpression)
		}
		return l.conditional(n)
	case *cc.LogicalOrExpression:
		if n.Case == cc.LogicalOrExpressionLAnd {
			return l.expr(n.LogicalAndExpression)
		}
		return l.logical(n, program.LogicalOr, n.LogicalOrExpression, n.LogicalAndExpression)
	case *cc.LogicalAndExpression:
		if n.Case == cc.LogicalAndExpressionOr {
			return l.expr(n.InclusiveOrExpression)
		}
		return l.logical(n, program.LogicalAnd, n.LogicalAndExpression, n.InclusiveOrExpression)
	case *cc.CastExpression:
		if n.Case == cc.CastExpressionUnary {
			return l.expr(n.UnaryExpression)
		}
		t := l.u.maker.typeName(n.TypeName)
		if v, ok := l.nextLarge(n.CastExpression, t); ok {
			return v
		}
		return l.cast(n, l.expr(n.CastExpression), t)
	case *cc.UnaryExpression:
		return l.unary(n)
	case *cc.PostfixExpression:
		return l.postfix(n)
	case *cc.PrimaryExpression:
		return l.primary(n)
	}
	if op, x, y, ok := operands(n); ok {
		if y == nil {
			return l.expr(x)
		}
		if v, ok := l.calculated(n); ok {
			return v
		}
		a := l.operand(n, x)
		b := l.operand(n, y)
		l.at(n)
		return l.binary(n, op, a, b)
	}
	l.u.refuse(n, "this expression")
	panic("unreachable")
}

// effect evaluates n for its effects only.
func (l *lowerer) effect(n cc.ExpressionNode) {
	l.at(n)
	l.sequenced(n)
	switch x := unwrap(n).(type) {
	case nil:
	case *cc.ExpressionList:
		for ; x != nil; x = x.ExpressionList {
			l.effect(x.AssignmentExpression)
		}
	case *cc.AssignmentExpression:
		if x.Case == cc.AssignmentExpressionCond {
			l.effect(x.ConditionalExpression)
			return
		}
		l.assignment(x, false)
	case *cc.PrimaryExpression:
		if x.Case == cc.PrimaryExpressionStmt { // nobody asks for the value of its last expression, either
			l.block(x.CompoundStatement, false)
			return
		}
		l.expr(x)
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionInc:
			l.increment(x, x.PostfixExpression, addOp, false, false)
		case cc.PostfixExpressionDec:
			l.increment(x, x.PostfixExpression, subOp, false, false)
		default:
			l.idle = x
			l.expr(x)
		}
	case *cc.UnaryExpression:
		switch x.Case {
		case cc.UnaryExpressionInc:
			l.increment(x, x.UnaryExpression, addOp, true, false)
		case cc.UnaryExpressionDec:
			l.increment(x, x.UnaryExpression, subOp, true, false)
		default:
			l.expr(x)
		}
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionCast && l.u.maker.typeName(x.TypeName).Kind == types.VoidKind {
			if identifier(x.CastExpression) != nil { // as of a variable that is not used
				l.careless++
				defer func() { l.careless-- }()
			}
			l.effect(x.CastExpression)
			return
		}
		l.expr(x)
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond {
			yes, no, end := l.node(), l.node(), l.node()
			l.branch(x.LogicalOrExpression, yes, no)
			l.cur = yes
			if x.ExpressionList != nil { // not c ?: y
				l.effect(x.ExpressionList)
			}
			l.jump(end)
			l.cur = no
			l.effect(x.ConditionalExpression)
			l.land(end)
			return
		}
		l.expr(x)
	default:
		l.expr(x)
	}
}

// unary is what begins with a unary operator.
func (l *lowerer) unary(n *cc.UnaryExpression) value {
	switch n.Case {
	case cc.UnaryExpressionPostfix:
		return l.expr(n.PostfixExpression)
	case cc.UnaryExpressionInc:
		return l.increment(n, n.UnaryExpression, addOp, true, true)
	case cc.UnaryExpressionDec:
		return l.increment(n, n.UnaryExpression, subOp, true, true)
	case cc.UnaryExpressionAddrof:
		return l.address(n)
	case cc.UnaryExpressionDeref:
		if v, ok := l.disguised(n.CastExpression); ok {
			return v
		}
		return l.loaded(n)
	case cc.UnaryExpressionSizeofExpr:
		return l.sizeof(n, l.typeOf(n.UnaryExpression))
	case cc.UnaryExpressionSizeofType:
		return l.sizeof(n, l.u.maker.typeName(n.TypeName))
	case cc.UnaryExpressionLabelAddr:
		return l.labelAddress(n)
	case cc.UnaryExpressionAlignofExpr:
		return value{t: types.UnsignedLong, e: program.Const(l.typeOf(n.UnaryExpression).Align)}
	case cc.UnaryExpressionAlignofType:
		return value{t: types.UnsignedLong, e: program.Const(l.u.maker.typeName(n.TypeName).Align)}
	case cc.UnaryExpressionPlus, cc.UnaryExpressionMinus, cc.UnaryExpressionCpl, cc.UnaryExpressionNot:
		v := l.expr(n.CastExpression)
		l.at(n)
		if n.Case == cc.UnaryExpressionNot {
			return value{t: types.Int, e: flowgraph.Fold(program.NotExpr(l.truth(n, v)))}
		}
		if v.t.Kind == types.OtherKind {
			l.u.refuse(n, v.t.Name)
		}
		if v.t.TwoWords {
			return l.unaryDouble(n, v)
		}
		if v.t.Kind == types.FloatKind && n.Case != cc.UnaryExpressionCpl {
			if v.real != nil && n.Case == cc.UnaryExpressionMinus {
				return real(v.t, -*v.real)
			}
			return v
		}
		if !v.t.Integer() {
			l.u.fail(n, "", "%s is no operand here", v.t.Name)
		}
		t := v.t.Promoted()
		v = l.convert(v, t)
		switch n.Case {
		case cc.UnaryExpressionMinus:
			l.checkNegation(n, v.e, t)
			v.e = wrap(un(program.Neg, v.e), t)
		case cc.UnaryExpressionCpl:
			v.e = flowgraph.Fold(un(program.Complement, v.e))
			if !t.Signed {
				v.e = wrap(v.e, t)
			}
		}
		return v
	}
	l.u.refuse(n, "the operator "+n.Token.SrcStr())
	panic("unreachable")
}

func (l *lowerer) sizeof(n cc.Node, t *types.Type) value {
	switch {
	case t.Kind == types.VoidKind || t.Kind == types.FunctionKind:
		return value{t: types.UnsignedLong, e: program.Const(1)} // as GCC has it
	case t.Varies():
		return value{t: types.UnsignedLong, e: l.bytesOf(t)}
	case t.Incomplete():
		l.u.fail(n, "", "%s has no size here", t.Name)
	}
	return value{t: types.UnsignedLong, e: program.Const(t.Size)}
}

func (l *lowerer) postfix(n *cc.PostfixExpression) value {
	switch n.Case {
	case cc.PostfixExpressionPrimary:
		return l.expr(n.PrimaryExpression)
	case cc.PostfixExpressionCall:
		return l.calling(n)
	case cc.PostfixExpressionInc:
		return l.increment(n, n.PostfixExpression, addOp, false, true)
	case cc.PostfixExpressionDec:
		return l.increment(n, n.PostfixExpression, subOp, false, true)
	case cc.PostfixExpressionSelect:
		if p, ok := l.maybeLvalue(n); ok {
			l.accessed(n, p)
			return l.load(p)
		}
		// A member of a value, such as what a function gives.
		v := l.expr(n.PostfixExpression)
		return l.memberOf(n, v, n.Token2.SrcStr())
	}
	return l.loaded(n)
}

// loaded is the value of what n denotes.
func (l *lowerer) loaded(n cc.ExpressionNode) value {
	p := l.lvalue(n)
	l.accessed(n, p)
	return l.load(p)
}

// typeOf is the type of n, which is not evaluated.
func (l *lowerer) typeOf(n cc.ExpressionNode) (t *types.Type) {
	l.dry(func() {
		if c, ok := unwrap(n).(*cc.ConditionalExpression); ok && c.Case == cc.ConditionalExpressionCond {
			_, t = l.sides(c) // each of many, one in the other, is looked at once
			return
		}
		if p, ok := l.maybeLvalue(n); ok {
			t = p.t
			if p.bits > 0 {
				t = bitType(p)
			}
			return
		}
		t = l.expr(n).t
	})
	return t
}
