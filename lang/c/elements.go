package c

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// An element of an array lies in that array, also where the array is a member of a structure and what comes behind it is memory of the program, too: p->a[2]
// of an array of two is undefined (C11, 6.5.6p8), though it is where the next member of *p lies. Where an array is whose address is known the accesses to it know
// (see [place]); of others it is an operation of the flow graph, before the access, that the index is inside, which goes where the values say so.
//
// One element behind the last one may be pointed to: &p->a[2] is looked at where it is accessed, as far as it is an expression, or in a variable
// that is not assigned to. An array at the end of what a pointer leads to may go on in what is allocated behind it, whatever its declaration
// says, as programs had it before there were flexible array members.

// An elementOf is what a pointer has been made of: an array, as it is, or an element of it.
type elementOf struct {
	size program.Expr // of the array, in bytes; -1: nothing is known of it
	base program.Expr // where the array begins
	off  program.Expr // how many bytes behind that the pointer leads
	tail program.Expr // base, where the array is at the end of what a pointer leads to; 0: it is not
	row  bool         // it is a row of the array that it is in
	lies bool         // it lies in a union
	in   *elementOf   // what the array is an element of, or lies in; nil: none, or that has been looked at
	from *origin      // what knows it, of the value of a variable that is moved; nil: it is known
}

// begins is the beginning of the array at p, when it becomes a pointer; nil: the size is not known.
func (p place) begins() *elementOf {
	in := p.of
	if p.hi > p.lo {
		in = &elementOf{size: program.Const(p.hi - p.lo), base: program.Const(p.lo), tail: program.Const(0), off: flowgraph.Fold(bin(program.Sub, p.addr, program.Const(p.lo)))}
	}
	if p.t.Varies() || p.t.Len <= 0 {
		return in
	}
	tail := program.Expr(program.Const(0))
	if p.open {
		tail = p.addr
	}
	return &elementOf{size: program.Const(p.t.Size), base: p.addr, off: program.Const(0), tail: tail, row: p.row, lies: p.lies, in: in}
}

// advanced is the element that is so many bytes further on, or back.
func (of *elementOf) advanced(op program.BinaryOp, off program.Expr) *elementOf {
	if of == nil {
		return nil
	}
	moved := *of
	moved.off = flowgraph.Fold(bin(op, of.off, off))
	return &moved
}

// widened is where a pointer may go that is not an index away: all rows of an array are one with it, and what lies in a union is as large as that.
func (of *elementOf) widened() *elementOf {
	for of != nil {
		switch {
		case of.lies:
			of = of.in
		case of.row && of.in == nil: // of an array that is not known, as malloc gives it
			return nil
		case of.row:
			of = of.in.advanced(program.Add, of.off)
		default:
			return of
		}
	}
	return nil
}

// settled is the element in words that mean the same later on, as long as the registers are not set that are set here.
func (l *lowerer) settled(of *elementOf) *elementOf {
	if of = of.widened(); of == nil {
		return nil
	}
	if _, known := of.base.(program.Const); known { // see spans.go
		return nil
	}
	kept := l.keptElement(of)
	kept.in = l.settled(of.in)
	return kept
}

// keptElement is the same but for what the array lies in.
func (l *lowerer) keptElement(of *elementOf) *elementOf {
	if of == nil {
		return nil
	}
	kept := *of
	keep := func(e program.Expr) program.Expr {
		if _, known := e.(program.Const); known {
			return e
		}
		r := l.temp(types.Long)
		l.assign(r, e)
		return program.Reg(r)
	}
	kept.base, kept.off, kept.size, kept.in, kept.from = keep(of.base), keep(of.off), keep(of.size), nil, nil
	if kept.tail = kept.base; !reflect.DeepEqual(of.tail, of.base) {
		kept.tail = keep(of.tail)
	}
	return &kept
}

// within writes that n, which is accessed, is an element of the array that it is an element of.
func (l *lowerer) within(n cc.Node, of *elementOf) {
	for ; of != nil; of = of.in {
		size, sized := of.size.(program.Const)
		if k, known := of.off.(program.Const); sized && (size < 0 || known && 0 <= k && k < size) {
			continue
		}
		op := &elementOp{size: of.size, off: of.off, tail: of.tail, says: "check that the index is inside the array"}
		if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionIndex && sourceOf(x) != "" {
			op.says = fmt.Sprintf("check that %s is inside %s", sourceOf(x), sourceOf(x.PostfixExpression))
			if of.from != nil {
				op.says = fmt.Sprintf("check that %s is inside the array that %s comes from", sourceOf(x), sourceOf(x.PostfixExpression))
			}
		}
		l.operate(op)
	}
}

// An elementOp says that what lies off bytes behind the beginning of an array is inside of it.
type elementOp struct {
	flowgraph.None
	off, size, tail program.Expr // where the beginning is tail it may be outside as well if the array is at the end of what is allocated
	says            string       // the same in words
}

// Operands implements [flowgraph.Op].
func (op *elementOp) Operands() []program.Expr { return []program.Expr{op.off, op.size, op.tail} }

// With implements [flowgraph.Op].
func (op *elementOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &elementOp{off: x[0], size: x[1], tail: x[2], says: op.says}
}

// elementTag marks the assertion that stands for an elementOp while values are made out.
const (
	elementTag  = flowgraph.AccessTag + "element"
	elementText = "access outside of the array"
)

func (op *elementOp) placeholder(pos program.Position) program.Command {
	tags := program.NewTags(elementTag)
	value := program.Binary{Op: program.ULt, X: op.off, Y: op.size} // as it is behind it
	if op.tail != program.Const(0) {
		tags = tags.With(tailTag)
		value = program.Binary{Op: program.BitOr, X: program.Binary{Op: program.Sub, X: op.tail, Y: value}, Y: program.Const(1)}
	}
	return program.Command{Op: program.Assert, Value: value, Text: elementText, Says: op.says, Tags: tags, Pos: pos}
}

// tailTag marks the placeholders that have a tail.
const tailTag = flowgraph.AccessTag + "tail"

func (op *elementOp) holds(u *lowered, eval func(program.Expr) int64) bool {
	off, tail := eval(op.off), eval(op.tail)
	return uint64(off) < uint64(eval(op.size)) || off >= 0 && u.objectOf(program.Const(tail)).extends(tail)
}

// extends is true of addresses in an object of which it is the object's size alone that says what there is room for behind them: its declaration has no array that
// begins there, as where structures are made in an array of bytes or of numbers.
func (o *object) extends(a int64) bool {
	if o == nil || o.heap || o.t.Kind == types.ArrayKind && o.t.Elem.Size == 1 {
		return o != nil
	}
	off := a - o.base
	if o.count > 1 {
		off %= o.stride
	}
	return !arrayAt(o.t, off)
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
