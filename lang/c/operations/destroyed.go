package operations

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/program"
)

// That something has been destroyed is noted in it, and who uses it looks at that, only where the graphs do not show that nobody uses it any more: in most
// programs main destroys everything when it has waited for all threads.

// A Life destroys something; or it is on an edge that leads nowhere, beside those on which something is used.
type Life struct {
	flowgraph.None
	What     string
	Cells    []LifeCell // the first one tells that it has been destroyed
	Destroys bool
	Free     func(held []program.Expr) program.Expr // what must hold of the cells for who destroys it; nil: nothing
}

// A LifeCell is a part of what is destroyed or used.
type LifeCell struct {
	Addr          program.Expr
	Read, Written program.Tags
	Type          program.Type
}

// Operands implements [flowgraph.Op].
func (op *Life) Operands() (addrs []program.Expr) {
	for _, c := range op.Cells {
		addrs = append(addrs, c.Addr)
	}
	return addrs
}

// With implements [flowgraph.Op].
func (op *Life) With(addrs []program.Expr, _ int) flowgraph.Op {
	next := *op
	next.Cells = slices.Clone(op.Cells)
	for i := range next.Cells {
		next.Cells[i].Addr = addrs[i]
	}
	return &next
}

// A lifeEdge is where a Life is.
type lifeEdge struct {
	thread, edge int
	op           *Life
}

// lives makes commands of all of them.
func (u *Unit) lives() {
	var all []lifeEdge
	for i, t := range u.lowered.Threads {
		for k := range t.Graph.Edges {
			if op, ok := t.Graph.Edges[k].Op.(*Life); ok {
				all = append(all, lifeEdge{i, k, op})
			}
		}
	}
	if len(all) == 0 {
		return
	}
	matters := map[lifeEdge]bool{}
	for _, d := range all {
		if !d.op.Destroys {
			continue
		}
		g := u.lowered.Threads[d.thread].Graph
		to := g.Edges[d.edge].To
		later := g.Reachable(g.Out(), to)
		beside := u.beside(d.thread, d.edge)
		if d.op.What == ACondition && !u.races {
			for i := range u.lowered.Waits {
				u.lowered.WaitsKnown = u.lowered.WaitsKnown || beside[i]
			}
		}
		for _, o := range all {
			x, known := d.op.Cells[0].Addr.(program.Const)
			y, alsoKnown := o.op.Cells[0].Addr.(program.Const)
			other := o.op.What != d.op.What || known && alsoKnown && x != y
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
func resolveLife(t *lowered.Thread, edge int, op *Life, matters bool) {
	g, e := t.Graph, t.Graph.Edges[edge]
	var held []program.Expr
	var commands []program.Command
	for _, c := range op.Cells {
		g.Regs = append(g.Regs, program.Register{Type: c.Type, Temp: true})
		held = append(held, program.Reg(len(g.Regs)-1))
		commands = append(commands, program.Command{Op: program.Load, Reg: len(g.Regs) - 1, Addr: c.Addr, Tags: c.Read})
	}
	switch {
	case op.Destroys:
		commands = append(commands, program.Command{Op: program.Assert, Value: flowgraph.Fold(op.Free(held)), Text: op.What + " is destroyed that is in use, or has been destroyed"})
		if first := op.Cells[0]; matters {
			commands = append(commands, program.Command{Op: program.Store, Addr: first.Addr, Value: program.Const(lowered.Destroyed), Tags: first.Written})
		}
	case matters:
		commands = []program.Command{atomicOp("use", commands[0], checkOp(eq(held[0], program.Const(lowered.Destroyed))),
			program.Command{Op: program.Assert, Value: program.Const(0), Text: op.What + " is used that has been destroyed"})}
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
