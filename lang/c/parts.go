package c

import (
	"cmp"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Members of a union that share a part of their bytes, such as a lock word and its halves, lie in
// the smallest pieces that the members have between them, a cell each. A member of several pieces
// is read and written piece by piece. An atomic read-modify-write does so in one step; so does
// a store that is an exchange. Other accesses are one instruction on a machine, and no fence (wide.go).

// pieces are the cells that the scalars of the members of a union have between them.
func pieces(all []scalar) []scalar {
	slices.SortStableFunc(all, func(a, b scalar) int { return cmp.Or(cmp.Compare(a.off, b.off), cmp.Compare(b.size, a.size)) })
	var cells []scalar
	for from := 0; from < len(all); {
		// A run of scalars that overlap.
		to, end := from+1, all[from].off+all[from].size
		for ; to < len(all) && all[to].off < end; to++ {
			end = max(end, all[to].off+all[to].size)
		}
		cells = append(cells, divide(all[from:to], end)...)
		from = to
	}
	return cells
}

// divide is the pieces of scalars that overlap and end before end.
func divide(run []scalar, end int64) []scalar {
	if !slices.ContainsFunc(run, func(s scalar) bool { return s.apart(run[0]) }) {
		return run[:1]
	}
	var cuts []int64
	for _, s := range run {
		cuts = append(cuts, s.off, s.off+s.size)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var cells []scalar
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

// apart is true of scalars that are not one cell: a truth value has no room for what another one of its size may be, and a number of floating point
// has none at all.
func (s scalar) apart(o scalar) bool {
	is := func(k types.Kind) bool { return (s.t.Kind == k) != (o.t.Kind == k) }
	return s.off != o.off || s.size != o.size || is(types.BoolKind) || is(types.FloatKind)
}

// piece is the cell of so many bytes at off.
func piece(run []scalar, off, size int64) scalar {
	for _, s := range run {
		if s.off == off && s.size == size && s.t.Kind != types.FloatKind {
			if s.t.Kind == types.BoolKind {
				s.t = types.UnsignedChar
			}
			return s
		}
	}
	return scalar{off: off, size: size, t: types.UnsignedOf(size), name: run[0].name}
}

// partsOf are the cells of the scalar, or unit of a bit-field, of type t at off in a union with these
// cells; nil where it is one.
func partsOf(cells []scalar, off int64, t *types.Type) []scalar {
	var parts []scalar
	for _, c := range cells {
		if off <= c.off && c.off < off+t.Size {
			c.off -= off
			parts = append(parts, c)
		}
	}
	if len(parts) == 0 || len(parts) == 1 && !parts[0].apart(scalar{off: parts[0].off, size: parts[0].size, t: t}) {
		return nil
	}
	return parts
}

// shifted are the cells as seen from off.
func shifted(cells []scalar, off int64) []scalar {
	if off == 0 {
		return cells
	}
	var to []scalar
	for _, c := range cells {
		c.off -= off
		to = append(to, c)
	}
	return to
}

// part is the place of a piece.
func (p place) part(s scalar) place { return place{t: s.t.Plain(), addr: plus(p.addr, s.off)} }

// splitValue is the values of the cells of p where v is what is stored there.
func (l *lowerer) splitValue(p place, v value) []program.Expr {
	if cell := l.u.packed(p.t); cell != nil {
		return []program.Expr{l.u.pack(p.t, cell, v).e}
	}
	return p.split(v)
}

// split is that of a place that is no structure of one cell.
func (p place) split(v value) []program.Expr {
	if p.parts == nil {
		return v.scalars()
	}
	return split(p.parts, v.e)
}

// split is a scalar in pieces.
func split(parts []scalar, e program.Expr) []program.Expr {
	var es []program.Expr
	for _, s := range parts {
		es = append(es, flowgraph.Fold(un(program.Cast(s.t.Word()), flowgraph.Fold(bin(program.UShr, e, program.Const(8*s.off))))))
	}
	return es
}

// whole is the value of p given those of its cells.
func (l *lowerer) whole(p place, es []program.Expr) value {
	t := p.t.Plain()
	if l.u.packed(p.t) != nil {
		return value{t: t, agg: l.u.unpacked(t, es[0])}
	}
	if t.Aggregate() {
		return value{t: t, agg: es}
	}
	switch {
	case p.parts == nil:
		return value{t: t, e: es[0]}
	case t.Kind == types.FloatKind:
		return someReal(t)
	}
	return value{t: t, e: joined(p.parts, es, t)}
}

// joined is a scalar that is made of pieces.
func joined(parts []scalar, es []program.Expr, t *types.Type) program.Expr {
	e := program.Expr(program.Const(0))
	for i, s := range parts {
		x := es[i]
		if s.size < 8 {
			x = bin(program.BitAnd, x, program.Const(int64(1)<<(8*s.size)-1))
		}
		e = flowgraph.Fold(bin(program.BitOr, e, flowgraph.Fold(bin(program.Shl, flowgraph.Fold(x), program.Const(8*s.off)))))
	}
	if t.Kind == types.BoolKind {
		return ne(e, program.Const(0))
	}
	return wrap(e, t)
}

// loadParts loads p piece by piece.
func (l *lowerer) loadParts(p place, order int) value {
	body, es := l.partLoads(p, order)
	l.wide(flowgraph.WideLoad, body)
	return l.whole(p, es)
}

// partLoads are the loads of the pieces of p, and what they load.
func (l *lowerer) partLoads(p place, order int) (body []program.Command, es []program.Expr) {
	if p.parts == nil {
		p.parts = []scalar{{t: p.t}}
	} else {
		p.align, p.real = 0, p.t.Kind == types.FloatKind
	}
	for _, s := range p.parts {
		r := l.temp(s.t)
		body = append(body, program.Command{Op: program.Load, Reg: r, Addr: plus(p.addr, s.off), Tags: l.copied(p, p.pieceTags(s, order))})
		es = append(es, program.Reg(r))
	}
	return body, es
}

// pieceTags are those of an access to one of the pieces of p.
func (p place) pieceTags(s scalar, order int) program.Tags {
	t := place{t: s.t, addr: p.addr, lo: p.lo, hi: p.hi, align: p.align, real: p.real}.tags(order)
	if p.bits > 0 {
		t = t.With(flowgraph.PieceTag((1<<p.bits-1)<<p.bitOff, s.off, s.size))
	}
	return t
}

// storeParts stores v piece by piece, in one step where it is an exchange.
func (l *lowerer) storeParts(p place, v value, order int) {
	l.wide(flowgraph.WideStore, l.partStores(p, v, order))
}

// partStores are the stores of v to the pieces of p.
func (l *lowerer) partStores(p place, v value, order int) (body []program.Command) {
	es := p.split(v)
	if p.parts == nil {
		p.parts = []scalar{{t: p.t}}
	} else {
		bits, known := bitsOf(v)
		es = p.split(bits)
		p.align, p.real = 0, !known
	}
	for i, s := range p.parts {
		body = append(body, program.Command{Op: program.Store, Addr: plus(p.addr, s.off), Value: es[i], Tags: p.pieceTags(s, order)})
	}
	return body
}

// bitParts are the values of the parts of a bit-field that are in these cells.
func (p put) bitParts(cells []scalar) (all []put) {
	for _, c := range cells {
		from, to := max(p.bitOff, 8*int(c.off)), min(p.bitOff+p.bits, 8*int(c.off+c.size))
		t := types.UnitOf(c.size)
		if from >= to {
			continue
		}
		e := flowgraph.Fold(un(program.Cast(t.Word()), flowgraph.Fold(bin(program.UShr, p.v.e, program.Const(int64(from-p.bitOff))))))
		all = append(all, put{off: p.off + c.off, t: t, bits: to - from, bitOff: from - 8*int(c.off), unit: t, v: value{t: t, e: e}, at: p.at})
	}
	return all
}

// divide makes of the values that an initialiser sets in an object of type t one for each cell.
func (l *lowerer) divide(t *types.Type, puts []put) []put {
	if t.Scalar() || !slices.ContainsFunc(puts, func(p put) bool { return p.member == nil && p.t.Scalar() }) {
		return puts
	}
	cells := l.u.flatten(t, "", 0, nil)
	there := map[scalar]bool{}
	for _, c := range cells {
		there[scalar{off: c.off, size: c.size}] = true
	}
	var all []put
	for _, p := range puts {
		if i := slices.IndexFunc(cells, func(c scalar) bool { return c.off == p.off }); i >= 0 && cells[i].t.Kind == types.FloatKind && p.t.Kind != types.FloatKind {
			all = append(all, put{off: p.off, t: cells[i].t, v: someReal(cells[i].t), at: p.at, set: p.set}) // nothing but that member is used
			continue
		}
		w := p.t
		if p.bits > 0 {
			w = p.unit
		}
		parts := partsOf(cells, p.off, w)
		if there[scalar{off: p.off, size: w.Size}] && parts == nil || !p.t.Scalar() {
			all = append(all, p)
			continue
		}
		i := slices.IndexFunc(cells, func(c scalar) bool { return c.off <= p.off && p.off+w.Size <= c.off+c.size })
		if i >= 0 && parts == nil && types.UnitOf(cells[i].size) != nil { // a part of a cell: a bit-field of it
			c, bits := cells[i], p.bits
			if bits == 0 {
				bits = int(8 * w.Size)
			}
			all = append(all, put{off: c.off, t: p.t, bits: bits, bitOff: p.bitOff + int(8*(p.off-c.off)), unit: types.UnitOf(c.size), v: p.v, at: p.at, set: p.set})
			continue
		}
		if parts == nil && p.t.Integer() { // of which nothing but a smaller member is used
			in := shifted(slices.DeleteFunc(slices.Clone(cells), func(c scalar) bool { return c.off < p.off || c.off+c.size > p.off+w.Size }), p.off)
			if len(in) == 1 && in[0].size < w.Size && in[0].t.Integer() {
				parts = in
			}
		}
		if parts == nil {
			l.u.refuse(p.at, "this initialiser of a union")
		}
		if p.bits > 0 {
			all = append(all, p.bitParts(parts)...)
			continue
		}
		v, known := bitsOf(p.v)
		for i, e := range (place{t: p.t, parts: parts}).split(v) {
			if parts[i].t.Kind == types.FloatKind {
				e = someReal(parts[i].t).e
			}
			all = append(all, put{off: p.off + parts[i].off, t: parts[i].t, v: value{t: parts[i].t, e: e}, at: p.at, set: p.set, real: !known})
		}
	}
	return all
}
