package c

import (
	"fmt"
	"math"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
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

// cellsOf are the cells of an object of type t: its scalars, and the bytes between them that are looked at.
func (u *unit) cellsOf(t *types.Type, name string) []lowered.Scalar {
	cells := u.flatten(t, name, 0, nil)
	if len(u.known.padded) == 0 {
		return cells
	}
	all := slices.Clone(cells)
	for _, gap := range lowered.GapsOf(cells, t.Size) {
		for off := gap.Lo; off < gap.Hi; off++ {
			if o := lowered.OwnerOf(t, off); o != nil && u.known.padded[o.Node] {
				all = append(all, lowered.Scalar{Off: off, Size: 1, Type: lowered.PaddingByte, Name: fmt.Sprintf("%s+%d", name, off)})
			}
		}
	}
	u.lowered.LimitCells(len(all))
	slices.SortFunc(all, func(a, b lowered.Scalar) int { return int(a.Off - b.Off) })
	return all
}

// bytesOf are the parts in which the bytes of a t are copied, set and compared: the cells of an object, and bytes for truth values of those that are
// looked at.
func (u *unit) bytesOf(t *types.Type) []lowered.Scalar {
	cells := u.cellsOf(t, "")
	if !u.opts.Uninitialised && slices.ContainsFunc(cells, func(s lowered.Scalar) bool { return s.Type == lowered.PaddingByte }) {
		for i := range cells {
			if cells[i].Type.Kind == types.BoolKind {
				cells[i].Type = types.UnsignedChar
			}
		}
	}
	return cells
}

// openUnits are those in a t at off, of all structures or of those that are looked at.
func (u *unit) openUnits(t *types.Type, off int64, all bool) (units []lowered.OpenUnit) {
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
			i := slices.IndexFunc(units, func(o lowered.OpenUnit) bool { return o.Off == off+f.Offset })
			if i < 0 {
				i = len(units)
				units = append(units, lowered.OpenUnit{Off: off + f.Offset, Type: f.Unit, Mask: int64(uint64(math.MaxUint64) >> (64 - 8*f.Unit.Size))})
			}
			units[i].Mask &^= int64(uint64(math.MaxUint64)>>(64-f.Bits)) << f.BitOffset
		}
	}
	return slices.DeleteFunc(units, func(o lowered.OpenUnit) bool { return o.Mask == 0 })
}

// bytesSeen notes that a pointer to a structure is converted to one to bytes, where it has units of one byte: accesses to these do not tell whether the
// bits that are in no bit-field are looked at.
func (l *lowerer) bytesSeen(t, to *types.Type) {
	if to.Integer() && slices.ContainsFunc(l.u.openUnits(t, 0, true), func(o lowered.OpenUnit) bool { return o.Type.Size == 1 }) {
		l.u.lowered.LooksAt(t)
	}
}

// opened is the value of a unit with other bits where none of its bit-fields is.
func (l *lowerer) opened(o lowered.OpenUnit, e program.Expr) program.Expr {
	r := l.temp(o.Type)
	l.emit(lowered.Anything(r, o.Type))
	return flowgraph.Fold(bin(program.BitOr, bin(program.BitAnd, e, program.Const(^o.Mask)), bin(program.BitAnd, program.Reg(r), program.Const(o.Mask))))
}

// openedAll are the values of the scalars of a structure that is stored as a whole.
func (l *lowerer) openedAll(t *types.Type, scalars []lowered.Scalar, values []program.Expr) []program.Expr {
	if len(l.u.known.padded) == 0 {
		return values
	}
	values = slices.Clone(values)
	for _, open := range l.u.openUnits(t, 0, false) {
		if i := slices.IndexFunc(scalars, func(s lowered.Scalar) bool { return s.Off == open.Off && s.Size == open.Type.Size }); i >= 0 {
			values[i] = l.opened(open, values[i])
		}
	}
	return values
}

// opens makes the bits that are in no bit-field anything, of what is declared with an initialiser.
func (l *lowerer) opens(o *lowered.Object) {
	if len(l.u.known.padded) == 0 {
		return
	}
	for _, open := range l.u.openUnits(o.Type, 0, false) {
		unit := place{t: open.Type, addr: plus(o.Address(), open.Off), trusted: true}
		l.storeAs(unit, value{t: open.Type, e: l.opened(open, l.loadAs(unit, plain).e)}, plain)
	}
}

// hidden are the bytes of a union at off, with these cells, that belong to members which have none: they may be looked at, and are copied with it.
func (u *unit) hidden(t *types.Type, cells []lowered.Scalar, name string, off int64) (bytes []lowered.Scalar) {
	is := make([]bool, t.Size)
	for _, f := range t.Fields {
		for _, s := range u.member(f, "", 0, nil) {
			for i := range s.Size {
				is[s.Off+i] = true
			}
		}
	}
	for _, gap := range lowered.GapsOf(lowered.Shifted(cells, off), t.Size) {
		for k := gap.Lo; k < gap.Hi; k++ {
			if is[k] {
				bytes = append(bytes, lowered.Scalar{Off: off + k, Size: 1, Type: types.UnsignedChar, Name: fmt.Sprintf("%s+%d", name, k)})
			}
		}
	}
	return bytes
}

// spoils makes the bytes of a structure at an address that are in no member anything.
func (l *lowerer) spoils(addr program.Expr, t *types.Type) {
	for _, s := range l.padding(t) {
		l.storeAs(place{t: s.Type, addr: plus(addr, s.Off)}, l.havoc(s.Type, 0, 255), plain)
	}
	l.gaps(addr, program.Const(0), true, t, true, l.u.cellsOf(t, ""), t.Size)
}

// padding are the bytes of a structure in no member that are looked at.
func (l *lowerer) padding(t *types.Type) []lowered.Scalar {
	if len(l.u.known.padded) == 0 {
		return nil
	}
	return slices.DeleteFunc(l.u.cellsOf(t, ""), func(s lowered.Scalar) bool { return s.Type != lowered.PaddingByte })
}

// forgetsPadding leaves open what is between the members of a local variable that is declared with an initialiser.
func (l *lowerer) forgetsPadding(o *lowered.Object) {
	padding := l.padding(o.Type)
	if !l.u.opts.Uninitialised {
		if len(padding) > 0 {
			l.forgetsThat(o, padding)
		}
		return
	}
	for _, s := range padding {
		l.mark(place{t: s.Type, addr: plus(o.Address(), s.Off)}, false)
	}
}
