package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Time does not pass: a sleep is nothing, and a wait with a limit may come to its end at any time. All that there is to say of a time is
// whether it is one.

// badTime is not 0 where an argument points to a time that is none: its nanoseconds are a second or more, or fewer than 0, or, where it
// says how long something takes, its seconds are fewer than 0.
func (l *lowerer) badTime(n cc.Node, arg cc.ExpressionNode, length bool) program.Expr {
	if l.null(arg) {
		return program.Const(0)
	}
	p := l.target(arg)
	l.at(n)
	if !p.t.aggregate() || p.t.find("tv_sec") == nil || p.t.find("tv_nsec") == nil {
		return program.Const(0)
	}
	const second = 1_000_000_000
	ns := l.convert(l.load(l.selectMember(n, p, "tv_nsec")), longType)
	bad := bin(program.ULe, program.Const(second), ns.e)
	if length {
		s := l.convert(l.load(l.selectMember(n, p, "tv_sec")), longType)
		bad = bin(program.LogicalOr, bad, bin(program.Lt, s.e, program.Const(0)))
	}
	return flowgraph.Fold(bad)
}

// sleeps is a sleep, which the argument which says the length of; it gives bad where that is no time, and 0 else.
func sleeps(which int, bad, errno int64) builtin {
	return builtin{which + 2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args[:which])
		if l.idle == n && !(errno != 0 && l.u.usesErrno()) {
			evaluateAll(l, args[which:])
			return number(intType, 0)
		}
		is := l.badTime(n, args[which], true)
		evaluateAll(l, args[which+1:])
		l.at(n)
		r := l.temp(intType)
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
		return value{t: intType, e: program.Reg(r)}
	}}
}

// limited is a wait with a limit, which an argument says. Where that is no time the wait gives bad in the place of over: that it has
// lasted too long.
func limited(which int, over, bad int64, wait func(*lowerer, *cc.PostfixExpression, []cc.ExpressionNode) value) builtin {
	return builtin{which + 1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args[1:which])
		if l.idle == n {
			l.effect(args[which])
			return wait(l, n, args)
		}
		wrong := l.badTime(n, args[which], false)
		v := wait(l, n, args)
		r := l.temp(intType)
		l.assign(r, v.e)
		late, no, end := l.node(), l.node(), l.node()
		l.split(eq(v.e, program.Const(over)), late, end)
		l.cur = late
		l.split(wrong, no, end) // alone, so that it can be seen that nothing else is asked of a time
		l.cur = no
		l.assign(r, program.Const(bad))
		l.land(end)
		return value{t: intType, e: program.Reg(r)}
	}}
}

// timeBuiltins are the functions that sleep.
func timeBuiltins() map[string]builtin {
	return map[string]builtin{
		"nanosleep": sleeps(0, -1, einval), "clock_nanosleep": sleeps(2, einval, 0), "thrd_sleep": sleeps(0, -2, 0),
	}
}
