package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/program"
)

// PageSize is that of x86-64.
const PageSize = 4096

// An Unmap is munmap. What there is to give back is known when all objects of the heap are.
type Unmap struct {
	flowgraph.None
	Addr, Size program.Expr
}

// Operands implements [flowgraph.Op].
func (op *Unmap) Operands() []program.Expr { return []program.Expr{op.Addr, op.Size} }

// With implements [flowgraph.Op].
func (op *Unmap) With(x []program.Expr, _ int) flowgraph.Op {
	return &Unmap{Addr: x[0], Size: x[1]}
}

// unmap writes the ways that a munmap may take: one for every object from mmap, and one for what is not modelled.
func (u *Unit) unmap(g *flowgraph.Graph, e flowgraph.Edge, op *Unmap) {
	none := program.Expr(program.Const(1))
	for _, o := range u.lowered.Objects {
		if !o.Mapped {
			continue
		}
		end := (o.Size + PageSize - 1) / PageSize * PageSize
		whole := flowgraph.Between(op.Size, end-PageSize+1, end)
		for k := range o.Count {
			is := flowgraph.Fold(bin(program.LogicalAnd, eq(op.Addr, program.Const(o.Base+k*o.Stride)), whole))
			none = flowgraph.Fold(bin(program.LogicalAnd, none, program.NotExpr(is)))
			g.Regs = append(g.Regs, program.Register{Type: program.Uint64Type, Temp: true})
			q := g.Node(e.Pos)
			g.Add(e.From, q, checkOp(is), e.Pos)
			g.Add(q, e.To, program.Command{Op: program.Load, Reg: len(g.Regs) - 1, Addr: op.Addr, Tags: program.NewTags(flowgraph.FreeTag, lowered.UnmapTag)}, e.Pos)
		}
	}
	q, over := g.Node(e.Pos), g.Node(e.Pos)
	g.Add(e.From, q, checkOp(none), e.Pos)
	g.Add(q, over, lowered.BoundOf("munmap of less than mmap has given, or of more, is not modelled"), e.Pos)
	g.Bounds = append(g.Bounds, over)
}
