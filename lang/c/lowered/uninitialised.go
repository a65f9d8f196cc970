package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Where reads of what is not initialised are violations, there is a cell beside each cell of the program that is 1 when something has been written
// to it. Lowering writes the accesses to these; here are the cells, and what of it need not be there.

// ShadowOffset is how far behind a cell the one beside it is.
const ShadowOffset = 1 << 40

// ShadowTags are those of an access to a cell beside one of type t.
func ShadowTags(t *types.Type) program.Tags {
	return program.NewTags(flowgraph.ShadowTag, flowgraph.AccessTag+t.Word().String())
}

// Anything gives a register what a variable of type t holds that nothing was written to: any number; of
// pointers null, or the address of nothing.
func Anything(reg int, t *types.Type) program.Command {
	if t.Kind == types.PointerKind {
		return program.Command{Op: program.Havoc, Reg: reg, Lo: 0, Hi: 1}
	}
	return program.Command{Op: program.Havoc, Reg: reg, Lo: t.Word().Min(), Hi: t.Word().Max()}
}

// anythingIn is the same where register reg takes what a cell of type t holds for a number that has a sign, or has none.
func anythingIn(g *flowgraph.Graph, reg int, t *types.Type) program.Command {
	c := Anything(reg, t)
	if w := g.Regs[reg].Type; t.Kind == types.IntegerKind && w.Bits == t.Word().Bits && g.Regs[reg].Mark == 0 {
		c.Lo, c.Hi = w.Min(), w.Max()
	}
	return c
}

// anythingOf are the values that it may have.
func anythingOf(t *types.Type) program.ValueSet {
	c := Anything(0, t)
	return program.Interval(c.Lo, c.Hi)
}

// shadowCells are the cells beside those of an object.
func (u *Unit) shadowCells(cells []program.Cell, o *Object) []program.Cell {
	if !u.Options.Uninitialised {
		return nil
	}
	var shadows []program.Cell
	fields := map[int64]bool{}
	for _, s := range o.Cells {
		fields[s.Off] = s.Fields
	}
	for _, c := range cells {
		s := program.Cell{Addr: c.Addr + ShadowOffset, Name: c.Name + " is set", Type: program.BoolType, Init: program.Bool(!o.Unset)}
		off := c.Addr - o.Base
		if o.Count > 1 {
			off %= o.Stride
		}
		if fields[off] {
			s.Type = flowgraph.BesideFields
		}
		if v, ok := u.initial[s.Addr]; ok {
			s.Init = v
		}
		if !u.unused[s.Addr] {
			shadows = append(shadows, s)
		}
	}
	return shadows
}

// settle leaves out what is said of memory that is initialised in any case.
func (u *Unit) settle(p *program.Program, r *program.Ranges) {
	if !u.Options.Uninitialised {
		return
	}
	var unset []*Object
	for _, o := range u.Objects {
		if o.Unset || u.Valueless {
			unset = append(unset, o)
		}
	}
	slices.SortFunc(unset, func(a, b *Object) int { return int(a.Base - b.Base) })
	for ti, t := range u.Threads {
		for ei, gi := range t.origin {
			if gi < 0 {
				continue
			}
			e, analysed := &t.Graph.Edges[gi], partsOfEdge(&p.Threads[ti].Edges[ei].Cmd)
			if len(analysed) != len(partsOfEdge(&e.Cmd)) {
				continue // some of it has been dropped since
			}
			if e.Cmd.Op == program.Atomic {
				e.Cmd.Body = slices.Clone(e.Cmd.Body)
			}
			for k, c := range partsOfEdge(&e.Cmd) {
				if !c.Tags.Has(flowgraph.ShadowTag) || c.Op != program.Load && c.Op != program.Store {
					continue
				}
				set := program.BinarySet(program.Sub, r.Address[analysed[k]], program.Values(ShadowOffset))
				if slices.ContainsFunc(unset, func(o *Object) bool { return o.within(set) }) {
					continue
				}
				if slices.ContainsFunc(r.Access[analysed[k]], func(i int) bool { return r.Cell[i].Size() != 1 || !r.Cell[i].Has(1) }) {
					continue // what is not written is copied there
				}
				if c.Op == program.Store {
					*c = program.Skip()
				} else {
					*c = program.Command{Op: program.Assign, Reg: c.Reg, Value: program.Const(1), Pos: c.Pos}
				}
			}
		}
	}
}

// within is true of a set of addresses of which one is in an object of the pool.
func (o *Object) within(set program.ValueSet) bool {
	for k := range o.Count {
		one := *o
		one.Base += k * o.Stride
		if one.touches(set) {
			return true
		}
	}
	return false
}

// unshadowed is the access that one to a cell beside another goes with.
func unshadowed(c *program.Command, set program.ValueSet) (program.Command, program.ValueSet) {
	v := *c
	v.Addr = plus(c.Addr, -ShadowOffset)
	v.Tags = program.NewTags(slices.DeleteFunc(c.Tags.Names(), func(n string) bool { return n == flowgraph.ShadowTag })...)
	return v, program.BinarySet(program.Sub, set, program.Values(ShadowOffset))
}
