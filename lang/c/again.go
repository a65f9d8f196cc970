package c

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A loop without end may make an object on the stack in each round that is gone at the end of it, by an array whose size
// varies or by alloca. The first rounds have objects of their own; later ones have the same one, that is there again and
// holds nothing. A pointer to it from an earlier round must not be taken for one to that of this round: so at any time the
// program may leave the object for good, and have the last one of the pool from then on. Whichever round a pointer is
// from, there is a run that has left its object at the end of that round, and finds it gone.

// forgettable is true of objects of which stores can say that they hold nothing.
func forgettable(t *types.Type, cells []scalar) bool {
	for _, s := range cells {
		if s.t.Kind == types.FloatKind {
			return false
		}
	}
	return len(cells) <= maxForgotten && librarySpans(t, 0, nil) == nil
}

// reused writes what makes one of the objects of a pool, of which the last two are made again and again; n counts the others.
func (u *lowered) reused(g *flowgraph.Graph, o *object, reg, n, at int, pos program.Position) int {
	g.Regs = append(g.Regs, program.Register{Name: g.Regs[n].Name + " are there", Type: program.BoolType, Temp: true})
	o.busy = len(g.Regs) - 1
	last := o.count - 1
	end, again, left := g.Node(pos), g.Node(pos), g.Node(pos)
	// path makes the object at base, from a node on, and sets n.
	path := func(from int, base, next program.Expr) {
		more := []program.Command{
			{Op: program.Assign, Reg: reg, Value: base},
			{Op: program.Assign, Reg: n, Value: next},
			{Op: program.Assign, Reg: o.busy, Value: program.Const(1)},
			{Op: program.Store, Addr: plus(program.Reg(reg), o.liveOff()), Value: program.Const(1), Tags: lifeTags.With(o.birthTag())},
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
	path(fresh, plus(bin(program.Mul, program.Reg(n), program.Const(o.stride)), o.base), bin(program.Add, program.Reg(n), program.Const(1)))
	bound := boundOf(fmt.Sprintf("line %d makes more than %d objects that are there at once", o.made.Line, last))
	bound.Value = eq(program.Reg(o.busy), program.Const(0))
	choice := g.Node(pos)
	g.Add(bounded, choice, bound, pos)
	step(choice, again, eq(program.Reg(n), program.Const(last)))
	step(choice, left, program.Const(1))
	path(again, program.Const(o.base+(last-1)*o.stride), program.Const(last))
	path(left, program.Const(o.base+last*o.stride), program.Const(o.count))
	return end
}

// forgetting is the stores that say that an object at base holds nothing.
func (u *lowered) forgetting(o *object, base int64) (cmds []program.Command) {
	for _, s := range o.cells {
		c := program.Command{Op: program.Store, Addr: program.Const(base + s.off), Value: program.Const(0), Tags: tags(plain, s.t).With(unsetTag, carefulTag)}
		if u.opts.Uninitialised {
			c.Addr, c.Tags = program.Const(base+s.off+shadowOffset), shadowTags(s.t).With(carefulTag)
		}
		cmds = append(cmds, c)
	}
	return cmds
}
