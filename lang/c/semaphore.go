package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// semaphoreBuiltins are the functions on semaphores.
func semaphoreBuiltins() map[string]builtin {
	wait := func(l *lowerer, n *cc.PostfixExpression, p place) {
		count := l.mutexMember(n, p, "__count")
		c := l.temp(intType)
		l.waitsCancelled(n)
		l.emit(atomicOp("wait", l.loadOp(count, c, acquire), checkOp(ne(program.Reg(c), program.Const(0))),
			l.storeOp(count, plus(program.Reg(c), -1), acquire)))
	}
	// maybe is a wait that comes to nothing where the count is 0, or at any time.
	maybe := func(anyTime bool) builtin {
		return builtin{^1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.libraryTarget(n, args[0])
			l.at(n)
			count := l.mutexMember(n, p, "__count")
			c, r := l.temp(intType), l.temp(intType)
			set := func(k int64) program.Command {
				return program.Command{Op: program.Assign, Reg: r, Value: program.Const(k)}
			}
			fails := []program.Command{l.loadOp(count, c, relaxed)}
			if !anyTime {
				fails = append(fails, checkOp(eq(program.Reg(c), program.Const(0))))
			}
			end := l.node()
			l.edge(l.cur, end, atomicOp("wait", l.loadOp(count, c, acquire), checkOp(ne(program.Reg(c), program.Const(0))),
				l.storeOp(count, plus(program.Reg(c), -1), acquire), set(0)))
			l.edge(l.cur, end, atomicOp("trywait", append(fails, set(-1))...))
			l.cur = end
			return value{t: intType, e: program.Reg(r)}
		}}
	}
	return map[string]builtin{
		"sem_init": onPlace(3, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			l.effect(args[1])
			l.storeAs(l.mutexMember(n, p, "__count"), l.convert(l.expr(args[2]), intType), plain)
		}),
		"sem_destroy": onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {}),
		"sem_wait": onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			wait(l, n, p)
		}),
		"sem_trywait": maybe(false), "sem_timedwait": maybe(true), "sem_clockwait": maybe(true),
		"sem_post": onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			count := l.mutexMember(n, p, "__count")
			c := l.temp(intType)
			l.emit(atomicOp("post", l.loadOp(count, c, acqRel), l.storeOp(count, plus(program.Reg(c), 1), acqRel)))
		}),
		"sem_getvalue": onPlace(2, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			to := l.target(args[1])
			v := l.loadAs(l.mutexMember(n, p, "__count"), relaxed)
			l.store(to, l.convert(v, to.t.plain()))
		}),
	}
}
