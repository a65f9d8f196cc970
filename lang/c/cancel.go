package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// pthread_cancel asks a thread to end, by a cell of that thread. It does so where it comes to a cancellation
// point, or waits in one: it calls what pthread_cleanup_push was given, the last first, as pthread_exit
// does, and ends with PTHREAD_CANCELED. A function that prints may be such a point.

// A cleanup is a call that pthread_cleanup_push has prepared.
type cleanup struct {
	fn, arg value
	do      func() // where it is something of the library
}

// cancellationPoints are the functions that are ones, and whether that is for sure. Waits for
// conditions, semaphores and threads have ones of their own.
var cancellationPoints = map[string]bool{
	"pthread_testcancel": true, "sleep": true, "usleep": true, "nanosleep": true, "pthread_join": true, "sem_wait": true,
	"clock_nanosleep": true, "thrd_sleep": false, "sem_clockwait": true, "pthread_timedjoin_np": true, "pthread_clockjoin_np": true, "thrd_join": false,
	"cnd_wait": false, "cnd_timedwait": false, "open": true, "openat": true, "creat": true, "poll": true, "select": true, "pause": true, "sigwait": true, "fsync": true, "connect": true, "accept": true, "send": true, "recv": true,
	"fgets": false, "fread": false, "fwrite": false, "scanf": false, "fscanf": false, "getchar": false, "getc": false, "fgetc": false, "fopen": false, "getline": false,
	"read": true, "write": true, "pthread_cond_wait": true, "pthread_cond_timedwait": true, "pthread_cond_clockwait": true, "sem_timedwait": true, "close": true,
	"printf": false, "fprintf": false, "puts": false, "putchar": false, "fputs": false, "fputc": false, "putc": false,
	"wait": true, "waitpid": true, "fcntl": false, "fseek": false, "fseeko": false, "ftell": false, "ftello": false, "rewind": false, "lseek": false, "ftruncate": false,
	"tmpfile": false, "popen": false, "pclose": false, "fdopen": false, "remove": false, "rename": false, "unlink": false, "rmdir": false, "access": false, "mkdir": false, "chmod": false,
	"fchmod": false, "mkfifo": false, "stat": false, "lstat": false, "fstat": false, "uname": false, "getc_unlocked": false, "getchar_unlocked": false, "putc_unlocked": false,
	"fgetc_unlocked": false, "fputc_unlocked": false, "fputs_unlocked": false, "fflush_unlocked": false, "putchar_unlocked": false,
	"localtime": false, "localtime_r": false, "gmtime": false, "mktime": false, "strftime": false, "ctime": false, "ctime_r": false, "asctime": false, "asctime_r": false, "strerror_r": false,
	"fflush": false, "perror": false, "vprintf": false, "vfprintf": false, "fclose": false, "syslog": false, "dprintf": false,
}

// cancels is true of a program in which threads are cancelled.
func (u *unit) cancels() bool {
	if u.cancelling == nil {
		found := false
		for _, f := range u.defined {
			walk(f.CompoundStatement, func(n cc.Node) bool {
				if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionCall && called(x) == "pthread_cancel" {
					found = true
				}
				return !found
			})
		}
		found = found && u.defined["pthread_cancel"] == nil
		u.cancelling = &found
	}
	return *u.cancelling
}

// cancelled is the cell that is 1 once the thread of that number has been cancelled.
func (u *unit) cancelled(thread program.Expr) place {
	return element(u.operations.Helper("cancelled", types.ArrayOf(types.Bool, maxThreads+1)), types.Bool, thread)
}

// cancellationPoint is where the thread ends if it has been cancelled; or may end, where sure is false.
func (l *lowerer) cancellationPoint(n cc.Node, sure bool) {
	if !l.mayBeCancelled() {
		return
	}
	end, on := l.node(), l.node()
	if !sure {
		may, not := l.node(), l.node()
		l.split(l.havoc(types.Bool, 0, 1).e, may, not)
		l.cur = not
		l.jump(on)
		l.cur = may
	}
	c := l.loadAs(l.u.cancelled(l.self()), acquire)
	l.split(l.enabled(c.e), end, on)
	l.cur = end
	l.dieCancelled(n)
	l.cur = on
}

// mayBeCancelled is whether somebody may cancel the thread here.
func (l *lowerer) mayBeCancelled() bool { return l.dryness == 0 && l.ending == 0 && l.u.cancels() }

// waitsCancelled lets the thread end, where it waits at this node, once it has been cancelled; before that it does what is to be done, if anything is.
func (l *lowerer) waitsCancelled(n cc.Node, before func()) {
	if !l.mayBeCancelled() {
		return
	}
	from, end := l.cur, l.node()
	l.edge(from, end, l.isCancelled())
	l.cur = end
	if before != nil {
		before()
	}
	l.dieCancelled(n)
	l.cur = from
}

// isCancelled is a step that can be taken once the thread has been cancelled.
func (l *lowerer) isCancelled() program.Command {
	r := l.temp(types.Bool)
	return atomicOp("cancelled", l.loadOp(l.u.cancelled(l.self()), r, acquire), checkOp(l.enabled(program.Reg(r))))
}

// enabled is whether a thread ends for which the cell has the value c.
func (l *lowerer) enabled(c program.Expr) program.Expr {
	e := ne(c, program.Const(0))
	if l.u.names("pthread_setcancelstate") {
		e = flowgraph.Fold(bin(program.LogicalAnd, e, eq(l.cancelStateNow(), program.Const(0))))
	}
	return e
}

// cancelStateNow is the register that is 0 while the thread may be cancelled. What sets it may stand behind what asks
// for it, in a loop.
func (l *lowerer) cancelStateNow() program.Expr {
	if l.cancelState == 0 {
		l.cancelState = l.register("cancel state", program.Int32Type, true) + 1
	}
	return program.Reg(l.cancelState - 1)
}

// dieCancelled ends the thread, which has been cancelled.
func (l *lowerer) dieCancelled(n cc.Node) {
	l.leave(n, number(types.VoidPointer, -1))
}

// cleanUp calls what pthread_cleanup_push was given.
func (l *lowerer) cleanUp(n cc.Node) {
	all := l.cleanups
	l.ending++
	for i := len(all) - 1; i >= 0; i-- {
		l.cleanups = all[:i]
		if do := all[i].do; do != nil {
			do()
			continue
		}
		l.throughPointer(n, all[i].fn, []value{all[i].arg})
	}
	l.ending--
	l.cleanups = all
}

// kept is v as it is now.
func (l *lowerer) kept(v value) value {
	if _, ok := v.e.(program.Const); ok {
		return v
	}
	r := l.temp(v.t)
	l.assign(r, v.e)
	return value{t: v.t, e: program.Reg(r)}
}

// changes makes a register v, which is 0 or 1, and tells what it was; for anything else it fails.
func (l *lowerer) changes(n cc.Node, v value, old cc.ExpressionNode, reg int) value {
	put, r := l.outcome(n, old, types.Int), l.temp(types.Int)
	good, bad, end := l.node(), l.node(), l.node()
	l.split(flowgraph.Between(v.e, 0, 1), good, bad)
	l.cur = bad
	l.assign(r, program.Const(einval))
	l.jump(end)
	l.cur = good
	put(value{t: types.Int, e: program.Reg(reg)})
	l.assign(reg, v.e)
	l.assign(r, program.Const(0))
	l.land(end)
	return value{t: types.Int, e: program.Reg(r)}
}

// cancelBuiltins are the functions that this file knows.
func cancelBuiltins() map[string]builtin {
	return map[string]builtin{
		"__fp_cleanup_push": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			f, arg := l.expr(args[0]), l.convert(l.expr(args[1]), types.VoidPointer)
			l.at(n)
			if f.t.Kind != types.PointerKind || f.t.Elem.Kind != types.FunctionKind {
				l.u.fail(n, "", "%s cannot be called", f.t.Name)
			}
			if l.dryness == 0 {
				l.cleanups = append(l.cleanups[:len(l.cleanups):len(l.cleanups)], cleanup{fn: l.kept(f), arg: l.kept(arg)})
			}
			return nothing
		}},
		"__fp_cleanup_pop": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			v := l.expr(args[0])
			l.at(n)
			if l.dryness > 0 || len(l.cleanups) == 0 {
				return nothing
			}
			last := l.cleanups[len(l.cleanups)-1]
			l.cleanups = l.cleanups[:len(l.cleanups)-1]
			call, end := l.node(), l.node()
			l.split(l.truth(args[0], v), call, end)
			l.cur = call
			l.throughPointer(n, last.fn, []value{last.arg})
			l.land(end)
			return nothing
		}},
		"pthread_cancel": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			id := l.needs(n, args[0])
			l.emit(atomicOp("cancel", l.storeOp(l.u.cancelled(id.e), program.Const(1), release)))
			return number(types.Int, 0)
		}},
		"pthread_testcancel": ignore(types.Void, 0),
		// No signal comes that another process sends: who waits for one can only be cancelled.
		"pause": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if l.u.names("signal", "sigaction", "alarm", "setitimer") {
				l.u.refuse(n, "the function pause in a program with functions for signals")
			}
			l.at(n)
			l.waitsCancelled(n, nil)
			l.emit(checkOp(program.Const(0)))
			return number(types.Int, -1)
		}},
		// What pthread_cleanup_push and pthread_cleanup_pop are in the headers of GNU: what is to be called, and with what, stands in
		// variables beside the one that these are given.
		"__sigsetjmp_cancel": ignore(types.Int, 0), "__pthread_unwind_next": ignore(types.Void, 0),
		"__pthread_register_cancel": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			beside := func(name string) value {
				if x := addressed(args[0]); x != nil && identifier(x) != nil {
					for _, v := range identifier(x).LexicalScope().Nodes[name] {
						if d, ok := v.(*cc.Declarator); ok {
							return l.load(l.variable(n, d))
						}
					}
				}
				l.u.refuse(n, "__pthread_register_cancel by itself")
				panic("unreachable")
			}
			f, arg := beside("__cancel_routine"), beside("__cancel_arg")
			l.at(n)
			if l.dryness == 0 {
				l.cleanups = append(l.cleanups[:len(l.cleanups):len(l.cleanups)], cleanup{fn: l.kept(f), arg: l.kept(arg)})
			}
			return nothing
		}},
		"__pthread_unregister_cancel": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if l.dryness == 0 && len(l.cleanups) > 0 {
				l.cleanups = l.cleanups[:len(l.cleanups)-1]
			}
			return nothing
		}},
		"pthread_setcancelstate": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			v := l.kept(l.convert(l.expr(args[0]), types.Int))
			if l.dryness > 0 {
				l.emitted = true
				return number(types.Int, 0)
			}
			state := l.cancelStateNow()
			return l.changes(n, v, args[1], int(state.(program.Reg)))
		}},
		"pthread_setcanceltype": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			v := l.kept(l.convert(l.expr(args[0]), types.Int))
			if l.dryness > 0 {
				l.emitted = true
				return number(types.Int, 0)
			}
			if k, known := v.e.(program.Const); (!known || k == 1) && l.u.cancels() {
				l.u.refuse(n, "cancellation at any moment")
			}
			if l.cancelType == 0 {
				l.cancelType = l.register("cancel type", program.Int32Type, true) + 1
			}
			return l.changes(n, v, args[1], l.cancelType-1)
		}},
	}
}
