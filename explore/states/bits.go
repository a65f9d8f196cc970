package states

import (
	"math/bits"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Field is a value that takes one of its range min..min+max.
type Field struct {
	bits uint
	mask uint64 // as many 1 bits
	max  uint64
	min  int64
}

// NewField is for the values of s.
func NewField(s program.ValueSet) Field {
	if s.Empty() {
		return Field{}
	}
	d := uint64(s.Max()) - uint64(s.Min())
	n := uint(bits.Len64(d))
	return Field{bits: n, mask: 1<<n - 1, max: d, min: s.Min()}
}

// count is the field of a number 0..n-1.
func count(n int) Field {
	return NewField(program.Interval(0, int64(max(n, 1)-1)))
}

// Bits is how many bits the field takes.
func (f *Field) Bits() uint { return f.bits }

// Put writes v. It fails where v lies outside of the range.
func (f *Field) Put(w *Writer, v int64) bool {
	d := uint64(v) - uint64(f.min)
	if d > f.max {
		return false
	}
	w.Put(d, f.bits)
	return true
}

// Get reads what Put has written.
func (f *Field) Get(r *Reader) int64 { return int64(r.Get(f.bits) + uint64(f.min)) }

// A Writer packs numbers of given widths into words.
type Writer struct {
	words []uint64
	acc   uint64
	n     uint
}

// NewWriter appends to words.
func NewWriter(words []uint64) Writer { return Writer{words: words} }

// Put appends the low n bits of v; the others are 0.
func (w *Writer) Put(v uint64, n uint) {
	w.acc |= v << w.n
	w.n += n
	if w.n >= 64 {
		w.words = append(w.words, w.acc)
		w.n -= 64
		w.acc = v >> (n - w.n)
	}
}

// Done is the words, at least one, the last of them filled up.
func (w *Writer) Done() []uint64 {
	if w.n > 0 || len(w.words) == 0 {
		w.words = append(w.words, w.acc)
	}
	return w.words
}

// A Reader takes numbers out of words.
type Reader struct {
	words []uint64
	at    int
}

// NewReader begins with the first bit of words.
func NewReader(words []uint64) Reader { return Reader{words: words} }

// Get is the next n bits.
func (r *Reader) Get(n uint) uint64 {
	if n == 0 {
		return 0
	}
	i, off := r.at>>6, uint(r.at)&63
	v := r.words[i] >> off
	if off+n > 64 {
		v |= r.words[i+1] << (64 - off)
	}
	r.at += int(n)
	return v & (^uint64(0) >> (64 - n))
}

// Words is how many words have been read, in whole or in part, at least one.
func (r *Reader) Words() int { return max((r.at+63)/64, 1) }
