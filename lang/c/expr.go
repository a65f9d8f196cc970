package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// maxDepth bounds how deep expressions and statements are nested.
const maxDepth = 2000

// expr evaluates n.
func (l *lowerer) expr(n cc.ExpressionNode) value {
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
		a := l.expr(x)
		b := l.expr(y)
		l.at(n)
		return l.binary(n, op, a, b)
	}
	l.u.refuse(n, "this expression")
	panic("unreachable")
}

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

// effect evaluates n for its effects only.
func (l *lowerer) effect(n cc.ExpressionNode) {
	l.at(n)
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
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionInc:
			l.increment(x, x.PostfixExpression, addOp, false, false)
		case cc.PostfixExpressionDec:
			l.increment(x, x.PostfixExpression, subOp, false, false)
		default:
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
		if x.Case == cc.CastExpressionCast && l.u.maker.typeName(x.TypeName).kind == voidKind {
			l.effect(x.CastExpression)
			return
		}
		l.expr(x)
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond {
			yes, no, end := l.node(), l.node(), l.node()
			l.branch(x.LogicalOrExpression, yes, no)
			l.cur = yes
			l.effect(x.ExpressionList)
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

// branch goes to yes where n is not 0, else to no.
func (l *lowerer) branch(n cc.ExpressionNode, yes, no int) {
	l.at(n)
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
		if call, ok := unwrap(x.CastExpression).(*cc.PostfixExpression); ok && x.Case == cc.CastExpressionCast {
			if l.u.maker.typeName(x.TypeName).kind == boolKind {
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
	e = fold(e)
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
	case v.t.kind == floatKind:
		l.u.refuse(n, v.t.name)
	case !v.t.scalar():
		l.u.fail(n, "", "%s is no condition", v.t.name)
	}
	if b, ok := v.e.(program.Binary); ok && b.Op.Bool() {
		return v.e
	}
	if x, ok := v.e.(program.Unary); ok && x.Op == program.LogicalNot {
		return v.e
	}
	return fold(bin(program.Ne, v.e, program.Const(0)))
}

// pure is true of an expression that can be evaluated without a step: it reads
// registers, and nothing in it can go wrong.
func (l *lowerer) pure(n cc.ExpressionNode) bool {
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
			return l.pure(x.CastExpression) && l.u.maker.typeName(x.TypeName).scalar()
		}
	case *cc.LogicalAndExpression:
		return x.Case == cc.LogicalAndExpressionLAnd && l.pure(x.LogicalAndExpression) && l.pure(x.InclusiveOrExpression)
	case *cc.LogicalOrExpression:
		return x.Case == cc.LogicalOrExpressionLOr && l.pure(x.LogicalOrExpression) && l.pure(x.LogicalAndExpression)
	default:
		if op, a, b, ok := operands(x); ok {
			return b == nil && l.pure(a) ||
				b != nil && op != divOp && op != remOp && op != shlOp && op != shrOp && (op > mulOp || !l.u.opts.Overflow) && l.pure(a) && l.pure(b)
		}
	}
	return false
}

// logical is x && y or x || y as a value.
func (l *lowerer) logical(n cc.ExpressionNode, op program.BinaryOp, x, y cc.ExpressionNode) value {
	a := l.expr(x)
	ae := l.truth(x, a)
	if k, ok := fold(ae).(program.Const); ok {
		if (k != 0) == (op == program.LogicalOr) {
			return value{t: intType, e: program.Const(program.Bool(k != 0))}
		}
		b := l.expr(y)
		return value{t: intType, e: l.truth(y, b)}
	}
	if l.pure(y) {
		b := l.expr(y)
		return value{t: intType, e: fold(bin(op, ae, l.truth(y, b)))}
	}
	r := l.temp(intType)
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
	b := l.expr(y)
	l.assign(r, l.truth(y, b))
	l.land(end)
	return value{t: intType, e: program.Reg(r)}
}

// conditional is c ? x : y as a value.
func (l *lowerer) conditional(n *cc.ConditionalExpression) value {
	// What both sides are decides of what type the value is.
	xt := l.typeOf(n.ExpressionList).decay()
	yt := l.typeOf(n.ConditionalExpression).decay()
	t := l.common(n, xt, yt, n.ExpressionList, n.ConditionalExpression)
	if l.constOnly+l.staticInit > 0 && t.scalar() {
		// A constant expression: the side that is taken counts.
		if c, ok := l.u.constantMaybe(n.LogicalOrExpression); ok {
			if c != 0 {
				return l.convert(l.expr(n.ExpressionList), t)
			}
			return l.convert(l.expr(n.ConditionalExpression), t)
		}
	}
	yes, no, end := l.node(), l.node(), l.node()
	l.branch(n.LogicalOrExpression, yes, no)
	var regs []int
	switch {
	case t.aggregate():
		for _, s := range l.u.flatten(t, "", 0, nil) {
			regs = append(regs, l.temp(s.t))
		}
	case t.kind != voidKind:
		regs = []int{l.temp(t)}
	}
	arm := func(q int, e cc.ExpressionNode) {
		l.cur = q
		v := l.expr(e)
		if t.kind != voidKind {
			v = l.convert(v, t)
			l.assignAll(regs, v)
		}
		l.land(end)
	}
	arm(yes, n.ExpressionList)
	arm(no, n.ConditionalExpression)
	return l.fromRegs(t, regs)
}

// assignAll puts the scalars of v into registers.
func (l *lowerer) assignAll(regs []int, v value) {
	if v.t.aggregate() {
		for i, r := range regs {
			l.assign(r, v.agg[i])
		}
		return
	}
	for _, r := range regs {
		l.assign(r, v.e)
	}
}

func (l *lowerer) fromRegs(t *ctype, regs []int) value {
	v := value{t: t}
	if t.aggregate() {
		for _, r := range regs {
			v.agg = append(v.agg, program.Reg(r))
		}
	} else if len(regs) > 0 {
		v.e = program.Reg(regs[0])
	}
	return v
}

// common is the type of c ? x : y.
func (l *lowerer) common(n cc.Node, x, y *ctype, xn, yn cc.ExpressionNode) *ctype {
	switch {
	case x.integer() && y.integer():
		return usual(x, y)
	case x.kind == floatKind || y.kind == floatKind:
		l.u.refuse(n, unmodelled(x, y))
	case x.kind == voidKind || y.kind == voidKind:
		return voidType
	case x.aggregate() && x.same(y):
		return x
	case x.kind == pointerKind && y.kind == pointerKind:
		if y.elem.kind == voidKind && !l.null(yn) || l.null(xn) {
			return y
		}
		return x
	case x.kind == pointerKind && y.integer():
		return x
	case y.kind == pointerKind && x.integer():
		return y
	}
	l.u.fail(n, "", "the sides of ?: are %s and %s", x.name, y.name)
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

// assignment is x = y or x op= y.
func (l *lowerer) assignment(n *cc.AssignmentExpression, used bool) value {
	if n.Case == cc.AssignmentExpressionCond {
		return l.expr(n.ConditionalExpression)
	}
	if n.Case == cc.AssignmentExpressionAssign {
		var p place
		var v value
		if _, call := unwrap(n.AssignmentExpression).(*cc.PostfixExpression); call {
			// A call may be long; the place is looked up after it.
			v = l.expr(n.AssignmentExpression)
			p = l.lvalue(n.UnaryExpression)
		} else {
			p = l.lvalue(n.UnaryExpression)
			v = l.expr(n.AssignmentExpression)
		}
		l.at(n)
		l.assignable(n, p)
		v = l.coerce(n, v, p.t)
		l.store(p, v)
		if p.bits > 0 {
			return value{t: bitType(p), e: l.bits(place{t: p.t, bits: p.bits}, v.e)}
		}
		if p.addr == nil {
			v.e = program.Reg(p.reg) // v may be about its old value
		}
		return value{t: p.t.plain(), e: v.e, agg: v.agg}
	}
	op := [...]operator{
		cc.AssignmentExpressionMul: mulOp, cc.AssignmentExpressionDiv: divOp, cc.AssignmentExpressionMod: remOp,
		cc.AssignmentExpressionAdd: addOp, cc.AssignmentExpressionSub: subOp, cc.AssignmentExpressionLsh: shlOp,
		cc.AssignmentExpressionRsh: shrOp, cc.AssignmentExpressionAnd: andOp, cc.AssignmentExpressionXor: xorOp,
		cc.AssignmentExpressionOr: orOp,
	}[n.Case]
	p := l.lvalue(n.UnaryExpression)
	l.assignable(n, p)
	y := l.expr(n.AssignmentExpression)
	l.at(n)
	_, v := l.modify(n, p, op, y, seqCst, used)
	return v
}

// assignable fails where p cannot be assigned to.
func (l *lowerer) assignable(n cc.Node, p place) {
	switch {
	case p.fn != "":
		l.u.fail(n, "", "a function cannot be assigned to")
	case p.t.kind == arrayKind:
		l.u.fail(n, "assign to its elements", "an array cannot be assigned to")
	case p.t.konst:
		l.u.fail(n, "", "what is const cannot be assigned to")
	}
}

// increment is x++ and its kin.
func (l *lowerer) increment(n cc.Node, x cc.ExpressionNode, op operator, prefix, used bool) value {
	p := l.lvalue(x)
	l.at(n)
	l.assignable(n, p)
	old, v := l.modify(n, p, op, value{t: intType, e: program.Const(1)}, seqCst, used)
	if prefix {
		return v
	}
	return old
}

// modify is p = p op y, in one step where p is atomic. It gives the value before and
// after.
func (l *lowerer) modify(n cc.Node, p place, op operator, y value, ord int, used bool) (old, new value) {
	t := p.t.plain()
	if !p.t.atomic || p.bits > 0 {
		old = l.load(p)
		if used && p.addr == nil {
			// The register will have changed when the old value is used.
			r := l.temp(old.t)
			l.assign(r, old.e)
			old.e = program.Reg(r)
		}
		new = l.coerce(n, l.binary(n, op, old, y), t)
		l.store(p, new)
		if p.bits > 0 {
			new = value{t: bitType(p), e: l.bits(place{t: p.t, bits: p.bits}, new.e)}
		} else if p.addr == nil {
			new.e = program.Reg(p.reg)
		}
		return old, new
	}
	if !t.scalar() {
		l.u.fail(n, "", "%s is no operand here", t.name)
	}
	r := l.temp(t)
	old = value{t: t, e: program.Reg(r)}
	new = l.coerce(n, l.wrapping(n, op, old, y), t)
	l.rmw("rmw", p, r, new.e, ord)
	return old, new
}

// wrapping is x op y of an atomic operation, which wraps around.
func (l *lowerer) wrapping(n cc.Node, op operator, x, y value) value {
	was := l.wraps
	l.wraps = true
	v := l.binary(n, op, x, y)
	l.wraps = was
	return v
}

// rmw writes one step that loads p into the register old and stores e there.
func (l *lowerer) rmw(name string, p place, old int, e program.Expr, ord int) {
	l.rmwAddress(p)
	l.look(p)
	if p.parts == nil {
		l.emit(program.Command{Op: program.Atomic, Text: name, Body: []program.Command{
			{Op: program.Load, Reg: old, Addr: p.addr, Tags: p.tags(ord)},
			{Op: program.Store, Addr: p.addr, Value: fold(e), Tags: p.tags(ord)},
		}})
		return
	}
	var loads, stores []program.Command
	var es []program.Expr
	after := p.split(value{t: p.t.plain(), e: e})
	for i, c := range l.cells(p) {
		r := l.temp(c.t)
		es = append(es, program.Reg(r))
		loads = append(loads, program.Command{Op: program.Load, Reg: r, Addr: c.addr, Tags: c.tags(ord)})
		stores = append(stores, program.Command{Op: program.Store, Addr: c.addr, Value: after[i], Tags: c.tags(ord)})
	}
	loads = append(loads, program.Command{Op: program.Assign, Reg: old, Value: l.whole(p, es).e})
	l.emit(program.Command{Op: program.Atomic, Text: name, Body: append(loads, stores...)})
}

func (l *lowerer) rmwAddress(p place) {
	if p.addr == nil || p.bits > 0 {
		l.u.failAt(l.pos(), "", "an atomic operation on what has no address")
	}
}

// cast is (t)v.
func (l *lowerer) cast(n cc.Node, v value, t *ctype) value {
	if t.kind == voidKind {
		return value{t: voidType}
	}
	if !t.scalar() && !t.same(v.t) {
		l.u.fail(n, "", "a cast to %s", t.name)
	}
	if t.kind == floatKind || v.t.kind == floatKind {
		l.u.refuse(n, unmodelled(t, v.t))
	}
	return l.convert(v, t.plain())
}

// coerce converts v to t as an assignment does.
func (l *lowerer) coerce(n cc.Node, v value, t *ctype) value {
	switch {
	case v.t.kind == voidKind && t.kind != voidKind:
		l.u.fail(n, "", "an expression without a value is used")
	case t.aggregate() && !t.same(v.t), v.t.aggregate() && !t.aggregate():
		l.u.fail(n, "", "%s is no %s", v.t.name, t.name)
	}
	return l.convert(v, t.plain())
}

// convert is v as a value of type t.
func (l *lowerer) convert(v value, t *ctype) value {
	switch {
	case t.kind == floatKind || v.t.kind == floatKind:
		l.u.refuseHere(unmodelled(t, v.t))
	case v.t.aggregate() || t.aggregate() || t.kind == voidKind:
		v.t = t
		return v
	case v.e == nil:
		l.u.failAt(l.pos(), "", "an expression without a value is used")
	case t.kind == boolKind:
		return value{t: t, e: l.truth(nil, v)}
	}
	if v.site != nil && t.kind == pointerKind && v.site.elem == nil && !t.elem.incomplete() && t.elem.kind != voidKind {
		v.site.elem = t.elem
	}
	from, to := v.t.word(), t.word()
	if !fits(from, to) && to.Bits < 64 && !small(v.e, to) {
		v.e = fold(un(program.Cast(to), v.e))
	}
	v.t = t
	return v
}

// unmodelled is the name of the one of two types that is not modelled.
func unmodelled(x, y *ctype) string {
	if x.kind == floatKind {
		return x.name
	}
	return y.name
}

// fits is true where every value of type from is one of type to.
func fits(from, to program.Type) bool {
	switch {
	case from == to:
		return true
	case from.Signed == to.Signed:
		return from.Bits <= to.Bits
	case to.Signed:
		return from.Bits < to.Bits
	}
	return false
}

// small is true of an expression whose value is 0 or 1.
func small(e program.Expr, to program.Type) bool {
	switch e := e.(type) {
	case program.Binary:
		return e.Op.Bool()
	case program.Unary:
		return e.Op == program.LogicalNot
	case program.Const:
		return to.Wrap(int64(e)) == int64(e)
	}
	return false
}

// promote is the integer promotion.
func promote(t *ctype) *ctype {
	if t.integer() && t.rank < intType.rank {
		return intType
	}
	return t.plain()
}

// usual is the type that the usual arithmetic conversions lead to.
func usual(x, y *ctype) *ctype {
	x, y = promote(x), promote(y)
	switch {
	case x.signed == y.signed:
		if x.rank >= y.rank {
			return x
		}
		return y
	case x.signed:
		x, y = y, x
	}
	// x is the unsigned one.
	switch {
	case x.rank >= y.rank:
		return x
	case y.size > x.size:
		return y
	case y.rank == longType.rank:
		return ulongType
	}
	return ullngType
}

// binary is x op y.
func (l *lowerer) binary(n cc.Node, op operator, x, y value) value {
	if x.t.kind == floatKind || y.t.kind == floatKind {
		l.u.refuse(n, unmodelled(x.t, y.t))
	}
	if !x.t.scalar() || !y.t.scalar() {
		bad := x.t
		if x.t.scalar() {
			bad = y.t
		}
		l.u.fail(n, "", "%s is no operand here", bad.name)
	}
	if op >= eqOp {
		return l.compare(n, op, x, y)
	}
	xp, yp := x.t.kind == pointerKind, y.t.kind == pointerKind
	switch {
	case op == addOp && xp && !yp:
		return l.advance(n, x, y, program.Add)
	case op == addOp && yp && !xp:
		return l.advance(n, y, x, program.Add)
	case op == subOp && xp && !yp:
		return l.advance(n, x, y, program.Sub)
	case op == subOp && xp && yp:
		size := l.elemSize(n, x.t)
		return value{t: longType, e: fold(bin(program.Div, bin(program.Sub, x.e, y.e), program.Const(size)))}
	case xp || yp:
		l.u.fail(n, "", "a pointer is no operand here")
	}
	if op == shlOp || op == shrOp {
		return l.shift(n, op, x, y)
	}
	t := usual(x.t, y.t)
	x, y = l.convert(x, t), l.convert(y, t)
	unsigned64 := !t.signed && t.size == 8
	if op == addOp || op == subOp || op == mulOp {
		l.checkOverflow(op, x.e, y.e, t)
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
		l.assert(bin(program.Ne, y.e, program.Const(0)), "division by zero")
		if _, k := y.e.(program.Const); t.signed && (!k || y.e == program.Const(-1)) {
			l.assert(bin(program.LogicalOr, bin(program.Ne, y.e, program.Const(-1)),
				bin(program.Ne, x.e, program.Const(t.word().Min()))), "overflow of a division")
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
		return value{t: t, e: fold(e)}
	case andOp:
		return value{t: t, e: fold(bin(program.BitAnd, x.e, y.e))}
	case orOp:
		return value{t: t, e: fold(bin(program.BitOr, x.e, y.e))}
	case xorOp:
		return value{t: t, e: fold(bin(program.BitXor, x.e, y.e))}
	}
	return value{t: t, e: wrap(e, t)}
}

// wrap reduces e to t.
func wrap(e program.Expr, t *ctype) program.Expr {
	e = fold(e)
	if t.size == 8 {
		return e
	}
	return fold(un(program.Cast(t.word()), e))
}

func (l *lowerer) shift(n cc.Node, op operator, x, y value) value {
	t := promote(x.t)
	x, y = l.convert(x, t), l.convert(y, promote(y.t))
	width := program.Const(t.size * 8)
	l.assert(bin(program.ULt, y.e, width), "shift by a number of bits that %s does not have", t.name)
	if op == shlOp {
		l.checkOverflow(op, x.e, y.e, t)
		return value{t: t, e: wrap(bin(program.Shl, x.e, y.e), t)}
	}
	if !t.signed && t.size == 8 {
		return value{t: t, e: fold(bin(program.UShr, x.e, y.e))}
	}
	return value{t: t, e: fold(bin(program.Shr, x.e, y.e))}
}

func (l *lowerer) compare(n cc.Node, op operator, x, y value) value {
	unsigned := false
	switch {
	case x.t.kind == pointerKind || y.t.kind == pointerKind:
		unsigned = true
	default:
		t := usual(x.t, y.t)
		x, y = l.convert(x, t), l.convert(y, t)
		unsigned = !t.signed && t.size == 8
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
	return value{t: intType, e: fold(e)}
}

// elemSize is how far apart the elements are that a pointer of type t walks over.
func (l *lowerer) elemSize(n cc.Node, t *ctype) int64 {
	if t.elem.kind == functionKind || t.elem.kind == voidKind {
		return 1 // as GCC has it
	}
	if t.elem.incomplete() || t.elem.size == 0 {
		l.u.fail(n, "", "arithmetic on a pointer to %s, which has no size here", t.elem.name)
	}
	return t.elem.size
}

// advance is p + i or p - i.
func (l *lowerer) advance(n cc.Node, p, i value, op program.BinaryOp) value {
	size := l.elemSize(n, p.t)
	off := fold(bin(program.Mul, i.e, program.Const(size)))
	return value{t: p.t, e: fold(bin(op, p.e, off))}
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
		return l.load(l.lvalue(n))
	case cc.UnaryExpressionSizeofExpr:
		if x, ok := unwrap(n.UnaryExpression).(*cc.PrimaryExpression); ok && x.Case == cc.PrimaryExpressionIdent {
			if v := l.frame.vars[resolved(x)]; v != nil && v.varying {
				return value{t: ulongType, e: program.Reg(v.bytes)}
			}
		}
		return l.sizeof(n, l.typeOf(n.UnaryExpression))
	case cc.UnaryExpressionSizeofType:
		return l.sizeof(n, l.u.maker.typeName(n.TypeName))
	case cc.UnaryExpressionAlignofExpr:
		return value{t: ulongType, e: program.Const(l.typeOf(n.UnaryExpression).align)}
	case cc.UnaryExpressionAlignofType:
		return value{t: ulongType, e: program.Const(l.u.maker.typeName(n.TypeName).align)}
	case cc.UnaryExpressionPlus, cc.UnaryExpressionMinus, cc.UnaryExpressionCpl, cc.UnaryExpressionNot:
		v := l.expr(n.CastExpression)
		l.at(n)
		if n.Case == cc.UnaryExpressionNot {
			return value{t: intType, e: fold(program.NotExpr(l.truth(n, v)))}
		}
		if v.t.kind == floatKind {
			l.u.refuse(n, v.t.name)
		}
		if !v.t.integer() {
			l.u.fail(n, "", "%s is no operand here", v.t.name)
		}
		t := promote(v.t)
		v = l.convert(v, t)
		switch n.Case {
		case cc.UnaryExpressionMinus:
			l.checkNegation(v.e, t)
			v.e = wrap(un(program.Neg, v.e), t)
		case cc.UnaryExpressionCpl:
			v.e = fold(un(program.Complement, v.e))
			if !t.signed {
				v.e = wrap(v.e, t)
			}
		}
		return v
	}
	l.u.refuse(n, "the operator "+n.Token.SrcStr())
	panic("unreachable")
}

func (l *lowerer) sizeof(n cc.Node, t *ctype) value {
	switch {
	case t.kind == voidKind || t.kind == functionKind:
		return value{t: ulongType, e: program.Const(1)} // as GCC has it
	case t.incomplete():
		l.u.fail(n, "", "%s has no size here", t.name)
	}
	return value{t: ulongType, e: program.Const(t.size)}
}

// address is &x.
func (l *lowerer) address(n *cc.UnaryExpression) value {
	p := l.lvalue(n.CastExpression)
	switch {
	case p.fn != "":
		return value{t: pointerTo(p.t), e: program.Const(l.u.function(p.fn))}
	case p.bits > 0:
		l.u.fail(n, "", "the address of a bit-field")
	case p.addr == nil:
		if l.dryness > 0 {
			return value{t: pointerTo(p.t), e: program.Const(0)}
		}
		l.u.refuse(n, "the address of this variable here")
	}
	return value{t: pointerTo(p.t), e: p.addr}
}

// lvalue is the place that n denotes.
func (l *lowerer) lvalue(n cc.ExpressionNode) place {
	l.at(n)
	switch x := unwrap(n).(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionIdent:
			d := resolved(x)
			if x.Token.SrcStr() == "__func__" {
				return l.literal(l.frame.name)
			}
			if d == nil || d.IsSynthetic() {
				if l.isBuiltin(x.Token.SrcStr()) || attribute(x.Token.SrcStr()) {
					return place{t: &ctype{kind: functionKind, elem: intType, align: 1, name: "function"}, fn: x.Token.SrcStr()}
				}
				l.u.fail(x, "", "%s is not declared", x.Token.SrcStr())
			}
			return l.variable(x, d)
		case cc.PrimaryExpressionString:
			if s, ok := x.Value().(cc.StringValue); ok {
				return l.literal(string(s))
			}
		case cc.PrimaryExpressionLString:
			l.u.refuse(x, "a wide string")
		case cc.PrimaryExpressionGeneric:
			return l.lvalue(l.generic(x.GenericSelection))
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionDeref {
			if v, ok := l.disguised(x.CastExpression); ok {
				return l.spill(v)
			}
			v := l.expr(x.CastExpression)
			l.at(n)
			if v.t.kind != pointerKind {
				l.u.fail(x, "", "%s is no pointer", v.t.name)
			}
			return l.pointee(v)
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionIndex:
			p := l.expr(x.PostfixExpression)
			i := l.expr(x.ExpressionList)
			l.at(n)
			if i.t.kind == pointerKind {
				p, i = i, p
			}
			if p.t.kind != pointerKind || !i.t.integer() {
				l.u.fail(x, "", "this cannot be indexed")
			}
			e := l.pointee(l.advance(x, p, i, program.Add))
			if base, ok := p.e.(program.Const); ok {
				if at := l.typeOf(x.PostfixExpression); at.kind == arrayKind && at.len > 0 {
					e.lo, e.hi = int64(base), int64(base)+at.size
				}
			}
			return e
		case cc.PostfixExpressionSelect:
			p, ok := l.maybeLvalue(x.PostfixExpression)
			if !ok {
				p = l.spill(l.expr(x.PostfixExpression))
			}
			return l.selectMember(x, p, x.Token2.SrcStr())
		case cc.PostfixExpressionPSelect:
			v := l.expr(x.PostfixExpression)
			l.at(n)
			if v.t.kind != pointerKind {
				l.u.fail(x, "did you mean . in place of ->?", "%s is no pointer", v.t.name)
			}
			return l.selectMember(x, l.pointee(v), x.Token2.SrcStr())
		case cc.PostfixExpressionComplit:
			return l.compoundLiteral(x)
		}
	}
	l.u.fail(n, "", "this has no place in memory")
	panic("unreachable")
}

// maybeLvalue is lvalue where n can be one.
func (l *lowerer) maybeLvalue(n cc.ExpressionNode) (place, bool) {
	switch x := unwrap(n).(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionIdent:
			if _, enum := x.ResolvedTo().(*cc.Enumerator); enum {
				return place{}, false
			}
			return l.lvalue(n), true
		case cc.PrimaryExpressionString:
			return l.lvalue(n), true
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionDeref {
			if _, ok := disguise(x.CastExpression); ok {
				return place{}, false
			}
			return l.lvalue(n), true
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionIndex, cc.PostfixExpressionPSelect, cc.PostfixExpressionComplit:
			return l.lvalue(n), true
		case cc.PostfixExpressionSelect:
			p, ok := l.maybeLvalue(x.PostfixExpression)
			if ok {
				return l.selectMember(x, p, x.Token2.SrcStr()), true
			}
		}
	}
	return place{}, false
}

// pointee is the place that v points to.
func (l *lowerer) pointee(v value) place {
	if v.t.elem.kind == functionKind {
		if k, ok := v.e.(program.Const); ok {
			if name := l.u.functionAt(int64(k)); name != "" {
				return place{t: v.t.elem, fn: name}
			}
		}
	}
	return place{t: v.t.elem, addr: v.e}
}

// spill puts a value that is none of an object into memory.
func (l *lowerer) spill(v value) place {
	if l.dryness > 0 {
		return place{t: v.t, addr: program.Const(0)}
	}
	o := l.mortal("value", v.t, l.scope)
	p := place{t: v.t, addr: program.Const(o.base)}
	l.storeAs(p, v, plain)
	return p
}

func (l *lowerer) selectMember(n cc.Node, p place, name string) place {
	if !p.t.aggregate() {
		hint := ""
		if p.t.kind == pointerKind {
			hint = "did you mean -> in place of .?"
		}
		l.u.fail(n, hint, "%s has no members", p.t.name)
	}
	if p.t.incomplete() {
		l.u.fail(n, "", "the members of %s are not known here", p.t.name)
	}
	path := p.t.find(name)
	if path == nil {
		var known []string
		for _, f := range p.t.fields {
			known = append(known, f.name)
		}
		l.u.fail(n, didYouMean(name, known), "%s has no member %s", p.t.name, name)
	}
	atomic, konst := p.t.atomic, p.t.konst
	for _, f := range path {
		inside := p.inside
		if p.t.kind == unionKind && inside == nil && l.u.divided(p.t) {
			inside = l.u.flatten(p.t, "", 0, nil)
		}
		inside = shifted(inside, f.off)
		p = place{t: f.t, addr: plus(p.addr, f.off), bits: f.bits, bitOff: f.bitOff, unit: f.unit, lo: p.lo, hi: p.hi, inside: inside}
	}
	p.t = p.t.qualified(atomic, konst)
	switch {
	case p.bits > 0:
		p.parts = partsOf(p.inside, 0, p.unit.size)
	case p.t.scalar():
		p.parts = partsOf(p.inside, 0, p.t.size)
	}
	return p
}

// literal is the object of a string literal.
func (l *lowerer) literal(s string) place {
	t := arrayOf(charType, int64(len(s)+1))
	if len(s) > 0 && s[len(s)-1] == 0 {
		t = arrayOf(charType, int64(len(s)))
	}
	o := l.u.literals[s]
	if o == nil {
		o = l.u.object("\""+s+"\"", t)
		for i := range len(s) {
			o.init[int64(i)] = int64(int8(s[i]))
		}
		l.u.literals[s] = o
	}
	return place{t: t, addr: program.Const(o.base)}
}

// compoundLiteral is (T){...}.
func (l *lowerer) compoundLiteral(n *cc.PostfixExpression) place {
	t := l.u.maker.typeName(n.TypeName)
	if t.kind == arrayKind && t.len < 0 {
		t = arrayOf(t.elem, l.u.listLen(t, n.InitializerList))
	}
	if t.incomplete() {
		l.u.fail(n, "", "%s has no size here", t.name)
	}
	o := l.mortal("literal", t, l.scope)
	l.fill(o, t, l.divide(t, l.list(t, n.InitializerList)))
	return place{t: t, addr: program.Const(o.base)}
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
			return l.load(p)
		}
		// A member of a value, such as what a function gives.
		v := l.expr(n.PostfixExpression)
		return l.memberOf(n, v, n.Token2.SrcStr())
	}
	return l.load(l.lvalue(n))
}

// memberOf is the member of a value that is no object.
func (l *lowerer) memberOf(n cc.Node, v value, name string) value {
	p := l.selectMember(n, place{t: v.t, addr: program.Const(0)}, name)
	off := int64(p.addr.(program.Const))
	scalars := l.u.flatten(v.t, "", 0, nil)
	t := p.t.plain()
	var got []program.Expr
	for i, s := range scalars {
		if s.off >= off && s.off < off+max(t.size, 1) {
			got = append(got, v.agg[i])
		}
	}
	switch {
	case p.bits > 0:
		return value{t: bitType(p), e: l.bits(p, got[0])}
	case t.aggregate():
		return value{t: t, agg: got}
	case t.kind == arrayKind:
		return l.load(l.spill(value{t: t, agg: got}))
	case len(got) > 1:
		return value{t: t, e: joined(partsOf(scalars, off, t.size), got, t)}
	}
	return value{t: t, e: got[0]}
}

func (l *lowerer) primary(n *cc.PrimaryExpression) value {
	switch n.Case {
	case cc.PrimaryExpressionIdent:
		if e, ok := n.ResolvedTo().(*cc.Enumerator); ok {
			return l.enumerator(n, e)
		}
		if v, ok := l.constantVariable(n); ok {
			return v
		}
		return l.load(l.lvalue(n))
	case cc.PrimaryExpressionInt, cc.PrimaryExpressionChar, cc.PrimaryExpressionLChar:
		return l.number(n)
	case cc.PrimaryExpressionFloat:
		l.u.refuse(n, "floating point")
	case cc.PrimaryExpressionString, cc.PrimaryExpressionLString:
		return l.load(l.lvalue(n))
	case cc.PrimaryExpressionExpr:
		return l.expr(n.ExpressionList)
	case cc.PrimaryExpressionStmt:
		return l.statementExpression(n.CompoundStatement)
	case cc.PrimaryExpressionGeneric:
		return l.expr(l.generic(n.GenericSelection))
	}
	l.u.refuse(n, "this expression")
	panic("unreachable")
}

// constantVariable is the value of a const variable where a constant is asked for, such as the
// size of an array.
func (l *lowerer) constantVariable(n *cc.PrimaryExpression) (value, bool) {
	d := resolved(n)
	if l.constOnly == 0 || d == nil {
		return value{}, false
	}
	x := l.u.declared[d]
	if x == nil || x.t == nil || !x.t.konst || !x.t.integer() || x.init == nil || x.init.Case != cc.InitializerExpr {
		return value{}, false
	}
	k, ok := l.u.constantMaybe(x.init.AssignmentExpression)
	return value{t: x.t.plain(), e: program.Const(x.t.word().Wrap(k))}, ok
}

func (l *lowerer) enumerator(n cc.Node, e *cc.Enumerator) value {
	v := e.Value()
	switch k := v.(type) {
	case cc.Int64Value:
		t := intType
		if int64(int32(k)) != int64(k) {
			t = longType
		}
		return value{t: t, e: program.Const(k)}
	case cc.UInt64Value:
		t := intType
		switch {
		case k > 1<<63-1:
			t = ulongType
		case int64(int32(k)) != int64(k):
			t = longType
		}
		return value{t: t, e: program.Const(int64(k))}
	}
	l.u.fail(n, "", "the value of %s is not known", e.Token.SrcStr())
	panic("unreachable")
}

// number is an integer or character constant.
func (l *lowerer) number(n *cc.PrimaryExpression) value {
	var k int64
	switch v := n.Value().(type) {
	case cc.Int64Value:
		k = int64(v)
	case cc.UInt64Value:
		k = int64(v)
	default:
		l.u.fail(n, "", "%s is no number", n.Token.SrcStr())
	}
	t := intType
	if n.Type() != nil {
		switch n.Type().Kind() {
		case cc.UInt:
			t = uintType
		case cc.Long:
			t = longType
		case cc.ULong:
			t = ulongType
		case cc.LongLong:
			t = llongType
		case cc.ULongLong:
			t = ullngType
		}
	}
	return value{t: t, e: program.Const(t.word().Wrap(k))}
}

// generic is the expression that a _Generic selects.
func (l *lowerer) generic(n *cc.GenericSelection) cc.ExpressionNode {
	t := l.typeOf(n.AssignmentExpression).decay()
	var other cc.ExpressionNode
	for a := n.GenericAssociationList; a != nil; a = a.GenericAssociationList {
		switch ga := a.GenericAssociation; ga.Case {
		case cc.GenericAssociationType:
			if at := l.u.maker.typeName(ga.TypeName); !at.atomic && at.plain().same(t) {
				return ga.AssignmentExpression
			}
		default:
			other = ga.AssignmentExpression
		}
	}
	if other == nil {
		l.u.fail(n, "", "no association for %s", t.name)
	}
	return other
}

// statementExpression is ({ ... }).
func (l *lowerer) statementExpression(n *cc.CompoundStatement) value {
	return l.block(n, true)
}

// typeOf is the type of n, which is not evaluated.
func (l *lowerer) typeOf(n cc.ExpressionNode) (t *ctype) {
	l.dry(func() {
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
