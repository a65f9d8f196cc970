package selftest

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
)

// An op is what a statement does.
type op uint8

const (
	store op = iota
	load
	fence
	exchange // reg gets what was there
	add      // likewise, and value is a constant
	cas      // reg is 1 where it has stored
	assign
	branch // if reg = expect
	loop   // twice
	await  // until cell = expect
)

// An order is the memory order of an access, where the language has such.
type order uint8

const (
	relaxed order = iota
	acqRel        // acquire of a load, release of a store, both of a read-modify-write
	seqCst
)

// A value is a constant, or a register and a constant.
type value struct {
	reg int // -1: none
	c   int64
}

// A stmt is a statement of a [tree].
type stmt struct {
	op        op
	cell, reg int
	value     value
	expect    int64
	order     order
	then, els []stmt // of a loop: then is its body
}

// A term says that a register of a thread, or a cell where there is none, has a value at the end.
type term struct {
	thread int // -1: a cell
	index  int
	value  int64
}

// A tree is a concurrent program that many languages have words for, with a question about its
// final states: whether all terms can be true.
type tree struct {
	init    []int64 // of the cells
	threads [][]stmt
	cond    []term
}

// registers is how many a thread has. They begin as 0.
const registers = 3

func cellName(i int) string { return string("xyz"[i]) }

// growTree makes a tree, the same for the same randomness.
func growTree(rng *rand.Rand) *tree {
	t := &tree{}
	for range 2 + rng.IntN(2) {
		t.init = append(t.init, int64(max(0, rng.IntN(5)-3)))
	}
	n := 2 + rng.IntN(2)
	for range n {
		t.threads = append(t.threads, grow(rng, len(t.init), 5-n+rng.IntN(2), 0))
	}
	for i := range n {
		for r := range registers {
			if rng.IntN(3) == 0 && mentions(t.threads[i], r) {
				t.cond = append(t.cond, term{i, r, int64(rng.IntN(3))})
			}
		}
	}
	for c := range t.init {
		if len(t.cond) == 0 || rng.IntN(4) == 0 {
			t.cond = append(t.cond, term{-1, c, int64(rng.IntN(3))})
		}
	}
	return t
}

// mentions is whether register r is written.
func mentions(body []stmt, r int) bool {
	for i := range body {
		s := &body[i]
		if s.reg == r && (s.op == load || s.op == exchange || s.op == add || s.op == cas || s.op == assign) || mentions(s.then, r) || mentions(s.els, r) {
			return true
		}
	}
	return false
}

// grow makes about n statements.
func grow(rng *rand.Rand, cells, n, depth int) (body []stmt) {
	for n > 0 {
		s := stmt{cell: rng.IntN(cells), reg: rng.IntN(registers), expect: int64(rng.IntN(3)),
			order: order(max(0, rng.IntN(5)-2)), value: value{-1, int64(1 + rng.IntN(2))}}
		if rng.IntN(4) == 0 {
			s.value = value{rng.IntN(registers), int64(rng.IntN(2))}
		}
		k := rng.IntN(40)
		switch {
		case k < 13:
			s.op = store
		case k < 26:
			s.op = load
		case k < 29:
			s.op = fence
		case k < 31:
			s.op = exchange
		case k < 33:
			s.op, s.value = add, value{-1, 1}
		case k < 35:
			s.op = cas
		case k < 36:
			s.op = assign
		case k < 38 && depth < 2:
			s.op = branch
			s.then = grow(rng, cells, 1+rng.IntN(2), depth+1)
			s.els = grow(rng, cells, rng.IntN(2), depth+1)
			n--
		case k < 39 && depth == 0:
			s.op, s.then = loop, grow(rng, cells, 1, 2)
			n--
		case depth == 0:
			s.op = await
		default:
			s.op = load
		}
		body = append(body, s)
		n--
	}
	return body
}

// fenced is t with a full fence between any two accesses of a thread.
func (t *tree) fenced() *tree {
	c := *t
	c.threads = nil
	for _, b := range t.threads {
		c.threads = append(c.threads, fencedBody(b))
	}
	return &c
}

func fencedBody(body []stmt) (out []stmt) {
	for _, s := range body {
		s.then, s.els = fencedBody(s.then), fencedBody(s.els)
		out = append(out, s)
		if s.op != fence && s.op != assign {
			out = append(out, stmt{op: fence})
		}
	}
	return out
}

// has is whether a statement is of one of the kinds.
func (t *tree) has(kinds ...op) bool {
	var in func(body []stmt) bool
	in = func(body []stmt) bool {
		return slices.ContainsFunc(body, func(s stmt) bool { return slices.Contains(kinds, s.op) || in(s.then) || in(s.els) })
	}
	return slices.ContainsFunc(t.threads, in)
}

// smaller is what t can be reduced to in one step, the largest steps first: without a thread,
// a term or a statement, a block in the place of what it stands in, smaller constants.
func (t *tree) smaller() iter.Seq[*tree] {
	return func(yield func(*tree) bool) {
		for i := range t.threads {
			if len(t.threads) > 1 && !yield(t.without(i)) {
				return
			}
		}
		for i := range t.threads {
			for b := range smallerBody(t.threads[i]) {
				c := *t
				c.threads = slices.Clone(t.threads)
				c.threads[i] = b
				if !yield(&c) {
					return
				}
			}
		}
		for i := range t.cond {
			c := *t
			c.cond = slices.Delete(slices.Clone(t.cond), i, i+1)
			if len(c.cond) > 0 && !yield(&c) {
				return
			}
		}
		for i, v := range t.init {
			c := *t
			c.init = slices.Clone(t.init)
			if c.init[i] = 0; v != 0 && !yield(&c) {
				return
			}
		}
	}
}

// without is t without a thread, and what the question says of it.
func (t *tree) without(i int) *tree {
	c := *t
	c.threads = slices.Delete(slices.Clone(t.threads), i, i+1)
	c.cond = nil
	for _, m := range t.cond {
		if m.thread > i {
			m.thread--
		} else if m.thread == i {
			continue
		}
		c.cond = append(c.cond, m)
	}
	if len(c.cond) == 0 {
		c.cond = []term{{-1, 0, 0}}
	}
	return &c
}

func smallerBody(body []stmt) iter.Seq[[]stmt] {
	return func(yield func([]stmt) bool) {
		with := func(i int, ss ...stmt) bool {
			return yield(slices.Concat(body[:i], ss, body[i+1:]))
		}
		for i, s := range body {
			if !with(i) || len(s.then) > 0 && !with(i, s.then...) || len(s.els) > 0 && !with(i, s.els...) {
				return
			}
		}
		for i, s := range body {
			change := func(f func(*stmt)) bool {
				c := s
				f(&c)
				return with(i, c)
			}
			if s.value.reg >= 0 && !change(func(s *stmt) { s.value = value{-1, 1} }) ||
				s.value.c > 1 && !change(func(s *stmt) { s.value.c = 1 }) ||
				s.expect > 0 && !change(func(s *stmt) { s.expect = 0 }) ||
				s.order != relaxed && !change(func(s *stmt) { s.order = relaxed }) {
				return
			}
			for b := range smallerBody(s.then) {
				if !change(func(s *stmt) { s.then = b }) {
					return
				}
			}
			for b := range smallerBody(s.els) {
				if !change(func(s *stmt) { s.els = b }) {
					return
				}
			}
		}
	}
}

// labels gives every place that a jump leads to a name.
type labels struct{ n int }

func (l *labels) next() string {
	l.n++
	return fmt.Sprintf("L%d", l.n)
}
