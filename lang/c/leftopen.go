package c

import (
	"bytes"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// An initialiser sets one member of a union. What the other bytes of the union hold C leaves open (C11, 6.2.6.1p7), and so it does for bytes and bits
// of the member that belong to none of its own members, which are those of other members of the union. Compilers have long set them to 0; GCC does so no
// longer from its version 15 on. Memory of static storage duration is 0 there on all machines, and here.

// leftOpen are the bits that an initialiser of a t leaves open, a byte for each of its bytes; nil where there are none.
func leftOpen(t *types.Type, puts []put) (open []byte) {
	for _, p := range puts {
		if p.member == nil {
			continue
		}
		if open == nil {
			open = make([]byte, t.Size)
		}
		for i := range p.t.Size {
			open[p.off+i] = 0xff
		}
		closes(open[p.off:], *p.member)
	}
	if !slices.ContainsFunc(open, func(b byte) bool { return b != 0 }) {
		return nil
	}
	return open
}

// closes takes out of them the bits that are a member's.
func closes(open []byte, f types.Field) {
	switch t := f.Type; {
	case f.Bits > 0:
		for bit := f.BitOffset; bit < f.BitOffset+f.Bits; bit++ {
			open[f.Offset+int64(bit/8)] &^= 1 << (bit % 8)
		}
	case t.Library || t.Kind != types.StructKind && t.Kind != types.ArrayKind:
		clear(open[f.Offset : f.Offset+t.Size])
	case t.Kind == types.ArrayKind:
		for i := range t.Len {
			closes(open, types.Field{Type: t.Elem, Offset: f.Offset + i*t.Elem.Size})
		}
	default:
		for _, g := range t.Fields {
			closes(open[f.Offset:], g)
		}
	}
}

// noMembers are the bits of a t that are in no member.
func noMembers(t *types.Type) []byte {
	open := bytes.Repeat([]byte{0xff}, int(t.Size))
	closes(open, types.Field{Type: t})
	return open
}

// openIn are those in a scalar of so many bytes.
func openIn(open []byte, off, size int64) (mask int64) {
	if open != nil {
		for i := range size {
			mask |= int64(open[off+i]) << (8 * i)
		}
	}
	return mask
}

// fillRest gives a scalar of an object that an initialiser does not speak of its first value: 0, but for the bits that are left open.
func (l *lowerer) fillRest(o *lowered.Object, s lowered.Scalar, open []byte) {
	mask := openIn(open, s.Off, s.Size)
	to := place{t: s.Type.Plain(), addr: plus(o.Address(), s.Off)}
	switch mask {
	case 0:
		l.storeAs(to, value{t: s.Type, e: program.Const(0)}, plain)
	case int64(1)<<(8*s.Size-1)<<1 - 1: // nothing of it has a value
		if l.u.opts.Uninitialised {
			l.mark(to, false)
		} else {
			l.forgetsThat(o, []lowered.Scalar{s})
		}
	default:
		r := l.temp(s.Type)
		l.emit(program.Command{Op: program.Havoc, Reg: r, Lo: s.Type.Word().Min(), Hi: s.Type.Word().Max()})
		l.storeAs(to, value{t: s.Type, e: flowgraph.Fold(bin(program.BitAnd, program.Reg(r), program.Const(mask)))}, plain)
		if l.u.opts.Uninitialised && s.Fields {
			l.markAs(to, program.Const((^mask&allOf(s.Size))<<1))
		}
	}
}
