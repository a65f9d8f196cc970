package explore

import (
	"fmt"
	"math"
)

// compact searches with fingerprints of 64 bits in place of states (hash
// compaction: Wolper and Leroy, CAV 1993). Only the states that are still to be
// expanded are there as a whole. A state with the fingerprint of another is
// taken for it, and what can be reached only through it is missed; so that the
// search finds violations, each with its run, and proves nothing.
func (s *search) compact() {
	first := pile{budget: &s.budget, whole: true}
	s.out = &first
	if s.stopped == "" {
		s.reach()
	}
	if !s.done() {
		s.crew(max(s.opts.Workers, 1), first.batches, nil)
	}
}

// fingerprint is a hash of packed words, with the finaliser of splitmix64 for
// each. A word is mixed in by a bijection, so that states which differ in one
// word only never collide, and no others more often than by chance because of
// many words. Fingerprints with different seeds are different functions.
func fingerprint(seed uint64, words []uint64) uint64 {
	h := seed
	for _, w := range words {
		h ^= w
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// missed bounds the probability that among n different states two have the same
// fingerprint, where the hash is as good as a random function: the number of
// pairs by 2^64.
func missed(n int64) float64 {
	return min(float64(n)*float64(max(n-1, 0))/2/math.Exp2(64), 1)
}

// doubt says what a search without a violation is worth.
func (s *search) doubt() string {
	return fmt.Sprintf("with probability at most %.2g a state was missed (64-bit fingerprints)", missed(s.states))
}
