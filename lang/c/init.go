package c

import (
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A put is a scalar that an initialiser sets, or the member of a union that it does.
type put struct {
	off    int64
	t      *types.Type
	bits   int
	bitOff int
	unit   *types.Type
	v      value
	at     cc.Node
	member *types.Field // of a union of type t: which member is initialised
	real   bool         // a part of a number of floating point of which nothing is known
	set    program.Expr // whether v has been written, where it is copied and that is asked; nil: it is
}

// single is the expression of an initialiser of a scalar, in braces or not.
func (l *lowerer) single(n *cc.Initializer) cc.ExpressionNode {
	for n.Case == cc.InitializerInitList {
		if n.InitializerList == nil {
			return zeroNode
		}
		if n.InitializerList.InitializerList != nil {
			l.u.fail(n, "", "more than one value for a scalar")
		}
		n = n.InitializerList.Initializer
	}
	return n.AssignmentExpression
}

var zeroNode cc.ExpressionNode

// initializer evaluates an initialiser of an object of type t.
func (l *lowerer) initializer(t *types.Type, n *cc.Initializer) []put {
	if n.Case == cc.InitializerExpr {
		return l.initWith(t, 0, n.AssignmentExpression, nil)
	}
	if t.Library {
		return l.libraryValue(t, 0, n)
	}
	if t.Kind == types.ArrayKind && isString(t, n) {
		return l.initWith(t, 0, l.single(n), nil)
	}
	if t.Scalar() || t.TwoWords {
		if e := l.single(n); e != zeroNode {
			return l.initWith(t, 0, e, nil)
		}
		return nil
	}
	return l.divide(t, l.list(t, n.InitializerList))
}

// initWith initialises what is at off by one expression.
func (l *lowerer) initWith(t *types.Type, off int64, e cc.ExpressionNode, to []put) []put {
	if t.Kind == types.ArrayKind {
		if s, ok := stringOf(e); ok && t.Elem.Integer() && t.Elem.Size == 1 {
			l.u.noElements(e, t)
			for i := range t.Len {
				var c int64
				if i < int64(len(s)) {
					c = int64(int8(s[i]))
				}
				to = append(to, put{off: off + i, t: t.Elem, v: l.convert(value{t: types.Char, e: program.Const(c)}, t.Elem.Plain()), at: e})
			}
			return to
		}
		l.u.noList(e)
	}
	if t.Library && l.typeOf(e).Integer() {
		return append(to, l.libraryValue(t, off, &cc.Initializer{Case: cc.InitializerExpr, AssignmentExpression: e})...)
	}
	l.sequenced(e)
	v := l.coerce(e, l.expr(e), t)
	if cell := l.u.packed(t); cell != nil {
		one := put{off: off, t: cell, v: l.u.pack(t, cell, v), at: e}
		if v.sets != nil {
			one.set = l.packedSet(t, v)
		}
		return append(to, one)
	}
	if t.Aggregate() {
		for i, s := range l.u.flatten(t, "", 0, nil) {
			to = append(to, put{off: off + s.Off, t: s.Type, v: value{t: s.Type, e: v.agg[i]}, at: e})
			if v.sets != nil {
				to[len(to)-1].set = v.sets[i]
			}
		}
		return to
	}
	return append(to, put{off: off, t: t, v: v, at: e})
}

// noElements refuses a value for an array that has no elements, as one at the end of a structure has none (C11, 6.7.2.1p18), which GCC makes as
// long as its initialiser.
func (u *unit) noElements(n cc.Node, t *types.Type) {
	if t.Kind == types.ArrayKind && t.Len == 0 {
		u.refuse(n, "a value for an array without elements, as a flexible array member is")
	}
}

// noList fails for an array that e initialises.
func (u *unit) noList(e cc.ExpressionNode) {
	if p, ok := unwrap(e).(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionLString {
		u.refuse(e, "a wide string")
	}
	u.fail(e, "", "an array is initialised by a list in braces")
}

func stringOf(e cc.ExpressionNode) (string, bool) {
	p, ok := unwrap(e).(*cc.PrimaryExpression)
	if !ok || p.Case != cc.PrimaryExpressionString {
		return "", false
	}
	s, ok := p.Value().(cc.StringValue)
	return string(s), ok
}

// A cursor walks over the subobjects of an aggregate in the order of an initialiser.
type cursor struct {
	t   *types.Type
	off int64
	i   int64 // the next element or member
	up  *cursor
}

// next is the subobject that the cursor is at; false at the end.
func (c *cursor) next() (f types.Field, ok bool) {
	switch c.t.Kind {
	case types.ArrayKind:
		if c.i >= c.t.Len && c.t.Len >= 0 {
			return types.Field{}, false
		}
		return types.Field{Type: c.t.Elem, Offset: c.off + c.i*c.t.Elem.Size}, true
	}
	if c.i >= int64(len(c.t.Fields)) {
		return types.Field{}, false
	}
	f = c.t.Fields[c.i]
	f.Offset += c.off
	return f, true
}

// step goes past the subobject that a cursor is at, which a value is for. A union has one member only: if that is another one than
// before, what was said of the union counts for nothing.
func (l *lowerer) step(c *cursor, puts *[]put) {
	i := c.i
	c.i++
	if c.t.Kind != types.UnionKind {
		return
	}
	c.i = int64(len(c.t.Fields))
	f := &c.t.Fields[i]
	before := slices.IndexFunc(*puts, func(p put) bool { return p.member != nil && p.off == c.off && p.t == c.t })
	if before >= 0 && (*puts)[before].member == f {
		return
	}
	l.overrides(types.Field{Type: c.t, Offset: c.off}, puts)
	*puts = append(*puts, put{off: c.off, t: c.t, member: f})
}

// within is whether t is a type, or that of a part of it.
func within(t, of *types.Type) bool {
	switch {
	case t == of:
		return true
	case of.Kind == types.ArrayKind:
		return within(t, of.Elem)
	}
	return (of.Kind == types.StructKind || of.Kind == types.UnionKind) && slices.ContainsFunc(of.Fields, func(f types.Field) bool { return within(t, f.Type) })
}

// list evaluates the initialisers in braces of an array, a structure or a union.
func (l *lowerer) list(t *types.Type, n *cc.InitializerList) []put {
	if t.Library {
		return l.libraryValue(t, 0, n)
	}
	if l.evaluates() {
		if parts := listed(n, nil); len(parts) > 1 { // in no order (C11, 6.7.9p23)
			l.inOneOrder(n, parts...)
			l.partsOfCall(parts)
		}
	}
	var puts []put
	l.fillList(&cursor{t: t}, n, &puts, nil)
	return puts
}

// listed are the expressions in a list and those inside of it, but for constants.
func listed(n *cc.InitializerList, parts []cc.ExpressionNode) []cc.ExpressionNode {
	for ; n != nil; n = n.InitializerList {
		switch {
		case n.Initializer == nil:
		case n.Initializer.Case == cc.InitializerInitList:
			parts = listed(n.Initializer.InitializerList, parts)
		default:
			e := n.Initializer.AssignmentExpression
			if p, ok := unwrap(e).(*cc.PrimaryExpression); !ok || p.Case == cc.PrimaryExpressionIdent {
				parts = append(parts, e)
			}
		}
	}
	return parts
}

// fillList reads a list for the object at the cursor.
func (l *lowerer) fillList(top *cursor, n *cc.InitializerList, puts *[]put, longest *int64) {
	at := top
	for ; n != nil; n = n.InitializerList {
		if n.Initializer == nil {
			continue
		}
		if n.Designation != nil {
			if first, last, ok := l.elements(top, n.Designation); ok {
				if at, at.i = top, last; l.fillRange(top, n.Initializer, first, last, puts, longest) {
					continue
				}
			} else {
				at = l.designate(top, n.Designation, puts)
				if longest != nil { // what is inside an element makes it one, too
					*longest = max(*longest, top.i)
				}
			}
		}
		var f types.Field
		for {
			var ok bool
			if f, ok = at.next(); ok {
				break
			}
			if at.up == nil || at == top {
				l.u.noElements(n.Initializer, top.t)
				l.u.fail(n.Initializer, "", "more values than %s has members", top.t.Name)
			}
			at = at.up
		}
		init := n.Initializer
		if longest != nil && at == top {
			*longest = max(*longest, at.i+1)
		}
		if init.Case == cc.InitializerInitList {
			l.step(at, puts)
			l.overrides(f, puts)
			switch {
			case f.Type.Scalar() || f.Type.TwoWords:
				if e := l.single(init); e != zeroNode {
					*puts = append(*puts, l.putField(f, e)...)
				}
			case f.Type.Library:
				*puts = append(*puts, l.libraryValue(f.Type, f.Offset, init)...)
			case f.Type.Kind == types.ArrayKind && isString(f.Type, init):
				*puts = append(*puts, l.initWith(f.Type, f.Offset, l.single(init), nil)...)
			default:
				l.fillList(&cursor{t: f.Type, off: f.Offset}, init.InitializerList, puts, nil)
			}
			continue
		}
		e := init.AssignmentExpression
		// A value goes to the first scalar inside, unless it is a whole aggregate.
		for !f.Type.Scalar() && !f.Type.TwoWords {
			if _, ok := stringOf(e); ok && f.Type.Kind == types.ArrayKind && f.Type.Elem.Integer() && f.Type.Elem.Size == 1 {
				break
			}
			if f.Type.Library || f.Type.Aggregate() && l.typeOf(e).Same(f.Type) {
				break
			}
			l.step(at, puts)
			at = &cursor{t: f.Type, off: f.Offset, up: at}
			inner, ok := at.next()
			if !ok {
				l.u.noElements(e, f.Type)
				l.u.fail(e, "", "a value for %s, which has no members", f.Type.Name)
			}
			f = inner
		}
		l.step(at, puts)
		if !f.Type.Scalar() {
			l.overrides(f, puts)
		}
		*puts = append(*puts, l.putField(f, e)...)
	}
}

// fillRange initialises the elements from first to the one before last of the array at the cursor, which has come to the last one. That is for the
// caller, since values that follow may be for what is inside of it, but where it is true: what has effects is evaluated once, for all of them.
func (l *lowerer) fillRange(top *cursor, init *cc.Initializer, first, last int64, puts *[]put, longest *int64) (all bool) {
	if first < last && hasEffects(init) {
		f, _ := top.next()
		if !f.Type.Scalar() {
			l.u.refuse(init, "effects in what initialises a range of elements that are no scalars")
		}
		if longest != nil {
			*longest = max(*longest, last+1)
		}
		one := l.putField(f, l.single(init))[0]
		for k := first; k <= last; k++ {
			one.off = top.off + k*top.t.Elem.Size
			*puts = append(*puts, one)
		}
		top.i = last + 1
		return true
	}
	for k := first; k < last; k++ {
		l.fillList(&cursor{t: top.t, off: top.off, i: k}, &cc.InitializerList{Initializer: init}, puts, longest)
	}
	return false
}

// overrides takes back all that was said before of what gets a value as a whole: that counts for nothing (C11, 6.7.9p19).
func (l *lowerer) overrides(f types.Field, puts *[]put) {
	if f.Bits > 0 {
		return
	}
	*puts = slices.DeleteFunc(*puts, func(p put) bool {
		gone := f.Offset <= p.off && p.off < f.Offset+f.Type.Size && (p.member == nil || within(p.t, f.Type))
		if gone {
			l.dropped(p)
		}
		return gone
	})
}

// dropped refuses values that count for nothing, since others come in their place, and have effects: whether these happen C leaves open (C11, 6.7.9p19).
func (l *lowerer) dropped(p put) {
	if p.member == nil && hasEffects(p.at) {
		l.u.refuse(p.at, "effects in an initialiser that another one overrides")
	}
}

func isString(t *types.Type, init *cc.Initializer) bool {
	if !t.Elem.Integer() || t.Elem.Size != 1 || init.InitializerList == nil || init.InitializerList.InitializerList != nil {
		return false
	}
	in := init.InitializerList.Initializer
	if in.Case != cc.InitializerExpr {
		return false
	}
	_, ok := stringOf(in.AssignmentExpression)
	return ok
}

func (l *lowerer) putField(f types.Field, e cc.ExpressionNode) []put {
	puts := l.initWith(f.Type, f.Offset, e, nil)
	if f.Bits > 0 {
		puts[0].bits, puts[0].bitOff, puts[0].unit = f.Bits, f.BitOffset, f.Unit
	}
	return puts
}

// elements is the range that a designation [first ... last] names.
func (l *lowerer) elements(top *cursor, n *cc.Designation) (first, last int64, ok bool) {
	d := n.DesignatorList.Designator
	if d.Case != cc.DesignatorIndex2 || n.DesignatorList.DesignatorList != nil {
		return 0, 0, false
	}
	first, last = l.u.constant(d.ConstantExpression), l.u.constant(d.ConstantExpression2)
	if top.t.Kind != types.ArrayKind || first < 0 || last < first || last >= lowered.MaxObject || top.t.Len >= 0 && last >= top.t.Len {
		l.u.fail(d, "", "%s has no elements %d to %d", top.t.Name, first, last)
	}
	return first, last, true
}

// designate is the cursor at what a designation names.
func (l *lowerer) designate(top *cursor, n *cc.Designation, puts *[]put) *cursor {
	at := top
	for d := n.DesignatorList; d != nil; d = d.DesignatorList {
		if d != n.DesignatorList { // go into what the last one named
			f, _ := at.next()
			l.step(at, puts)
			at = &cursor{t: f.Type, off: f.Offset, up: at}
		}
		switch x := d.Designator; x.Case {
		case cc.DesignatorIndex:
			k := l.u.constant(x.ConstantExpression)
			if at.t.Kind != types.ArrayKind || k < 0 || at.t.Len >= 0 && k >= at.t.Len {
				l.u.fail(x, "", "%s has no element %d", at.t.Name, k)
			}
			at.i = k
		case cc.DesignatorField, cc.DesignatorField2:
			name := x.Token2.SrcStr()
			if x.Case == cc.DesignatorField2 {
				name = x.Token.SrcStr()
			}
			path := at.t.Find(name)
			if path == nil {
				l.u.fail(x, "", "%s has no member %s", at.t.Name, name)
			}
			for i, f := range path {
				for k, g := range at.t.Fields {
					if g.Offset == f.Offset && g.Name == f.Name && g.Type == f.Type {
						at.i = int64(k)
						break
					}
				}
				if i < len(path)-1 {
					l.step(at, puts)
					at = &cursor{t: f.Type, off: at.off + f.Offset, up: at}
				}
			}
		default:
			l.u.refuse(x, "a range of elements")
		}
	}
	return at
}

// fill writes the values of an initialiser into an object; the rest of it is 0.
func (l *lowerer) fill(o *lowered.Object, t *types.Type, puts []put) {
	l.first(o, func() {
		l.forgetsPadding(o)
		l.fillAll(o, t, puts)
		l.opens(o)
	})
}

func (l *lowerer) fillAll(o *lowered.Object, t *types.Type, puts []put) {
	last := map[int64]int{}
	open := leftOpen(t, puts)
	for i, p := range puts {
		if p.bits == 0 && p.member == nil {
			last[p.off] = i
		}
	}
	whole := t.Scalar() && len(puts) > 0 // there is no put for {}
	var scalars []lowered.Scalar
	if !whole {
		scalars = l.u.flatten(t, "", 0, nil)
	}
	for _, s := range scalars {
		if _, ok := last[s.Off]; !ok {
			l.fillRest(o, s, open)
		}
	}
	for i, p := range puts {
		if p.member != nil {
			continue
		}
		if last[p.off] != i && p.bits == 0 {
			l.dropped(p)
			continue
		}
		to := place{t: p.t.Plain(), addr: plus(o.Address(), p.off), bits: p.bits, bitOff: p.bitOff, unit: p.unit}
		if p.bits == 0 && p.t.Integer() {
			if mask := openIn(open, p.off, p.t.Size); mask != 0 { // a unit of bit-fields, of a structure that is a member of a union
				p.v.e = l.opened(lowered.OpenUnit{Type: p.t.Plain(), Mask: mask}, p.v.e)
			}
		}
		if p.real {
			to.real = true
		}
		if l.u.opts.Uninitialised && p.t.Scalar() {
			l.markFilled(to, p.off, p.set, open)
			to.trusted = true
		}
		l.storeAs(to, p.v, plain)
	}
}

// initLen is the number of elements that an initialiser gives an array.
func (u *unit) initLen(t *types.Type, n *cc.Initializer) int64 {
	if n.Case == cc.InitializerExpr {
		if s, ok := stringOf(n.AssignmentExpression); ok {
			return stringLen(s)
		}
		u.noList(n.AssignmentExpression)
	}
	if isString(t, n) {
		s, _ := stringOf(n.InitializerList.Initializer.AssignmentExpression)
		return stringLen(s)
	}
	return u.listLen(t, n.InitializerList)
}

func stringLen(s string) int64 {
	if n := len(s); n > 0 && s[n-1] == 0 {
		return int64(n)
	}
	return int64(len(s) + 1)
}

func (u *unit) listLen(t *types.Type, n *cc.InitializerList) int64 {
	var longest int64
	u.cur.dry(func() {
		var puts []put
		u.cur.fillList(&cursor{t: t}, n, &puts, &longest)
	})
	return longest
}
