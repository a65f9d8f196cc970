package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A walker is a loop over the characters of strings that is being written.
type walker struct {
	l    *lowerer
	i    int // the register that counts
	head int
}

// walkString begins a loop whose count starts at 0.
func (l *lowerer) walkString() *walker {
	w := &walker{l: l, i: l.register("i", program.Uint64Type, true)}
	l.assign(w.i, program.Const(0))
	w.head = l.node()
	l.land(w.head)
	l.stays(w.i)
	return w
}

// stays is where a walk goes on, the bytes before the offset in i accessed already. They have been in one object, as there is a
// gap behind each: so the check shuts nobody out. It keeps the analysis of values from going through all memory.
func (l *lowerer) stays(i int) {
	l.emit(program.Command{Op: program.Check, Value: bin(program.ULe, program.Reg(i), program.Const(lowered.MaxObject)), Text: lowered.WalkText})
}

// next goes on with the next character.
func (w *walker) next() {
	w.l.assign(w.i, plus(program.Reg(w.i), 1))
	w.l.jump(w.head)
}

// char is the character that the loop is at in the string at base.
func (w *walker) char(base value, t *types.Type) program.Expr {
	return w.l.loadAs(w.place(base, t), plain).e
}

// place is where that character is; if it is to be in an array, that is looked at.
func (w *walker) place(base value, t *types.Type) place { return w.l.inText(base, program.Reg(w.i), t) }

// apart asserts that what is read at from and what is written at to, which come on by one character each round, do not meet: neither
// has come to where the other one began.
func (w *walker) apart(n cc.Node, to, from program.Expr) {
	if w.l.u.disjoint(to, from) {
		return
	}
	i := program.Reg(w.i)
	before := func(x, y program.Expr) program.Expr {
		return bin(program.ULt, i, flowgraph.Fold(bin(program.Sub, x, y)))
	}
	w.l.assertThat(flowgraph.Fold(bin(program.LogicalAnd, before(to, from), before(from, to))), n, "what %s copies does not overlap where it is copied to", overlapText)
}

const overlapText = "what is copied overlaps where it is copied to"

// disjoint is true of addresses that are known to be in two objects.
func (u *unit) disjoint(x, y program.Expr) bool {
	ox, oy := u.lowered.ObjectOf(x), u.lowered.ObjectOf(y)
	return ox != nil && oy != nil && ox != oy
}

// leaveIf goes to q where e holds.
func (w *walker) leaveIf(e program.Expr, q int) {
	stay := w.l.node()
	w.l.split(e, q, stay)
	w.l.cur = stay
}

// textLen is the length of the string that the literal s holds, which ends at its first 0.
func textLen(s string) int64 {
	if i := strings.IndexByte(s, 0); i >= 0 {
		return int64(i)
	}
	return int64(len(s))
}

// stringBuiltins are the functions on strings.
func stringBuiltins() map[string]builtin {
	pointer := (*lowerer).textArgument
	bytes := func(l *lowerer, n cc.ExpressionNode) value { return l.convert(l.expr(n), types.VoidPointer) }
	strlen := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		if s, ok := l.literalText(args[0]); ok { // the size of an object may be made of it
			return number(types.UnsignedLong, textLen(s))
		}
		p := pointer(l, args[0])
		if s, ok := l.u.textAt(p); ok {
			return number(types.UnsignedLong, textLen(s))
		}
		l.at(n)
		end := l.node()
		w := l.walkString()
		w.leaveIf(eq(w.char(p, types.Char), program.Const(0)), end)
		w.next()
		l.cur = end
		return value{t: types.UnsignedLong, e: program.Reg(w.i)}
	}}
	// compare finds the first difference.
	compare := func(bounded, strings bool) builtin {
		want := 2
		if bounded {
			want = 3
		}
		return builtin{want, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			argument := pointer
			if !strings {
				argument = bytes
			}
			p, q := argument(l, args[0]), argument(l, args[1])
			var k value
			if bounded {
				k = l.size(args[2])
			}
			l.at(n)
			r := l.temp(types.Int)
			l.assign(r, program.Const(0))
			end := l.node()
			w := l.walkString()
			if bounded {
				w.leaveIf(eq(program.Reg(w.i), k.e), end)
			}
			a, b := w.char(p, types.UnsignedChar), w.char(q, types.UnsignedChar)
			differ := bin(program.Sub, bin(program.Gt, a, b), bin(program.Lt, a, b))
			if strings {
				l.assign(r, differ)
				w.leaveIf(ne(program.Reg(r), program.Const(0)), end)
				w.leaveIf(eq(a, program.Const(0)), end)
			} else { // memcmp is of all the bytes, whichever of them tells
				l.assign(r, bin(program.Add, program.Reg(r), bin(program.Mul, eq(program.Reg(r), program.Const(0)), differ)))
			}
			w.next()
			l.cur = end
			l.anyOfSign(r)
			return value{t: types.Int, e: program.Reg(r)}
		}}
	}
	strcpy := func(appends bool) builtin {
		return builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p, q := pointer(l, args[0]), pointer(l, args[1])
			l.at(n)
			to := p
			if appends {
				end := l.node()
				w := l.walkString()
				w.leaveIf(eq(w.char(p, types.Char), program.Const(0)), end)
				w.next()
				l.cur = end
				to = l.behind(p, program.Reg(w.i))
			}
			end := l.node()
			w := l.walkString()
			w.apart(n, to.e, q.e)
			c := w.char(q, types.Char)
			l.storeAs(w.place(to, types.Char), value{t: types.Char, e: c}, plain)
			w.leaveIf(eq(c, program.Const(0)), end)
			w.next()
			l.cur = end
			return value{t: types.PointerTo(types.Char), e: p.e}
		}}
	}
	strncpy := builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p, q := pointer(l, args[0]), pointer(l, args[1])
		k := l.size(args[2])
		l.at(n)
		c := l.temp(types.Char)
		l.assign(c, program.Const(1))
		end, fill, put := l.node(), l.node(), l.node()
		w := l.walkString()
		w.leaveIf(eq(program.Reg(w.i), k.e), end)
		w.leaveIf(eq(program.Reg(c), program.Const(0)), fill)
		w.apart(n, p.e, q.e)
		l.assign(c, w.char(q, types.Char))
		l.land(put)
		l.storeAs(w.place(p, types.Char), value{t: types.Char, e: program.Reg(c)}, plain)
		w.next()
		l.cur = fill
		l.jump(put)
		l.cur = end
		return value{t: types.PointerTo(types.Char), e: p.e}
	}}
	// find gives where a character is in a string, or null.
	find := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p := pointer(l, args[0])
		c := l.convert(l.expr(args[1]), types.Char)
		l.at(n)
		r := l.temp(types.VoidPointer)
		found, none, end := l.node(), l.node(), l.node()
		w := l.walkString()
		x := w.char(p, types.Char)
		w.leaveIf(eq(x, c.e), found)
		w.leaveIf(eq(x, program.Const(0)), none)
		w.next()
		l.cur = found
		l.assign(r, bin(program.Add, p.e, program.Reg(w.i)))
		l.jump(end)
		l.cur = none
		l.assign(r, program.Const(0))
		l.land(end)
		return value{t: types.PointerTo(types.Char), e: program.Reg(r)}
	}}
	// last gives where a character is for the last time in a string, or null.
	last := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p := pointer(l, args[0])
		c := l.convert(l.expr(args[1]), types.Char)
		l.at(n)
		r := l.temp(types.VoidPointer)
		l.assign(r, program.Const(0))
		end := l.node()
		w := l.walkString()
		x := w.char(p, types.Char)
		found, on := l.node(), l.node()
		l.split(eq(x, c.e), found, on)
		l.cur = found
		l.assign(r, bin(program.Add, p.e, program.Reg(w.i)))
		l.land(on)
		w.leaveIf(eq(x, program.Const(0)), end)
		w.next()
		l.cur = end
		return value{t: types.PointerTo(types.Char), e: program.Reg(r)}
	}}
	strnlen := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p, k := pointer(l, args[0]), l.size(args[1])
		l.at(n)
		end := l.node()
		w := l.walkString()
		w.leaveIf(eq(program.Reg(w.i), k.e), end)
		w.leaveIf(eq(w.char(p, types.Char), program.Const(0)), end)
		w.next()
		l.cur = end
		return value{t: types.UnsignedLong, e: program.Reg(w.i)}
	}}
	memchr := builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		l.keepsFrom(n, args[0])
		p, c, k := bytes(l, args[0]), l.convert(l.expr(args[1]), types.Char), l.size(args[2])
		l.at(n)
		r := l.temp(types.VoidPointer)
		l.assign(r, program.Const(0))
		found, end := l.node(), l.node()
		w := l.walkString()
		w.leaveIf(eq(program.Reg(w.i), k.e), end)
		w.leaveIf(eq(w.char(p, types.Char), c.e), found)
		w.next()
		l.cur = found
		l.assign(r, bin(program.Add, p.e, program.Reg(w.i)))
		l.land(end)
		return value{t: types.VoidPointer, e: program.Reg(r)}
	}}
	// strncat appends no more characters than it is told, and a 0.
	strncat := builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p, q, k := pointer(l, args[0]), pointer(l, args[1]), l.size(args[2])
		l.at(n)
		end := l.node()
		w := l.walkString()
		w.leaveIf(eq(w.char(p, types.Char), program.Const(0)), end)
		w.next()
		l.cur = end
		to := l.behind(p, program.Reg(w.i))
		if !l.u.disjoint(p.e, q.e) { // a part of the string itself ends where it is appended
			behind := bin(program.ULt, program.Reg(w.i), flowgraph.Fold(bin(program.Sub, q.e, p.e)))
			l.assertThat(flowgraph.Fold(bin(program.LogicalOr, eq(k.e, program.Const(0)), behind)), n, "what %s copies does not overlap where it is copied to", overlapText)
		}
		end = l.node()
		w = l.walkString()
		w.leaveIf(eq(program.Reg(w.i), k.e), end)
		w.apart(n, to.e, q.e)
		c := w.char(q, types.Char)
		w.leaveIf(eq(c, program.Const(0)), end)
		l.storeAs(w.place(to, types.Char), value{t: types.Char, e: c}, plain)
		w.next()
		l.cur = end
		l.storeAs(w.place(to, types.Char), number(types.Char, 0), plain)
		return value{t: types.PointerTo(types.Char), e: p.e}
	}}
	return map[string]builtin{
		"strnlen": strnlen, "memchr": memchr, "strncat": strncat, "strrchr": last,
		"strlen": strlen,
		"strcmp": compare(false, true), "strncmp": compare(true, true),
		"memcmp": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.keepsFrom(n, args[0], args[1])
			if t := l.pointedTo(args[0]); t != nil && t.Size > 1 {
				k := value{}
				l.dry(func() { k = l.size(args[2]) })
				if k, known := l.frame.number(k); known {
					return l.compareObjects(n, t, args, k)
				}
			}
			return compare(true, false).do(l, n, args)
		}},
		"strcpy": strcpy(false), "strcat": strcpy(true), "strncpy": strncpy, "strchr": find,
	}
}

// compareObjects is memcmp of k bytes of objects of type t. Of addresses that differ nothing is said as to which is less.
func (l *lowerer) compareObjects(n *cc.PostfixExpression, t *types.Type, args []cc.ExpressionNode, k int64) value {
	p, q := l.expr(args[0]), l.expr(args[1])
	l.expr(args[2])
	l.at(n)
	if !l.fewBytes(n, number(types.UnsignedLong, k)) {
		return number(types.Int, 0)
	}
	type pair struct {
		t    *types.Type
		x, y program.Expr
	}
	var pairs []pair
	covered := int64(0)
	for _, s := range l.span(n, t, k) {
		if s.Type.Kind == types.FloatKind {
			l.u.refuse(n, deciding)
		}
		a := l.loadAs(place{t: s.Type.Plain(), addr: plus(p.e, s.Off)}, plain)
		b := l.loadAs(place{t: s.Type.Plain(), addr: plus(q.e, s.Off)}, plain)
		pairs = append(pairs, pair{s.Type, a.e, b.e})
		covered += s.Size
	}
	if covered != k || len(l.u.openUnits(t, 0, true)) > len(l.u.openUnits(t, 0, false)) {
		if l.u.lowered.LooksAt(t); len(l.u.lowered.Looked) == 0 {
			l.u.refuse(n, "memcmp of objects with padding")
		}
	}
	r, end := l.temp(types.Int), l.node()
	for _, c := range pairs {
		differ, alike := l.node(), l.node()
		l.split(ne(c.x, c.y), differ, alike)
		l.cur = differ
		var less program.Expr
		if u := types.UnsignedOf(c.t.Size); u != nil && c.t.Kind != types.PointerKind {
			less = bin(program.ULt, swapped(c.x, u), swapped(c.y, u)) // the first byte counts most
		} else {
			less = l.havoc(types.Bool, 0, 1).e
		}
		l.assign(r, bin(program.Sub, program.Const(1), bin(program.Mul, program.Const(2), less)))
		l.jump(end)
		l.cur = alike
	}
	l.assign(r, program.Const(0))
	l.land(end)
	l.anyOfSign(r)
	return value{t: types.Int, e: program.Reg(r)}
}
