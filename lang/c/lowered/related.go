package lowered

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Which of two objects comes first in memory, and how far apart they lie, is nothing that a program can rely on: C defines <, <=, > and
// >= of two pointers (C11 6.5.8p5), and their difference (6.5.6p9), only where both point into one object, or right behind it. Here
// objects have addresses, and the comparison would come out one way: a program that orders locks by it would seem right, though
// another compiler may give another order. So it is a violation. As numbers, of type uintptr_t, addresses may be compared.
//
// A comparison with a null pointer is none of two objects, and means the same everywhere; so does one with a small number that is cast to a pointer, as
// programs have them for marks, since no object lies there. Nor is a difference of two small addresses, by which
// programs find out where a member lies in a structure that is not there.
//
// What pointers may point to is known once the values are. Until then it is an operation of the flow graph, since a condition on addresses that are known
// would be folded away. It goes as soon as the values say that it holds; what is left in the end becomes an assertion.

// A Condition is an operation that says something of where pointers point to.
type Condition interface {
	flowgraph.Op
	// placeholder is a command that reads what the operation does, and says nothing.
	placeholder(program.Position) program.Command
	// holds is whether it is so, of values that are known.
	holds(*Unit, func(program.Expr) int64) bool
}

// A RelatedOp says that X and Y point into one object.
type RelatedOp struct {
	flowgraph.None
	X, Y     program.Expr
	Compares bool   // else it is their difference
	Says     string // the same in words
}

// Operands implements [flowgraph.Op].
func (op *RelatedOp) Operands() []program.Expr { return []program.Expr{op.X, op.Y} }

// With implements [flowgraph.Op].
func (op *RelatedOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &RelatedOp{X: x[0], Y: x[1], Compares: op.Compares, Says: op.Says}
}

// RelatedText is what is wrong; inside: both are in some object.
func RelatedText(compares, inside bool) string {
	text := "the difference of pointers to different objects"
	if compares {
		text = "a comparison of pointers to different objects"
	}
	if !inside {
		text += ", or to none"
	}
	return text
}

// Related is whether two addresses are of one object.
func (u *Unit) Related(x, y int64, compares bool) bool {
	mark := func(a int64) bool { return 0 <= a && a < marks }
	if x == y || compares && (mark(x) || mark(y)) {
		return true
	}
	lowest := int64(math.MaxInt64)
	for _, o := range u.Objects {
		lowest = min(lowest, o.Base)
		span := int64(0)
		if o.Count > 1 {
			span = (o.Count - 1) * o.Stride
		}
		if x < o.Base || x > o.Base+span+o.Size {
			continue
		}
		base := o.Base
		if o.Count > 1 {
			base = x - (x-o.Base)%o.Stride
		}
		return x <= base+o.Size && base <= y && y <= base+o.Size
	}
	return 0 <= x && 0 <= y && x < lowest && y < lowest
}

// relatedTag marks the assertion that stands for a RelatedOp while values are made out.
const relatedTag = flowgraph.AccessTag + "related"

func (op *RelatedOp) holds(u *Unit, eval func(program.Expr) int64) bool {
	return u.Related(eval(op.X), eval(op.Y), op.Compares)
}

func (op *RelatedOp) placeholder(pos program.Position) program.Command {
	text := RelatedText(op.Compares, true)
	return program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: program.Binary{Op: program.Sub, X: op.X, Y: op.Y}, Y: program.Const(1)},
		Text: text, Says: op.Says, Tags: program.NewTags(relatedTag), Pos: pos}
}

// dropRelated takes out the operations of which the values say that they hold: loops that have none are understood better.
func (u *Unit) dropRelated(p *program.Program, r *program.Ranges) {
	var g *guarding
	for ti, t := range u.Threads {
		for ei, gi := range t.origin {
			if gi < 0 {
				continue
			}
			e := &t.Graph.Edges[gi]
			switch e.Op.(type) {
			case *RelatedOp, *AlignedOp, *ElementOp, *ReachOp:
			default:
				continue
			}
			if g == nil {
				g = &guarding{u: u, p: p, r: r}
				g.sort()
			}
			if c := g.relation(p.Threads[ti], &p.Threads[ti].Edges[ei].Cmd); c.IsSkip() {
				e.Op, e.Cmd = nil, program.Skip()
				e.Cmd.Pos = e.Pos
			}
		}
	}
}

// relations puts assertions in the place of what stands for them.
func (g *guarding) relations(t *program.Thread) {
	for i := range t.Edges {
		if c := &t.Edges[i].Cmd; c.Op == program.Assert && (c.Tags.Has(relatedTag) || c.Tags.Has(alignedTag) || c.Tags.Has(elementTag) || c.Tags.Has(reachTag)) {
			*c = g.relation(t, c)
		}
	}
}

// relation is the assertion for which c stands, or nothing where it holds.
func (g *guarding) relation(t *program.Thread, c *program.Command) program.Command {
	switch {
	case c.Tags.Has(alignedTag):
		return g.alignment(c)
	case c.Tags.Has(elementTag):
		return g.element(c)
	case c.Tags.Has(reachTag):
		return g.reached(t, c)
	}
	skip := program.Skip()
	skip.Pos = c.Pos
	d := c.Value.(program.Binary).X.(program.Binary)
	x, y := &pointing{e: d.X, set: g.r.At(c, d.X)}, &pointing{e: d.Y, set: g.r.At(c, d.Y)}
	if x.set.Empty() || y.set.Empty() || reflect.DeepEqual(d.X, d.Y) {
		return skip // nobody comes here
	}
	compares := c.Text == RelatedText(true, true)
	var holds program.Expr = program.Const(0)
	or := func(e program.Expr) { holds = flowgraph.Fold(bin(program.LogicalOr, holds, e)) }
	for _, v := range []*pointing{x, y} {
		if compares {
			var low []int64
			for a := range int64(marks) {
				if v.set.Has(a) {
					low = append(low, a)
				}
			}
			if len(low) > 0 {
				or(flowgraph.Among(v.e, low, v.set))
				v.set = unmarked(v.set)
			}
		}
		g.point(v)
		if v.set.Empty() {
			return skip
		}
	}
	if len(x.at) == 1 && len(y.at) == 1 && x.at[0].slot == y.at[0].slot && x.inside && y.inside {
		return skip
	}
	// Objects of the heap begin at multiples of their stride.
	type group struct{ x, y []int64 }
	var groups []group
	strides := map[int64]int{}
	for _, a := range x.at {
		k, ok := slices.BinarySearchFunc(y.at, a.slot.base, func(b pointed, base int64) int { return cmp.Compare(b.slot.base, base) })
		if !ok {
			continue
		}
		i := len(groups)
		if o := a.slot.o; o != nil && o.Heap {
			if n, ok := strides[o.Stride]; ok {
				i = n
			} else {
				strides[o.Stride] = i
			}
		}
		if i == len(groups) {
			groups = append(groups, group{})
		}
		groups[i].x = append(groups[i].x, a.in...)
		groups[i].y = append(groups[i].y, y.at[k].in...)
	}
	for _, s := range groups {
		e := flowgraph.Fold(bin(program.LogicalAnd, flowgraph.Among(x.e, s.x, x.set), flowgraph.Among(y.e, s.y, y.set)))
		if first, _ := g.slotOf(s.x[0]); first.o != nil {
			if last, _ := g.slotOf(s.x[len(s.x)-1]); last != first {
				e = flowgraph.Fold(bin(program.LogicalAnd, bin(program.ULt, bin(program.BitXor, x.e, y.e), program.Const(first.o.Stride)), e))
			}
		}
		or(e)
	}
	if !x.inside && !y.inside {
		or(eq(x.e, y.e))
	}
	return program.Command{Op: program.Assert, Value: holds, Text: RelatedText(compares, x.inside && y.inside), Says: c.Says, Pos: c.Pos}
}

// marks is how many numbers, from 0 on, are no addresses of objects anywhere.
const marks = 256

// unmarked is the set without these, where that can be said.
func unmarked(s program.ValueSet) program.ValueSet {
	regs := []program.ValueSet{s}
	program.Refine(bin(program.ULe, program.Const(marks), program.Reg(0)), regs)
	return regs[0]
}

// A pointing is where a pointer may point to.
type pointing struct {
	e      program.Expr
	set    program.ValueSet
	at     []pointed // by ascending addresses
	inside bool      // and nowhere else
}

// A pointed is the addresses in one object, or right behind it. That without an object is what lies below all of them.
type pointed struct {
	slot slot
	in   []int64
}

// point finds out where v may point to.
func (g *guarding) point(v *pointing) {
	n := uint64(0)
	v.set.Spans(func(lo, hi int64) {
		for i := g.firstFrom(lo); i < len(g.slots) || i < 0; i++ {
			s, end := g.lowest()
			if i >= 0 {
				s, end = g.slots[i], g.slots[i].base+g.slots[i].o.Size
			}
			if s.base > hi {
				break
			}
			for a := max(lo, s.base); a <= min(hi, end); a++ {
				if !v.set.Has(a) {
					continue
				}
				if k := len(v.at); k == 0 || v.at[k-1].slot != s {
					v.at = append(v.at, pointed{slot: s})
				}
				in := &v.at[len(v.at)-1].in
				if k := len(*in); k > 0 && (*in)[k-1] >= a { // spans may meet
					continue
				}
				*in = append(*in, a)
				n++
			}
		}
	})
	v.inside = n == v.set.Size()
}

// lowest is what lies below all objects, and its last address.
func (g *guarding) lowest() (slot, int64) {
	if len(g.slots) == 0 {
		return slot{}, 0
	}
	return slot{}, g.slots[0].base - 1
}

// firstFrom is the first slot that ends at a or behind it; -1 is what lies below all.
func (g *guarding) firstFrom(a int64) int {
	if _, end := g.lowest(); a <= end {
		return -1
	}
	i, _ := slices.BinarySearchFunc(g.slots, a, func(s slot, a int64) int { return cmp.Compare(s.base+s.o.Size, a) })
	return i
}

// slotOf is the slot in which an address is that is in one, or right behind.
func (g *guarding) slotOf(a int64) (slot, bool) {
	if i := g.firstFrom(a); i >= 0 && i < len(g.slots) {
		return g.slots[i], true
	}
	return slot{}, false
}
