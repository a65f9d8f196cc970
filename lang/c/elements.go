package c

import (
	"fmt"
	"reflect"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
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
		op := &lowered.ElementOp{Size: of.size, Off: of.off, Tail: of.tail, Says: "check that the index is inside the array"}
		if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionIndex && sourceOf(x) != "" {
			op.Says = fmt.Sprintf("check that %s is inside %s", sourceOf(x), sourceOf(x.PostfixExpression))
			if of.from != nil {
				op.Says = fmt.Sprintf("check that %s is inside the array that %s comes from", sourceOf(x), sourceOf(x.PostfixExpression))
			}
		}
		l.operate(op)
	}
}
