package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Beside those of [flowgraph], the flow graph of a thread has these operations, which become commands once all threads and
// objects are known; and copyOp, unmapOp, hazardOp, signalOp and leakOp. A condition stays one to the end.

// A startOp starts the thread whose number id is at the function with the address fn.
type startOp struct {
	flowgraph.None
	id, fn, arg program.Expr
	legacy      map[string]int // see timesIn
	// Where no function is called, but a statement is executed (async.go): which one, and what it knows of the locals around it.
	body   any
	copies []program.Expr
}

// Operands implements [flowgraph.Op].
func (op *startOp) Operands() []program.Expr {
	return append([]program.Expr{op.id, op.fn, op.arg}, op.copies...)
}

// Starts implements [flowgraph.Starter].
func (*startOp) Starts() {}

// With implements [flowgraph.Op].
func (op *startOp) With(x []program.Expr, _ int) flowgraph.Op {
	next := *op
	next.id, next.fn, next.arg, next.copies = x[0], x[1], x[2], x[3:]
	return &next
}

// An allocOp makes reg the address of a new object.
type allocOp struct {
	reg  int
	site *site
	size program.Expr // in bytes: a constant in the end
	over program.Expr // whether the size is a product that goes round; nil: it does not
	// foreseen are sizes that it may have; see foreseen.go.
	foreseen []int64
	only     bool // and no others
	// first is which bytes are written before others know of the object; see fresh.go. It is made out last.
	first []bool
}

// A site is where the program makes an object on the heap.
type site struct {
	elem   *types.Type // nil: not known yet
	zero   bool
	stack  bool // the object is of a block
	dies   bool // and gone when that is left
	who    string
	mapped bool // it is from mmap
	whole  bool // from realloc: there is nothing but elements in it
	bytes  bool // elem is what the program calls bytes, which may be anything
	pos    program.Position
}

// Operands implements [flowgraph.Op].
func (op *allocOp) Operands() []program.Expr {
	if op.over != nil {
		return []program.Expr{op.size, op.over}
	}
	return []program.Expr{op.size}
}

// Makes implements [flowgraph.Maker].
func (op *allocOp) Makes() {}

// Writes implements [flowgraph.Op].
func (op *allocOp) Writes() int { return op.reg }

// With implements [flowgraph.Op].
func (op *allocOp) With(x []program.Expr, writes int) flowgraph.Op {
	with := &allocOp{reg: writes, site: op.site, size: x[0], foreseen: op.foreseen, only: op.only}
	if op.over != nil {
		with.over = x[1]
	}
	return with
}
