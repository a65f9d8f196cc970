package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/program"
)

// Nobody may use a mutex, or what else threads wait by, that has been destroyed, and nobody may destroy one that is held (POSIX,
// pthread_mutex_destroy and its kin). Who destroys one looks whether it is free. That it has been destroyed is noted in it, and who
// uses it looks at that, only where the graphs do not show that nobody uses it any more: in most programs main destroys everything
// when it has waited for all threads.

// life is an operation on these cells.
func (l *lowerer) life(what string, cells ...place) *operations.Life {
	op := &operations.Life{What: what}
	for _, c := range cells {
		op.Cells = append(op.Cells, operations.LifeCell{Addr: c.addr, Read: l.copied(c, c.tags(relaxed)), Written: c.tags(relaxed), Type: c.t.Word()})
	}
	return op
}

// makeDestroyed makes something that these cells are of one that nobody may use.
func (l *lowerer) makeDestroyed(what string, free func(held []program.Expr) program.Expr, cells ...place) {
	op := l.life(what, cells...)
	op.Destroys, op.Free = true, free
	l.operate(op)
}

// uses adds, at node from, that what this is a cell of must not have been destroyed, which these functions do.
func (l *lowerer) uses(from int, what string, cell place, destroyers ...string) {
	if l.u.names(destroyers...) {
		l.operateTo(from, l.node(), l.life(what, cell))
	}
}

// destroyMutex is for mutexes and spin locks.
func (l *lowerer) destroyMutex(n *cc.PostfixExpression, m place) {
	l.makeDestroyed("a mutex", allZero, l.mutexMember(n, m, "__owner"))
}

// allZero is what most things are free by.
func allZero(held []program.Expr) program.Expr {
	zero := eq(held[0], program.Const(0))
	for _, h := range held[1:] {
		zero = bin(program.LogicalAnd, zero, eq(h, program.Const(0)))
	}
	return zero
}

// usesMutex is where one is taken.
func (l *lowerer) usesMutex(from int, owner place) {
	l.uses(from, "a mutex", owner, "pthread_mutex_destroy", "pthread_spin_destroy", "mtx_destroy")
}

// destroySemaphore is for semaphores, any count of which is free.
func (l *lowerer) destroySemaphore(n *cc.PostfixExpression, s place) {
	l.makeDestroyed("a semaphore", func(held []program.Expr) program.Expr { return ne(held[0], program.Const(lowered.Destroyed)) }, l.mutexMember(n, s, "__count"))
}

// usesSemaphore is what is done with one but for destroying it.
func (l *lowerer) usesSemaphore(count place) {
	l.initialised(count)
	l.uses(l.cur, "a semaphore", count, "sem_destroy")
}

// destroyRWLock is for read-write locks.
func (l *lowerer) destroyRWLock(n *cc.PostfixExpression, p place) {
	k := rwLock{l.mutexMember(n, p, "__writer"), l.mutexMember(n, p, "__readers")}
	if !l.u.opts.NoBlocks {
		l.makeDestroyed("a read-write lock", allZero, k.writer, k.readers)
		return
	}
	l.makeDestroyed("a read-write lock", func(held []program.Expr) program.Expr {
		return eq(bin(program.BitAnd, held[0], program.Const(wroteUnit-1)), program.Const(0))
	}, k.writer)
}

// usesRWLock is where one is taken.
func (l *lowerer) usesRWLock(k rwLock) {
	l.uses(l.cur, "a read-write lock", k.writer, "pthread_rwlock_destroy")
}
