package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What a wait for a condition, or a signal, does is known when all threads are, and whether it matters who waits. Then the cell of the condition has a bit for
// each thread that waits. A signal clears one, and wakes that thread by a cell of its own.

// A Wait is a step of a thread that waits for a condition.
type Wait struct {
	flowgraph.None
	Cond   program.Expr
	Mutex  program.Expr
	Thread int
	Step   Step
}

// A Step is one of those of a wait.
type Step int

const (
	Begins  Step = iota // to wait
	IsWoken             // it can be taken when a signal has come
	Leaves              // it can be taken as long as none has
)

// Operands implements [flowgraph.Op].
func (op *Wait) Operands() []program.Expr { return []program.Expr{op.Cond, op.Mutex} }

// With implements [flowgraph.Op].
func (op *Wait) With(x []program.Expr, _ int) flowgraph.Op {
	return &Wait{Cond: x[0], Mutex: x[1], Thread: op.Thread, Step: op.Step}
}

// A Signal wakes a thread that waits for a condition, or at a futex, or all of them.
type Signal struct {
	flowgraph.None
	Cond  program.Expr
	All   bool
	Futex bool
	Count int64 // of a futex: how many, where that is not all
}

// Operands implements [flowgraph.Op].
func (op *Signal) Operands() []program.Expr { return []program.Expr{op.Cond} }

// With implements [flowgraph.Op].
func (op *Signal) With(x []program.Expr, _ int) flowgraph.Op {
	return &Signal{Cond: x[0], All: op.All, Futex: op.Futex, Count: op.Count}
}

// woken is the cell of a thread that says that a signal has come for it.
func (l *writing) woken(thread int) cell {
	return cellIn(l.u.Helper("woken", types.ArrayOf(types.Bool, flowgraph.MaxThreads)), types.Bool, thread)
}

// waitEdges writes what a step does between two nodes, now that it is known whether it matters who waits.
func (u *Unit) waitEdges(g *flowgraph.Graph, op *Wait, from, to int, pos program.Position) {
	l := &writing{u, g}
	waiting, bit := cell{t: types.Int, addr: op.Cond}, program.Const(u.lowered.Waits[op.Thread])
	add := func(c program.Command) { g.Add(from, to, c, pos) }
	switch {
	case !u.lowered.WaitsKnown && op.Step == IsWoken:
		add(checkOp(program.Const(0)))
		return
	case !u.lowered.WaitsKnown && op.Step == Begins:
		add(l.touch(waiting))
		return
	case !u.lowered.WaitsKnown:
		add(program.Skip())
		return
	case op.Step == Begins:
		u.beginEdges(g, op, from, to, pos)
		return
	}
	r, woken := l.temp(types.Bool), l.woken(op.Thread)
	if op.Step == IsWoken {
		add(atomicOp("wait", l.loadOp(woken, r, target.Relaxed), checkOp(ne(program.Reg(r), program.Const(0))), l.storeOp(woken, program.Const(0), target.Relaxed)))
		return
	}
	w := l.temp(types.Int)
	load, store := l.loadOp(waiting, w, target.Relaxed), l.storeOp(waiting, bin(program.BitAnd, program.Reg(w), ^bit), target.Relaxed)
	load.Tags, store.Tags = load.Tags.With(lowered.CarefulTag), store.Tags.With(lowered.CarefulTag) // who still waits may look at the condition
	is := bin(program.LogicalAnd, ne(bin(program.BitAnd, program.Reg(w), bit), program.Const(0)), ne(program.Reg(w), program.Const(lowered.Destroyed)))
	body := []program.Command{load, checkOp(is), store}
	if !u.lowered.Options.NoBlocks {
		body = append([]program.Command{l.loadOp(woken, r, target.Relaxed), checkOp(eq(program.Reg(r), program.Const(0)))}, body...)
	}
	add(atomicOp("wait", body...))
}

// signalEdges writes what a signal does between two nodes, now that all threads are known. To clear the bit and to wake the
// thread is one step, where the models have words for that.
func (u *Unit) signalEdges(g *flowgraph.Graph, op *Signal, from, to int, pos program.Position) {
	if op.Futex {
		u.wakeEdges(g, op, from, to, pos)
		return
	}
	l := &writing{u, g}
	waiting := cell{t: types.Int, addr: op.Cond}
	if len(u.lowered.Waits) == 0 || !u.lowered.WaitsKnown {
		g.Add(from, to, l.touch(waiting), pos)
		return
	}
	w := l.temp(types.Int)
	load := l.loadOp(waiting, w, target.Relaxed)
	is := func(thread int) program.Expr {
		return ne(bin(program.BitAnd, program.Reg(w), program.Const(u.lowered.Waits[thread])), program.Const(0))
	}
	if op.All {
		body := []program.Command{load, l.storeOp(waiting, program.Const(0), target.Relaxed)}
		if u.lowered.Options.NoBlocks {
			next := g.Node(pos)
			g.Add(from, next, atomicOp("broadcast", body...), pos)
			from = next
		}
		for thread := range u.lowered.Threads {
			if u.lowered.Waits[thread] == 0 {
				continue
			}
			if u.lowered.Options.NoBlocks {
				yes, next := g.Node(pos), g.Node(pos)
				g.Add(from, yes, checkOp(is(thread)), pos)
				g.Add(yes, next, l.storeOp(l.woken(thread), program.Const(1), target.Relaxed), pos)
				g.Add(from, next, checkOp(program.NotExpr(is(thread))), pos)
				from = next
				continue
			}
			r := l.temp(types.Bool)
			body = append(body, l.loadOp(l.woken(thread), r, target.Relaxed), l.storeOp(l.woken(thread), bin(program.BitOr, program.Reg(r), is(thread)), target.Relaxed))
		}
		if u.lowered.Options.NoBlocks {
			g.Add(from, to, program.Skip(), pos)
		} else {
			g.Add(from, to, atomicOp("broadcast", body...), pos)
		}
		return
	}
	for thread := range u.lowered.Threads {
		if u.lowered.Waits[thread] == 0 {
			continue
		}
		clear := []program.Command{load, checkOp(is(thread)), l.storeOp(waiting, bin(program.BitAnd, program.Reg(w), program.Const(^u.lowered.Waits[thread])), target.Relaxed)}
		wake := l.storeOp(l.woken(thread), program.Const(1), target.Relaxed)
		if u.lowered.Options.NoBlocks {
			next := g.Node(pos)
			g.Add(from, next, atomicOp("signal", clear...), pos)
			g.Add(next, to, wake, pos)
		} else {
			g.Add(from, to, atomicOp("signal", append(clear, wake)...), pos)
		}
	}
	g.Add(from, to, atomicOp("signal", load, checkOp(eq(program.Reg(w), program.Const(0)))), pos)
}

// ACondition is what a [Life] says that it is of.
const ACondition = "a condition"
