package c

import (
	"reflect"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// assignment is x = y or x op= y.
func (l *lowerer) assignment(n *cc.AssignmentExpression, used bool) value {
	if n.Case == cc.AssignmentExpressionCond {
		return l.expr(n.ConditionalExpression)
	}
	return l.assignedInAnyOrder(n, used)
}

// assigned is an assignment whose parts are evaluated in that order.
func (l *lowerer) assigned(n *cc.AssignmentExpression, order assignmentOrder, used bool) value {
	left := func() (p place) {
		l.inPart(n.UnaryExpression, n.UnaryExpression, func() { p = l.lvalue(n.UnaryExpression) })
		return p
	}
	right := func() (v value) {
		l.inPart(n.UnaryExpression, n.AssignmentExpression, func() { v = l.expr(n.AssignmentExpression) })
		return v
	}
	if n.Case == cc.AssignmentExpressionAssign {
		var p place
		var v value
		if k := n.UnaryExpression.Type().Kind(); (k == cc.Struct || k == cc.Union) && denotes(n.AssignmentExpression) {
			var q place
			find := func() { q = l.lvalue(n.AssignmentExpression) }
			read := func() {
				l.accessed(n.AssignmentExpression, q)
				v = l.load(q)
			}
			if order == valueFirst {
				l.inPart(n.UnaryExpression, n.AssignmentExpression, func() { find(); read() })
			}
			p = left()
			if order != valueFirst {
				l.inPart(n.UnaryExpression, n.AssignmentExpression, find)
			}
			l.overlapping(n, p, q)
			if order != valueFirst {
				l.inPart(n.UnaryExpression, n.AssignmentExpression, read)
			}
		} else if _, call := unwrap(n.AssignmentExpression).(*cc.PostfixExpression); order == valueFirst || call && order == anyOrder {
			// A call may be long; the place is looked up after it.
			v = right()
			p = left()
		} else {
			p = left()
			v = right()
		}
		l.at(n)
		l.assignable(n, p)
		l.accessed(n.UnaryExpression, p)
		v = l.coerce(n, v, p.t)
		if p.addr != nil {
			l.renewing(n, p.addr, p.t)
		}
		l.store(p, v)
		if p.bits > 0 {
			return value{t: bitType(p), e: l.bits(place{t: p.t, bits: p.bits}, v.e)}
		}
		if p.addr == nil {
			v.e = program.Reg(p.reg) // v may be about its old value
		}
		return value{t: p.t.Plain(), e: v.e, agg: v.agg, sets: v.sets, of: l.cameFrom(p)}
	}
	op := [...]operator{
		cc.AssignmentExpressionMul: mulOp, cc.AssignmentExpressionDiv: divOp, cc.AssignmentExpressionMod: remOp,
		cc.AssignmentExpressionAdd: addOp, cc.AssignmentExpressionSub: subOp, cc.AssignmentExpressionLsh: shlOp,
		cc.AssignmentExpressionRsh: shrOp, cc.AssignmentExpressionAnd: andOp, cc.AssignmentExpressionXor: xorOp,
		cc.AssignmentExpressionOr: orOp,
	}[n.Case]
	var y value
	if order == valueFirst {
		y = right()
	}
	p := left()
	l.assignable(n, p)
	var old *value
	if order == placeFirst && (!p.t.Atomic || p.bits > 0) { // what is atomic is read where it is changed
		v := l.readSide(n, p)
		old = &v
	}
	if order != valueFirst {
		y = right()
	}
	if old == nil && p.t.Volatile && (!p.t.Atomic || p.bits > 0) {
		v := l.readSide(n, p)
		old = &v
	}
	l.accessed(n.UnaryExpression, p)
	l.at(n)
	_, v := l.modify(n, p, old, op, y, seqCst, used)
	return v
}

// readSide is what the place of an assignment has.
func (l *lowerer) readSide(n *cc.AssignmentExpression, p place) (v value) {
	l.inPart(n.UnaryExpression, n.UnaryExpression, func() { v = l.load(p) })
	return v
}

// overlapping asserts that a structure is not assigned to a place of which its own is a part (C11, 6.5.16.1p3), as far as the two are told from
// one address. Those of a type that are objects of their own lie apart.
func (l *lowerer) overlapping(n cc.Node, p, q place) {
	if p.addr == nil || q.addr == nil {
		return
	}
	x, i := offsetOf(p.addr)
	y, k := offsetOf(q.addr)
	if i != k && i < k+q.t.Size && k < i+p.t.Size && reflect.DeepEqual(x, y) {
		l.assertThat(program.Const(0), n, "in %s no part of what is assigned is where it goes", overlapText)
	}
}

// offsetOf is an address as what a constant is added to.
func offsetOf(e program.Expr) (program.Expr, int64) {
	switch x := e.(type) {
	case program.Const:
		return program.Const(0), int64(x)
	case program.Binary:
		if k, ok := x.Y.(program.Const); ok && x.Op == program.Add {
			return x.X, int64(k)
		}
	}
	return e, 0
}

// assignable fails where p cannot be assigned to.
func (l *lowerer) assignable(n cc.Node, p place) {
	switch {
	case p.fn != "":
		l.u.fail(n, "", "a function cannot be assigned to")
	case p.t.Kind == types.ArrayKind:
		l.u.fail(n, "assign to its elements", "an array cannot be assigned to")
	case p.t.Const:
		l.u.fail(n, "", "what is const cannot be assigned to")
	}
}

// increment is x++ and its kin.
func (l *lowerer) increment(n cc.Node, x cc.ExpressionNode, op operator, prefix, used bool) value {
	p := l.lvalue(x)
	l.at(n)
	l.assignable(n, p)
	l.accessed(x, p)
	old, v := l.modify(n, p, nil, op, value{t: types.Int, e: program.Const(1)}, seqCst, used)
	if prefix {
		return v
	}
	return old
}

// modify is p = p op y, in one step where p is atomic. It gives the value before and
// after. The value before may have been read, where p is not atomic.
func (l *lowerer) modify(n cc.Node, p place, read *value, op operator, y value, ord int, used bool) (old, new value) {
	t := p.t.Plain()
	if !p.t.Atomic || p.bits > 0 {
		if read == nil {
			v := l.load(p)
			read = &v
		}
		old = *read
		if used && p.addr == nil {
			// The register will have changed when the old value is used.
			r := l.temp(old.t)
			l.assign(r, old.e)
			old.e = program.Reg(r)
			old.of = l.origins[p.reg].of(old.e)
		}
		new = l.coerce(n, l.binary(n, op, old, y), t)
		l.store(p, new)
		if p.bits > 0 {
			new = value{t: bitType(p), e: l.bits(place{t: p.t, bits: p.bits}, new.e)}
		} else if p.addr == nil {
			new.e, new.of = program.Reg(p.reg), l.cameFrom(p)
		}
		return old, new
	}
	if t.TwoWords {
		l.u.refuse(n, "arithmetic on an atomic object of type "+t.Name)
	}
	if !t.Scalar() {
		l.u.fail(n, "", "%s is no operand here", t.Name)
	}
	r := l.temp(t)
	old = value{t: t, e: program.Reg(r)}
	new = l.coerce(n, l.wrapping(n, op, old, y), t)
	l.rmw("rmw", p, r, new.e, ord)
	return old, new
}

// rmw writes one step that loads p into the register old and stores e there.
func (l *lowerer) rmw(name string, p place, old int, e program.Expr, ord int) {
	l.rmwAddress(p)
	l.look(p)
	if p.parts == nil {
		read := p.tags(ord)
		if l.noreturn {
			read = target.InKernel(read, "Noreturn")
		}
		l.emit(program.Command{Op: program.Atomic, Text: name, Body: []program.Command{
			{Op: program.Load, Reg: old, Addr: p.addr, Tags: read},
			{Op: program.Store, Addr: p.addr, Value: flowgraph.Fold(e), Tags: p.tags(ord)},
		}})
		return
	}
	loads, stores, es := l.exchanges(p, value{t: p.t.Plain(), e: e}, ord)
	loads = append(loads, program.Command{Op: program.Assign, Reg: old, Value: l.whole(p, es).e})
	l.emit(program.Command{Op: program.Atomic, Text: name, Body: append(loads, stores...)})
}

func (l *lowerer) rmwAddress(p place) {
	if p.addr == nil || p.bits > 0 {
		l.u.failAt(l.pos(), "", "an atomic operation on what has no address")
	}
}
