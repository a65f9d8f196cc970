package litmus

import (
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// raw is where the value of element i of a location is.
func (b *builder) raw(l *location, i int) program.Expr {
	if l.reg != nil {
		full := register{l.reg.base, part(b.wordBits)}
		return program.ThreadReg{
			Thread: l.thread, Reg: b.regs[l.thread][l.reg.base].index,
			Name: strconv.Itoa(l.thread) + ":" + b.spell(l.thread, full),
		}
	}
	i = max(i, l.index)
	if l.v.split {
		return b.pieces(l.v, i)
	}
	return program.Mem{Addr: l.v.element(i), Name: l.v.elementName(i)}
}

// pieces is the value of an element of a variable that is split.
func (b *builder) pieces(v *variable, element int) program.Expr {
	var all program.Expr
	bytes := int64(v.cell.Bits) / 8
	for off := int64(0); off < v.stride(); off += bytes {
		at := v.addr + int64(element)*v.stride() + off
		m := program.Mem{Addr: at, Name: v.name}
		if n := at - v.addr; n > 0 {
			m.Name += "+" + strconv.FormatInt(n, 10)
		}
		var e program.Expr = m
		if k := b.significance(off, bytes, max(bytes, v.stride())); k > 0 {
			e = binary(program.Shl, m, program.Const(k))
		}
		if off > 0 {
			e = program.Binary{Op: program.BitOr, X: all, Y: e}
		}
		all = e
	}
	return all
}

// types is the type of what raw is, and the type as which the value counts,
// which is the declared one.
func (b *builder) types(l *location) (have program.Type, want ctype) {
	if l.reg == nil {
		if l.v.split {
			return word(max(l.v.typ.typ.Bits, l.v.cell.Bits)), l.v.typ
		}
		return l.v.cell, l.v.typ
	}
	info := &b.regs[l.thread][l.reg.base]
	have, want = b.prog.Threads[l.thread].Regs[info.index].Type, info.declared()
	if l.reg.part.bits() < min(b.wordBits, want.typ.Bits) {
		want = ctype{typ: word(l.reg.part.bits())}
	}
	return have, want
}

// part is raw, or the part of it where the location is part of a register.
func (b *builder) part(l *location, i int) program.Expr {
	e := b.raw(l, i)
	if l.reg == nil || l.reg.part.bits() >= b.wordBits {
		return e
	}
	if n := l.reg.part.shift(); n > 0 {
		e = binary(program.Shr, e, program.Const(n))
	}
	return truncate(e, l.reg.part.bits())
}

// shown is the value of element i of a location, as its type has it.
func (b *builder) shown(l *location, i int) program.Expr {
	e := b.part(l, i)
	have, want := b.types(l)
	switch {
	case want.typ == have, want.typ.Bits > have.Bits, want.typ.Bits == 64:
		return e
	case want.typ.Signed:
		return signed(e, want.typ.Bits)
	}
	return truncate(e, want.typ.Bits)
}

// equals is whether element i of a location has a value, as far as its type
// reaches.
func (b *builder) equals(l *location, i int, c constant) program.Expr {
	n := b.value(c)
	have, want := b.types(l)
	e := b.part(l, i)
	if want.typ.Bits >= have.Bits && (l.reg == nil || l.reg.part.bits() >= b.wordBits) {
		// The value is what it is; only the constant may be out of range.
		k := want.typ.Wrap(n)
		if want.typ.Bits == have.Bits {
			k = have.Wrap(n)
		}
		return program.Binary{Op: program.Eq, X: e, Y: program.Const(k)}
	}
	return program.Binary{Op: program.Eq, X: b.shown(l, i), Y: program.Const(want.typ.Wrap(n))}
}

// show lists what a final state shows, for the printer here and for others.
func (b *builder) show(t *Test, locs []*location) {
	seen := map[program.Expr]bool{}
	for _, l := range locs {
		s := shownValue{name: l.text(), vector: l.whole()}
		_, want := b.types(l)
		s.unsigned = want.unsigned
		n := 1
		if l.whole() {
			n = l.v.elements
		}
		for i := range n {
			s.exprs = append(s.exprs, b.shown(l, i))
			program.Walk(b.raw(l, i), func(e program.Expr) {
				switch e.(type) {
				case program.Mem, program.ThreadReg:
					if !seen[e] {
						seen[e] = true
						b.prog.Observe = append(b.prog.Observe, e)
					}
				}
			})
		}
		t.shown = append(t.shown, s)
		t.Locations = append(t.Locations, s.name)
	}
}
