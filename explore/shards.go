package explore

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// shards is a store for several workers: the hash of a state says in which of
// 256 tables it is. What is there is found without a lock, for a search meets
// most states several times; a lock of the shard keeps those apart that add to
// it.
//
// With fingerprints, a record has no words. Its header is the parent in the low
// 40 bits and 24 bits of the hash in place of the depth; 8 more bits are the
// number of the shard, and the other 32 are in the slot. States with the same 64
// bits are taken for one (see [Options.Compact]).
type shards struct {
	all          [1 << shardBits]shard
	seed         uint64
	fingerprints bool
	budget       *budget
}

type shard struct {
	mu    sync.Mutex // held to add
	view  atomic.Pointer[view]
	end   uint64 // offset after the last record
	count int
	_     [64]byte // shards share no cache line
}

// A view is a table and the chunks of an arena, at some time. What is added later
// may be missing, so what is not found in a view is looked for once more under the
// lock. Slots are as in [visited], and written atomically, after the record.
type view struct {
	slots  []uint64
	shift  uint
	chunks [][]uint64
}

const (
	pageBits  = 10
	pageWords = 1 << pageBits
	pageMask  = pageWords - 1

	firstSlots = 1 << 6
)

// smallest is what shards take from the beginning, with a page for each.
const smallest = (firstSlots + pageWords) * 8 << shardBits

// newShards fails where the budget is too small. The seed is that of the
// fingerprints.
func newShards(b *budget, seed uint64, fingerprints bool) (*shards, bool) {
	if !b.take(firstSlots * 8 << shardBits) {
		return nil, false
	}
	st := &shards{seed: seed, fingerprints: fingerprints, budget: b}
	for i := range st.all {
		st.all[i].view.Store(&view{
			slots: make([]uint64, firstSlots),
			shift: 32 - uint(bits.Len(firstSlots-1)),
		})
		st.all[i].end = 1 // id 0 is no record
	}
	return st, true
}

// locate is the slot of the state with this hash and these words, and its id,
// or the free slot where it belongs and 0.
func (st *shards) locate(v *view, hash uint64, words []uint64) (slot int, id uint32) {
	tag := hash >> 32
	mask := len(v.slots) - 1
	for i := int(tag >> v.shift); ; i = (i + 1) & mask {
		e := atomic.LoadUint64(&v.slots[i])
		if e == 0 {
			return i, 0
		}
		if e>>32 != tag {
			continue
		}
		id := uint32(e)
		if int(id>>pageBits) >= len(v.chunks) {
			continue // newer than the view
		}
		rec := v.chunks[id>>pageBits][id&pageMask:]
		if st.fingerprints {
			if rec[0]>>refBits == print24(hash) {
				return i, id
			}
		} else if equalWords(rec[1:], words) {
			return i, id
		}
	}
}

// print24 is the bits of a hash that are in the header of a fingerprint.
func print24(hash uint64) uint64 { return hash << 32 >> refBits }

func (st *shards) hash(words []uint64) uint64 {
	if st.fingerprints {
		return fingerprint(st.seed, words)
	}
	return hashWords(words)
}

func shardOf(hash uint64) int { return int(hash & (1<<shardBits - 1)) }

func (st *shards) add(words []uint64, parent ref, depth uint32) (ref, outcome) {
	hash := st.hash(words)
	i := shardOf(hash)
	sh := &st.all[i]
	base := ref(i) << idBits
	if _, id := st.locate(sh.view.Load(), hash, words); id != 0 {
		return base | ref(id), known
	}

	sh.mu.Lock()
	defer sh.mu.Unlock()
	v := sh.view.Load()
	slot, id := st.locate(v, hash, words)
	if id != 0 {
		return base | ref(id), known
	}
	if sh.count >= len(v.slots)/8*5 {
		if v = st.grow(sh, v); v == nil {
			return 0, refused
		}
		slot, _ = st.locate(v, hash, words)
	}
	n := 1
	head := uint64(parent) | print24(hash)<<refBits
	if !st.fingerprints {
		n += len(words)
		head = header(parent, depth)
	}
	// A record larger than a page has one of its own, as large, and takes the
	// numbers of as many as it would fill.
	if off := int(sh.end & pageMask); off > 0 && off+n > pageWords {
		sh.end += uint64(pageWords - off)
	}
	if sh.end+uint64(n)+pageWords > 1<<idBits {
		return 0, refused
	}
	at := int(sh.end >> pageBits)
	if at >= len(v.chunks) {
		size := max(n, pageWords)
		if !st.budget.take(int64(size) * 8) {
			return 0, refused
		}
		chunks := v.chunks
		if len(chunks) < at { // the first record is too large for the first page
			chunks = append(chunks, nil)
		}
		chunks = append(chunks, make([]uint64, size))
		for len(chunks) < at+(n+pageMask)>>pageBits {
			chunks = append(chunks, nil)
		}
		v = &view{slots: v.slots, shift: v.shift, chunks: chunks}
		sh.view.Store(v)
	}
	rec := v.chunks[at][sh.end&pageMask:]
	rec[0] = head
	if !st.fingerprints {
		copy(rec[1:], words)
	}
	id = uint32(sh.end)
	if sh.end += uint64(n); n > pageWords {
		sh.end = uint64(len(v.chunks)) << pageBits
	}
	sh.count++
	atomic.StoreUint64(&v.slots[slot], hash>>32<<32|uint64(id))
	return base | ref(id), added
}

// grow doubles the table of a shard; nil where there is no memory.
func (st *shards) grow(sh *shard, v *view) *view {
	size := int64(len(v.slots)) * 8
	if v.shift == 0 || !st.budget.take(2*size) {
		return nil
	}
	g := &view{slots: make([]uint64, 2*len(v.slots)), shift: v.shift - 1, chunks: v.chunks}
	rehash(g.slots, v.slots, g.shift)
	sh.view.Store(g)
	st.budget.give(size)
	return g
}

func (st *shards) find(words []uint64) ref {
	hash := st.hash(words)
	i := shardOf(hash)
	_, id := st.locate(st.all[i].view.Load(), hash, words)
	if id == 0 {
		return 0
	}
	return ref(i)<<idBits | ref(id)
}

func (st *shards) record(id ref) (uint64, []uint64) {
	v := st.all[id>>idBits].view.Load()
	rec := v.chunks[uint32(id)>>pageBits][id&pageMask:]
	if st.fingerprints {
		return rec[0], nil
	}
	return rec[0], rec[1:]
}

// adopt adds the records of f, and gives back what has become of the refs in f.
func (st *shards) adopt(f *flat, words func(rec []uint64) int, refs []ref) ([]ref, bool) {
	fresh := map[ref]ref{0: 0}
	for id := f.arena.from(0); id != 0; {
		rec := f.arena.record(id)
		n := words(rec[1:])
		r, out := st.add(rec[1:1+n], fresh[parentOf(rec[0])], depthOf(rec[0]))
		if out != added {
			return nil, false
		}
		fresh[ref(id)] = r
		id = f.arena.from(int64(id) + 1 + int64(n))
	}
	refs = slices.Clone(refs)
	for i := range refs {
		refs[i] = fresh[refs[i]]
	}
	return refs, true
}
