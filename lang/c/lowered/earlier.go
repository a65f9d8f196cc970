package lowered

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A local variable of a block that is come to again may be accessed by a pointer from an earlier round, when it was another one. Which ones may be is known by
// the values that addresses can have; when the program is lowered once more these have two places.

// EarlierTag marks accesses by pointers that may be from an earlier round.
const EarlierTag = flowgraph.AccessTag + "earlier"

// A TwoPlaces is the two places of a variable, the register that has the address of that in which it is, and the one that tells
// whether its block has been come to before.
type TwoPlaces struct {
	At, Before int
	Other      *Object
}

// renewable is whether it is one whose block is come to again, and has one place though it may have two.
func (o *Object) renewable() bool {
	return o.Again && o.Dies && o.Twin == nil && !o.Second && o.Twinable
}

// mayBeRenewed is whether such a one may be at a.
func (u *Unit) mayBeRenewed(a int64) bool {
	o := u.ObjectAt(a)
	return o == nil || o.renewable()
}

// Address is where an object is.
func (o *Object) Address() program.Expr {
	if o.Twin != nil {
		return program.Reg(o.Twin.At)
	}
	return program.Const(o.Base)
}

// Appears writes, from a node on to another, that an object with two places is in one of them.
func (t *TwoPlaces) Appears(g *flowgraph.Graph, from, to int, o *Object, pos program.Position) {
	in := func(at int, o *Object) {
		g.Add(at, to, program.Command{Op: program.Store, Addr: program.Const(o.LiveAddr()), Value: program.Const(1), Tags: LifeTags}, pos)
	}
	first, again, either, left, second := g.Node(pos), g.Node(pos), g.Node(pos), g.Node(pos), g.Node(pos)
	begins := g.Node(pos)
	before, is := ne(program.Reg(t.Before), program.Const(0)), eq(program.Reg(t.At), program.Const(o.Base))
	g.Add(from, begins, checkOp(program.NotExpr(before)), pos)
	g.Add(begins, first, program.Command{Op: program.Assign, Reg: t.Before, Value: program.Const(1)}, pos)
	g.Add(from, again, checkOp(before), pos)
	g.Add(again, either, checkOp(is), pos)
	g.Add(again, second, checkOp(program.NotExpr(is)), pos)
	g.Add(either, first, program.Skip(), pos)
	g.Add(either, left, program.Skip(), pos)
	g.Add(left, second, program.Command{Op: program.Assign, Reg: t.At, Value: program.Const(t.Other.Base)}, pos)
	in(first, o)
	in(second, t.Other)
}

// ThereTag marks the accesses to an object with two places by its name: it is there whenever these are made.
func (o *Object) ThereTag() string { return fmt.Sprint(flowgraph.AccessTag, "there", o.Base) }

// there is whether an access is one of them.
func (o *Object) there(c *program.Command) bool {
	return (o.Twin != nil || o.Second) && c.Tags.Has(o.ThereTag())
}

// outlived finds the variables that may be accessed by pointers from earlier rounds, beyond those that have two places.
func (u *Unit) outlived(left *Effort) bool {
	var all []*Object
	for _, o := range u.Objects {
		if o.renewable() {
			all = append(all, o)
		}
	}
	if len(all) == 0 || len(u.Threads) == 1 && !slices.ContainsFunc(u.Threads[0].Graph.Edges, func(e flowgraph.Edge) bool {
		noted := false
		e.Cmd.Accesses(func(c *program.Command) { noted = noted || c.Tags.Has(EarlierTag) })
		return noted
	}) {
		return false
	}
	p, r, err := u.values(left)
	found := map[*Object]bool{}
	if err != nil {
		for _, o := range all {
			found[o] = true
		}
	} else {
		for ti, t := range p.Threads {
			for i := range t.Edges {
				e := &t.Edges[i]
				if !r.Reachable[ti][e.From] {
					continue
				}
				e.Cmd.Accesses(func(c *program.Command) {
					set, ok := r.Address[c]
					if !ok || set.Empty() || c.Tags.Has(LifeTag) || c.Tags.Has(CarefulTag) {
						return
					}
					for _, o := range all {
						if (o.Thread != ti || c.Tags.Has(EarlierTag)) && !found[o] && o.touches(set) {
							found[o] = true
						}
					}
				})
			}
		}
	}
	u.Found.Outlived = found
	return len(found) > 0
}
