// Package abstract is the operational semantics: the one transition relation of
// the thesis' figures 2.19 and C.1, parametric in the store buffer. The memory
// models and the abstractions of TSO differ in nothing but the [Buffer].
//
// A program, its value ranges and a Buffer go in; out comes a [System], which
// gives the initial [State] and performs single events on a State in place.
// Which events to perform, and what to do about states met before, is the
// business of package explore.
package abstract

import "fmt"

// A Pair is a buffered store: a value for a cell, which is an index into
// [program.Ranges.Cells].
type Pair struct {
	Cell  int
	Value int64
	Part  bool // it is of the same store as the pair before it; see [Grouped]
}

// String is "{cell value}", with a + before those that are part of the store before them.
func (p Pair) String() string {
	text := fmt.Sprintf("{%d %d}", p.Cell, p.Value)
	if p.Part {
		text = "+" + text
	}
	return text
}

// Contents is what the store buffer of one thread holds. The Buffer decides in
// which order; it keeps contents canonical, so that contents that mean the same
// are equal.
type Contents struct {
	Pairs []Pair
}

// Empty is true where nothing is buffered.
func (c *Contents) Empty() bool { return len(c.Pairs) == 0 }

// Copy makes c equal to src, in memory of its own.
func (c *Contents) Copy(src *Contents) { c.Pairs = append(c.Pairs[:0], src.Pairs...) }

// A Buffer is a kind of store buffer: how stores enter contents, how they are
// seen by the own thread, and how they leave for the memory.
type Buffer interface {
	// Immediate is true where stores are in memory at once, and nothing is
	// ever buffered.
	Immediate() bool
	// Add buffers p.
	Add(c *Contents, p Pair)
	// Barrier is a store fence: stores before it leave before stores after it.
	Barrier(c *Contents)
	// Last is the value that the own thread reads from the cell, if any is
	// buffered; else the thread reads from memory.
	Last(c *Contents, cell int) (int64, bool)
	// Flushes is how many flushes are possible; they are numbered from 0.
	Flushes(c *Contents) int
	// Flushed is the pair that flush i writes to memory.
	Flushed(c *Contents, i int) Pair
	// Flush leaves in c what remains after flush i.
	Flush(c *Contents, i int)
}

// A Bounded buffer has no room for some stores, beside the capacity that a
// [System] may give to any.
type Bounded interface {
	// Full is true where p cannot be added.
	Full(c *Contents, p Pair) bool
}
