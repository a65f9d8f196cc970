package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Somebody waits for a thread once, or detaches it: what happens the second time, or where two wait at once, is not defined (POSIX,
// pthread_join and pthread_detach; ISO C, 7.26.5). In most programs the graphs, whose loops that wait for threads have been
// unrolled, show that each thread has one such place, and nothing is there to check. Where they do not, a thread notes in a
// register whom it has waited for, and where several threads could wait for the same one they note it in memory: in a correct
// program the note of a thread is read by who writes it, before that, so that it adds no behaviour.
//
// A thread that has ended, and that somebody waits for or that is detached, is none any more, and nobody may do anything with it (POSIX, 2.9.2): who
// cancels one, asks for it, or gives it a name looks at these notes, too.

// Claims are the operations that wait for threads or detach them.
type claims struct {
	u     *Unit
	of    []map[int]*claim // by the thread that does it, and the edge of its graph
	mine  []int            // by the thread: the register of whom it has claimed, a bit for each; -1: it has none
	cells *lowered.Object  // who has been claimed, where several threads could do so: a cell for each
	ended *lowered.Object  // who has ended
}

// A claim is one of them, or what needs a thread that is there.
type claim struct {
	asks        bool // it is of the latter
	check, note bool // there may be one of the same thread before, or after, by the same thread
	shared      bool // there may be one by another thread
}

// claimed is the thread that an operation claims, or that it needs to be there; nil: there is none.
func claimed(op flowgraph.Op) (id program.Expr, claims bool) {
	switch op := op.(type) {
	case *flowgraph.Join:
		if !op.Claimed {
			return op.ID, true
		}
	case *flowgraph.Claim:
		if !op.NoMore {
			return op.ID, true
		}
	case *flowgraph.Detach:
		return op.ID, true
	case *flowgraph.Exists:
		if op.Alive {
			return op.ID, false
		}
	}
	return nil, false
}

// claims finds them in the graphs of all threads.
func (u *Unit) claims(ended *lowered.Object) *claims {
	type place struct {
		thread, edge int
		id           program.Expr
		claim        *claim
	}
	var places []place
	all := &claims{u: u, ended: ended}
	outs := make([][][]int, len(u.lowered.Threads))
	for i, t := range u.lowered.Threads {
		all.of, all.mine = append(all.of, map[int]*claim{}), append(all.mine, -1)
		if t.Graph == nil {
			continue
		}
		outs[i] = t.Graph.Out()
		for k := range t.Graph.Edges {
			id, claims := claimed(t.Graph.Edges[k].Op)
			if id == nil {
				continue
			}
			all.of[i][k] = &claim{asks: !claims}
			if claims || id != program.Const(i+1) { // who asks for itself is there
				places = append(places, place{i, k, id, all.of[i][k]})
			}
		}
	}
	shared := false
	for _, first := range places {
		g := u.lowered.Threads[first.thread].Graph
		later := g.Reachable(outs[first.thread], g.Edges[first.edge].To)
		for _, second := range places {
			x, known := first.id.(program.Const)
			y, alsoKnown := second.id.(program.Const)
			switch {
			case known && alsoKnown && x != y, first.claim.asks:
			case first.thread != second.thread:
				first.claim.shared, second.claim.shared, shared = true, true, true
			case later[g.Edges[second.edge].From]:
				first.claim.note, second.claim.check = true, true
			}
		}
	}
	for i, t := range u.lowered.Threads {
		for _, c := range all.of[i] {
			if (c.check || c.note) && all.mine[i] < 0 {
				all.mine[i] = len(t.Graph.Regs)
				t.Graph.Regs = append(t.Graph.Regs, program.Register{Name: "joined", Type: program.Type{Bits: uint8(len(u.lowered.Threads))}, Temp: true})
			}
		}
	}
	if shared {
		all.cells = u.lowering.Object("joined", types.ArrayOf(types.UnsignedLong, int64(len(u.lowered.Threads)+1)))
		for i, t := range u.lowered.Threads {
			all.cells.Cells[i+1].Name = t.Name + " is waited for"
		}
	}
	return all
}

// commands are what a claim of the thread id does, beside what it is for: nobody has come before, and it has come. Who needs the thread to be there
// looks whether it has ended first, since a claim may be given back.
func (all *claims) commands(thread, edge int, id program.Expr) (commands []program.Command) {
	c, g := all.of[thread][edge], all.u.lowered.Threads[thread].Graph
	text, ended := "a thread is waited for or detached that another wait, or detaching, was for", program.Expr(program.Const(1))
	load := func(cell program.Expr, order int) program.Expr {
		g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
		commands = append(commands, program.Command{Op: program.Load, Reg: len(g.Regs) - 1, Addr: cell, Tags: lowered.Tags(order, types.UnsignedLong)})
		return program.Reg(len(g.Regs) - 1)
	}
	unclaimed := func(free program.Expr) {
		commands = append(commands, program.Command{Op: program.Assert, Value: flowgraph.Fold(bin(program.LogicalOr, free, eq(ended, program.Const(0)))), Text: text})
	}
	if c.asks && (c.check || c.shared) {
		text = "a thread is cancelled, or asked for, that is none any more: it has ended, and was waited for or detached"
		ended = load(cellOf(all.ended, id), target.Acquire)
	}
	if mine, bit := program.Reg(all.mine[thread]), bitOf(id); c.check || c.note {
		if c.check {
			unclaimed(eq(bin(program.BitAnd, mine, bit), program.Const(0)))
		}
		if c.note {
			commands = append(commands, program.Command{Op: program.Assign, Reg: int(mine), Value: bin(program.BitOr, mine, bit)})
		}
	}
	if c.shared {
		cell := cellOf(all.cells, id)
		unclaimed(eq(load(cell, target.Relaxed), program.Const(0)))
		if !c.asks {
			commands = append(commands, program.Command{Op: program.Store, Addr: cell, Value: program.Const(1), Tags: lowered.Tags(target.Relaxed, types.UnsignedLong)})
		}
	}
	return commands
}

// givenBack are the commands of who has been cancelled while it waited for the thread id.
func (all *claims) givenBack(thread int, id program.Expr) (commands []program.Command) {
	if mine := all.mine[thread]; mine >= 0 {
		commands = append(commands, program.Command{Op: program.Assign, Reg: mine, Value: bin(program.BitAnd, program.Reg(mine), bin(program.BitXor, bitOf(id), program.Const(-1)))})
	}
	if all.cells != nil {
		// It is gone before anything that is done next, as by a handler that says so.
		commands = append(commands, atomicOp("waits no more", program.Command{Op: program.Store, Addr: cellOf(all.cells, id), Value: program.Const(0), Tags: lowered.Tags(target.Release, types.UnsignedLong)}))
	}
	return commands
}

// bitOf is that of the thread id in a register.
func bitOf(id program.Expr) program.Expr {
	return flowgraph.Fold(bin(program.Shl, program.Const(1), bin(program.Sub, id, program.Const(1))))
}

// cellOf is that of the thread id in an object with a cell for each.
func cellOf(o *lowered.Object, id program.Expr) program.Expr {
	return plus(flowgraph.Fold(bin(program.Mul, id, program.Const(8))), o.Base)
}
