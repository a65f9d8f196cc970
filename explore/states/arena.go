package states

// An arena holds the records of the states in chunks that never move, so that
// growing copies nothing. A record is a header word and the words of the packed
// state; its id is the offset of the header, in words. Id 0 is no record.
type arena struct {
	chunks [][]uint64
	end    int64 // offset after the last record
}

const (
	chunkBits        = 14
	chunkWords       = 1 << chunkBits
	chunkMask        = chunkWords - 1
	idBits           = 30
	idMask           = 1<<idBits - 1
	maxArena   int64 = 1 << idBits // 8 GiB
)

// record is the record with that id and whatever follows it in its chunk.
func (a *arena) record(id uint32) []uint64 {
	return a.chunks[id>>chunkBits][id&chunkMask:]
}

// alloc makes room for a record of n words. It fails where a record is larger
// than a chunk, the ids are used up, or b has no memory.
func (a *arena) alloc(n int, b *Budget) (id uint32, ok bool) {
	if a.end == 0 {
		a.end = 1
	}
	if off := int(a.end & chunkMask); off == 0 || off+n > chunkWords {
		if off > 0 {
			a.end += int64(chunkWords - off)
		}
		if n > chunkWords-1 {
			return 0, false
		}
	}
	if a.end+int64(n) > maxArena {
		return 0, false
	}
	for a.end>>chunkBits >= int64(len(a.chunks)) {
		if !b.Get(chunkBytes) {
			return 0, false
		}
		a.chunks = append(a.chunks, make([]uint64, chunkWords))
	}
	id = uint32(a.end)
	a.end += int64(n)
	return id, true
}

// from is the first record at or after offset at, or 0 where there is none.
func (a *arena) from(at int64) uint32 {
	if at == 0 {
		at = 1
	}
	// A record that was too large may have left the end in a chunk that there
	// is not yet.
	if at < a.end && at>>chunkBits < int64(len(a.chunks)) && (at&chunkMask == 0 || a.chunks[at>>chunkBits][at&chunkMask] != 0) {
		return uint32(at)
	}
	if at = (at + chunkMask) &^ chunkMask; at < a.end {
		return uint32(at)
	}
	return 0
}
