package abstract

// FIFO is the buffer of concrete TSO (thesis fig. 2.19): pairs leave in the
// order in which they came. Pairs are kept oldest first.
type FIFO struct{}

// Immediate is false.
func (FIFO) Immediate() bool { return false }

// Add is rule LS.
func (FIFO) Add(c *Contents, p Pair) { c.Pairs = append(c.Pairs, p) }

// Barrier is nothing: the order is kept anyway.
func (FIFO) Barrier(*Contents) {}

// Last is the newest pair for the cell: rule RB.
func (FIFO) Last(c *Contents, cell int) (int64, bool) {
	for i := len(c.Pairs) - 1; i >= 0; i-- {
		if c.Pairs[i].Cell == cell {
			return c.Pairs[i].Value, true
		}
	}
	return 0, false
}

// Flushes is 1 where anything is buffered: rule WM.
func (FIFO) Flushes(c *Contents) int { return min(len(c.Pairs), 1) }

// Flushed is the oldest pair.
func (FIFO) Flushed(c *Contents, _ int) Pair { return c.Pairs[0] }

// Flush drops the oldest pair.
func (FIFO) Flush(c *Contents, _ int) {
	n := copy(c.Pairs, c.Pairs[1:])
	c.Pairs = c.Pairs[:n]
}

// Name is "fifo".
func (FIFO) Name() string { return "fifo" }
