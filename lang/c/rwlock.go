package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// Read-write locks. One has two cells, for who writes and how many read, which are looked at in one step.
// For models that know no steps of two cells there is another form: the first cell counts the readers that
// have begun, above the number of the writer, and the second those that are done. A writer enters itself, so that
// no reader begins, and waits until those that have begun are done. Readers acquire what writers release
// by the first cell, and a writer what readers release by the second; so readers are not ordered with readers.

// readerUnit is what a reader adds to the first cell, whose low bits are the number of the writer.
const readerUnit = 256

const _ = uint(readerUnit - 2 - maxThreads) // the number of every thread has room below it

// A rwLock is a read-write lock that an argument points to.
type rwLock struct{ writer, readers place }

func (l *lowerer) rwLock(n *cc.PostfixExpression, arg cc.ExpressionNode) rwLock {
	p := l.libraryTarget(n, arg)
	l.at(n)
	return rwLock{l.mutexMember(n, p, "__writer"), l.mutexMember(n, p, "__readers")}
}

func (l *lowerer) readLock(n *cc.PostfixExpression, arg cc.ExpressionNode, try bool) value {
	k := l.rwLock(n, arg)
	w, r, result := l.temp(intType), l.temp(intType), l.temp(intType)
	end := l.node()
	free := eq(program.Reg(w), program.Const(0))
	// What other readers did is ordered by nothing: they need not have given the lock back.
	take := []program.Command{l.loadOp(k.writer, w, acquire), checkOp(free),
		l.loadOp(k.readers, r, relaxed), l.storeOp(k.readers, plus(program.Reg(r), 1), relaxed)}
	if l.u.opts.NoBlocks {
		free = eq(writerOf(w), program.Const(0))
		take = []program.Command{l.loadOp(k.writer, w, acquire), checkOp(free), l.storeOp(k.writer, plus(program.Reg(w), readerUnit), relaxed)}
	}
	l.edge(l.cur, end, atomicOp("rdlock", append(take, setTo(result, 0))...))
	if try {
		l.edge(l.cur, end, atomicOp("tryrdlock", l.loadOp(k.writer, w, acquire), checkOp(fold(program.NotExpr(free))), setTo(result, ebusy)))
	}
	l.cur = end
	return value{t: intType, e: program.Reg(result)}
}

func (l *lowerer) writeLock(n *cc.PostfixExpression, arg cc.ExpressionNode, try bool) value {
	k := l.rwLock(n, arg)
	if l.u.opts.NoBlocks {
		if try {
			l.u.refuse(n, called(n)+" under this model")
		}
		return l.writeLockInSteps(k)
	}
	w, r, result := l.temp(intType), l.temp(intType), l.temp(intType)
	end := l.node()
	free := fold(bin(program.LogicalAnd, eq(program.Reg(w), program.Const(0)), eq(program.Reg(r), program.Const(0))))
	l.edge(l.cur, end, atomicOp("wrlock", l.loadOp(k.writer, w, acquire), l.loadOp(k.readers, r, acquire), checkOp(free),
		l.storeOp(k.writer, l.self(), acquire), setTo(result, 0)))
	if try {
		l.edge(l.cur, end, atomicOp("trywrlock", l.loadOp(k.writer, w, acquire), l.loadOp(k.readers, r, acquire),
			checkOp(program.NotExpr(free)), setTo(result, ebusy)))
	}
	l.cur = end
	return value{t: intType, e: program.Reg(result)}
}

func (l *lowerer) writeLockInSteps(k rwLock) value {
	w, r := l.temp(intType), l.temp(intType)
	begun := bin(program.Div, program.Reg(w), program.Const(readerUnit))
	l.emit(atomicOp("wrlock", l.loadOp(k.writer, w, acquire), checkOp(eq(writerOf(w), program.Const(0))),
		l.storeOp(k.writer, fold(bin(program.Add, program.Reg(w), l.self())), relaxed)))
	l.emit(atomicOp("wrlock", l.loadOp(k.readers, r, acquire), checkOp(bin(program.Ge, program.Reg(r), begun))))
	l.assert(eq(program.Reg(r), begun), notHeld)
	return number(intType, 0)
}

const notHeld = "unlock of a lock that nobody holds"

func rwUnlock(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	k := l.rwLock(n, args[0])
	w, r := l.temp(intType), l.temp(intType)
	end := l.node()
	if l.u.opts.NoBlocks {
		mine, reader := l.node(), l.node()
		l.emit(l.loadOp(k.writer, w, relaxed))
		l.split(eq(writerOf(w), l.self()), mine, reader)
		l.edge(mine, end, l.storeOp(k.writer, fold(bin(program.Sub, program.Reg(w), l.self())), release))
		l.cur = reader
		l.assert(bin(program.Ge, program.Reg(w), program.Const(readerUnit)), notHeld)
		l.edge(l.cur, end, atomicOp("unlock", l.loadOp(k.readers, r, relaxed), l.storeOp(k.readers, plus(program.Reg(r), 1), release)))
		l.cur = end
		return number(intType, 0)
	}
	l.edge(l.cur, end, atomicOp("unlock", l.loadOp(k.writer, w, relaxed), checkOp(eq(program.Reg(w), l.self())),
		l.storeOp(k.writer, program.Const(0), release)))
	l.edge(l.cur, end, atomicOp("unlock", l.loadOp(k.writer, w, relaxed), checkOp(ne(program.Reg(w), l.self())),
		l.loadOp(k.readers, r, relaxed),
		program.Command{Op: program.Assert, Value: ne(program.Reg(r), program.Const(0)), Text: notHeld},
		l.storeOp(k.readers, bin(program.Sub, program.Reg(r), program.Const(1)), release)))
	l.cur = end
	return number(intType, 0)
}

// writerOf is the number of the writer in the first cell.
func writerOf(w int) program.Expr {
	return bin(program.BitAnd, program.Reg(w), program.Const(readerUnit-1))
}

func setTo(reg int, k int64) program.Command {
	return program.Command{Op: program.Assign, Reg: reg, Value: program.Const(k)}
}
