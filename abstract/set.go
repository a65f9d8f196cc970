package abstract

// Set is the set abstraction of TSO (thesis fig. 3.5 and 3.6): a buffer is the
// set of the pairs in it, with a mark at the pair that was added last for every
// cell. How often a pair was added is forgotten, so a flush may leave it where
// it is; and in which order, but for the marks.
//
// Contents are sorted by cell; those of one cell by value, but for the marked
// pair, which comes last. So Last is found as it is in a FIFO.
type Set struct{}

// Immediate is false.
func (Set) Immediate() bool { return false }

// Add is rule LS: insert p, and move the mark of its cell to it.
func (Set) Add(c *Contents, p Pair) { c.insert(0, p, 1) }

// Barrier is nothing: no pair passes another that TSO would not let pass.
func (Set) Barrier(*Contents) {}

// Last is the marked pair of the cell: rule RB.
func (Set) Last(c *Contents, cell int) (int64, bool) { return FIFO{}.Last(c, cell) }

// Flushes counts those that leave their pair where it is, one for every pair
// (rule WM-ND), and then those that take it away (rule WM-D).
func (Set) Flushes(c *Contents) int { return c.setFlushes(0) }

// Flushed is the pair that flush i is about.
func (Set) Flushed(c *Contents, i int) Pair { return c.Pairs[c.setFlush(0, i)] }

// Flush takes the pair away if flush i does.
func (Set) Flush(c *Contents, i int) {
	if i >= len(c.Pairs) {
		c.remove(c.setFlush(0, i))
	}
}

// The rest of this file treats c.Pairs[from:] as a set or a multiset: sorted by
// cell; a copy of the marked pair of a cell last among those of the cell; the
// others, with further copies, sorted by value.

// group is where the pairs of the cell begin and end.
func (c *Contents) group(from, cell int) (lo, hi int) {
	lo = from
	for lo < len(c.Pairs) && c.Pairs[lo].Cell < cell {
		lo++
	}
	hi = lo
	for hi < len(c.Pairs) && c.Pairs[hi].Cell == cell {
		hi++
	}
	return lo, hi
}

// count is how often p is there.
func (c *Contents) count(from int, p Pair) int {
	n := 0
	for _, q := range c.Pairs[from:] {
		if q == p {
			n++
		}
	}
	return n
}

// insert marks p, and adds a copy unless there are limit of them already; limit
// 0 is no limit.
func (c *Contents) insert(from int, p Pair, limit int) {
	lo, hi := c.group(from, p.Cell)
	if limit > 0 && c.count(from, p) >= limit {
		// Some copy becomes the marked one.
		i := lo
		for c.Pairs[i] != p {
			i++
		}
		c.remove(i)
		hi--
	}
	c.Pairs = append(c.Pairs, Pair{})
	copy(c.Pairs[hi+1:], c.Pairs[hi:])
	c.Pairs[hi] = p
	// What was marked before joins the others.
	for i := hi - 1; i > lo && c.Pairs[i].Value < c.Pairs[i-1].Value; i-- {
		c.Pairs[i], c.Pairs[i-1] = c.Pairs[i-1], c.Pairs[i]
	}
}

func (c *Contents) remove(i int) {
	n := i + copy(c.Pairs[i:], c.Pairs[i+1:])
	c.Pairs = c.Pairs[:n]
}

// removable is true where the pair at i may go: it is not the marked one of its
// cell, or it is the only one.
func (c *Contents) removable(from, i int) bool {
	cell := c.Pairs[i].Cell
	return i+1 < len(c.Pairs) && c.Pairs[i+1].Cell == cell || i == from || c.Pairs[i-1].Cell != cell
}

// setFlushes is how many flushes of the set c.Pairs[from:] there are.
func (c *Contents) setFlushes(from int) int {
	n := len(c.Pairs) - from
	for i := from; i < len(c.Pairs); i++ {
		if c.removable(from, i) {
			n++
		}
	}
	return n
}

// setFlush is the place of the pair that flush i of the set c.Pairs[from:] is
// about.
func (c *Contents) setFlush(from, i int) int {
	n := len(c.Pairs) - from
	if i < n {
		return from + i
	}
	i -= n
	for at := from; ; at++ {
		if c.removable(from, at) {
			if i == 0 {
				return at
			}
			i--
		}
	}
}

// Name is "set".
func (Set) Name() string { return "set" }
