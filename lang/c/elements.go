package c

import (
	"fmt"

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
	size int64        // of the array, in bytes
	base program.Expr // where the array begins
	off  program.Expr // how many bytes behind that the pointer leads
	open bool         // the array is at the end of what a pointer leads to
	row  bool         // it is a row of the array that it is in
	lies bool         // it lies in a union
	in   *elementOf   // what the array is an element of, or lies in; nil: none, or that has been looked at
}

// begins is the beginning of the array at p, when it becomes a pointer; nil: the size is not known.
func (p place) begins() *elementOf {
	in := p.of
	if p.hi > p.lo {
		in = &elementOf{size: p.hi - p.lo, base: program.Const(p.lo), off: flowgraph.Fold(bin(program.Sub, p.addr, program.Const(p.lo)))}
	}
	if p.t.Varies() || p.t.Len <= 0 {
		return in
	}
	return &elementOf{size: p.t.Size, base: p.addr, off: program.Const(0), open: p.open, row: p.row, lies: p.lies, in: in}
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
		case of.row && of.in != nil:
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
	kept := *of
	kept.in = l.settled(of.in)
	keep := func(e program.Expr) program.Expr {
		if _, known := e.(program.Const); known {
			return e
		}
		r := l.temp(types.Long)
		l.assign(r, e)
		return program.Reg(r)
	}
	kept.off = keep(of.off)
	if kept.open {
		kept.base = keep(of.base)
	}
	return &kept
}

// within writes that n, which is accessed, is an element of the array that it is an element of.
func (l *lowerer) within(n cc.Node, of *elementOf) {
	for ; of != nil; of = of.in {
		if k, known := of.off.(program.Const); known && 0 <= k && int64(k) < of.size {
			continue
		}
		op := &elementOp{size: of.size, off: of.off, says: "check that the index is inside the array"}
		if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionIndex && sourceOf(x) != "" {
			op.says = fmt.Sprintf("check that %s is inside %s", sourceOf(x), sourceOf(x.PostfixExpression))
		}
		if of.open {
			op.base = of.base
		}
		l.operate(op)
	}
}

// An elementOp says that what lies off bytes behind the beginning of an array is inside of it.
type elementOp struct {
	flowgraph.None
	size      int64
	off, base program.Expr // where base is not nil it may be outside as well if the array is at the end of what is allocated
	says      string       // the same in words
}

// Operands implements [flowgraph.Op].
func (op *elementOp) Operands() []program.Expr {
	if op.base == nil {
		return []program.Expr{op.off}
	}
	return []program.Expr{op.off, op.base}
}

// With implements [flowgraph.Op].
func (op *elementOp) With(x []program.Expr, _ int) flowgraph.Op {
	with := *op
	if with.off = x[0]; op.base != nil {
		with.base = x[1]
	}
	return &with
}

// elementTag marks the assertion that stands for an elementOp while values are made out; its tag of what it is within has the size.
const (
	elementTag  = flowgraph.AccessTag + "element"
	elementText = "access outside of the array"
)

func (op *elementOp) placeholder(pos program.Position) program.Command {
	tags := program.NewTags(elementTag, flowgraph.WithinTag(0, op.size))
	value := program.Binary{Op: program.ULt, X: op.off, Y: program.Const(op.size)} // as it is behind it
	if op.base != nil {
		tags = tags.With(openTag)
		value = program.Binary{Op: program.BitOr, X: program.Binary{Op: program.Sub, X: op.base, Y: op.off}, Y: program.Const(1)}
	}
	return program.Command{Op: program.Assert, Value: value, Text: elementText, Says: op.says, Tags: tags, Pos: pos}
}

// openTag marks the placeholders of which the values are the beginning of the array, too.
const openTag = flowgraph.AccessTag + "open"

func (op *elementOp) holds(u *unit, eval func(program.Expr) int64) bool {
	if off := eval(op.off); 0 <= off && off < op.size {
		return true
	}
	return op.base != nil && u.objectOf(program.Const(eval(op.base))).extends()
}

// extends is true of objects of which it is their size alone that says what they have room for.
func (o *object) extends() bool {
	return o != nil && (o.heap || o.t.Kind == types.ArrayKind && o.t.Elem.Size == 1)
}

// element is the assertion for which c stands, or nothing where it holds.
func (g *guarding) element(c *program.Command) program.Command {
	skip := program.Skip()
	skip.Pos = c.Pos
	off := c.Value.(program.Binary).X
	var base program.Expr
	if c.Tags.Has(openTag) {
		d := off.(program.Binary)
		base, off = d.X, d.Y
	}
	_, size, _ := flowgraph.Within(c.Tags)
	set := g.r.At(c, off)
	inside := true
	set.Spans(func(lo, hi int64) { inside = inside && 0 <= lo && hi < size })
	if inside {
		return skip
	}
	holds := flowgraph.Fold(bin(program.ULt, off, program.Const(size)))
	if base != nil {
		v := &pointing{e: base, set: g.r.At(c, base)}
		g.point(v)
		var ends []int64
		for _, at := range v.at {
			if at.slot.o.extends() {
				ends = append(ends, at.in...)
			}
		}
		if len(ends) > 0 {
			holds = flowgraph.Fold(bin(program.LogicalOr, flowgraph.Among(base, ends, v.set), holds))
		}
	}
	if k, known := holds.(program.Const); known && k != 0 {
		return skip
	}
	return program.Command{Op: program.Assert, Value: holds, Text: c.Text, Says: c.Says, Pos: c.Pos}
}
