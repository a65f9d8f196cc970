package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
)

// walk calls f for every node below n, and goes into those for which f is true.
func walk(n cc.Node, f func(cc.Node) bool) { syntax.Walk(n, f) }

// escapes finds the local variables of a function whose address is taken, other than
// as an argument of an operation that looks through it at once.
func (u *unit) escapes(def *cc.FunctionDefinition) map[*cc.Declarator]bool {
	if m, ok := u.escaping[def]; ok {
		return m
	}
	m := map[*cc.Declarator]bool{}
	var visit func(n cc.Node) bool
	visit = func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.TypeName, *cc.TypeSpecifier:
			return false
		case *cc.PostfixExpression:
			if n.Case == cc.PostfixExpressionCall {
				if which, ok := looksThrough[called(n)]; ok {
					i := 0
					for a := n.ArgumentExpressionList; a != nil; a = a.ArgumentExpressionList {
						x := addressed(a.AssignmentExpression)
						if joins[called(n)] {
							x = joinTarget(a.AssignmentExpression)
						}
						if i != which || x == nil || identifier(x) == nil {
							walk(a.AssignmentExpression, visit)
						}
						i++
					}
					return false
				}
			}
		case *cc.UnaryExpression:
			switch n.Case {
			case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionAlignofExpr:
				return false
			case cc.UnaryExpressionAddrof:
				if d := identifier(n.CastExpression); d != nil {
					m[d] = true
				}
			}
		}
		return true
	}
	walk(def.CompoundStatement, visit)
	captured(def, m)
	u.escaping[def] = m
	return m
}

// looksThrough are the functions that use a pointer they are given at once, and
// neither keep it nor do arithmetic on it, and which argument that is.
var looksThrough = map[string]int{
	"pthread_create": 0, "pthread_join": 1, "thrd_create": 0, "thrd_join": 1, "pthread_tryjoin_np": 1, "pthread_timedjoin_np": 1, "pthread_clockjoin_np": 1,
	"__fp_load": 0, "__fp_store": 0, "__fp_init": 0, "__fp_cas": 1, "__fp_cas_weak": 1, "__fp_cas_maybe": 1,
}

// addressed is the operand of an expression &x, in brackets or not; else nil.
func addressed(n cc.ExpressionNode) cc.ExpressionNode {
	switch n := unwrap(n).(type) {
	case *cc.UnaryExpression:
		if n.Case == cc.UnaryExpressionAddrof {
			return n.CastExpression
		}
	}
	return nil
}

// unwrap takes the brackets off an expression.
func unwrap(n cc.ExpressionNode) cc.ExpressionNode {
	for {
		switch x := n.(type) {
		case *cc.PrimaryExpression:
			if x.Case == cc.PrimaryExpressionExpr {
				n = x.ExpressionList
				continue
			}
		case *cc.ExpressionList:
			if x.ExpressionList == nil {
				n = x.AssignmentExpression
				continue
			}
		}
		return n
	}
}

// identifier is the variable that n is, or nil.
func identifier(n cc.ExpressionNode) *cc.Declarator {
	if p, ok := unwrap(n).(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent {
		return resolved(p)
	}
	return nil
}

// resolved is the declarator of an identifier, or nil.
func resolved(p *cc.PrimaryExpression) *cc.Declarator {
	switch d := p.ResolvedTo().(type) {
	case *cc.Declarator:
		return d
	case *cc.Parameter:
		return d.Declarator
	}
	return nil
}

// called is the name of the function that is called, or "".
func called(n *cc.PostfixExpression) string {
	if p, ok := unwrap(n.PostfixExpression).(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent {
		return otherName(p.Token.SrcStr())
	}
	return ""
}
