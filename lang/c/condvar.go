package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Condition variables. A wait may end by itself (POSIX, pthread_cond_wait), so where runs are looked at for what fails nothing need be known of who
// waits: to wait is to give the mutex back and to take it again. It is known where runs are looked at for who waits for ever, since nobody counts on it there that
// a wait ends by itself; and where it may be wrong that somebody waits (waiting.go). Then the cell of the condition has a bit for each thread
// that waits. A signal clears one, and wakes that thread by a cell of its own: a condition may be destroyed, and its memory used for
// something else, when those who wait have been woken and have yet to notice.

var conditionDestroyers = []string{"pthread_cond_destroy", "cnd_destroy"}

// waitFor waits for the condition c with the mutex m; timed is whether it has a limit.
func (l *lowerer) waitFor(n cc.Node, c, m place, timed bool) {
	l.waitsWith(n, m)
	l.usesCondition(n, c)
	waiting, end := l.mutexMember(n, c, "__waiting"), l.node()
	step := func(from int, step operations.Step, to int) {
		op := &operations.Wait{Cond: waiting.addr, Mutex: program.Const(0), Thread: l.thread, Step: step}
		if step == operations.Begins {
			op.Mutex = m.addr
		}
		l.operateTo(from, to, op)
	}
	from := l.cur
	if l.dryness == 0 {
		// A signal that comes before the mutex is given back might as well come after that, since nobody else can do anything with the
		// mutex in between.
		l.cur = l.node()
		step(from, operations.Begins, l.cur)
		l.unlockPlace(n, m)
		step(l.cur, operations.IsWoken, end)
		if timed || !l.u.opts.Signals {
			step(l.cur, operations.Leaves, end)
		}
		if stays := l.cur; l.u.opts.Signals && l.mayBeCancelled() { // where a signal has come for it, that is what ends the wait: nobody else has it then
			asked, dies := l.node(), l.node()
			l.edge(stays, asked, l.isCancelled())
			step(asked, operations.IsWoken, end)
			step(asked, operations.Leaves, dies)
			l.cur = dies
			l.lockPlace(n, m)
			l.dieCancelled(n)
		}
	}
	if l.u.opts.Signals || l.dryness > 0 {
		l.cur = from
		l.unlockPlace(n, m)
		l.jump(end)
	}
	l.cur = end
	l.lockPlace(n, m)
}

// touch is what a step does with a condition where it makes no difference who waits, or with attributes: there have to be some.
func (l *lowerer) touch(p place) program.Command {
	if l.u.lowered.Lasts(p.addr) {
		return program.Skip()
	}
	c := l.loadOp(p, l.temp(p.t), relaxed)
	c.Tags = c.Tags.With(lowered.TouchTag)
	return c
}

// initialisesCondition is before c is initialised.
func (l *lowerer) initialisesCondition(n cc.Node, c place) {
	if l.u.names("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait") {
		l.operate(&operations.Init{Cond: l.mutexMember(n, c, "__waiting").addr})
	}
}

// destroyCondition is for conditions.
func (l *lowerer) destroyCondition(n *cc.PostfixExpression, c place) {
	l.makeDestroyed(operations.ACondition, allZero, l.mutexMember(n, c, "__waiting"))
}

// usesCondition is where one is waited for or signalled.
func (l *lowerer) usesCondition(n cc.Node, c place) {
	waiting := l.mutexMember(n, c, "__waiting")
	l.initialised(waiting)
	l.uses(l.cur, operations.ACondition, waiting, conditionDestroyers...)
}

// condvarBuiltins are the functions that this file knows.
func condvarBuiltins() map[string]builtin {
	signal := func(all bool) builtin {
		return onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			l.usesCondition(n, p)
			l.operate(&operations.Signal{Cond: p.addr, All: all})
		})
	}
	wait := builtin{^2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		c, m := l.libraryTarget(n, args[0]), l.libraryTarget(n, args[1])
		l.at(n)
		l.waitFor(n, c, m, false)
		if !l.u.opts.Signals {
			l.cancellationPoint(n, false) // it may have been signalled before
		}
		return number(types.Int, 0)
	}}
	// Nobody waits for a time that is none.
	timedWait := func(which int, timedOut, bad int64) builtin {
		return builtin{which + 1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			c, m := l.libraryTarget(n, args[0]), l.libraryTarget(n, args[1])
			evaluateAll(l, args[2:which])
			wrong := l.badTime(n, args[which], false)
			l.at(n)
			r := l.temp(types.Int)
			never, some, end := l.node(), l.node(), l.node()
			l.split(wrong, never, some)
			l.cur = never
			l.assign(r, program.Const(bad))
			l.jump(end)
			l.cur = some
			l.waitFor(n, c, m, true)
			l.cancellationPoint(n, false) // it may have been signalled before
			late := l.havoc(types.Bool, 0, 1)
			l.assign(r, flowgraph.Fold(bin(program.Mul, late.e, program.Const(timedOut))))
			l.land(end)
			return value{t: types.Int, e: program.Reg(r)}
		}}
	}
	destroy := onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) { l.destroyCondition(n, p) })
	return map[string]builtin{
		"pthread_cond_destroy": destroy,
		"cnd_destroy": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			destroy.do(l, n, args)
			return nothing
		}},
		"pthread_cond_wait": wait, "cnd_wait": wait,
		"pthread_cond_timedwait": timedWait(2, etimedout, einval), "cnd_timedwait": timedWait(2, thrdTimedout, thrdError),
		"pthread_cond_clockwait": onClock(2, waitingBy, timedWait(3, etimedout, einval)),
		"pthread_cond_signal":    signal(false), "pthread_cond_broadcast": signal(true), "cnd_signal": signal(false), "cnd_broadcast": signal(true),
	}
}
