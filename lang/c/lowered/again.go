package lowered

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A loop without end may make an object on the stack in each round that is gone at the end of it, by an array whose size
// varies or by alloca. The first rounds have objects of their own; later ones have the same one, that is there again and
// holds nothing. A pointer to it from an earlier round must not be taken for one to that of this round: so at any time the
// program may leave the object for good, and have the last one of the pool from then on. Whichever round a pointer is
// from, there is a run that has left its object at the end of that round, and finds it gone.

// Forgettable is true of objects of which stores can say that they hold nothing.
func Forgettable(t *types.Type, cells []Scalar) bool {
	for _, s := range cells {
		if s.Type.Kind == types.FloatKind {
			return false
		}
	}
	return len(cells) <= MaxForgotten && LibrarySpans(t, 0, nil) == nil
}

// Reused writes what makes one of the objects of a pool, of which the last two are made again and again; n counts the others.
func (u *Unit) Reused(g *flowgraph.Graph, o *Object, reg, n, at int, pos program.Position) int {
	g.Regs = append(g.Regs, program.Register{Name: g.Regs[n].Name + " are there", Type: program.BoolType, Temp: true})
	o.Busy = len(g.Regs) - 1
	last := o.Count - 1
	end, again, left := g.Node(pos), g.Node(pos), g.Node(pos)
	// path makes the object at base, from a node on, and sets n.
	path := func(from int, base, next program.Expr) {
		more := []program.Command{
			{Op: program.Assign, Reg: reg, Value: base},
			{Op: program.Assign, Reg: n, Value: next},
			{Op: program.Assign, Reg: o.Busy, Value: program.Const(1)},
			{Op: program.Store, Addr: plus(program.Reg(reg), o.LiveOff()), Value: program.Const(1), Tags: LifeTags.With(o.BirthTag())},
		}
		if k, known := base.(program.Const); known {
			more = append(more, u.forgetting(o, int64(k))...)
		}
		for i, c := range more {
			to := end
			if i < len(more)-1 {
				to = g.Node(pos)
			}
			g.Add(from, to, c, pos)
			from = to
		}
	}
	step := func(from, to int, is program.Expr) { g.Add(from, to, checkOp(is), pos) }
	fresh, bounded := g.Node(pos), g.Node(pos)
	step(at, fresh, bin(program.Lt, program.Reg(n), program.Const(last)))
	step(at, bounded, bin(program.Le, program.Const(last), program.Reg(n)))
	path(fresh, plus(bin(program.Mul, program.Reg(n), program.Const(o.Stride)), o.Base), bin(program.Add, program.Reg(n), program.Const(1)))
	bound := BoundOf(fmt.Sprintf("line %d makes more than %d objects that are there at once", o.Made.Line, last))
	bound.Value = eq(program.Reg(o.Busy), program.Const(0))
	choice := g.Node(pos)
	g.Add(bounded, choice, bound, pos)
	step(choice, again, eq(program.Reg(n), program.Const(last)))
	step(choice, left, program.Const(1))
	path(again, program.Const(o.Base+(last-1)*o.Stride), program.Const(last))
	path(left, program.Const(o.Base+last*o.Stride), program.Const(o.Count))
	return end
}

// forgetting is the stores that say that an object at base holds nothing.
func (u *Unit) forgetting(o *Object, base int64) (cmds []program.Command) {
	for _, s := range o.Cells {
		c := program.Command{Op: program.Store, Addr: program.Const(base + s.Off), Value: program.Const(0), Tags: Tags(target.Plain, s.Type).With(UnsetTag, CarefulTag)}
		if u.Options.Uninitialised {
			c.Addr, c.Tags = program.Const(base+s.Off+ShadowOffset), ShadowTags(s.Type).With(CarefulTag)
		}
		cmds = append(cmds, c)
	}
	return cmds
}
