package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Read-write locks. One has two cells, for who writes and how many read, which are looked at in one step.
// For models that know no steps of two cells there is another form (rwsteps.go).

// A rwLock is a read-write lock that an argument points to.
type rwLock struct{ writer, readers place }

func (l *lowerer) rwLock(n *cc.PostfixExpression, arg cc.ExpressionNode) rwLock {
	p := l.libraryTarget(n, arg)
	l.at(n)
	k := rwLock{l.mutexMember(n, p, "__writer"), l.mutexMember(n, p, "__readers")}
	l.initialised(k.writer)
	return k
}

// readLock takes a lock to read. Where busy is not 0 it need not wait, and gives that where the lock is taken; held is what
// it gives where this thread writes, for which it need not wait, either (as that of the C library of GNU).
func (l *lowerer) readLock(n *cc.PostfixExpression, arg cc.ExpressionNode, held, busy int64) value {
	k := l.rwLock(n, arg)
	l.usesRWLock(k)
	if l.u.opts.NoBlocks {
		return l.readLockInSteps(k, held, busy)
	}
	w, r, result := l.temp(types.Long), l.temp(types.Long), l.temp(types.Int)
	end := l.node()
	free := eq(program.Reg(w), program.Const(0))
	mine := eq(program.Reg(w), l.self())
	if busy != 0 {
		l.looksFirst(l.loadOp(k.writer, w, relaxed), program.NotExpr(free), end, givesEither(result, mine, held, busy))
	}
	// What other readers did is ordered by nothing: they need not have given the lock back.
	take := []program.Command{l.loadOp(k.writer, w, acquire), checkOp(free),
		l.loadOp(k.readers, r, relaxed), l.storeOp(k.readers, plus(program.Reg(r), 1), relaxed)}
	l.edge(l.cur, end, atomicOp("rdlock", append(append(take, l.readsMore(program.Add, k)...), setTo(result, 0))...))
	l.edge(l.cur, end, atomicOp("rdlock", l.loadOp(k.writer, w, relaxed), checkOp(mine), setTo(result, held)))
	if busy != 0 {
		l.edge(l.cur, end, atomicOp("tryrdlock", l.loadOp(k.writer, w, acquire), checkOp(flowgraph.Fold(program.NotExpr(free))),
			checkOp(flowgraph.Fold(program.NotExpr(mine))), setTo(result, busy)))
	}
	l.cur = end
	return value{t: types.Int, e: program.Reg(result)}
}

// writeLock takes a lock to write; held and busy are as for readLock.
func (l *lowerer) writeLock(n *cc.PostfixExpression, arg cc.ExpressionNode, held, busy int64) value {
	k := l.rwLock(n, arg)
	l.usesRWLock(k)
	if l.u.opts.NoBlocks {
		return l.writeLockInSteps(k, held, busy)
	}
	w, r, result := l.temp(types.Long), l.temp(types.Long), l.temp(types.Int)
	end := l.node()
	mine := eq(program.Reg(w), l.self())
	if busy != 0 {
		l.looksFirst(l.loadOp(k.writer, w, relaxed), ne(program.Reg(w), program.Const(0)), end, givesEither(result, mine, held, busy))
		l.looksFirst(l.loadOp(k.readers, r, relaxed), ne(program.Reg(r), program.Const(0)), end, setTo(result, busy))
	}
	free := flowgraph.Fold(bin(program.LogicalAnd, eq(program.Reg(w), program.Const(0)), eq(program.Reg(r), program.Const(0))))
	l.edge(l.cur, end, atomicOp("wrlock", l.loadOp(k.writer, w, acquire), l.loadOp(k.readers, r, acquire), checkOp(free),
		l.storeOp(k.writer, l.self(), acquire), setTo(result, 0)))
	l.edge(l.cur, end, atomicOp("wrlock", l.loadOp(k.writer, w, relaxed), checkOp(mine), setTo(result, held)))
	if busy != 0 {
		l.edge(l.cur, end, atomicOp("trywrlock", l.loadOp(k.writer, w, acquire), l.loadOp(k.readers, r, acquire),
			checkOp(program.NotExpr(free)), checkOp(flowgraph.Fold(program.NotExpr(mine))), setTo(result, busy)))
	}
	l.cur = end
	return value{t: types.Int, e: program.Reg(result)}
}

const notHeld = "unlock of a lock that nobody holds"

func rwUnlock(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	k := l.rwLock(n, args[0])
	if l.u.opts.NoBlocks {
		return l.rwUnlockInSteps(k)
	}
	w, r := l.temp(types.Long), l.temp(types.Long)
	end := l.node()
	l.edge(l.cur, end, atomicOp("unlock", l.loadOp(k.writer, w, relaxed), checkOp(eq(program.Reg(w), l.self())),
		l.storeOp(k.writer, program.Const(0), release)))
	l.edge(l.cur, end, atomicOp("unlock", append([]program.Command{l.loadOp(k.writer, w, relaxed), checkOp(ne(program.Reg(w), l.self())),
		l.loadOp(k.readers, r, relaxed),
		{Op: program.Assert, Value: ne(program.Reg(r), program.Const(0)), Text: notHeld}, l.hasToRead(k),
		l.storeOp(k.readers, bin(program.Sub, program.Reg(r), program.Const(1)), release)}, l.readsMore(program.Sub, k)...)...))
	l.cur = end
	return number(types.Int, 0)
}

// reads is the register that counts how many locks the thread has taken to read, and the one that has the sum of their addresses: it must not give one back that
// others have. If it has several, and gives back another one, the last of them shows it.
func (l *lowerer) reads() (count, sum program.Reg) {
	if l.readLocks == 0 {
		l.readLocks = l.register("reads", program.Int32Type, true) + 1
		l.register("read locks", program.Int64Type, true)
	}
	return program.Reg(l.readLocks - 1), program.Reg(l.readLocks)
}

// readsMore counts one more, or one less.
func (l *lowerer) readsMore(op program.BinaryOp, k rwLock) []program.Command {
	count, sum := l.reads()
	return []program.Command{
		{Op: program.Assign, Reg: int(count), Value: bin(op, count, program.Const(1))},
		{Op: program.Assign, Reg: int(sum), Value: flowgraph.Fold(bin(op, sum, k.writer.addr))},
	}
}

func (l *lowerer) hasToRead(k rwLock) program.Command {
	count, sum := l.reads()
	has := bin(program.LogicalOr, bin(program.Lt, program.Const(1), count), bin(program.LogicalAnd, eq(count, program.Const(1)), eq(sum, k.writer.addr)))
	return program.Command{Op: program.Assert, Value: flowgraph.Fold(has), Text: "a read-write lock is given back by a thread that does not have it"}
}

// givesEither makes a register one number where something holds, and else another.
func givesEither(reg int, is program.Expr, yes, no int64) program.Command {
	return program.Command{Op: program.Assign, Reg: reg, Value: flowgraph.Fold(bin(program.Add, program.Const(no), bin(program.Mul, is, program.Const(yes-no))))}
}

func setTo(reg int, k int64) program.Command {
	return program.Command{Op: program.Assign, Reg: reg, Value: program.Const(k)}
}
