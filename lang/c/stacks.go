package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// How large the stack of a thread is makes no difference to us. But who asks for it when it has been set gets what was set; before that it is anything.

// keepsStackSize is true of programs that set it and ask for it.
func (u *unit) keepsStackSize() bool {
	return u.names("pthread_attr_setstacksize") && u.names("pthread_attr_getstacksize")
}

// anyStack is what attributes begin with.
func (l *lowerer) anyStack(n cc.Node, p place) {
	if l.u.keepsStackSize() {
		size := l.mutexMember(n, p, "__stack")
		l.store(size, l.choice(size.t.Plain()))
	}
}

func setStackSize(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p, k := l.libraryTarget(n, args[0]), l.kept(l.expr(args[1]))
	l.at(n)
	l.touches(p)
	r := number(types.Int, 0)
	if !l.u.takesAttribute(called(n), args) {
		r = l.kept(l.havoc(types.Int, 0, largestErrno))
	}
	if l.u.keepsStackSize() {
		taken, end := l.node(), l.node()
		l.split(eq(r.e, program.Const(0)), taken, end)
		l.cur = taken
		size := l.mutexMember(n, p, "__stack")
		l.store(size, l.convert(k, size.t.Plain()))
		l.land(end)
	}
	return r
}

func getStackSize(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	if !l.u.keepsStackSize() || l.u.names("pthread_attr_setstack") {
		return l.attributeOf(n, "pthread_attr_setstacksize", args)
	}
	p := l.libraryTarget(n, args[0])
	l.at(n)
	v := l.load(l.mutexMember(n, p, "__stack"))
	to := l.target(args[1])
	l.at(n)
	l.store(to, l.convert(v, to.t.Plain()))
	return number(types.Int, 0)
}
