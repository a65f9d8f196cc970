package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Functions that ask the system for what files and the machine are like, or change that: see failures.go.

// readsText evaluates an argument that is a string, and reads it.
func (l *lowerer) readsText(n cc.Node, arg cc.ExpressionNode) {
	if _, ok := l.literalText(arg); ok {
		return
	}
	s := l.textArgument(arg)
	l.at(n)
	end := l.node()
	w := l.walkString()
	w.leaveIf(eq(w.char(s, types.Char), program.Const(0)), end)
	w.next()
	l.cur = end
}

// about is a function that writes to where its last argument points what it finds out, which may be anything, or fails.
func about(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	last := len(args) - 1
	evaluateAll(l, args[:last])
	p := l.pointee(l.kept(l.libraryPointer(n, args[last])))
	l.at(n)
	if !p.t.Aggregate() {
		l.u.refuse(n, called(n)+" for "+p.t.Name)
	}
	return l.fails(types.Int, func() value {
		for _, s := range l.u.flatten(p.t.Plain(), "", 0, nil) {
			if !s.Type.Integer() {
				l.u.refuse(n, called(n)+" for "+p.t.Name)
			}
			v := l.choice(s.Type.Plain())
			if s.Type.Signed && s.Type.Size == 8 { // sizes and times
				v = l.havoc(s.Type.Plain(), 0, mostShown(s))
			}
			l.storeAs(place{t: s.Type.Plain(), addr: plus(p.addr, s.Off)}, v, plain)
		}
		return number(types.Int, 0)
	})
}

// systemNames is uname: arrays of characters that each have a 0 at their end, at the latest.
func systemNames(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p := l.pointee(l.kept(l.libraryPointer(n, args[0])))
	l.at(n)
	if !p.t.Aggregate() || p.t.Find("sysname") == nil {
		l.u.refuse(n, "uname for "+p.t.Name)
	}
	return l.fails(types.Int, func() value {
		for _, f := range p.t.Fields {
			if f.Type.Kind != types.ArrayKind || f.Type.Elem.Size != 1 {
				l.u.refuse(n, "uname for "+p.t.Name)
			}
			for i := range f.Type.Len {
				c := l.choice(types.Char)
				if i == f.Type.Len-1 {
					c = number(types.Char, 0)
				}
				l.storeAs(place{t: types.Char, addr: plus(p.addr, f.Offset+i)}, c, plain)
			}
		}
		return number(types.Int, 0)
	})
}

// errorText is strerror_r, which POSIX and the C library of GNU have of different types: that of GNU gives where the text is, and need not
// write it.
func errorText(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	x := l.u.globals[called(n)]
	if x == nil || x.t.Kind != types.FunctionKind {
		l.u.refuse(n, called(n)+" without string.h")
	}
	number0 := l.kept(l.convert(l.expr(args[0]), types.Int))
	to := l.kept(l.convert(l.expr(args[1]), types.VoidPointer)).e
	size := l.kept(l.size(args[2]))
	l.at(n)
	write := func() {
		for i, c := range "error\x00" {
			room, end := l.node(), l.node()
			l.split(bin(program.ULt, program.Const(int64(i)), size.e), room, end)
			l.cur = room
			e := flowgraph.Fold(bin(program.Mul, program.Const(int64(c)), ne(program.Const(int64(i+1)), size.e)))
			l.storeAs(place{t: types.Char, addr: plus(to, int64(i))}, value{t: types.Char, e: e}, plain)
			l.land(end)
		}
	}
	if x.t.Elem.Kind == types.PointerKind {
		r := l.temp(types.VoidPointer)
		own, given, end := l.node(), l.node(), l.node()
		l.split(l.havoc(types.Bool, 0, 1).e, own, given)
		l.cur = own
		l.assign(r, l.load(l.literal("error")).e)
		l.jump(end)
		l.cur = given
		write()
		l.assign(r, to)
		l.land(end)
		return value{t: types.PointerTo(types.Char), e: program.Reg(r)}
	}
	write()
	r := l.temp(types.Int)
	l.assign(r, flowgraph.Fold(bin(program.Mul, program.Const(34), bin(program.ULt, size.e, program.Const(6))))) // ERANGE
	unknown, end := l.node(), l.node()
	l.split(flowgraph.Between(number0.e, 0, largestErrno), end, unknown)
	l.cur = unknown
	l.assign(r, program.Const(einval))
	l.land(end)
	return value{t: types.Int, e: program.Reg(r)}
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
		return l.fails(types.Int, func() value { return number(types.Int, 0) })
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
	return number(types.Int, -1)
}

// worldBuiltins are the functions that this file knows.
func worldBuiltins() map[string]builtin {
	m := map[string]builtin{
		"uname": {1, systemNames}, "strerror_r": {3, errorText}, "__xpg_strerror_r": {3, errorText},
		"stat": {2, about}, "lstat": {2, about}, "fstat": {2, about},
		"setenv": setsEnvironment(2), "unsetenv": setsEnvironment(1), "putenv": setsEnvironment(1),
		"wait": {1, noChild}, "waitpid": {3, noChild},
		"tmpfile": {0, openFile}, "fdopen": {2, openFile}, "popen": {2, openFile},
		"pclose": fallible(types.Int, 0, 65535), "fileno": fallible(types.Int, 0, 1<<20),
		"ftell": fallible(types.Long, 0, 1<<62), "ftello": fallible(types.Long, 0, 1<<62), "lseek": fallible(types.Long, 0, 1<<62),
		"creat": fallible(types.Int, 0, 1<<20), "openat": fallible(types.Int, 0, 1<<20), "fcntl": fallible(types.Int, 0, 1<<31-1),
		"clearerr": ignore(types.Void, 0), "setlinebuf": ignore(types.Void, 0),
		"rewind": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			evaluateAll(l, args)
			l.at(n)
			l.failsIf(program.Const(1), true)
			return nothing
		}},
		"putc_unlocked": {2, putChar}, "fputc_unlocked": {2, putChar}, "getc_unlocked": {1, getChar}, "fgetc_unlocked": {1, getChar}, "getchar_unlocked": {0, getChar},
		"arc4random": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.choice(types.UnsignedInt)
		}},
		"arc4random_uniform": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			most := l.kept(l.convert(l.expr(args[0]), types.UnsignedInt))
			l.at(n)
			r := l.temp(types.UnsignedInt)
			l.assign(r, l.choice(types.UnsignedInt).e)
			over, end := l.node(), l.node()
			l.split(bin(program.ULt, program.Reg(r), most.e), end, over)
			l.cur = over
			l.assign(r, program.Const(0))
			l.land(end)
			return value{t: types.UnsignedInt, e: program.Reg(r)}
		}},
		"arc4random_buf": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.toChars(n, args[0])
			to, size := l.convert(l.expr(args[0]), types.VoidPointer).e, l.size(args[1])
			l.at(n)
			l.readChars(to, l.kept(size), func() value { return l.choice(types.Char) })
			return nothing
		}},
		"__fp_program": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.u.arguments()
			return value{t: types.PointerTo(types.Char), e: program.Const(l.u.operations.Helpers["argv[0]"].Base)}
		}},
		"kill": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if k, ok := l.u.constantMaybe(args[1]); !ok || k != 0 {
				l.u.refuse(n, "a signal for a process")
			}
			call, ok := unwrap(args[0]).(*cc.PostfixExpression)
			evaluateAll(l, args)
			l.at(n)
			if ok && call.Case == cc.PostfixExpressionCall && called(call) == "getpid" {
				return number(types.Int, 0)
			}
			return l.fails(types.Int, func() value { return number(types.Int, 0) })
		}},
		"pthread_getattr_np": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.needs(n, args[0])
			p := l.libraryTarget(n, args[1])
			l.at(n)
			at := l.mutexMember(n, p, "__detached")
			l.store(at, l.convert(l.havoc(types.Bool, 0, 1), at.t.Plain()))
			l.anyStack(n, p)
			return number(types.Int, 0)
		}},
		// What the clock of a thread shows is what any clock may show.
		"pthread_getcpuclockid": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.needs(n, args[0])
			to := l.target(args[1])
			l.at(n)
			l.store(to, l.convert(number(types.Int, 3), to.t.Plain()))
			return number(types.Int, 0)
		}},
		"pthread_attr_getstack": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if l.u.names("pthread_attr_setstack", "pthread_attr_setstacksize") {
				l.u.refuse(n, "asking for an attribute that the program sets")
			}
			l.effect(args[0])
			at, size := l.target(args[1]), l.target(args[2])
			l.at(n)
			if at.t.Kind != types.PointerKind || !size.t.Integer() {
				l.u.refuse(n, "a stack that is "+at.t.Name)
			}
			l.store(at, l.convert(l.choice(types.UnsignedLong), at.t.Plain()))
			l.store(size, l.convert(l.choice(types.UnsignedLong), size.t.Plain()))
			return number(types.Int, 0)
		}},
	}
	for _, name := range []string{"fseek", "fseeko", "remove", "rename", "unlink", "rmdir", "access", "fsync", "ftruncate", "mkdir", "chmod", "fchmod", "mkfifo", "fflush_unlocked"} {
		m[name] = fallible(types.Int, 0, 0)
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
