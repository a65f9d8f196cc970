package memory

import (
	"math/bits"
	"slices"
)

// A Set is a set of events of a graph with so many events, a bit each.
type Set struct {
	n    int
	bits []uint64
}

// NewSet is the empty set over n events.
func NewSet(n int) Set { return Set{n, make([]uint64, words(n))} }

func words(n int) int { return (n + 63) / 64 }

// Len is how many events the graph has.
func (s Set) Len() int { return s.n }

// Has is true where e is in the set.
func (s Set) Has(e int) bool { return s.bits[e/64]>>(e%64)&1 != 0 }

// Add puts e into the set.
func (s Set) Add(e int) { s.bits[e/64] |= 1 << (e % 64) }

// Events lists the set in ascending order.
func (s Set) Events() []int {
	var es []int
	each(s.bits, func(e int) { es = append(es, e) })
	return es
}

func each(bs []uint64, f func(e int)) {
	for w, b := range bs {
		for ; b != 0; b &= b - 1 {
			f(w*64 + bits.TrailingZeros64(b))
		}
	}
}

// trim clears the bits beyond the last event.
func trim(bs []uint64, n int) {
	if n%64 != 0 {
		bs[n/64] &= 1<<(n%64) - 1
	}
}

// zip makes z of x and y.
func zip(z, x, y []uint64, f func(a, b uint64) uint64) []uint64 {
	for i := range z {
		z[i] = f(x[i], y[i])
	}
	return z
}

func or(a, b uint64) uint64     { return a | b }
func and(a, b uint64) uint64    { return a & b }
func andNot(a, b uint64) uint64 { return a &^ b }

// Union is s | t.
func (s Set) Union(t Set) Set { return Set{s.n, zip(make([]uint64, len(s.bits)), s.bits, t.bits, or)} }

// Intersection is s & t.
func (s Set) Intersection(t Set) Set {
	return Set{s.n, zip(make([]uint64, len(s.bits)), s.bits, t.bits, and)}
}

// Difference is s \ t.
func (s Set) Difference(t Set) Set {
	return Set{s.n, zip(make([]uint64, len(s.bits)), s.bits, t.bits, andNot)}
}

// Complement is ~s.
func (s Set) Complement() Set {
	c := NewSet(s.n)
	s.complement(c)
	return c
}

// complement makes c the complement of s.
func (s Set) complement(c Set) {
	for i, b := range s.bits {
		c.bits[i] = ^b
	}
	trim(c.bits, s.n)
}

// empty is true where nothing is in the set.
func (s Set) empty() bool {
	for _, b := range s.bits {
		if b != 0 {
			return false
		}
	}
	return true
}

// Equal is true of the same set over the same number of events.
func (s Set) Equal(t Set) bool { return s.n == t.n && slices.Equal(s.bits, t.bits) }

// Identity is [s].
func (s Set) Identity() Relation {
	r := NewRelation(s.n)
	each(s.bits, func(e int) { r.Add(e, e) })
	return r
}

// Product is s * t.
func (s Set) Product(t Set) Relation {
	r := NewRelation(s.n)
	each(s.bits, func(e int) { copy(r.row(e), t.bits) })
	return r
}

// A Relation is a relation between the events of a graph with so many events: a
// bit matrix, row by row.
type Relation struct {
	n    int
	w    int // words a row
	bits []uint64
}

// NewRelation is the empty relation over n events.
func NewRelation(n int) Relation {
	w := words(n)
	return Relation{n, w, make([]uint64, n*w)}
}

// Len is how many events the graph has.
func (r Relation) Len() int { return r.n }

func (r Relation) row(e int) []uint64 { return r.bits[e*r.w : (e+1)*r.w] }

// Has is true where e is related to f.
func (r Relation) Has(e, f int) bool { return r.bits[e*r.w+f/64]>>(f%64)&1 != 0 }

// Add relates e to f.
func (r Relation) Add(e, f int) { r.bits[e*r.w+f/64] |= 1 << (f % 64) }

// Remove takes the pair away.
func (r Relation) Remove(e, f int) { r.bits[e*r.w+f/64] &^= 1 << (f % 64) }

// Pairs lists the relation in ascending order.
func (r Relation) Pairs() [][2]int {
	var ps [][2]int
	for e := range r.n {
		each(r.row(e), func(f int) { ps = append(ps, [2]int{e, f}) })
	}
	return ps
}

// After calls f for the events that e is related to, in ascending order.
func (r Relation) After(e int, f func(int)) { each(r.row(e), f) }

// Clone is a copy.
func (r Relation) Clone() Relation { return Relation{r.n, r.w, slices.Clone(r.bits)} }

// grow makes it a relation over one more event.
func (r *Relation) grow() {
	if words(r.n+1) == r.w {
		if n := len(r.bits); n+r.w <= cap(r.bits) {
			r.bits = r.bits[:n+r.w]
			clear(r.bits[n:])
		} else {
			g := make([]uint64, n+r.w, n+forkRoom*r.w)
			copy(g, r.bits)
			r.bits = g
		}
		r.n++
		return
	}
	g := NewRelation(r.n + 1)
	for e := range r.n {
		copy(g.row(e), r.row(e))
	}
	*r = g
}

// Equal is true of the same relation over the same number of events.
func (r Relation) Equal(s Relation) bool { return r.n == s.n && slices.Equal(r.bits, s.bits) }

// Empty is true where no two events are related.
func (r Relation) Empty() bool {
	for _, b := range r.bits {
		if b != 0 {
			return false
		}
	}
	return true
}

// Union is r | s.
func (r Relation) Union(s Relation) Relation {
	return Relation{r.n, r.w, zip(make([]uint64, len(r.bits)), r.bits, s.bits, or)}
}

// Intersection is r & s.
func (r Relation) Intersection(s Relation) Relation {
	return Relation{r.n, r.w, zip(make([]uint64, len(r.bits)), r.bits, s.bits, and)}
}

// Difference is r \ s.
func (r Relation) Difference(s Relation) Relation {
	return Relation{r.n, r.w, zip(make([]uint64, len(r.bits)), r.bits, s.bits, andNot)}
}

// Complement is ~r.
func (r Relation) Complement() Relation {
	c := NewRelation(r.n)
	r.complement(c)
	return c
}

// complement makes c the complement of r.
func (r Relation) complement(c Relation) {
	for e := range r.n {
		row := c.row(e)
		for i, b := range r.row(e) {
			row[i] = ^b
		}
		trim(row, r.n)
	}
}

// Sequence is r ; s.
func (r Relation) Sequence(s Relation) Relation {
	c := NewRelation(r.n)
	r.sequence(s, c)
	return c
}

// sequence adds r ; s to c.
func (r Relation) sequence(s, c Relation) {
	if r.w == 1 {
		for e, b := range r.bits {
			row := c.bits[e]
			for ; b != 0; b &= b - 1 {
				row |= s.bits[bits.TrailingZeros64(b)]
			}
			c.bits[e] = row
		}
		return
	}
	for e := range r.n {
		row := c.row(e)
		for w, b := range r.row(e) {
			for ; b != 0; b &= b - 1 {
				for i, x := range s.row(w*64 + bits.TrailingZeros64(b)) {
					row[i] |= x
				}
			}
		}
	}
}

// Inverse is r^-1.
func (r Relation) Inverse() Relation {
	c := NewRelation(r.n)
	r.inverse(c)
	return c
}

// inverse adds r^-1 to c.
func (r Relation) inverse(c Relation) {
	if r.w == 1 {
		for e, b := range r.bits {
			for ; b != 0; b &= b - 1 {
				c.bits[bits.TrailingZeros64(b)] |= 1 << e
			}
		}
		return
	}
	for e := range r.n {
		each(r.row(e), func(f int) { c.Add(f, e) })
	}
}

// Plus is r^+, the transitive closure.
func (r Relation) Plus() Relation {
	c := r.Clone()
	c.close()
	return c
}

// close adds to c what makes it transitive (Warshall).
func (c Relation) close() {
	if c.w == 1 {
		for via, through := range c.bits {
			for e, b := range c.bits {
				if b>>via&1 != 0 {
					c.bits[e] |= through
				}
			}
		}
		return
	}
	for via := range c.n {
		through := c.row(via)
		for e := range c.n {
			if !c.Has(e, via) {
				continue
			}
			for i, x := range through {
				c.bits[e*c.w+i] |= x
			}
		}
	}
}

// Star is r^*, the reflexive and transitive closure.
func (r Relation) Star() Relation { return r.Plus().Optional() }

// Optional is r?, the reflexive closure.
func (r Relation) Optional() Relation {
	c := r.Clone()
	c.reflect()
	return c
}

// reflect adds to c what makes it reflexive.
func (c Relation) reflect() {
	for e := range c.n {
		c.Add(e, e)
	}
}

// Domain is the events that are related to any.
func (r Relation) Domain() Set {
	s := NewSet(r.n)
	r.domain(s)
	return s
}

func (r Relation) domain(s Set) {
	for e := range r.n {
		for _, b := range r.row(e) {
			if b != 0 {
				s.Add(e)
				break
			}
		}
	}
}

// Range is the events that any is related to.
func (r Relation) Range() Set {
	s := NewSet(r.n)
	r.rng(s)
	return s
}

func (r Relation) rng(s Set) {
	for e := range r.n {
		for i, b := range r.row(e) {
			s.bits[i] |= b
		}
	}
}

// Irreflexive is true where no event is related to itself.
func (r Relation) Irreflexive() bool {
	for e := range r.n {
		if r.Has(e, e) {
			return false
		}
	}
	return true
}

// Acyclic is true where no event is related to itself over any number of steps.
// It takes away the events that no other event is left to follow, as long as
// there are any.
func (r Relation) Acyclic() bool {
	if r.w == 1 {
		left := ^uint64(0) >> (64 - r.n)
		for before := uint64(0); left != before; {
			before = left
			for b := left; b != 0; {
				e := 63 - bits.LeadingZeros64(b)
				b &^= 1 << e
				if r.bits[e]&left == 0 {
					left &^= 1 << e
				}
			}
		}
		return left == 0
	}
	left := NewSet(r.n).Complement().bits
	remaining := r.n
	for changed := true; changed; {
		changed = false
		for e := r.n - 1; e >= 0; e-- {
			if left[e/64]>>(e%64)&1 == 0 {
				continue
			}
			last := true
			for i, b := range r.row(e) {
				last = last && b&left[i] == 0
			}
			if last {
				left[e/64] &^= 1 << (e % 64)
				remaining--
				changed = true
			}
		}
	}
	return remaining == 0
}
