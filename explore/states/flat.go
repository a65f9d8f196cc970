package states

// A Flat is the set of a search on one core: one arena, one table. Its records
// lie in the order in which they were added, so that the arena is the queue of a
// breadth-first search.
type Flat struct {
	arena   arena
	visited visited
	budget  *Budget
}

// NewFlat is an empty set.
func NewFlat(b *Budget) *Flat {
	f := &Flat{visited: newVisited(), budget: b}
	b.Charge(f.visited.bytes())
	return f
}

// Add is that of [Set].
func (f *Flat) Add(words []uint64, parent Ref, depth uint32) (Ref, Outcome) {
	hash := Hash(words)
	slot, found := f.visited.find(&f.arena, hash, words)
	if found {
		return Ref(uint32(f.visited.slots[slot])), Known
	}
	if n := len(f.visited.slots); crowded(f.visited.count, n) {
		// The old table and the new one are there at the same time.
		if n == maxSlots || !f.budget.Take(int64(larger(n))*8) {
			return 0, Refused
		}
		f.visited.grow()
		f.budget.Give(int64(n) * 8)
		slot, _ = f.visited.find(&f.arena, hash, words)
	}
	id, ok := f.arena.alloc(1+len(words), f.budget)
	if !ok {
		return 0, Refused
	}
	rec := f.arena.record(id)
	rec[0] = Header(parent, depth)
	copy(rec[1:], words)
	f.visited.put(slot, hash, id)
	return Ref(id), Added
}

// Find is that of [Set].
func (f *Flat) Find(words []uint64) Ref {
	slot, found := f.visited.find(&f.arena, Hash(words), words)
	if !found {
		return 0
	}
	return Ref(uint32(f.visited.slots[slot]))
}

// Record is that of [Set].
func (f *Flat) Record(id Ref) (uint64, []uint64) {
	rec := f.arena.record(uint32(id))
	return rec[0], rec[1:]
}

// From is the first state whose record lies at or after an offset, in words, or 0
// where there is none: by 0 and then by the ref of a state, plus one, plus the
// words of the state, one comes by all states in the order in which they were
// added.
func (f *Flat) From(at int64) Ref { return Ref(f.arena.from(at)) }

// End is the offset behind the last record.
func (f *Flat) End() int64 { return f.arena.end }

// Len is how many states there are.
func (f *Flat) Len() int { return f.visited.count }

// HalfFull is true of a set that should be turned into [Flat.Shards] soon, for its
// refs are used up before the memory is.
func (f *Flat) HalfFull() bool { return f.arena.end >= maxArena/2 }
