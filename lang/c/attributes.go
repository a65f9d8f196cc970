package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// attributes adds what a list says.
func (m *maker) attributes(lay *types.Attributes, list *cc.AttributeSpecifierList) {
	for ; list != nil; list = list.AttributeSpecifierList {
		for v := list.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
			a := v.AttributeValue
			switch strings.Trim(a.Token.SrcStr(), "_") {
			case "packed":
				lay.Packed = true
			case "scalar_storage_order", "ms_struct":
				m.u.refuse(a, "the attribute "+a.Token.SrcStr())
			case "transparent_union":
				lay.Transparent = true
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

func (m *maker) align(lay *types.Attributes, n cc.Node, k int64) {
	if k < 0 || k&(k-1) != 0 || k > lowered.MaxObject {
		m.u.fail(n, "", "%d is no alignment", k)
	}
	lay.Align = max(lay.Align, k)
}

// qualifierLayout is what the specifiers of a member say.
func (m *maker) qualifierLayout(n *cc.SpecifierQualifierList) types.Attributes {
	var lay types.Attributes
	for ; n != nil; n = n.SpecifierQualifierList {
		m.attributes(&lay, n.AttributeSpecifierList)
		if q := n.TypeQualifier; q != nil {
			m.attributes(&lay, q.AttributeSpecifierList)
		}
		if a := n.AlignmentSpecifier; a != nil {
			if a.TypeName != nil {
				m.align(&lay, a, m.typeName(a.TypeName).Align)
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
	for l := d.InitDeclaratorList; l != nil && to.Size != s.t.Size; l = l.InitDeclaratorList {
		x := l.InitDeclarator.Declarator
		if !s.typedef || x.Pointer != nil || x.DirectDeclarator.Case != cc.DirectDeclaratorIdent {
			u.refuse(a, "the attribute mode")
		}
		u.maker.typedef[x] = to
	}
}

// alignedName heeds that a name for a type asks for another alignment than the type it is of; the size stays.
func (u *unit) alignedName(d *cc.Declaration, id *cc.InitDeclarator) {
	if !u.tree.Mentions("aligned") && !u.tree.Mentions("__aligned__") {
		return
	}
	a := attributeOf("aligned", d.DeclarationSpecifiers, id, d.AttributeSpecifierList)
	if a == nil {
		return
	}
	k := int64(16) // the largest that any scalar asks for
	if l := a.ArgumentExpressionList; l != nil {
		k = u.constant(l.AssignmentExpression)
	}
	var lay types.Attributes
	u.maker.align(&lay, a, k)
	t := u.maker.typedefType(id.Declarator)
	if t.Incomplete() || t.Library {
		return
	}
	named := *t
	named.Align = max(1, lay.Align)
	u.maker.typedef[id.Declarator] = &named
}

// moded is the integer type of the signedness of t that a mode says, or nil.
func moded(a *cc.AttributeValue, t *types.Type) *types.Type {
	mode := ""
	if l := a.ArgumentExpressionList; l != nil {
		if p, ok := unwrap(l.AssignmentExpression).(*cc.PrimaryExpression); ok {
			mode = strings.Trim(p.Token.SrcStr(), "_")
		}
	}
	both, ok := map[string][2]*types.Type{"QI": {types.UnsignedChar, types.SignedChar}, "byte": {types.UnsignedChar, types.SignedChar}, "HI": {types.UnsignedShort, types.Short},
		"SI": {types.UnsignedInt, types.Int}, "DI": {types.UnsignedLong, types.Long}, "word": {types.UnsignedLong, types.Long}, "pointer": {types.UnsignedLong, types.Long}}[mode]
	if !ok || t.Kind != types.IntegerKind {
		return nil
	}
	if t.Signed {
		return both[1]
	}
	return both[0]
}
