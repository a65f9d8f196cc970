package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Read-write locks by read-modify-writes of one cell, for models that know no others. The first cell has the number of
// the writer, how many read, and how often somebody wrote. Who is done with writing publishes the latter in the second
// cell first, and a reader, once it has entered itself, waits to see it there. So a writer acquires by the first cell what
// readers and writers release; a reader acquires by the second what writers release, and nothing of other readers.

// What one reader, and one writer that is done, are in the first cell. Below is the number of the writer.
const (
	readerUnit = 1 << 8
	wroteUnit  = 1 << 32
)

const _ = uint(readerUnit - 2 - maxThreads) // the number of every thread has room

func (l *lowerer) readLockInSteps(k rwLock, held, busy int64) value {
	w, r, result := l.temp(types.Long), l.temp(types.Long), l.temp(types.Int)
	end := l.node()
	free := eq(writerOf(w), program.Const(0))
	mine := eq(writerOf(w), l.self())
	l.edge(l.cur, end, atomicOp("rdlock", l.loadOp(k.writer, w, relaxed), checkOp(mine), setTo(result, held)))
	if busy != 0 {
		l.edge(l.cur, end, atomicOp("tryrdlock", l.loadOp(k.writer, w, acquire), checkOp(flowgraph.Fold(program.NotExpr(free))),
			checkOp(flowgraph.Fold(program.NotExpr(mine))), setTo(result, busy)))
	}
	l.emit(atomicOp("rdlock", append([]program.Command{l.loadOp(k.writer, w, relaxed), checkOp(free), l.storeOp(k.writer, plus(program.Reg(w), readerUnit), relaxed)}, l.readsMore(program.Add, k)...)...))
	l.edge(l.cur, end, atomicOp("rdlock", l.loadOp(k.readers, r, acquire), checkOp(eq(program.Reg(r), written(w))), setTo(result, 0)))
	l.cur = end
	return value{t: types.Int, e: program.Reg(result)}
}

func (l *lowerer) writeLockInSteps(k rwLock, held, busy int64) value {
	w, result := l.temp(types.Long), l.temp(types.Int)
	end := l.node()
	free := eq(bin(program.BitAnd, program.Reg(w), program.Const(wroteUnit-1)), program.Const(0))
	l.edge(l.cur, end, atomicOp("wrlock", l.loadOp(k.writer, w, acquire), checkOp(free),
		l.storeOp(k.writer, flowgraph.Fold(bin(program.Add, program.Reg(w), l.self())), relaxed), setTo(result, 0)))
	mine := eq(writerOf(w), l.self())
	l.edge(l.cur, end, atomicOp("wrlock", l.loadOp(k.writer, w, relaxed), checkOp(mine), setTo(result, held)))
	if busy != 0 {
		l.edge(l.cur, end, atomicOp("trywrlock", l.loadOp(k.writer, w, acquire), checkOp(flowgraph.Fold(program.NotExpr(free))),
			checkOp(flowgraph.Fold(program.NotExpr(mine))), setTo(result, busy)))
	}
	l.cur = end
	return value{t: types.Int, e: program.Reg(result)}
}

func (l *lowerer) rwUnlockInSteps(k rwLock) value {
	w := l.temp(types.Long)
	writer, end := l.node(), l.node()
	mine := eq(writerOf(w), l.self())
	l.edge(l.cur, writer, atomicOp("unlock", l.loadOp(k.writer, w, relaxed), checkOp(mine)))
	l.edge(l.cur, end, atomicOp("unlock", append([]program.Command{l.loadOp(k.writer, w, relaxed), checkOp(flowgraph.Fold(program.NotExpr(mine))),
		{Op: program.Assert, Value: ne(bin(program.BitAnd, program.Reg(w), program.Const(wroteUnit-readerUnit)), program.Const(0)), Text: notHeld}, l.hasToRead(k),
		l.storeOp(k.writer, bin(program.Sub, program.Reg(w), program.Const(readerUnit)), release)}, l.readsMore(program.Sub, k)...)...))
	l.cur = writer
	l.emit(l.storeOp(k.readers, plus(written(w), 1), release))
	l.edge(l.cur, end, l.storeOp(k.writer, flowgraph.Fold(bin(program.Add, bin(program.Sub, program.Reg(w), l.self()), program.Const(wroteUnit))), release))
	l.cur = end
	return number(types.Int, 0)
}

// writerOf is the number of the writer in the first cell.
func writerOf(w int) program.Expr {
	return bin(program.BitAnd, program.Reg(w), program.Const(readerUnit-1))
}

// written is how often somebody has written, by the first cell.
func written(w int) program.Expr {
	return bin(program.Div, program.Reg(w), program.Const(wroteUnit))
}
