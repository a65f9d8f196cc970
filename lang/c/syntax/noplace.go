package syntax

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// noPlace finds the first thing that is assigned to, counted up or down, or whose address is taken, and that is no place in memory but a value, as in
// "f() = 1" or "4++" (C11, 6.5.16p2): the parser, when it looks at types, has no message for that. nil: there is none.
func (f *files) noPlace(ast *cc.AST) (found *program.Diagnostic) {
	look := func(n cc.Node, what string) {
		chosen := isChosen(n)
		if found != nil || !chosen && !isValue(n, what == taken) {
			return
		}
		pos := n.Position()
		found = &program.Diagnostic{Source: f.at(pos.Filename), Pos: program.Position{Line: pos.Line, Col: pos.Column}, Msg: "this is a value, and no place in memory: " + what}
		if chosen {
			found.Msg, found.Hint = "not modelled: _Generic as a place in memory", "choose between pointers: *_Generic(x, int: &i, long: &l)"
		}
	}
	for t := ast.TranslationUnit; t != nil && found == nil; t = t.TranslationUnit {
		Walk(t.ExternalDeclaration, func(n cc.Node) bool {
			switch n := n.(type) {
			case *cc.AssignmentExpression:
				if n.Case != cc.AssignmentExpressionCond {
					look(n.UnaryExpression, "it cannot be assigned to")
				}
			case *cc.PostfixExpression:
				if n.Case == cc.PostfixExpressionInc || n.Case == cc.PostfixExpressionDec {
					look(n.PostfixExpression, counted)
				}
			case *cc.UnaryExpression:
				switch n.Case {
				case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
					look(n.UnaryExpression, counted)
				case cc.UnaryExpressionAddrof:
					look(n.CastExpression, taken)
				}
			}
			return found == nil
		})
	}
	return found
}

const (
	counted = "it cannot be counted up or down"
	taken   = "it has no address"
)

// isChosen is whether an expression is _Generic(...), or a member of that, which may be a place but not to the parser.
func isChosen(n cc.Node) bool {
	switch n := n.(type) {
	case *cc.ExpressionList:
		return n.ExpressionList == nil && isChosen(n.AssignmentExpression)
	case *cc.PrimaryExpression:
		return n.Case == cc.PrimaryExpressionGeneric || n.Case == cc.PrimaryExpressionExpr && isChosen(n.ExpressionList)
	case *cc.PostfixExpression:
		return n.Case == cc.PostfixExpressionSelect && isChosen(n.PostfixExpression)
	}
	return false
}

// isValue is whether an expression is one that is no place in memory, as far as its form says; texts have an address.
func isValue(n cc.Node, address bool) bool {
	switch n := n.(type) {
	case *cc.ExpressionList:
		return n.ExpressionList != nil || isValue(n.AssignmentExpression, address)
	case *cc.PrimaryExpression:
		switch n.Case {
		case cc.PrimaryExpressionInt, cc.PrimaryExpressionFloat, cc.PrimaryExpressionChar, cc.PrimaryExpressionLChar:
			return true
		case cc.PrimaryExpressionString, cc.PrimaryExpressionLString:
			return !address
		case cc.PrimaryExpressionExpr:
			return isValue(n.ExpressionList, address)
		}
		return false
	case *cc.PostfixExpression:
		switch n.Case {
		case cc.PostfixExpressionCall, cc.PostfixExpressionInc, cc.PostfixExpressionDec:
			return true
		case cc.PostfixExpressionSelect:
			return isValue(n.PostfixExpression, address)
		}
		return false
	case *cc.UnaryExpression:
		switch n.Case {
		case cc.UnaryExpressionInc, cc.UnaryExpressionDec, cc.UnaryExpressionAddrof, cc.UnaryExpressionPlus, cc.UnaryExpressionMinus, cc.UnaryExpressionCpl,
			cc.UnaryExpressionNot, cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType:
			return true
		}
		return false
	case *cc.AssignmentExpression, *cc.ConditionalExpression, *cc.CastExpression, *cc.LogicalOrExpression, *cc.LogicalAndExpression, *cc.InclusiveOrExpression,
		*cc.ExclusiveOrExpression, *cc.AndExpression, *cc.EqualityExpression, *cc.RelationalExpression, *cc.ShiftExpression, *cc.AdditiveExpression, *cc.MultiplicativeExpression:
		return true
	}
	return false
}
