package c

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Between the members of a structure, and behind them, there may be bytes that belong to none. Few programs look at them: those that go through the
// bytes of a structure, as to hash it, and those that compare structures by memcmp. Where values show that somebody does, the program is read once more
// (findings.go), and the objects of that structure have a cell for each of these bytes, which memset and memcpy fill and copy like members.
//
// What they hold C leaves open once a value is stored in the structure, or in a member (C11, 6.2.6.1p6). Stores to members leave them alone here, as they
// do on machines; where a structure is assigned as a whole, given to a function or returned, which may copy them or not, they are anything afterwards. So
// are they in what is declared with an initialiser.

// paddingByte is the type of the cells of bytes that belong to no member.
var paddingByte = func() *types.Type {
	t := *types.UnsignedChar
	return &t
}()

// A specified is where a structure is, which tells it from others.
type specified = *cc.StructOrUnionSpecifier

// cellsOf are the cells of an object of type t: its scalars, and the bytes between them that are looked at.
func (u *unit) cellsOf(t *types.Type, name string) []scalar {
	cells := u.flatten(t, name, 0, nil)
	if len(u.known.padded) == 0 {
		return cells
	}
	all := slices.Clone(cells)
	for _, gap := range gapsOf(cells, t.Size) {
		for off := gap.lo; off < gap.hi; off++ {
			if o := ownerOf(t, off); o != nil && u.known.padded[o.Node] {
				all = append(all, scalar{off: off, size: 1, t: paddingByte, name: fmt.Sprintf("%s+%d", name, off)})
			}
		}
	}
	u.limitCells(len(all))
	slices.SortFunc(all, func(a, b scalar) int { return int(a.off - b.off) })
	return all
}

// bytesOf are the parts in which the bytes of a t are copied, set and compared: the cells of an object, and bytes for truth values of those that are
// looked at.
func (u *unit) bytesOf(t *types.Type) []scalar {
	cells := u.cellsOf(t, "")
	if !u.opts.Uninitialised && slices.ContainsFunc(cells, func(s scalar) bool { return s.t == paddingByte }) {
		for i := range cells {
			if cells[i].t.Kind == types.BoolKind {
				cells[i].t = types.UnsignedChar
			}
		}
	}
	return cells
}

// ownerOf is the structure or union, inside of t, that byte off belongs to and none of its members; nil where there is none with a definition.
func ownerOf(t *types.Type, off int64) *types.Type {
	switch {
	case t.Library || t.TwoWords || off >= t.Size:
		return nil
	case t.Kind == types.ArrayKind:
		return ownerOf(t.Elem, off%t.Elem.Size)
	case t.Kind == types.StructKind:
		for _, f := range t.Fields {
			if f.Bits == 0 && f.Offset <= off && off < f.Offset+f.Type.Size {
				return ownerOf(f.Type, off-f.Offset)
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

// An openUnit is a unit of bit-fields of which some bits belong to none.
type openUnit struct {
	off  int64
	t    *types.Type
	mask int64 // these bits
}

// isOpen is whether there are bytes of a structure between lo and hi that are in no member.
func isOpen(t *types.Type, gap interval) bool {
	for off := gap.lo; off < gap.hi; off++ {
		if ownerOf(t, off) != nil {
			return true
		}
	}
	return false
}

// openUnits are those in a t at off, of all structures or of those that are looked at.
func (u *unit) openUnits(t *types.Type, off int64, all bool) (units []openUnit) {
	switch {
	case t.Library || t.TwoWords || u.packed(t) != nil:
	case t.Kind == types.ArrayKind:
		if len(u.openUnits(t.Elem, 0, all)) > 0 {
			for i := range t.Len {
				units = append(units, u.openUnits(t.Elem, off+i*t.Elem.Size, all)...)
			}
		}
	case t.Kind == types.StructKind:
		for _, f := range t.Fields {
			if f.Bits == 0 {
				units = append(units, u.openUnits(f.Type, off+f.Offset, all)...)
				continue
			}
			if !all && !u.known.padded[t.Node] {
				continue
			}
			i := slices.IndexFunc(units, func(o openUnit) bool { return o.off == off+f.Offset })
			if i < 0 {
				i = len(units)
				units = append(units, openUnit{off + f.Offset, f.Unit, int64(uint64(math.MaxUint64) >> (64 - 8*f.Unit.Size))})
			}
			units[i].mask &^= int64(uint64(math.MaxUint64)>>(64-f.Bits)) << f.BitOffset
		}
	}
	return slices.DeleteFunc(units, func(o openUnit) bool { return o.mask == 0 })
}

// bytesSeen notes that a pointer to a structure is converted to one to bytes, where it has units of one byte: accesses to these do not tell whether the
// bits that are in no bit-field are looked at.
func (l *lowerer) bytesSeen(t, to *types.Type) {
	if to.Integer() && slices.ContainsFunc(l.u.openUnits(t, 0, true), func(o openUnit) bool { return o.t.Size == 1 }) {
		l.u.looksAt(t)
	}
}

// opened is the value of a unit with other bits where none of its bit-fields is.
func (l *lowerer) opened(o openUnit, e program.Expr) program.Expr {
	r := l.temp(o.t)
	l.emit(anything(r, o.t))
	return flowgraph.Fold(bin(program.BitOr, bin(program.BitAnd, e, program.Const(^o.mask)), bin(program.BitAnd, program.Reg(r), program.Const(o.mask))))
}

// openedAll are the values of the scalars of a structure that is stored as a whole.
func (l *lowerer) openedAll(t *types.Type, scalars []scalar, values []program.Expr) []program.Expr {
	if len(l.u.known.padded) == 0 {
		return values
	}
	values = slices.Clone(values)
	for _, open := range l.u.openUnits(t, 0, false) {
		if i := slices.IndexFunc(scalars, func(s scalar) bool { return s.off == open.off && s.size == open.t.Size }); i >= 0 {
			values[i] = l.opened(open, values[i])
		}
	}
	return values
}

// opens makes the bits that are in no bit-field anything, of what is declared with an initialiser.
func (l *lowerer) opens(o *object) {
	if len(l.u.known.padded) == 0 {
		return
	}
	for _, open := range l.u.openUnits(o.t, 0, false) {
		unit := place{t: open.t, addr: plus(o.address(), open.off), trusted: true}
		l.storeAs(unit, value{t: open.t, e: l.opened(open, l.loadAs(unit, plain).e)}, plain)
	}
}

// hidden are the bytes of a union at off, with these cells, that belong to members which have none: they may be looked at, and are copied with it.
func (u *unit) hidden(t *types.Type, cells []scalar, name string, off int64) (bytes []scalar) {
	is := make([]bool, t.Size)
	for _, f := range t.Fields {
		for _, s := range u.member(f, "", 0, nil) {
			for i := range s.size {
				is[s.off+i] = true
			}
		}
	}
	for _, gap := range gapsOf(shifted(cells, off), t.Size) {
		for k := gap.lo; k < gap.hi; k++ {
			if is[k] {
				bytes = append(bytes, scalar{off: off + k, size: 1, t: types.UnsignedChar, name: fmt.Sprintf("%s+%d", name, k)})
			}
		}
	}
	return bytes
}

// looksAt notes that the bytes of a t are looked at, and those of the structures in it.
func (u *lowered) looksAt(t *types.Type) {
	switch {
	case t.Library || t.TwoWords:
	case t.Kind == types.ArrayKind:
		u.looksAt(t.Elem)
	case t.Kind == types.StructKind || t.Kind == types.UnionKind:
		if t.Node != nil && !u.padded[t.Node] {
			if u.looked == nil {
				u.looked = map[specified]bool{}
			}
			u.looked[t.Node] = true
		}
		for _, f := range t.Fields {
			u.looksAt(f.Type)
		}
	}
}

// findLooks notes the structures of which somebody accesses bytes that are in no member.
func (u *lowered) findLooks(p *program.Program, r *program.Ranges) {
	for _, gap := range u.passed {
		if s := gap.at; s.o != nil && (s.o.divided || s.o.untyped) {
			gap.op.findCells(u, []spot{s})
		}
	}
	gaps := u.paddingGaps()
	if len(gaps) == 0 {
		return
	}
	for ti := range u.threads {
		for i := range p.Threads[ti].Edges {
			p.Threads[ti].Edges[i].Cmd.Accesses(func(c *program.Command) {
				set := r.Address[c]
				if c.Tags.Has(flowgraph.ShadowTag) { // what comes behind it may not be reached
					v, beside := unshadowed(c, set)
					c, set = &v, beside
				}
				if t := accessed(c.Tags); t != nil {
					for _, looked := range gapsAt(gaps, set, c.Tags, t.Size) {
						if u.goesThrough(set, c.Tags, t) {
							u.looksAt(looked)
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
	interval
	o    *object
	unit bool
}

// paddingGaps are those of all objects, ascending.
func (u *lowered) paddingGaps() (all []paddingGap) {
	for _, o := range u.objects {
		gaps := slices.DeleteFunc(gapsOf(o.cells, o.size), func(gap interval) bool { return !isOpen(o.t, gap) })
		units := o.open
		for _, open := range units {
			gaps = append(gaps, interval{open.off, open.off + open.t.Size})
		}
		if len(gaps) == 0 {
			continue
		}
		for k := range o.count {
			base := o.base + k*o.stride
			for i, gap := range gaps {
				all = append(all, paddingGap{interval{base + gap.lo, base + gap.hi}, o, i >= len(gaps)-len(units)})
			}
		}
	}
	slices.SortFunc(all, func(a, b paddingGap) int { return cmp.Compare(a.lo, b.lo) })
	return all
}

// goesThrough is whether an access to an address of the set is meant to be to parts of objects, of one of them or of each: else most of the set
// may be there since no more is known.
func (u *lowered) goesThrough(set program.ValueSet, tags program.Tags, t *types.Type) bool {
	spots, ok := u.spots(set, tags)
	return ok && (throughEach(spots, set, t) || !slices.ContainsFunc(spots, func(s spot) bool { return s.fits(t) && !s.o.divided }))
}

// gapsAt are the types of the objects in whose gaps an access of so many bytes to an address of the set is.
func gapsAt(gaps []paddingGap, set program.ValueSet, tags program.Tags, size int64) (at []*types.Type) {
	if set.Size() > maxObject {
		return nil
	}
	from, to, bounded := flowgraph.Within(tags)
	set.Spans(func(lo, hi int64) {
		i, _ := slices.BinarySearchFunc(gaps, lo, func(g paddingGap, a int64) int { return cmp.Compare(g.hi, a+1) })
		for ; i < len(gaps) && gaps[i].lo < hi+size; i++ {
			for a := max(lo, gaps[i].lo-size+1); a <= min(hi, gaps[i].hi-1); a++ {
				if set.Has(a) && (!bounded || from <= a && a < to) && !(gaps[i].unit && a == gaps[i].lo && size == gaps[i].hi-a) {
					if t := gaps[i].o.t; !slices.Contains(at, t) {
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
	op *gapOp
	at spot
}

// findCells notes that there are cells where an operation on a structure as a whole is to, or others than the unit of bit-fields that it is to, if
// that is so wherever it may be to.
func (op *gapOp) findCells(u *lowered, at []spot) {
	inCells := func(s spot) bool {
		if s.o == nil || !op.unit {
			return s.o != nil && !s.empty(min(op.size, s.o.size-s.off))
		}
		return !slices.ContainsFunc(s.o.open, func(o openUnit) bool { return o.off == s.off && o.t.Size == op.size })
	}
	if len(at) > 0 && !slices.ContainsFunc(at, func(s spot) bool { return !inCells(s) }) {
		u.looksAt(op.of)
	}
}

// spoils makes the bytes of a structure at an address that are in no member anything.
func (l *lowerer) spoils(addr program.Expr, t *types.Type) {
	for _, s := range l.padding(t) {
		l.storeAs(place{t: s.t, addr: plus(addr, s.off)}, l.havoc(s.t, 0, 255), plain)
	}
	l.gaps(addr, program.Const(0), true, t, true, l.u.cellsOf(t, ""), t.Size)
}

// padding are the bytes of a structure in no member that are looked at.
func (l *lowerer) padding(t *types.Type) []scalar {
	if len(l.u.known.padded) == 0 {
		return nil
	}
	return slices.DeleteFunc(l.u.cellsOf(t, ""), func(s scalar) bool { return s.t != paddingByte })
}

// forgetsPadding leaves open what is between the members of a local variable that is declared with an initialiser.
func (l *lowerer) forgetsPadding(o *object) {
	padding := l.padding(o.t)
	if !l.u.opts.Uninitialised {
		if len(padding) > 0 {
			l.forgetsThat(o, padding)
		}
		return
	}
	for _, s := range padding {
		l.mark(place{t: s.t, addr: plus(o.address(), s.off)}, false)
	}
}
