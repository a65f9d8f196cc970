package types

// Bit-fields of a structure lie in units, one cell each. By the ABI that of a field is of its
// declared type; where two of different types overlap they share the larger one, and where
// another member lies in the bytes of a unit the field has the smallest that holds it.

// units gives the bit-fields of t their units. It is false where there are none.
func (t *Type) units() bool {
	var bits []*Field
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Bits > 0 {
			f.Unit = UnsignedOf(f.Type.Size)
			bits = append(bits, f)
		}
	}
	if len(bits) == 0 || t.Kind == UnionKind || t.share(bits) {
		return true
	}
	for _, f := range bits {
		first, last := 8*f.Offset+int64(f.BitOffset), 8*f.Offset+int64(f.BitOffset+f.Bits)-1
		for size := int64(1); size <= 8; size *= 2 {
			if first/(8*size) == last/(8*size) {
				f.moveTo(first/(8*size)*size, size)
				break
			}
		}
	}
	if t.share(bits) {
		return true
	}
	// Where not even that is free of other members: the bytes of the field alone. Their number is no power of
	// two, perhaps, and another member lies in the bytes of the unit that the field has no bits in.
	for _, f := range bits {
		first, last := 8*f.Offset+int64(f.BitOffset), 8*f.Offset+int64(f.BitOffset+f.Bits)-1
		for size := int64(1); size <= 8; size *= 2 {
			if last/8-first/8 < size {
				f.moveTo(first/8, size)
				break
			}
		}
	}
	return merge(bits)
}

// moveTo makes the unit of a bit-field the one of so many bytes at off.
func (f *Field) moveTo(off, size int64) {
	f.BitOffset += int(8 * (f.Offset - off))
	f.Offset, f.Unit = off, UnsignedOf(size)
}

// merge makes one unit of those that overlap. It is false where none is large enough.
func merge(bits []*Field) bool {
	for changed := true; changed; {
		changed = false
		for _, f := range bits {
			for _, g := range bits {
				if f.Offset >= g.Offset+g.Unit.Size || g.Offset >= f.Offset+f.Unit.Size || f.Offset == g.Offset && f.Unit == g.Unit {
					continue
				}
				lo, hi, size := min(f.Offset, g.Offset), max(f.Offset+f.Unit.Size, g.Offset+g.Unit.Size), int64(1)
				for size < hi-lo {
					size *= 2
				}
				if size > 8 {
					return false
				}
				f.moveTo(lo, size)
				g.moveTo(lo, size)
				changed = true
			}
		}
	}
	return true
}

// share is merge, and false where another member lies in a unit.
func (t *Type) share(bits []*Field) bool {
	if !merge(bits) {
		return false
	}
	for _, f := range bits {
		for i := range t.Fields {
			if g := &t.Fields[i]; g.Bits == 0 && f.Offset < g.Offset+g.Type.Size && g.Offset < f.Offset+f.Unit.Size {
				return false
			}
		}
	}
	return true
}
