package states

import (
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

func TestVisited(t *testing.T) {
	var a arena
	v := newVisited()
	rng := rand.New(rand.NewPCG(3, 3))
	type rec struct {
		id    uint32
		words []uint64
	}
	var recs []rec
	for i := range 50000 {
		words := make([]uint64, 1+rng.IntN(4))
		words[0] = uint64(i)
		for j := 1; j < len(words); j++ {
			words[j] = rng.Uint64()
		}
		if crowded(v.count, len(v.slots)) {
			v.grow()
		}
		hash := Hash(words)
		slot, found := v.find(&a, hash, words)
		if found {
			t.Fatalf("%v found before it was put", words)
		}
		id, ok := a.alloc(1+len(words), NewBudget(1<<30))
		if !ok {
			t.Fatal("no room")
		}
		r := a.record(id)
		r[0] = Header(Ref(i), uint32(len(words)))
		copy(r[1:], words)
		v.put(slot, hash, id)
		recs = append(recs, rec{id, words})
	}
	next := int64(0)
	for i, r := range recs {
		slot, found := v.find(&a, Hash(r.words), r.words)
		if !found || uint32(v.slots[slot]) != r.id {
			t.Fatalf("record %d not found", i)
		}
		if h := a.record(r.id)[0]; ParentOf(h) != Ref(i) || DepthOf(h) != uint32(len(r.words)) {
			t.Fatalf("record %d: parent %d, depth %d", i, ParentOf(h), DepthOf(h))
		}
		if id := a.from(next); id != r.id {
			t.Fatalf("record %d: the walk is at %d, want %d", i, id, r.id)
		}
		next = int64(r.id) + 1 + int64(len(r.words))
	}
	if id := a.from(next); id != 0 {
		t.Errorf("the walk goes on to %d", id)
	}
}

// TestCollision: states of the same hash are told apart.
func TestCollision(t *testing.T) {
	var a arena
	v := newVisited()
	for i := range uint64(100) {
		words := []uint64{i, 0}
		slot, found := v.find(&a, 12345<<40, words)
		if found {
			t.Fatalf("%v found before it was put", words)
		}
		id, _ := a.alloc(3, NewBudget(1<<30))
		r := a.record(id)
		r[0] = Header(0, 0)
		copy(r[1:], words)
		v.put(slot, 12345<<40, id)
	}
	if _, found := v.find(&a, 12345<<40, []uint64{99, 0}); !found {
		t.Error("the last state is not found")
	}
}

func TestArenaLimits(t *testing.T) {
	var a arena
	if _, ok := a.alloc(chunkWords, NewBudget(1<<30)); ok {
		t.Error("a record as large as a chunk")
	}
	id, ok := a.alloc(chunkWords-1, NewBudget(1<<30))
	if !ok || a.from(0) != id {
		t.Errorf("%d, %v", id, ok)
	}
	a.end = maxArena - 1
	if _, ok := a.alloc(2, NewBudget(1<<30)); ok {
		t.Error("ids are used up")
	}
}

// TestArenaTooLarge: a record that no chunk holds is refused, and the arena
// can be walked and used all the same.
func TestArenaTooLarge(t *testing.T) {
	var a arena
	if _, ok := a.alloc(chunkWords, NewBudget(1<<30)); ok {
		t.Error("a record as large as a chunk is accepted")
	}
	if id := a.from(0); id != 0 {
		t.Errorf("an empty arena has the record %d", id)
	}
	id, ok := a.alloc(3, NewBudget(1<<30))
	if !ok {
		t.Fatal("no room for a small record")
	}
	a.record(id)[0] = Header(0, 0)
	if got := a.from(0); got != id {
		t.Errorf("the first record is %d, want %d", got, id)
	}
}

// TestShards: what is added by several is there once, however large, and can be
// found.
func TestShards(t *testing.T) {
	for _, fingerprints := range []bool{false, true} {
		b := NewBudget(1 << 30)
		st, ok := NewShards(b, 1, fingerprints, nil)
		if !ok {
			t.Fatal("no room")
		}
		const n = 20000
		words := func(i uint64) []uint64 {
			size := []int{chunkWords - 2, 1000, 1, 2, 3}
			w := make([]uint64, size[min(i%5000, 2+i%3)])
			for j := range w {
				w[j] = i<<20 + uint64(j)
			}
			return w
		}
		var fresh atomic.Int64
		var wg sync.WaitGroup
		for k := range uint64(4) {
			h, ok := st.Hand()
			if !ok {
				t.Fatal("no hand")
			}
			wg.Go(func() {
				for i := range uint64(n) {
					i = (i + k*n/4) % n
					id, out := h.Add(words(i), Ref(i), uint32(i))
					if id == 0 || out == Refused || h.Find(words(i)) != id {
						t.Errorf("%d: %v, %d", i, id, out)
						return
					}
					if out == Added {
						fresh.Add(1)
					}
				}
			})
		}
		wg.Wait()
		if fresh.Load() != n {
			t.Errorf("%d of %d states are new", fresh.Load(), n)
		}
		seen := map[Ref]bool{}
		h, _ := st.Hand()
		for i := range uint64(n) {
			w := words(i)
			id := h.Find(w)
			head, rec := h.Record(id)
			if seen[id] || ParentOf(head) != Ref(i) {
				t.Fatalf("%d: %d, parent %d", i, id, ParentOf(head))
			}
			seen[id] = true
			if !fingerprints && (DepthOf(head) != uint32(i) || !slices.Equal(rec[:len(w)], w)) {
				t.Fatalf("%d: depth %d", i, DepthOf(head))
			}
		}
		if h.Find([]uint64{77, 77, 77}) != 0 {
			t.Error("found what was never Added")
		}
	}
}

// TestHash: as many collisions in each half of the hashes of states that are much
// alike as chance has it, or
// less.
func TestHash(t *testing.T) {
	kinds := map[string]func(i uint64) []uint64{
		"counter":     func(i uint64) []uint64 { return []uint64{i} },
		"high bits":   func(i uint64) []uint64 { return []uint64{i << 44} },
		"two words":   func(i uint64) []uint64 { return []uint64{i & 1023, i >> 10} },
		"three words": func(i uint64) []uint64 { return []uint64{i & 127 << 57, i >> 7 & 127, i >> 14 << 30} },
		"sparse":      func(i uint64) []uint64 { return []uint64{spread(i & 1023), spread(i >> 10)} },
	}
	hashes := map[string]func(words []uint64) uint64{
		"hash":            Hash,
		"fingerprint":     func(words []uint64) uint64 { return fingerprint(0, words) },
		"fingerprint (1)": func(words []uint64) uint64 { return fingerprint(1, words) },
		"fingerprint (2)": func(words []uint64) uint64 { return fingerprint(0x9e3779b97f4a7c15, words) },
	}
	const n = 1 << 18
	for name, words := range kinds {
		for hash, f := range hashes {
			for _, shift := range []uint{0, 8, 16, 32} {
				seen := make([]uint32, n)
				for i := range seen {
					seen[i] = uint32(f(words(uint64(i))) >> shift)
				}
				slices.Sort(seen)
				// By chance about n²/2^33 = 8, with a deviation of its root.
				if collisions := n - len(slices.Compact(seen)); collisions > 30 {
					t.Errorf("%s of %s, bits from %d: %d collisions", hash, name, shift, collisions)
				}
			}
		}
	}
}

// spread puts five zeros between the bits of i.
func spread(i uint64) uint64 {
	s := uint64(0)
	for b := range 10 {
		s |= i >> b & 1 << (6 * b)
	}
	return s
}

// TestBudget: what is taken from a part is taken from the whole, a no takes nothing, and
// what a part holds comes back.
func TestBudget(t *testing.T) {
	b := NewBudget(600)
	c, d := b.Child(360), b.Child(0)
	if c.Take(361) {
		t.Error("the part has more than it may have")
	}
	if !c.Take(360) {
		t.Error("the part does not have what it may have")
	}
	if d.Take(241) {
		t.Error("the other part has more than there is")
	}
	if b.Used() != 360 || c.Used() != 360 || d.Used() != 0 {
		t.Errorf("%d, %d, %d are used", b.Used(), c.Used(), d.Used())
	}
	if d.Charge(241); !b.Over() || !c.Over() || !d.Over() || b.Used() != 601 {
		t.Errorf("charged: %v, %v, %v, %d", b.Over(), c.Over(), d.Over(), b.Used())
	}
	if c.Close(); b.Used() != 241 || c.Used() != 0 || b.Over() {
		t.Errorf("closed: %d, %d, %v", b.Used(), c.Used(), b.Over())
	}
	if d.Raise(10); d.Limit() != 610 || !d.Take(359) || d.Take(1) {
		t.Errorf("raised: %d of %d", d.Used(), d.Limit())
	}
	if d.Close(); b.Used() != 0 {
		t.Errorf("closed: %d", b.Used())
	}

	var list []uint64
	ok := true
	for i := 0; ok; i++ {
		if list, ok = Grow(b, list, 1); ok {
			list = append(list, uint64(i))
		}
		if b.Used() > 600 || b.Used() != int64(cap(list))*8 {
			t.Fatalf("%d bytes for %d of %d", b.Used(), len(list), cap(list))
		}
	}
	for i, v := range list {
		if v != uint64(i) {
			t.Errorf("element %d is %d", i, v)
		}
	}
	if Drop(b, list); b.Used() != 0 {
		t.Errorf("dropped: %d", b.Used())
	}
}
