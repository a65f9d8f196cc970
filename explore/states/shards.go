package states

import (
	"sync"
	"sync/atomic"
)

// Shards is the set of a search with several workers. Every worker has an arena of its own
// for the states that it finds; the hash of a state says in which of 256 tables
// its ref is. What is there is found without a lock, for a search meets most
// states several times; the lock of a table keeps those apart that add to it.
//
// A slot has a ref in its low 36 bits and the upper 28 bits of the hash above.
//
// With fingerprints, a record has no words. Its header is the parent in the low
// 36 bits and 28 bits of the hash in place of the depth; 28 more are in the slot,
// and the number of the table is the other 8. States with the same 64 bits are
// taken for one (hash compaction: Wolper and Leroy, CAV 1993).
type Shards struct {
	tables       [1 << tableBits]table
	arenas       [1 << arenaBits]sharedArena
	seed         uint64 // of the fingerprints
	fingerprints bool
	budget       *Budget

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

// Smallest is what Shards take from the beginning, and a chunk for an arena, in
// bytes.
const Smallest = firstSlots*8<<tableBits + chunkBytes

// NewShards is an empty set. Where fingerprints, it has those of states, with that
// seed, in place of states. create, where not nil, makes a file for the states that
// the budget has no memory for. It fails where that is too small for a set.
func NewShards(b *Budget, seed uint64, fingerprints bool, create func() (SpillFile, error)) (*Hand, bool) {
	if !b.Take(firstSlots * 8 << tableBits) {
		return nil, false
	}
	st := &Shards{seed: seed, fingerprints: fingerprints, budget: b}
	for i := range st.tables {
		slots := make([]uint64, firstSlots)
		st.tables[i].slots.Store(&slots)
	}
	st.spill(create)
	return st.Hand()
}

// A Hand is the set as one worker has it.
type Hand struct {
	*Shards
	own   *sharedArena
	no    Ref // the first ref of own
	cache cache
}

// Hand is that of one more worker. It fails where there are too many.
func (st *Shards) Hand() (*Hand, bool) {
	st.mu.Lock()
	defer st.mu.Unlock()
	h := &Hand{Shards: st}
	if st.disk != nil {
		st.budget.Charge(cacheBytes)
	}
	return h, h.another()
}

// another goes on with an arena that nobody has.
func (h *Hand) another() bool {
	n := h.taken
	if n == 1<<arenaBits {
		return false
	}
	h.taken++
	h.own, h.no = &h.arenas[n], Ref(n)<<idBits
	h.own.dir.Store(&directory{})
	return true
}

// Shards turns the set into one for several workers. words is how many words a
// record has that begins with these; create is as in [NewShards]. Whether it succeeds
// or not, the set is not to be used any more.
func (f *Flat) Shards(create func() (SpillFile, error), words func(rec []uint64) int) (*Hand, bool) {
	table := f.visited.bytes()
	f.visited = visited{}
	f.budget.Give(table)
	h, ok := NewShards(f.budget, 0, false, create)
	return h, ok && h.adopt(&f.arena, words)
}

// adopt makes an arena the own one, where nothing has been added yet, and its
// records part of the store. words is how many words a record has. The refs stay
// the same, for it is the first arena.
func (h *Hand) adopt(a *arena, words func(rec []uint64) int) bool {
	h.own.end = a.end
	h.own.dir.Store(&directory{chunks: a.chunks})
	for id := a.from(0); id != 0; {
		rec := a.record(id)
		n := words(rec[1:])
		hash := Hash(rec[1 : 1+n])
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

func (st *Shards) hash(words []uint64) uint64 {
	if st.fingerprints {
		return fingerprint(st.seed, words)
	}
	return Hash(words)
}

// printBits is the bits of a hash that are in the header of a fingerprint.
func printBits(hash uint64) uint64 { return hash >> tableBits & (1<<tagBits - 1) }

// locate is the slot of the state with this hash and these words, and its ref,
// or the free slot where it belongs and 0.
func (h *Hand) locate(slots []uint64, hash uint64, words []uint64) (slot int, id Ref) {
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
		id := Ref(e & refMask)
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
func (h *Hand) at(id Ref, n int) []uint64 {
	d := h.arenas[id>>idBits].dir.Load()
	k, off := int(id&idMask>>chunkBits), int(id&chunkMask)
	if c := d.chunks[k]; c != nil {
		return c[off:]
	}
	return h.cache.words(h.disk, d.cold[k], off, n)
}

func (h *Hand) Add(words []uint64, parent Ref, depth uint32) (Ref, Outcome) {
	hash := h.hash(words)
	t := &h.tables[hash&(1<<tableBits-1)]
	if _, id := h.locate(*t.slots.Load(), hash, words); id != 0 {
		return id, Known
	}
	if h.cache.err != nil {
		return 0, Refused
	}

	t.mu.Lock()
	defer t.mu.Unlock()
	slots := *t.slots.Load()
	slot, id := h.locate(slots, hash, words)
	if id != 0 {
		return id, Known
	}
	if larger := h.room(t, slots); larger == nil {
		return 0, Refused
	} else if len(larger) > len(slots) {
		slots = larger
		slot, _ = h.locate(slots, hash, words)
	}
	head := uint64(parent) | printBits(hash)<<refBits
	if h.fingerprints {
		words = nil
	} else {
		head = Header(parent, depth)
	}
	rec, id := h.alloc(1 + len(words))
	if rec == nil {
		return 0, Refused
	}
	rec[0] = head
	copy(rec[1:], words)
	t.count++
	atomic.StoreUint64(&slots[slot], hash>>refBits<<refBits|uint64(id))
	return id, Added
}

// alloc makes room for a record in the own arena; nil where there is none.
func (h *Hand) alloc(n int) ([]uint64, Ref) {
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
	return chunks[len(chunks)-1][id&chunkMask:], h.no | Ref(id)
}

// extend adds a chunk to the own arena, or goes on with another one.
func (h *Hand) extend() bool {
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
func (st *Shards) room(t *table, slots []uint64) []uint64 {
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
	st.budget.Give(int64(n) * 8)
	return more
}

// reserve accounts for n bytes more, for which chunks may have to leave the
// memory. The directories must be locked.
func (st *Shards) reserve(n int64) bool {
	for !st.budget.Take(n) {
		if st.disk == nil || !st.evict() {
			return false
		}
	}
	return true
}

func (h *Hand) Find(words []uint64) Ref {
	hash := h.hash(words)
	_, id := h.locate(*h.tables[hash&(1<<tableBits-1)].slots.Load(), hash, words)
	return id
}

func (h *Hand) Record(id Ref) (uint64, []uint64) {
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

// Walk visits all records, which have so many words as visit says, until it
// fails.
func (h *Hand) Walk(visit func(rec []uint64) (int, error)) error {
	for i := range h.taken {
		a := &h.arenas[i]
		for id := int64(1); id < a.end; {
			head, words := h.Record(Ref(i)<<idBits | Ref(id))
			if words == nil {
				return h.Failure()
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
