package c

import (
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// address is &x.
func (l *lowerer) address(n *cc.UnaryExpression) value {
	l.pointed = unwrap(n.CastExpression)
	p := l.lvalue(n.CastExpression)
	switch {
	case p.fn != "":
		return value{t: types.PointerTo(p.t), e: l.functionAddress(p.fn)}
	case p.bits > 0:
		l.u.fail(n, "", "the address of a bit-field")
	case p.addr == nil:
		if l.dryness > 0 {
			return value{t: types.PointerTo(p.t), e: program.Const(0)}
		}
		l.u.refuse(n, "the address of this variable here")
	}
	of := p.of
	if p.t.Kind == types.ArrayKind && !p.row { // it is the one element of an array (C11, 6.5.6p7)
		of = p.begins()
	}
	return value{t: types.PointerTo(p.t), e: p.addr, span: p.span, of: of}
}

// lvalue is the place that n denotes.
func (l *lowerer) lvalue(n cc.ExpressionNode) place {
	l.at(n)
	pointed := l.pointed == unwrap(n)
	l.pointed = nil
	switch x := unwrap(n).(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionIdent:
			d := resolved(x)
			if x.Token.SrcStr() == "__func__" {
				return l.literal(l.frame.name)
			}
			if d == nil || d.IsSynthetic() && l.frame.vars[d] == nil { // a parameter may have no declaration
				if l.u.isBuiltin(x.Token.SrcStr()) || attribute(x.Token.SrcStr()) {
					return place{t: &types.Type{Kind: types.FunctionKind, Elem: types.Int, Align: 1, Name: "function"}, fn: x.Token.SrcStr()}
				}
				l.u.fail(x, syntax.Suggest(x.Token.SrcStr(), nil), "%s is not declared", x.Token.SrcStr())
			}
			return l.variable(x, d)
		case cc.PrimaryExpressionString:
			if s, ok := x.Value().(cc.StringValue); ok {
				return l.literal(string(s))
			}
		case cc.PrimaryExpressionLString:
			l.u.refuse(x, "a wide string")
		case cc.PrimaryExpressionGeneric:
			return l.lvalue(l.generic(x.GenericSelection))
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionDeref {
			if v, ok := l.disguised(x.CastExpression); ok {
				return l.spill(v)
			}
			v := l.expr(x.CastExpression)
			l.at(n)
			if v.t.Kind != types.PointerKind {
				l.u.fail(x, "", "%s is no pointer", v.t.Name)
			}
			e := l.pointee(v)
			e.row = e.t.Kind == types.ArrayKind && v.of != nil
			l.element(x, &e, v.of.widened(), pointed)
			return e
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionIndex:
			parts := []cc.ExpressionNode{x.PostfixExpression, x.ExpressionList}
			values := l.inAnyOrder(x, parts, func(i int) value { return l.expr(parts[i]) })
			p, i := values[0], values[1]
			l.at(n)
			if i.t.Kind == types.PointerKind {
				p, i = i, p
			}
			if i.t.TwoWords {
				l.u.refuse(x, "an index of type "+i.t.Name)
			}
			if p.t.Kind != types.PointerKind || !i.t.Integer() {
				l.u.fail(x, "", "this cannot be indexed")
			}
			to := l.advance(x, p, i, program.Add)
			e := l.pointee(to)
			if k, known := i.e.(program.Const); !known || k != 0 {
				e.open = false
			}
			e.row = e.t.Kind == types.ArrayKind
			if e.hi > 0 {
				l.indexes(x, e)
			}
			of := to.of
			if base, ok := p.e.(program.Const); ok {
				if at := l.typeOf(x.PostfixExpression); at.Kind == types.ArrayKind && at.Len > 0 && at.Size > 0 {
					e.lo, e.hi = int64(base), int64(base)+at.Size
					l.indexes(x, e)
					if of != nil {
						of = of.in
					}
				}
			}
			l.element(x, &e, of, pointed)
			if base, ok := l.base(p); ok && e.hi == 0 { // a pointer leads to no other object, however far it is moved
				if o := l.u.lowered.ObjectAt(base); o != nil {
					e.lo, e.hi = o.Base, o.Base+o.Size
					l.indexes(x, e)
				}
			}
			return e
		case cc.PostfixExpressionSelect:
			p, ok := l.maybeLvalue(x.PostfixExpression)
			if !ok {
				p = l.spill(l.expr(x.PostfixExpression))
			}
			return l.selectMember(x, p, x.Token2.SrcStr())
		case cc.PostfixExpressionPSelect:
			v := l.expr(x.PostfixExpression)
			l.at(n)
			if v.t.Kind != types.PointerKind {
				l.u.fail(x, "did you mean . in place of ->?", "%s is no pointer", v.t.Name)
			}
			l.within(x, v.of)
			return l.selectMember(x, l.pointee(v), x.Token2.SrcStr())
		case cc.PostfixExpressionComplit:
			return l.compoundLiteral(x)
		}
	}
	l.u.fail(n, "", "this has no place in memory")
	panic("unreachable")
}

// maybeLvalue is lvalue where n can be one.
func (l *lowerer) maybeLvalue(n cc.ExpressionNode) (place, bool) {
	switch x := unwrap(n).(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionIdent:
			if _, enum := x.ResolvedTo().(*cc.Enumerator); enum {
				return place{}, false
			}
			return l.lvalue(n), true
		case cc.PrimaryExpressionString:
			return l.lvalue(n), true
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionDeref {
			if _, ok := disguise(x.CastExpression); ok {
				return place{}, false
			}
			return l.lvalue(n), true
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionIndex, cc.PostfixExpressionPSelect, cc.PostfixExpressionComplit:
			return l.lvalue(n), true
		case cc.PostfixExpressionSelect:
			p, ok := l.maybeLvalue(x.PostfixExpression)
			if ok {
				return l.selectMember(x, p, x.Token2.SrcStr()), true
			}
		}
	}
	return place{}, false
}

// pointee is the place that v points to.
func (l *lowerer) pointee(v value) place {
	if v.t.Kind != types.PointerKind {
		l.u.failAt(l.pos(), "", "%s where a pointer is wanted", v.t.Name)
	}
	if v.t.Elem.Kind == types.FunctionKind {
		if k, ok := v.e.(program.Const); ok {
			if name := l.u.functionAt(int64(k)); name != "" {
				return place{t: v.t.Elem, fn: name}
			}
		}
	}
	align := v.t.Elem.Align
	if v.align > 0 {
		align = min(align, v.align)
	}
	return place{t: v.t.Elem, addr: v.e, lo: v.span.Lo, hi: v.span.Hi, span: v.span, open: v.t.Elem.Aggregate(), align: align}
}

// element is what to know of e, which n denotes, as an element: that it is inside its array, or, where only its address is asked for (pointed)
// or it is an array itself, of which.
func (l *lowerer) element(n cc.ExpressionNode, e *place, of *elementOf, pointed bool) {
	if e.t.Kind == types.ArrayKind || pointed {
		e.of = of
		return
	}
	l.within(n, of)
}

// spill puts a value that is none of an object into memory.
func (l *lowerer) spill(v value) place {
	if v.t.Kind == types.VoidKind {
		l.u.failAt(l.pos(), "", "an expression without a value is used")
	}
	if l.dryness > 0 {
		return place{t: v.t, addr: program.Const(0)}
	}
	o := l.mortal("value", v.t, l.scope)
	p := place{t: v.t, addr: program.Const(o.Base)}
	l.storeAs(p, v, plain)
	return p
}

func (l *lowerer) selectMember(n cc.Node, p place, name string) place {
	if !p.t.Aggregate() {
		hint := ""
		if p.t.Kind == types.PointerKind {
			hint = "did you mean -> in place of .?"
		}
		l.u.fail(n, hint, "%s has no members", p.t.Name)
	}
	if p.t.Incomplete() {
		l.u.fail(n, "", "the members of %s are not known here", p.t.Name)
	}
	path := p.t.Find(name)
	if path == nil {
		var known []string
		for _, f := range p.t.Fields {
			known = append(known, f.Name)
		}
		l.u.fail(n, didYouMean(name, known), "%s has no member %s", p.t.Name, name)
	}
	if p.t.Kind == types.UnionKind && l.u.makesDates() && holdsDate(p.t) {
		l.u.refuse(n, "a date in a union")
	}
	quals := p.t.Qualifiers
	if cell := l.u.packed(p.t); cell != nil {
		return l.memberBits(n, p, cell, path)
	}
	for _, f := range path {
		inside, align := p.inside, p.align
		if align == 0 {
			align = p.t.Align
		}
		if p.t.Kind == types.UnionKind && inside == nil && l.u.divided(p.t) {
			inside = l.u.flatten(p.t, "", 0, nil)
		}
		inside = lowered.Shifted(inside, f.Offset)
		last := p.t.Kind == types.UnionKind || f.Offset >= p.t.Fields[len(p.t.Fields)-1].Offset
		p = place{t: f.Type, addr: plus(p.addr, f.Offset), bits: f.Bits, bitOff: f.BitOffset, unit: f.Unit, first: l.u.firstUnit(p.t, f), firstTo: f.Offset, seen: l.u.known.padded[p.t.Node], lo: p.lo, hi: p.hi, inside: inside, open: p.open && last, lies: p.lies || p.t.Kind == types.UnionKind, align: min(lowered.AlignedAt(align, f.Offset), f.Type.Align)}
	}
	p.t = p.t.Qualified(quals)
	p.span = l.u.spanOf(p)
	switch {
	case p.bits > 0:
		p.parts = lowered.PartsOf(p.inside, 0, p.unit)
	case p.t.Scalar():
		p.parts = lowered.PartsOf(p.inside, 0, p.t)
	}
	return p
}

// memberBits is a member of a structure that is one cell.
func (l *lowerer) memberBits(n cc.Node, p place, cell *types.Type, path []types.Field) place {
	off, last := int64(0), path[len(path)-1]
	for _, f := range path {
		off += f.Offset
	}
	m := place{t: last.Type, addr: p.addr, bits: int(8 * last.Type.Size), bitOff: int(8 * off), unit: cell, lo: p.lo, hi: p.hi}
	if last.Bits > 0 {
		m.bits, m.bitOff = last.Bits, m.bitOff+last.BitOffset
	}
	if !last.Type.Integer() || m.bits > 32 {
		l.u.refuse(n, "this member of an atomic structure")
	}
	return m
}

// literal is the object of a string literal.
func (l *lowerer) literal(s string) place {
	t := types.ArrayOf(types.Char, int64(len(s)+1))
	if len(s) > 0 && s[len(s)-1] == 0 {
		t = types.ArrayOf(types.Char, int64(len(s)))
	}
	o := l.u.literals[s]
	if o == nil {
		o = l.u.object(strconv.Quote(strings.TrimSuffix(s, "\x00")), t)
		for i := range len(s) {
			o.Init[int64(i)] = int64(int8(s[i]))
		}
		o.Fixed, o.FixedIn = lowered.LiteralText, []lowered.Interval{{Lo: 0, Hi: t.Size}}
		l.u.literals[s] = o
	}
	return place{t: t, addr: program.Const(o.Base)}
}

// compoundLiteral is (T){...}.
func (l *lowerer) compoundLiteral(n *cc.PostfixExpression) place {
	t := l.u.maker.typeName(n.TypeName)
	init := &cc.Initializer{Case: cc.InitializerInitList, InitializerList: n.InitializerList}
	if t.Varies() {
		l.u.refuse(n, types.VaryingSize)
	}
	if t.Kind == types.ArrayKind && t.Len < 0 {
		t = types.ArrayOf(t.Elem, l.u.initLen(t, init))
	}
	if t.Incomplete() {
		l.u.fail(n, "", "%s has no size here", t.Name)
	}
	if l.staticInit > 0 { // at file scope
		o := l.u.compounds[n]
		if o == nil {
			o = l.u.object("literal", t)
			o.Fix("a compound literal")
			l.u.compounds[n] = o
			l.u.static(o, init)
		}
		return place{t: t, addr: program.Const(o.Base)}
	}
	o := l.mortal("literal", t, l.scope)
	twin := l.twinned(n, o)
	puts := l.initializer(t, init)
	o.Unset = len(l.padding(t)) > 0 || leftOpen(t, puts) != nil
	if twin != nil {
		twin.Other.Unset = o.Unset
	}
	l.fill(o, t, puts)
	return place{t: t, addr: o.Address()}
}

// memberOf is the member of a value that is no object.
func (l *lowerer) memberOf(n cc.Node, v value, name string) value {
	p := l.selectMember(n, place{t: v.t, addr: program.Const(0)}, name)
	off := int64(p.addr.(program.Const))
	scalars := l.u.flatten(v.t, "", 0, nil)
	t := p.t.Plain()
	switch {
	case t.Aggregate() && l.u.packed(p.t) == nil:
		whole := value{t: t}
		for _, s := range l.u.flatten(t, "", 0, nil) {
			e, set := l.scalarIn(v, scalars, off+s.Off, s)
			if whole.agg = append(whole.agg, e); set != nil {
				whole.sets = append(whole.sets, set)
			}
		}
		return whole
	case t.Aggregate():
		e, set := l.scalarIn(v, scalars, off, lowered.Scalar{Type: l.u.packed(p.t), Fields: true})
		whole := l.whole(p, []program.Expr{e})
		if set != nil {
			whole.sets = l.unpackedSets(p.t, set)
		}
		return whole
	case t.Kind == types.ArrayKind:
		return l.load(l.selectMember(n, l.spill(v), name))
	}
	if v.sets != nil {
		l.lookIn(p, off, scalars, v.sets)
	}
	if p.bits > 0 {
		unit, _ := l.scalarIn(v, scalars, off, lowered.Scalar{Type: p.unit})
		return value{t: bitType(p), e: l.bits(p, unit)}
	}
	e, _ := l.scalarIn(v, scalars, off, lowered.Scalar{Type: t})
	return value{t: t, e: e}
}

// scalarIn is one at off in a value with these scalars, and what says of it that it has been written, if that is known: a union may
// have it in pieces.
func (l *lowerer) scalarIn(v value, scalars []lowered.Scalar, off int64, is lowered.Scalar) (e, set program.Expr) {
	var got, sets []program.Expr
	for i, s := range scalars {
		if off <= s.Off && s.Off < off+max(is.Type.Size, 1) {
			if got = append(got, v.agg[i]); v.sets != nil {
				sets = append(sets, v.sets[i])
			}
		}
	}
	parts := lowered.PartsOf(scalars, off, is.Type)
	if sets != nil {
		set = l.setOf(is, parts, sets)
	}
	return l.whole(place{t: is.Type, parts: parts}, got).e, set
}
