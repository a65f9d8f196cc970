package c

import "modernc.org/cc/v4"

// printing are the functions that print their arguments or format them.
var printing = map[string]bool{
	"printf": true, "fprintf": true, "puts": true, "fputs": true, "perror": true, "syslog": true, "dprintf": true,
	"sprintf": true, "snprintf": true, "vsprintf": true, "vsnprintf": true,
}

// onlyPrinted is true of an array of a function that nothing is done with but to format texts
// into it and to print them: what is in it is nothing to us. It gives the size.
func (u *unit) onlyPrinted(f *frame, n cc.ExpressionNode) (int64, bool) {
	d := identifier(n)
	if d == nil || f.def == nil {
		return 0, false
	}
	v := f.vars[d]
	if v == nil || v.obj == nil || v.t.kind != arrayKind || u.usedOtherwise(f.def)[d] {
		return 0, false
	}
	return v.t.size, true
}

// usedOtherwise are the variables of a function that are mentioned otherwise than to be printed
// or formatted into.
func (u *unit) usedOtherwise(def *cc.FunctionDefinition) map[*cc.Declarator]bool {
	if m, ok := u.otherwise[def]; ok {
		return m
	}
	m := map[*cc.Declarator]bool{}
	var visit func(n cc.Node) bool
	visit = func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.UnaryExpression:
			return n.Case != cc.UnaryExpressionSizeofExpr
		case *cc.PostfixExpression:
			if n.Case == cc.PostfixExpressionCall && printing[called(n)] && u.defined[called(n)] == nil {
				for _, a := range arguments(n) {
					if identifier(a) == nil {
						walk(a, visit)
					}
				}
				return false
			}
		case *cc.PrimaryExpression:
			if n.Case == cc.PrimaryExpressionIdent {
				m[resolved(n)] = true
			}
		}
		return true
	}
	walk(def.CompoundStatement, visit)
	u.otherwise[def] = m
	return m
}
