package c

import (
	"regexp"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// semaphoreBuiltins are the functions on semaphores.
func semaphoreBuiltins() map[string]builtin {
	wait := func(l *lowerer, n *cc.PostfixExpression, p place) {
		count := l.mutexMember(n, p, "__count")
		c := l.temp(types.Int)
		l.usesSemaphore(count)
		l.waitsCancelled(n, nil)
		l.emit(atomicOp("wait", l.loadOp(count, c, acquire), checkOp(ne(program.Reg(c), program.Const(0))),
			l.storeOp(count, plus(program.Reg(c), -1), acquire)))
	}
	// maybe is a wait that comes to nothing where the count is 0, and nowhere else, however late it is, and puts into
	// errno why. Where there is a limit, which an argument says, that is that it is no time, if so.
	maybe := func(limit int, errno int64) builtin {
		return builtin{limit + 1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.libraryTarget(n, args[0])
			evaluateAll(l, args[1:max(1, limit)])
			wrong := program.Expr(program.Const(0))
			if limit > 0 {
				wrong = l.badTime(n, args[limit], false)
			}
			l.at(n)
			count := l.mutexMember(n, p, "__count")
			c, r := l.temp(types.Int), l.temp(types.Int)
			l.usesSemaphore(count)
			set := func(k int64) program.Command {
				return program.Command{Op: program.Assign, Reg: r, Value: program.Const(k)}
			}
			end, failed := l.node(), l.node()
			late, bad, refused := l.node(), l.node(), l.node()
			l.mayBeRefused(wrong, refused)
			l.looksFirst(l.loadOp(count, c, relaxed), eq(program.Reg(c), program.Const(0)), failed, set(-1))
			l.edge(l.cur, end, atomicOp("wait", l.loadOp(count, c, acquire), checkOp(ne(program.Reg(c), program.Const(0))),
				l.storeOp(count, plus(program.Reg(c), -1), acquire), set(0)))
			l.edge(l.cur, failed, atomicOp("trywait", l.loadOp(count, c, relaxed), checkOp(eq(program.Reg(c), program.Const(0))), set(-1)))
			l.cur = refused
			l.assign(r, program.Const(-1))
			l.jump(bad)
			l.cur = failed
			l.split(wrong, bad, late)
			l.cur = bad
			l.setErrno(program.Const(einval))
			l.jump(end)
			l.cur = late
			l.setErrno(program.Const(errno))
			l.land(end)
			return value{t: types.Int, e: program.Reg(r)}
		}}
	}
	return map[string]builtin{
		"sem_open": {^2, openSemaphore}, "sem_unlink": {1, unlinkSemaphore},
		"sem_close": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.libraryTarget(n, args[0])
			return number(types.Int, 0)
		}},
		"sem_init": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.libraryTarget(n, args[0])
			l.effect(args[1])
			k, r := l.convert(l.convert(l.expr(args[2]), types.UnsignedInt), types.Int), l.temp(types.Int)
			l.at(n)
			fits, more, end := l.node(), l.node(), l.node()
			l.split(bin(program.Le, program.Const(0), k.e), fits, more)
			l.cur = fits
			count := l.mutexMember(n, p, "__count")
			l.initialises(count)
			l.storeAs(count, k, plain)
			l.assign(r, program.Const(0))
			l.jump(end)
			l.cur = more // than SEM_VALUE_MAX
			l.setErrno(program.Const(einval))
			l.assign(r, program.Const(-1))
			l.land(end)
			return value{t: types.Int, e: program.Reg(r)}
		}},
		"sem_destroy": onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) { l.destroySemaphore(n, p) }),
		"sem_wait": onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			wait(l, n, p)
		}),
		"sem_trywait": maybe(0, eagain), "sem_timedwait": maybe(1, etimedout), "sem_clockwait": onClock(1, waitingBy, maybe(2, etimedout)),
		"sem_post": {1, postSemaphore},
		"sem_getvalue": onPlace(2, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			to := l.target(args[1])
			count := l.mutexMember(n, p, "__count")
			l.usesSemaphore(count)
			v := l.loadAs(count, relaxed)
			l.store(to, l.convert(v, to.t.Plain()))
		}),
	}
}

// mostPosts is SEM_VALUE_MAX.
const mostPosts = 1<<31 - 1

// postSemaphore is sem_post, which fails where the count is at its end. Where it begins with a small number nobody gets there who
// does not ask whether it failed: not within a billion steps.
func postSemaphore(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p := l.libraryTarget(n, args[0])
	l.at(n)
	count := l.mutexMember(n, p, "__count")
	c := l.temp(types.Int)
	l.usesSemaphore(count)
	load, store := l.loadOp(count, c, acqRel), l.storeOp(count, plus(program.Reg(c), 1), acqRel)
	if l.idle == n && !l.u.usesErrno() && l.u.smallSemaphores() {
		l.emit(atomicOp("post", load, store))
		return number(types.Int, 0)
	}
	r := l.temp(types.Int)
	full, end := l.node(), l.node()
	l.edge(l.cur, end, atomicOp("post", load, checkOp(ne(program.Reg(c), program.Const(mostPosts))), store, setTo(r, 0)))
	l.edge(l.cur, full, atomicOp("post", l.loadOp(count, c, relaxed), checkOp(eq(program.Reg(c), program.Const(mostPosts))), setTo(r, -1)))
	l.cur = full
	l.setErrno(program.Const(eoverflow))
	l.land(end)
	return value{t: types.Int, e: program.Reg(r)}
}

// smallSemaphores is true of a program in which the text shows that all semaphores begin with less than a billion.
func (u *unit) smallSemaphores() bool {
	if u.small != nil {
		return *u.small
	}
	small := true
	for _, f := range u.defined {
		walk(f, func(n cc.Node) bool {
			if call, ok := n.(*cc.PostfixExpression); ok && call.Case == cc.PostfixExpressionCall {
				k, ok := map[string]int{"sem_init": 2, "sem_open": 3}[called(call)]
				if args := arguments(call); ok && k < len(args) && !smallNumber.MatchString(cc.NodeSource(args[k])) {
					small = false
				}
			}
			return small
		})
	}
	u.small = &small
	return small
}

var smallNumber = regexp.MustCompile(`^\s*[0-9]{1,9}[uU]?\s*$`)

// What is known of the name of a semaphore. No program before this one has left any.
const (
	noName = iota
	nameIsMade
	nameIsThere
	nameIsGone
)

const (
	oCreate, oExclusive = 0o100, 0o200
	enoent, eexist      = 2, 17
	eoverflow           = 75
)

// named is a semaphore with a name, and the cell that says whether there is one of that name.
func (l *lowerer) named(n *cc.PostfixExpression, arg cc.ExpressionNode) (semaphore, state place) {
	name, ok := stringOf(arg)
	if !ok {
		l.u.refuse(n, "the name of a semaphore that is no literal")
	}
	name = strings.Trim(name, "/\x00") // the C library of GNU takes no notice of a slash
	o, s := l.u.operations.Helper("semaphore "+name, types.Int), l.u.operations.Helper("name "+name, types.Int)
	return place{t: types.Int, addr: program.Const(o.Base)}, place{t: types.Int, addr: program.Const(s.Base)}
}

// openSemaphore is sem_open. What has been unlinked is not made again.
func openSemaphore(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p, name := l.named(n, args[0])
	flags, ok := l.u.constantMaybe(args[1])
	create := flags&oCreate != 0
	if !ok || create && len(args) != 4 {
		l.u.refuse(n, "flags for a semaphore that are not known here")
	}
	count := number(types.Int, 0)
	if create {
		l.effect(args[2])
		count = l.convert(l.expr(args[3]), types.Int)
	}
	l.at(n)
	s, r := l.temp(types.Int), l.temp(types.VoidPointer)
	is := func(k int64) program.Command { return checkOp(eq(program.Reg(s), program.Const(k))) }
	look := l.loadOp(name, s, acquire)
	first, gone, there, end := l.node(), l.node(), l.node(), l.node()
	l.edge(l.cur, gone, atomicOp("open", look, is(nameIsGone)))
	l.edge(l.cur, there, atomicOp("open", look, is(nameIsThere)))
	if create {
		l.edge(l.cur, first, atomicOp("open", look, is(noName), l.storeOp(name, program.Const(nameIsMade), acquire)))
		l.cur = first
		l.storeAs(p, count, plain)
		l.emit(atomicOp("open", l.storeOp(name, program.Const(nameIsThere), release)))
		l.assign(r, p.addr)
		l.jump(end)
	} else {
		none := l.node()
		l.edge(l.cur, none, atomicOp("open", look, is(noName), setTo(r, 0)))
		l.cur = none
		l.setErrno(program.Const(enoent))
		l.jump(end)
	}
	l.cur = there
	if create && flags&oExclusive != 0 {
		l.assign(r, program.Const(0))
		l.setErrno(program.Const(eexist))
	} else {
		l.assign(r, p.addr)
	}
	l.jump(end)
	l.cur = gone
	l.operate(&flowgraph.Bound{What: "not modelled: a semaphore with the name of one that was unlinked"})
	l.land(end)
	return value{t: types.VoidPointer, e: program.Reg(r)}
}

// unlinkSemaphore is sem_unlink: whoever has the semaphore still has it.
func unlinkSemaphore(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	_, name := l.named(n, args[0])
	l.at(n)
	s, r := l.temp(types.Int), l.temp(types.Int)
	end, none := l.node(), l.node()
	look, is := l.loadOp(name, s, acquire), eq(program.Reg(s), program.Const(nameIsThere))
	l.edge(l.cur, end, atomicOp("unlink", look, checkOp(is), l.storeOp(name, program.Const(nameIsGone), acqRel), setTo(r, 0)))
	l.edge(l.cur, none, atomicOp("unlink", look, checkOp(flowgraph.Fold(program.NotExpr(is))), setTo(r, -1)))
	l.cur = none
	l.setErrno(program.Const(enoent))
	l.land(end)
	return value{t: types.Int, e: program.Reg(r)}
}
