package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// cast is (t)v.
func (l *lowerer) cast(n cc.Node, v value, t *types.Type) value {
	if t.Kind == types.VoidKind {
		return value{t: types.Void}
	}
	if !t.Scalar() && !t.Same(v.t) && !t.TwoWords {
		l.u.fail(n, "", "a cast to %s", t.Name)
	}
	if t.Kind == types.OtherKind || v.t.Kind == types.OtherKind {
		l.u.refuse(n, unmodelled(t, v.t))
	}
	l.keepsDates(v.t, t)
	l.aligns(v, t)
	return l.convert(v, t.Plain())
}

// coerce converts v to t as an assignment does.
func (l *lowerer) coerce(n cc.Node, v value, t *types.Type) value {
	switch {
	case v.t.Kind == types.VoidKind && t.Kind != types.VoidKind:
		l.u.fail(n, "", "an expression without a value is used")
	case t.TwoWords || v.t.TwoWords:
	case t.Aggregate() && !t.Same(v.t), v.t.Aggregate() && !t.Aggregate():
		l.u.fail(n, "", "%s is no %s", v.t.Name, t.Name)
	}
	l.keepsDates(v.t, t)
	return l.convert(v, t.Plain())
}

// convert is v as a value of type t.
func (l *lowerer) convert(v value, t *types.Type) value {
	switch {
	case t.Kind == types.OtherKind || v.t.Kind == types.OtherKind:
		l.u.refuseHere(unmodelled(t, v.t))
	case (t.TwoWords || v.t.TwoWords) && t.Kind != types.VoidKind:
		return l.convertDouble(v, t)
	case v.t.Aggregate() && !t.Aggregate() && t.Kind != types.VoidKind:
		l.u.failAt(l.pos(), "", "%s where %s is wanted", v.t.Name, t.Name)
	case v.t.Aggregate() || t.Aggregate() || t.Kind == types.VoidKind:
		v.t = t
		return v
	case v.e == nil:
		l.u.failAt(l.pos(), "", "an expression without a value is used")
	case t.Kind == types.FloatKind || v.t.Kind == types.FloatKind:
		return l.convertReal(v, t)
	case t.Kind == types.BoolKind:
		return value{t: t, e: l.truth(nil, v)}
	}
	if v.site != nil && t.Kind == types.PointerKind && v.site.Elem == nil && !t.Elem.Incomplete() && t.Elem.Kind != types.VoidKind {
		v.site.Elem, v.site.Bytes = t.Elem, t.Elem.Size == 1 && t.Elem.Kind == types.IntegerKind
	}
	if v.site != nil && t.Kind == types.PointerKind && v.site.Elem != nil && l.u.packed(t.Elem) != nil && t.Elem.Same(v.site.Elem) {
		v.site.Elem = t.Elem // an atomic one of that size
	}
	if v.t.Kind == types.PointerKind && t.Kind == types.PointerKind && !v.t.Elem.Incomplete() && v.t.Elem.Size > 1 && (t.Elem.Kind == types.VoidKind || t.Elem.Size == 1) {
		v.was = v.t.Elem
		l.bytesSeen(v.t.Elem, t.Elem)
	}
	if !(v.t.Kind == types.PointerKind && t.Kind == types.PointerKind && v.t.Elem.Plain().Same(t.Elem.Plain())) {
		v.span, v.of = lowered.Interval{}, nil
	}
	from, to := v.t.Word(), t.Word()
	if !from.Fits(to) && to.Bits < 64 && !small(v.e, to) {
		v.e = flowgraph.Fold(un(program.Cast(to), v.e))
	}
	v.t = t
	return v
}

// unmodelled is the name of the one of two types that is not modelled.
func unmodelled(x, y *types.Type) string {
	if x.Kind == types.OtherKind {
		return x.Name
	}
	return y.Name
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
