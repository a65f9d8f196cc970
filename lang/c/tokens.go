package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// tokens is strtok: where it goes on stands at rest.
func (l *lowerer) tokens(n cc.Node, text, delimiters value, rest place) value {
	s, token := l.temp(types.VoidPointer), l.temp(types.VoidPointer)
	set := l.hold(delimiters)
	l.assign(s, text.e)
	begin, again, end := l.node(), l.node(), l.node()
	l.split(eq(program.Reg(s), program.Const(0)), again, begin)
	l.cur = again
	l.assign(s, l.load(rest).e)
	l.land(begin)
	l.assign(token, program.Const(0))
	// is goes to yes where the character at s is one of the delimiters, or to no; at the end of
	// the text to done.
	is := func(yes, no, done int) {
		c := l.temp(types.Char)
		l.assign(c, l.loadAs(place{t: types.Char, addr: program.Reg(s)}, plain).e)
		on := l.node()
		l.split(eq(program.Reg(c), program.Const(0)), done, on)
		l.cur = on
		w := l.walkString()
		d := w.char(value{e: set}, types.Char)
		w.leaveIf(eq(d, program.Const(0)), no)
		w.leaveIf(eq(d, program.Reg(c)), yes)
		w.next()
	}
	skip, skipped, inside, walk, found, last, none := l.node(), l.node(), l.node(), l.node(), l.node(), l.node(), l.node()
	// Without a text, as after the last token, there is none.
	l.split(eq(program.Reg(s), program.Const(0)), end, skip)
	l.cur = skip
	is(skipped, inside, none)
	l.cur = skipped
	l.assign(s, plus(program.Reg(s), 1))
	l.jump(skip)
	l.cur = inside
	l.assign(token, program.Reg(s))
	scan := l.node()
	l.land(scan)
	is(found, walk, last)
	l.cur = walk
	l.assign(s, plus(program.Reg(s), 1))
	l.jump(scan)
	l.cur = found
	l.storeAs(place{t: types.Char, addr: program.Reg(s)}, number(types.Char, 0), plain)
	l.store(rest, value{t: rest.t.Plain(), e: plus(program.Reg(s), 1)})
	l.jump(end)
	for _, q := range []int{last, none} {
		l.cur = q
		l.store(rest, value{t: rest.t.Plain(), e: program.Const(0)})
		l.jump(end)
	}
	l.cur = end
	return value{t: types.PointerTo(types.Char), e: program.Reg(token)}
}

// tokenBuiltins are strtok, which keeps its place in one variable for all threads, and strtok_r.
func tokenBuiltins() map[string]builtin {
	reentrant := builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		s, d := l.convert(l.expr(args[0]), types.VoidPointer), l.convert(l.expr(args[1]), types.VoidPointer)
		rest := l.target(args[2])
		l.at(n)
		if rest.t.Kind != types.PointerKind {
			l.u.fail(n, "", "%s is no pointer", rest.t.Name)
		}
		return l.tokens(n, s, d, rest)
	}}
	return map[string]builtin{
		"strtok_r": reentrant, "__strtok_r": reentrant,
		"strtok": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			s, d := l.convert(l.expr(args[0]), types.VoidPointer), l.convert(l.expr(args[1]), types.VoidPointer)
			l.at(n)
			rest := l.u.operations.Helper("strtok", types.VoidPointer)
			return l.tokens(n, s, d, place{t: types.VoidPointer, addr: program.Const(rest.Base)})
		}},
	}
}
