package abstract

import "fmt"

// Multiset is the multiset abstraction of TSO (thesis fig. 3.8): a buffer is the
// multiset of the pairs in it, with a mark at the pair that was added last for
// every cell. It counts what [Set] does not, and forgets the order of stores as
// Set does.
//
// Since a loop may store for ever, its states are infinitely many. Max makes
// them finitely many, in one of two ways that enclose it: an
// under-approximation, in which a store that would count a pair once more than
// Max is disabled, and, with Saturate, an over-approximation, in which a count
// of Max means "Max or more", so that a flush from it may leave Max or one less.
// With Max = 1 the latter is Set.
//
// Contents are sorted as those of Set are, a pair as many times as it counts.
type Multiset struct {
	Max      int // the largest count; 0: none
	Saturate bool
}

// Immediate is false.
func (Multiset) Immediate() bool { return false }

// limit is where counts saturate, or 0.
func (b Multiset) limit() int {
	if b.Saturate {
		return b.Max
	}
	return 0
}

// Full is true where the buffer cannot count p once more.
func (b Multiset) Full(c *Contents, p Pair) bool {
	return b.Max > 0 && !b.Saturate && c.count(0, p) >= b.Max
}

// Add is rule LS.
func (b Multiset) Add(c *Contents, p Pair) { c.insert(0, p, b.limit()) }

// Barrier is nothing.
func (Multiset) Barrier(*Contents) {}

// Last is the marked pair of the cell: rule RB.
func (Multiset) Last(c *Contents, cell int) (int64, bool) { return FIFO{}.Last(c, cell) }

// countedFlush finds flush i of the multiset c.Pairs[from:]: where a copy of its
// pair is, and whether the copy goes. Where there are fewer flushes, it is how
// many there are instead. The flushes of a pair are one that takes a copy away,
// unless that is the marked one and not alone; and, where the count is limit and
// that is not 0, one that takes none.
func (c *Contents) countedFlush(from, limit, i int) (at int, takes bool) {
	n, end := 0, 0
	for at = from; at < len(c.Pairs); at = end {
		p := c.Pairs[at]
		for end = at + 1; end < len(c.Pairs) && c.Pairs[end] == p; end++ {
		}
		count := c.count(from, p)
		if marked := end == len(c.Pairs) || c.Pairs[end].Cell != p.Cell; marked && end-at == 1 && count > 1 {
			continue // the copies before it were looked at
		}
		if c.removable(from, at) {
			if n == i {
				return at, true
			}
			n++
		}
		if limit > 0 && count == limit {
			if n == i {
				return at, false
			}
			n++
		}
	}
	return n, false
}

// Flushes is how many flushes rule WM allows.
func (b Multiset) Flushes(c *Contents) int {
	n, _ := c.countedFlush(0, b.limit(), -1)
	return n
}

// Flushed is the pair that flush i is about.
func (b Multiset) Flushed(c *Contents, i int) Pair {
	at, _ := c.countedFlush(0, b.limit(), i)
	return c.Pairs[at]
}

// Flush takes a copy of the pair away if flush i does.
func (b Multiset) Flush(c *Contents, i int) {
	if at, takes := c.countedFlush(0, b.limit(), i); takes {
		c.remove(at)
	}
}

// Name is "multiset", "multiset:3" for counts that saturate at 3, "multiset<=3" for counts up to 3.
func (b Multiset) Name() string {
	switch {
	case b.Max == 0:
		return "multiset"
	case b.Saturate:
		return fmt.Sprintf("multiset:%d", b.Max)
	}
	return fmt.Sprintf("multiset<=%d", b.Max)
}

// parseMultiset is what has such a name.
func parseMultiset(name string) (Buffer, bool) {
	if n, ok := numbered(name, "multiset:"); ok && n > 0 {
		return Multiset{Max: n, Saturate: true}, true
	}
	if n, ok := numbered(name, "multiset<="); ok && n > 0 {
		return Multiset{Max: n}, true
	}
	return Multiset{}, name == "multiset"
}
