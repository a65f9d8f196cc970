package explore

import (
	"sync"
	"sync/atomic"

	"github.com/fencepost-verifier/fencepost/explore/states"
)

// An agenda is what a search has found and not expanded.
type agenda struct {
	// On one core.
	stack        []frame      // depth-first, what has been begun; the last one is found last
	level, later []states.Ref // where others go on: what has not been begun, and what is on the next level
	fresh        states.Ref   // the state that was stored last

	mine pile  // else: what this worker is to expand
	out  *pile // where new states go, where not nil
}

// A batch is states that are to be expanded. A state is one word, as header
// packs it, that is its ref and its depth; with fingerprints its packed words
// and how many they are come before that, for then the store does not have
// them.
type batch []uint64

// batchWords is about how large a batch grows. Batches are what workers hand to
// each other.
const batchWords = 256

// maxFree is how many empty batches a pile keeps. It need not get new ones as
// often as it empties some: they come from other piles, and breadth-first the
// states that are found go to another pile.
const maxFree = 4

// A pile is states to be expanded, the last one first.
type pile struct {
	batches []batch // none of them empty
	free    []batch
	budget  *states.Budget
	whole   bool // whether the packed words are in it
}

// push fails where there is no memory.
func (p *pile) push(id states.Ref, depth uint32, words []uint64) bool {
	n := 1
	if p.whole {
		n += len(words) + 1
	}
	last := len(p.batches) - 1
	if last < 0 || len(p.batches[last])+n > max(batchWords, n) {
		b, ok := p.fresh(max(batchWords, n))
		if !ok {
			return false
		}
		p.batches = append(p.batches, b)
		last++
	}
	b := p.batches[last]
	if p.whole {
		b = append(append(b, words...), uint64(len(words)))
	}
	p.batches[last] = append(b, states.Header(id, depth))
	return true
}

func (p *pile) fresh(n int) (batch, bool) {
	if k := len(p.free) - 1; k >= 0 && cap(p.free[k]) >= n {
		b := p.free[k]
		p.free = p.free[:k]
		return b[:0], true
	}
	if !p.budget.Get(int64(n) * 8) {
		return nil, false
	}
	return make(batch, 0, n), true
}

// pop is the state that was pushed last. The words are good until the next
// push or split.
func (p *pile) pop() (id states.Ref, depth uint32, words []uint64, ok bool) {
	last := len(p.batches) - 1
	if last < 0 {
		return 0, 0, nil, false
	}
	b, head, words := p.batches[last].last(p.whole)
	p.batches[last] = b
	if len(b) == 0 {
		p.batches = p.batches[:last]
		if len(p.free) < maxFree {
			p.free = append(p.free, b)
		} else {
			p.budget.Give(int64(cap(b)) * 8)
		}
	}
	return states.ParentOf(head), states.DepthOf(head), words, true
}

// last takes the last state from a batch.
func (b batch) last(whole bool) (rest batch, head uint64, words []uint64) {
	n := len(b) - 1
	head = b[n]
	if whole {
		k := int(b[n-1])
		words = b[n-1-k : n-1]
		n -= 1 + k
	}
	return b[:n], head, words
}

// split takes about half of the states from the pile, which are to be the older
// ones; none where it has fewer than two.
func (p *pile) split() (batch, bool) {
	if len(p.batches) > 1 {
		b := p.batches[0]
		p.batches = p.batches[:copy(p.batches, p.batches[1:])]
		return b, true
	}
	if len(p.batches) == 0 {
		return nil, false
	}
	old := p.batches[0]
	half := len(old) / 2
	rest := old
	for len(rest) > half {
		rest, _, _ = rest.last(p.whole)
	}
	if len(rest) == 0 {
		return nil, false
	}
	b, ok := p.fresh(cap(old))
	if !ok {
		return nil, false
	}
	p.batches[0] = append(b, old[len(rest):]...)
	return rest, true
}

// A pool is where workers find states to expand.
type pool struct {
	mu      sync.Mutex
	changed sync.Cond
	batches []batch
	workers int
	idle    int // workers that wait
	over    bool

	// hungry is how many workers wait for which there is no batch.
	hungry atomic.Int32
}

func newPool(workers int, batches []batch) *pool {
	p := &pool{workers: workers, batches: batches}
	p.changed.L = &p.mu
	return p
}

// put is for other workers to take.
func (p *pool) put(b batch) {
	p.mu.Lock()
	p.batches = append(p.batches, b)
	p.hungry.Store(int32(p.idle - len(p.batches)))
	p.mu.Unlock()
	p.changed.Signal()
}

// take waits for states to expand. It fails when all workers wait, or after
// close.
func (p *pool) take() (batch, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.over {
		if k := len(p.batches) - 1; k >= 0 {
			b := p.batches[k]
			p.batches = p.batches[:k]
			p.hungry.Store(int32(p.idle - k))
			return b, true
		}
		p.idle++
		if p.idle == p.workers {
			p.over = true
			p.changed.Broadcast()
			break
		}
		p.hungry.Store(int32(p.idle))
		p.changed.Wait()
		p.idle--
	}
	return nil, false
}

// close ends the work of all workers.
func (p *pool) close() {
	p.mu.Lock()
	p.over = true
	p.mu.Unlock()
	p.changed.Broadcast()
}
