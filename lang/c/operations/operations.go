package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Beside those of [flowgraph], the flow graph of a thread has these operations, which become commands once all threads and
// objects are known; and those that stand with what becomes of them. A [lowered.Condition] stays one to the end.

// A Start starts the thread whose number ID is at the function with the address Fn.
type Start struct {
	flowgraph.None
	ID, Fn, Arg program.Expr
	Legacy      map[string]int // see timesIn
	// Where no function is called, but a statement is executed (async.go of package c): which one, and what it knows of the locals around it.
	Body   any
	Copies []program.Expr
}

// Operands implements [flowgraph.Op].
func (op *Start) Operands() []program.Expr {
	return append([]program.Expr{op.ID, op.Fn, op.Arg}, op.Copies...)
}

// Starts implements [flowgraph.Starter].
func (*Start) Starts() {}

// With implements [flowgraph.Op].
func (op *Start) With(x []program.Expr, _ int) flowgraph.Op {
	next := *op
	next.ID, next.Fn, next.Arg, next.Copies = x[0], x[1], x[2], x[3:]
	return &next
}

// An Alloc makes reg the address of a new object.
type Alloc struct {
	Reg  int
	Site *Site
	Size program.Expr // in bytes: a constant in the end
	Over program.Expr // whether the size is a product that goes round; nil: it does not
	// foreseen are sizes that it may have; see foreseen.go.
	foreseen []int64
	only     bool // and no others
	// first is which bytes are written before others know of the object; see fresh.go. It is made out last.
	first []bool
}

// A Site is where the program makes an object on the heap.
type Site struct {
	Elem   *types.Type // nil: not known yet
	Zero   bool
	Stack  bool // the object is of a block
	Dies   bool // and gone when that is left
	Who    string
	Mapped bool // it is from mmap
	Whole  bool // from realloc: there is nothing but elements in it
	Bytes  bool // elem is what the program calls bytes, which may be anything
	Pos    program.Position
}

// Operands implements [flowgraph.Op].
func (op *Alloc) Operands() []program.Expr {
	if op.Over != nil {
		return []program.Expr{op.Size, op.Over}
	}
	return []program.Expr{op.Size}
}

// Makes implements [flowgraph.Maker].
func (op *Alloc) Makes() {}

// Writes implements [flowgraph.Op].
func (op *Alloc) Writes() int { return op.Reg }

// With implements [flowgraph.Op].
func (op *Alloc) With(x []program.Expr, writes int) flowgraph.Op {
	with := &Alloc{Reg: writes, Site: op.Site, Size: x[0], foreseen: op.foreseen, only: op.only}
	if op.Over != nil {
		with.Over = x[1]
	}
	return with
}
