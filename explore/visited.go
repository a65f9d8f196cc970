package explore

import "math/bits"

// visited is the set of states met: a hash table with open addressing and
// linear probing. A slot holds the id of a record in its low half and the upper
// half of the state's hash in its high half. The slot's place comes from that
// half too, so that the table grows without a look at the records, and few
// probes touch a record that is not the one looked for.
type visited struct {
	slots []uint64
	shift uint // place = high half >> shift
	count int
}

const minSlots = 1 << 10

func newVisited() visited {
	return visited{slots: make([]uint64, minSlots), shift: 32 - 10}
}

// find is the slot of the state with these words and this hash, or the free
// slot where it belongs. Two packed states are equal where the first has the
// words of the second at its beginning: packing is prefix-free.
func (v *visited) find(a *arena, hash uint64, words []uint64) (slot int, found bool) {
	tag := hash >> 32
	mask := len(v.slots) - 1
	for i := int(tag >> v.shift); ; i = (i + 1) & mask {
		e := v.slots[i]
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

// crowded is true where the table should grow before the next put.
func (v *visited) crowded() bool { return v.count >= len(v.slots)/8*5 }

// canGrow is false where the tags have no more bits to tell places by.
func (v *visited) canGrow() bool { return v.shift > 0 }

func (v *visited) grow() {
	old := v.slots
	v.slots = make([]uint64, 2*len(old))
	v.shift--
	rehash(v.slots, old, v.shift)
}

// rehash fills the slots of a table with those of another.
func rehash(slots, old []uint64, shift uint) {
	mask := len(slots) - 1
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := int(e >> 32 >> shift)
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		slots[i] = e
	}
}

func (v *visited) bytes() int64 { return int64(len(v.slots)) * 8 }

// hashWords is a multiply-and-fold hash: a word is xored into the hash, and the
// two halves of the product with an odd number into each other. No factor
// depends on the words, which keeps any word from wiping out those before it.
func hashWords(words []uint64) uint64 {
	const k0, k1, k2 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3
	h := uint64(k0)
	for _, w := range words {
		hi, lo := bits.Mul64(h^w, k1)
		h = hi ^ lo
	}
	hi, lo := bits.Mul64(h^uint64(len(words)), k2)
	return hi ^ lo
}
