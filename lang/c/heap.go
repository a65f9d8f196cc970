package c

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// sized is the type whose size an expression such as n * sizeof(T) mentions, or nil. Of a sum that is the structure that the others are behind.
func (l *lowerer) sized(n cc.ExpressionNode) *types.Type {
	var all []*types.Type
	walk(n, func(n cc.Node) bool {
		if x, ok := n.(*cc.UnaryExpression); ok {
			switch x.Case {
			case cc.UnaryExpressionSizeofType:
				var t *types.Type
				if l.dry(func() { t = l.u.maker.typeName(x.TypeName) }); t != nil {
					all = append(all, t)
				}
				return false
			case cc.UnaryExpressionSizeofExpr:
				if t := l.typeOf(x.UnaryExpression); t != nil {
					all = append(all, t)
				}
			}
		}
		return true
	})
	if len(all) == 0 {
		return nil
	}
	t := all[0].Element()
	if x, sum := unwrap(n).(*cc.AdditiveExpression); sum && x.Case == cc.AdditiveExpressionAdd {
		open := slices.IndexFunc(all, func(t *types.Type) bool { return t.Extended(t.Size+lowered.MaxObject) != nil })
		one := slices.IndexFunc(all, func(t *types.Type) bool { return t.Kind == types.StructKind })
		switch {
		case open >= 0:
			t = all[open]
		case one >= 0:
			t = all[one]
		}
	}
	if t.Incomplete() || t.Kind == types.IntegerKind && t.Size == 1 {
		return nil
	}
	return t
}

// allocation is malloc and its kin. The size is looked at when it is known (see toolarge.go and threads.go).
func (l *lowerer) allocation(n cc.Node, size operations.Amount, zero bool, t *types.Type) value {
	if l.dryness > 0 {
		l.emitted = true
		return number(types.VoidPointer, 0)
	}
	if bytes, ok := size.Bytes.(program.Const); ok && bytes > lowered.MaxObject && size.Over == nil {
		l.u.refuse(n, "an object of so many bytes")
	}
	s := &operations.Site{Elem: t, Zero: zero, Pos: l.pos()}
	r := l.temp(types.VoidPointer)
	l.operate(&operations.Alloc{Reg: r, Site: s, Size: size.Bytes, Over: size.Over})
	return value{t: types.VoidPointer, e: program.Reg(r), site: s}
}

// aligned makes the alignment a that of all objects that are allocated. One that is computed is looked at up to that of a page.
func (l *lowerer) aligned(n cc.Node, a value) {
	if l.dryness > 0 {
		return
	}
	if k, ok := a.e.(program.Const); ok {
		if k > lowered.MaxObject {
			l.u.refuse(n, fmt.Sprintf("an alignment of %d bytes", k))
		}
		l.u.operations.Strides = max(l.u.operations.Strides, int64(k))
		return
	}
	l.u.operations.Strides = max(l.u.operations.Strides, operations.PageSize)
	fits, larger := l.node(), l.node()
	l.split(bin(program.ULe, a.e, program.Const(operations.PageSize)), fits, larger)
	l.cur = larger
	l.operate(&flowgraph.Bound{What: fmt.Sprintf("not modelled: a computed alignment of more than %d bytes", operations.PageSize)})
	l.jump(fits)
	l.cur = fits
}

// powerOfTwo is whether an expression is one.
func powerOfTwo(e program.Expr) program.Expr {
	one := bin(program.Sub, e, program.Const(1))
	return flowgraph.Fold(bin(program.LogicalAnd, ne(e, program.Const(0)), eq(bin(program.BitAnd, e, one), program.Const(0))))
}

// size evaluates an argument that is a number of bytes.
func (l *lowerer) size(n cc.ExpressionNode) value { return l.convert(l.expr(n), types.UnsignedLong) }

// strippedType is what a pointer points to before it is converted to void *.
func (l *lowerer) strippedType(n cc.ExpressionNode) *types.Type {
	for {
		x, ok := unwrap(n).(*cc.CastExpression)
		if !ok || x.Case != cc.CastExpressionCast {
			break
		}
		var t *types.Type
		if l.dry(func() { t = l.u.maker.typeName(x.TypeName) }); t.Kind != types.PointerKind || t.Elem.Kind != types.VoidKind && t.Elem.Size != 1 {
			break
		}
		n = x.CastExpression
	}
	t := l.typeOf(n).Decay()
	if t.Kind != types.PointerKind {
		return nil
	}
	if d := identifier(n); d != nil && l.frame.was[d] != nil && (t.Elem.Kind == types.VoidKind || t.Elem.Size == 1) {
		return l.frame.was[d]
	}
	if t.Elem.Kind == types.VoidKind && l.frame.def != nil && strings.HasPrefix(l.frame.def.Declarator.Name(), syntax.PointedTo+"mem") {
		return types.Char // it was one to bytes, or is as good as one
	}
	return t.Elem
}

// pointedTo is what a pointer to bytes points to as far as its type tells, or nil. That of what lies behind a
// structure, as in h + 1, is not known: it may be another structure, or what the first one is the header of.
func (l *lowerer) pointedTo(n cc.ExpressionNode) *types.Type {
	t := l.strippedType(n)
	if t == nil || t.Kind == types.VoidKind || t.Incomplete() || t.Kind == types.StructKind && l.besides(n) {
		return nil
	}
	return t
}

// besides is whether an expression is a pointer to which a constant has been added.
func (l *lowerer) besides(n cc.ExpressionNode) bool {
	for {
		x, ok := unwrap(n).(*cc.CastExpression)
		if !ok || x.Case != cc.CastExpressionCast {
			break
		}
		n = x.CastExpression
	}
	if x, ok := unwrap(n).(*cc.UnaryExpression); ok && x.Case == cc.UnaryExpressionAddrof { // &h[1]
		e, ok := unwrap(x.CastExpression).(*cc.PostfixExpression)
		if !ok || e.Case != cc.PostfixExpressionIndex || l.typeOf(e.PostfixExpression).Kind == types.ArrayKind {
			return false
		}
		_, constant := l.u.constantMaybe(e.ExpressionList)
		return constant
	}
	x, ok := unwrap(n).(*cc.AdditiveExpression)
	if !ok || x.Case != cc.AdditiveExpressionAdd {
		return false
	}
	_, constant := l.u.constantMaybe(x.MultiplicativeExpression)
	return constant
}

// elementsOf is the type of the elements that k bytes are: the first of the candidates that k is a number of; else that of
// which the size is mentioned, or bytes.
func (l *lowerer) elementsOf(k value, size cc.ExpressionNode, candidates ...*types.Type) *types.Type {
	for _, t := range append(candidates, l.sized(size)) {
		if t != nil && t.Kind != types.VoidKind && !t.Incomplete() && t.Size > 0 && l.divides(t, k) {
			return t
		}
	}
	return types.Char
}

// divides is whether k bytes, as far as that is known, are elements of type t, or whole members of one from its beginning on.
func (l *lowerer) divides(t *types.Type, k value) bool {
	n, constant := k.e.(program.Const)
	if !constant || int64(n)%t.Size == 0 {
		return true
	}
	scalars := l.u.flatten(t.Plain(), "", 0, nil)
	return int64(n) < t.Size && slices.ContainsFunc(scalars, func(s lowered.Scalar) bool { return s.Off+s.Size == int64(n) }) &&
		!slices.ContainsFunc(scalars, func(s lowered.Scalar) bool { return s.Off < int64(n) && int64(n) < s.Off+s.Size })
}

// bytes is v, a number of bytes. One that is not constant is that of an object of type t, or what
// follows is not looked at.
func (l *lowerer) bytes(n cc.ExpressionNode, v value, t *types.Type) int64 {
	if k, ok := v.e.(program.Const); ok {
		return int64(k)
	}
	if l.dryness > 0 {
		return 0
	}
	if t == nil || t.Incomplete() || t.Size <= 1 {
		l.u.refuse(n, "a number of bytes that is not constant")
	}
	fits, differs := l.node(), l.node()
	l.split(eq(v.e, program.Const(t.Size)), fits, differs)
	l.cur = differs
	l.operate(&flowgraph.Bound{What: "not modelled: a number of bytes that is not constant, and not that of " + t.Name})
	l.jump(fits)
	l.cur = fits
	return t.Size
}

// span is the scalars of n bytes of elements of type t.
func (l *lowerer) span(at cc.Node, t *types.Type, n int64) []lowered.Scalar {
	if t == nil || t.Incomplete() || t.Size == 0 {
		l.u.refuse(at, "an operation on bytes whose type is not known")
	}
	if n%t.Size == 0 {
		return l.u.bytesOf(types.ArrayOf(t.Plain(), n/t.Size))
	}
	var part []lowered.Scalar
	for _, s := range l.u.bytesOf(t.Plain()) {
		if s.Off+s.Size <= n {
			part = append(part, s)
		} else if s.Off < n {
			l.u.refuse(at, "an operation on a part of an integer")
		}
	}
	if n > t.Size {
		l.u.refuse(at, "an operation on a part of an array")
	}
	return part
}

// memoryBuiltins are the functions that this file knows.
func memoryBuiltins() map[string]builtin {
	aligned := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		t := l.sized(args[1])
		a := l.kept(l.size(args[0]))
		k := l.amount(l.size(args[1]))
		l.at(n)
		l.assert(powerOfTwo(a.e), "an alignment that is no power of two")
		l.aligned(n, a)
		return l.allocation(n, k, false, t)
	}}
	fill := func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		last := len(args) - 1 // bzero has no byte to fill with
		t := l.pointedTo(args[0])
		p := l.pointerArgument(args[0])
		c := number(types.UnsignedChar, 0)
		if last == 2 {
			c = l.convert(l.expr(args[1]), types.UnsignedChar)
		}
		size := l.size(args[last])
		l.at(n)
		if size = l.kept(size); !l.fewBytes(n, size) {
			return value{t: types.VoidPointer, e: p.e}
		}
		pt := t
		t = l.elementsOf(size, args[last], t)
		l.reach(p, size, pt, t)
		whole := l.isOf(args[last], t)
		if k, known := size.e.(program.Const); known && t != nil && t.Size > 0 && int64(k)%t.Size == 0 {
			l.renewing(n, p.e, types.ArrayOf(t.Plain(), int64(k)/t.Size))
		}
		if byElements(size, t) {
			l.fillElements(n, p, size, c.e, t, whole)
			return value{t: types.VoidPointer, e: p.e}
		}
		k := l.bytes(args[last], size, t)
		scalars := l.span(n, t, k)
		for _, s := range scalars {
			l.fillScalar(n, place{t: s.Type.Plain(), addr: plus(p.e, s.Off)}, c.e)
		}
		l.gaps(p.e, c.e, true, t, whole, scalars, k)
		return value{t: types.VoidPointer, e: p.e}
	}
	memcpy := func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		overlap := strings.Contains(called(n), "memmove") // or __builtin___memmove_chk
		t, st := l.pointedTo(args[0]), l.pointedTo(args[1])
		if t == nil || st != nil && st.Size > 1 && t.Size == 1 {
			t, st = st, t
		}
		if x, y := l.strippedType(args[0]), st; x == nil || y == nil || holdsDate(x) != holdsDate(y) {
			l.keepsFrom(n, args[0], args[1])
		}
		p, q := l.pointerArgument(args[0]), l.pointerArgument(args[1])
		size := l.size(args[2])
		l.at(n)
		if size = l.kept(size); !l.fewBytes(n, size) {
			return value{t: types.VoidPointer, e: p.e}
		}
		if !overlap {
			apart := func(p, q value) program.Expr {
				return bin(program.ULe, size.e, flowgraph.Fold(bin(program.Sub, p.e, q.e)))
			}
			l.assertThat(flowgraph.Fold(bin(program.LogicalAnd, apart(p, q), apart(q, p))), n, "what %s copies does not overlap where it is copied to", overlapText)
		}
		pt := t
		t = l.elementsOf(size, args[2], t, st)
		l.reach(p, size, pt, t)
		l.reach(q, size, pt, t)
		whole := l.isOf(args[2], t)
		if overlap && !whole && t.Aggregate() && l.hasGaps(t) {
			t = types.Char
		}
		if byElements(size, t) {
			l.copyElements(p, q, size, t, overlap, whole)
			return value{t: types.VoidPointer, e: p.e}
		}
		k := l.bytes(args[2], size, t)
		scalars := l.span(n, t, k)
		var vs []copied
		for _, s := range scalars {
			vs = append(vs, l.loadCopy(place{t: s.Type.Plain(), addr: plus(q.e, s.Off)}))
		}
		for i, s := range scalars {
			l.storeCopy(place{t: s.Type.Plain(), addr: plus(p.e, s.Off)}, vs[i])
		}
		l.gaps(p.e, q.e, false, t, whole, scalars, k)
		return value{t: types.VoidPointer, e: p.e}
	}
	malloc := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		t := l.sized(args[0])
		k := l.amount(l.size(args[0]))
		l.at(n)
		return l.allocation(n, k, false, t)
	}}
	free := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		v := l.convert(l.expr(args[0]), types.VoidPointer)
		l.at(n)
		l.free(v)
		return nothing
	}}
	pages := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		l.aligned(n, number(types.UnsignedLong, operations.PageSize))
		return malloc.do(l, n, args)
	}}
	alloca := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		t := l.sized(args[0])
		k := l.amount(l.size(args[0]))
		l.at(n)
		v := l.allocation(n, k, false, t)
		l.onStack(v, l.frame.scope, "what alloca gives")
		return v
	}}
	behind := builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		if hasEffects(args[2]) {
			l.u.refuse(args[2], "a number of bytes with an effect")
		}
		v := memcpy(l, n, args)
		return value{t: types.VoidPointer, e: flowgraph.Fold(bin(program.Add, v.e, l.size(args[2]).e))}
	}}
	return map[string]builtin{
		"malloc": malloc, "__fp_malloc": malloc,
		"alloca": alloca, "__builtin_alloca": alloca,
		"calloc": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			t := l.sized(args[1])
			if t == nil {
				t = l.sized(args[0])
			}
			k := l.amount(l.size(args[0]), l.size(args[1]))
			l.at(n)
			v := l.allocation(n, k, true, t)
			l.noMemory(k)
			return v
		}},
		"aligned_alloc": aligned, "memalign": aligned, "valloc": pages, "pvalloc": pages,
		"mmap": {6, mmap}, "munmap": {2, munmap},
		"posix_memalign": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			t := l.sized(args[2])
			a := l.kept(l.size(args[1]))
			k := l.amount(l.size(args[2]))
			to := l.target(args[0])
			l.at(n)
			r := l.temp(types.Int)
			good, bad, end := l.node(), l.node(), l.node()
			l.split(flowgraph.Fold(bin(program.LogicalAnd, powerOfTwo(a.e), bin(program.ULe, program.Const(8), a.e))), good, bad)
			l.cur = bad
			l.assign(r, program.Const(einval))
			l.jump(end)
			l.cur = good
			l.aligned(n, a)
			v := l.allocation(n, k, false, t)
			l.assign(r, program.Const(0))
			l.store(to, l.convert(v, to.t.Plain()))
			l.land(end)
			return value{t: types.Int, e: program.Reg(r)}
		}},
		"reallocarray": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			t := l.sized(args[2])
			if pt := l.strippedType(args[0]); t == nil && pt != nil && !pt.Incomplete() {
				t = pt
			}
			old := l.convert(l.expr(args[0]), types.VoidPointer)
			k := l.amount(l.size(args[1]), l.size(args[2]))
			l.at(n)
			return l.realloc(n, old, k, t, l.isOf(args[2], t))
		}},
		"realloc": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			t := l.sized(args[1])
			if pt := l.strippedType(args[0]); t == nil && pt != nil && !pt.Incomplete() {
				t = pt
			}
			old := l.convert(l.expr(args[0]), types.VoidPointer)
			k := l.amount(l.size(args[1]))
			l.at(n)
			return l.realloc(n, old, k, t, l.isOf(args[1], t))
		}},
		"free": free, "__fp_free": free,
		"memset": {3, fill}, "bzero": {2, fill}, "explicit_bzero": {2, fill},
		"memcpy": {3, memcpy}, "memmove": {3, memcpy}, "mempcpy": behind, "__mempcpy": behind,
	}
}

// pointerArgument is an argument that has to be a pointer, of its own type.
func (l *lowerer) pointerArgument(arg cc.ExpressionNode) value {
	v := l.expr(arg)
	l.convert(v, types.VoidPointer)
	return v
}

// free gives back what v points to, if that is anything.
func (l *lowerer) free(v value) {
	yes, end := l.node(), l.node()
	l.split(ne(v.e, program.Const(0)), yes, end)
	l.cur = yes
	l.emit(program.Command{Op: program.Load, Reg: l.temp(types.UnsignedLong), Addr: v.e, Tags: program.NewTags(flowgraph.FreeTag)})
	l.land(end)
}
