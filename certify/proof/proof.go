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
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
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
func Check(ctx context.Context, files Files) (*Shown, error) {
	c := &checker{derived: map[int64][]int32{}, lemmas: map[int64]bool{}}
	for _, text := range []struct {
		name string
		r    io.Reader
		read func(*line) error
		end  func() error
	}{{"formula", files.Formula, c.formula, c.formulaEnds}, {"order", files.Order, c.order, c.orderEnds}, {"derivation", files.Derivation, c.derivation, c.derivationEnds}} {
		if text.r == nil {
			continue
		}
		in := bufio.NewScanner(text.r)
		in.Buffer(nil, maxLine)
		l := &line{}
		err := error(nil)
		for err == nil && in.Scan() {
			if l.number++; l.number&0xff == 1 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err = l.parse(in.Bytes()); err == nil && !l.blank {
				err = text.read(l)
			}
		}
		if err == nil {
			err = errors.Join(in.Err(), text.end())
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", text.name, l.number, err)
		}
	}
	return &c.shown, nil
}

type checker struct {
	shown Shown

	// The clauses that there are: those of the formula, by number - 1, and those derived.
	// nil: forgotten.
	given   [][]int32
	derived map[int64][]int32
	header  bool
	count   int64 // of clauses, as the header says
	last    int64 // the number of the last clause

	edges  []edge
	lemmas map[int64]bool
	values []int8  // by literal, see index: 1 true, -1 false
	set    []int32 // the literals that are true
	empty  bool    // the empty clause is derived
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

// index is where the value of a literal is.
func index(l int32) int {
	if l < 0 {
		return -2*int(l) + 1
	}
	return 2 * int(l)
}

// clause is the literals up to a 0, and what comes after.
func (c *checker) clause(ns []int64) (lits []int32, rest []int64, err error) {
	lits = []int32{}
	for i, n := range ns {
		switch {
		case n == 0:
			return lits, ns[i+1:], nil
		case n > int64(c.shown.Variables) || n < -int64(c.shown.Variables):
			return nil, nil, fmt.Errorf("%d is no literal of the variables 1 to %d", n, c.shown.Variables)
		}
		for v := int(max(n, -n)); len(c.values) < 2*v+2; {
			c.values = append(c.values, 0)
		}
		lits = append(lits, int32(n))
	}
	return nil, nil, io.ErrUnexpectedEOF
}

func (c *checker) formula(l *line) error {
	if !c.header {
		if c.header = true; l.words != "p cnf" || l.before > 0 || len(l.ns) != 2 {
			return errors.New(`want "p cnf" and two numbers`)
		}
		if c.count = l.ns[1]; l.ns[0] < 0 || l.ns[0] > maxVariables || c.count < 0 {
			return fmt.Errorf("a formula of %d variables and %d clauses", l.ns[0], c.count)
		}
		c.shown.Variables = int(l.ns[0])
		return nil
	}
	lits, rest, err := c.clause(l.ns)
	if err == nil && (len(rest) > 0 || l.words != "") {
		err = errors.New("something is left of the line")
	}
	c.given = append(c.given, lits)
	return err
}

func (c *checker) formulaEnds() error {
	if int64(len(c.given)) != c.count || !c.header {
		return fmt.Errorf("%d clauses, and %d were promised", len(c.given), c.count)
	}
	c.shown.Axioms, c.last = len(c.given), c.count
	return nil
}

func (c *checker) order(l *line) error {
	switch {
	case l.words == "edge" && l.before == 0 && len(l.ns) == 3:
		if _, _, err := c.clause([]int64{l.ns[0], 0}); err != nil || l.ns[0] == 0 {
			return fmt.Errorf("%d is no literal", l.ns[0])
		}
		if l.ns[1] < 0 || l.ns[2] < 0 {
			return errors.New("nodes have numbers from 0")
		}
		c.edges = append(c.edges, edge{int32(l.ns[0]), l.ns[1], l.ns[2]})
		return nil
	case l.words == "lemma" && l.before == 0 && len(l.ns) > 1:
		n := l.ns[0]
		if n < 1 || n > int64(len(c.given)) || c.lemmas[n] {
			return fmt.Errorf("clause %d is none of the formula, or a lemma already", n)
		}
		c.lemmas[n] = true
		if err := c.cycle(l.ns[1:], c.given[n-1]); err != nil {
			return fmt.Errorf("lemma %d: %w", n, err)
		}
		return nil
	}
	return errors.New("it is neither an edge nor a lemma")
}

// cycle checks that edges make a cycle, and that the clause says that one of them is not there.
func (c *checker) cycle(ns []int64, clause []int32) error {
	for _, l := range clause {
		c.assign(l)
	}
	defer c.unset()
	var first, last edge
	for i, n := range ns {
		if n < 1 || n > int64(len(c.edges)) {
			return fmt.Errorf("there is no edge %d so far", n)
		}
		e := c.edges[n-1]
		if i == 0 {
			first = e
		} else if last.to != e.from {
			return fmt.Errorf("edge %d does not begin where the one before it ends", n)
		}
		if last = e; c.values[index(-e.lit)] <= 0 {
			return fmt.Errorf("its clause does not have %d, the negation of edge %d", -e.lit, n)
		}
	}
	if last.to != first.from {
		return errors.New("its edges do not close")
	}
	return nil
}

func (c *checker) orderEnds() error {
	c.shown.Axioms -= len(c.lemmas)
	for n := range c.lemmas {
		if n <= int64(c.shown.Axioms) {
			return errors.New("lemmas are the last clauses of the formula")
		}
	}
	c.shown.Lemmas, c.shown.Edges = len(c.lemmas), len(c.edges)
	return nil
}

func (c *checker) derivation(l *line) error {
	switch {
	case c.empty:
		return errors.New("something comes after the empty clause")
	case len(l.ns) == 0:
		return errors.New("want a number")
	case l.words == "d" && l.before == 1 && l.ns[0] >= c.last: // it may be the last one again
		return c.forget(l.ns[1:])
	case l.words != "":
		return errors.New("want numbers")
	case l.ns[0] <= c.last:
		return fmt.Errorf("clause %d after %d", l.ns[0], c.last)
	}
	c.last = l.ns[0]
	if err := c.derive(l.ns[1:]); err != nil {
		return fmt.Errorf("clause %d: %w", c.last, err)
	}
	return nil
}

func (c *checker) derivationEnds() error {
	if !c.empty {
		return errors.New("it does not come to the empty clause")
	}
	return nil
}

// forget forgets the clauses of those numbers, behind which there is a 0.
func (c *checker) forget(ns []int64) error {
	for i, n := range ns {
		switch {
		case n == 0 && i+1 == len(ns):
			return nil
		case c.find(n) == nil:
			return fmt.Errorf("there is no clause %d to forget", n)
		case n <= int64(len(c.given)):
			c.given[n-1] = nil
		default:
			delete(c.derived, n)
		}
	}
	return io.ErrUnexpectedEOF
}

// find is clause n, or nil.
func (c *checker) find(n int64) []int32 {
	if n >= 1 && n <= int64(len(c.given)) {
		return c.given[n-1]
	}
	return c.derived[n]
}

// derive checks that a clause follows from its hints.
func (c *checker) derive(ns []int64) error {
	lits, hints, err := c.clause(ns)
	if err != nil {
		return err
	}
	defer c.unset()
	for _, l := range lits {
		if c.values[index(l)] > 0 {
			return fmt.Errorf("it has both %d and %d", -l, l)
		}
		c.assign(-l)
	}
	conflict := false
	for i, hint := range hints {
		switch {
		case hint == 0 && i+1 < len(hints):
			return errors.New("something is left of the line")
		case hint == 0 && !conflict:
			return errors.New("its hints leave it open")
		case hint == 0:
			c.empty = len(lits) == 0
			c.derived[c.last] = lits
			c.shown.Steps++
			return nil
		case conflict:
			return errors.New("hints come after the one that is false")
		}
		clause := c.find(hint)
		if clause == nil {
			return fmt.Errorf("hint %d is no clause", hint)
		}
		if conflict, err = c.propagate(clause); err != nil {
			return fmt.Errorf("hint %d: %w", hint, err)
		}
	}
	return io.ErrUnexpectedEOF
}

// propagate makes the one literal true that is left of a clause. It is true where none is.
func (c *checker) propagate(clause []int32) (conflict bool, err error) {
	left := int32(0)
	for _, l := range clause {
		switch v := c.values[index(l)]; {
		case v > 0:
			return false, fmt.Errorf("literal %d of it is true", l)
		case v == 0 && left != 0 && left != l:
			return false, fmt.Errorf("both %d and %d are left of it", left, l)
		case v == 0:
			left = l
		}
	}
	if left == 0 {
		return true, nil
	}
	c.assign(left)
	return false, nil
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

// A line is numbers, with words among them.
type line struct {
	number int
	blank  bool // it has nothing, or a comment, which begins with a c
	words  string
	before int // how many numbers come before the words
	ns     []int64
}

func (l *line) parse(text []byte) error {
	l.words, l.before, l.ns = "", 0, l.ns[:0]
	l.blank = len(text) > 0 && text[0] == 'c'
	for i := 0; i < len(text) && !l.blank; {
		j := i
		for j < len(text) && text[j] != ' ' && text[j] != '\t' && text[j] != '\r' {
			j++
		}
		if word := text[i:j]; j == i {
			j++
		} else if b := word[0]; b == '-' || b >= '0' && b <= '9' {
			n, err := number(word)
			if err != nil {
				return err
			}
			l.ns = append(l.ns, n)
		} else if l.words == "" && len(word) < 6 {
			l.words, l.before = string(word), len(l.ns)
		} else if l.words += " " + string(word); l.words != "p cnf" || l.before != len(l.ns) {
			return fmt.Errorf("%.20q is no number", word)
		}
		i = j
	}
	l.blank = l.blank || l.words == "" && len(l.ns) == 0
	return nil
}

// number reads a number in the one way to write it.
func number(word []byte) (int64, error) {
	n, err := strconv.ParseInt(string(word), 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != string(word) || n == math.MinInt64 {
		return 0, fmt.Errorf("%.20q is no number, or not written as one", word)
	}
	return n, nil
}
