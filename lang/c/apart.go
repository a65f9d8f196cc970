package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// Whether two places that an expression names may be one object, as far as their names and their types tell. What has been
// declared under two names is two objects, two members of a structure are, and so are objects of two types: what a number
// is stored as it is not read as a pointer, though every one is by its bytes. Where two pointers lead is known when they do.

// A trail is how a place is named: from a variable, or from where a pointer leads (root is nil), by members and elements.
type trail struct {
	root  *cc.Declarator
	steps []trailStep
}

// A trailStep goes to that member of what has that type, or to an element of it (nil).
type trailStep struct {
	of *types.Type
	to types.Field
}

// apart is whether a and b are sure to be different objects, or no objects; else it gives how many bytes they have.
func (l *lowerer) apart(a, b cc.ExpressionNode) (x, y int64, apart bool) {
	v, w := identifier(a), identifier(b)
	if v != nil && w != nil {
		return 0, 0, v != w
	}
	if l.early(a) || l.early(b) { // the expression inside is looked at for itself
		return 0, 0, true
	}
	var t, u *types.Type
	var ta, tb trail
	if l.try(a, func() {
		t, u = l.typeOf(a), l.typeOf(b)
		ta, tb = l.trail(a), l.trail(b)
	}) != nil {
		return 0, 0, true // nor is it evaluated
	}
	size := func(t *types.Type) bool { return t.Scalar() || t.Aggregate() && !t.Incomplete() }
	switch {
	case !size(t), !size(u): // an array is no value
		return 0, 0, true
	case t.Scalar() && u.Scalar() && !ofBytes(t) && !ofBytes(u) && (t.Kind != u.Kind && !(t.Integer() && u.Integer()) || t.Size != u.Size):
		return 0, 0, true
	case ta.root != nil && tb.root != nil && ta.root != tb.root:
		return 0, 0, true
	case ta.root != nil && tb.root == nil && l.inRegister(ta.root), tb.root != nil && ta.root == nil && l.inRegister(tb.root):
		return 0, 0, true
	case (ta.root == nil) != (tb.root == nil):
		return t.Size, u.Size, false
	}
	if ofBytes(t) != ofBytes(u) { // a part of the other one
		return t.Size, u.Size, false
	}
	for i := range min(len(ta.steps), len(tb.steps)) {
		p, q := ta.steps[i], tb.steps[i]
		if p.of == nil || q.of == nil {
			if p.of != q.of {
				break
			}
			continue
		}
		if !p.of.Same(q.of) {
			break
		}
		if p.of.Kind == types.StructKind && (p.to.Offset != q.to.Offset || p.to.BitOffset != q.to.BitOffset) {
			return 0, 0, true
		}
		if p.of.Kind == types.UnionKind && (p.to.Name != q.to.Name || !p.to.Type.Same(q.to.Type)) {
			break
		}
	}
	return t.Size, u.Size, false
}

// ofBytes is true of a type by which every object may be accessed.
func ofBytes(t *types.Type) bool { return t.Size == 1 && t.Integer() && t.Kind != types.BoolKind }

// inRegister is true of a variable that has no address.
func (l *lowerer) inRegister(d *cc.Declarator) bool {
	v := l.frame.vars[d]
	return v != nil && v.obj == nil && !v.varying
}

// trail is how n, which denotes a place, is named.
func (l *lowerer) trail(n cc.ExpressionNode) trail {
	switch x := unwrap(n).(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionIdent:
			return trail{root: resolved(x)}
		case cc.PrimaryExpressionGeneric:
			return l.trail(l.generic(x.GenericSelection))
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionSelect:
			t := l.trail(x.PostfixExpression)
			t.through(l.typeOf(x.PostfixExpression), x.Token2.SrcStr())
			return t
		case cc.PostfixExpressionPSelect:
			if t := l.typeOf(x.PostfixExpression).Decay(); t.Kind == types.PointerKind {
				var r trail
				r.through(t.Elem, x.Token2.SrcStr())
				return r
			}
		case cc.PostfixExpressionIndex:
			if l.typeOf(x.PostfixExpression).Kind == types.ArrayKind {
				t := l.trail(x.PostfixExpression)
				t.steps = append(t.steps, trailStep{})
				return t
			}
		}
	}
	return trail{}
}

// through goes on to the member of t of that name, through those without names that it is in.
func (r *trail) through(t *types.Type, name string) {
	for _, f := range t.Find(name) {
		r.steps = append(r.steps, trailStep{t, f})
		t = f.Type
	}
}

// denotes is true of a member of what has a place, not of a value.
func denotes(n cc.ExpressionNode) bool {
	switch x := unwrap(n).(type) {
	case *cc.PrimaryExpression:
		return x.Case == cc.PrimaryExpressionIdent || x.Case == cc.PrimaryExpressionString
	case *cc.UnaryExpression:
		return x.Case == cc.UnaryExpressionDeref
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionIndex, cc.PostfixExpressionPSelect, cc.PostfixExpressionComplit:
			return true
		case cc.PostfixExpressionSelect:
			return denotes(x.PostfixExpression)
		}
	}
	return false
}
