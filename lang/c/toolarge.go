package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// An object has no more bytes than a difference of pointers can say: of what is more there is none, and malloc gives null. So it does of
// a number below 0, which is one above all these as a size_t. The product that calloc makes is the mathematical one: where it goes round there
// is no such object, whatever remains of it. What is on the stack has no way to say so: of a size that is too large it is undefined.

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
	if _, narrow := solutions(l.g, a.bytes); narrow { // a number below 0 remains one
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

// tooLarge is whether there is no such object.
func (a amount) tooLarge() program.Expr {
	below := flowgraph.Fold(bin(program.Lt, a.bytes, program.Const(0)))
	if a.over == nil {
		return below
	}
	return flowgraph.Fold(bin(program.LogicalOr, a.over, below))
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
func (u *unit) anyAllocation(t *thread, e flowgraph.Edge, op *allocOp, at int, cyclic bool) int {
	g, end := t.g, -1
	large := amount{op.size, op.over}.tooLarge()
	if large != program.Const(0) {
		end = g.Node(e.Pos)
		q, next := g.Node(e.Pos), g.Node(e.Pos)
		g.Add(at, q, checkOp(large), e.Pos)
		g.Add(at, next, checkOp(flowgraph.Fold(program.NotExpr(large))), e.Pos)
		if at = next; op.site.stack {
			g.Add(q, end, program.Command{Op: program.Assert, Value: program.Const(0), Text: "an object on the stack of fewer than no bytes"}, e.Pos)
		} else {
			g.Add(q, end, program.Command{Op: program.Assign, Reg: op.reg, Value: program.Const(op.site.none())}, e.Pos)
		}
	}
	switch bytes, known := op.size.(program.Const); {
	case !known:
		at = u.allocations(t, e, op, at, cyclic)
	case bytes >= 0:
		at = u.allocation(t, e, op, at, cyclic)
	}
	if end >= 0 {
		g.Add(at, end, program.Skip(), e.Pos)
		return end
	}
	return at
}
