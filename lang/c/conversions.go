package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// cast is (t)v.
func (l *lowerer) cast(n cc.Node, v value, t *ctype) value {
	if t.kind == voidKind {
		return value{t: voidType}
	}
	if !t.scalar() && !t.same(v.t) {
		l.u.fail(n, "", "a cast to %s", t.name)
	}
	if t.kind == otherKind || v.t.kind == otherKind {
		l.u.refuse(n, unmodelled(t, v.t))
	}
	l.keepsDates(v.t, t)
	l.aligns(v, t)
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
	l.keepsDates(v.t, t)
	return l.convert(v, t.plain())
}

// convert is v as a value of type t.
func (l *lowerer) convert(v value, t *ctype) value {
	switch {
	case t.kind == otherKind || v.t.kind == otherKind:
		l.u.refuseHere(unmodelled(t, v.t))
	case v.t.aggregate() && !t.aggregate() && t.kind != voidKind:
		l.u.failAt(l.pos(), "", "%s where %s is wanted", v.t.name, t.name)
	case v.t.aggregate() || t.aggregate() || t.kind == voidKind:
		v.t = t
		return v
	case v.e == nil:
		l.u.failAt(l.pos(), "", "an expression without a value is used")
	case t.kind == floatKind || v.t.kind == floatKind:
		return l.convertReal(v, t)
	case t.kind == boolKind:
		return value{t: t, e: l.truth(nil, v)}
	}
	if v.site != nil && t.kind == pointerKind && v.site.elem == nil && !t.elem.incomplete() && t.elem.kind != voidKind {
		v.site.elem, v.site.bytes = t.elem, t.elem.size == 1 && t.elem.kind == intKind
	}
	if v.site != nil && t.kind == pointerKind && v.site.elem != nil && l.u.packed(t.elem) != nil && t.elem.same(v.site.elem) {
		v.site.elem = t.elem // an atomic one of that size
	}
	if v.t.kind == pointerKind && t.kind == pointerKind && !v.t.elem.incomplete() && v.t.elem.size > 1 && (t.elem.kind == voidKind || t.elem.size == 1) {
		v.was = v.t.elem
	}
	if !(v.t.kind == pointerKind && t.kind == pointerKind && v.t.elem.plain().same(t.elem.plain())) {
		v.span, v.of = interval{}, nil
	}
	from, to := v.t.word(), t.word()
	if !from.Fits(to) && to.Bits < 64 && !small(v.e, to) {
		v.e = flowgraph.Fold(un(program.Cast(to), v.e))
	}
	v.t = t
	return v
}

// unmodelled is the name of the one of two types that is not modelled.
func unmodelled(x, y *ctype) string {
	if x.kind == otherKind {
		return x.name
	}
	return y.name
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
	case x.kind == floatKind && (y.kind != floatKind || x.size >= y.size):
		return x
	case y.kind == floatKind:
		return y
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
