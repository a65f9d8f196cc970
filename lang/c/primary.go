package c

import (
	"strconv"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

func (l *lowerer) primary(n *cc.PrimaryExpression) value {
	switch n.Case {
	case cc.PrimaryExpressionIdent:
		if e, ok := n.ResolvedTo().(*cc.Enumerator); ok {
			return l.enumerator(n, e)
		}
		if v, ok := l.constantVariable(n); ok {
			return v
		}
		return l.loaded(n)
	case cc.PrimaryExpressionInt, cc.PrimaryExpressionChar, cc.PrimaryExpressionLChar:
		return l.number(n)
	case cc.PrimaryExpressionFloat:
		return l.realConstant(n)
	case cc.PrimaryExpressionString, cc.PrimaryExpressionLString:
		return l.load(l.lvalue(n))
	case cc.PrimaryExpressionExpr:
		return l.expr(n.ExpressionList)
	case cc.PrimaryExpressionStmt:
		return l.statementExpression(n.CompoundStatement)
	case cc.PrimaryExpressionGeneric:
		return l.expr(l.generic(n.GenericSelection))
	}
	l.u.refuse(n, "this expression")
	panic("unreachable")
}

// constantVariable is the value of a const variable where a constant is asked for, such as the
// size of an array or the value of a static object.
func (l *lowerer) constantVariable(n *cc.PrimaryExpression) (value, bool) {
	d := resolved(n)
	if l.constOnly+l.staticInit == 0 || d == nil {
		return value{}, false
	}
	if l.handing > 0 && l.frame != nil {
		if k, ok := l.frame.known[d]; ok {
			t := l.frame.vars[d].t.Plain()
			return value{t: t, e: program.Const(t.Word().Wrap(k))}, true
		}
	}
	x := l.u.declared[d]
	if x == nil || x.t == nil || !x.t.Const || x.t.Volatile || !x.t.Integer() || x.init == nil || x.init.Case != cc.InitializerExpr {
		return value{}, false
	}
	k, ok := l.u.constantMaybe(x.init.AssignmentExpression)
	return value{t: x.t.Plain(), e: program.Const(x.t.Word().Wrap(k))}, ok
}

// number is an integer or character constant.
func (l *lowerer) number(n *cc.PrimaryExpression) value {
	var k int64
	switch v := n.Value().(type) {
	case cc.Int64Value:
		k = int64(v)
	case cc.UInt64Value:
		k = int64(v)
	default:
		i, err := strconv.ParseInt(n.Token.SrcStr(), 0, 32)
		if err != nil {
			l.u.fail(n, "", "%s is no number", n.Token.SrcStr())
		}
		k = i
	}
	t := types.Int
	if n.Type() != nil {
		switch n.Type().Kind() {
		case cc.UInt:
			t = types.UnsignedInt
		case cc.Long:
			t = types.Long
		case cc.ULong:
			t = types.UnsignedLong
		case cc.LongLong:
			t = types.LongLong
		case cc.ULongLong:
			t = types.UnsignedLongLong
		}
	}
	return value{t: t, e: program.Const(t.Word().Wrap(k))}
}

// generic is the expression that a _Generic selects.
func (l *lowerer) generic(n *cc.GenericSelection) cc.ExpressionNode {
	t := l.typeOf(n.AssignmentExpression).Decay()
	var chosen, other cc.ExpressionNode
	for a := n.GenericAssociationList; a != nil && chosen == nil; a = a.GenericAssociationList {
		switch ga := a.GenericAssociation; ga.Case {
		case cc.GenericAssociationType:
			// What is selected by is a value, which has no qualifiers.
			if at := l.u.maker.typeName(ga.TypeName); at.Qualifiers == (types.Qualifiers{}) && at.Matches(t.Plain(), true) {
				chosen = ga.AssignmentExpression
			}
		default:
			other = ga.AssignmentExpression
		}
	}
	if chosen == nil {
		chosen = other
	}
	if chosen == nil {
		l.u.fail(n, "", "no association for %s", t.Name)
	}
	// The parser looks at that expression only which it would select, and knows less of qualifiers.
	if p, ok := unwrap(chosen).(*cc.PrimaryExpression); chosen.Type() == nil && !(ok && p.Case == cc.PrimaryExpressionInt) {
		l.u.refuse(n, "a selection by qualifiers")
	}
	return chosen
}

// statementExpression is ({ ... }).
func (l *lowerer) statementExpression(n *cc.CompoundStatement) value {
	return l.block(n, true)
}
