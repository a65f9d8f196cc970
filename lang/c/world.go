package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Functions that ask the system for what files and the machine are like, or change that: see failures.go.

// readsText evaluates an argument that is a string, and reads it.
func (l *lowerer) readsText(n cc.Node, arg cc.ExpressionNode) {
	if _, ok := l.literalText(arg); ok {
		return
	}
	s := l.convert(l.expr(arg), voidPtr).e
	l.at(n)
	end := l.node()
	w := l.walkString()
	w.leaveIf(eq(w.char(s, charType), program.Const(0)), end)
	w.next()
	l.cur = end
}

// about is a function that writes to where its last argument points what it finds out, which may be anything, or fails.
func about(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	last := len(args) - 1
	evaluateAll(l, args[:last])
	p := l.pointee(l.kept(l.libraryPointer(n, args[last])))
	l.at(n)
	if !p.t.aggregate() {
		l.u.refuse(n, called(n)+" for "+p.t.name)
	}
	return l.fails(intType, func() value {
		for _, s := range l.u.flatten(p.t.plain(), "", 0, nil) {
			if !s.t.integer() {
				l.u.refuse(n, called(n)+" for "+p.t.name)
			}
			v := l.choice(s.t.plain())
			if s.t.signed && s.t.size == 8 { // sizes and times
				v = l.havoc(s.t.plain(), 0, mostShown(s))
			}
			l.storeAs(place{t: s.t.plain(), addr: plus(p.addr, s.off)}, v, plain)
		}
		return number(intType, 0)
	})
}

// systemNames is uname: arrays of characters that each have a 0 at their end, at the latest.
func systemNames(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p := l.pointee(l.kept(l.libraryPointer(n, args[0])))
	l.at(n)
	if !p.t.aggregate() || p.t.find("sysname") == nil {
		l.u.refuse(n, "uname for "+p.t.name)
	}
	return l.fails(intType, func() value {
		for _, f := range p.t.fields {
			if f.t.kind != arrayKind || f.t.elem.size != 1 {
				l.u.refuse(n, "uname for "+p.t.name)
			}
			for i := range f.t.len {
				c := l.choice(charType)
				if i == f.t.len-1 {
					c = number(charType, 0)
				}
				l.storeAs(place{t: charType, addr: plus(p.addr, f.off+i)}, c, plain)
			}
		}
		return number(intType, 0)
	})
}

// errorText is strerror_r, which POSIX and the C library of GNU have of different types: that of GNU gives where the text is, and need not
// write it.
func errorText(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	x := l.u.globals[called(n)]
	if x == nil || x.t.kind != functionKind {
		l.u.refuse(n, called(n)+" without string.h")
	}
	number0 := l.kept(l.convert(l.expr(args[0]), intType))
	to := l.kept(l.convert(l.expr(args[1]), voidPtr)).e
	size := l.kept(l.size(args[2]))
	l.at(n)
	write := func() {
		for i, c := range "error\x00" {
			room, end := l.node(), l.node()
			l.split(bin(program.ULt, program.Const(int64(i)), size.e), room, end)
			l.cur = room
			e := flowgraph.Fold(bin(program.Mul, program.Const(int64(c)), ne(program.Const(int64(i+1)), size.e)))
			l.storeAs(place{t: charType, addr: plus(to, int64(i))}, value{t: charType, e: e}, plain)
			l.land(end)
		}
	}
	if x.t.elem.kind == pointerKind {
		r := l.temp(voidPtr)
		own, given, end := l.node(), l.node(), l.node()
		l.split(l.havoc(boolType, 0, 1).e, own, given)
		l.cur = own
		l.assign(r, l.load(l.literal("error")).e)
		l.jump(end)
		l.cur = given
		write()
		l.assign(r, to)
		l.land(end)
		return value{t: pointerTo(charType), e: program.Reg(r)}
	}
	write()
	r := l.temp(intType)
	l.assign(r, flowgraph.Fold(bin(program.Mul, program.Const(34), bin(program.ULt, size.e, program.Const(6))))) // ERANGE
	unknown, end := l.node(), l.node()
	l.split(flowgraph.Between(number0.e, 0, largestErrno), end, unknown)
	l.cur = unknown
	l.assign(r, program.Const(einval))
	l.land(end)
	return value{t: intType, e: program.Reg(r)}
}

// setsEnvironment is a function that changes the environment, of which nothing is known where it is asked for.
func setsEnvironment(texts int) builtin {
	return builtin{^texts, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		if l.u.names("getenv", "secure_getenv", "environ", "__environ") {
			l.u.refuse(n, "an environment that changes, and is asked for")
		}
		for _, a := range args[:texts] {
			l.readsText(n, a)
		}
		evaluateAll(l, args[texts:])
		l.at(n)
		return l.fails(intType, func() value { return number(intType, 0) })
	}}
}

// noChild is wait: there are no other processes.
func noChild(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	if l.u.names("popen") {
		l.u.refuse(n, "a wait for other processes")
	}
	evaluateAll(l, args)
	l.at(n)
	l.setErrno(program.Const(10)) // ECHILD
	return number(intType, -1)
}

// worldBuiltins are the functions that this file knows.
func worldBuiltins() map[string]builtin {
	m := map[string]builtin{
		"uname": {1, systemNames}, "strerror_r": {3, errorText}, "__xpg_strerror_r": {3, errorText},
		"stat": {2, about}, "lstat": {2, about}, "fstat": {2, about},
		"setenv": setsEnvironment(2), "unsetenv": setsEnvironment(1), "putenv": setsEnvironment(1),
		"wait": {1, noChild}, "waitpid": {3, noChild},
		"tmpfile": {0, openFile}, "fdopen": {2, openFile}, "popen": {2, openFile},
		"pclose": fallible(intType, 0, 65535), "fileno": fallible(intType, 0, 1<<20),
		"ftell": fallible(longType, 0, 1<<62), "ftello": fallible(longType, 0, 1<<62), "lseek": fallible(longType, 0, 1<<62),
		"creat": fallible(intType, 0, 1<<20), "openat": fallible(intType, 0, 1<<20), "fcntl": fallible(intType, 0, 1<<31-1),
		"clearerr": ignore(voidType, 0), "setlinebuf": ignore(voidType, 0),
		"rewind": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			evaluateAll(l, args)
			l.at(n)
			l.failsIf(program.Const(1), true)
			return nothing
		}},
		"putc_unlocked": {2, putChar}, "fputc_unlocked": {2, putChar}, "getc_unlocked": {1, getChar}, "fgetc_unlocked": {1, getChar}, "getchar_unlocked": {0, getChar},
		"arc4random": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value { return l.choice(uintType) }},
		"arc4random_uniform": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			most := l.kept(l.convert(l.expr(args[0]), uintType))
			l.at(n)
			r := l.temp(uintType)
			l.assign(r, l.choice(uintType).e)
			over, end := l.node(), l.node()
			l.split(bin(program.ULt, program.Reg(r), most.e), end, over)
			l.cur = over
			l.assign(r, program.Const(0))
			l.land(end)
			return value{t: uintType, e: program.Reg(r)}
		}},
		"arc4random_buf": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.toChars(n, args[0])
			to, size := l.convert(l.expr(args[0]), voidPtr).e, l.size(args[1])
			l.at(n)
			l.readChars(to, l.kept(size), func() value { return l.choice(charType) })
			return nothing
		}},
		"__fp_program": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.u.arguments()
			return value{t: pointerTo(charType), e: program.Const(l.u.helpers["argv[0]"].base)}
		}},
		"kill": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if k, ok := l.u.constantMaybe(args[1]); !ok || k != 0 {
				l.u.refuse(n, "a signal for a process")
			}
			call, ok := unwrap(args[0]).(*cc.PostfixExpression)
			evaluateAll(l, args)
			l.at(n)
			if ok && call.Case == cc.PostfixExpressionCall && called(call) == "getpid" {
				return number(intType, 0)
			}
			return l.fails(intType, func() value { return number(intType, 0) })
		}},
		"pthread_getattr_np": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.needs(n, args[0])
			p := l.libraryTarget(n, args[1])
			l.at(n)
			at := l.mutexMember(n, p, "__detached")
			l.store(at, l.convert(l.havoc(boolType, 0, 1), at.t.plain()))
			l.anyStack(n, p)
			return number(intType, 0)
		}},
		// What the clock of a thread shows is what any clock may show.
		"pthread_getcpuclockid": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.needs(n, args[0])
			to := l.target(args[1])
			l.at(n)
			l.store(to, l.convert(number(intType, 3), to.t.plain()))
			return number(intType, 0)
		}},
		"pthread_attr_getstack": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if l.u.names("pthread_attr_setstack", "pthread_attr_setstacksize") {
				l.u.refuse(n, "asking for an attribute that the program sets")
			}
			l.effect(args[0])
			at, size := l.target(args[1]), l.target(args[2])
			l.at(n)
			if at.t.kind != pointerKind || !size.t.integer() {
				l.u.refuse(n, "a stack that is "+at.t.name)
			}
			l.store(at, l.convert(l.choice(ulongType), at.t.plain()))
			l.store(size, l.convert(l.choice(ulongType), size.t.plain()))
			return number(intType, 0)
		}},
	}
	for _, name := range []string{"fseek", "fseeko", "remove", "rename", "unlink", "rmdir", "access", "fsync", "ftruncate", "mkdir", "chmod", "fchmod", "mkfifo", "fflush_unlocked"} {
		m[name] = fallible(intType, 0, 0)
	}
	for name, plainly := range map[string]string{"fputs_unlocked": "fputs", "feof_unlocked": "feof", "ferror_unlocked": "ferror"} {
		m[name] = builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return builtins()[plainly].do(l, n, args)
		}}
	}
	return m
}

// prefersWriters refuses read-write locks that let nobody read while somebody waits to write: who reads twice may wait for ever.
func (u *unit) prefersWriters(what string, args []cc.ExpressionNode) {
	if strings.HasPrefix(what, "kind_np") {
		if k, ok := u.constantMaybe(args[len(args)-1]); !ok || k == 2 {
			u.refuse(args[0], "a read-write lock that lets writers go first")
		}
	}
}
