package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// The elements of an array that a function of the library is called with.
type elements struct {
	t    *types.Type // of one
	base program.Expr
	n    program.Expr
	cmp  value
}

// sortable evaluates base, number, size and comparison.
func (l *lowerer) sortable(n cc.Node, args []cc.ExpressionNode) elements {
	t := l.strippedType(args[0])
	if t == nil || t.Incomplete() || t.Kind == types.VoidKind {
		l.u.refuse(n, "sorting or searching what has no type here")
	}
	var a elements
	a.t = t
	a.base = l.hold(l.convert(l.expr(args[0]), types.VoidPointer))
	a.n = l.hold(l.size(args[1]))
	if k := l.constantArgument(args[2], "the size of elements"); k != t.Size && l.dryness == 0 {
		l.u.refuse(n, "sorting or searching elements that are not those of the array")
	}
	a.cmp = l.expr(args[3])
	l.at(n)
	if a.cmp.t.Kind != types.PointerKind || a.cmp.t.Elem.Kind != types.FunctionKind {
		l.u.fail(n, "", "%s cannot be called", a.cmp.t.Name)
	}
	return a
}

// hold keeps a value in a register.
func (l *lowerer) hold(v value) program.Expr {
	if _, ok := v.e.(program.Const); ok {
		return v.e
	}
	r := l.temp(v.t)
	l.assign(r, v.e)
	return program.Reg(r)
}

// at is the address of an element.
func (a *elements) at(i program.Expr) program.Expr {
	return flowgraph.Fold(bin(program.Add, a.base, flowgraph.Fold(bin(program.Mul, i, program.Const(a.t.Size)))))
}

// compareElements calls the comparison.
func (l *lowerer) compareElements(n cc.Node, a *elements, x, y program.Expr) program.Expr {
	l.idle = nil // it is the value of the sorting that nobody may ask for
	return l.throughPointer(n, a.cmp, []value{{t: types.VoidPointer, e: x}, {t: types.VoidPointer, e: y}}).e
}

// swapElements exchanges the bytes of a t at one address with those at the other: what an assignment does not copy is moved, too.
func (l *lowerer) swapElements(one, other program.Expr, t *types.Type) {
	scalars := l.u.bytesOf(t.Plain())
	at := func(addr program.Expr, s lowered.Scalar) place {
		return place{t: s.Type.Plain(), addr: plus(addr, s.Off)}
	}
	var vs, ws []copied
	for _, s := range scalars {
		vs, ws = append(vs, l.loadCopy(at(one, s))), append(ws, l.loadCopy(at(other, s)))
	}
	for i, s := range scalars {
		l.storeCopy(at(one, s), ws[i])
		l.storeCopy(at(other, s), vs[i])
	}
}

// sortBuiltins are qsort, by insertion, so that what compares equal stays in its order, and
// bsearch.
func sortBuiltins() map[string]builtin {
	return map[string]builtin{
		"qsort": {4, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			a := l.sortable(n, args)
			i, j := l.register("i", program.Uint64Type, true), l.register("j", program.Uint64Type, true)
			l.assign(i, program.Const(1))
			outer, inner, compare, swap, next, end := l.node(), l.node(), l.node(), l.node(), l.node(), l.node()
			l.land(outer)
			begin := l.node()
			l.split(bin(program.ULt, program.Reg(i), a.n), begin, end)
			l.cur = begin
			l.assign(j, program.Reg(i))
			l.land(inner)
			l.split(eq(program.Reg(j), program.Const(0)), next, compare)
			l.cur = compare
			one, other := a.at(plus(program.Reg(j), -1)), a.at(program.Reg(j))
			l.split(bin(program.Lt, program.Const(0), l.compareElements(n, &a, one, other)), swap, next)
			l.cur = swap
			l.swapElements(one, other, a.t)
			l.assign(j, plus(program.Reg(j), -1))
			l.jump(inner)
			l.cur = next
			l.assign(i, plus(program.Reg(i), 1))
			l.jump(outer)
			l.cur = end
			return nothing
		}},
		"bsearch": {5, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			key := l.hold(l.convert(l.expr(args[0]), types.VoidPointer))
			a := l.sortable(n, args[1:])
			lo, hi, mid, c := l.temp(types.UnsignedLong), l.temp(types.UnsignedLong), l.temp(types.UnsignedLong), l.temp(types.Int)
			r := l.temp(types.VoidPointer)
			l.assign(r, program.Const(0))
			l.assign(lo, program.Const(0))
			l.assign(hi, a.n)
			head, body, differs, below, above, found, end := l.node(), l.node(), l.node(), l.node(), l.node(), l.node(), l.node()
			l.land(head)
			l.split(bin(program.ULt, program.Reg(lo), program.Reg(hi)), body, end)
			l.cur = body
			l.assign(mid, bin(program.UDiv, bin(program.Add, program.Reg(lo), program.Reg(hi)), program.Const(2)))
			l.assign(c, l.compareElements(n, &a, key, a.at(program.Reg(mid))))
			l.split(eq(program.Reg(c), program.Const(0)), found, differs)
			l.cur = differs
			l.split(bin(program.Lt, program.Reg(c), program.Const(0)), below, above)
			l.cur = below
			l.assign(hi, program.Reg(mid))
			l.jump(head)
			l.cur = above
			l.assign(lo, plus(program.Reg(mid), 1))
			l.jump(head)
			l.cur = found
			l.assign(r, a.at(program.Reg(mid)))
			l.land(end)
			return value{t: types.VoidPointer, e: program.Reg(r)}
		}},
	}
}
