package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// An object of a local variable has a cell that is 1 while it is there; stores to it stand where control enters and leaves its block.
// Most such stores go as soon as values have been analysed: where every access that may reach
// the object is by its own thread, at a place that is left before the object is, there is
// nothing to tell (lifetimes). Before the others an assertion looks at the cell (guards.go).

// LifeTag marks the accesses to the cells that tell whether local variables are there.
const LifeTag = flowgraph.AccessTag + "life"

// CarefulTag marks the accesses to an object that are made where it is known to be there.
const CarefulTag = flowgraph.AccessTag + "careful"

// LifeTags are the tags of such an access.
var LifeTags = program.NewTags(LifeTag, flowgraph.AccessTag+program.BoolType.String())

// LiveAddr is the cell that tells whether a local variable is there.
func (o *Object) LiveAddr() int64 { return o.Base + o.LiveOff() }

// Mortals are the objects that are gone when their blocks are left, by the cells that tell of them.
func (u *Unit) Mortals() map[program.Expr]*Object {
	all := map[program.Expr]*Object{}
	for cell, s := range u.mortalSlots() {
		all[cell] = s.o
	}
	return all
}

// mortalSlots are the same, and where each of them is.
func (u *Unit) mortalSlots() map[program.Expr]slot {
	all := map[program.Expr]slot{}
	for _, o := range u.Objects {
		for k := range o.Count {
			if o.Dies {
				all[program.Const(o.LiveAddr()+k*o.Stride)] = slot{o.Base + k*o.Stride, o}
			}
		}
	}
	return all
}

// lives says at which states of a thread its local variables are there whatever has happened.
type lives struct {
	index map[*Object]int
	at    []program.RegSet
}

// livesOf computes it for a thread of p.
func (u *Unit) livesOf(p *program.Program, ti int) *lives {
	v := &lives{index: map[*Object]int{}}
	byCell := map[int64]int{}
	var first []int
	for _, o := range u.Objects {
		if !o.Dies || o.Thread != ti {
			continue
		}
		k := len(v.index)
		v.index[o] = k
		if o.Count > 1 { // which of them is there is not told apart
			continue
		}
		byCell[o.LiveAddr()] = k
		if i := p.CellAt(o.LiveAddr()); i >= 0 && p.Memory[i].Init == 1 {
			first = append(first, k)
		}
	}
	t := p.Threads[ti]
	n := len(v.index)
	v.at = make([]program.RegSet, len(t.States))
	if n == 0 {
		return v
	}
	v.at[t.Initial] = program.NewRegSet(n)
	for _, k := range first {
		v.at[t.Initial].Add(k)
	}
	out := t.Out()
	work := []program.StateID{t.Initial}
	set := program.NewRegSet(n)
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			e := &t.Edges[i]
			copy(set, v.at[q])
			if e.Cmd.Op == program.Store && e.Cmd.Tags.Has(LifeTag) {
				addr, _ := e.Cmd.Addr.(program.Const)
				if k, ok := byCell[int64(addr)]; ok {
					if e.Cmd.Value == program.Const(1) {
						set.Add(k)
					} else {
						set.Remove(k)
					}
				}
			}
			if v.at[e.To] == nil {
				v.at[e.To] = slices.Clone(set)
				work = append(work, e.To)
				continue
			}
			changed := false
			for w := range set {
				if old := v.at[e.To][w]; old&^set[w] != 0 {
					v.at[e.To][w] &= set[w]
					changed = true
				}
			}
			if changed {
				work = append(work, e.To)
			}
		}
	}
	return v
}

// sure is true where the object is there whenever its thread is at the state.
func (v *lives) sure(q program.StateID, o *Object) bool {
	k, ok := v.index[o]
	return ok && v.at[q] != nil && v.at[q].Has(k)
}

// end is where an object ends, or the last one of a pool.
func (o *Object) end() int64 { return o.Base + (o.Count-1)*o.Stride + o.Size }

// touches is true of a set of addresses of which one is in the object.
func (o *Object) touches(set program.ValueSet) bool {
	if set.Empty() || set.Max() < o.Base || set.Min() >= o.end() {
		return false
	}
	for k := range o.Count {
		for a := o.Base + k*o.Stride; a < o.Base+k*o.Stride+o.Size; a++ {
			if set.Has(a) {
				return true
			}
		}
	}
	return false
}

// lifetimes finds the local variables that may be accessed when they are gone, and forgets
// when the others are there. It reports whether there are such.
func (u *Unit) lifetimes(p *program.Program, r *program.Ranges) bool {
	var mortals []*Object
	for _, o := range u.Objects {
		if o.Dies {
			mortals = append(mortals, o)
		}
	}
	if len(mortals) == 0 {
		return false
	}
	slices.SortFunc(mortals, func(a, b *Object) int { return int(a.Base - b.Base) })
	doubtful := map[*Object]bool{}
	for ti, t := range p.Threads {
		v := u.livesOf(p, ti)
		for i := range t.Edges {
			e := &t.Edges[i]
			e.Cmd.Accesses(func(c *program.Command) {
				set, ok := r.Address[c]
				if !ok || set.Empty() || c.Tags.Has(LifeTag) || c.Tags.Has(CarefulTag) {
					return
				}
				lo, hi, array := flowgraph.Within(c.Tags)
				i, _ := slices.BinarySearchFunc(mortals, set.Min(), func(o *Object, a int64) int {
					if o.end() <= a {
						return -1
					}
					return 1
				})
				for ; i < len(mortals) && mortals[i].Base <= set.Max(); i++ {
					o := mortals[i]
					if array && (o.Base >= hi || o.end() <= lo) {
						continue // an assertion will come before it
					}
					if !doubtful[o] && !v.sure(e.From, o) && o.touches(set) && !o.there(c) {
						doubtful[o] = true
					}
				}
			})
		}
	}
	gone, appears := map[program.Expr]bool{}, map[string]bool{}
	for _, o := range mortals {
		if !doubtful[o] && !(o.Heap && u.Options.Leaks) {
			o.Dies = false
			for k := range o.Count {
				gone[program.Const(o.LiveAddr()+k*o.Stride)] = true
			}
			appears[o.BirthTag()] = true
		}
	}
	for _, t := range u.Threads {
		for i := range t.Graph.Edges {
			c := &t.Graph.Edges[i].Cmd
			if c.Op != program.Store || !c.Tags.Has(LifeTag) {
				continue
			}
			if _, known := c.Addr.(program.Const); known && gone[c.Addr] || !known && slices.ContainsFunc(mortals, func(o *Object) bool { return appears[o.BirthTag()] && c.Tags.Has(o.BirthTag()) }) {
				*c = program.Skip()
			}
		}
	}
	return len(gone) > 0
}

// mayDie marks the cells of the local variables that may be accessed when they are gone.
func (u *Unit) mayDie(r *program.Ranges) []bool {
	dies := make([]bool, len(r.Cells))
	for _, o := range u.Objects {
		if o.born || o.Heap && u.Options.Leaks {
			for k := range o.Count {
				for _, s := range o.Cells {
					if i := r.CellIndex(o.Base + k*o.Stride + s.Off); i >= 0 && o.born {
						dies[i] = true
					}
				}
				if i := r.CellIndex(o.LiveAddr() + k*o.Stride); i >= 0 {
					dies[i] = true
				}
			}
		}
		if !o.Dies {
			continue
		}
		for k := range o.Count {
			for _, s := range o.Cells {
				if i := r.CellIndex(o.Base + k*o.Stride + s.Off); i >= 0 {
					dies[i] = true
				}
			}
			if i := r.CellIndex(o.LiveAddr() + k*o.Stride); i >= 0 {
				dies[i] = true
			}
		}
	}
	return dies
}
