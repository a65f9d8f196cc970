package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A pointer that is cast to a pointer to a type of a larger alignment has to be aligned for it (C11, 6.3.2.3p7): (int *)(bytes + 1) is undefined, whatever is
// done with it. As with comparisons (related.go), where a pointer may point to is known once the values are. Looked at are casts of what is declared to
// point to something smaller. What comes by way of void *, or of a number, as the marked pointers of lists without locks do, is let pass.

// An alignedOp says that x, where it points into an object, is a multiple of align, which is a power of two.
type alignedOp struct {
	flowgraph.None
	x     program.Expr
	align int64
	says  string // the same in words
}

// Operands implements [flowgraph.Op].
func (op *alignedOp) Operands() []program.Expr { return []program.Expr{op.x} }

// With implements [flowgraph.Op].
func (op *alignedOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &alignedOp{x: x[0], align: op.align, says: op.says}
}

// aligns writes that v, which is cast to a pointer of type t, is aligned for it.
func (l *lowerer) aligns(v value, t *types.Type) {
	if v.t.Kind != types.PointerKind || t.Kind != types.PointerKind || v.site != nil {
		return
	}
	from, to := v.t.Elem, t.Elem
	if from.Incomplete() || to.Incomplete() || from.Kind == types.VoidKind || from.Kind == types.FunctionKind || to.Kind == types.FunctionKind || from.Align >= to.Align {
		return
	}
	if a, known := v.e.(program.Const); known && int64(a)%to.Align == 0 {
		return
	}
	l.operate(&alignedOp{x: v.e, align: to.Align, says: "check that the pointer is aligned for " + to.Name})
}

// alignedTag marks the assertion that stands for an alignedOp while values are made out.
const (
	alignedTag  = flowgraph.AccessTag + "aligned"
	alignedText = "a pointer that is not aligned for the type it is cast to"
)

func (op *alignedOp) placeholder(pos program.Position) program.Command {
	return program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: program.Binary{Op: program.BitAnd, X: op.x, Y: program.Const(op.align - 1)}, Y: program.Const(1)},
		Text: alignedText, Says: op.says, Tags: program.NewTags(alignedTag), Pos: pos}
}

func (op *alignedOp) holds(_ *unit, eval func(program.Expr) int64) bool {
	return eval(op.x)&(op.align-1) == 0
}

// alignment is the assertion for which c stands, or nothing where it holds.
func (g *guarding) alignment(c *program.Command) program.Command {
	skip := program.Skip()
	skip.Pos = c.Pos
	d := c.Value.(program.Binary).X.(program.Binary)
	v := &pointing{e: d.X, set: g.r.At(c, d.X)}
	if v.set.Empty() {
		return skip
	}
	g.point(v)
	var off []int64
	for _, at := range v.at {
		if at.slot.o == nil {
			continue
		}
		for _, a := range at.in {
			if a&int64(d.Y.(program.Const)) != 0 && a < at.slot.base+at.slot.o.size {
				off = append(off, a)
			}
		}
	}
	if off == nil {
		return skip
	}
	return program.Command{Op: program.Assert, Value: flowgraph.Fold(program.NotExpr(flowgraph.Among(v.e, off, v.set))), Text: c.Text, Says: c.Says, Pos: c.Pos}
}
