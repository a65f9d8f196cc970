package states

import (
	"math"
	"math/bits"
)

// visited is the set of states met: a hash table with open addressing and
// linear probing. A slot holds the id of a record in its low half and the upper
// half of the state's hash in its high half. The slot's place comes from that
// half too, so that the table grows without a look at the records, and few
// probes touch a record that is not the one looked for.
//
// Places are in the order of the tags, whatever the size of the table. So the
// slots move in their order when it grows, which is cheap enough to grow by
// half: the table is 1/2 to 3/4 full.
type visited struct {
	slots []uint64
	count int
}

const (
	minSlots = 1 << 10
	maxSlots = math.MaxInt32
)

func newVisited() visited { return visited{slots: make([]uint64, minSlots)} }

// home is where the slot of a state with that tag, of so many bits, is, or
// before it.
func home(tag uint64, bits uint, slots int) int { return int(tag * uint64(slots) >> bits) }

// crowded is true where a table with so many states should grow.
func crowded(count, slots int) bool { return count >= slots-slots/4 }

// larger is the size of a table that takes the place of one with so many slots.
func larger(slots int) int { return int(min(int64(slots)/2*3, maxSlots)) }

// find is the slot of the state with these words and this hash, or the free
// slot where it belongs. Two packed states are equal where the first has the
// words of the second at its beginning: packing is prefix-free.
func (v *visited) find(a *arena, hash uint64, words []uint64) (slot int, found bool) {
	tag := hash >> 32
	slots := v.slots
	for i := home(tag, 32, len(slots)); ; i++ {
		if i == len(slots) {
			i = 0
		}
		e := slots[i]
		if e == 0 {
			return i, false
		}
		if e>>32 == tag && equalWords(a.record(uint32(e))[1:], words) {
			return i, true
		}
	}
}

func equalWords(rec, words []uint64) bool {
	if len(rec) < len(words) {
		return false
	}
	for i, w := range words {
		if rec[i] != w {
			return false
		}
	}
	return true
}

// put fills a free slot that find has found.
func (v *visited) put(slot int, hash uint64, id uint32) {
	v.slots[slot] = hash>>32<<32 | uint64(id)
	v.count++
}

func (v *visited) grow() { v.slots = rehash(v.slots, 32) }

// rehash is a larger table with the same states, whose tags are the upper bits of
// the slots.
func rehash(old []uint64, bits uint) []uint64 {
	slots := make([]uint64, larger(len(old)))
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := home(e>>(64-bits), bits, len(slots))
		for slots[i] != 0 {
			if i++; i == len(slots) {
				i = 0
			}
		}
		slots[i] = e
	}
	return slots
}

func (v *visited) bytes() int64 { return int64(len(v.slots)) * 8 }

// Hash is a multiply-and-fold hash: a word is xored into the hash, and the
// two halves of the product with an odd number into each other. No factor
// depends on the words, which keeps any word from wiping out those before it.
func Hash(words []uint64) uint64 {
	const k0, k1, k2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3
	h := uint64(k0)
	for _, w := range words {
		hi, lo := bits.Mul64(h^w, k1)
		h = hi ^ lo
	}
	hi, lo := bits.Mul64(h^uint64(len(words)), k2)
	return hi ^ lo
}
