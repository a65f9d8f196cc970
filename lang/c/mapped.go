package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Memory of no file, from mmap, is an object that holds 0, as from calloc, and that munmap gives back as a whole. As with malloc,
// there is enough of it.

// Numbers of Linux on x86-64.
const (
	readAndWrite = 3 // PROT_READ | PROT_WRITE
	mapFixed     = 0x10
	mapAnonymous = 0x20
)

// pageSize is that of x86-64.
const pageSize = 4096

func mmap(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	protection, known := l.u.constantMaybe(args[2])
	flags, ok := l.u.constantMaybe(args[3])
	switch {
	case !ok || flags&mapAnonymous == 0:
		l.u.refuse(n, "mmap of a file")
	case flags&mapFixed != 0:
		l.u.refuse(n, "mmap at a place that the program says")
	case !known || protection&readAndWrite != readAndWrite:
		l.u.refuse(n, "mmap of memory that is not to be read and written")
	}
	t := l.sized(args[1])
	l.effect(args[0])
	size := l.amount(l.size(args[1]))
	if below := flowgraph.Fold(bin(program.Lt, size.bytes, program.Const(0))); below != program.Const(0) {
		size.over = below
	}
	l.effect(args[4])
	l.effect(args[5])
	l.at(n)
	l.aligned(n, number(types.UnsignedLong, pageSize))
	v := l.allocation(n, size, true, t)
	if v.site != nil {
		v.site.mapped = true
	}
	l.noMemory(size)
	return v
}

func munmap(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p := l.convert(l.expr(args[0]), types.VoidPointer)
	size := l.size(args[1])
	l.at(n)
	l.operate(&unmapOp{addr: p.e, size: size.e})
	return number(types.Int, 0)
}

// An unmapOp is munmap. What there is to give back is known when all objects of the heap are.
type unmapOp struct {
	flowgraph.None
	addr, size program.Expr
}

// Operands implements [flowgraph.Op].
func (op *unmapOp) Operands() []program.Expr { return []program.Expr{op.addr, op.size} }

// With implements [flowgraph.Op].
func (op *unmapOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &unmapOp{addr: x[0], size: x[1]}
}

// unmap writes the ways that a munmap may take: one for every object from mmap, and one for what is not modelled.
func (u *operated) unmap(g *flowgraph.Graph, e flowgraph.Edge, op *unmapOp) {
	none := program.Expr(program.Const(1))
	for _, o := range u.lowered.Objects {
		if !o.Mapped {
			continue
		}
		end := (o.Size + pageSize - 1) / pageSize * pageSize
		whole := flowgraph.Between(op.size, end-pageSize+1, end)
		for k := range o.Count {
			is := flowgraph.Fold(bin(program.LogicalAnd, eq(op.addr, program.Const(o.Base+k*o.Stride)), whole))
			none = flowgraph.Fold(bin(program.LogicalAnd, none, program.NotExpr(is)))
			g.Regs = append(g.Regs, program.Register{Type: program.Uint64Type, Temp: true})
			q := g.Node(e.Pos)
			g.Add(e.From, q, checkOp(is), e.Pos)
			g.Add(q, e.To, program.Command{Op: program.Load, Reg: len(g.Regs) - 1, Addr: op.addr, Tags: program.NewTags(flowgraph.FreeTag, lowered.UnmapTag)}, e.Pos)
		}
	}
	q, over := g.Node(e.Pos), g.Node(e.Pos)
	g.Add(e.From, q, checkOp(none), e.Pos)
	g.Add(q, over, lowered.BoundOf("munmap of less than mmap has given, or of more, is not modelled"), e.Pos)
	g.Bounds = append(g.Bounds, over)
}
