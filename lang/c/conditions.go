package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// branch goes to yes where n is not 0, else to no.
func (l *lowerer) branch(n cc.ExpressionNode, yes, no int) {
	l.at(n)
	l.sequenced(n)
	switch x := unwrap(n).(type) {
	case *cc.LogicalAndExpression:
		if x.Case == cc.LogicalAndExpressionLAnd && !l.pure(x) {
			mid := l.node()
			l.branch(x.LogicalAndExpression, mid, no)
			l.cur = mid
			l.branch(x.InclusiveOrExpression, yes, no)
			return
		}
	case *cc.LogicalOrExpression:
		if x.Case == cc.LogicalOrExpressionLOr && !l.pure(x) {
			mid := l.node()
			l.branch(x.LogicalOrExpression, yes, mid)
			l.cur = mid
			l.branch(x.LogicalAndExpression, yes, no)
			return
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionNot {
			l.branch(x.CastExpression, no, yes)
			return
		}
	case *cc.PostfixExpression:
		if op, ok := l.compareAndSwap(x); ok {
			l.swap(op, yes, no)
			return
		}
	case *cc.CastExpression: // (_Bool)__fp_cas(...)
		if e, ok := expected(x); ok {
			l.branch(e, yes, no)
			return
		}
		if call, ok := unwrap(x.CastExpression).(*cc.PostfixExpression); ok && x.Case == cc.CastExpressionCast {
			if l.u.maker.typeName(x.TypeName).Kind == types.BoolKind {
				if op, ok := l.compareAndSwap(call); ok {
					l.swap(op, yes, no)
					return
				}
			}
		}
	}
	v := l.expr(n)
	l.at(n)
	l.split(l.truth(n, v), yes, no)
}

// split goes to yes where e is not 0, else to no.
func (l *lowerer) split(e program.Expr, yes, no int) {
	e = l.decided(flowgraph.Fold(e))
	if k, ok := e.(program.Const); ok {
		if k != 0 {
			l.jump(yes)
		} else {
			l.jump(no)
		}
		return
	}
	l.edge(l.cur, yes, program.Command{Op: program.Check, Value: e})
	l.edge(l.cur, no, program.Command{Op: program.Check, Value: program.NotExpr(e)})
	l.cur = l.node()
}

// truth is v as a condition.
func (l *lowerer) truth(n cc.Node, v value) program.Expr {
	switch {
	case v.t.Kind == types.OtherKind:
		l.u.refuse(n, v.t.Name)
	case v.t.TwoWords:
		return flowgraph.Fold(bin(program.Ne, bin(program.BitOr, v.agg[0], v.agg[1]), program.Const(0)))
	case v.t.Kind == types.FloatKind && v.real == nil:
		return l.decides(types.Int).e
	case v.t.Kind == types.FloatKind:
		return program.Const(program.Bool(*v.real != 0))
	case !v.t.Scalar():
		l.u.fail(n, "", "%s is no condition", v.t.Name)
	}
	if b, ok := v.e.(program.Binary); ok && b.Op.Bool() {
		return v.e
	}
	if x, ok := v.e.(program.Unary); ok && x.Op == program.LogicalNot {
		return v.e
	}
	return flowgraph.Fold(bin(program.Ne, v.e, program.Const(0)))
}

// pure is true of an expression that can be evaluated without a step: it reads
// registers, and nothing in it can go wrong.
func (l *lowerer) pure(n cc.ExpressionNode) bool {
	if l.u.rivals[unwrap(n)] != nil {
		return false
	}
	switch x := unwrap(n).(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionInt, cc.PrimaryExpressionChar:
			return true
		case cc.PrimaryExpressionIdent:
			d := resolved(x)
			if d == nil {
				_, enum := x.ResolvedTo().(*cc.Enumerator)
				return enum
			}
			v := l.frame.vars[d]
			return v != nil && v.obj == nil && v.shadow == 0
		}
	case *cc.UnaryExpression:
		switch x.Case {
		case cc.UnaryExpressionPlus, cc.UnaryExpressionMinus, cc.UnaryExpressionCpl, cc.UnaryExpressionNot:
			return (x.Case != cc.UnaryExpressionMinus || !l.u.opts.Overflow) && l.pure(x.CastExpression)
		case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType:
			return true
		}
	case *cc.CastExpression:
		if x.Case == cc.CastExpressionCast {
			return l.pure(x.CastExpression) && l.u.maker.typeName(x.TypeName).Scalar()
		}
	case *cc.LogicalAndExpression:
		return x.Case == cc.LogicalAndExpressionLAnd && l.pure(x.LogicalAndExpression) && l.pure(x.InclusiveOrExpression)
	case *cc.LogicalOrExpression:
		return x.Case == cc.LogicalOrExpressionLOr && l.pure(x.LogicalOrExpression) && l.pure(x.LogicalAndExpression)
	default:
		if op, a, b, ok := operands(x); ok {
			return b == nil && l.pure(a) ||
				b != nil && op != divOp && op != remOp && op != shlOp && op != shrOp && (op > mulOp || !l.u.opts.Overflow) && l.pure(a) && l.pure(b) && !l.relates(op, a, b)
		}
	}
	return false
}

// logical is x && y or x || y as a value.
func (l *lowerer) logical(n cc.ExpressionNode, op program.BinaryOp, x, y cc.ExpressionNode) value {
	a := l.expr(x)
	ae := l.truth(x, a)
	if k, ok := flowgraph.Fold(ae).(program.Const); ok {
		if (k != 0) == (op == program.LogicalOr) {
			return value{t: types.Int, e: program.Const(program.Bool(k != 0))}
		}
		l.sequenced(y)
		b := l.expr(y)
		return value{t: types.Int, e: l.truth(y, b)}
	}
	if l.pure(y) {
		b := l.expr(y)
		return value{t: types.Int, e: flowgraph.Fold(bin(op, ae, l.truth(y, b)))}
	}
	r := l.temp(types.Int)
	yes, no, end := l.node(), l.node(), l.node()
	other, same := yes, no
	if op == program.LogicalOr {
		l.split(ae, no, yes)
	} else {
		l.split(ae, yes, no)
	}
	l.cur = same
	l.assign(r, program.Const(program.Bool(op == program.LogicalOr)))
	l.jump(end)
	l.cur = other
	l.sequenced(y)
	b := l.expr(y)
	l.assign(r, l.truth(y, b))
	l.land(end)
	return value{t: types.Int, e: program.Reg(r)}
}

// conditional is c ? x : y as a value.
func (l *lowerer) conditional(n *cc.ConditionalExpression) value {
	taken, t := l.sides(n)
	if l.constOnly+l.staticInit > 0 && t.Scalar() {
		// A constant expression: the side that is taken counts.
		if c, ok := l.u.constantMaybe(n.LogicalOrExpression); ok {
			if c != 0 {
				return l.convert(l.expr(taken), t)
			}
			return l.convert(l.expr(n.ConditionalExpression), t)
		}
	}
	yes, no, end := l.node(), l.node(), l.node()
	var once value
	if n.ExpressionList == nil {
		once = l.expr(n.LogicalOrExpression)
		l.at(n)
		once.e = l.hold(once)
		l.split(l.truth(n.LogicalOrExpression, once), yes, no)
	} else {
		l.branch(n.LogicalOrExpression, yes, no)
	}
	chosen := l.handedIn(t)
	var from *origin
	if t.Kind == types.PointerKind && (l.u.mayLead(taken, l.frame.leads) || l.u.mayLead(n.ConditionalExpression, l.frame.leads)) {
		from = l.origin()
	}
	arm := func(q int, e cc.ExpressionNode) {
		l.cur = q
		v := once
		if e != nil {
			l.sequenced(e)
			v = l.expr(e)
		}
		if t.Kind != types.VoidKind {
			v = l.convert(v, t)
			l.comes(from, v)
			l.hand(chosen, v)
		}
		l.land(end)
	}
	if n.ExpressionList == nil {
		arm(yes, nil)
	} else {
		arm(yes, n.ExpressionList)
	}
	arm(no, n.ConditionalExpression)
	v := chosen.value(t)
	v.of = from.of(v.e)
	return v
}

// sides is what c ? x : y is if c is not 0, and the type of the whole, of which both sides decide.
func (l *lowerer) sides(n *cc.ConditionalExpression) (taken cc.ExpressionNode, t *types.Type) {
	taken = n.ExpressionList
	if n.ExpressionList == nil { // c ?: y
		taken = n.LogicalOrExpression
	}
	xt := l.typeOf(taken).Decay()
	yt := l.typeOf(n.ConditionalExpression).Decay()
	return taken, l.common(n, xt, yt, taken, n.ConditionalExpression)
}

// common is the type of c ? x : y.
func (l *lowerer) common(n cc.Node, x, y *types.Type, xn, yn cc.ExpressionNode) *types.Type {
	switch {
	case x.Number() && y.Number():
		return types.Usual(x, y)
	case x.Kind == types.OtherKind || y.Kind == types.OtherKind:
		l.u.refuse(n, unmodelled(x, y))
	case x.Kind == types.FloatKind && (y.Kind == types.FloatKind || y.Integer()), y.Kind == types.FloatKind && x.Integer():
		return types.Usual(x, y)
	case x.Kind == types.VoidKind || y.Kind == types.VoidKind:
		return types.Void
	case x.Aggregate() && x.Same(y):
		return x
	case x.Kind == types.PointerKind && y.Kind == types.PointerKind:
		switch {
		case l.null(xn):
			return y
		case l.null(yn):
			return x
		case y.Elem.Kind == types.VoidKind:
			x, y = y, x
		}
		more := y.Elem.Qualifiers // what one side points to is const for both
		more.Atomic = false
		if e := x.Elem.Qualified(more); e != x.Elem {
			return types.PointerTo(e)
		}
		return x
	case x.Kind == types.PointerKind && y.Integer():
		return x
	case y.Kind == types.PointerKind && x.Integer():
		return y
	}
	l.u.fail(n, "", "the sides of ?: are %s and %s", x.Name, y.Name)
	return nil
}

// null is true of a null pointer constant.
func (l *lowerer) null(n cc.ExpressionNode) bool {
	switch x := unwrap(n).(type) {
	case *cc.CastExpression:
		return x.Case == cc.CastExpressionCast && l.null(x.CastExpression)
	case *cc.PrimaryExpression:
		return x.Case == cc.PrimaryExpressionInt && x.Token.SrcStr() == "0"
	}
	return false
}
