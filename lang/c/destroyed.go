package c

import (
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/program"
)

// Nobody may use a mutex, or what else threads wait by, that has been destroyed, and nobody may destroy one that is held (POSIX,
// pthread_mutex_destroy and its kin). Who destroys one looks whether it is free. That it has been destroyed is noted in it, and who
// uses it looks at that, only where the graphs do not show that nobody uses it any more: in most programs main destroys everything
// when it has waited for all threads.

// A lifeOp destroys something; or it is on an edge that leads nowhere, beside those on which something is used.
type lifeOp struct {
	flowgraph.None
	what     string
	cells    []lifeCell // the first one tells that it has been destroyed
	destroys bool
	free     func(held []program.Expr) program.Expr // what must hold of the cells for who destroys it; nil: nothing
}

// A lifeCell is a part of what is destroyed or used.
type lifeCell struct {
	addr          program.Expr
	read, written program.Tags
	t             program.Type
}

// Operands implements [flowgraph.Op].
func (op *lifeOp) Operands() (addrs []program.Expr) {
	for _, c := range op.cells {
		addrs = append(addrs, c.addr)
	}
	return addrs
}

// With implements [flowgraph.Op].
func (op *lifeOp) With(addrs []program.Expr, _ int) flowgraph.Op {
	next := *op
	next.cells = slices.Clone(op.cells)
	for i := range next.cells {
		next.cells[i].addr = addrs[i]
	}
	return &next
}

// life is an operation on these cells.
func (l *lowerer) life(what string, cells ...place) *lifeOp {
	op := &lifeOp{what: what}
	for _, c := range cells {
		op.cells = append(op.cells, lifeCell{c.addr, l.copied(c, c.tags(relaxed)), c.tags(relaxed), c.t.Word()})
	}
	return op
}

// makeDestroyed makes something that these cells are of one that nobody may use.
func (l *lowerer) makeDestroyed(what string, free func(held []program.Expr) program.Expr, cells ...place) {
	op := l.life(what, cells...)
	op.destroys, op.free = true, free
	l.operate(op)
}

// uses adds, at node from, that what this is a cell of must not have been destroyed, which these functions do.
func (l *lowerer) uses(from int, what string, cell place, destroyers ...string) {
	if l.u.names(destroyers...) {
		l.operateTo(from, l.node(), l.life(what, cell))
	}
}

// A lifeEdge is where a lifeOp is.
type lifeEdge struct {
	thread, edge int
	op           *lifeOp
}

// lives makes commands of all of them.
func (u *operated) lives() {
	var all []lifeEdge
	for i, t := range u.lowered.Threads {
		for k := range t.Graph.Edges {
			if op, ok := t.Graph.Edges[k].Op.(*lifeOp); ok {
				all = append(all, lifeEdge{i, k, op})
			}
		}
	}
	if len(all) == 0 {
		return
	}
	matters := map[lifeEdge]bool{}
	for _, d := range all {
		if !d.op.destroys {
			continue
		}
		g := u.lowered.Threads[d.thread].Graph
		to := g.Edges[d.edge].To
		later := g.Reachable(g.Out(), to)
		beside := u.beside(d.thread, d.edge)
		if d.op.what == aCondition && !u.races {
			for i := range u.lowered.Waits {
				u.lowered.WaitsKnown = u.lowered.WaitsKnown || beside[i]
			}
		}
		for _, o := range all {
			x, known := d.op.cells[0].addr.(program.Const)
			y, alsoKnown := o.op.cells[0].addr.(program.Const)
			other := o.op.what != d.op.what || known && alsoKnown && x != y
			if !other && (o.thread == d.thread && later[u.lowered.Threads[o.thread].Graph.Edges[o.edge].From] || o.thread != d.thread && beside[o.thread]) {
				matters[d], matters[o], u.lowered.Doubtful = true, true, true
			}
		}
	}
	for _, x := range all {
		resolveLife(u.lowered.Threads[x.thread], x.edge, x.op, matters[x])
	}
}

// resolveLife makes commands of one; matters is whether it may be that something is used that has been destroyed.
func resolveLife(t *lowered.Thread, edge int, op *lifeOp, matters bool) {
	g, e := t.Graph, t.Graph.Edges[edge]
	var held []program.Expr
	var commands []program.Command
	for _, c := range op.cells {
		g.Regs = append(g.Regs, program.Register{Type: c.t, Temp: true})
		held = append(held, program.Reg(len(g.Regs)-1))
		commands = append(commands, program.Command{Op: program.Load, Reg: len(g.Regs) - 1, Addr: c.addr, Tags: c.read})
	}
	switch {
	case op.destroys:
		commands = append(commands, program.Command{Op: program.Assert, Value: flowgraph.Fold(op.free(held)), Text: op.what + " is destroyed that is in use, or has been destroyed"})
		if first := op.cells[0]; matters {
			commands = append(commands, program.Command{Op: program.Store, Addr: first.addr, Value: program.Const(lowered.Destroyed), Tags: first.written})
		}
	case matters:
		commands = []program.Command{atomicOp("use", commands[0], checkOp(eq(held[0], program.Const(lowered.Destroyed))),
			program.Command{Op: program.Assert, Value: program.Const(0), Text: op.what + " is used that has been destroyed"})}
	default:
		commands = []program.Command{checkOp(program.Const(0))}
	}
	at, last := e.From, len(commands)-1
	for _, c := range commands[:last] {
		next := g.Node(e.Pos)
		g.Add(at, next, c, e.Pos)
		at = next
	}
	g.Add(at, e.To, commands[last], e.Pos)
	g.Edges[edge] = g.Edges[len(g.Edges)-1]
	g.Edges = g.Edges[:len(g.Edges)-1]
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
