package robust

import "math/bits"

// states is the set of packed states that a search for a witness has met, in
// the order in which it met them. A record is the id of its parent and the words
// of the state; its id is the offset of the record, in words. Packing is
// prefix-free, so records need no length.
type states struct {
	chunks [][]uint64
	end    int64    // offset after the last record
	order  []uint32 // ids
	slots  []uint64 // upper half of the hash, id; 0: free
	shift  uint
}

const (
	stateChunkBits = 14
	stateChunk     = 1 << stateChunkBits
	maxStateWords  = 1 << 32
)

func newStates() *states {
	return &states{end: 1, slots: make([]uint64, 1<<8), shift: 32 - 8}
}

// record is the record with that id and whatever follows it in its chunk.
func (s *states) record(id uint32) []uint64 {
	return s.chunks[id>>stateChunkBits][id&(stateChunk-1):]
}

func (s *states) parent(id uint32) uint32 { return uint32(s.record(id)[0]) }

// add puts a state in, if it is new. It fails where there is no more room.
func (s *states) add(words []uint64, parent uint32) (fresh, ok bool) {
	if len(s.order) >= len(s.slots)/8*5 {
		if s.shift == 0 {
			return false, false
		}
		s.grow()
	}
	hash := hashWords(words)
	tag, mask := hash>>32, len(s.slots)-1
	i := int(tag >> s.shift)
	for ; s.slots[i] != 0; i = (i + 1) & mask {
		if e := s.slots[i]; e>>32 == tag && hasPrefix(s.record(uint32(e))[1:], words) {
			return false, true
		}
	}
	n := int64(1 + len(words))
	if off := s.end & (stateChunk - 1); off+n > stateChunk {
		s.end += stateChunk - off
	}
	if n > stateChunk || s.end+n > maxStateWords {
		return false, false
	}
	for s.end>>stateChunkBits >= int64(len(s.chunks)) {
		s.chunks = append(s.chunks, make([]uint64, stateChunk))
	}
	id := uint32(s.end)
	s.end += n
	rec := s.record(id)
	rec[0] = uint64(parent)
	copy(rec[1:], words)
	s.slots[i] = tag<<32 | uint64(id)
	s.order = append(s.order, id)
	return true, true
}

func (s *states) grow() {
	old := s.slots
	s.slots = make([]uint64, 2*len(old))
	s.shift--
	mask := len(s.slots) - 1
	for _, e := range old {
		if e == 0 {
			continue
		}
		i := int(e >> 32 >> s.shift)
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = e
	}
}

func (s *states) bytes() int64 {
	return int64(len(s.chunks))*stateChunk*8 + int64(len(s.slots))*8 + int64(cap(s.order))*4
}

func hasPrefix(rec, words []uint64) bool {
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

// hashWords is a multiply-and-fold hash in the manner of wyhash.
func hashWords(words []uint64) uint64 {
	const k0, k1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := uint64(k1)
	for _, w := range words {
		hi, lo := bits.Mul64(w^k0, h^k1)
		h = hi ^ lo ^ w
	}
	hi, lo := bits.Mul64(h^k0, uint64(len(words))^k1)
	return hi ^ lo
}
