package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Condition variables. A wait may end by itself (POSIX, pthread_cond_wait), so where runs are looked at for what fails nothing need be known of who
// waits: to wait is to give the mutex back and to take it again. It is known where runs are looked at for who waits for ever, since nobody counts on it there that
// a wait ends by itself; and where it may be wrong that somebody waits (waiting.go). Then the cell of the condition has a bit for each thread
// that waits. A signal clears one, and wakes that thread by a cell of its own: a condition may be destroyed, and its memory used for
// something else, when those who wait have been woken and have yet to notice.

// A waitOp is a step of a thread that waits for a condition.
type waitOp struct {
	flowgraph.None
	cond   program.Expr
	mutex  program.Expr
	thread int
	step   waitStep
}

type waitStep int

const (
	begins  waitStep = iota
	isWoken          // it can be taken when a signal has come
	leaves           // it can be taken as long as none has
)

// Operands implements [flowgraph.Op].
func (op *waitOp) Operands() []program.Expr { return []program.Expr{op.cond, op.mutex} }

// With implements [flowgraph.Op].
func (op *waitOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &waitOp{cond: x[0], mutex: x[1], thread: op.thread, step: op.step}
}

// A signalOp wakes a thread that waits for a condition, or at a futex, or all of them.
type signalOp struct {
	flowgraph.None
	cond  program.Expr
	all   bool
	futex bool
	count int64 // of a futex: how many, where that is not all
}

// Operands implements [flowgraph.Op].
func (op *signalOp) Operands() []program.Expr { return []program.Expr{op.cond} }

// With implements [flowgraph.Op].
func (op *signalOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &signalOp{cond: x[0], all: op.all, futex: op.futex, count: op.count}
}

var conditionDestroyers = []string{"pthread_cond_destroy", "cnd_destroy"}

// waitFor waits for the condition c with the mutex m; timed is whether it has a limit.
func (l *lowerer) waitFor(n cc.Node, c, m place, timed bool) {
	l.waitsWith(n, m)
	l.usesCondition(n, c)
	waiting, end := l.mutexMember(n, c, "__waiting"), l.node()
	step := func(from int, step waitStep, to int) {
		op := &waitOp{cond: waiting.addr, mutex: program.Const(0), thread: l.thread, step: step}
		if step == begins {
			op.mutex = m.addr
		}
		l.operateTo(from, to, op)
	}
	from := l.cur
	if l.dryness == 0 {
		// A signal that comes before the mutex is given back might as well come after that, since nobody else can do anything with the
		// mutex in between.
		l.cur = l.node()
		step(from, begins, l.cur)
		l.unlockPlace(n, m)
		step(l.cur, isWoken, end)
		if timed || !l.u.opts.Signals {
			step(l.cur, leaves, end)
		}
		if stays := l.cur; l.u.opts.Signals && l.mayBeCancelled() { // where a signal has come for it, that is what ends the wait: nobody else has it then
			asked, dies := l.node(), l.node()
			l.edge(stays, asked, l.isCancelled())
			step(asked, isWoken, end)
			step(asked, leaves, dies)
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

// woken is the cell of a thread that says that a signal has come for it.
func (l *writing) woken(thread int) cell {
	return cellIn(l.u.helper("woken", types.ArrayOf(types.Bool, maxThreads)), types.Bool, thread)
}

// waitEdges writes what a step does between two nodes, now that it is known whether it matters who waits.
func (u *operated) waitEdges(g *flowgraph.Graph, op *waitOp, from, to int, pos program.Position) {
	l := &writing{u, g}
	waiting, bit := cell{t: types.Int, addr: op.cond}, program.Const(u.lowered.Waits[op.thread])
	add := func(c program.Command) { g.Add(from, to, c, pos) }
	switch {
	case !u.lowered.WaitsKnown && op.step == isWoken:
		add(checkOp(program.Const(0)))
		return
	case !u.lowered.WaitsKnown && op.step == begins:
		add(l.touch(waiting))
		return
	case !u.lowered.WaitsKnown:
		add(program.Skip())
		return
	case op.step == begins:
		u.beginEdges(g, op, from, to, pos)
		return
	}
	r, woken := l.temp(types.Bool), l.woken(op.thread)
	if op.step == isWoken {
		add(atomicOp("wait", l.loadOp(woken, r, relaxed), checkOp(ne(program.Reg(r), program.Const(0))), l.storeOp(woken, program.Const(0), relaxed)))
		return
	}
	w := l.temp(types.Int)
	load, store := l.loadOp(waiting, w, relaxed), l.storeOp(waiting, bin(program.BitAnd, program.Reg(w), ^bit), relaxed)
	load.Tags, store.Tags = load.Tags.With(lowered.CarefulTag), store.Tags.With(lowered.CarefulTag) // who still waits may look at the condition
	is := bin(program.LogicalAnd, ne(bin(program.BitAnd, program.Reg(w), bit), program.Const(0)), ne(program.Reg(w), program.Const(lowered.Destroyed)))
	body := []program.Command{load, checkOp(is), store}
	if !u.lowered.Options.NoBlocks {
		body = append([]program.Command{l.loadOp(woken, r, relaxed), checkOp(eq(program.Reg(r), program.Const(0)))}, body...)
	}
	add(atomicOp("wait", body...))
}

// signalEdges writes what a signal does between two nodes, now that all threads are known. To clear the bit and to wake the
// thread is one step, where the models have words for that.
func (u *operated) signalEdges(g *flowgraph.Graph, op *signalOp, from, to int, pos program.Position) {
	if op.futex {
		u.wakeEdges(g, op, from, to, pos)
		return
	}
	l := &writing{u, g}
	waiting := cell{t: types.Int, addr: op.cond}
	if len(u.lowered.Waits) == 0 || !u.lowered.WaitsKnown {
		g.Add(from, to, l.touch(waiting), pos)
		return
	}
	w := l.temp(types.Int)
	load := l.loadOp(waiting, w, relaxed)
	is := func(thread int) program.Expr {
		return ne(bin(program.BitAnd, program.Reg(w), program.Const(u.lowered.Waits[thread])), program.Const(0))
	}
	if op.all {
		body := []program.Command{load, l.storeOp(waiting, program.Const(0), relaxed)}
		if u.lowered.Options.NoBlocks {
			next := g.Node(pos)
			g.Add(from, next, atomicOp("broadcast", body...), pos)
			from = next
		}
		for thread := range u.lowered.Threads {
			if u.lowered.Waits[thread] == 0 {
				continue
			}
			if u.lowered.Options.NoBlocks {
				yes, next := g.Node(pos), g.Node(pos)
				g.Add(from, yes, checkOp(is(thread)), pos)
				g.Add(yes, next, l.storeOp(l.woken(thread), program.Const(1), relaxed), pos)
				g.Add(from, next, checkOp(program.NotExpr(is(thread))), pos)
				from = next
				continue
			}
			r := l.temp(types.Bool)
			body = append(body, l.loadOp(l.woken(thread), r, relaxed), l.storeOp(l.woken(thread), bin(program.BitOr, program.Reg(r), is(thread)), relaxed))
		}
		if u.lowered.Options.NoBlocks {
			g.Add(from, to, program.Skip(), pos)
		} else {
			g.Add(from, to, atomicOp("broadcast", body...), pos)
		}
		return
	}
	for thread := range u.lowered.Threads {
		if u.lowered.Waits[thread] == 0 {
			continue
		}
		clear := []program.Command{load, checkOp(is(thread)), l.storeOp(waiting, bin(program.BitAnd, program.Reg(w), program.Const(^u.lowered.Waits[thread])), relaxed)}
		wake := l.storeOp(l.woken(thread), program.Const(1), relaxed)
		if u.lowered.Options.NoBlocks {
			next := g.Node(pos)
			g.Add(from, next, atomicOp("signal", clear...), pos)
			g.Add(next, to, wake, pos)
		} else {
			g.Add(from, to, atomicOp("signal", append(clear, wake)...), pos)
		}
	}
	g.Add(from, to, atomicOp("signal", load, checkOp(eq(program.Reg(w), program.Const(0)))), pos)
}

// initialisesCondition is before c is initialised.
func (l *lowerer) initialisesCondition(n cc.Node, c place) {
	if l.u.names("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait") {
		l.operate(&initOp{cond: l.mutexMember(n, c, "__waiting").addr})
	}
}

// destroyCondition is for conditions.
func (l *lowerer) destroyCondition(n *cc.PostfixExpression, c place) {
	l.makeDestroyed(aCondition, allZero, l.mutexMember(n, c, "__waiting"))
}

const aCondition = "a condition"

// usesCondition is where one is waited for or signalled.
func (l *lowerer) usesCondition(n cc.Node, c place) {
	waiting := l.mutexMember(n, c, "__waiting")
	l.initialised(waiting)
	l.uses(l.cur, aCondition, waiting, conditionDestroyers...)
}

// condvarBuiltins are the functions that this file knows.
func condvarBuiltins() map[string]builtin {
	signal := func(all bool) builtin {
		return onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			l.usesCondition(n, p)
			l.operate(&signalOp{cond: p.addr, all: all})
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
