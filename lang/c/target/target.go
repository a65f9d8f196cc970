// Package target makes the operations of C11, which bear memory orders, those of a processor or of a model: a program that
// is whole goes in, its accesses and fences with the tags of orders.go, and leaves with the instructions of x86 (mapping.go), those of
// other processors (compile.go), the operations of the Linux kernel (kernel.go), or as it is but for tags that are no model's.
//
// What a model has no words for goes before that: [Gather] makes one cell of structures that are accessed in single steps.
package target

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
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

func checkOp(e program.Expr) program.Command { return program.Command{Op: program.Check, Value: e} }
