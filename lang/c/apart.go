package c

import (
	"modernc.org/cc/v4"
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
	of *ctype
	to field
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
	var t, u *ctype
	var ta, tb trail
	if l.try(a, func() {
		t, u = l.typeOf(a), l.typeOf(b)
		ta, tb = l.trail(a), l.trail(b)
	}) != nil {
		return 0, 0, true // nor is it evaluated
	}
	size := func(t *ctype) bool { return t.scalar() || t.aggregate() && !t.incomplete() }
	switch {
	case !size(t), !size(u): // an array is no value
		return 0, 0, true
	case t.scalar() && u.scalar() && !ofBytes(t) && !ofBytes(u) && (t.kind != u.kind && !(t.integer() && u.integer()) || t.size != u.size):
		return 0, 0, true
	case ta.root != nil && tb.root != nil && ta.root != tb.root:
		return 0, 0, true
	case ta.root != nil && tb.root == nil && l.inRegister(ta.root), tb.root != nil && ta.root == nil && l.inRegister(tb.root):
		return 0, 0, true
	case (ta.root == nil) != (tb.root == nil):
		return t.size, u.size, false
	}
	if ofBytes(t) != ofBytes(u) { // a part of the other one
		return t.size, u.size, false
	}
	for i := range min(len(ta.steps), len(tb.steps)) {
		p, q := ta.steps[i], tb.steps[i]
		if p.of == nil || q.of == nil {
			if p.of != q.of {
				break
			}
			continue
		}
		if !p.of.same(q.of) {
			break
		}
		if p.of.kind == structKind && (p.to.off != q.to.off || p.to.bitOff != q.to.bitOff) {
			return 0, 0, true
		}
		if p.of.kind == unionKind && (p.to.name != q.to.name || !p.to.t.same(q.to.t)) {
			break
		}
	}
	return t.size, u.size, false
}

// ofBytes is true of a type by which every object may be accessed.
func ofBytes(t *ctype) bool { return t.size == 1 && t.integer() && t.kind != boolKind }

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
			if t := l.typeOf(x.PostfixExpression).decay(); t.kind == pointerKind {
				var r trail
				r.through(t.elem, x.Token2.SrcStr())
				return r
			}
		case cc.PostfixExpressionIndex:
			if l.typeOf(x.PostfixExpression).kind == arrayKind {
				t := l.trail(x.PostfixExpression)
				t.steps = append(t.steps, trailStep{})
				return t
			}
		}
	}
	return trail{}
}

// through goes on to the member of t of that name, through those without names that it is in.
func (r *trail) through(t *ctype, name string) {
	for _, f := range t.find(name) {
		r.steps = append(r.steps, trailStep{t, f})
		t = f.t
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
