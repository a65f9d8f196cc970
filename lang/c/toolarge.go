package c

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/program"
)

// The product that calloc makes is the mathematical one: where it goes round there is no such object, whatever remains of it, and calloc gives null. A
// number below 0 is one above all sizes that there are, as a size_t: malloc may give null as well, but nobody asks for that, and like sanitizers this
// says so. mmap fails. What is on the stack has no way to say so: of a size that is too large it is undefined.

// An amount is how many bytes are asked for.
type amount struct {
	bytes program.Expr
	over  program.Expr // whether that is a product that goes round; nil: it does not
}

// amount is k bytes, or so many elements of so many bytes.
func (l *lowerer) amount(k value, of ...value) amount {
	if len(of) == 0 {
		return amount{bytes: k.e}
	}
	m := of[0]
	a := amount{bytes: flowgraph.Fold(bin(program.Mul, k.e, m.e))}
	if _, constant := k.e.(program.Const); constant {
		k, m = m, k
	}
	if narrow(l.g, a.bytes) { // a number below 0 remains one
		return a
	}
	over := bin(program.ULt, flowgraph.Fold(bin(program.UDiv, program.Const(-1), m.e)), k.e)
	if m.e == program.Const(0) {
		return a
	}
	if _, constant := m.e.(program.Const); !constant {
		over = bin(program.LogicalAnd, ne(m.e, program.Const(0)), over)
	}
	if a.over = flowgraph.Fold(over); a.over == program.Const(0) {
		a.over = nil
	}
	return a
}

// tooLarge is whether it is a product that goes round.
func (a amount) tooLarge() program.Expr {
	if a.over == nil {
		return program.Const(0)
	}
	return a.over
}

// noMemory says in errno that there is no such object.
func (l *lowerer) noMemory(a amount) {
	large := a.tooLarge()
	if large == program.Const(0) || !l.u.usesErrno() || l.dryness > 0 {
		return
	}
	failed, end := l.node(), l.node()
	l.split(large, failed, end)
	l.cur = failed
	l.setErrno(program.Const(enomem))
	l.land(end)
}

// none is what is given where there is no such object.
func (s *site) none() int64 {
	if s.mapped {
		return -1
	}
	return 0
}

// anyAllocation writes what malloc does, of whatever size.
func (u *operated) anyAllocation(t *lowered.Thread, e flowgraph.Edge, op *allocOp, at int, cyclic bool) int {
	g := t.Graph
	end := g.Node(e.Pos)
	below := flowgraph.Fold(bin(program.Lt, op.size, program.Const(0)))
	none := amount{op.size, op.over}.tooLarge()
	unless := func(wrong program.Expr, c program.Command) {
		if wrong == program.Const(0) {
			return
		}
		q, next := g.Node(e.Pos), g.Node(e.Pos)
		g.Add(at, q, checkOp(wrong), e.Pos)
		g.Add(at, next, checkOp(flowgraph.Fold(program.NotExpr(wrong))), e.Pos)
		g.Add(q, end, c, e.Pos)
		at = next
	}
	unless(none, program.Command{Op: program.Assign, Reg: op.reg, Value: program.Const(op.site.none())})
	text := "an allocation of fewer than no bytes"
	if k, known := op.size.(program.Const); known {
		text = fmt.Sprintf("an allocation of %d bytes", int64(k))
	}
	unless(below, program.Command{Op: program.Assert, Value: program.Const(0), Text: text})
	switch bytes, known := op.size.(program.Const); {
	case !known:
		at = u.allocations(t, e, op, at, cyclic)
	case bytes >= 0:
		at = u.allocation(t, e, op, at, cyclic)
	}
	g.Add(at, end, program.Skip(), e.Pos)
	return end
}
