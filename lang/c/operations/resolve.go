package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// numberJoin gives one its number.
func (u *Unit) numberJoin(op *flowgraph.Join, pos program.Position) {
	if _, known := u.lowered.Joins[op]; !known {
		u.lowered.Joins[op] = lowered.JoinKey{Number: len(u.lowered.Joins), Pos: pos}
	}
}

// joinThreads finds out of which threads somebody asks whether they have ended.
func (u *Unit) joinThreads() {
	u.joined = make([]bool, len(u.lowered.Threads))
	u.lowered.Joins = map[*flowgraph.Join]lowered.JoinKey{}
	for _, t := range u.lowered.Threads {
		for i := range t.Graph.Edges {
			var id program.Expr
			switch op := t.Graph.Edges[i].Op.(type) {
			case *flowgraph.Join:
				id = op.ID
				u.numberJoin(op, t.Graph.Edges[i].Pos)
			case *flowgraph.Asks:
				id = op.ID
			case *flowgraph.Looks:
				id = op.ID
			case *flowgraph.Exists:
				if op.Alive {
					id = op.ID
				}
			}
			k, known := id.(program.Const)
			for i := range u.lowered.Threads {
				u.joined[i] = u.joined[i] || id != nil && (!known || int(k) == i+1)
			}
		}
	}
	for i := range u.joined {
		u.joined[i] = u.joined[i] || i > 0 && u.leaksLast()
	}
}

// Resolve makes commands of the operations.
func (u *Unit) Resolve() {
	// The ends of threads, and what they end with, lie side by side.
	n := int64(len(u.lowered.Threads) + 1)
	ended := u.lowering.Object("ended", types.ArrayOf(types.UnsignedLong, n))
	u.lowered.Ended = ended.Base
	results := u.lowering.Object("result", types.ArrayOf(types.UnsignedLong, n))
	for i, t := range u.lowered.Threads {
		ended.Cells[i+1].Name = t.Name + " has ended"
		results.Cells[i+1].Name = t.Name + "'s result"
	}
	var gave *lowered.Object // who comes to its end without one, if anybody may
	wanted := false          // whether anybody looks at results
	for _, t := range u.lowered.Threads {
		if t.Graph == nil {
			continue
		}
		live := t.Graph.Live()
		for i := range t.Graph.Edges {
			if op, ok := t.Graph.Edges[i].Op.(*flowgraph.Join); ok && live[t.Graph.Edges[i].To].Has(op.Reg) {
				wanted = true
			}
			if _, ok := t.Graph.Edges[i].Op.(*Valueless); ok && gave == nil {
				gave = u.lowering.Object("no value", types.ArrayOf(types.UnsignedLong, n))
				for i, t := range u.lowered.Threads {
					gave.Cells[i+1].Name = t.Name + " has no value"
				}
			}
		}
	}
	// All strides are one, so that they need not be told apart.
	for u.lowered.Stride = max(128, u.Strides, u.lowered.Align); u.largest() > u.lowered.Stride-lowered.Gap-8; {
		u.lowered.Stride *= 2
	}
	claims := u.claims(ended)
	var made *lowered.Object // which threads have been made, if anybody asks
	if u.leaksLast() {
		made = u.lowering.Object("made", types.ArrayOf(types.UnsignedLong, n))
		for i, t := range u.lowered.Threads {
			made.Cells[i+1].Name = t.Name + " has been made"
		}
	}
	for thread, t := range u.lowered.Threads {
		if t.Graph == nil {
			continue
		}
		g := t.Graph
		comp, cyclic := g.Components(g.Out())
		live := g.Live()
		u.publications(g)
		for i := range len(g.Edges) {
			e := g.Edges[i]
			if e.Op == nil {
				continue
			}
			at := e.From
			step := func(c program.Command) {
				next := g.Node(e.Pos)
				g.Add(at, next, c, e.Pos)
				at = next
			}
			claim := func(id program.Expr) {
				for _, c := range claims.commands(thread, i, id) {
					step(c)
				}
			}
			switch op := e.Op.(type) {
			case *Start:
				c := u.lowered.Threads[op.ID.(program.Const)-1]
				if c.Start == nil {
					c.Start = u.lowering.Object("start of "+c.Name, types.Bool)
				}
				if c.ArgBox != nil {
					step(program.Command{Op: program.Store, Addr: program.Const(c.ArgBox.Base), Value: op.Arg, Tags: lowered.Tags(target.Plain, types.UnsignedLong)})
				}
				for k, o := range c.Copies {
					step(program.Command{Op: program.Store, Addr: program.Const(o.Base), Value: op.Copies[k], Tags: lowered.Tags(target.Plain, o.Type)})
				}
				if made != nil {
					step(program.Command{Op: program.Store, Addr: cellOf(made, op.ID), Value: program.Const(1), Tags: lowered.Tags(target.Relaxed, types.UnsignedLong)})
				}
				step(atomicOp(lowered.CreateText, program.Command{Op: program.Store, Addr: program.Const(c.Start.Base), Value: program.Const(1), Tags: lowered.Tags(target.Release, types.Bool)}))
			case *flowgraph.Exists:
				if k, ok := op.ID.(program.Const); !ok || k < 1 || int64(k) >= n {
					step(program.Command{Op: program.Assert, Value: flowgraph.Fold(bin(program.LogicalAnd, bin(program.Le, program.Const(1), op.ID),
						bin(program.Lt, op.ID, program.Const(n)))), Text: "this is the number of no thread"})
				}
				if op.Alive {
					claim(op.ID)
				}
			case *flowgraph.Claim:
				if op.NoMore {
					for _, c := range claims.givenBack(thread, op.ID) {
						step(c)
					}
					break
				}
				claim(op.ID)
			case *flowgraph.Detach:
				claim(op.ID)
			case *flowgraph.Looks:
				step(program.Command{Op: program.Load, Reg: op.Reg, Addr: cellOf(ended, op.ID), Tags: lowered.Tags(target.Relaxed, types.UnsignedLong)})
			case *flowgraph.Asks:
				g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
				r := len(g.Regs) - 1
				text, is := "not ended", eq(program.Reg(r), program.Const(0))
				if op.Ended {
					text, is = "ended", ne(program.Reg(r), program.Const(0))
				}
				step(atomicOp(text, program.Command{Op: program.Load, Reg: r, Addr: plus(flowgraph.Fold(bin(program.Mul, op.ID, program.Const(8))), ended.Base), Tags: lowered.Tags(target.Relaxed, types.UnsignedLong)}, checkOp(is)))
			case *flowgraph.Join:
				if !op.Tries && !op.Claimed {
					claim(op.ID)
				}
				off := flowgraph.Fold(bin(program.Mul, op.ID, program.Const(8)))
				g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
				r := len(g.Regs) - 1
				step(atomicOp(lowered.JoinText, program.Command{Op: program.Load, Reg: r, Addr: plus(off, ended.Base), Tags: lowered.Tags(target.Acquire, types.UnsignedLong).With(u.lowered.Joins[op].Tag())},
					checkOp(ne(program.Reg(r), program.Const(0)))))
				if live[e.To].Has(op.Reg) {
					step(program.Command{Op: program.Load, Reg: op.Reg, Addr: plus(off, results.Base), Tags: lowered.Tags(target.Plain, types.UnsignedLong)})
				}
				if op.Tries { // who tries does not claim what it does not get
					claim(op.ID)
				}
			case *Valueless:
				if gave != nil {
					step(program.Command{Op: program.Store, Addr: program.Const(gave.Base + int64(thread+1)*8), Value: program.Const(1), Tags: lowered.Tags(target.Plain, types.UnsignedLong)})
				}
			case *Outcome:
				if gave == nil {
					step(program.Command{Op: program.Assign, Reg: op.Reg, Value: program.Const(1)})
					break
				}
				g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
				r := len(g.Regs) - 1
				step(program.Command{Op: program.Load, Reg: r, Addr: cellOf(gave, op.ID), Tags: lowered.Tags(target.Plain, types.UnsignedLong)})
				step(program.Command{Op: program.Assign, Reg: op.Reg, Value: eq(program.Reg(r), program.Const(0))})
			case *Alloc:
				again := comp[e.From] >= 0 && cyclic[comp[e.From]] && comp[e.From] == comp[e.To]
				at = u.anyAllocation(t, e, op, at, again)
			case *Copy, *Unmap, *Hazard, *Leave, lowered.Condition:
				continue // when all objects are known, or what they hold
			case *Signal:
				next := g.Node(e.Pos)
				u.signalEdges(g, op, at, next, e.Pos)
				at = next
			case *Init:
				step(u.initialises(g, op))
			case *Wait:
				next := g.Node(e.Pos)
				u.waitEdges(g, op, at, next, e.Pos)
				at = next
			case *Leak:
				continue
			case *flowgraph.Bound:
				g.Edges[i] = flowgraph.Edge{From: at, To: e.To, Cmd: lowered.BoundOf(op.What), Pos: e.Pos}
				g.Bounds = append(g.Bounds, e.To)
				continue
			}
			g.Edges[i] = flowgraph.Edge{From: at, To: e.To, Cmd: program.Skip(), Pos: e.Pos}
		}
	}
	u.resolveCopies()
	u.resolveLeaves()
	u.resolveLeaks()
	last := -1 // where main has ended, if it lets others go on
	if made != nil {
		last = u.lowered.Threads[0].Graph.End
	}
	for i, t := range u.lowered.Threads {
		if t.Graph == nil || !u.joined[i] || t.Graph.End < 0 || t.Graph.Result < 0 { // main that returns ends the program
			continue
		}
		g := t.Graph
		at := g.End
		pos := g.Nodes[at]
		if wanted && g.Result >= 0 {
			next := g.Node(pos)
			g.Add(at, next, program.Command{Op: program.Store, Addr: program.Const(results.Base + int64(i+1)*8),
				Value: program.Reg(g.Result), Tags: lowered.Tags(target.Plain, types.UnsignedLong)}, pos)
			at = next
		}
		next := g.Node(pos)
		g.Add(at, next, atomicOp(lowered.EndText, program.Command{Op: program.Store, Addr: program.Const(ended.Base + int64(i+1)*8),
			Value: program.Const(1), Tags: lowered.Tags(target.Release, types.UnsignedLong)}), pos)
		if i == 0 && last >= 0 {
			last = next
		}
	}
	if last >= 0 {
		u.resolveLast(last, ended, made)
	}
	for _, t := range u.lowered.Threads {
		t.Graph.End, t.Graph.Result, t.Graph.Tracked = -1, -1, nil
		t.Graph.Tidy()
	}
}
