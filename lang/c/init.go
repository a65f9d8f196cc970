package c

import (
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// A put is a scalar that an initialiser sets.
type put struct {
	off    int64
	t      *ctype
	bits   int
	bitOff int
	unit   *ctype
	v      value
	at     cc.Node
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
func (l *lowerer) initializer(t *ctype, n *cc.Initializer) []put {
	if n.Case == cc.InitializerExpr {
		return l.initWith(t, 0, n.AssignmentExpression, nil)
	}
	if t.library {
		return l.libraryValue(t, 0, n)
	}
	if t.kind == arrayKind && isString(t, n) {
		return l.initWith(t, 0, l.single(n), nil)
	}
	if t.scalar() {
		if e := l.single(n); e != zeroNode {
			return l.initWith(t, 0, e, nil)
		}
		return nil
	}
	return l.divide(t, l.list(t, n.InitializerList))
}

// initWith initialises what is at off by one expression.
func (l *lowerer) initWith(t *ctype, off int64, e cc.ExpressionNode, to []put) []put {
	if t.kind == arrayKind {
		if s, ok := stringOf(e); ok && t.elem.integer() && t.elem.size == 1 {
			for i := range t.len {
				var c int64
				if i < int64(len(s)) {
					c = int64(int8(s[i]))
				}
				to = append(to, put{off: off + i, t: t.elem, v: l.convert(value{t: charType, e: program.Const(c)}, t.elem.plain()), at: e})
			}
			return to
		}
		l.u.noList(e)
	}
	if t.library && l.typeOf(e).integer() {
		return append(to, l.libraryValue(t, off, &cc.Initializer{Case: cc.InitializerExpr, AssignmentExpression: e})...)
	}
	l.sequenced(e)
	v := l.coerce(e, l.expr(e), t)
	if cell := l.u.packed(t); cell != nil {
		return append(to, put{off: off, t: cell, v: l.u.pack(t, cell, v), at: e})
	}
	if t.aggregate() {
		for i, s := range l.u.flatten(t, "", 0, nil) {
			to = append(to, put{off: off + s.off, t: s.t, v: value{t: s.t, e: v.agg[i]}, at: e})
		}
		return to
	}
	return append(to, put{off: off, t: t, v: v, at: e})
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
	t   *ctype
	off int64
	i   int64 // the next element or member
	up  *cursor
}

// next is the subobject that the cursor is at; false at the end.
func (c *cursor) next() (f field, ok bool) {
	switch c.t.kind {
	case arrayKind:
		if c.i >= c.t.len && c.t.len >= 0 {
			return field{}, false
		}
		return field{t: c.t.elem, off: c.off + c.i*c.t.elem.size}, true
	}
	if c.i >= int64(len(c.t.fields)) {
		return field{}, false
	}
	f = c.t.fields[c.i]
	f.off += c.off
	return f, true
}

// list evaluates the initialisers in braces of an array, a structure or a union.
func (l *lowerer) list(t *ctype, n *cc.InitializerList) []put {
	if t.library {
		return l.libraryValue(t, 0, n)
	}
	var puts []put
	l.fillList(&cursor{t: t}, n, &puts, nil)
	return puts
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
				for k := first; k <= last; k++ {
					one := &cursor{t: top.t, off: top.off, i: k}
					l.fillList(one, &cc.InitializerList{Initializer: n.Initializer}, puts, longest)
				}
				at = top
				at.i = last + 1
				continue
			}
			at = l.designate(top, n.Designation)
			if longest != nil { // what is inside an element makes it one, too
				*longest = max(*longest, top.i)
			}
		}
		var f field
		for {
			var ok bool
			if f, ok = at.next(); ok {
				break
			}
			if at.up == nil || at == top {
				l.u.fail(n.Initializer, "", "more values than %s has members", top.t.name)
			}
			at = at.up
		}
		init := n.Initializer
		if longest != nil && at == top {
			*longest = max(*longest, at.i+1)
		}
		step := func(c *cursor) {
			c.i++
			if c.t.kind == unionKind {
				c.i = int64(len(c.t.fields)) // one member only
			}
		}
		if init.Case == cc.InitializerInitList {
			step(at)
			if f.bits == 0 { // all that was said of it before counts for nothing (C11, 6.7.9p19)
				*puts = slices.DeleteFunc(*puts, func(p put) bool { return f.off <= p.off && p.off < f.off+f.t.size })
			}
			switch {
			case f.t.scalar():
				if e := l.single(init); e != zeroNode {
					*puts = append(*puts, l.putField(f, e)...)
				}
			case f.t.library:
				*puts = append(*puts, l.libraryValue(f.t, f.off, init)...)
			case f.t.kind == arrayKind && isString(f.t, init):
				*puts = append(*puts, l.initWith(f.t, f.off, l.single(init), nil)...)
			default:
				l.fillList(&cursor{t: f.t, off: f.off}, init.InitializerList, puts, nil)
			}
			continue
		}
		e := init.AssignmentExpression
		// A value goes to the first scalar inside, unless it is a whole aggregate.
		for !f.t.scalar() {
			if _, ok := stringOf(e); ok && f.t.kind == arrayKind && f.t.elem.integer() && f.t.elem.size == 1 {
				break
			}
			if f.t.library || f.t.aggregate() && l.typeOf(e).same(f.t) {
				break
			}
			step(at)
			at = &cursor{t: f.t, off: f.off, up: at}
			inner, ok := at.next()
			if !ok {
				l.u.fail(e, "", "a value for %s, which has no members", f.t.name)
			}
			f = inner
		}
		step(at)
		*puts = append(*puts, l.putField(f, e)...)
	}
}

func isString(t *ctype, init *cc.Initializer) bool {
	if !t.elem.integer() || t.elem.size != 1 || init.InitializerList == nil || init.InitializerList.InitializerList != nil {
		return false
	}
	in := init.InitializerList.Initializer
	if in.Case != cc.InitializerExpr {
		return false
	}
	_, ok := stringOf(in.AssignmentExpression)
	return ok
}

func (l *lowerer) putField(f field, e cc.ExpressionNode) []put {
	puts := l.initWith(f.t, f.off, e, nil)
	if f.bits > 0 {
		puts[0].bits, puts[0].bitOff, puts[0].unit = f.bits, f.bitOff, f.unit
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
	if top.t.kind != arrayKind || first < 0 || last < first || last >= maxObject || top.t.len >= 0 && last >= top.t.len {
		l.u.fail(d, "", "%s has no elements %d to %d", top.t.name, first, last)
	}
	return first, last, true
}

// designate is the cursor at what a designation names.
func (l *lowerer) designate(top *cursor, n *cc.Designation) *cursor {
	at := top
	for d := n.DesignatorList; d != nil; d = d.DesignatorList {
		if d != n.DesignatorList { // go into what the last one named
			f, _ := at.next()
			at.i++
			at = &cursor{t: f.t, off: f.off, up: at}
		}
		switch x := d.Designator; x.Case {
		case cc.DesignatorIndex:
			k := l.u.constant(x.ConstantExpression)
			if at.t.kind != arrayKind || k < 0 || at.t.len >= 0 && k >= at.t.len {
				l.u.fail(x, "", "%s has no element %d", at.t.name, k)
			}
			at.i = k
		case cc.DesignatorField, cc.DesignatorField2:
			name := x.Token2.SrcStr()
			if x.Case == cc.DesignatorField2 {
				name = x.Token.SrcStr()
			}
			path := at.t.find(name)
			if path == nil {
				l.u.fail(x, "", "%s has no member %s", at.t.name, name)
			}
			for i, f := range path {
				for k, g := range at.t.fields {
					if g.off == f.off && g.name == f.name && g.t == f.t {
						at.i = int64(k)
						break
					}
				}
				if i < len(path)-1 {
					at.i++
					at = &cursor{t: f.t, off: at.off + f.off, up: at}
				}
			}
		default:
			l.u.refuse(x, "a range of elements")
		}
	}
	return at
}

// fill writes the values of an initialiser into an object; the rest of it is 0.
func (l *lowerer) fill(o *object, t *ctype, puts []put) {
	l.first(o, func() { l.fillAll(o, t, puts) })
}

func (l *lowerer) fillAll(o *object, t *ctype, puts []put) {
	last := map[int64]int{}
	for i, p := range puts {
		if p.bits == 0 {
			last[p.off] = i
		}
	}
	whole := t.scalar()
	var scalars []scalar
	if !whole {
		scalars = l.u.flatten(t, "", 0, nil)
	}
	for _, s := range scalars {
		if _, ok := last[s.off]; !ok {
			l.storeAs(place{t: s.t.plain(), addr: program.Const(o.base + s.off)}, value{t: s.t, e: program.Const(0)}, plain)
		}
	}
	for i, p := range puts {
		if p.bits == 0 && last[p.off] != i {
			continue
		}
		l.storeAs(place{t: p.t.plain(), addr: program.Const(o.base + p.off), bits: p.bits, bitOff: p.bitOff, unit: p.unit}, p.v, plain)
	}
}

// initLen is the number of elements that an initialiser gives an array.
func (u *unit) initLen(t *ctype, n *cc.Initializer) int64 {
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

func (u *unit) listLen(t *ctype, n *cc.InitializerList) int64 {
	var longest int64
	u.cur.dry(func() {
		var puts []put
		u.cur.fillList(&cursor{t: t}, n, &puts, &longest)
	})
	return longest
}
