package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What the library does with the world outside, or asks the system for, may fail whenever it is done. POSIX says which errors
// functions give at least, and leaves others open: so errno is any of them then. Memory is always there, as far as there can
// be so much (toolarge.go), and so are threads and what else is made: these do not fail.

// largestErrno is the largest number of an error that Linux has.
const largestErrno = 133

// usesErrno is true of a program that may ask for errno.
func (u *unit) usesErrno() bool { return u.names("errno", "__errno_location") }

// failed says why in errno, where somebody asks.
func (l *lowerer) failed() {
	if l.u.usesErrno() {
		l.setErrno(l.havoc(types.Int, 1, largestErrno).e)
	}
}

// failsIf says why in errno where the call has failed. The end of what is read is no error, though the call gives the same then.
func (l *lowerer) failsIf(is program.Expr, orEnd bool) {
	if !l.u.usesErrno() {
		return
	}
	failed, end := l.node(), l.node()
	l.split(is, failed, end)
	l.cur = failed
	if orEnd {
		failed = l.node()
		l.split(l.havoc(types.Bool, 0, 1).e, failed, end)
		l.cur = failed
	}
	l.failed()
	l.land(end)
}

// fallible gives from lo to hi, and -1 where it fails.
func fallible(t *types.Type, lo, hi int64) builtin {
	return builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args)
		l.at(n)
		return l.fails(t, func() value { return l.havoc(t, lo, hi) })
	}}
}

// fails is what works gives, or -1.
func (l *lowerer) fails(t *types.Type, works func() value) value {
	r := l.temp(t)
	yes, no, end := l.node(), l.node(), l.node()
	l.split(l.havoc(types.Bool, 0, 1).e, yes, no)
	l.cur = yes
	l.assign(r, program.Const(-1))
	l.failed()
	l.jump(end)
	l.cur = no
	l.assign(r, works().e)
	l.land(end)
	return value{t: t, e: program.Reg(r)}
}

// refusing gives 0, or the number of an error, and leaves errno alone.
func refusing() builtin {
	return builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args)
		l.at(n)
		return l.havoc(types.Int, 0, largestErrno)
	}}
}

// takesAttribute is true where a function that sets an attribute is sure to take the value: all of those that have a name do not.
func (u *unit) takesAttribute(name string, args []cc.ExpressionNode) bool {
	_, what, sets := strings.Cut(name, "_set")
	if !sets {
		return true
	}
	if strings.HasPrefix(what, "robust") {
		if k, ok := u.constantMaybe(args[len(args)-1]); !ok || k != 0 {
			u.refuse(args[0], "a robust mutex")
		}
	}
	u.prefersWriters(what, args)
	for _, a := range args[min(1, len(args)):] {
		k, ok := u.constantMaybe(a)
		switch {
		case !ok || k < 0:
			return false
		case what == "stacksize":
			ok = k >= 1<<14 // PTHREAD_STACK_MIN
		case what == "scope":
			ok = k == 0 // Linux has no other than PTHREAD_SCOPE_SYSTEM
		case what != "guardsize":
			ok = k <= 2
		}
		if !ok {
			return false
		}
	}
	return true
}

// putChar gives the character that it prints.
func putChar(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	c := l.expr(args[0])
	evaluateAll(l, args[1:])
	l.at(n)
	return l.fails(types.Int, func() value { return l.convert(l.convert(c, types.UnsignedChar), types.Int) })
}

// getChar gives a character that it reads, or -1.
func getChar(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	evaluateAll(l, args)
	l.at(n)
	c := l.havoc(types.Int, -1, 255)
	l.failsIf(bin(program.Lt, c.e, program.Const(0)), true)
	return c
}

// atMost is from 0 to n, a number of bytes.
func (l *lowerer) atMost(n value) value {
	if k, ok := n.e.(program.Const); ok && k >= 0 {
		return l.havoc(types.Long, 0, min(int64(k), mostBytes))
	}
	r := l.temp(types.Long)
	l.assign(r, l.havoc(types.Long, 0, mostBytes).e)
	more, end := l.node(), l.node()
	l.split(bin(program.ULt, n.e, program.Reg(r)), more, end)
	l.cur = more
	l.assign(r, n.e)
	l.land(end)
	return value{t: types.Long, e: program.Reg(r)}
}

// mostBytes is how many bytes Linux reads or writes in one call.
const mostBytes = 0x7ffff000

// writeBytes is write, which may write less than it is told to.
func writeBytes(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	l.effect(args[0])
	from, size := l.expr(args[1]), l.kept(l.size(args[2]))
	l.at(n)
	l.readBytes(n, args[1], from, size)
	return l.fails(types.Long, func() value { return l.atMost(size) })
}

// readChars puts any characters to where they are to be, as many as there are.
func (l *lowerer) readChars(to program.Expr, count value, char func() value) {
	end := l.node()
	w := l.walkString()
	w.leaveIf(eq(program.Reg(w.i), count.e), end)
	l.storeAs(w.place(value{e: to}, types.Char), char(), plain)
	w.next()
	l.cur = end
}

// toChars refuses to read anything else.
func (l *lowerer) toChars(n cc.Node, to cc.ExpressionNode) {
	if t := l.strippedType(to); t != nil && t.Kind != types.VoidKind && t.Size != 1 {
		l.u.refuse(n, "reading "+t.Name)
	}
}

// readBytes is read, to characters.
func readBytes(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	l.toChars(n, args[1])
	l.effect(args[0])
	to, size := l.convert(l.expr(args[1]), types.VoidPointer).e, l.size(args[2])
	l.at(n)
	return l.fails(types.Long, func() value {
		k := l.atMost(size)
		l.readChars(to, k, l.unknownChar(args[1]))
		return k
	})
}

// openFile gives a file, or null.
func openFile(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	evaluateAll(l, args)
	l.at(n)
	there := l.havoc(types.UnsignedLong, 0, 1)
	l.failsIf(eq(there.e, program.Const(0)), false)
	return value{t: types.VoidPointer, e: flowgraph.Fold(bin(program.Mul, there.e, program.Const(l.u.operations.Helper("file", types.Char).Base)))}
}

// terminal is isatty.
func terminal(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	evaluateAll(l, args)
	l.at(n)
	is := l.havoc(types.Int, 0, 1)
	l.failsIf(eq(is.e, program.Const(0)), false)
	return is
}

// limits is getrlimit.
func limits(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	l.effect(args[0])
	p := l.target(args[1])
	l.at(n)
	if !p.t.Aggregate() || p.t.Find("rlim_cur") == nil || p.t.Find("rlim_max") == nil {
		l.u.refuse(n, "limits for "+p.t.Name)
	}
	most := l.choice(types.UnsignedLong)
	now := l.temp(types.UnsignedLong)
	l.assign(now, l.choice(types.UnsignedLong).e)
	more, end := l.node(), l.node()
	l.split(bin(program.ULt, most.e, program.Reg(now)), more, end)
	l.cur = more
	l.assign(now, most.e)
	l.land(end)
	l.store(l.selectMember(n, p, "rlim_cur"), value{t: types.UnsignedLong, e: program.Reg(now)})
	l.store(l.selectMember(n, p, "rlim_max"), most)
	return number(types.Int, 0)
}

// priority is sched_get_priority_min and sched_get_priority_max: what the policies of Linux have.
func priority(real int64) builtin {
	return builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		switch k, ok := l.u.constantMaybe(args[0]); {
		case ok && (k == 1 || k == 2): // SCHED_FIFO, SCHED_RR
			return number(types.Int, real)
		case ok && (k == 0 || k == 3 || k == 5): // SCHED_OTHER, SCHED_BATCH, SCHED_IDLE
			return number(types.Int, 0)
		}
		return fallible(types.Int, 0, real).do(l, n, args)
	}}
}

// printed is what a function that prints gives: how many characters that were, which are known where the format has no
// conversions; or -1. exact is false where it gives any number that is not below 0.
func (l *lowerer) printed(n cc.Node, format cc.ExpressionNode, exact bool) value {
	if l.idle == n && !l.u.usesErrno() {
		return number(types.Int, 0)
	}
	return l.fails(types.Int, func() value {
		if s, ok := stringOf(format); ok && exact && !strings.Contains(s, "%") {
			s, _, _ = strings.Cut(s, "\x00")
			return number(types.Int, int64(len(s)))
		}
		return l.havoc(types.Int, 0, 1<<31-1)
	})
}

// failureBuiltins are the functions that this file knows.
func failureBuiltins() map[string]builtin {
	m := map[string]builtin{
		"write": {3, writeBytes}, "read": {3, readBytes}, "open": fallible(types.Int, 0, 1<<20), "close": fallible(types.Int, 0, 0),
		"fopen": {2, openFile}, "fclose": fallible(types.Int, 0, 0), "fflush": fallible(types.Int, 0, 0), "setvbuf": fallible(types.Int, 0, 0),
		"putchar": {1, putChar}, "fputc": {2, putChar}, "putc": {2, putChar}, "putchar_unlocked": {1, putChar},
		"getchar": {0, getChar}, "fgetc": {1, getChar}, "getc": {1, getChar},
		"isatty": {1, terminal}, "getrlimit": {2, limits}, "prctl": fallible(types.Int, 0, 1<<31-1),
		"sched_get_priority_max": priority(99), "sched_get_priority_min": priority(1),
	}
	for _, name := range []string{"mlock", "munlock", "mlockall", "munlockall", "madvise", "sched_setaffinity", "sched_setparam", "sched_setscheduler", "setpriority", "setrlimit"} {
		m[name] = fallible(types.Int, 0, 0)
	}
	for _, name := range []string{"pthread_setconcurrency", "pthread_mutex_setprioceiling", "pthread_mutex_consistent"} {
		m[name] = refusing()
	}
	for _, name := range []string{"pthread_setaffinity_np", "pthread_setname_np", "pthread_setschedparam", "pthread_setschedprio"} {
		m[name] = builtin{^1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.needs(n, args[0])
			return refusing().do(l, n, args[1:])
		}}
	}
	return m
}
