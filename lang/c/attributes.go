package c

import (
	"strings"

	"modernc.org/cc/v4"
)

// A layout is what attributes and _Alignas say of where something lies: 0 is no alignment.
type layout struct {
	align  int64
	packed bool
}

// attributes adds what a list says.
func (m *maker) attributes(lay *layout, list *cc.AttributeSpecifierList) {
	for ; list != nil; list = list.AttributeSpecifierList {
		for v := list.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
			a := v.AttributeValue
			switch strings.Trim(a.Token.SrcStr(), "_") {
			case "packed":
				lay.packed = true
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
