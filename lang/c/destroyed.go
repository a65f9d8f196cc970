package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// Nobody may take a mutex that has been destroyed, and nobody may destroy one that is held (POSIX, pthread_mutex_destroy). In
// most programs main destroys its mutexes when everything is over, and nothing is there to check: so it costs nothing
// unless a mutex is destroyed somewhere else, or before main has to do with threads and mutexes again.

// destroyed is the owner of a mutex that has been destroyed.
const destroyed = -1

// destroysMutexes is whether a mutex may be destroyed before all is over.
func (u *unit) destroysMutexes() bool {
	if u.destruction == nil {
		early := u.findDestruction()
		u.destruction = &early
	}
	return *u.destruction
}

func (u *unit) findDestruction() bool {
	early := false
	for name, f := range u.defined {
		gone := false
		walk(f.CompoundStatement, func(n cc.Node) bool {
			if call, ok := n.(*cc.PostfixExpression); ok && call.Case == cc.PostfixExpressionCall {
				switch called(call) {
				case "pthread_mutex_destroy", "pthread_spin_destroy", "mtx_destroy":
					gone = true
					early = early || name != "main"
				case "pthread_create", "pthread_join", "pthread_mutex_lock", "pthread_mutex_trylock", "pthread_mutex_timedlock",
					"pthread_spin_lock", "pthread_spin_trylock", "thrd_create", "thrd_join", "mtx_lock", "mtx_trylock", "mtx_timedlock":
					early = early || gone
				}
			}
			return !early
		})
	}
	return early
}

// destroyMutex makes a mutex one that nobody may take.
func (l *lowerer) destroyMutex(n cc.Node, m place) {
	owner := l.mutexMember(n, m, "__owner")
	old := l.temp(owner.t)
	l.emit(atomicOp("destroy", l.loadOp(owner, old, relaxed),
		program.Command{Op: program.Assert, Value: eq(program.Reg(old), program.Const(0)), Text: "a mutex is destroyed that is held, or has been destroyed"},
		l.storeOp(owner, program.Const(destroyed), relaxed)))
}

// afterDestruction adds, to where a mutex is taken, that it must not have been destroyed.
func (l *lowerer) afterDestruction(from int, owner place) {
	old := l.temp(owner.t)
	l.edge(from, l.node(), atomicOp("lock", l.loadOp(owner, old, relaxed), checkOp(eq(program.Reg(old), program.Const(destroyed))),
		program.Command{Op: program.Assert, Value: program.Const(0), Text: "a mutex is taken that has been destroyed"}))
}
