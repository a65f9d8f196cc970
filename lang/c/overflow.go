package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// checkOverflow writes, where that is asked for, what must hold so that n, which is x op y of the
// signed type t, does not overflow.
func (l *lowerer) checkOverflow(n cc.Node, op operator, x, y program.Expr, t *types.Type) {
	if !l.u.opts.Overflow || !t.Signed || l.wraps {
		return
	}
	b := map[operator]program.BinaryOp{addOp: program.Add, subOp: program.Sub, mulOp: program.Mul, shlOp: program.Shl}[op]
	e := flowgraph.Fold(bin(b, x, y))
	var holds program.Expr
	zero := program.Const(0)
	switch {
	case t.Size < 8: // 64 bits have room for the result
		holds = eq(un(program.Cast(t.Word()), e), e)
	case op == addOp:
		holds = bin(program.Ge, bin(program.BitAnd, bin(program.BitXor, x, e), bin(program.BitXor, y, e)), zero)
	case op == subOp:
		holds = bin(program.Ge, bin(program.BitAnd, bin(program.BitXor, x, y), bin(program.BitXor, x, e)), zero)
	case op == mulOp:
		lowest := bin(program.LogicalOr, bin(program.LogicalAnd, eq(x, program.Const(-1)), eq(y, program.Const(t.Word().Min()))),
			bin(program.LogicalAnd, eq(y, program.Const(-1)), eq(x, program.Const(t.Word().Min()))))
		holds = bin(program.LogicalOr, eq(x, zero), bin(program.LogicalAnd, program.NotExpr(lowest), eq(bin(program.Div, e, x), y)))
	default:
		holds = eq(bin(program.Shr, e, y), x)
	}
	if op == shlOp {
		holds = bin(program.LogicalAnd, bin(program.Ge, x, zero), holds)
	}
	l.assertThat(flowgraph.FoldAll(holds), n, "%s does not overflow", "signed overflow")
}

// checkNegation is it for n, which is -x.
func (l *lowerer) checkNegation(n cc.Node, x program.Expr, t *types.Type) {
	if l.u.opts.Overflow && t.Signed {
		l.assertThat(ne(x, program.Const(t.Word().Min())), n, "%s does not overflow", "signed overflow")
	}
}
