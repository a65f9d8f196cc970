package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A function that works on a text is given the array that it is in, and goes no farther: strcpy(p->name, s) must have room in the member, whatever
// comes behind it in *p (C11, 7.1.4 and 6.5.6p8). Functions that work on bytes, as memset does, are given a part of an object as often as
// the array at its beginning, and are asked for no more than that these bytes are there.

// textArgument is an argument that is a pointer to a text. One that is cast on the way leads into what it has been made of all the same.
func (l *lowerer) textArgument(n cc.ExpressionNode) value {
	c, ok := unwrap(n).(*cc.CastExpression)
	if !ok || c.Case != cc.CastExpressionCast {
		return l.text(l.expr(n))
	}
	from := l.expr(c.CastExpression)
	l.at(n)
	v := l.cast(c, from, l.u.maker.typeName(c.TypeName))
	if from.t.Kind != types.PointerKind {
		return l.text(v)
	}
	v.span, v.of = from.span, from.of
	return l.textOf(v, from.t.Elem.Size)
}

// text is a pointer to a text with the array that this is in, where that is not the whole object.
func (l *lowerer) text(v value) value { return l.textOf(v, 1) }

// textOf is the same of an array whose elements have that size.
func (l *lowerer) textOf(v value, elem int64) value {
	p := l.convert(v, types.VoidPointer)
	p.span, p.of = lowered.Interval{}, nil
	if v.t.Kind != types.PointerKind || v.t.Elem.Size != 1 || l.dryness > 0 {
		return p
	}
	if v.span.Hi > v.span.Lo {
		p.span = v.span
		return p
	}
	of := v.of.widened()
	if of == nil {
		return p
	}
	l.within(nil, of.in)
	if a, known := of.base.(program.Const); known {
		size, sized := of.size.(program.Const)
		if o := l.u.lowered.ObjectOf(a); o == nil || sized && (int64(a) == o.Base && o.Size == int64(size) || int64(size) <= elem) { // of one element: the rest may come behind it

			return p
		}
	}
	one := *of
	one.in = nil
	p.of = &one
	return p
}

// behind is the pointer to what is so many characters behind the beginning of a text.
func (l *lowerer) behind(p value, n program.Expr) value {
	p.e, p.of = flowgraph.Fold(bin(program.Add, p.e, n)), p.of.advanced(program.Add, n)
	return p
}

// inText is the place of a character of a text, which is looked at.
func (l *lowerer) inText(p value, n program.Expr, t *types.Type) place {
	at := l.behind(p, n)
	l.within(nil, at.of)
	return place{t: t, addr: at.e, lo: p.span.Lo, hi: p.span.Hi}
}
