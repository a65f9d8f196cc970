package types

import "fmt"

// Bit-fields of a structure lie in units, one cell each. By the ABI that of a field is of its
// declared type; where two of different types overlap they share the larger one. Where another member lies in the bytes of
// a unit, or one that a bit-field of no bits parts from it, which are other memory locations (C11, 3.14), or the structure ends
// in them, the field has the smallest that holds it, or its own bytes.

// units gives the bit-fields of t their units. It is false where there are none.
func (t *Type) units() bool {
	var bits []*Field
	fits := true
	for i := range t.Fields {
		if f := &t.Fields[i]; f.Bits > 0 {
			f.Unit = UnsignedOf(f.Type.Size)
			bits = append(bits, f)
			fits = fits && f.BitOffset+f.Bits <= int(8*f.Unit.Size)
		}
	}
	if len(bits) == 0 || fits && t.share(bits) {
		return true
	}
	fits = true
	for _, f := range bits {
		first, last := 8*f.Offset+int64(f.BitOffset), 8*f.Offset+int64(f.BitOffset+f.Bits)-1
		size := int64(1)
		for ; size <= 8 && first/(8*size) != last/(8*size); size *= 2 {
		}
		if fits = fits && size <= 8; fits {
			f.moveTo(first/(8*size)*size, size)
		}
	}
	if fits && t.share(bits) {
		return true
	}
	// Where not even that is free of other members: the bytes of the field alone, and of those that it shares one with, be they three or five.
	for _, f := range bits {
		first, last := f.bytes()
		for changed := true; changed; {
			changed = false
			for _, g := range bits {
				if from, to := g.bytes(); from <= last && first <= to && (from < first || last < to) {
					first, last, changed = min(first, from), max(last, to), true
				}
			}
		}
		if last-first >= 8 {
			return false
		}
		f.moveTo(first, last-first+1)
	}
	return true
}

// bytes are the first and the last byte that a bit-field has bits in.
func (f *Field) bytes() (first, last int64) {
	bit := 8*f.Offset + int64(f.BitOffset)
	return bit / 8, (bit + int64(f.Bits) - 1) / 8
}

// moveTo makes the unit of a bit-field the one of so many bytes at off.
func (f *Field) moveTo(off, size int64) {
	f.BitOffset += int(8 * (f.Offset - off))
	f.Offset, f.Unit = off, UnitOf(size)
}

// UnitOf is what a unit of bit-fields of so many bytes, at most 8, is taken for.
func UnitOf(size int64) *Type {
	if t := UnsignedOf(size); t != nil {
		return t
	}
	return Odd[size]
}

// Odd are the units of bit-fields of so many bytes that no integer has.
var Odd = map[int64]*Type{3: odd(3), 5: odd(5), 6: odd(6), 7: odd(7)}

func odd(size int64) *Type {
	return &Type{Kind: IntegerKind, Size: size, Align: 1, Rank: UnsignedLong.Rank, Name: fmt.Sprintf("bit-fields of %d bytes", size)}
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

// share is merge, and false where another member of a structure, or a bit-field of another sequence, lies in a unit, or t ends in one.
func (t *Type) share(bits []*Field) bool {
	if t.Kind == StructKind && !merge(bits) {
		return false
	}
	for _, f := range bits {
		if f.Offset+f.Unit.Size > t.Size {
			return false
		}
		for i := range t.Fields {
			g := &t.Fields[i]
			size := g.Type.Size
			if g.Bits > 0 {
				size = g.Unit.Size
			}
			if t.Kind == StructKind && (g.Bits == 0 || g.Run != f.Run) && f.Offset < g.Offset+size && g.Offset < f.Offset+f.Unit.Size {
				return false
			}
		}
	}
	return true
}
