package types

import "modernc.org/cc/v4"

// Attributes are what attributes and _Alignas say of where something lies.
type Attributes struct {
	Align       int64 // 0: nothing
	Packed      bool
	Most        int64 // what members are aligned to at most, as #pragma pack says; 0: it does not
	Transparent bool  // a parameter of this union takes what any of its members does
}

// Pending is a structure or a union whose members are not known yet; node is where it is defined, or mentioned.
func Pending(kind Kind, name string, node *cc.StructOrUnionSpecifier) *Type {
	return &Type{Kind: kind, Align: 1, Name: name, Node: node, copies: &[]*Type{}}
}

// IsPending is true of what [Pending] made, until it is laid out, and of its qualified copies.
func (t *Type) IsPending() bool { return t.copies != nil && t.Node != nil }

// A Layout gives the members of a structure or a union their places, one after the other, as the ABI of x86-64 has it.
type Layout struct {
	t     *Type
	whole Attributes
	off   int64 // the first bit that is free
	run   int   // how often a sequence of bit-fields has ended
}

// Layout begins to lay out t, of which as a whole the attributes say so much.
func (t *Type) Layout(whole Attributes) *Layout {
	t.Fields = []Field{}
	t.Transparent = whole.Transparent && t.Kind == UnionKind
	return &Layout{t: t, whole: whole}
}

// alignment is that of a member of type t.
func (l *Layout) alignment(t *Type, said Attributes) int64 {
	align := max(t.Align, said.Align)
	if l.whole.Packed || said.Packed {
		align = max(1, said.Align)
	}
	if most := l.whole.Most; most > 0 {
		align = min(align, most)
	}
	return align
}

// Place adds a member that is no bit-field; without a name it is a structure or a union whose members count as those of
// this one.
func (l *Layout) Place(name string, t *Type, said Attributes) {
	if l.t.Kind == UnionKind {
		l.off = 0
	}
	align := l.alignment(t, said)
	l.off = roundUp(l.off, 8*align)
	l.run++
	l.t.Fields = append(l.t.Fields, Field{Name: name, Type: t, Offset: l.off / 8})
	l.off += 8 * t.Size
	l.t.Align = max(l.t.Align, align)
	l.t.Size = max(l.t.Size, roundUp(l.off, 8)/8)
}

// PlaceBits adds a bit-field of one bit or more; one without a name is a gap. What is packed begins where the last one ends; others
// lie in one object of their type, where one would be aligned. It is false of one of which compilers heed two
// attributes in their own ways.
func (l *Layout) PlaceBits(name string, t *Type, bits int, said Attributes) bool {
	if l.whole.Most > 0 && (l.whole.Packed || said.Packed || said.Align > 0) {
		return false
	}
	if l.t.Kind == UnionKind {
		l.off = 0
	}
	align, unit := l.alignment(t, said), 8*t.Size
	if said.Align > 0 {
		l.off = roundUp(l.off, 8*said.Align)
	}
	if l.off/unit != (l.off+int64(bits)-1)/unit && !l.whole.Packed && !said.Packed && l.whole.Most == 0 {
		l.off = roundUp(l.off, unit)
	}
	start := l.off / unit * unit
	if name != "" { // a gap asks for nothing
		l.t.Fields = append(l.t.Fields, Field{Name: name, Type: t, Offset: start / 8, Bits: bits, BitOffset: int(l.off - start), Run: l.run})
		l.t.Align = max(l.t.Align, align)
	}
	l.off += int64(bits)
	l.t.Size = max(l.t.Size, roundUp(l.off, 8)/8)
	return true
}

// Close ends the unit of type t that bit-fields are being put in, as one of no bits does.
func (l *Layout) Close(t *Type) {
	l.off = roundUp(l.off, 8*t.Size)
	l.run++
	l.t.Size = max(l.t.Size, l.off/8)
}

// End makes the type, and the qualified copies that were made of it meanwhile, complete. It is false where the
// bytes of bit-fields begin or end within those of others.
func (l *Layout) End() bool {
	t := l.t
	t.Align = max(t.Align, l.whole.Align)
	t.Size = roundUp(t.Size, t.Align)
	t.Whole = true
	if !t.units() {
		return false
	}
	for _, c := range *t.copies {
		c.Fields, c.Size, c.Align, c.Whole = t.Fields, t.Size, t.Align, true
	}
	t.copies = nil
	return true
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }
