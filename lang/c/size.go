package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Arrays may have sizes that are computed, and elements that are such arrays. What the sizes are is computed where the
// type is declared, and has to be known when constants have been propagated, at least where memory is made.

// A varied is how many elements an array has whose size varies.
type varied struct {
	count program.Expr      // nil: it is not known, as of a parameter of a function that has not been called
	dim   cc.ExpressionNode // what says so
}

const varyingSize = "an array whose size varies"

// varying is an array of such elements.
func varying(t *ctype, v *varied) *ctype {
	a := arrayOf(t, -1)
	a.name, a.varied = varyingSize, v
	return a
}

// varies is true of an array whose size is computed.
func (t *ctype) varies() bool { return t.kind == arrayKind && (t.varied != nil || t.elem.varies()) }

// hasVarying is true of a type that is made of one.
func (t *ctype) hasVarying() bool {
	switch t.kind {
	case arrayKind, pointerKind:
		return t.varies() || t.elem.hasVarying()
	}
	return false
}

// element is what arrays of arrays are made of.
func (t *ctype) element() *ctype {
	for t.kind == arrayKind {
		t = t.elem
	}
	return t
}

// bytesOf is the size of a type in bytes, which may be computed.
func (l *lowerer) bytesOf(t *ctype) program.Expr {
	switch {
	case !t.varies():
		return program.Const(t.size)
	case t.varied == nil:
		return flowgraph.Fold(bin(program.Mul, program.Const(t.len), l.bytesOf(t.elem)))
	case t.varied.count == nil:
		l.u.refuseHere(varyingSize)
	}
	return flowgraph.Fold(bin(program.Mul, t.varied.count, l.bytesOf(t.elem)))
}

// varyingCount computes how many elements an array has; nil where that cannot be.
func (l *lowerer) varyingCount(n cc.ExpressionNode) program.Expr {
	if l.frame.name == "" { // at file scope
		return nil
	}
	if l.dryness > 0 {
		var v value
		if l.dry(func() { v = l.convert(l.expr(n), ulongType) }) {
			l.emitted = true
			return nil
		}
		return v.e
	}
	if l.u.maker.unnamed > 0 && hasEffects(n) {
		l.u.refuse(n, "a size with an effect")
	}
	l.sequenced(n)
	k := l.kept(l.convert(l.expr(n), ulongType))
	l.assert(bin(program.Le, program.Const(0), k.e), "an array of fewer than no elements")
	return k.e
}

// called is the type of a parameter whose sizes are computed now that its function is called.
func (l *lowerer) called(t *ctype) *ctype {
	if !t.hasVarying() {
		return t
	}
	c := *t
	c.elem = l.called(t.elem)
	if t.varied != nil {
		c.varied = &varied{count: l.varyingCount(t.varied.dim), dim: t.varied.dim}
	}
	return &c
}

// varying declares an array whose size is computed. It is allocated; what the size is has to be
// known when constants have been propagated.
func (l *lowerer) varying(x *declared) bool {
	if !x.t.varies() || x.init != nil {
		return false
	}
	l.at(x.d)
	elem := x.t.element().plain()
	bytes := value{t: ulongType, e: l.bytesOf(x.t)}
	p := l.allocation(x.d, bytes, false, elem)
	l.onStack(p, l.scope, x.d.Name())
	v := &variable{name: x.d.Name(), t: x.t, varying: true, reg: l.register(x.d.Name(), program.Uint64Type, false)}
	l.frame.vars[x.d] = v
	l.assign(v.reg, p.e)
	return true
}
