package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// The cell beside one in which there are bit-fields, or members of a union, is wider than others (uninitialised.go): it is 1 where all of that one has been
// written, else twice a mask of the bits that have been.

// A fieldCell is a cell in which there are bits of a bit-field, and those as the cell beside it has them.
type fieldCell struct {
	place
	bits int64
}

// fieldCells are those of a bit-field.
func (l *lowerer) fieldCells(p place) (all []fieldCell) {
	parts := p.parts
	if parts == nil {
		parts = []lowered.Scalar{{Size: p.unit.Size, Type: p.unit}}
	}
	for _, s := range parts {
		if bits := l.fieldBits(p, s.Off, s.Size); bits != 0 {
			all = append(all, fieldCell{p.part(s), bits})
		}
	}
	return all
}

// fieldBits are the bits of a bit-field that are in so many bytes at off in its unit, as the cell beside these has them.
func (l *lowerer) fieldBits(p place, off, size int64) int64 {
	mask := (uint64(1)<<p.bits - 1) << p.bitOff
	if last := mask >> 62; last == 1 || last == 2 {
		l.u.refuseHere("reads of what is not initialised, where a bit-field begins or ends before the last of 64 bits")
	}
	return int64(mask >> (8 * off) & uint64(allOf(size)) << 1) // the last bit of 64 is never alone
}

// isWhole is whether what is beside a cell says that all of it has been written.
func isWhole(set program.Expr) program.Expr { return flowgraph.Fold(eq(set, program.Const(1))) }

// hasBits is whether it says that these bits of it have been.
func hasBits(set program.Expr, bits int64) program.Expr {
	return bin(program.LogicalOr, isWhole(set), eq(bin(program.BitAnd, set, program.Const(bits)), program.Const(bits)))
}

// markField notes of a bit-field that it is written to, or those bits of it that set tells of.
func (l *lowerer) markField(p place, set program.Expr) {
	is := isWhole(set)
	for _, f := range l.fieldCells(p) {
		r := program.Reg(l.loadSet(f.place))
		some := bin(program.BitAnd, bin(program.Shl, set, program.Const(p.bitOff)), program.Const(f.bits)) // of the unit of a structure that is a member of a union: it has no pieces
		now := bin(program.BitOr, r, bin(program.BitOr, bin(program.Mul, is, program.Const(f.bits)), bin(program.Mul, program.NotExpr(is), some)))
		all := bin(program.LogicalOr, isWhole(r), eq(now, program.Const(allOf(f.t.Size)<<1)))
		l.markAs(f.place, flowgraph.FoldAll(bin(program.BitOr, all, bin(program.Mul, program.NotExpr(all), now))))
	}
}

// packedSet is what is beside a cell that holds v, of type t (packed.go).
func (l *lowerer) packedSet(t *types.Type, v value) program.Expr {
	return l.joinedSet(l.u.flatten(t.Plain(), "", 0, nil), v.sets)
}

// joinedSet is what is beside a cell that is made of these, of which sets tell.
func (l *lowerer) joinedSet(scalars []lowered.Scalar, sets []program.Expr) program.Expr {
	all, bits := program.Expr(program.Const(1)), program.Expr(program.Const(0))
	for i, s := range scalars {
		is := isWhole(sets[i])
		mask := bin(program.BitOr, bin(program.Mul, is, program.Const(allOf(s.Size))), bin(program.Mul, program.NotExpr(is), bin(program.UShr, sets[i], program.Const(1))))
		all = flowgraph.Fold(bin(program.BitAnd, all, is))
		bits = flowgraph.Fold(bin(program.BitOr, bits, bin(program.Shl, flowgraph.Fold(mask), program.Const(8*s.Off+1))))
	}
	r := l.temp(types.UnsignedLong)
	l.assign(r, flowgraph.Fold(bin(program.BitOr, all, bin(program.Mul, program.NotExpr(all), bits))))
	return program.Reg(r)
}

// unpackedSets are those of the scalars of what such a cell holds.
func (l *lowerer) unpackedSets(t *types.Type, set program.Expr) []program.Expr {
	return l.setsOf(l.u.flatten(t.Plain(), "", 0, nil), set)
}

// setsOf is what is beside these, of which a cell is made.
func (l *lowerer) setsOf(scalars []lowered.Scalar, set program.Expr) (sets []program.Expr) {
	for _, s := range scalars {
		full := allOf(s.Size) << (8*s.Off + 1)
		is := hasBits(set, full)
		if s.Fields {
			some := bin(program.Shl, bin(program.BitAnd, bin(program.UShr, set, program.Const(8*s.Off+1)), program.Const(allOf(s.Size))), program.Const(1))
			is = bin(program.BitOr, is, bin(program.Mul, program.NotExpr(is), some))
		}
		r := l.temp(types.UnsignedLong)
		l.assign(r, flowgraph.Fold(is))
		sets = append(sets, program.Reg(r))
	}
	return sets
}

// setOf is what is known of a scalar that is made of such parts, or is one of which sets tells.
func (l *lowerer) setOf(s lowered.Scalar, parts []lowered.Scalar, sets []program.Expr) program.Expr {
	set := sets[0]
	if parts != nil {
		set = l.joinedSet(parts, sets)
	}
	if !s.Fields {
		return isWhole(set)
	}
	return set
}

// membersSet is whether what is in members of a structure has been written, for each scalar of a value of it: bits that are in no bit-field
// need not have been, no more than what is between members.
func (l *lowerer) membersSet(v value) (are []program.Expr) {
	if v.sets == nil {
		return nil
	}
	open := noMembers(v.t)
	for i, s := range l.u.flatten(v.t, "", 0, nil) {
		if !s.Fields {
			are = append(are, isWhole(v.sets[i]))
			continue
		}
		are = append(are, hasBits(v.sets[i], (^openIn(open, s.Off, s.Size)&allOf(s.Size))<<1))
	}
	return are
}

// setsAt are what is beside the scalars of a structure at p.
func (l *lowerer) setsAt(p place) []program.Expr {
	sets := l.loadSets(p)
	if l.u.packed(p.t) != nil {
		return l.unpackedSets(p.t, sets[0])
	}
	return sets
}

// loadSets loads what is beside the cells of p.
func (l *lowerer) loadSets(p place) (sets []program.Expr) {
	for _, c := range l.cells(p) {
		sets = append(sets, program.Reg(l.loadSet(c)))
	}
	return sets
}

// markParts notes of p, which may be in pieces, what set says.
func (l *lowerer) markParts(p place, set program.Expr) {
	if p.parts == nil {
		l.markAs(p, set)
		return
	}
	for i, piece := range l.setsOf(p.parts, set) {
		l.markAs(p.part(p.parts[i]), piece)
	}
}

// allOf are all bits of so many bytes.
func allOf(size int64) int64 { return int64(^uint64(0) >> (64 - 8*size)) }

// markFilled notes what an initialiser puts into p, at off in an object, and whether that has been written (nil: it has), where some bits are left open
// (leftopen.go).
func (l *lowerer) markFilled(p place, off int64, set program.Expr, open []byte) {
	if set == nil {
		set = program.Const(1)
	}
	is := isWhole(set)
	switch {
	case p.bits > 0:
		l.markField(p, set)
	case openIn(open, off, p.t.Size) != 0:
		bits := program.Const((^openIn(open, off, p.t.Size) & allOf(p.t.Size)) << 1)
		l.markAs(p, flowgraph.FoldAll(bin(program.BitOr, bin(program.Mul, is, bits), bin(program.Mul, program.NotExpr(is), bin(program.BitAnd, set, bits)))))
	default:
		l.markAs(p, set)
	}
}

// lookIn asserts that a member has been written of a value with these scalars, of which sets tells.
func (l *lowerer) lookIn(p place, off int64, scalars []lowered.Scalar, sets []program.Expr) {
	size := p.t.Size
	if p.bits > 0 {
		size = p.unit.Size
	}
	for i, s := range scalars {
		if l.careless > 0 || s.Off < off || s.Off >= off+max(size, 1) {
			continue
		}
		is := isWhole(sets[i])
		if p.bits > 0 {
			bits := l.fieldBits(p, s.Off-off, s.Size)
			if bits == 0 {
				continue
			}
			is = hasBits(sets[i], bits)
		}
		l.assert(is, notInitialised)
	}
}
