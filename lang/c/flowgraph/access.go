package flowgraph

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Until memory is laid out, accesses bear tags that begin with AccessTag and say what they take their cell for:
// its type, and the array that it is an element of.
const (
	AccessTag = "@"
	// ShadowTag marks the accesses to cells that tell whether something has been written to others.
	ShadowTag = AccessTag + "initialised"
	// NoteTag marks those of them that are to a truth value, and to no cell of type [BesideFields].
	NoteTag = AccessTag + "note"
	// FreeTag marks a load that stands for the end of an object: it does not look at what is there.
	FreeTag = AccessTag + "free"
	// RealTag marks accesses to parts of a number of floating point: what is stored only stands for it.
	RealTag   = AccessTag + "real"
	withinTag = AccessTag + "within:"
	bitsTag   = AccessTag + "bits:"
)

// BitsTag marks accesses to a bit-field, of so many bits at an offset in its unit, which is the cell.
func BitsTag(off, bits int) string { return fmt.Sprintf("%s%d:%d", bitsTag, off, bits) }

// PieceTag is that of an access to the piece of so many bytes at an offset in the unit, where that is divided; there may be nothing of the bit-field in it.
func PieceTag(mask uint64, off, size int64) string {
	in := mask >> (8 * off) & (^uint64(0) >> (64 - 8*size))
	if in == 0 {
		return BitsTag(0, 0)
	}
	return BitsTag(bits.TrailingZeros64(in), bits.OnesCount64(in))
}

// IsBitsTag is true of such a mark.
func IsBitsTag(name string) bool { return strings.HasPrefix(name, bitsTag) }

// Bits is a mask of the bits that such an access is about; of others all are.
func Bits(t program.Tags) (mask uint64, ok bool) {
	for _, n := range t.Names() {
		if rest, is := strings.CutPrefix(n, bitsTag); is {
			var off, bits int
			fmt.Sscanf(rest, "%d:%d", &off, &bits)
			return (1<<bits - 1) << off, true
		}
	}
	return ^uint64(0), false
}

// WithinTag marks accesses to an array that is known, with where it begins and ends.
func WithinTag(lo, hi int64) string { return fmt.Sprintf("%s%d:%d", withinTag, lo, hi) }

// Within is what such a mark says.
func Within(t program.Tags) (lo, hi int64, ok bool) {
	for _, n := range t.Names() {
		if rest, is := strings.CutPrefix(n, withinTag); is {
			fmt.Sscanf(rest, "%d:%d", &lo, &hi)
			return lo, hi, true
		}
	}
	return 0, 0, false
}

// Placeholder is true of an assertion that has a tag, and stands for one that is not known while memory is not laid out: its value holds, and
// depends on what that of the other one will.
func Placeholder(c *program.Command) bool {
	return c.Op == program.Assert && strings.Contains(c.Tags.String(), AccessTag)
}

// BesideFields is the type of a cell that tells which bits of a unit of bit-fields have been written to.
var BesideFields = program.Type{Bits: 64}

// FitsTag is true of a cell that an access takes for what it is, or for the same with another sign.
func FitsTag(t program.Type, tags program.Tags) bool {
	if tags.Has(ShadowTag) {
		return t == program.BoolType || t == BesideFields && !tags.Has(NoteTag)
	}
	other := t
	other.Signed = !t.Signed
	return tags.Has(AccessTag+t.String()) || t != program.BoolType && tags.Has(AccessTag+other.String())
}

// Confine takes back that an access to an array that is known may be to other memory: an
// assertion will come before it.
func Confine(p *program.Program, r *program.Ranges) {
	for i := range r.Cells {
		clear(r.Readers[i])
		clear(r.Writers[i])
	}
	for ti, t := range p.Threads {
		for i := range t.Edges {
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				if lo, hi, ok := Within(c.Tags); ok {
					r.Access[c] = slices.DeleteFunc(r.Access[c], func(i int) bool { return r.Cells[i].Addr < lo || r.Cells[i].Addr >= hi })
				}
				for _, i := range r.Access[c] {
					if c.Op == program.Load {
						r.Readers[i][ti] = true
					} else {
						r.Writers[i][ti] = true
					}
				}
			})
		}
	}
}
