package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Hazard pointers, as GenMC has them. What they do is in package operations (hazards.go there).

// hazardBuiltins are the functions that genmc.h makes hazard pointers of.
func hazardBuiltins() map[string]builtin {
	simply := func(what int) builtin {
		return builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.convert(l.expr(args[0]), types.VoidPointer)
			l.at(n)
			l.operate(&operations.Hazard{What: what, Addr: p.e, Reg: -1})
			return nothing
		}}
	}
	return map[string]builtin{
		"__fp_hp_release": simply(operations.Releases), "__VERIFIER_hp_retire": simply(operations.Retires),
		"__fp_hp_protect": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.convert(l.expr(args[0]), types.VoidPointer)
			l.at(n)
			r := l.temp(types.Int)
			l.operate(&operations.Hazard{What: operations.Protects, Addr: p.e, Reg: r})
			return value{t: types.Int, e: program.Reg(r)}
		}},
	}
}
