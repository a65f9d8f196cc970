package c

import (
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A formatting is a call of sprintf or snprintf that is being written: the characters are
// computed and stored one by one.
type formatting struct {
	l   *lowerer
	n   cc.Node
	to  value
	max program.Expr // how many bytes there are for them; nil: as many as it takes
	pos int          // the register that counts them
}

// put appends a character.
func (f *formatting) put(c program.Expr) {
	l := f.l
	end := l.node()
	if f.max != nil {
		room := l.node()
		l.split(bin(program.ULt, plus(program.Reg(f.pos), 1), f.max), room, end)
		l.cur = room
	}
	l.storeAs(f.place(), l.convert(value{t: types.Int, e: c}, types.Char), plain)
	l.land(end)
	l.assign(f.pos, plus(program.Reg(f.pos), 1))
}

func (f *formatting) place() place {
	return f.l.inText(f.to, program.Reg(f.pos), types.Char)
}

// end writes the character 0 that ends the string.
func (f *formatting) end() value {
	l := f.l
	zero := number(types.Char, 0)
	if f.max == nil {
		l.storeAs(f.place(), zero, plain)
		return value{t: types.Int, e: program.Reg(f.pos)}
	}
	fits, cut, some, end := l.node(), l.node(), l.node(), l.node()
	l.split(bin(program.ULt, program.Reg(f.pos), f.max), fits, cut)
	l.cur = fits
	l.storeAs(f.place(), zero, plain)
	l.jump(end)
	l.cur = cut
	l.split(ne(f.max, program.Const(0)), some, end)
	l.cur = some
	l.storeAs(l.inText(f.to, plus(f.max, -1), types.Char), zero, plain)
	l.land(end)
	return value{t: types.Int, e: program.Reg(f.pos)}
}

// A directive is a conversion of a format, such as %-5ld.
type directive struct {
	zero, plus, space bool
	alternative       bool         // "#": 0x, or 0, before what is not 0
	before, after     program.Expr // how wide it is at least, by what is put before it and after it
	most              program.Expr // how many characters of a string; nil: all
	size              *types.Type  // what an integer is taken for: int, long, ...
	verb              byte
}

// directive reads one, after its %; it gives what is left. Its width and its precision may be arguments of their own.
func (f *formatting) directive(s string, next func(directive) value) (directive, string) {
	d := directive{size: types.Int}
	text, left := s, false
	refuse := func() { f.l.u.refuse(f.n, "the format \"%"+text+"\"") }
	flag := func(c string) bool {
		rest, found := strings.CutPrefix(s, c)
		s = rest
		return found
	}
	for more := true; more; {
		switch {
		case flag("-"):
			left = true
		case flag("0"):
			d.zero = true
		case flag("+"):
			d.plus = true
		case flag(" "):
			d.space = true
		case flag("#"):
			d.alternative = true
		default:
			more = false
		}
	}
	number := func() program.Expr {
		if flag("*") {
			v := next(directive{verb: '*'})
			if !v.t.Integer() {
				refuse()
			}
			return f.l.convert(v, types.Int).e
		}
		digits := s[:len(s)-len(strings.TrimLeft(s, "0123456789"))]
		k, _ := strconv.Atoi(digits)
		if s = s[len(digits):]; k > maxWidth {
			refuse()
		}
		return program.Const(k)
	}
	d.before = number()
	d.after = flowgraph.Fold(un(program.Neg, d.before))
	if left {
		negative := bin(program.Lt, d.before, program.Const(0))
		d.after = flowgraph.Fold(bin(program.Mul, d.before, bin(program.Sub, program.Const(1), bin(program.Mul, program.Const(2), negative))))
		d.before, d.zero = program.Const(0), false
	}
	if flag(".") { // one below 0 is none
		d.most = flowgraph.Fold(f.l.convert(value{t: types.Int, e: number()}, types.UnsignedLong).e)
	}
	for ; s != "" && strings.IndexByte("hljzt", s[0]) >= 0; s = s[1:] {
		switch {
		case s[0] != 'h':
			d.size = types.Long
		case d.size == types.Short:
			d.size = types.SignedChar
		default:
			d.size = types.Short
		}
	}
	if s == "" {
		refuse()
	}
	d.verb = s[0]
	return d, s[1:]
}

// maxWidth is how wide a format may say that something is, in numbers.
const maxWidth = 64

// pad appends a character until the register that counts is as much as it should be.
func (f *formatting) pad(c int64, count int, to program.Expr) {
	if k, known := to.(program.Const); known && k <= 0 {
		return
	}
	l := f.l
	head, more, end := l.node(), l.node(), l.node()
	l.land(head)
	l.split(bin(program.Lt, program.Reg(count), to), more, end)
	l.cur = more
	f.put(program.Const(c))
	l.assign(count, plus(program.Reg(count), 1))
	l.jump(head)
	l.cur = end
}

// character appends one.
func (f *formatting) character(d directive, c program.Expr) {
	count := f.l.temp(types.Int)
	f.l.assign(count, program.Const(1))
	f.pad(' ', count, d.before)
	f.put(c)
	f.pad(' ', count, d.after)
}

// text appends a string.
func (f *formatting) text(d directive, base value) {
	l := f.l
	walk := func(do func(w *walker, c func() program.Expr)) *walker {
		end := l.node()
		w := l.walkString()
		if d.most != nil {
			w.leaveIf(eq(program.Reg(w.i), d.most), end)
		}
		do(w, func() program.Expr {
			c := w.char(base, types.Char)
			w.leaveIf(eq(c, program.Const(0)), end)
			return c
		})
		w.next()
		l.cur = end
		return w
	}
	if d.before != program.Const(0) {
		w := walk(func(_ *walker, c func() program.Expr) { c() })
		f.pad(' ', w.i, d.before)
	}
	w := walk(func(w *walker, c func() program.Expr) {
		f.apart(w, base.e)
		f.put(c())
	})
	f.pad(' ', w.i, d.after)
}

// apart asserts that the string at base, of which a walk has come to a character, is not what is written.
func (f *formatting) apart(w *walker, base program.Expr) {
	if f.l.u.disjoint(f.to.e, base) {
		return
	}
	behind := func(x, y, n program.Expr) program.Expr {
		return bin(program.ULt, n, flowgraph.Fold(bin(program.Sub, x, y)))
	}
	holds := bin(program.LogicalAnd, behind(bin(program.Add, base, program.Reg(w.i)), f.to.e, program.Reg(f.pos)), behind(bin(program.Add, f.to.e, program.Reg(f.pos)), base, program.Reg(w.i)))
	if f.max != nil { // nothing is written that there is no room for
		holds = bin(program.LogicalOr, flowgraph.Fold(bin(program.ULe, f.max, program.Reg(f.pos))), holds)
	}
	f.l.assertThat(flowgraph.Fold(holds), f.n, "what %s prints is not what it writes", "what is printed overlaps where it is written to")
}

// integer appends a number.
func (f *formatting) integer(d directive, v value) {
	l := f.l
	base := map[byte]int64{'d': 10, 'i': 10, 'u': 10, 'x': 16, 'X': 16, 'o': 8}[d.verb]
	signed := d.verb == 'd' || d.verb == 'i'
	t := *d.size
	t.Signed = signed
	v = l.convert(l.convert(v, &t), types.UnsignedLong)
	if signed {
		v = l.convert(l.convert(v, &t), types.Long)
	}
	x, unit, width := l.temp(types.UnsignedLong), l.temp(types.UnsignedLong), l.temp(types.Int)
	l.assign(x, v.e)
	l.assign(width, program.Const(1))
	first := l.temp(types.Char) // before the digits; 0: nothing
	switch {
	case d.plus:
		l.assign(first, program.Const('+'))
	case d.space:
		l.assign(first, program.Const(' '))
	default:
		l.assign(first, program.Const(0))
	}
	if signed {
		minus, end := l.node(), l.node()
		l.split(bin(program.Lt, v.e, program.Const(0)), minus, end)
		l.cur = minus
		l.assign(first, program.Const('-'))
		l.assign(x, un(program.Neg, v.e))
		l.land(end)
		l.assign(width, bin(program.Add, program.Const(1), ne(program.Reg(first), program.Const(0))))
	}
	// The greatest power of the base that is not above the number, and how wide that is.
	l.assign(unit, program.Const(1))
	head, more, padding := l.node(), l.node(), l.node()
	l.land(head)
	l.split(bin(program.ULe, program.Const(base), bin(program.UDiv, program.Reg(x), program.Reg(unit))), more, padding)
	l.cur = more
	l.assign(unit, bin(program.Mul, program.Reg(unit), program.Const(base)))
	l.assign(width, plus(program.Reg(width), 1))
	l.jump(head)
	l.cur = padding
	var prefix []program.Expr
	if d.alternative {
		if prefix = append(prefix, program.Const('0')); base == 16 {
			prefix = append(prefix, program.Const(d.verb))
		}
		l.assign(width, bin(program.Add, program.Reg(width), bin(program.Mul, program.Const(len(prefix)), ne(program.Reg(x), program.Const(0)))))
	}
	sign := func() {
		if d.alternative {
			some, end := l.node(), l.node()
			l.split(ne(program.Reg(x), program.Const(0)), some, end)
			l.cur = some
			for _, c := range prefix {
				f.put(c)
			}
			l.land(end)
		}
		if !signed {
			return
		}
		yes, end := l.node(), l.node()
		l.split(ne(program.Reg(first), program.Const(0)), yes, end)
		l.cur = yes
		f.put(program.Reg(first))
		l.land(end)
	}
	all := width
	switch {
	case d.most != nil: // so many digits, whatever the flag says
		most := flowgraph.Fold(bin(program.Add, d.most, ne(program.Reg(first), program.Const(0))))
		all = l.temp(types.Int)
		l.assign(all, program.Reg(width))
		fewer, end := l.node(), l.node()
		l.split(bin(program.Lt, program.Reg(width), most), fewer, end)
		l.cur = fewer
		l.assign(all, most)
		l.land(end)
		f.pad(' ', all, d.before)
		sign()
		f.pad('0', width, most)
	case d.zero:
		sign()
		f.pad('0', width, d.before)
	default:
		f.pad(' ', width, d.before)
		sign()
	}
	digits, end := l.node(), l.node()
	l.land(digits)
	digit := flowgraph.Fold(bin(program.URem, bin(program.UDiv, program.Reg(x), program.Reg(unit)), program.Const(base)))
	letter := int64('a' - 10)
	if d.verb == 'X' {
		letter = 'A' - 10
	}
	c := bin(program.Add, digit, program.Const('0'))
	if base == 16 {
		c = bin(program.Add, c, bin(program.Mul, bin(program.Lt, program.Const(9), digit), program.Const(letter-'0')))
	}
	f.put(flowgraph.Fold(c))
	next := l.node()
	l.split(bin(program.Eq, program.Reg(unit), program.Const(1)), end, next)
	l.cur = next
	l.assign(unit, bin(program.UDiv, program.Reg(unit), program.Const(base)))
	l.jump(digits)
	l.cur = end
	f.pad(' ', all, d.after)
}

// precise is true of a number of digits that is known, and is not 0, of which nothing is left of a 0.
func (d directive) precise() bool {
	k, known := d.most.(program.Const)
	return known && k > 0
}

// format is sprintf, given where the format stands among its arguments.
func (l *lowerer) format(n cc.Node, to value, max program.Expr, args []cc.ExpressionNode) value {
	var vs []value
	for _, a := range args[1:] {
		vs = append(vs, l.expr(a))
	}
	l.at(n)
	return l.formatWith(n, to, max, args[0], func(directive) value {
		if len(vs) == 0 {
			l.u.fail(n, "", "the format has more conversions than there are arguments")
		}
		v := vs[0]
		vs = vs[1:]
		return v
	})
}

// formatList is vsprintf.
func (l *lowerer) formatList(n cc.Node, to value, max program.Expr, args []cc.ExpressionNode) value {
	list := l.argumentList(n, args[1])
	return l.formatWith(n, to, max, args[0], func(d directive) value {
		v := l.nextArgument(list)
		if d.verb == 's' {
			return l.convert(v, types.PointerTo(types.Char))
		}
		return v
	})
}

// literalText is the string that an expression is: a literal, or a parameter that stands for one.
func (l *lowerer) literalText(n cc.ExpressionNode) (string, bool) {
	if s, ok := stringOf(n); ok {
		return s, true
	}
	if d := identifier(n); d != nil {
		s, ok := l.frame.texts[d]
		return s, ok
	}
	return "", false
}

// textAt is the literal that a pointer points to.
func (u *unit) textAt(v value) (string, bool) {
	k, ok := v.e.(program.Const)
	if !ok || v.t.Kind != types.PointerKind {
		return "", false
	}
	for s, o := range u.literals {
		if o.Base == int64(k) {
			return s, true
		}
	}
	return "", false
}

// assigned are the variables that a function assigns to.
func (u *unit) assigned(def *cc.FunctionDefinition) map[*cc.Declarator]bool {
	if m, ok := u.assigning[def]; ok {
		return m
	}
	m := map[*cc.Declarator]bool{}
	walk(def.CompoundStatement, func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.AssignmentExpression:
			if n.Case != cc.AssignmentExpressionCond {
				m[identifier(n.UnaryExpression)] = true
			}
		case *cc.PostfixExpression:
			if n.Case == cc.PostfixExpressionInc || n.Case == cc.PostfixExpressionDec {
				m[identifier(n.PostfixExpression)] = true
			}
		case *cc.UnaryExpression:
			switch n.Case {
			case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
				m[identifier(n.UnaryExpression)] = true
			case cc.UnaryExpressionAddrof: // as what a compare-exchange expects
				m[identifier(n.CastExpression)] = true
			}
		}
		return true
	})
	u.assigning[def] = m
	return m
}

// formatWith writes what a format makes of the arguments that next gives.
func (l *lowerer) formatWith(n cc.Node, to value, max program.Expr, format cc.ExpressionNode, next func(directive) value) value {
	text, ok := l.literalText(format)
	if !ok {
		l.u.refuse(n, "a format that is no literal")
	}
	text, _, _ = strings.Cut(text, "\x00")
	f := &formatting{l: l, n: n, to: to, max: max, pos: l.register("i", program.Uint64Type, true)}
	l.assign(f.pos, program.Const(0))
	for text != "" {
		before, rest, found := strings.Cut(text, "%")
		for i := range len(before) {
			f.put(program.Const(int8(before[i])))
		}
		if !found {
			break
		}
		if rest, found := strings.CutPrefix(rest, "%"); found {
			f.put(program.Const('%'))
			text = rest
			continue
		}
		d, rest := f.directive(rest, next)
		text = rest
		v := next(d)
		signs := d.plus || d.space
		bare := !d.zero && !signs && !d.alternative && d.size == types.Int
		switch {
		case strings.IndexByte("diuxXo", d.verb) >= 0 && v.t.Integer() && (d.most == nil || d.precise()) && (!signs || d.verb == 'd' || d.verb == 'i') &&
			(!d.alternative || d.most == nil && (d.verb == 'x' || d.verb == 'X' || d.verb == 'o')):
			f.integer(d, v)
		case d.verb == 'c' && v.t.Integer() && d.most == nil && bare:
			f.character(d, v.e)
		case d.verb == 's' && v.t.Kind == types.PointerKind && bare:
			f.text(d, l.text(v))
		default:
			l.u.refuse(n, "the conversion %"+map[bool]string{true: "#"}[d.alternative]+string(d.verb)+" of "+v.t.Name)
		}
	}
	return f.end()
}

// bounded is true of a number of bytes that is known to be no more than there are.
func bounded(n program.Expr, size int64) bool {
	k, ok := n.(program.Const)
	return ok && 0 <= k && int64(k) <= size
}

// formatBuiltins are the functions that this file knows.
func formatBuiltins() map[string]builtin {
	// formatting is a function that the format follows the first so many arguments of, with its
	// arguments or a list of them. Where nobody asks for what it writes it evaluates its arguments.
	formatting := func(first int, list bool) builtin {
		return builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if len(args) <= first || list && len(args) != first+2 {
				l.u.fail(n, "", "%s is called with %d arguments", called(n), len(args))
			}
			var room program.Expr
			if first == 2 {
				room = l.size(args[1]).e
				if size, ok := l.onlyPrinted(args[0]); ok && l.idle == n && bounded(room, size) {
					if list {
						l.onlyPrints(args[2], nil)
						evaluateAll(l, args[2:3])
						l.begunList(n, args[3])
					} else {
						l.print(n, args[2:], 0)
						for _, a := range args[3:] {
							if d, off := textIn(a); off == nil && d != nil && d == identifier(args[0]) {
								l.assertThat(program.Const(0), n, "what %s prints is not what it writes", "what is printed overlaps where it is written to")
							}
						}
					}
					return number(types.Int, 0)
				}
			}
			to := l.textArgument(args[0])
			if list {
				return l.formatList(n, to, room, args[first:])
			}
			return l.format(n, to, room, args[first:])
		}}
	}
	return map[string]builtin{
		"sprintf": formatting(1, false), "snprintf": formatting(2, false),
		"vsprintf": formatting(1, true), "vsnprintf": formatting(2, true),
	}
}
