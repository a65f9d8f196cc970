package c

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A pointer that is cast to a pointer to a type of a larger alignment has to be aligned for it (C11, 6.3.2.3p7): (int *)(bytes + 1) is undefined, whatever is
// done with it. As with comparisons (related.go), where a pointer may point to is known once the values are. Looked at are casts of what is declared to
// point to something smaller. What comes by way of void *, or of a number, as the marked pointers of lists without locks do, is let pass: whether
// it is aligned is looked at where it is accessed.
//
// Accesses to what is packed need not be aligned. Others through pointers have a tag until memory is divided, and where the values say by then that an
// address may not be aligned, the same operation comes before the access.

// An alignedOp says that x, where it points into an object, is a multiple of align, which is a power of two.
type alignedOp struct {
	flowgraph.None
	x     program.Expr
	align int64
	text  string // what is wrong otherwise
	says  string // the same in words
}

// Operands implements [flowgraph.Op].
func (op *alignedOp) Operands() []program.Expr { return []program.Expr{op.x} }

// With implements [flowgraph.Op].
func (op *alignedOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &alignedOp{x: x[0], align: op.align, text: op.text, says: op.says}
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
	l.operate(&alignedOp{x: v.e, align: to.Align, text: alignedText, says: "check that the pointer is aligned for " + to.Name})
}

// alignedTag marks the assertion that stands for an alignedOp while values are made out.
const (
	alignedTag  = flowgraph.AccessTag + "aligned"
	alignedText = "a pointer that is not aligned for the type it is cast to"
)

func (op *alignedOp) placeholder(pos program.Position) program.Command {
	return program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: program.Binary{Op: program.BitAnd, X: op.x, Y: program.Const(op.align - 1)}, Y: program.Const(1)},
		Text: op.text, Says: op.says, Tags: program.NewTags(alignedTag), Pos: pos}
}

func (op *alignedOp) holds(_ *lowered, eval func(program.Expr) int64) bool {
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

// alignTag marks the accesses whose addresses have to be multiples of their sizes.
const alignTag = flowgraph.AccessTag + "align"

// accessAlignedText is what is wrong with an access that is not aligned.
const accessAlignedText = "an access that is not aligned for its type"

// alignedAt is what an address is a multiple of that lies off bytes behind a multiple of align; 0: nothing is asked of it.
func alignedAt(align, off int64) int64 {
	if off == 0 {
		return align
	}
	return min(align, off&-off)
}

// alignAccesses writes before the accesses that may not be aligned that they are, and tells whether there are such.
func (u *lowered) alignAccesses(p *program.Program, r *program.Ranges) bool {
	changed := false
	for ti, t := range u.threads {
		for ei, gi := range t.origin {
			if gi < 0 || t.g.Edges[gi].Op != nil {
				continue
			}
			e := &t.g.Edges[gi]
			var ops []*alignedOp
			check := func(c, analysed *program.Command) {
				size := accessed(c.Tags)
				if !c.Tags.Has(alignTag) || size == nil || c.Op != analysed.Op || u.allAligned(r.Address[analysed], size.Size) {
					return
				}
				ops = append(ops, &alignedOp{x: c.Addr, align: size.Size, text: accessAlignedText, says: "check that the address is aligned for " + size.Name})
				c.Tags = program.NewTags(slices.DeleteFunc(slices.Clone(c.Tags.Names()), func(n string) bool { return n == alignTag })...)
			}
			analysed := &p.Threads[ti].Edges[ei].Cmd
			if e.Cmd.Op != program.Atomic {
				check(&e.Cmd, analysed)
			} else if len(e.Cmd.Body) == len(analysed.Body) {
				e.Cmd.Body = slices.Clone(e.Cmd.Body)
				for k := range e.Cmd.Body {
					check(&e.Cmd.Body[k], &analysed.Body[k])
				}
			}
			for _, op := range ops {
				before := t.g.Node(e.Pos)
				t.g.Operate(e.From, before, op, e.Pos)
				e = &t.g.Edges[gi]
				e.From, changed = before, true
			}
		}
	}
	return changed
}

// allAligned is whether the addresses in objects are multiples of size, which is a power of two.
func (u *lowered) allAligned(set program.ValueSet, size int64) bool {
	if vs, few := set.Few(); few && !slices.ContainsFunc(vs, func(a int64) bool { return a&(size-1) != 0 }) {
		return true
	}
	aligned := true
	for _, o := range u.objects {
		for k := range o.count {
			base := o.base + k*o.stride
			set.Spans(func(lo, hi int64) {
				for a := max(lo, base); a <= min(hi, base+o.size-1) && aligned; a++ {
					aligned = a&(size-1) == 0 || !set.Has(a)
				}
			})
		}
	}
	return aligned
}
