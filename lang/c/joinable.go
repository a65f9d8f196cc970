package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Somebody waits for a thread once, or detaches it, and nobody may do anything with it then: see package operations (joinable.go there).

// needs is the thread that an argument names, which must be there.
func (l *lowerer) needs(n cc.Node, arg cc.ExpressionNode) value {
	id := l.convert(l.expr(arg), types.UnsignedLong)
	l.at(n)
	if l.emitted = true; l.dryness == 0 {
		l.operate(&flowgraph.Exists{ID: id.e, Alive: true})
	}
	return id
}

// setsDetached is whether the program makes threads that are detached from the beginning.
func (u *unit) setsDetached() bool { return u.names("pthread_attr_setdetachstate") }

// detached is whether a thread with these attributes is detached from the beginning; nil: it is not.
func (l *lowerer) detached(n cc.Node, attributes cc.ExpressionNode) program.Expr {
	if l.null(attributes) {
		return nil
	}
	if l.typeOf(attributes).Integer() {
		l.u.fail(attributes, "0 or NULL is for none", "the attributes of a thread are given by a pointer")
	}
	v := l.libraryPointer(n, attributes)
	l.at(n)
	if !l.u.setsDetached() || v.t.Kind != types.PointerKind || v.t.Elem.Find("__detached") == nil || l.dryness > 0 {
		return nil
	}
	is := l.temp(types.Bool)
	l.assign(is, program.Const(0))
	given, end := l.node(), l.node()
	l.split(ne(v.e, program.Const(0)), given, end)
	l.cur = given
	l.assign(is, ne(l.load(l.selectMember(n, l.pointee(v), "__detached")).e, program.Const(0)))
	l.land(end)
	return program.Reg(is)
}

// setOneOf is a function that sets a member of what its first argument points to: to a number from 0 to most, and it fails for others.
func setOneOf(member string, most int64) builtin {
	return builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p, k := l.libraryTarget(n, args[0]), l.kept(l.convert(l.expr(args[1]), types.Int))
		l.at(n)
		r := l.temp(types.Int)
		good, bad, end := l.node(), l.node(), l.node()
		l.split(flowgraph.Fold(bin(program.ULe, k.e, program.Const(most))), good, bad)
		l.cur = bad
		l.assign(r, program.Const(einval))
		l.jump(end)
		l.cur = good
		m := l.mutexMember(n, p, member)
		l.store(m, l.convert(k, m.t.Plain()))
		l.assign(r, program.Const(0))
		l.land(end)
		return value{t: types.Int, e: program.Reg(r)}
	}}
}

// detachBuiltins are the functions that this file knows.
func detachBuiltins() map[string]builtin {
	detach := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		id := l.convert(l.expr(args[0]), types.UnsignedLong)
		l.at(n)
		if l.emitted = true; l.dryness == 0 {
			l.operate(&flowgraph.Exists{ID: id.e})
			l.operate(&flowgraph.Detach{ID: id.e})
		}
		return number(types.Int, 0)
	}}
	return map[string]builtin{
		"pthread_detach": detach, "thrd_detach": detach,
		"pthread_attr_init": onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			if l.u.setsDetached() {
				l.zeroPlace(p)
			}
			l.touches(p)
			l.anyStack(n, p)
		}),
		"pthread_attr_setstacksize":   {2, setStackSize},
		"pthread_attr_getstacksize":   {2, getStackSize},
		"pthread_attr_setdetachstate": setOneOf("__detached", 1),
		"pthread_attr_getdetachstate": onPlace(2, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			state := number(types.Int, 0) // joinable
			if l.u.setsDetached() {
				state = l.load(l.mutexMember(n, p, "__detached"))
			}
			to := l.target(args[1])
			l.at(n)
			l.store(to, l.convert(state, to.t.Plain()))
		}),
	}
}
