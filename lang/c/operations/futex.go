package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Where it matters who sleeps at a futex, a thread that does stands in a cell of its own, with the address that it waits at, which a wake clears.

// Sleeping is where it stands at which futexes threads wait.
func (u *Unit) Sleeping() *lowered.Object {
	return u.Helper("waits at", types.ArrayOf(types.UnsignedLong, flowgraph.MaxThreads))
}

// wakeEdges writes what FUTEX_WAKE does between two nodes, now that it is known which threads may wait.
func (u *Unit) wakeEdges(g *flowgraph.Graph, op *Signal, from, to int, pos program.Position) {
	l := &writing{u, g}
	var none []program.Command
	all := op.All || op.Count >= int64(len(u.Sleepers))
	if !all && op.Count > 1 {
		g.Add(from, to, lowered.BoundOf("a wake of some of those who wait is not modelled"), pos)
		return
	}
	for _, t := range u.Sleepers {
		g.Regs = append(g.Regs, program.Register{Type: program.Uint64Type, Temp: true})
		a := len(g.Regs) - 1
		asleep := cellIn(u.Sleeping(), types.UnsignedLong, t)
		load, here := l.loadOp(asleep, a, target.Relaxed), eq(program.Reg(a), op.Cond)
		if all {
			stays := bin(program.Mul, program.Reg(a), program.NotExpr(here))
			none = append(none, load, l.storeOp(asleep, stays, target.Relaxed))
			continue
		}
		g.Add(from, to, atomicOp("futex wake", load, checkOp(here), l.storeOp(asleep, program.Const(0), target.Relaxed)), pos)
		none = append(none, load, checkOp(program.NotExpr(here)))
	}
	if len(none) == 0 {
		g.Add(from, to, program.Command{Op: program.Fence, Tags: program.NewTags(target.OrderTag[target.SeqCst])}, pos)
		return
	}
	g.Add(from, to, atomicOp("futex wake", none...), pos)
}
