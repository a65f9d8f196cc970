package c

import (
	"strings"

	"modernc.org/cc/v4"
)

// A layout is what attributes and _Alignas say of where something lies: 0 is no alignment.
type layout struct {
	align       int64
	packed      bool
	transparent bool // a parameter of this union takes what any of its members does
}

// attributes adds what a list says.
func (m *maker) attributes(lay *layout, list *cc.AttributeSpecifierList) {
	for ; list != nil; list = list.AttributeSpecifierList {
		for v := list.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
			a := v.AttributeValue
			switch strings.Trim(a.Token.SrcStr(), "_") {
			case "packed":
				lay.packed = true
			case "transparent_union":
				lay.transparent = true
			case "aligned":
				k := int64(16) // the largest that any scalar asks for
				if a.Case == cc.AttributeValueExpr && a.ArgumentExpressionList != nil {
					k = m.u.constant(a.ArgumentExpressionList.AssignmentExpression)
				}
				m.align(lay, a, k)
			}
		}
	}
}

func (m *maker) align(lay *layout, n cc.Node, k int64) {
	if k < 0 || k&(k-1) != 0 || k > maxObject {
		m.u.fail(n, "", "%d is no alignment", k)
	}
	lay.align = max(lay.align, k)
}

// qualifierLayout is what the specifiers of a member say.
func (m *maker) qualifierLayout(n *cc.SpecifierQualifierList) layout {
	var lay layout
	for ; n != nil; n = n.SpecifierQualifierList {
		m.attributes(&lay, n.AttributeSpecifierList)
		if q := n.TypeQualifier; q != nil {
			m.attributes(&lay, q.AttributeSpecifierList)
		}
		if a := n.AlignmentSpecifier; a != nil {
			if a.TypeName != nil {
				m.align(&lay, a, m.typeName(a.TypeName).align)
			} else if a.ConstantExpression != nil {
				m.align(&lay, a, m.u.constant(a.ConstantExpression))
			}
		}
	}
	return lay
}

// retyped heeds the attributes of a declaration that say another type than its specifiers: a mode says how
// large an integer is, which a name for a type may have.
func (u *unit) retyped(d *cc.Declaration) {
	if a := u.attributed("vector_size", d.DeclarationSpecifiers, d.InitDeclaratorList, d.AttributeSpecifierList); a != nil {
		u.refuse(a, "the attribute vector_size")
	}
	a := u.attributed("mode", d.DeclarationSpecifiers, d.InitDeclaratorList, d.AttributeSpecifierList)
	if a == nil {
		return
	}
	s := u.maker.specifiers(d.DeclarationSpecifiers)
	to := moded(a, s.t)
	if to == nil {
		u.refuse(a, "the attribute mode")
	}
	for l := d.InitDeclaratorList; l != nil && to.size != s.t.size; l = l.InitDeclaratorList {
		x := l.InitDeclarator.Declarator
		if !s.typedef || x.Pointer != nil || x.DirectDeclarator.Case != cc.DirectDeclaratorIdent {
			u.refuse(a, "the attribute mode")
		}
		u.maker.typedef[x] = to
	}
}

// moded is the integer type of the signedness of t that a mode says, or nil.
func moded(a *cc.AttributeValue, t *ctype) *ctype {
	mode := ""
	if l := a.ArgumentExpressionList; l != nil {
		if p, ok := unwrap(l.AssignmentExpression).(*cc.PrimaryExpression); ok {
			mode = strings.Trim(p.Token.SrcStr(), "_")
		}
	}
	types, ok := map[string][2]*ctype{"QI": {ucharType, scharType}, "byte": {ucharType, scharType}, "HI": {ushrtType, shortType},
		"SI": {uintType, intType}, "DI": {ulongType, longType}, "word": {ulongType, longType}, "pointer": {ulongType, longType}}[mode]
	if !ok || t.kind != intKind {
		return nil
	}
	if t.signed {
		return types[1]
	}
	return types[0]
}
