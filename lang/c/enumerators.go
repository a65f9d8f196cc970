package c

import (
	"math"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// enumerator is the value of a constant of an enumeration.
func (l *lowerer) enumerator(n cc.Node, e *cc.Enumerator) value {
	switch k := l.u.enumeratorValue(n, e).(type) {
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

// enumeratorValue is the value of a constant. The parser does not know the sizes of all structures (of what is packed, or has bit-fields, and where a structure with a tag
// is declared in one), and gives constants that are ints the types of what they are computed from: after X = sizeof(int), -X is a large number there.
func (u *unit) enumeratorValue(n cc.Node, e *cc.Enumerator) cc.Value {
	v, ok := u.enumeratorValues[e]
	if !ok {
		v = u.enumeratorComputed(n, e)
		if u.enumeratorValues == nil {
			u.enumeratorValues = map[*cc.Enumerator]cc.Value{}
		}
		u.enumeratorValues[e] = v
	}
	return v
}

func (u *unit) enumeratorComputed(n cc.Node, e *cc.Enumerator) cc.Value {
	v := e.Value()
	if !u.tree.Mentions("sizeof") && !u.tree.Mentions("offsetof") && !u.tree.Mentions("lignof") {
		switch k := v.(type) {
		case cc.Int64Value:
			if int64(int32(k)) == int64(k) {
				return v
			}
		case cc.UInt64Value:
			if k <= math.MaxInt32 {
				return v
			}
		}
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
			return cc.Int64Value(more)
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
		return v
	}
	first, ok := u.constantValue(e.ConstantExpression)
	if !ok {
		u.fail(n, "", "the value of %s is not known", e.Token.SrcStr())
	}
	at := int64(first.e.(program.Const)) + more
	if first.t.Size == 8 && !first.t.Signed && at < 0 {
		return cc.UInt64Value(at)
	}
	return cc.Int64Value(at)
}

// limits are the least value of an enumeration, or 0, and the greatest.
func (u *unit) limits(n cc.Node, e *cc.EnumType) (least int64, greatest uint64) {
	least, greatest = e.Min(), e.Max()
	if least >= math.MinInt32 && greatest <= math.MaxInt32 {
		return least, greatest
	}
	least, greatest = 0, 0
	for _, x := range e.Enumerators() {
		switch k := u.enumeratorValue(n, x).(type) {
		case cc.Int64Value:
			least, greatest = min(least, int64(k)), max(greatest, uint64(max(k, 0)))
		case cc.UInt64Value:
			greatest = max(greatest, uint64(k))
		}
	}
	return least, greatest
}
