package c

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Members of a union that share a part of their bytes, such as a lock word and its halves, lie in
// the smallest pieces that the members have between them, a cell each. A member of several pieces
// is read and written piece by piece. An atomic read-modify-write does so in one step; so does
// a store that is an exchange. Other accesses are one instruction on a machine, and no fence (wide.go).

// part is the place of a piece.
func (p place) part(s lowered.Scalar) place {
	return place{t: s.Type.Plain(), addr: plus(p.addr, s.Off)}
}

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
	return lowered.Split(p.parts, v.e)
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
	return value{t: t, e: lowered.Joined(p.parts, es, t)}
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
		p.parts = []lowered.Scalar{{Type: p.t}}
	} else {
		p.align, p.real = 0, p.t.Kind == types.FloatKind
	}
	for _, s := range p.parts {
		r := l.temp(s.Type)
		body = append(body, program.Command{Op: program.Load, Reg: r, Addr: plus(p.addr, s.Off), Tags: l.copied(p, p.pieceTags(s, order))})
		es = append(es, program.Reg(r))
	}
	return body, es
}

// pieceTags are those of an access to one of the pieces of p.
func (p place) pieceTags(s lowered.Scalar, order int) program.Tags {
	t := place{t: s.Type, addr: p.addr, lo: p.lo, hi: p.hi, align: p.align, real: p.real}.tags(order)
	if p.bits > 0 {
		t = t.With(flowgraph.PieceTag((1<<p.bits-1)<<p.bitOff, s.Off, s.Size))
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
		p.parts = []lowered.Scalar{{Type: p.t}}
	} else {
		bits, known := bitsOf(v)
		es = p.split(bits)
		p.align, p.real = 0, !known
	}
	for i, s := range p.parts {
		body = append(body, program.Command{Op: program.Store, Addr: plus(p.addr, s.Off), Value: es[i], Tags: p.pieceTags(s, order)})
	}
	return body
}

// bitParts are the values of the parts of a bit-field that are in these cells.
func (p put) bitParts(cells []lowered.Scalar) (all []put) {
	for _, c := range cells {
		from, to := max(p.bitOff, 8*int(c.Off)), min(p.bitOff+p.bits, 8*int(c.Off+c.Size))
		t := types.UnitOf(c.Size)
		if from >= to {
			continue
		}
		e := flowgraph.Fold(un(program.Cast(t.Word()), flowgraph.Fold(bin(program.UShr, p.v.e, program.Const(int64(from-p.bitOff))))))
		all = append(all, put{off: p.off + c.Off, t: t, bits: to - from, bitOff: from - 8*int(c.Off), unit: t, v: value{t: t, e: e}, at: p.at})
	}
	return all
}

// divide makes of the values that an initialiser sets in an object of type t one for each cell.
func (l *lowerer) divide(t *types.Type, puts []put) []put {
	if t.Scalar() || !slices.ContainsFunc(puts, func(p put) bool { return p.member == nil && p.t.Scalar() }) {
		return puts
	}
	cells := l.u.flatten(t, "", 0, nil)
	there := map[lowered.Scalar]bool{}
	for _, c := range cells {
		there[lowered.Scalar{Off: c.Off, Size: c.Size}] = true
	}
	var all []put
	for _, p := range puts {
		if i := slices.IndexFunc(cells, func(c lowered.Scalar) bool { return c.Off == p.off }); i >= 0 && cells[i].Type.Kind == types.FloatKind && p.t.Kind != types.FloatKind {
			all = append(all, put{off: p.off, t: cells[i].Type, v: someReal(cells[i].Type), at: p.at, set: p.set}) // nothing but that member is used
			continue
		}
		w := p.t
		if p.bits > 0 {
			w = p.unit
		}
		parts := lowered.PartsOf(cells, p.off, w)
		if there[lowered.Scalar{Off: p.off, Size: w.Size}] && parts == nil || !p.t.Scalar() {
			all = append(all, p)
			continue
		}
		i := slices.IndexFunc(cells, func(c lowered.Scalar) bool { return c.Off <= p.off && p.off+w.Size <= c.Off+c.Size })
		if i >= 0 && parts == nil && types.UnitOf(cells[i].Size) != nil { // a part of a cell: a bit-field of it
			c, bits := cells[i], p.bits
			if bits == 0 {
				bits = int(8 * w.Size)
			}
			all = append(all, put{off: c.Off, t: p.t, bits: bits, bitOff: p.bitOff + int(8*(p.off-c.Off)), unit: types.UnitOf(c.Size), v: p.v, at: p.at, set: p.set})
			continue
		}
		if parts == nil && p.t.Integer() { // of which nothing but a smaller member is used
			in := lowered.Shifted(slices.DeleteFunc(slices.Clone(cells), func(c lowered.Scalar) bool { return c.Off < p.off || c.Off+c.Size > p.off+w.Size }), p.off)
			if len(in) == 1 && in[0].Size < w.Size && in[0].Type.Integer() {
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
		sets := make([]program.Expr, len(parts))
		if p.set != nil {
			sets = l.setsOf(parts, p.set)
		}
		for i, e := range (place{t: p.t, parts: parts}).split(v) {
			if parts[i].Type.Kind == types.FloatKind {
				e = someReal(parts[i].Type).e
			}
			all = append(all, put{off: p.off + parts[i].Off, t: parts[i].Type, v: value{t: parts[i].Type, e: e}, at: p.at, set: sets[i], real: !known})
		}
	}
	return all
}
