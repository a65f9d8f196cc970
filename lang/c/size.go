package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Arrays may have sizes that are computed, and elements that are such arrays. What the sizes are is computed where the
// type is declared, and has to be known when constants have been propagated, at least where memory is made.

// bytesOf is the size of a type in bytes, which may be computed.
func (l *lowerer) bytesOf(t *types.Type) program.Expr {
	switch {
	case !t.Varies():
		return program.Const(t.Size)
	case t.Varied == nil:
		return flowgraph.Fold(bin(program.Mul, program.Const(t.Len), l.bytesOf(t.Elem)))
	case t.Varied.Count == nil:
		l.u.refuseHere(types.VaryingSize)
	}
	return flowgraph.Fold(bin(program.Mul, t.Varied.Count, l.bytesOf(t.Elem)))
}

// varyingCount computes how many elements an array has; nil where that cannot be.
func (l *lowerer) varyingCount(n cc.ExpressionNode) program.Expr {
	if l.frame.name == "" { // at file scope
		return nil
	}
	if l.dryness > 0 {
		var v value
		if l.dry(func() { v = l.convert(l.expr(n), types.UnsignedLong) }) {
			l.emitted = true
			return nil
		}
		return v.e
	}
	if l.u.maker.unnamed > 0 && hasEffects(n) {
		l.u.refuse(n, "a size with an effect")
	}
	l.sequenced(n)
	k := l.kept(l.convert(l.expr(n), types.UnsignedLong))
	l.assert(bin(program.Le, program.Const(0), k.e), "an array of fewer than no elements")
	return k.e
}

// called is the type of a parameter whose sizes are computed now that its function is called.
func (l *lowerer) called(t *types.Type) *types.Type {
	if !t.HasVarying() {
		return t
	}
	c := *t
	c.Elem = l.called(t.Elem)
	if t.Varied != nil {
		c.Varied = &types.Varied{Count: l.varyingCount(t.Varied.Size), Size: t.Varied.Size}
	}
	return &c
}

// varying declares an array whose size is computed. It is allocated; what the size is has to be
// known when constants have been propagated.
func (l *lowerer) varying(x *declared) bool {
	if !x.t.Varies() || x.init != nil {
		return false
	}
	l.at(x.d)
	elem := x.t.Element().Plain()
	bytes := operations.Amount{Bytes: l.bytesOf(x.t)}
	l.assert(flowgraph.Fold(ne(bytes.Bytes, program.Const(0))), "an array of no elements")
	p := l.allocation(x.d, bytes, false, elem)
	l.onStack(p, l.scope, x.d.Name())
	v := &variable{name: x.d.Name(), t: x.t, varying: true, reg: l.register(x.d.Name(), program.Uint64Type, false)}
	l.frame.vars[x.d] = v
	l.assign(v.reg, p.e)
	return true
}
