package c

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// flatten lists the scalars of an object of type t.
func (u *unit) flatten(t *types.Type, name string, off int64, to []lowered.Scalar) []lowered.Scalar {
	if cell := u.packed(t); cell != nil {
		return append(to, lowered.Scalar{Off: off, Size: t.Size, Type: cell, Name: name, Members: u.membersOf(t), Fields: true})
	}
	switch t.Kind {
	case types.ArrayKind:
		for i := range t.Len {
			to = u.flatten(t.Elem, fmt.Sprintf("%s[%d]", name, i), off+i*t.Elem.Size, to)
			u.lowered.LimitCells(len(to))
		}
	case types.StructKind:
		for _, f := range t.Fields {
			to = u.member(f, name, off, to)
		}
	case types.UnionKind:
		var all []lowered.Scalar
		for _, f := range u.visible(t) {
			all = append(all, u.member(f, name, off, nil)...)
		}
		cells := lowered.Pieces(all)
		if u.known.padded[t.Node] {
			cells = append(slices.Clone(cells), u.hidden(t, cells, name, off)...)
			slices.SortFunc(cells, func(a, b lowered.Scalar) int { return int(a.Off - b.Off) })
		}
		for _, s := range cells {
			s.Fields = true // members may be parts of it
			to = append(to, s)
		}
	case types.VoidKind, types.FunctionKind:
	default:
		to = append(to, lowered.Scalar{Off: off, Size: t.Size, Type: t, Name: name})
	}
	u.lowered.LimitCells(len(to))
	return to
}

func (u *unit) member(f types.Field, name string, off int64, to []lowered.Scalar) []lowered.Scalar {
	if f.Name != "" {
		name += "." + f.Name
	}
	if f.Bits > 0 {
		// Bit-fields of one unit are one cell.
		for _, s := range to {
			if s.Off == off+f.Offset {
				return to
			}
		}
		return append(to, lowered.Scalar{Off: off + f.Offset, Size: f.Unit.Size, Type: f.Unit, Name: name, Fields: true})
	}
	return u.flatten(f.Type, name, off+f.Offset, to)
}

// object makes an object of type t.
func (u *unit) object(name string, t *types.Type) *lowered.Object {
	o := u.newObject(name, t)
	u.lowered.Align = u.alignment()
	u.lowered.Place(o)
	return o
}

// alignment is the largest that anything in the program asks for, by an attribute or _Alignas: all
// objects have it, since it costs nothing but addresses. 0: there is none.
func (u *unit) alignment() int64 {
	if u.aligned == nil {
		largest := int64(0)
		for _, word := range []string{"_Alignas", "alignas", "aligned", "__aligned__"} {
			if u.tree.Mentions(word) {
				largest = u.findAlignment()
				break
			}
		}
		u.aligned = &largest
	}
	return *u.aligned
}

func (u *unit) findAlignment() (largest int64) {
	take := func(n cc.ExpressionNode) {
		if k, ok := u.constantMaybe(n); ok && k > 0 && k <= lowered.MaxObject && k&(k-1) == 0 {
			largest = max(largest, k)
		}
	}
	for t := u.ast.TranslationUnit; t != nil; t = t.TranslationUnit {
		walk(t.ExternalDeclaration, func(n cc.Node) bool {
			switch x := n.(type) {
			case *cc.AlignmentSpecifier:
				if x.ConstantExpression != nil {
					take(x.ConstantExpression)
				}
			case *cc.AttributeValue:
				if strings.Trim(x.Token.SrcStr(), "_") == "aligned" && x.Case == cc.AttributeValueExpr && x.ArgumentExpressionList != nil {
					take(x.ArgumentExpressionList.AssignmentExpression)
				}
			}
			return true
		})
	}
	return largest
}

// newObject makes an object of type t that has no place yet.
func (u *unit) newObject(name string, t *types.Type) *lowered.Object {
	return u.lowered.Add(name, t, u.cellsOf(t, name), u.openUnits(t, 0, true))
}

// pool makes count objects of one type.
func (u *unit) pool(name string, t *types.Type, size, count int64) *lowered.Object {
	return u.lowered.AddPool(name, t, size, count, u.cellsOf(t, ""), u.openUnits(t, 0, true))
}
