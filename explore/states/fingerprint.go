package states

import "math"

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

// Missed bounds the probability that among n different states two have the same
// fingerprint, where the hash is as good as a random function: the number of
// pairs by 2^64.
func Missed(n int64) float64 {
	return min(float64(n)*float64(max(n-1, 0))/2/math.Exp2(64), 1)
}
