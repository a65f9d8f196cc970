package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// memcpy, memmove and memset of so many bytes as is computed are loops over elements.

// byElements is true where k bytes of elements of type t are gone over by a loop.
func byElements(k value, t *types.Type) bool {
	_, constant := k.e.(program.Const)
	return !constant && t != nil && !t.Incomplete() && t.Size > 0 && (t.Integer() || t.Kind == types.PointerKind || t.Kind == types.StructKind && !t.Library)
}

// fewBytes asserts that k bytes are no more than an object has. A number below 0 is one that is far larger. It is
// false where that is known not to be so: then nothing comes after it.
func (l *lowerer) fewBytes(n *cc.PostfixExpression, k value) bool {
	if k, constant := k.e.(program.Const); constant && (k < 0 || k > lowered.MaxObject) {
		l.assert(program.Const(0), "%s of %d bytes", called(n), uint64(k))
		return false
	}
	l.assert(bin(program.ULe, k.e, program.Const(lowered.MaxObject)), "%s of more than %d bytes", called(n), lowered.MaxObject)
	return true
}

// wholeElements ends what is looked at where k bytes are no whole number of elements.
func (l *lowerer) wholeElements(k value, t *types.Type) {
	if t.Size == 1 {
		return
	}
	rest := bin(program.URem, k.e, program.Const(t.Size))
	if t.Size&(t.Size-1) == 0 {
		rest = bin(program.BitAnd, k.e, program.Const(t.Size-1))
	}
	fits, differs := l.node(), l.node()
	l.split(eq(rest, program.Const(0)), fits, differs)
	l.cur = differs
	l.operate(&flowgraph.Bound{What: "not modelled: an operation on a part of " + t.Name})
	l.jump(fits)
	l.cur = fits
}

// overElements calls f for the offsets of the elements in k bytes, from the first on or from the last.
func (l *lowerer) overElements(k value, t *types.Type, backwards bool, f func(off program.Expr)) {
	i := l.register("i", program.Uint64Type, true)
	// Compared by less, not by unequal: so it is known how large an offset can be.
	from, within := program.Expr(program.Const(0)), bin(program.ULt, program.Reg(i), k.e)
	if backwards {
		from, within = k.e, bin(program.ULt, program.Const(0), program.Reg(i))
	}
	l.assign(i, from)
	head, body, end := l.node(), l.node(), l.node()
	l.land(head)
	if !backwards && len(l.u.flatten(t.Plain(), "", 0, nil)) > 0 {
		l.stays(i)
	}
	l.split(within, body, end)
	l.cur = body
	if backwards {
		l.assign(i, plus(program.Reg(i), -t.Size))
	}
	f(program.Reg(i))
	if !backwards {
		l.assign(i, plus(program.Reg(i), t.Size))
	}
	l.jump(head)
	l.cur = end
}

func at(p, off program.Expr, s lowered.Scalar) place {
	return place{t: s.Type.Plain(), addr: plus(flowgraph.Fold(bin(program.Add, p, off)), s.Off)}
}

// copyElements copies k bytes from q to p; where they may overlap, from the end on if need be.
func (l *lowerer) copyElements(p, q, k value, t *types.Type, overlap, whole bool) {
	if l.dryness > 0 {
		l.emitted = true
		return
	}
	p, q, k = l.kept(p), l.kept(q), l.kept(k)
	l.wholeElements(k, t)
	scalars := l.u.bytesOf(t.Plain())
	one := func(off program.Expr) {
		var vs []copied
		for _, s := range scalars {
			vs = append(vs, l.loadCopy(at(q.e, off, s)))
		}
		for i, s := range scalars {
			l.storeCopy(at(p.e, off, s), vs[i])
		}
		l.gaps(flowgraph.Fold(bin(program.Add, p.e, off)), flowgraph.Fold(bin(program.Add, q.e, off)), false, t, whole, scalars, t.Size)
	}
	if !overlap {
		l.overElements(k, t, false, one)
		return
	}
	forth, back, end := l.node(), l.node(), l.node()
	l.split(bin(program.ULe, p.e, q.e), forth, back)
	l.cur = forth
	l.overElements(k, t, false, one)
	l.jump(end)
	l.cur = back
	l.overElements(k, t, true, one)
	l.land(end)
}

// fillElements sets k bytes from p on to the byte b.
func (l *lowerer) fillElements(n cc.Node, p, k value, b program.Expr, t *types.Type, whole bool) {
	if l.dryness > 0 {
		l.emitted = true
		return
	}
	p, k = l.kept(p), l.kept(k)
	l.wholeElements(k, t)
	scalars := l.u.bytesOf(t.Plain())
	l.overElements(k, t, false, func(off program.Expr) {
		for _, s := range scalars {
			l.fillScalar(n, at(p.e, off, s), b)
		}
		l.gaps(flowgraph.Fold(bin(program.Add, p.e, off)), b, true, t, whole, scalars, t.Size)
	})
}

// fillScalar sets the bytes of a scalar to b. A truth value has no room for most of them: where it is not looked at that is a byte.
func (l *lowerer) fillScalar(n cc.Node, p place, b program.Expr) {
	if k, constant := b.(program.Const); constant && p.t.Kind == types.BoolKind && k&0xff > 1 {
		if l.u.opts.Uninitialised { // memory is not divided
			l.storeAs(p, l.havoc(types.Bool, 0, 1), plain)
			return
		}
		p.t = types.UnsignedChar
	}
	l.storeAs(p, value{t: p.t, e: l.filled(n, b, p.t)}, plain)
}

// filled is a scalar of type t whose bytes are b.
func (l *lowerer) filled(n cc.Node, b program.Expr, t *types.Type) program.Expr {
	if t.Size == 1 && t.Kind != types.BoolKind {
		return b
	}
	k, constant := b.(program.Const)
	if !constant {
		if t.Kind != types.IntegerKind || t.Size > 8 {
			l.u.refuse(n, "filling with a byte that is not constant")
		}
		ones := int64(0x0101010101010101) // the byte in each place
		return wrap(bin(program.Mul, bin(program.BitAnd, b, program.Const(0xff)), program.Const(t.Word().Wrap(ones))), t)
	}
	v := int64(0)
	for range t.Size {
		v = v<<8 | int64(k)
	}
	return program.Const(t.Word().Wrap(v))
}
