package lowered

import (
	"cmp"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Which structures have bytes looked at that belong to no member, or bits of a unit of bit-fields, is seen by the values. They have cells for these when
// the program is lowered once more.

// PaddingByte is the type of the cells of bytes that belong to no member.
var PaddingByte = func() *types.Type {
	t := *types.UnsignedChar
	return &t
}()

// OwnerOf is the structure or union, inside of t, that byte off belongs to and none of its members; nil where there is none with a definition.
func OwnerOf(t *types.Type, off int64) *types.Type {
	switch {
	case t.Library || t.TwoWords || off >= t.Size:
		return nil
	case t.Kind == types.ArrayKind:
		return OwnerOf(t.Elem, off%t.Elem.Size)
	case t.Kind == types.StructKind:
		for _, f := range t.Fields {
			if f.Bits == 0 && f.Offset <= off && off < f.Offset+f.Type.Size {
				return OwnerOf(f.Type, off-f.Offset)
			}
		}
	case t.Kind != types.UnionKind:
		return nil
	}
	if t.Node == nil {
		return nil
	}
	return t
}

// An OpenUnit is a unit of bit-fields of which some bits belong to none.
type OpenUnit struct {
	Off  int64
	Type *types.Type
	Mask int64 // these bits
}

// IsOpen is whether there are bytes of a structure between lo and hi that are in no member.
func IsOpen(t *types.Type, gap Interval) bool {
	for off := gap.Lo; off < gap.Hi; off++ {
		if OwnerOf(t, off) != nil {
			return true
		}
	}
	return false
}

// LooksAt notes that the bytes of a t are looked at, and those of the structures in it.
func (u *Unit) LooksAt(t *types.Type) {
	switch {
	case t.Library || t.TwoWords:
	case t.Kind == types.ArrayKind:
		u.LooksAt(t.Elem)
	case t.Kind == types.StructKind || t.Kind == types.UnionKind:
		if t.Node != nil && !u.Padded[t.Node] {
			if u.Looked == nil {
				u.Looked = map[types.Specified]bool{}
			}
			u.Looked[t.Node] = true
		}
		for _, f := range t.Fields {
			u.LooksAt(f.Type)
		}
	}
}

// findLooks notes the structures of which somebody accesses bytes that are in no member.
func (u *Unit) findLooks(p *program.Program, r *program.Ranges) {
	for _, gap := range u.passed {
		if s := gap.at; s.o != nil && (s.o.divided || s.o.Untyped) {
			gap.op.findCells(u, []spot{s})
		}
	}
	gaps := u.paddingGaps()
	if len(gaps) == 0 {
		return
	}
	for ti := range u.Threads {
		for i := range p.Threads[ti].Edges {
			p.Threads[ti].Edges[i].Cmd.Accesses(func(c *program.Command) {
				set := r.Address[c]
				if c.Tags.Has(flowgraph.ShadowTag) { // what comes behind it may not be reached
					v, beside := unshadowed(c, set)
					c, set = &v, beside
				}
				if t := Accessed(c.Tags); t != nil {
					for _, looked := range gapsAt(gaps, set, c.Tags, t.Size) {
						if u.goesThrough(set, c.Tags, t) {
							u.LooksAt(looked)
						}
					}
				}
			})
		}
	}
}

// A paddingGap is addresses of an object that belong to no member of a structure, and that have no cell, or those of a unit of bit-fields in which
// there are such bits.
type paddingGap struct {
	Interval
	o    *Object
	unit bool
}

// paddingGaps are those of all objects, ascending.
func (u *Unit) paddingGaps() (all []paddingGap) {
	for _, o := range u.Objects {
		gaps := slices.DeleteFunc(GapsOf(o.Cells, o.Size), func(gap Interval) bool { return !IsOpen(o.Type, gap) })
		units := o.open
		for _, open := range units {
			gaps = append(gaps, Interval{open.Off, open.Off + open.Type.Size})
		}
		if len(gaps) == 0 {
			continue
		}
		for k := range o.Count {
			base := o.Base + k*o.Stride
			for i, gap := range gaps {
				all = append(all, paddingGap{Interval{base + gap.Lo, base + gap.Hi}, o, i >= len(gaps)-len(units)})
			}
		}
	}
	slices.SortFunc(all, func(a, b paddingGap) int { return cmp.Compare(a.Lo, b.Lo) })
	return all
}

// goesThrough is whether an access to an address of the set is meant to be to parts of objects, of one of them or of each: else most of the set
// may be there since no more is known.
func (u *Unit) goesThrough(set program.ValueSet, tags program.Tags, t *types.Type) bool {
	spots, ok := u.spots(set, tags)
	return ok && (throughEach(spots, set, t) || !slices.ContainsFunc(spots, func(s spot) bool { return s.fits(t) && !s.o.divided }))
}

// gapsAt are the types of the objects in whose gaps an access of so many bytes to an address of the set is.
func gapsAt(gaps []paddingGap, set program.ValueSet, tags program.Tags, size int64) (at []*types.Type) {
	if set.Size() > MaxObject {
		return nil
	}
	from, to, bounded := flowgraph.Within(tags)
	set.Spans(func(lo, hi int64) {
		i, _ := slices.BinarySearchFunc(gaps, lo, func(g paddingGap, a int64) int { return cmp.Compare(g.Hi, a+1) })
		for ; i < len(gaps) && gaps[i].Lo < hi+size; i++ {
			for a := max(lo, gaps[i].Lo-size+1); a <= min(hi, gaps[i].Hi-1); a++ {
				if set.Has(a) && (!bounded || from <= a && a < to) && !(gaps[i].unit && a == gaps[i].Lo && size == gaps[i].Hi-a) {
					if t := gaps[i].o.Type; !slices.Contains(at, t) {
						at = append(at, t)
					}
					break
				}
			}
		}
	})
	return at
}

// A passedGap is an operation that main has come by, and a place that it was to, where there was no cell.
type passedGap struct {
	op *GapOp
	at spot
}

// findCells notes that there are cells where an operation on a structure as a whole is to, or others than the unit of bit-fields that it is to, if
// that is so wherever it may be to.
func (op *GapOp) findCells(u *Unit, at []spot) {
	inCells := func(s spot) bool {
		if s.o == nil || !op.Unit {
			return s.o != nil && !s.empty(min(op.Size, s.o.Size-s.off))
		}
		return !slices.ContainsFunc(s.o.open, func(o OpenUnit) bool { return o.Off == s.off && o.Type.Size == op.Size })
	}
	if len(at) > 0 && !slices.ContainsFunc(at, func(s spot) bool { return !inCells(s) }) {
		u.LooksAt(op.Of)
	}
}
