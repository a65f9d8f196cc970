package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Hazard pointers, as GenMC has them. Who retires an object gives it back once no hazard pointer protects it (Michael,
// "Hazard pointers: safe memory reclamation for lock-free objects", 2004). Every object of the heap has a cell for that: how many protect
// it, and whether it is retired. It is given back at once when both say so, by who retires it or by the last one that
// protects it: who accesses it when it may be gone accesses it then.
//
// To protect what a pointer leads to is to load the pointer, and to be counted. An object that is retired by then and that nobody protects
// is gone, and he who protects it has come too late. Where the pointer no longer leads there he would try again, and comes to nothing that
// he does not come to who loads it later: so that is not followed. Where it leads there still, the
// object was retired that others could get at; its pointer is handed out, and protects nothing.
//
// Under models of C11 to be counted orders nothing. What has been done under protection comes before the object is given back,
// and what led to an object that is gone, before it is seen that it is.

// Ways in which a hazard pointer has to do with an object.
const (
	Protects = iota // it is to be there as long as it is protected
	Releases        // it is protected no more
	Retires         // it is to be given back
)

// retired is what the cell of an object has beside the number of those that protect it, once it is retired.
const retired = 1 << 16

// A Hazard is one of these. Which objects there are is known when all of the heap are.
type Hazard struct {
	What int
	Addr program.Expr
	Reg  int // whether it is protected; -1: nobody asks
}

// Operands implements [flowgraph.Op].
func (op *Hazard) Operands() []program.Expr { return []program.Expr{op.Addr} }

// Writes implements [flowgraph.Op].
func (op *Hazard) Writes() int { return op.Reg }

// With implements [flowgraph.Op].
func (op *Hazard) With(x []program.Expr, writes int) flowgraph.Op {
	return &Hazard{op.What, x[0], writes}
}

// hazard writes the ways that one of them may take: one for every object of the heap, and one for what is none.
func (u *Unit) hazard(g *flowgraph.Graph, e flowgraph.Edge, op *Hazard) {
	if u.hazards == nil {
		u.hazards = map[int64]int64{}
	}
	none := program.Expr(program.Const(1))
	for _, o := range u.lowered.Objects[:len(u.lowered.Objects):len(u.lowered.Objects)] {
		if !o.Heap || o.Stack || o.Mapped {
			continue
		}
		for k := range o.Count {
			base := o.Base + k*o.Stride
			if _, ok := u.hazards[base]; !ok {
				u.hazards[base] = u.lowering.Object("hazards of "+o.Instance(k), types.Int).Base
			}
			is := eq(op.Addr, program.Const(base))
			none = flowgraph.Fold(bin(program.LogicalAnd, none, program.NotExpr(is)))
			at := g.Node(e.Pos)
			g.Add(e.From, at, checkOp(is), e.Pos)
			u.hazardOf(g, at, e, op, base)
		}
	}
	at := g.Node(e.Pos)
	g.Add(e.From, at, checkOp(none), e.Pos)
	last := program.Skip()
	switch op.What {
	case Protects: // what is never given back
		last = program.Command{Op: program.Assign, Reg: op.Reg, Value: program.Const(1)}
	case Retires:
		last = program.Command{Op: program.Assert, Value: eq(op.Addr, program.Const(0)), Text: "what malloc has not given is retired"}
	}
	g.Add(at, e.To, last, e.Pos)
}

// hazardOf writes what is done with the object at base.
func (u *Unit) hazardOf(g *flowgraph.Graph, at int, e flowgraph.Edge, op *Hazard, base int64) {
	cell := program.Const(u.hazards[base])
	g.Regs = append(g.Regs, program.Register{Type: program.Int32Type, Temp: true})
	old := program.Reg(len(g.Regs) - 1)
	load := func(order int) program.Command {
		return program.Command{Op: program.Load, Reg: int(old), Addr: cell, Tags: lowered.Tags(order, types.Int)}
	}
	store := func(order int, k int64) program.Command {
		return program.Command{Op: program.Store, Addr: cell, Value: plus(old, k), Tags: lowered.Tags(order, types.Int)}
	}
	if op.What == Protects {
		there, gone := g.Node(e.Pos), g.Node(e.Pos)
		g.Add(at, there, atomicOp("protect", load(target.Relaxed), checkOp(ne(old, program.Const(retired))), store(target.Relaxed, 1)), e.Pos)
		g.Add(at, gone, atomicOp("protect", load(target.Acquire), checkOp(eq(old, program.Const(retired)))), e.Pos)
		g.Add(there, e.To, program.Command{Op: program.Assign, Reg: op.Reg, Value: program.Const(1)}, e.Pos)
		g.Add(gone, e.To, program.Command{Op: program.Assign, Reg: op.Reg, Value: program.Const(0)}, e.Pos)
		return
	}
	next, free := g.Node(e.Pos), g.Node(e.Pos)
	last := int64(retired + 1)
	if op.What == Retires {
		last = 0
		g.Add(at, next, atomicOp("retire", load(target.Acquire), program.Command{Op: program.Assert, Value: bin(program.Lt, old, program.Const(retired)), Text: "an object is retired that has been retired"},
			store(target.Release, retired)), e.Pos)
	} else {
		g.Add(at, next, atomicOp("protect no more", load(target.Acquire), store(target.Release, -1)), e.Pos)
	}
	g.Add(next, e.To, checkOp(ne(old, program.Const(last))), e.Pos)
	g.Add(next, free, checkOp(eq(old, program.Const(last))), e.Pos)
	g.Regs = append(g.Regs, program.Register{Type: program.Uint64Type, Temp: true})
	g.Add(free, e.To, program.Command{Op: program.Load, Reg: len(g.Regs) - 1, Addr: program.Const(base), Tags: program.NewTags(flowgraph.FreeTag)}, e.Pos)
}
