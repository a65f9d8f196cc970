package abstract

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A store of several cells ([program.Command.Wide]) enters the buffer as one and leaves it as one: its pairs lie
// side by side, and all but the first are [Pair.Part]. A load of several cells is one step, too. It takes of each cell
// what is newest in the buffer, or what is in memory, so that it may see of a store in the buffer that it overlaps the one part from
// there and the other from memory; a processor of which it is known that it waits there instead allows no more
// than that. This is what the axioms of TSO and PSO say with their relation whole, and herd's with sm.
//
// Programs without such stores have the buffers that they always had.

// Grouped is a [Buffer] whose stores may be of several cells.
type Grouped interface {
	Buffer
	// AddGroup buffers the pairs of one store.
	AddGroup(c *Contents, ps []Pair)
	// Group is the pairs that flush i writes to memory, good until the contents change.
	Group(c *Contents, i int) []Pair
}

// WithRoom is b with room for stores of several cells, if p has such.
func WithRoom(b Buffer, p *program.Program) (Buffer, error) {
	switch b.(type) {
	case None:
		return b, nil
	case FIFO:
		if p.Wide() {
			return WideFIFO{}, nil
		}
	case PSO:
		if p.Wide() {
			return WidePSO{}, nil
		}
	}
	if p.Wide() {
		return nil, fmt.Errorf("the store buffers %s have no room for a store of several cells", Name(b))
	}
	return b, nil
}

// end is the index behind the store that begins at i.
func (c *Contents) end(i int) int {
	for i++; i < len(c.Pairs) && c.Pairs[i].Part; i++ {
	}
	return i
}

// held is how many stores c holds, each of one cell or of several; a barrier counts as one.
func (x *System) held(c *Contents) int {
	if x.grouped == nil {
		return len(c.Pairs)
	}
	n := 0
	for i := range c.Pairs {
		n += int(program.Bool(!c.Pairs[i].Part))
	}
	return n
}

// parted marks the pairs of one store as such, in the order of their cells.
func parted(ps []Pair) []Pair {
	slices.SortFunc(ps, func(a, b Pair) int { return a.Cell - b.Cell })
	for i := range ps {
		ps[i].Part = i > 0
	}
	return ps
}

// WideFIFO is [FIFO] for stores of several cells.
type WideFIFO struct{ FIFO }

// AddGroup is rule LS.
func (WideFIFO) AddGroup(c *Contents, ps []Pair) { c.Pairs = append(c.Pairs, parted(ps)...) }

// Flushes is 1 where anything is buffered: rule WM.
func (WideFIFO) Flushes(c *Contents) int { return min(len(c.Pairs), 1) }

// Group is the oldest store.
func (WideFIFO) Group(c *Contents, _ int) []Pair { return c.Pairs[:c.end(0)] }

// Flush drops the oldest store.
func (WideFIFO) Flush(c *Contents, _ int) { c.Pairs = slices.Delete(c.Pairs, 0, c.end(0)) }

// Name is "wide fifo".
func (WideFIFO) Name() string { return "wide fifo" }

// WidePSO is [PSO] for stores of several cells. A store may leave when it is the oldest for each of its
// cells. So stores that have no cell in common may leave in any order, and contents that differ in no more than the order of
// such stores mean the same. Of these, between two barriers, that one is kept in which each store is the one with the least first cell
// of those that could come there: the lexicographic normal form of a trace. It is that of [PSO] where
// all stores are of one cell.
type WidePSO struct{ PSO }

// Add is that of [PSO], between stores of several cells.
func (b WidePSO) Add(c *Contents, p Pair) { b.AddGroup(c, []Pair{p}) }

// AddGroup puts a store before the first that is greater, of those behind the last that it has a cell in common with.
func (WidePSO) AddGroup(c *Contents, ps []Pair) {
	ps = parted(ps)
	at := -1
	for i := 0; i < len(c.Pairs); {
		end := c.end(i)
		switch {
		case c.Pairs[i].Cell == Barrier || meet(c.Pairs[i:end], ps):
			at = -1
		case at < 0 && ps[0].Cell < c.Pairs[i].Cell:
			at = i
		}
		i = end
	}
	if at < 0 {
		at = len(c.Pairs)
	}
	c.Pairs = slices.Insert(c.Pairs, at, ps...)
}

// meet is whether two stores have a cell in common.
func meet(a, b []Pair) bool {
	for i := range a {
		for j := range b {
			if a[i].Cell == b[j].Cell {
				return true
			}
		}
	}
	return false
}

// first is whether the store from i to end is the oldest for each of its cells.
func (c *Contents) first(i, end int) bool { return !meet(c.Pairs[:i], c.Pairs[i:end]) }

// Flushes is how many stores before the first barrier are the oldest for each of their cells.
func (WidePSO) Flushes(c *Contents) (n int) {
	for i := 0; i < len(c.Pairs) && c.Pairs[i].Cell != Barrier; {
		end := c.end(i)
		if c.first(i, end) {
			n++
		}
		i = end
	}
	return n
}

// place is where the store lies that flush n is about.
func (WidePSO) place(c *Contents, n int) (from, to int) {
	for i := 0; ; {
		end := c.end(i)
		if c.first(i, end) {
			if n == 0 {
				return i, end
			}
			n--
		}
		i = end
	}
}

// Group is that store.
func (b WidePSO) Group(c *Contents, i int) []Pair {
	from, to := b.place(c, i)
	return c.Pairs[from:to]
}

// Flushed is the first pair of it.
func (b WidePSO) Flushed(c *Contents, i int) Pair { return b.Group(c, i)[0] }

// Flush drops it, and a barrier that has nothing before it any more. What it has been in the way of may come before others now.
func (b WidePSO) Flush(c *Contents, i int) {
	from, to := b.place(c, i)
	c.Pairs = slices.Delete(c.Pairs, from, to)
	if len(c.Pairs) > 0 && c.Pairs[0].Cell == Barrier {
		c.Pairs = slices.Delete(c.Pairs, 0, 1)
		return
	}
	stop := slices.IndexFunc(c.Pairs, func(p Pair) bool { return p.Cell == Barrier })
	if stop < 0 {
		stop = len(c.Pairs)
	}
	old := Contents{Pairs: slices.Clone(c.Pairs[:stop])}
	rest := slices.Clone(c.Pairs[stop:])
	c.Pairs = c.Pairs[:0]
	for i := 0; i < stop; {
		end := old.end(i)
		b.AddGroup(c, old.Pairs[i:end])
		i = end
	}
	c.Pairs = append(c.Pairs, rest...)
}

// Name is "wide pso".
func (WidePSO) Name() string { return "wide pso" }

// The operations of compiled edges that are wide accesses, beside those of [program.Op].
const (
	wideLoad program.Op = iota + 1<<7
	wideStore
)

// wideOp is the operation of a command that is an access of several cells.
func wideOp(c *program.Command) program.Op {
	op := wideLoad
	c.Accesses(func(a *program.Command) {
		if a.Op == program.Store {
			op = wideStore
		}
	})
	return op
}

// wide takes a step of several cells.
func (x *System) wide(s *State, t int, e *edge) Outcome {
	regs := s.Regs[t]
	s.group = s.group[:0]
	for i := range e.body {
		a := &e.body[i]
		if a.op == program.Assign {
			regs[a.reg] = a.typ.Wrap(a.value(regs))
			continue
		}
		c := x.cellOf(a, regs)
		switch {
		case c < 0:
			return Stray
		case a.op == program.Load:
			regs[a.reg] = a.typ.Wrap(x.read(s, t, c))
		default:
			s.group = append(s.group, Pair{Cell: c, Value: x.cellTypes[c].Wrap(a.value(regs))})
		}
	}
	if len(s.group) > 0 {
		x.grouped.AddGroup(&s.Buf[t], s.group)
	}
	return Done
}

// looksWide tells note of the cells that such a step accesses, and leaves s as it is.
func (x *System) looksWide(s *State, t int, e *edge, note func(cell int, write bool)) Outcome {
	regs := s.Regs[t]
	copy(s.saved, regs)
	defer func() { copy(regs, s.saved) }()
	for i := range e.body {
		a := &e.body[i]
		if a.op == program.Assign {
			regs[a.reg] = a.typ.Wrap(a.value(regs))
			continue
		}
		c := x.cellOf(a, regs)
		if c < 0 {
			return Stray
		}
		if note(c, a.op == program.Store); a.op == program.Load {
			regs[a.reg] = a.typ.Wrap(x.read(s, t, c))
		}
	}
	return Done
}

// Group is the pairs that flush n of thread t writes to memory.
func (x *System) Group(s *State, t, n int) []Pair {
	if x.grouped != nil {
		return x.grouped.Group(&s.Buf[t], n)
	}
	return []Pair{x.Buffer.Flushed(&s.Buf[t], n)}
}

// Flushing is whether flush n of thread t writes to the cell.
func (x *System) Flushing(s *State, t, n, cell int) bool {
	if x.grouped == nil {
		return x.Buffer.Flushed(&s.Buf[t], n).Cell == cell
	}
	return slices.ContainsFunc(x.grouped.Group(&s.Buf[t], n), func(p Pair) bool { return p.Cell == cell })
}
