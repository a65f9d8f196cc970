package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// visible lists the members of a union that have cells: those that the program names, and others
// where they lie beside these or are alike; a member for its size alone is to divide nothing.
func (u *unit) visible(t *types.Type) []types.Field {
	if fs, ok := u.visibles[t.Node]; ok {
		return fs
	}
	named := u.namedMembers()
	var all []lowered.Scalar
	show := make([]bool, len(t.Fields))
	for i, f := range t.Fields {
		if u.mentioned(f, named) {
			all = append(all, u.member(f, "", 0, nil)...)
			show[i] = true
		}
	}
	for i, f := range t.Fields {
		if more := u.member(f, "", 0, nil); !show[i] && !u.collides(all, more) {
			all = append(all, more...)
			show[i] = true
		}
	}
	var fs []types.Field
	for i, f := range t.Fields {
		if show[i] {
			fs = append(fs, f)
		}
	}
	u.visibles[t.Node] = fs
	return fs
}

// divided is true of a union with members that share a part of their bytes.
func (u *unit) divided(t *types.Type) bool {
	var all []lowered.Scalar
	for _, f := range u.visible(t) {
		all = append(all, u.member(f, "", 0, nil)...)
	}
	return u.collides(all, all)
}

// mentioned is true of a member that the program names, or that has such members and no name.
func (u *unit) mentioned(f types.Field, named map[string]bool) bool {
	if f.Name != "" {
		return named[f.Name]
	}
	for _, g := range f.Type.Fields {
		if u.mentioned(g, named) {
			return true
		}
	}
	return false
}

// collides is true of scalars of which one shares a part of its bytes with another.
func (u *unit) collides(all, more []lowered.Scalar) bool {
	for _, s := range more {
		for _, o := range all {
			if s.Apart(o) && s.Off < o.Off+o.Size && o.Off < s.Off+s.Size {
				return true
			}
		}
	}
	return false
}

// namedMembers are the names that stand behind . and -> anywhere in the program; but not where
// such a member is an argument as it stands, which for an array is an address and no access, as the
// bytes of a union are in the kernel's READ_ONCE.
func (u *unit) namedMembers() map[string]bool {
	if u.members != nil {
		return u.members
	}
	u.members = map[string]bool{}
	handed := map[*cc.PostfixExpression]bool{}
	walk(u.ast.TranslationUnit, func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.PostfixExpression:
			switch n.Case {
			case cc.PostfixExpressionSelect, cc.PostfixExpressionPSelect:
				if !handed[n] {
					u.members[n.Token2.SrcStr()] = true
				}
			case cc.PostfixExpressionCall:
				for _, a := range arguments(n) {
					if x, ok := unwrap(a).(*cc.PostfixExpression); ok && x.Type() != nil && x.Type().Undecay().Kind() == cc.Array {
						handed[x] = true
					}
				}
			}
		case *cc.Designator:
			u.members[n.Token.SrcStr()], u.members[n.Token2.SrcStr()] = true, true
		}
		return true
	})
	return u.members
}

// asUnion is an argument for a parameter of a transparent union ("Common Type Attributes" in the manual of GCC), which may
// be a value of the type of any member: of one that is a pointer also null, and a pointer to void.
func (l *lowerer) asUnion(v value, t *types.Type) value {
	if !t.Transparent || v.t.Same(t) {
		return v
	}
	for _, f := range t.Fields {
		null := v.e == program.Const(0) && v.t.Integer() && f.Type.Kind == types.PointerKind
		pointer := v.t.Kind == types.PointerKind && f.Type.Kind == types.PointerKind && (v.t.Elem.Kind == types.VoidKind || v.t.Elem.Plain().Same(f.Type.Elem.Plain()))
		if !null && !pointer && !(v.t.Scalar() && v.t.Same(f.Type.Plain())) {
			continue
		}
		if cells := l.u.flatten(t, "", 0, nil); len(cells) == 1 && cells[0].Size == f.Type.Size && cells[0].Type.Word() == f.Type.Word() {
			v = l.convert(v, f.Type.Plain())
			v.t, v.agg, v.e = t.Plain(), []program.Expr{v.e}, nil
			return v
		}
		l.u.refuseHere("a transparent union of several scalars")
	}
	return v
}
