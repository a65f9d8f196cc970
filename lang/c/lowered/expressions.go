package lowered

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

func bin(op program.BinaryOp, x, y program.Expr) program.Expr {
	return program.Binary{Op: op, X: x, Y: y}
}
func un(op program.UnaryOp, x program.Expr) program.Expr { return program.Unary{Op: op, X: x} }

func eq(x, y program.Expr) program.Expr { return bin(program.Eq, x, y) }
func ne(x, y program.Expr) program.Expr { return bin(program.Ne, x, y) }

func plus(e program.Expr, n int64) program.Expr {
	return flowgraph.Fold(bin(program.Add, e, program.Const(n)))
}

// wrap is e as a number of type t.
func wrap(e program.Expr, t *types.Type) program.Expr {
	e = flowgraph.Fold(e)
	if t.Size == 8 {
		return e
	}
	return flowgraph.Fold(un(program.Cast(t.Word()), e))
}

func checkOp(e program.Expr) program.Command { return program.Command{Op: program.Check, Value: e} }

// setTo gives a register a number.
func setTo(reg int, k int64) program.Command {
	return program.Command{Op: program.Assign, Reg: reg, Value: program.Const(k)}
}
