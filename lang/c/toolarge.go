package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/program"
)

// The product that calloc makes is the mathematical one: where it goes round there is no such object, whatever remains of it, and calloc gives null. A
// number below 0 is one above all sizes that there are, as a size_t: malloc may give null as well, but nobody asks for that, and like sanitizers this
// says so. mmap fails. What is on the stack has no way to say so: of a size that is too large it is undefined.

// amount is k bytes, or so many elements of so many bytes.
func (l *lowerer) amount(k value, of ...value) operations.Amount {
	if len(of) == 0 {
		return operations.Amount{Bytes: k.e}
	}
	m := of[0]
	a := operations.Amount{Bytes: flowgraph.Fold(bin(program.Mul, k.e, m.e))}
	if _, constant := k.e.(program.Const); constant {
		k, m = m, k
	}
	if operations.Narrow(l.g, a.Bytes) { // a number below 0 remains one
		return a
	}
	over := bin(program.ULt, flowgraph.Fold(bin(program.UDiv, program.Const(-1), m.e)), k.e)
	if m.e == program.Const(0) {
		return a
	}
	if _, constant := m.e.(program.Const); !constant {
		over = bin(program.LogicalAnd, ne(m.e, program.Const(0)), over)
	}
	if a.Over = flowgraph.Fold(over); a.Over == program.Const(0) {
		a.Over = nil
	}
	return a
}

// noMemory says in errno that there is no such object.
func (l *lowerer) noMemory(a operations.Amount) {
	large := a.TooLarge()
	if large == program.Const(0) || !l.u.usesErrno() || l.dryness > 0 {
		return
	}
	failed, end := l.node(), l.node()
	l.split(large, failed, end)
	l.cur = failed
	l.setErrno(program.Const(enomem))
	l.land(end)
}
