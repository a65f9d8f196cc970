package litmus

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Where accesses of different sizes meet, a variable is several cells, each as large
// as the smallest of the accesses to it, and a wide access is one for each cell it
// reaches: accesses of one instruction, without an order between them.

// splitSizes chooses the cells of all variables, of tests where cells may be smaller
// than accesses.
func (b *builder) splitSizes(as []access) {
	type use struct{ off, bits int64 }
	// Where all accesses begin where their variables do, their width does not matter to what they
	// give: so it is in herd7, which takes other tests as a variant of its own (mixed).
	b.swapped = b.bigEndian && slices.ContainsFunc(as, func(a access) bool {
		return a.v != nil && (a.addr-a.v.addr)%a.v.stride() != 0
	})
	const unknown = -1 // as an offset
	uses := map[*variable][]use{}
	note := func(v *variable, off int64, bits uint8) {
		uses[v] = append(uses[v], use{off, int64(bits)})
	}
	var anywhere []uint8
	for _, a := range as {
		switch {
		case a.v != nil:
			off := a.addr - a.v.addr
			if off*8%int64(a.bits) != 0 {
				b.fail(a.at, "", "%s is not aligned to the %d bits of the access", a.text, a.bits)
			}
			note(a.v, off, a.bits)
		case a.among != nil:
			note(a.among, unknown, a.bits)
		case !slices.ContainsFunc(b.vars.sorted, func(v *variable) bool { return v.roams }):
			b.fail(a.at, "to access a variable through a register, put its address there: 0:"+b.exampleRegister()+"=x",
				"no register or variable holds the address of a variable")
		default:
			anywhere = append(anywhere, a.bits)
		}
	}
	finest := int64(64)
	for _, v := range b.vars.sorted {
		if v.roams {
			for _, bits := range anywhere {
				note(v, unknown, bits)
			}
		}
		own := v.typ.typ.Bits
		v.cell = b.cellType(own)
		us := uses[v]
		if len(us) == 0 {
			continue
		}
		one := us[0].bits
		for _, u := range us {
			switch {
			case u.bits != one, v.array && u.bits != int64(own):
				one = 0
			case u.off == unknown:
				if u.bits < int64(own) {
					one = 0
				}
			case b.swapped && u.bits < int64(own): // it is of the upper bits
				one = 0
			case !v.array && u.off != 0, v.array && u.off%v.stride() != 0:
				one = 0
			}
		}
		if one != 0 {
			if one >= int64(own) || len(v.init) == 0 || v.init[0].name == "" && uint64(v.init[0].num) < 1<<one {
				v.cell = b.cellType(uint8(one))
				continue
			}
		}
		v.split = true
		grain := int64(own)
		for _, u := range us {
			grain = min(grain, u.bits)
			v.extent = max(v.extent, max(u.off, 0)+u.bits/8)
		}
		if v.extent = max(v.extent, v.size()); v.array && v.extent > v.size() {
			v.extent = v.size()
		}
		v.cell = program.Type{Bits: uint8(grain)}
		if v.roams {
			finest = min(finest, grain)
		}
	}
	// An access through a register that may lead to several variables reaches as many
	// cells in each.
	for _, v := range b.vars.sorted {
		if v.roams && len(anywhere) > 0 && finest < 64 && slices.ContainsFunc(anywhere, func(bits uint8) bool { return int64(bits) > finest }) {
			if !v.split {
				v.split, v.extent = true, max(v.size(), int64(v.cell.Bits)/8)
			}
			v.cell = program.Type{Bits: uint8(finest)}
		}
	}
}

// cellType is the type of a cell that is accessed as a whole.
func (b *builder) cellType(bits uint8) program.Type {
	return program.Type{Bits: bits, Signed: bits == 64 || b.signedCells}
}

// cells lists what there is of a variable.
func (v *variable) cells() int {
	if v.split {
		return int(v.extent / (int64(v.cell.Bits) / 8))
	}
	return v.elements
}

// significance is how far to the left of its lowest bits a part of a value is, of so many bytes
// of width, in bits.
func (b *builder) significance(off, part, width int64) int64 {
	if b.swapped {
		off = width - part - off
	}
	return 8 * off
}

// piece is the value of the cell i of a variable that is split, of initial values by
// element.
func (b *builder) piece(v *variable, i int, init []int64) int64 {
	bytes := int64(v.cell.Bits) / 8
	off := int64(i) * bytes
	e := off / v.stride()
	if e >= int64(len(init)) {
		return 0
	}
	if off -= e * v.stride(); bytes > v.stride() {
		return v.cell.Wrap(init[e])
	}
	return v.cell.Wrap(init[e] >> b.significance(off, bytes, v.stride()))
}

// reaches is the condition that an access of the width is to cells there are; of v
// where that is not nil.
func (b *builder) reaches(addr program.Expr, bits uint8, among *variable) program.Expr {
	width := int64(bits) / 8
	var spans []span
	for _, v := range b.vars.sorted {
		if among != nil && v != among || among == nil && !v.roams || !v.split && v.cell.Bits != bits {
			continue
		}
		s := v.span()
		if v.split {
			s.step, s.last = width, v.addr+v.extent-width
		}
		spans = append(spans, s)
	}
	return b.within(addr, spans, 8)
}
