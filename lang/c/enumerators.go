package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// enumerator is the value of a constant of an enumeration.
func (l *lowerer) enumerator(n cc.Node, e *cc.Enumerator) value {
	v := e.Value()
	if k, ok := l.u.packedEnumerator(n, e); ok {
		v = k
	}
	switch k := v.(type) {
	case cc.Int64Value:
		t := types.Int
		if int64(int32(k)) != int64(k) {
			t = types.Long
		}
		return value{t: t, e: program.Const(k)}
	case cc.UInt64Value:
		t := types.Int
		switch {
		case k > 1<<63-1:
			t = types.UnsignedLong
		case int64(int32(k)) != int64(k):
			t = types.Long
		}
		return value{t: t, e: program.Const(int64(k))}
	}
	l.u.fail(n, "", "the value of %s is not known", e.Token.SrcStr())
	panic("unreachable")
}

// packedEnumerator is the value of a constant in a program that may ask for the size of what is packed, which the parser does not know.
func (u *unit) packedEnumerator(n cc.Node, e *cc.Enumerator) (cc.Int64Value, bool) {
	if !u.tree.Mentions("pack") {
		return 0, false
	}
	if u.enumeratorBefore == nil {
		u.enumeratorBefore = map[*cc.Enumerator]*cc.Enumerator{}
		walk(u.ast.TranslationUnit, func(n cc.Node) bool {
			if l, ok := n.(*cc.EnumeratorList); ok && l.EnumeratorList != nil {
				u.enumeratorBefore[l.EnumeratorList.Enumerator] = l.Enumerator
			}
			return true
		})
	}
	more := int64(0)
	for ; e.ConstantExpression == nil; more++ {
		before := u.enumeratorBefore[e]
		if before == nil {
			return cc.Int64Value(more), true
		}
		e = before
	}
	measures := false // other constants are those that the parser has
	walk(e.ConstantExpression, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.UnaryExpression:
			switch x.Case {
			case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType, cc.UnaryExpressionAlignofExpr, cc.UnaryExpressionAlignofType, cc.UnaryExpressionAddrof: // of a member: offsetof
				measures = true
			}
		case *cc.PrimaryExpression:
			_, other := x.ResolvedTo().(*cc.Enumerator)
			measures = measures || other
		case *cc.PostfixExpression:
			measures = measures || x.Case == cc.PostfixExpressionCall
		}
		return !measures
	})
	if !measures {
		return 0, false
	}
	k, ok := u.constantMaybe(e.ConstantExpression)
	if !ok {
		u.fail(n, "", "the value of %s is not known", e.Token.SrcStr())
	}
	return cc.Int64Value(k + more), true
}
