package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

func bin(op program.BinaryOp, x, y program.Expr) program.Expr {
	return program.Binary{Op: op, X: x, Y: y}
}

func eq(x, y program.Expr) program.Expr { return bin(program.Eq, x, y) }
func ne(x, y program.Expr) program.Expr { return bin(program.Ne, x, y) }

func plus(e program.Expr, n int64) program.Expr {
	return flowgraph.Fold(bin(program.Add, e, program.Const(n)))
}

func checkOp(e program.Expr) program.Command { return program.Command{Op: program.Check, Value: e} }

func atomicOp(text string, body ...program.Command) program.Command {
	return program.Command{Op: program.Atomic, Text: text, Body: body}
}
