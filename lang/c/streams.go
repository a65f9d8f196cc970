package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Functions on streams that read or write many characters: what is read is a free choice, and as much of it as there is.

// readLine is fgets. A line ends where its newline is; what is there of one where a read fails is indeterminate, and where the file has
// come to its end before there was anything the array is as it was.
func readLine(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	to := l.textArgument(args[0])
	size := l.convert(l.expr(args[1]), types.Int)
	l.effect(args[2])
	char := l.unknownChar(args[0])
	l.at(n)
	r := l.temp(types.VoidPointer)
	l.assign(r, to.e)
	fails, line, empty, end := l.node(), l.node(), l.node(), l.node()
	room := l.node()
	l.split(bin(program.Le, size.e, program.Const(0)), empty, room)
	l.cur = room
	l.split(l.havoc(types.Bool, 0, 1).e, fails, line)

	l.cur = line
	w := l.walkString()
	newline, more, over := l.node(), l.node(), l.node()
	w.leaveIf(bin(program.Ge, plus(program.Reg(w.i), 1), size.e), over)
	c := l.temp(types.Char)
	l.assign(c, char().e)
	l.storeAs(w.place(to, types.Char), value{t: types.Char, e: program.Reg(c)}, plain)
	l.split(eq(program.Reg(c), program.Const('\n')), newline, more)
	l.cur = more
	ends, goes := l.node(), l.node()
	l.split(l.havoc(types.Bool, 0, 1).e, ends, goes) // with the file
	l.cur = goes
	w.next()
	for _, last := range []int{newline, ends} {
		l.cur = last
		l.assign(w.i, plus(program.Reg(w.i), 1))
		l.jump(over)
	}
	l.cur = over
	l.storeAs(w.place(to, types.Char), number(types.Char, 0), plain)
	l.jump(end)

	l.cur = fails
	spoils := l.node()
	l.split(l.havoc(types.Bool, 0, 1).e, spoils, empty)
	l.cur = spoils
	l.failed()
	l.readChars(to.e, l.convert(size, types.UnsignedLong), char)
	l.land(empty)
	l.assign(r, program.Const(0))
	l.land(end)
	return value{t: types.VoidPointer, e: program.Reg(r)}
}

// readItems is fread, to characters: less than all of them where the file ends, or the read fails.
func readItems(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	l.toChars(n, args[0])
	to := l.convert(l.expr(args[0]), types.VoidPointer).e
	size, count := l.size(args[1]), l.size(args[2])
	l.effect(args[3])
	l.at(n)
	bytes, items := l.partOf(size, count)
	l.readChars(to, bytes, l.unknownChar(args[0]))
	return items
}

// partOf is as many bytes of so many items as there are, and how many items these are; if that is not all, errno may say why.
func (l *lowerer) partOf(size, count value) (bytes, items value) {
	b, k := l.temp(types.UnsignedLong), l.temp(types.UnsignedLong)
	l.assign(b, program.Const(0))
	l.assign(k, program.Const(0))
	some, end := l.node(), l.node()
	l.split(size.e, some, end)
	l.cur = some
	l.assign(b, l.atMost(value{t: types.UnsignedLong, e: flowgraph.Fold(bin(program.Mul, size.e, count.e))}).e)
	l.assign(k, flowgraph.Fold(bin(program.UDiv, program.Reg(b), size.e)))
	l.failsIf(bin(program.ULt, program.Reg(k), count.e), true)
	l.land(end)
	return value{t: types.UnsignedLong, e: program.Reg(b)}, value{t: types.UnsignedLong, e: program.Reg(k)}
}

// streamBuiltins are the functions that this file knows.
func streamBuiltins() map[string]builtin {
	return map[string]builtin{
		"fgets": {3, readLine}, "fread": {4, readItems},
		"fwrite": {4, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			from := l.expr(args[0])
			size, count := l.size(args[1]), l.size(args[2])
			l.effect(args[3])
			l.at(n)
			l.readBytes(n, args[0], from, l.kept(value{t: types.UnsignedLong, e: flowgraph.Fold(bin(program.Mul, size.e, count.e))}))
			_, items := l.partOf(size, count)
			return items
		}},
	}
}
