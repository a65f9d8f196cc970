package lowered

import (
	"math"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// That an index is inside of its array is an operation of the flow graph, before the access, where the array has no address that is known. It goes where the
// values say so. An array at the end of what a pointer leads to may go on in what is allocated behind it.

// An ElementOp says that what lies Off bytes behind the beginning of an array is inside of it.
type ElementOp struct {
	flowgraph.None
	Off, Size, Tail program.Expr // where the beginning is Tail it may be outside as well if the array is at the end of what is allocated
	Says            string       // the same in words
}

// Operands implements [flowgraph.Op].
func (op *ElementOp) Operands() []program.Expr { return []program.Expr{op.Off, op.Size, op.Tail} }

// With implements [flowgraph.Op].
func (op *ElementOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &ElementOp{Off: x[0], Size: x[1], Tail: x[2], Says: op.Says}
}

// elementTag marks the assertion that stands for an ElementOp while values are made out.
const (
	elementTag  = flowgraph.AccessTag + "element"
	elementText = "access outside of the array"
)

func (op *ElementOp) placeholder(pos program.Position) program.Command {
	tags := program.NewTags(elementTag)
	value := program.Binary{Op: program.ULt, X: op.Off, Y: op.Size} // as it is behind it
	if op.Tail != program.Const(0) {
		tags = tags.With(tailTag)
		value = program.Binary{Op: program.BitOr, X: program.Binary{Op: program.Sub, X: op.Tail, Y: value}, Y: program.Const(1)}
	}
	return program.Command{Op: program.Assert, Value: value, Text: elementText, Says: op.Says, Tags: tags, Pos: pos}
}

// tailTag marks the placeholders that have a tail.
const tailTag = flowgraph.AccessTag + "tail"

func (op *ElementOp) holds(u *Unit, eval func(program.Expr) int64) bool {
	off, tail := eval(op.Off), eval(op.Tail)
	return uint64(off) < uint64(eval(op.Size)) || off >= 0 && u.ObjectOf(program.Const(tail)).extends(tail)
}

// extends is true of addresses in an object of which it is the object's size alone that says what there is room for behind them: its declaration has no array that
// begins there, as where structures are made in an array of bytes or of numbers.
func (o *Object) extends(a int64) bool {
	if o == nil || o.Heap || o.Type.Kind == types.ArrayKind && o.Type.Elem.Size == 1 {
		return o != nil
	}
	off := a - o.Base
	if o.Count > 1 {
		off %= o.Stride
	}
	return !arrayAt(o.Type, off)
}

// arrayAt is whether an array begins off bytes behind the beginning of what is of type t.
func arrayAt(t *types.Type, off int64) bool {
	if off >= t.Size {
		return false
	}
	if t.Kind == types.ArrayKind {
		return off == 0 || arrayAt(t.Elem, off%t.Elem.Size)
	}
	return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return f.Offset <= off && arrayAt(f.Type, off-f.Offset) })
}

// element is the assertion for which c stands, or nothing where it holds.
func (g *guarding) element(c *program.Command) program.Command {
	skip := program.Skip()
	skip.Pos = c.Pos
	within := c.Value.(program.Binary)
	var tail program.Expr
	if c.Tags.Has(tailTag) {
		both := within.X.(program.Binary)
		tail, within = both.X, both.Y.(program.Binary)
	}
	if smaller(g.r.At(c, within.X), g.r.At(c, within.Y)) {
		return skip
	}
	holds := flowgraph.Fold(within)
	if tail != nil {
		v := &pointing{e: tail, set: g.r.At(c, tail)}
		g.point(v)
		var ends []int64
		for _, at := range v.at {
			for _, a := range at.in {
				if at.slot.o.extends(a) {
					ends = append(ends, a)
				}
			}
		}
		if len(ends) > 0 {
			behind := flowgraph.Fold(bin(program.Le, program.Const(0), within.X))
			holds = flowgraph.FoldAll(bin(program.LogicalOr, bin(program.LogicalAnd, flowgraph.Among(tail, ends, v.set), behind), holds))
		}
	}
	if k, known := holds.(program.Const); known && k != 0 {
		return skip
	}
	return program.Command{Op: program.Assert, Value: holds, Text: c.Text, Says: c.Says, Pos: c.Pos}
}

// smaller is true where all of one set are smaller than all of another, as unsigned numbers.
func smaller(x, y program.ValueSet) bool {
	most, least := uint64(0), uint64(math.MaxUint64)
	x.Spans(func(lo, hi int64) {
		if lo < 0 && hi >= 0 {
			lo, hi = -1, -1
		}
		most = max(most, uint64(lo), uint64(hi))
	})
	y.Spans(func(lo, hi int64) {
		if lo < 0 && hi >= 0 {
			lo, hi = 0, 0
		}
		least = min(least, uint64(lo), uint64(hi))
	})
	return x.Empty() || y.Empty() || most < least
}
