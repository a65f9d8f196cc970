package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Valueless is where the function of a thread comes to its end without a value.
type Valueless struct{ flowgraph.None }

// With implements [flowgraph.Op].
func (op *Valueless) With([]program.Expr, int) flowgraph.Op { return op }

// An Outcome makes a register 1 where the thread of that number has ended with a value, and 0 else.
type Outcome struct {
	ID  program.Expr
	Reg int
}

// Operands implements [flowgraph.Op].
func (op *Outcome) Operands() []program.Expr { return []program.Expr{op.ID} }

// Writes implements [flowgraph.Op].
func (op *Outcome) Writes() int { return op.Reg }

// With implements [flowgraph.Op].
func (op *Outcome) With(operands []program.Expr, writes int) flowgraph.Op {
	return &Outcome{operands[0], writes}
}
