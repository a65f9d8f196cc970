package explore

import (
	"sync"
	"sync/atomic"
)

// shards is a store for several workers. Every worker has an arena of its own
// for the states that it finds; the hash of a state says in which of 256 tables
// its ref is. What is there is found without a lock, for a search meets most
// states several times; the lock of a table keeps those apart that add to it.
//
// A slot has a ref in its low 36 bits and the upper 28 bits of the hash above.
//
// With fingerprints, a record has no words. Its header is the parent in the low
// 36 bits and 28 bits of the hash in place of the depth; 28 more are in the slot,
// and the number of the table is the other 8. States with the same 64 bits are
// taken for one (see [Options.Compact]).
type shards struct {
	tables       [1 << tableBits]table
	arenas       [1 << arenaBits]sharedArena
	seed         uint64 // of the fingerprints
	fingerprints bool
	budget       *budget

	mu    sync.Mutex // held to change directories
	taken int        // arenas
	disk  *disk      // for chunks that there is no memory for; nil: none
}

const (
	tableBits  = 8
	tagBits    = 64 - refBits
	firstSlots = 1 << 6
)

// A table only ever has more in it, but for the one that takes its place when
// it grows. So what is not found may be there all the same, and is looked for once
// more under the lock. Slots are written atomically, after the record.
//
// What changes with every state is not in the cache line of what all workers
// read.
type table struct {
	slots atomic.Pointer[[]uint64]
	_     [120]byte
	mu    sync.Mutex // held to add
	count int
	_     [112]byte
}

// A sharedArena is an arena that one worker adds to.
type sharedArena struct {
	dir atomic.Pointer[directory]
	_   [120]byte
	end int64 // offset after the last record
	_   [120]byte
}

// A directory is the chunks of an arena, as [arena] has them, at some time. The
// first ones may be on the disk, and are nil here.
type directory struct {
	chunks [][]uint64
	cold   []int64 // where on the disk the first chunks are
}

// smallest is what shards take from the beginning, and a chunk for an arena.
const smallest = firstSlots*8<<tableBits + chunkWords*8

// newShards fails where the budget is too small.
func newShards(b *budget, seed uint64, fingerprints bool) (*shards, bool) {
	if !b.take(firstSlots * 8 << tableBits) {
		return nil, false
	}
	st := &shards{seed: seed, fingerprints: fingerprints, budget: b}
	for i := range st.tables {
		slots := make([]uint64, firstSlots)
		st.tables[i].slots.Store(&slots)
	}
	return st, true
}

// A hand is the store of one worker.
type hand struct {
	*shards
	own   *sharedArena
	no    ref // the first ref of own
	cache cache
}

// hand fails where there are too many.
func (st *shards) hand() (*hand, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	h := &hand{shards: st}
	return h, h.another()
}

// another goes on with an arena that nobody has.
func (h *hand) another() bool {
	n := h.taken
	if n == 1<<arenaBits {
		return false
	}
	h.taken++
	h.own, h.no = &h.arenas[n], ref(n)<<idBits
	h.own.dir.Store(&directory{})
	return true
}

// adopt makes an arena the own one, where nothing has been added yet, and its
// records part of the store. words is how many words a record has. The refs stay
// the same, for it is the first arena.
func (h *hand) adopt(a *arena, words func(rec []uint64) int) bool {
	h.own.end = a.end
	h.own.dir.Store(&directory{chunks: a.chunks})
	for id := a.from(0); id != 0; {
		rec := a.record(id)
		n := words(rec[1:])
		hash := hashWords(rec[1 : 1+n])
		t := &h.tables[hash&(1<<tableBits-1)]
		slots := h.room(t, *t.slots.Load())
		if slots == nil {
			return false
		}
		slot, _ := h.locate(slots, hash, rec[1:1+n])
		slots[slot] = hash>>refBits<<refBits | uint64(id)
		t.count++
		id = a.from(int64(id) + 1 + int64(n))
	}
	return true
}

func (st *shards) hash(words []uint64) uint64 {
	if st.fingerprints {
		return fingerprint(st.seed, words)
	}
	return hashWords(words)
}

// printBits is the bits of a hash that are in the header of a fingerprint.
func printBits(hash uint64) uint64 { return hash >> tableBits & (1<<tagBits - 1) }

// locate is the slot of the state with this hash and these words, and its ref,
// or the free slot where it belongs and 0.
func (h *hand) locate(slots []uint64, hash uint64, words []uint64) (slot int, id ref) {
	tag := hash >> refBits
	for i := home(tag, tagBits, len(slots)); ; i++ {
		if i == len(slots) {
			i = 0
		}
		e := atomic.LoadUint64(&slots[i])
		if e == 0 {
			return i, 0
		}
		if e>>refBits != tag {
			continue
		}
		id := ref(e & refMask)
		rec := h.at(id, 1+len(words))
		if h.fingerprints {
			if rec[0]>>refBits == printBits(hash) {
				return i, id
			}
		} else if equalWords(rec[1:], words) {
			return i, id
		}
	}
}

// at is the first n words of the record of a state, or more.
func (h *hand) at(id ref, n int) []uint64 {
	d := h.arenas[id>>idBits].dir.Load()
	k, off := int(id&idMask>>chunkBits), int(id&chunkMask)
	if c := d.chunks[k]; c != nil {
		return c[off:]
	}
	return h.cache.words(h.disk, d.cold[k], off, n)
}

func (h *hand) add(words []uint64, parent ref, depth uint32) (ref, outcome) {
	hash := h.hash(words)
	t := &h.tables[hash&(1<<tableBits-1)]
	if _, id := h.locate(*t.slots.Load(), hash, words); id != 0 {
		return id, known
	}
	if h.cache.err != nil {
		return 0, refused
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	slots := *t.slots.Load()
	slot, id := h.locate(slots, hash, words)
	if id != 0 {
		return id, known
	}
	if larger := h.room(t, slots); larger == nil {
		return 0, refused
	} else if len(larger) > len(slots) {
		slots = larger
		slot, _ = h.locate(slots, hash, words)
	}
	head := uint64(parent) | printBits(hash)<<refBits
	if h.fingerprints {
		words = nil
	} else {
		head = header(parent, depth)
	}
	rec, id := h.alloc(1 + len(words))
	if rec == nil {
		return 0, refused
	}
	rec[0] = head
	copy(rec[1:], words)
	t.count++
	atomic.StoreUint64(&slots[slot], hash>>refBits<<refBits|uint64(id))
	return id, added
}

// alloc makes room for a record in the own arena; nil where there is none.
func (h *hand) alloc(n int) ([]uint64, ref) {
	if n >= chunkWords {
		return nil, 0
	}
	a := h.own
	if off := int(a.end & chunkMask); off == 0 || off+n > chunkWords {
		if !h.extend() {
			return nil, 0
		}
		a = h.own
	}
	id := a.end
	a.end += int64(n)
	chunks := a.dir.Load().chunks
	return chunks[len(chunks)-1][id&chunkMask:], h.no | ref(id)
}

// extend adds a chunk to the own arena, or goes on with another one.
func (h *hand) extend() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.reserve(chunkWords * 8) {
		return false
	}
	d := h.own.dir.Load()
	if len(d.chunks) == 1<<(idBits-chunkBits) {
		if !h.another() {
			return false
		}
		d = h.own.dir.Load()
	}
	h.own.end = max(int64(len(d.chunks))<<chunkBits, 1) // id 0 is no record
	h.own.dir.Store(&directory{chunks: append(d.chunks, make([]uint64, chunkWords)), cold: d.cold})
	return true
}

// room is the slots of t with room for one more, which may be larger ones; nil
// where there is no memory.
func (st *shards) room(t *table, slots []uint64) []uint64 {
	n := len(slots)
	if !crowded(t.count, n) {
		return slots
	}
	if larger(n) > 1<<tagBits {
		return nil
	}
	st.mu.Lock()
	ok := st.reserve(int64(larger(n)) * 8)
	st.mu.Unlock()
	if !ok {
		return nil
	}
	// The old slots and the new ones are there at the same time.
	more := rehash(slots, tagBits)
	t.slots.Store(&more)
	st.budget.give(int64(n) * 8)
	return more
}

// reserve accounts for n bytes more, for which chunks may have to leave the
// memory. The directories must be locked.
func (st *shards) reserve(n int64) bool {
	for !st.budget.take(n) {
		if st.disk == nil || !st.evict() {
			return false
		}
	}
	return true
}

func (h *hand) find(words []uint64) ref {
	hash := h.hash(words)
	_, id := h.locate(*h.tables[hash&(1<<tableBits-1)].slots.Load(), hash, words)
	return id
}

func (h *hand) record(id ref) (uint64, []uint64) {
	d := h.arenas[id>>idBits].dir.Load()
	k, off := int(id&idMask>>chunkBits), int(id&chunkMask)
	c := d.chunks[k]
	if c == nil {
		if c = h.cache.chunk(h.disk, d.cold[k]); c == nil {
			return 0, nil
		}
	}
	if h.fingerprints {
		return c[off], nil
	}
	return c[off], c[off+1:]
}

// walk visits all records, which have so many words as visit says, until it
// fails.
func (h *hand) walk(visit func(rec []uint64) (int, error)) error {
	for i := range h.taken {
		a := &h.arenas[i]
		for id := int64(1); id < a.end; {
			head, words := h.record(ref(i)<<idBits | ref(id))
			if words == nil {
				return h.failure()
			}
			if head == 0 { // the rest of the chunk is not used
				id = (id + chunkMask) &^ chunkMask
				continue
			}
			n, err := visit(words)
			if err != nil {
				return err
			}
			id += 1 + int64(n)
		}
	}
	return nil
}
