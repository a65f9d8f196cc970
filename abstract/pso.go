package abstract

// PSO is the buffers of partial store order, as SPARC has it: one first-in
// first-out buffer for each address. A store fence (sfence) puts a barrier
// through all of them: what is behind it leaves only when nothing is left
// before it. It waits for nothing itself, and loads pass it.
//
// Contents are the pairs by age as far as it matters: between two barriers they
// are sorted by cell, and those of one cell are oldest first. A barrier is a
// pair with the cell [Barrier]; none is first or beside another, so that
// contents with nothing to flush are empty.
type PSO struct{}

// Barrier is the Cell of a pair that is no store but a barrier.
const Barrier = -1

// Immediate is false.
func (PSO) Immediate() bool { return false }

// Add puts p behind the pairs for its cell and behind the last barrier.
func (PSO) Add(c *Contents, p Pair) {
	c.Pairs = append(c.Pairs, p)
	for i := len(c.Pairs) - 1; i > 0; i-- {
		before := c.Pairs[i-1]
		if before.Cell == Barrier || before.Cell <= p.Cell {
			break
		}
		c.Pairs[i-1], c.Pairs[i] = p, before
	}
}

// Barrier is sfence.
func (PSO) Barrier(c *Contents) {
	if n := len(c.Pairs); n > 0 && c.Pairs[n-1].Cell != Barrier {
		c.Pairs = append(c.Pairs, Pair{Cell: Barrier})
	}
}

// Last is the newest pair for the cell.
func (PSO) Last(c *Contents, cell int) (int64, bool) { return FIFO{}.Last(c, cell) }

// Flushes is how many cells have pairs before the first barrier.
func (PSO) Flushes(c *Contents) int {
	n := 0
	for i, p := range c.Pairs {
		if p.Cell == Barrier {
			break
		}
		if i == 0 || c.Pairs[i-1].Cell != p.Cell {
			n++
		}
	}
	return n
}

// oldest is the place of the oldest pair for the cell that flush i is about.
func (PSO) oldest(c *Contents, i int) int {
	for k := range c.Pairs {
		if k == 0 || c.Pairs[k-1].Cell != c.Pairs[k].Cell {
			if i == 0 {
				return k
			}
			i--
		}
	}
	panic("abstract: no such flush")
}

// Flushed is the oldest pair for a cell.
func (b PSO) Flushed(c *Contents, i int) Pair { return c.Pairs[b.oldest(c, i)] }

// Flush drops the oldest pair for a cell, and a barrier that has nothing before
// it any more.
func (b PSO) Flush(c *Contents, i int) {
	k := b.oldest(c, i)
	n := k + copy(c.Pairs[k:], c.Pairs[k+1:])
	c.Pairs = c.Pairs[:n]
	if n > 0 && c.Pairs[0].Cell == Barrier {
		n = copy(c.Pairs, c.Pairs[1:])
		c.Pairs = c.Pairs[:n]
	}
}

// Name is "pso".
func (PSO) Name() string { return "pso" }
