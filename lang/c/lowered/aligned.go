package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A pointer that is cast to a pointer to a type of a larger alignment has to be aligned for it (C11, 6.3.2.3p7): (int *)(bytes + 1) is undefined, whatever is
// done with it. As with comparisons (related.go), where a pointer may point to is known once the values are.
//
// Accesses to what is packed need not be aligned. Others through pointers have a tag until memory is divided, and where the values say by then that an
// address may not be aligned, the same operation comes before the access.

// An AlignedOp says that X, where it points into an object, is a multiple of Align, which is a power of two.
type AlignedOp struct {
	flowgraph.None
	X     program.Expr
	Align int64
	Text  string // what is wrong otherwise
	Says  string // the same in words
}

// Operands implements [flowgraph.Op].
func (op *AlignedOp) Operands() []program.Expr { return []program.Expr{op.X} }

// With implements [flowgraph.Op].
func (op *AlignedOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &AlignedOp{X: x[0], Align: op.Align, Text: op.Text, Says: op.Says}
}

// alignedTag marks the assertion that stands for an AlignedOp while values are made out.
const alignedTag = flowgraph.AccessTag + "aligned"

// AlignedText is what is wrong with a pointer that is cast.
const AlignedText = "a pointer that is not aligned for the type it is cast to"

func (op *AlignedOp) placeholder(pos program.Position) program.Command {
	return program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: program.Binary{Op: program.BitAnd, X: op.X, Y: program.Const(op.Align - 1)}, Y: program.Const(1)},
		Text: op.Text, Says: op.Says, Tags: program.NewTags(alignedTag), Pos: pos}
}

func (op *AlignedOp) holds(_ *Unit, eval func(program.Expr) int64) bool {
	return eval(op.X)&(op.Align-1) == 0
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
			if a&int64(d.Y.(program.Const)) != 0 && a < at.slot.base+at.slot.o.Size {
				off = append(off, a)
			}
		}
	}
	if off == nil {
		return skip
	}
	return program.Command{Op: program.Assert, Value: flowgraph.Fold(program.NotExpr(flowgraph.Among(v.e, off, v.set))), Text: c.Text, Says: c.Says, Pos: c.Pos}
}

// AlignTag marks the accesses whose addresses have to be multiples of their sizes.
const AlignTag = flowgraph.AccessTag + "align"

// accessAlignedText is what is wrong with an access that is not aligned.
const accessAlignedText = "an access that is not aligned for its type"

// AlignedAt is what an address is a multiple of that lies off bytes behind a multiple of align; 0: nothing is asked of it.
func AlignedAt(align, off int64) int64 {
	if off == 0 {
		return align
	}
	return min(align, off&-off)
}

// alignAccesses writes before the accesses that may not be aligned that they are, and tells whether there are such.
func (u *Unit) alignAccesses(p *program.Program, r *program.Ranges) bool {
	changed := false
	for ti, t := range u.Threads {
		for ei, gi := range t.origin {
			if gi < 0 || t.Graph.Edges[gi].Op != nil {
				continue
			}
			e := &t.Graph.Edges[gi]
			var ops []*AlignedOp
			check := func(c, analysed *program.Command) {
				size := Accessed(c.Tags)
				if !c.Tags.Has(AlignTag) || size == nil || c.Op != analysed.Op || u.allAligned(r.Address[analysed], size.Size) {
					return
				}
				ops = append(ops, &AlignedOp{X: c.Addr, Align: size.Size, Text: accessAlignedText, Says: "check that the address is aligned for " + size.Name})
				c.Tags = program.NewTags(slices.DeleteFunc(slices.Clone(c.Tags.Names()), func(n string) bool { return n == AlignTag })...)
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
				before := t.Graph.Node(e.Pos)
				t.Graph.Operate(e.From, before, op, e.Pos)
				e = &t.Graph.Edges[gi]
				e.From, changed = before, true
			}
		}
	}
	return changed
}

// allAligned is whether the addresses in objects are multiples of size, which is a power of two.
func (u *Unit) allAligned(set program.ValueSet, size int64) bool {
	if vs, few := set.Few(); few && !slices.ContainsFunc(vs, func(a int64) bool { return a&(size-1) != 0 }) {
		return true
	}
	aligned := true
	for _, o := range u.Objects {
		for k := range o.Count {
			base := o.Base + k*o.Stride
			set.Spans(func(lo, hi int64) {
				for a := max(lo, base); a <= min(hi, base+o.Size-1) && aligned; a++ {
					aligned = a&(size-1) == 0 || !set.Has(a)
				}
			})
		}
	}
	return aligned
}
