package encode

import "math/bits"

// A bitset is a set of small numbers. Sets share no memory: with and union
// return new ones.
type bitset []uint64

func (s bitset) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 != 0 }

func (s bitset) with(i int) bitset {
	out := make(bitset, max(len(s), i/64+1))
	copy(out, s)
	out[i/64] |= 1 << (i % 64)
	return out
}

func (s bitset) union(o bitset) bitset {
	if len(s) < len(o) {
		s, o = o, s
	}
	out := make(bitset, len(s))
	copy(out, s)
	for i, w := range o {
		out[i] |= w
	}
	return out
}

func (s bitset) intersection(o bitset) bitset {
	out := make(bitset, min(len(s), len(o)))
	for i := range out {
		out[i] = s[i] & o[i]
	}
	return out
}

func (s bitset) each(f func(i int)) {
	for k, w := range s {
		for ; w != 0; w &= w - 1 {
			f(k*64 + bits.TrailingZeros64(w))
		}
	}
}
