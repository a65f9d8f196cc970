package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Leak asserts that what was allocated has been freed. Where leaks are looked for, all objects
// of the heap have the cells that tell whether they are there; malloc sets them.
type Leak struct{ flowgraph.None }

// With implements [flowgraph.Op].
func (op *Leak) With([]program.Expr, int) flowgraph.Op { return op }

// resolveLeaks makes assertions of the operations.
func (u *Unit) resolveLeaks() {
	for _, t := range u.lowered.Threads {
		if t.Graph == nil {
			continue
		}
		g := t.Graph
		for i := range len(g.Edges) {
			e := g.Edges[i]
			if _, ok := e.Op.(*Leak); !ok {
				continue
			}
			at := u.checkLeaks(g, e.From, e.Pos)
			g.Edges[i] = flowgraph.Edge{From: at, To: e.To, Cmd: program.Skip(), Pos: e.Pos}
		}
	}
}

// leaksLast is whether leaks are looked for where all threads have ended, as main may end before others do.
func (u *Unit) leaksLast() bool {
	g := u.lowered.Threads[0].Graph
	return u.lowered.Options.Leaks && g != nil && g.End >= 0 && g.Result >= 0
}

// resolveLast makes main look for leaks at the node at, where it has ended by pthread_exit, if all others have ended by then. As nothing that
// others do depends on when that is, some run finds every leak that there is.
func (u *Unit) resolveLast(at int, ended, made *lowered.Object) {
	g := u.lowered.Threads[0].Graph
	pos := g.Nodes[at]
	stop := g.Node(pos)
	load := func(o *lowered.Object, thread, order int) {
		g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
		next := g.Node(pos)
		g.Add(at, next, program.Command{Op: program.Load, Reg: len(g.Regs) - 1, Addr: program.Const(o.Base + int64(thread+1)*8), Tags: lowered.Tags(order, types.UnsignedLong)}, pos)
		at = next
	}
	split := func(yes, no int) {
		r := program.Reg(len(g.Regs) - 1)
		g.Add(at, yes, checkOp(ne(r, program.Const(0))), pos)
		g.Add(at, no, checkOp(eq(r, program.Const(0))), pos)
	}
	for i, t := range u.lowered.Threads { // who makes a thread comes before it, and has ended when one asks whether it has made it
		if t.Start == nil {
			continue
		}
		next, is := g.Node(pos), g.Node(pos)
		load(made, i, target.Relaxed)
		split(is, next)
		at = is
		load(ended, i, target.Acquire)
		split(next, stop)
		at = next
	}
	u.checkLeaks(g, at, pos)
}

// checkLeaks asserts at a node that nothing is left on the heap, and gives the node where it has done so.
func (u *Unit) checkLeaks(g *flowgraph.Graph, at int, pos program.Position) int {
	step := func(c program.Command) {
		next := g.Node(pos)
		g.Add(at, next, c, pos)
		at = next
	}
	for _, o := range u.lowered.Objects {
		if !o.Heap || o.Stack || o.Mapped {
			continue
		}
		for k := range o.Count {
			g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
			r := len(g.Regs) - 1
			step(program.Command{Op: program.Load, Reg: r, Addr: program.Const(o.LiveAddr() + k*o.Stride), Tags: lowered.LifeTags})
			step(program.Command{Op: program.Assert, Value: eq(program.Reg(r), program.Const(0)), Text: "the memory that " + o.Made.Where() + " allocates is not freed"})
		}
	}
	return at
}
