package explore

import (
	"runtime"
	"sync/atomic"
)

// A ref names a stored state in 36 bits: the arena that it is in, and its id
// there. 0 is no state.
type ref uint64

const (
	arenaBits = 6
	refBits   = idBits + arenaBits
	refMask   = 1<<refBits - 1
)

// maxDepth is the largest depth that a header holds; deeper states are said to be
// that deep.
const maxDepth = 1<<(64-refBits) - 2

// header is parent in the low 36 bits and depth + 1 in the high 28, so that no
// header is 0: a 0 where a header would be says that the rest of the chunk is
// not used.
func header(parent ref, depth uint32) uint64 {
	return uint64(parent) | uint64(min(depth, maxDepth)+1)<<refBits
}

func parentOf(header uint64) ref   { return ref(header & refMask) }
func depthOf(header uint64) uint32 { return uint32(header>>refBits) - 1 }

// An outcome is what became of a state that was to be stored.
type outcome uint8

const (
	known   outcome = iota // it was there
	added                  // it is new
	refused                // there is no memory for it
)

// A store is the set of the states met.
type store interface {
	// add stores a state, given by its packed words, unless it is there.
	add(words []uint64, parent ref, depth uint32) (ref, outcome)
	// find is the state with these words, or 0.
	find(words []uint64) ref
	// record is the header of a state, its words, and what follows them; a
	// store that does not keep words gives none. It is good until the next
	// call.
	record(id ref) (header uint64, words []uint64)
}

// A budget is the memory that a search may hold, in bytes. Its methods may be
// called at the same time.
type budget struct {
	used  atomic.Int64
	limit int64
	// relief, where not nil, makes some room, if it can.
	relief func() bool
	// freed is how much has been given back and need not have been collected.
	freed atomic.Int64
}

// littleGarbage is how many bytes given back are no reason to collect them.
const littleGarbage = 16 << 20

// take accounts for n bytes more, unless that is too much.
func (b *budget) take(n int64) bool {
	if b.used.Add(n) > b.limit {
		b.used.Add(-n)
		return false
	}
	return true
}

// get is take where there may be relief.
func (b *budget) get(n int64) bool {
	for !b.take(n) {
		if b.relief == nil || !b.relief() {
			return false
		}
	}
	return true
}

// give accounts for n bytes less. The garbage collector would let as much pile
// up as is in use, which might be twice what the machine has. It has little to
// do: states hold no pointers.
func (b *budget) give(n int64) {
	used := b.used.Add(-n)
	if freed := b.freed.Add(n); freed > max(littleGarbage, used/8) && b.freed.CompareAndSwap(freed, 0) {
		runtime.GC()
	}
}

// flat is the store of a search on one core: one arena, one table. Its records
// lie in the order in which they were added, so that the arena is the queue of a
// breadth-first search.
type flat struct {
	arena   arena
	visited visited
	budget  *budget
}

func newFlat(b *budget) *flat {
	f := &flat{visited: newVisited(), budget: b}
	b.used.Add(f.visited.bytes())
	return f
}

func (f *flat) add(words []uint64, parent ref, depth uint32) (ref, outcome) {
	hash := hashWords(words)
	slot, found := f.visited.find(&f.arena, hash, words)
	if found {
		return ref(uint32(f.visited.slots[slot])), known
	}
	if n := len(f.visited.slots); crowded(f.visited.count, n) {
		// The old table and the new one are there at the same time.
		if n == maxSlots || !f.budget.take(int64(larger(n))*8) {
			return 0, refused
		}
		f.visited.grow()
		f.budget.give(int64(n) * 8)
		slot, _ = f.visited.find(&f.arena, hash, words)
	}
	before := len(f.arena.chunks)
	id, ok := f.arena.alloc(1 + len(words))
	if n := len(f.arena.chunks) - before; n > 0 {
		f.budget.used.Add(int64(n) * chunkWords * 8) // the search looks at the limit
	}
	if !ok {
		return 0, refused
	}
	rec := f.arena.record(id)
	rec[0] = header(parent, depth)
	copy(rec[1:], words)
	f.visited.put(slot, hash, id)
	return ref(id), added
}

func (f *flat) find(words []uint64) ref {
	slot, found := f.visited.find(&f.arena, hashWords(words), words)
	if !found {
		return 0
	}
	return ref(uint32(f.visited.slots[slot]))
}

func (f *flat) record(id ref) (uint64, []uint64) {
	rec := f.arena.record(uint32(id))
	return rec[0], rec[1:]
}
