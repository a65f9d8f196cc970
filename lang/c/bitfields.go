package c

// Bit-fields of a structure lie in units, one cell each. By the ABI that of a field is of its
// declared type; where two of different types overlap they share the larger one, and where
// another member lies in the bytes of a unit the field has the smallest that holds it.

// unitOf is the unsigned integer of so many bytes.
func unitOf(bytes int64) *ctype {
	return map[int64]*ctype{1: ucharType, 2: ushrtType, 4: uintType, 8: ulongType}[bytes]
}

// units gives the bit-fields of t their units. It is false where there are none.
func (t *ctype) units() bool {
	var bits []*field
	for i := range t.fields {
		if f := &t.fields[i]; f.bits > 0 {
			f.unit = unitOf(f.t.size)
			bits = append(bits, f)
		}
	}
	if len(bits) == 0 || t.kind == unionKind || t.share(bits) {
		return true
	}
	for _, f := range bits {
		first, last := 8*f.off+int64(f.bitOff), 8*f.off+int64(f.bitOff+f.bits)-1
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
		first, last := 8*f.off+int64(f.bitOff), 8*f.off+int64(f.bitOff+f.bits)-1
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
func (f *field) moveTo(off, size int64) {
	f.bitOff += int(8 * (f.off - off))
	f.off, f.unit = off, unitOf(size)
}

// merge makes one unit of those that overlap. It is false where none is large enough.
func merge(bits []*field) bool {
	for changed := true; changed; {
		changed = false
		for _, f := range bits {
			for _, g := range bits {
				if f.off >= g.off+g.unit.size || g.off >= f.off+f.unit.size || f.off == g.off && f.unit == g.unit {
					continue
				}
				lo, hi, size := min(f.off, g.off), max(f.off+f.unit.size, g.off+g.unit.size), int64(1)
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
func (t *ctype) share(bits []*field) bool {
	if !merge(bits) {
		return false
	}
	for _, f := range bits {
		for i := range t.fields {
			if g := &t.fields[i]; g.bits == 0 && f.off < g.off+g.t.size && g.off < f.off+f.unit.size {
				return false
			}
		}
	}
	return true
}
