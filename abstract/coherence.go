package abstract

import "fmt"

// Coherence is the partial coherence abstraction of TSO with queues of K pairs
// (thesis fig. 3.9 and 3.10, after Kuperstein, Vechev and Yahav): a buffer is a
// first-in first-out queue of at most K pairs, and behind it a [Set] for what
// comes when the queue is full. The queue leaves first; it takes pairs again
// only once the set is empty.
//
// Rule LS-S is read with the condition that the set is not empty or the queue
// full, and both flushes of the set with an empty queue: as printed, the rules
// would let the set pass the queue.
//
// Contents are the queue, oldest first, then, unless the set is empty, a pair
// with the cell [Barrier] and the set, sorted as Set does.
type Coherence struct {
	K int
	// Counting makes the set a [Multiset] with counts without bound. The
	// thesis does not have that; it tells whether a run of the abstraction
	// needs stores that reach memory more often than they were performed.
	Counting bool
}

// Immediate is false.
func (Coherence) Immediate() bool { return false }

// queue is how many pairs the queue holds, and whether there is a set.
func (Coherence) queue(c *Contents) (n int, set bool) {
	for i := range c.Pairs {
		if c.Pairs[i].Cell == Barrier {
			return i, true
		}
	}
	return len(c.Pairs), false
}

// Queues is true where the next store goes into the queue.
func (b Coherence) Queues(c *Contents) bool {
	n, set := b.queue(c)
	return !set && n < b.K
}

// Add is rule LS-Q or LS-S.
func (b Coherence) Add(c *Contents, p Pair) {
	n, set := b.queue(c)
	if !set && n < b.K {
		c.Pairs = append(c.Pairs, p)
		return
	}
	if !set {
		c.Pairs = append(c.Pairs, Pair{Cell: Barrier})
	}
	limit := 1
	if b.Counting {
		limit = 0
	}
	c.insert(n+1, p, limit)
}

// Barrier is nothing: no pair passes another that TSO would not let pass.
func (Coherence) Barrier(*Contents) {}

// Last is the marked pair of the set, else the newest of the queue: rule RB.
func (Coherence) Last(c *Contents, cell int) (int64, bool) { return FIFO{}.Last(c, cell) }

// Flushes is 1 while there is a queue (rule WM-Q), then as for Set (rules WM-SND
// and WM-SD).
func (b Coherence) Flushes(c *Contents) int {
	switch n, set := b.queue(c); {
	case n > 0:
		return 1
	case set && b.Counting:
		n, _ = c.countedFlush(1, 0, -1)
		return n
	case set:
		return c.setFlushes(1)
	}
	return 0
}

// flush finds flush i of the set: the place of its pair, and whether it takes it
// away.
func (b Coherence) flush(c *Contents, i int) (at int, takes bool) {
	if b.Counting {
		return c.countedFlush(1, 0, i)
	}
	return c.setFlush(1, i), i >= len(c.Pairs)-1
}

// Flushed is the pair that flush i is about.
func (b Coherence) Flushed(c *Contents, i int) Pair {
	if n, _ := b.queue(c); n > 0 {
		return c.Pairs[0]
	}
	at, _ := b.flush(c, i)
	return c.Pairs[at]
}

// Flush takes the pair away if flush i does.
func (b Coherence) Flush(c *Contents, i int) {
	if n, _ := b.queue(c); n > 0 {
		c.remove(0)
		return
	}
	if at, takes := b.flush(c, i); takes {
		c.remove(at)
		if len(c.Pairs) == 1 {
			c.Pairs = c.Pairs[:0]
		}
	}
}

// Name is such as "coherence:2".
func (b Coherence) Name() string {
	if b.Counting {
		return fmt.Sprintf("coherence:%d with counts", b.K)
	}
	return fmt.Sprintf("coherence:%d", b.K)
}

// parseCoherence is what has such a name, without counts.
func parseCoherence(name string) (Buffer, bool) {
	n, ok := numbered(name, "coherence:")
	return Coherence{K: n}, ok && n >= 0
}
