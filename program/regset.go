package program

import "math/bits"

// A RegSet is a set of registers of one thread, a bit each.
type RegSet []uint64

// NewRegSet is the empty set over n registers.
func NewRegSet(n int) RegSet { return make(RegSet, (n+63)/64) }

// NewRegSets is so many empty sets over n registers, in one piece of memory.
func NewRegSets(sets, n int) []RegSet {
	w := (n + 63) / 64
	memory, all := make([]uint64, sets*w), make([]RegSet, sets)
	for i := range all {
		all[i] = memory[i*w : (i+1)*w : (i+1)*w]
	}
	return all
}

// Len is how many registers are in the set.
func (s RegSet) Len() (n int) {
	for _, x := range s {
		n += bits.OnesCount64(x)
	}
	return n
}

// Has is true where r is in the set.
func (s RegSet) Has(r int) bool { return s[r/64]>>(r%64)&1 != 0 }

// Add puts r into the set.
func (s RegSet) Add(r int) { s[r/64] |= 1 << (r % 64) }

// Remove takes r out of the set.
func (s RegSet) Remove(r int) { s[r/64] &^= 1 << (r % 64) }

// Union adds all of o and reports whether that changed s.
func (s RegSet) Union(o RegSet) bool {
	changed := false
	for i := range s {
		n := s[i] | o[i]
		changed = changed || n != s[i]
		s[i] = n
	}
	return changed
}
