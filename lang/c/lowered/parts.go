package lowered

import (
	"cmp"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Pieces are the cells that the scalars of the members of a union have between them.
func Pieces(all []Scalar) []Scalar {
	slices.SortStableFunc(all, func(a, b Scalar) int { return cmp.Or(cmp.Compare(a.Off, b.Off), cmp.Compare(b.Size, a.Size)) })
	var cells []Scalar
	for from := 0; from < len(all); {
		// A run of scalars that overlap.
		to, end := from+1, all[from].Off+all[from].Size
		for ; to < len(all) && all[to].Off < end; to++ {
			end = max(end, all[to].Off+all[to].Size)
		}
		cells = append(cells, divide(all[from:to], end)...)
		from = to
	}
	return cells
}

// divide is the pieces of scalars that overlap and end before end.
func divide(run []Scalar, end int64) []Scalar {
	if !slices.ContainsFunc(run, func(s Scalar) bool { return s.Apart(run[0]) }) {
		return run[:1]
	}
	var cuts []int64
	for _, s := range run {
		cuts = append(cuts, s.Off, s.Off+s.Size)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var cells []Scalar
	for i, off := range cuts[:len(cuts)-1] {
		for off < cuts[i+1] {
			size := int64(8)
			for off%size != 0 || off+size > cuts[i+1] {
				size /= 2
			}
			cells = append(cells, piece(run, off, size))
			off += size
		}
	}
	return cells
}

// Apart is true of scalars that are not one cell: a truth value has no room for what another one of its size may be, and a number of floating point
// has none at all.
func (s Scalar) Apart(o Scalar) bool {
	is := func(k types.Kind) bool { return (s.Type.Kind == k) != (o.Type.Kind == k) }
	return s.Off != o.Off || s.Size != o.Size || is(types.BoolKind) || is(types.FloatKind)
}

// piece is the cell of so many bytes at off.
func piece(run []Scalar, off, size int64) Scalar {
	for _, s := range run {
		if s.Off == off && s.Size == size && s.Type.Kind != types.FloatKind {
			if s.Type.Kind == types.BoolKind {
				s.Type = types.UnsignedChar
			}
			return s
		}
	}
	return Scalar{Off: off, Size: size, Type: types.UnsignedOf(size), Name: run[0].Name}
}

// PartsOf are the cells of the scalar, or unit of a bit-field, of type t at off in a union with these
// cells; nil where it is one.
func PartsOf(cells []Scalar, off int64, t *types.Type) []Scalar {
	var parts []Scalar
	for _, c := range cells {
		if off <= c.Off && c.Off < off+t.Size {
			c.Off -= off
			parts = append(parts, c)
		}
	}
	if len(parts) == 0 || len(parts) == 1 && !parts[0].Apart(Scalar{Off: parts[0].Off, Size: parts[0].Size, Type: t}) {
		return nil
	}
	return parts
}

// Shifted are the cells as seen from off.
func Shifted(cells []Scalar, off int64) []Scalar {
	if off == 0 {
		return cells
	}
	var to []Scalar
	for _, c := range cells {
		c.Off -= off
		to = append(to, c)
	}
	return to
}

// Split is a scalar in pieces.
func Split(parts []Scalar, e program.Expr) []program.Expr {
	var es []program.Expr
	for _, s := range parts {
		es = append(es, flowgraph.Fold(un(program.Cast(s.Type.Word()), flowgraph.Fold(bin(program.UShr, e, program.Const(8*s.Off))))))
	}
	return es
}

// Joined is a scalar that is made of pieces.
func Joined(parts []Scalar, es []program.Expr, t *types.Type) program.Expr {
	e := program.Expr(program.Const(0))
	for i, s := range parts {
		x := es[i]
		if s.Size < 8 {
			x = bin(program.BitAnd, x, program.Const(int64(1)<<(8*s.Size)-1))
		}
		e = flowgraph.Fold(bin(program.BitOr, e, flowgraph.Fold(bin(program.Shl, flowgraph.Fold(x), program.Const(8*s.Off)))))
	}
	if t.Kind == types.BoolKind {
		return ne(e, program.Const(0))
	}
	return wrap(e, t)
}
