package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// An Op is what becomes a command, or several, once it is known how often it is there. The passes
// know of it which registers it reads and writes.
type Op interface {
	// Operands is what it reads, before it writes.
	Operands() []program.Expr
	// Writes is the register that it writes; -1: none.
	Writes() int
	// With is the same operation on other operands, as many, that writes another register, where it writes one.
	With(operands []program.Expr, writes int) Op
}

// None is an operation that reads and writes no register, to be embedded.
type None struct{}

// Operands implements [Op].
func (None) Operands() []program.Expr { return nil }

// Writes implements [Op].
func (None) Writes() int { return -1 }

// A Starter is an operation that makes a thread which has a number.
type Starter interface {
	Op
	Starts()
}

// A Maker is an operation that makes an object each time that it is executed.
type Maker interface {
	Op
	Makes()
}

// A Reserve makes a register the number of a new thread.
type Reserve struct {
	None
	Reg int
}

// Writes implements [Op].
func (op *Reserve) Writes() int { return op.Reg }

// With implements [Op].
func (op *Reserve) With(_ []program.Expr, writes int) Op { return &Reserve{Reg: writes} }

// A Join waits for the thread whose number is ID, and makes a register what that ended with.
type Join struct {
	ID  program.Expr
	Reg int
	// Tries: it comes here only where the thread has ended, and goes another way else. Claimed: a Claim has come before.
	Tries, Claimed bool
}

// Operands implements [Op].
func (op *Join) Operands() []program.Expr { return []program.Expr{op.ID} }

// Writes implements [Op].
func (op *Join) Writes() int { return op.Reg }

// With implements [Op].
func (op *Join) With(operands []program.Expr, writes int) Op {
	return &Join{operands[0], writes, op.Tries, op.Claimed}
}

// An Asks goes on where the thread whose number is ID has ended, or where it has not.
type Asks struct {
	None
	ID    program.Expr
	Ended bool
}

// Operands implements [Op].
func (op *Asks) Operands() []program.Expr { return []program.Expr{op.ID} }

// With implements [Op].
func (op *Asks) With(operands []program.Expr, _ int) Op {
	return &Asks{ID: operands[0], Ended: op.Ended}
}

// A Looks makes a register whether the thread whose number is ID has ended.
type Looks struct {
	ID  program.Expr
	Reg int
}

// Operands implements [Op].
func (op *Looks) Operands() []program.Expr { return []program.Expr{op.ID} }

// Writes implements [Op].
func (op *Looks) Writes() int { return op.Reg }

// With implements [Op].
func (op *Looks) With(operands []program.Expr, writes int) Op { return &Looks{operands[0], writes} }

// An Exists says that there is a thread whose number is ID, or has been one; if it is to be alive, that it is one still.
type Exists struct {
	None
	ID    program.Expr
	Alive bool
}

// Operands implements [Op].
func (op *Exists) Operands() []program.Expr { return []program.Expr{op.ID} }

// With implements [Op].
func (op *Exists) With(operands []program.Expr, _ int) Op {
	return &Exists{ID: operands[0], Alive: op.Alive}
}

// A Claim says that somebody waits for the thread whose number is ID; or no more, who has been cancelled.
type Claim struct {
	None
	ID     program.Expr
	NoMore bool
}

// Operands implements [Op].
func (op *Claim) Operands() []program.Expr { return []program.Expr{op.ID} }

// With implements [Op].
func (op *Claim) With(operands []program.Expr, _ int) Op {
	return &Claim{ID: operands[0], NoMore: op.NoMore}
}

// A Detach says that nobody waits for the thread whose number is ID.
type Detach struct {
	None
	ID program.Expr
}

// Operands implements [Op].
func (op *Detach) Operands() []program.Expr { return []program.Expr{op.ID} }

// With implements [Op].
func (op *Detach) With(operands []program.Expr, _ int) Op { return &Detach{ID: operands[0]} }

// A Bound ends what is looked at: there would be more to see.
type Bound struct {
	None
	What string
}

// With implements [Op].
func (op *Bound) With([]program.Expr, int) Op { return op }

// each maps the operands of op, and the register that it writes.
func each(op Op, operand func(program.Expr) program.Expr, reg func(int) int) Op {
	operands := op.Operands()
	for i := range operands {
		operands[i] = operand(operands[i])
	}
	writes := op.Writes()
	if writes >= 0 {
		writes = reg(writes)
	}
	return op.With(operands, writes)
}

// substitute is op on other operands.
func substitute(op Op, operand func(program.Expr) program.Expr) Op {
	return each(op, operand, func(r int) int { return r })
}
