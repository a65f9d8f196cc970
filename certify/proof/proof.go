// Package proof checks that a formula has no model: a proof goes in, and out comes what it
// proves, or why it proves nothing. It is meant to be read, and trusted, by itself, and
// imports nothing of Fencepost.
//
// A proof is three texts (see [Files]): a formula, the order that goes with it, and a
// derivation of the empty clause.
//
//   - The formula is in the format DIMACS: "p cnf VARIABLES CLAUSES", then clauses, one a line,
//     which are literals and a 0. They are numbered from 1.
//   - The order is edges between nodes, each of which is there where a literal is true,
//     and lemmas: a lemma says of a clause of the formula that it forbids a cycle of
//     edges. Such a clause is no axiom: it holds wherever the graph has no cycle. Lemmas are
//     the last clauses of the formula.
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
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Files is the texts of a proof. Order may be nil, where there is none.
type Files struct{ Formula, Order, Derivation io.Reader }

// A Shown is what a proof shows: that so many axioms over so many variables have no model in
// which the graph of so many edges has no cycle. Lemmas and Steps is what it took. Whoever compares the axioms, which are the first clauses of the
// formula, and the edges with what they stand for knows by Axioms how many they are.
type Shown struct {
	Variables, Axioms, Edges, Lemmas, Steps int
}

// Check checks a proof. When ctx ends first, the error is that of ctx.
func Check(ctx context.Context, files Files) (shown *Shown, err error) {
	c := &checker{ctx: ctx, count: -1, clauses: map[int64][]int32{}, lemmas: map[int64]bool{}}
	defer func() {
		if p := recover(); p != nil {
			r, ok := p.(refused)
			if !ok {
				panic(p)
			}
			shown, err = nil, r.error
		}
	}()
	c.read("formula", files.Formula, c.formula)
	if c.last != c.count {
		c.refuse("%d clauses, and %d were promised", c.last, c.count)
	}
	c.read("order", files.Order, c.order)
	c.shown.Lemmas, c.shown.Edges, c.shown.Axioms = len(c.lemmas), len(c.edges), int(c.count)-len(c.lemmas)
	for n := range c.lemmas {
		if n <= int64(c.shown.Axioms) {
			c.refuse("lemmas are the last clauses of the formula")
		}
	}
	c.read("derivation", files.Derivation, c.derivation)
	if !c.empty {
		c.refuse("it does not come to the empty clause")
	}
	return &c.shown, nil
}

type checker struct {
	ctx     context.Context
	text    string // what is read
	line    int
	shown   Shown
	count   int64             // of the clauses of the formula, as its header says; -1: there was none
	clauses map[int64][]int32 // those of the formula, by number, and those derived
	last    int64             // the number of the last one
	edges   []edge
	lemmas  map[int64]bool
	values  []int8  // by literal, see index: 1 true, -1 false
	set     []int32 // the literals that are true
	empty   bool    // the empty clause is derived
}

type edge struct {
	lit      int32
	from, to int64
}

// maxVariables bounds the numbers of variables, and maxLine the bytes of a line. Memory is taken for variables that clauses have.
const (
	maxVariables = 1 << 27
	maxLine      = 1 << 26
)

// A check that refuses something panics with a refused, which Check recovers.
type refused struct{ error }

func (c *checker) refuse(format string, args ...any) {
	panic(refused{fmt.Errorf("%s, line %d: %w", c.text, c.line, fmt.Errorf(format, args...))})
}

// read gives f the words of each line of a text, if that is there, but for comments, which begin with a c.
func (c *checker) read(text string, r io.Reader, f func(words []string)) {
	c.text, c.line = text, 0
	if r == nil {
		return
	}
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		if c.line++; c.line&0xff == 1 && c.ctx.Err() != nil {
			panic(refused{c.ctx.Err()})
		}
		if words := strings.Fields(in.Text()); len(words) > 0 && words[0][0] != 'c' {
			f(words)
		}
	}
	if in.Err() != nil {
		c.refuse("%w", in.Err())
	}
}

// numbers is those that words are, each in the one way to write it.
func (c *checker) numbers(words []string) []int64 {
	ns := make([]int64, len(words))
	for i, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != word || n == math.MinInt64 {
			c.refuse("%.20q is no number, or not written as one", word)
		}
		ns[i] = n
	}
	return ns
}

// clause is the literals up to a 0, and what comes after.
func (c *checker) clause(ns []int64) (lits []int32, rest []int64) {
	for i, n := range ns {
		if n == 0 {
			return lits, ns[i+1:]
		}
		if n > int64(c.shown.Variables) || n < -int64(c.shown.Variables) {
			c.refuse("%d is no literal of the variables 1 to %d", n, c.shown.Variables)
		}
		for int64(len(c.values)) < 2*max(n, -n)+2 {
			c.values = append(c.values, 0)
		}
		lits = append(lits, int32(n))
	}
	c.refuse("%w", io.ErrUnexpectedEOF)
	return nil, nil
}

func (c *checker) formula(words []string) {
	if c.count >= 0 {
		lits, rest := c.clause(c.numbers(words))
		if len(rest) > 0 {
			c.refuse("something is left of the line")
		}
		c.last++
		c.clauses[c.last] = lits
		return
	}
	if len(words) != 4 || words[0] != "p" || words[1] != "cnf" {
		c.refuse(`want "p cnf" and two numbers`)
	}
	ns := c.numbers(words[2:])
	if ns[0] < 0 || ns[0] > maxVariables || ns[1] < 0 {
		c.refuse("a formula of %d variables and %d clauses", ns[0], ns[1])
	}
	c.shown.Variables, c.count = int(ns[0]), ns[1]
}

func (c *checker) order(words []string) {
	ns := c.numbers(words[1:])
	switch {
	case words[0] == "edge" && len(ns) == 3:
		lits, _ := c.clause([]int64{ns[0], 0})
		if len(lits) == 0 || ns[1] < 0 || ns[2] < 0 {
			c.refuse("an edge has a literal, and nodes have numbers from 0")
		}
		c.edges = append(c.edges, edge{lits[0], ns[1], ns[2]})
	case words[0] == "lemma" && len(ns) > 1:
		if ns[0] < 1 || ns[0] > c.count || c.lemmas[ns[0]] {
			c.refuse("clause %d is none of the formula, or a lemma already", ns[0])
		}
		c.lemmas[ns[0]] = true
		c.cycle(ns[0], ns[1:])
	default:
		c.refuse("it is neither an edge nor a lemma")
	}
}

// cycle checks that edges make a cycle, and that the clause that is lemma n says that one of them is not there.
func (c *checker) cycle(n int64, edges []int64) {
	for _, l := range c.clauses[n] {
		c.assign(l)
	}
	defer c.unset()
	var first, last edge
	for i, k := range edges {
		if k < 1 || k > int64(len(c.edges)) {
			c.refuse("lemma %d: there is no edge %d so far", n, k)
		}
		e := c.edges[k-1]
		if i == 0 {
			first = e
		} else if last.to != e.from {
			c.refuse("lemma %d: edge %d does not begin where the one before it ends", n, k)
		}
		if last = e; c.values[index(-e.lit)] <= 0 {
			c.refuse("lemma %d: its clause does not have %d, the negation of edge %d", n, -e.lit, k)
		}
	}
	if last.to != first.from {
		c.refuse("lemma %d: its edges do not close", n)
	}
}

func (c *checker) derivation(words []string) {
	if c.empty {
		c.refuse("something comes after the empty clause")
	}
	if len(words) > 1 && words[1] == "d" {
		c.numbers(words[:1]) // which one says nothing
		c.forget(c.numbers(words[2:]))
		return
	}
	ns := c.numbers(words)
	if ns[0] <= c.last {
		c.refuse("clause %d after %d", ns[0], c.last)
	}
	c.last = ns[0]
	lits, hints := c.clause(ns[1:])
	c.derive(lits, hints)
	c.empty = len(lits) == 0
	c.clauses[c.last] = lits
	c.shown.Steps++
}

// forget forgets the clauses of those numbers, behind which there is a 0.
func (c *checker) forget(ns []int64) {
	for i, n := range ns {
		if n == 0 && i+1 == len(ns) {
			return
		}
		if _, ok := c.clauses[n]; !ok {
			c.refuse("there is no clause %d to forget", n)
		}
		delete(c.clauses, n)
	}
	c.refuse("%w", io.ErrUnexpectedEOF)
}

// derive checks that a clause, the last one, follows from its hints, behind which there is a 0.
func (c *checker) derive(lits []int32, hints []int64) {
	defer c.unset()
	for _, l := range lits {
		if c.values[index(l)] > 0 {
			c.refuse("clause %d: it has both %d and %d", c.last, -l, l)
		}
		c.assign(-l)
	}
	conflict := false
	for i, hint := range hints {
		clause, ok := c.clauses[hint]
		switch {
		case hint == 0 && i+1 == len(hints) && conflict:
			return
		case hint == 0:
			c.refuse("clause %d: its hints leave it open, or something is left of the line", c.last)
		case conflict:
			c.refuse("clause %d: hints come after the one that is false", c.last)
		case !ok:
			c.refuse("clause %d: hint %d is no clause", c.last, hint)
		}
		conflict = c.propagate(hint, clause)
	}
	c.refuse("%w", io.ErrUnexpectedEOF)
}

// propagate makes the one literal true that is left of a hint. It is true where none is.
func (c *checker) propagate(hint int64, clause []int32) (conflict bool) {
	left := int32(0)
	for _, l := range clause {
		switch v := c.values[index(l)]; {
		case v > 0:
			c.refuse("clause %d: hint %d: literal %d of it is true", c.last, hint, l)
		case v == 0 && left != 0 && left != l:
			c.refuse("clause %d: hint %d: both %d and %d are left of it", c.last, hint, left, l)
		case v == 0:
			left = l
		}
	}
	if left != 0 {
		c.assign(left)
	}
	return left == 0
}

// index is where the value of a literal is.
func index(l int32) int {
	if l < 0 {
		return -2*int(l) + 1
	}
	return 2 * int(l)
}

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
