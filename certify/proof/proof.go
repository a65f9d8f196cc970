// Package proof checks that a formula has no model: a proof goes in, and out comes what it
// proves, or why it proves nothing. It is meant to be read, and trusted, by itself, and
// imports nothing of Fencepost.
//
// A proof is three texts (see [Files]): a formula, the order that goes with it, and a
// derivation of the empty clause.
//
//   - The formula is in the format DIMACS: "p cnf VARIABLES CLAUSES", then clauses,
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
	c := &checker{ctx: ctx, derived: map[int64][]int32{}}
	for _, text := range []struct {
		name string
		r    io.Reader
		read func(*scanner) error
	}{{"formula", files.Formula, c.formula}, {"order", files.Order, c.order}, {"derivation", files.Derivation, c.derivation}} {
		if text.r == nil {
			continue
		}
		s := &scanner{in: bufio.NewReaderSize(text.r, 1<<16), line: 1}
		if err := text.read(s); err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("%s, line %d: %w", text.name, s.line, err)
		}
	}
	if !c.empty {
		return nil, errors.New("derivation: it does not come to the empty clause")
	}
	return &c.shown, nil
}

type checker struct {
	ctx   context.Context
	shown Shown

	// The clauses that there are: those of the formula, by number - 1, and those derived.
	// nil: forgotten.
	given   [][]int32
	derived map[int64][]int32
	arena   []int32

	edges  []edge
	values []int8  // by literal, see index: 1 true, -1 false
	set    []int32 // the literals that are true
	empty  bool    // the empty clause is derived
}

type edge struct {
	lit      int32
	from, to int64
}

// maxVariables bounds the numbers of variables. Memory is taken for those that clauses have.
const maxVariables = 1 << 27

// index is where the value of a literal is.
func index(l int32) int {
	if l < 0 {
		return -2*int(l) + 1
	}
	return 2 * int(l)
}

// literal is n as a literal of the formula.
func (c *checker) literal(n int64) (int32, error) {
	if n == 0 || n > int64(c.shown.Variables) || n < -int64(c.shown.Variables) {
		return 0, fmt.Errorf("%d is no literal of the variables 1 to %d", n, c.shown.Variables)
	}
	for v := int(max(n, -n)); len(c.values) < 2*v+2; {
		c.values = append(c.values, 0)
	}
	return int32(n), nil
}

// clause reads literals up to a 0.
func (c *checker) clause(s *scanner, first int64) ([]int32, error) {
	start := len(c.arena)
	if cap(c.arena)-start < 1<<10 {
		c.arena, start = make([]int32, 0, 1<<16), 0
	}
	for n := first; n != 0; {
		l, err := c.literal(n)
		if err != nil {
			return nil, err
		}
		c.arena = append(c.arena, l)
		if n, err = s.number(); err != nil {
			return nil, err
		}
	}
	end := len(c.arena)
	return c.arena[start:end:end], nil
}

func (c *checker) formula(s *scanner) error {
	if err := s.words("p", "cnf"); err != nil {
		return err
	}
	vars, err := s.number()
	if err != nil {
		return err
	}
	count, err := s.number()
	if err != nil {
		return err
	}
	if vars < 0 || vars > maxVariables || count < 0 {
		return fmt.Errorf("a formula of %d variables and %d clauses", vars, count)
	}
	c.shown.Variables = int(vars)
	for {
		n, err := s.number()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		lits, err := c.clause(s, n)
		if err != nil {
			return eof(err)
		}
		if lits == nil {
			lits = []int32{}
		}
		c.given = append(c.given, lits)
		if len(c.given)&0xfff == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
	}
	if int64(len(c.given)) != count {
		return fmt.Errorf("%d clauses, and %d were promised", len(c.given), count)
	}
	c.shown.Axioms = len(c.given)
	return nil
}

func (c *checker) order(s *scanner) error {
	isLemma, lowest := map[int64]bool{}, int64(math.MaxInt64)
	for {
		word, err := s.word()
		if err == io.EOF {
			c.shown.Axioms -= len(isLemma)
			if len(isLemma) > 0 && lowest <= int64(c.shown.Axioms) {
				return errors.New("lemmas are the last clauses of the formula")
			}
			c.shown.Lemmas, c.shown.Edges = len(isLemma), len(c.edges)
			return nil
		}
		if err != nil {
			return err
		}
		switch word {
		case "edge":
			var ns [3]int64
			for i := range ns {
				if ns[i], err = s.number(); err != nil {
					return eof(err)
				}
			}
			l, err := c.literal(ns[0])
			if err != nil {
				return err
			}
			if ns[1] < 0 || ns[2] < 0 {
				return errors.New("nodes have numbers from 0")
			}
			c.edges = append(c.edges, edge{l, ns[1], ns[2]})
		case "lemma":
			n, err := s.number()
			if err != nil {
				return eof(err)
			}
			if n < 1 || n > int64(len(c.given)) || isLemma[n] {
				return fmt.Errorf("clause %d is none of the formula, or a lemma already", n)
			}
			if err := c.cycle(s, c.given[n-1]); err != nil {
				return fmt.Errorf("lemma %d: %w", n, eof(err))
			}
			isLemma[n], lowest = true, min(lowest, n)
		default:
			return fmt.Errorf("%q is neither an edge nor a lemma", word)
		}
		if !s.atEnd() {
			return errors.New("something is left of the line")
		}
		if c.ctx.Err() != nil {
			return c.ctx.Err()
		}
	}
}

// cycle reads edges up to the end of the line: they must make a cycle, and the clause must
// say that one of them is not there.
func (c *checker) cycle(s *scanner, clause []int32) error {
	for _, l := range clause {
		c.values[index(l)] = 1
	}
	defer func() {
		for _, l := range clause {
			c.values[index(l)] = 0
		}
	}()
	var first, last edge
	for i := 0; ; i++ {
		if i > 0 && s.atEnd() {
			break
		}
		n, err := s.number()
		if err != nil {
			return err
		}
		if n < 1 || n > int64(len(c.edges)) {
			return fmt.Errorf("there is no edge %d so far", n)
		}
		e := c.edges[n-1]
		if i == 0 {
			first = e
		} else if last.to != e.from {
			return fmt.Errorf("edge %d does not begin where the one before it ends", n)
		}
		if last = e; c.values[index(-e.lit)] == 0 {
			return fmt.Errorf("its clause does not have %d, the negation of edge %d", -e.lit, n)
		}
	}
	if last.to != first.from {
		return errors.New("its edges do not close")
	}
	return nil
}

func (c *checker) derivation(s *scanner) error {
	previous := int64(len(c.given))
	for steps := 0; ; steps++ {
		number, err := s.number()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if c.empty {
			return errors.New("something comes after the empty clause")
		}
		if steps&0xff == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		if s.deletion() {
			// Its number may be the last one again.
			if number < previous {
				return fmt.Errorf("number %d after %d", number, previous)
			}
			if err := c.forget(s); err != nil {
				return eof(err)
			}
			continue
		}
		if number <= previous {
			return fmt.Errorf("clause %d after %d", number, previous)
		}
		previous = number
		if err := c.derive(s, number); err != nil {
			return fmt.Errorf("clause %d: %w", number, eof(err))
		}
	}
}

// forget reads the numbers of clauses that are not needed any more.
func (c *checker) forget(s *scanner) error {
	for {
		n, err := s.number()
		if n == 0 || err != nil {
			return err
		}
		if c.find(n) == nil {
			return fmt.Errorf("there is no clause %d to forget", n)
		}
		if n <= int64(len(c.given)) {
			c.given[n-1] = nil
		} else {
			delete(c.derived, n)
		}
	}
}

// find is clause n, or nil.
func (c *checker) find(n int64) []int32 {
	if n >= 1 && n <= int64(len(c.given)) {
		return c.given[n-1]
	}
	return c.derived[n]
}

// derive reads a clause and its hints, and checks that it follows from them.
func (c *checker) derive(s *scanner, number int64) error {
	n, err := s.number()
	if err != nil {
		return err
	}
	// What stays does so in memory of its own, so that what goes gives it back.
	lits := []int32{}
	for n != 0 {
		l, err := c.literal(n)
		if err != nil {
			return err
		}
		lits = append(lits, l)
		if n, err = s.number(); err != nil {
			return err
		}
	}
	defer c.unset()
	for _, l := range lits {
		if c.values[index(l)] > 0 {
			return fmt.Errorf("it has both %d and %d", -l, l)
		}
		if c.values[index(l)] == 0 {
			c.assign(-l)
		}
	}
	for conflict := false; ; {
		hint, err := s.number()
		if err != nil {
			return err
		}
		switch {
		case hint == 0 && !conflict:
			return errors.New("its hints leave it open")
		case hint == 0:
			if len(lits) == 0 {
				c.empty = true
				c.shown.Steps++
				return nil
			}
			c.derived[number] = lits
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

// eof is err, where it is no error that the text has come to its end.
func eof(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A scanner reads words and numbers, with a blank or the end of a line behind each.
type scanner struct {
	in    *bufio.Reader
	line  int
	begun bool
}

func (s *scanner) next() (byte, error) {
	b, err := s.in.ReadByte()
	if b == '\n' {
		s.line++
	}
	return b, err
}

// skip reads blanks and empty lines, and comments, which begin with a c.
func (s *scanner) skip() error {
	fresh := !s.begun
	s.begun = true
	for {
		b, err := s.next()
		switch {
		case err != nil:
			return err
		case b == '\n':
			fresh = true
		case b == 'c' && fresh:
			for b != '\n' {
				if b, err = s.next(); err != nil {
					return err
				}
			}
			fresh = true
		case b != ' ' && b != '\t' && b != '\r':
			return s.in.UnreadByte()
		}
	}
}

func (s *scanner) word() (string, error) {
	if err := s.skip(); err != nil {
		return "", err
	}
	var word []byte
	for {
		b, err := s.in.ReadByte()
		if err == io.EOF {
			return string(word), nil
		}
		if err != nil {
			return "", err
		}
		if b == ' ' || b == '\t' || b == '\r' || b == '\n' {
			return string(word), s.in.UnreadByte()
		}
		if word = append(word, b); len(word) > 20 {
			return "", fmt.Errorf("%q..: no word is so long", word)
		}
	}
}

func (s *scanner) words(want ...string) error {
	for _, w := range want {
		if got, err := s.word(); err != nil || got != w {
			return fmt.Errorf("want %q", w)
		}
	}
	return nil
}

// number reads a decimal number. The error is [io.EOF] where nothing is left.
func (s *scanner) number() (int64, error) {
	if err := s.skip(); err != nil {
		return 0, err
	}
	negative, digits, n := false, 0, int64(0)
	for {
		b, err := s.in.ReadByte()
		switch {
		case err != nil && err != io.EOF:
			return 0, err
		case err == nil && b >= '0' && b <= '9':
			switch {
			case n > (math.MaxInt64-9)/10:
				return 0, errors.New("a number is too large")
			case digits > 0 && n == 0:
				return 0, errors.New("a number has a leading zero")
			}
			n, digits = 10*n+int64(b-'0'), digits+1
			continue
		case err == nil && b == '-' && digits == 0 && !negative:
			negative = true
			continue
		case digits == 0 || err == nil && b != ' ' && b != '\t' && b != '\r' && b != '\n':
			return 0, errors.New("want a number")
		}
		if err == nil {
			if err := s.in.UnreadByte(); err != nil {
				return 0, err
			}
		}
		if negative && n == 0 {
			return 0, errors.New("0 has no sign")
		}
		if negative {
			n = -n
		}
		return n, nil
	}
}

// deletion reads a d, if there is one.
func (s *scanner) deletion() bool {
	if s.skip() != nil {
		return false
	}
	if b, err := s.in.ReadByte(); err == nil && b == 'd' {
		return true
	}
	s.in.UnreadByte()
	return false
}

// atEnd reads to the end of the line, if there are but blanks.
func (s *scanner) atEnd() bool {
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			return true
		}
		if b != ' ' && b != '\t' && b != '\r' {
			s.in.UnreadByte()
			return b == '\n'
		}
	}
}
