package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Memory of no file, from mmap, is an object that holds 0, as from calloc, and that munmap gives back as a whole. As with malloc,
// there is enough of it.

// Numbers of Linux on x86-64.
const (
	readAndWrite = 3 // PROT_READ | PROT_WRITE
	mapFixed     = 0x10
	mapAnonymous = 0x20
)

func mmap(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	protection, known := l.u.constantMaybe(args[2])
	flags, ok := l.u.constantMaybe(args[3])
	switch {
	case !ok || flags&mapAnonymous == 0:
		l.u.refuse(n, "mmap of a file")
	case flags&mapFixed != 0:
		l.u.refuse(n, "mmap at a place that the program says")
	case !known || protection&readAndWrite != readAndWrite:
		l.u.refuse(n, "mmap of memory that is not to be read and written")
	}
	t := l.sized(args[1])
	l.effect(args[0])
	size := l.amount(l.size(args[1]))
	if below := flowgraph.Fold(bin(program.Lt, size.Bytes, program.Const(0))); below != program.Const(0) {
		size.Over = below
	}
	l.effect(args[4])
	l.effect(args[5])
	l.at(n)
	l.aligned(n, number(types.UnsignedLong, operations.PageSize))
	v := l.allocation(n, size, true, t)
	if v.site != nil {
		v.site.Mapped = true
	}
	l.noMemory(size)
	return v
}

func munmap(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p := l.convert(l.expr(args[0]), types.VoidPointer)
	size := l.size(args[1])
	l.at(n)
	l.operate(&operations.Unmap{Addr: p.e, Size: size.e})
	return number(types.Int, 0)
}
