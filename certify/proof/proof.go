// Package proof checks that a formula has no model: a proof goes in, and out comes what it
// proves, or why it proves nothing. It is meant to be read, and trusted, by itself, and
// imports nothing of Fencepost but package text, which reads lines.
//
// A proof is three texts (see [Files]): a formula, the order that goes with it, and a
// derivation of the empty clause.
//
//   - The formula is in the format DIMACS: a line that begins with p, then clauses, one a line,
//     which are literals and a 0. They are numbered from 1.
//   - The order is edges between nodes, each of which is there where a literal is true,
//     and lemmas: a lemma says of a clause of the formula that it forbids a cycle of
//     edges. Such a clause is no axiom: it holds wherever the graph has no cycle. Lemmas are
//     the last clauses of the formula, in their order.
//   - The derivation is in the format LRAT, without RAT steps: "NUMBER LITERALS 0 HINTS 0"
//     derives a clause, and "NUMBER d NUMBERS 0" forgets some. Numbers ascend.
//
// The hints of a clause are clauses. Where all its literals are false, the first hint has one
// literal left, which must be true; then the second; and so on, until the last one has none
// left. So the clause follows from its hints. No other kind of hint is accepted, nor one too
// many.
//
// What is shown is that no model of the axioms has a graph without a cycle; or, where
// there are no lemmas, that the axioms have no model.
package proof

import (
	"context"
	"io"
	"slices"

	"github.com/fencepost-verifier/fencepost/certify/text"
)

// Files is the texts of a proof.
type Files struct{ Formula, Order, Derivation io.Reader }

// A Shown is what a proof shows: that so many axioms have no model in which the graph of so many edges has no
// cycle. Lemmas and Steps is what it took. Whoever compares the axioms, which are the first clauses of the
// formula, and the edges with what they stand for knows by Axioms how many they are.
type Shown struct{ Axioms, Edges, Lemmas, Steps int }

// Check checks a proof. When ctx ends first, the error is that of ctx.
func Check(ctx context.Context, files Files) (shown *Shown, err error) {
	defer text.Recover(&err)
	c := &checker{clauses: map[int64][]int32{}}
	c.read(ctx, "formula", files.Formula, c.formula)
	c.read(ctx, "order", files.Order, c.order)
	c.shown.Axioms, c.shown.Edges = int(c.last)-c.shown.Lemmas, len(c.edges)
	if c.shown.Lemmas > 0 && c.lemma != c.last {
		c.Refuse("lemmas are the last clauses of the formula")
	}
	c.read(ctx, "derivation", files.Derivation, c.derivation)
	if !c.empty {
		c.Refuse("it does not come to the empty clause")
	}
	return &c.shown, nil
}

type checker struct {
	*text.Reader
	shown   Shown
	clauses map[int64][]int32 // those of the formula, by number, and those derived
	last    int64             // the number of the last one
	edges   []edge
	lemma   int64   // the number of the last lemma
	values  []int8  // by literal, see index: 1 true, -1 false
	set     []int32 // the literals that are true
	empty   bool    // the empty clause is derived
}

type edge struct {
	lit      int32
	from, to int64
}

// maxVariables bounds the numbers of variables. Memory is taken for those up to the largest one that there is.
const maxVariables = 1 << 27

// read gives f the words of each line of a text, but for comments, which begin with a c, and the header, with a p: how
// many clauses and variables there are is seen.
func (c *checker) read(ctx context.Context, name string, in io.Reader, f func(words []string)) {
	c.Reader = text.NewReader(ctx, name, in)
	for words := c.Next(); words != nil; words = c.Next() {
		if words[0][0] != 'c' && words[0][0] != 'p' {
			f(words)
		}
	}
}

// literal is the one that a number stands for.
func (c *checker) literal(n int64) int32 {
	if n == 0 || n > maxVariables || n < -maxVariables {
		c.Refuse("%d is no literal", n)
	}
	if old, size := c.values, 2*max(n, -n)+2; int64(len(old)) < size {
		c.values = make([]int8, 2*size) // takes memory where it is written to
		copy(c.values, old)
	}
	return int32(n)
}

// clause is the literals up to a 0, and what comes after.
func (c *checker) clause(ns []int64) (lits []int32, rest []int64) {
	end := slices.Index(ns, 0)
	if end < 0 {
		c.Refuse("%w", io.ErrUnexpectedEOF)
	}
	for _, n := range ns[:end] {
		lits = append(lits, c.literal(n))
	}
	return lits, ns[end+1:]
}

func (c *checker) formula(words []string) {
	lits, rest := c.clause(c.Numbers(words))
	if len(rest) > 0 {
		c.Refuse("something is left of the line")
	}
	c.last++
	c.clauses[c.last] = lits
}

func (c *checker) order(words []string) {
	ns := c.Numbers(words[1:])
	switch {
	case words[0] == "edge" && len(ns) == 3:
		c.edges = append(c.edges, edge{c.literal(ns[0]), ns[1], ns[2]})
	case words[0] == "lemma" && len(ns) > 1:
		if n := ns[0]; n < 1 || n > c.last || c.lemma > 0 && n != c.lemma+1 {
			c.Refuse("clause %d is none of the formula, or does not come after lemma %d", n, c.lemma)
		}
		c.lemma = ns[0]
		c.clauses[c.lemma] = c.cycle(ns[1:]) // whatever the formula has there
		c.shown.Lemmas++
	default:
		c.Refuse("it is neither an edge nor a lemma")
	}
}

// cycle is the clause that says that one of the edges of a cycle is not there.
func (c *checker) cycle(edges []int64) (lits []int32) {
	for i, k := range edges {
		before := edges[(i+len(edges)-1)%len(edges)]
		if min(k, before) < 1 || max(k, before) > int64(len(c.edges)) {
			c.Refuse("lemma %d: there is no edge %d or %d so far", c.lemma, before, k)
		}
		e := c.edges[k-1]
		if e.from != c.edges[before-1].to {
			c.Refuse("lemma %d: edge %d does not begin where edge %d ends", c.lemma, k, before)
		}
		lits = append(lits, -e.lit)
	}
	return lits
}

func (c *checker) derivation(words []string) {
	if len(words) > 1 && words[1] == "d" {
		c.Numbers(words[:1]) // which one says nothing
		for _, n := range c.Numbers(words[2:]) {
			delete(c.clauses, n)
		}
		return
	}
	ns := c.Numbers(words)
	if ns[0] <= c.last {
		c.Refuse("clause %d after %d", ns[0], c.last)
	}
	c.last = ns[0]
	lits, hints := c.clause(ns[1:])
	c.derive(lits, hints)
	c.empty = c.empty || len(lits) == 0
	c.clauses[c.last] = lits
	c.shown.Steps++
}

// derive checks that a clause, the last one, follows from its hints, behind which there is a 0. A clause with a literal and
// its negation holds anyway.
func (c *checker) derive(lits []int32, hints []int64) {
	defer c.unset()
	for _, l := range lits {
		c.assign(-l)
	}
	conflict, end := false, len(hints)-1
	if end < 0 || hints[end] != 0 {
		c.Refuse("%w", io.ErrUnexpectedEOF)
	}
	for _, hint := range hints[:end] {
		clause, ok := c.clauses[hint]
		if !ok || conflict {
			c.Refuse("clause %d: hint %d is no clause, or comes after the one that is false", c.last, hint)
		}
		conflict = c.propagate(hint, clause)
	}
	if !conflict {
		c.Refuse("clause %d: its hints leave it open", c.last)
	}
}

// propagate makes the one literal true that is left of a hint. The hint is false where none is.
func (c *checker) propagate(hint int64, clause []int32) (conflict bool) {
	left := int32(0)
	for _, l := range clause {
		switch v := c.values[index(l)]; {
		case v > 0:
			c.Refuse("clause %d: hint %d: literal %d of it is true", c.last, hint, l)
		case v == 0 && left != 0 && left != l:
			c.Refuse("clause %d: hint %d: both %d and %d are left of it", c.last, hint, left, l)
		case v == 0:
			left = l
		}
	}
	if left != 0 {
		c.assign(left)
	}
	return left == 0
}

// index is where the value of a literal is: those of 1, -1, 2, -2 from 2 on.
func index(l int32) int { return int(max(2*l, 1-2*l)) }

func (c *checker) assign(l int32) {
	c.values[index(l)], c.values[index(-l)] = 1, -1
	c.set = append(c.set, l)
}

func (c *checker) unset() {
	for _, l := range c.set {
		c.values[index(l)], c.values[index(-l)] = 0, 0
	}
	c.set = c.set[:0]
}
