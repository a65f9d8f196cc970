package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Time does not pass: a sleep is nothing, and a wait with a limit may come to its end at any time. All that there is to say of a time is
// whether it is one.

// badTime is not 0 where an argument points to a time that is none: its nanoseconds are a second or more, or fewer than 0, or, where it
// says how long something takes, its seconds are fewer than 0.
func (l *lowerer) badTime(n *cc.PostfixExpression, arg cc.ExpressionNode, length bool) program.Expr {
	if l.null(arg) {
		l.at(n)
		l.assert(program.Const(0), "%s of a time that is nowhere", called(n))
		return program.Const(0)
	}
	p := l.libraryTarget(n, arg)
	l.at(n)
	return l.badTimeAt(n, p, length)
}

// namesTime is true of a structure that is a time.
func (l *lowerer) namesTime(t *types.Type) bool {
	return t.Aggregate() && t.Find("tv_sec") != nil && t.Find("tv_nsec") != nil
}

// badTimeAt is [lowerer.badTime] of the time at a place.
func (l *lowerer) badTimeAt(n cc.Node, p place, length bool) program.Expr {
	if !l.namesTime(p.t) {
		return program.Const(0)
	}
	const second = 1_000_000_000
	ns := l.convert(l.load(l.selectMember(n, p, "tv_nsec")), types.Long)
	s := l.convert(l.load(l.selectMember(n, p, "tv_sec")), types.Long)
	bad := bin(program.ULe, program.Const(second), ns.e)
	if length {
		bad = bin(program.LogicalOr, bad, bin(program.Lt, s.e, program.Const(0)))
	}
	return flowgraph.Fold(bad)
}

// sleeps is a sleep, which the argument which says the length of; it gives bad where that is no time, and 0 else.
func sleeps(which int, bad, errno int64) builtin {
	return builtin{which + 2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args[:which])
		is := l.badTime(n, args[which], true)
		evaluateAll(l, args[which+1:])
		if l.idle == n && !(errno != 0 && l.u.usesErrno()) {
			return number(types.Int, 0)
		}
		l.at(n)
		r := l.temp(types.Int)
		yes, no, end := l.node(), l.node(), l.node()
		l.split(is, yes, no)
		l.cur = yes
		l.assign(r, program.Const(bad))
		if errno != 0 {
			l.setErrno(program.Const(errno))
		}
		l.jump(end)
		l.cur = no
		l.assign(r, program.Const(0))
		l.land(end)
		return value{t: types.Int, e: program.Reg(r)}
	}}
}

// limited is a wait with a limit, which an argument says. Where that is no time the wait gives bad in the place of over: that it has
// lasted too long; or may give it at once, where it is said to be eager.
func limited(which int, over, bad int64, eager bool, wait func(*lowerer, *cc.PostfixExpression, []cc.ExpressionNode) value) builtin {
	return builtin{which + 1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args[1:which])
		wrong := l.badTime(n, args[which], false)
		if l.idle == n && !eager {
			return wait(l, n, args)
		}
		r := l.temp(types.Int)
		late, no, end := l.node(), l.node(), l.node()
		if eager {
			l.mayBeRefused(wrong, no)
		}
		v := wait(l, n, args)
		l.assign(r, v.e)
		l.split(eq(v.e, program.Const(over)), late, end)
		l.cur = late
		l.split(wrong, no, end) // alone, so that it can be seen that nothing else is asked of a time
		l.cur = no
		l.assign(r, program.Const(bad))
		l.land(end)
		return value{t: types.Int, e: program.Reg(r)}
	}}
}

// mayBeRefused goes to a node, where a time is wrong, or goes on: whether a time is looked at before there is something to wait for, or only then, is free.
func (l *lowerer) mayBeRefused(wrong program.Expr, to int) {
	bad, on := l.node(), l.node()
	l.split(wrong, bad, on)
	l.cur = bad
	l.split(l.havoc(types.Bool, 0, 1).e, to, on)
	l.cur = on
}

// What clocks can be used for, by their numbers.
type clocks func(id int64) (errno int64)

// waitingBy is by CLOCK_REALTIME and CLOCK_MONOTONIC.
func waitingBy(id int64) int64 {
	if id == 0 || id == 1 {
		return 0
	}
	return einval
}

// sleepingBy is by those that are no clock of a thread, and no rough one.
func sleepingBy(id int64) int64 {
	switch {
	case id >= 4 && id <= 6:
		return 95 // ENOTSUP
	case id == 3:
		return einval
	}
	return readingOf(id)
}

// readingOf is of all that there are.
func readingOf(id int64) int64 {
	if id >= 0 && id <= 9 || id == 11 {
		return 0
	}
	return einval
}

// onClock is a function that an argument tells which clock it goes by: it fails where that is not for it.
func onClock(which int, of clocks, b builtin) builtin {
	return builtin{b.args, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		fail := func(errno int64) value {
			if strings.HasPrefix(called(n), "pthread_") || called(n) == "clock_nanosleep" {
				return number(types.Int, errno)
			}
			l.setErrno(program.Const(errno))
			return number(types.Int, -1)
		}
		if _, known := l.u.constantMaybe(args[which]); !known && !hasEffects(args[which]) {
			id := l.kept(l.convert(l.expr(args[which]), types.Int))
			r := l.temp(types.Int)
			end := l.node()
			way := func(is program.Expr, do func() value) {
				yes, no := l.node(), l.node()
				l.split(is, yes, no)
				l.cur = yes
				l.assign(r, do().e)
				l.jump(end)
				l.cur = no
			}
			for k := range int64(mostClocks) {
				if errno := of(k); errno != einval {
					way(eq(id.e, program.Const(k)), func() value {
						if errno != 0 {
							evaluateAll(l, args)
							return fail(errno)
						}
						return b.do(l, n, args)
					})
				}
			}
			evaluateAll(l, args)
			l.assign(r, fail(einval).e)
			l.land(end)
			return value{t: types.Int, e: program.Reg(r)}
		}
		errno := of(l.u.constantIn(args[which], "a clock"))
		if errno == 0 {
			return b.do(l, n, args)
		}
		evaluateAll(l, args)
		l.at(n)
		return fail(errno)
	}}
}

// mostClocks is more than the number of any clock.
const mostClocks = 12

// constantIn is what an argument says that has to be constant, but for what it does beside.
func (u *unit) constantIn(arg cc.ExpressionNode, what string) int64 {
	value := unwrap(arg)
	for list, ok := value.(*cc.ExpressionList); ok; list, ok = value.(*cc.ExpressionList) {
		for list.ExpressionList != nil {
			list = list.ExpressionList
		}
		value = unwrap(list.AssignmentExpression)
	}
	k, ok := u.constantMaybe(value)
	if !ok {
		u.refuse(arg, what+" that is not constant")
	}
	return k
}

// timeBuiltins are the functions that sleep.
func timeBuiltins() map[string]builtin {
	return map[string]builtin{
		"nanosleep": sleeps(0, -1, einval), "clock_nanosleep": onClock(0, sleepingBy, sleeps(2, einval, 0)), "thrd_sleep": sleeps(0, -2, 0),
	}
}
