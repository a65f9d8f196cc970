// Package text reads what certificates and proofs are written in: lines of words and numbers. It imports nothing of Fencepost.
package text

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Where something is wrong, a check panics with a refused, and whoever began it recovers that. So what comes after a
// condition in the code can be read as if it held.
type refused struct{ error }

// Refuse ends a check that has deferred [Recover].
func Refuse(format string, args ...any) { panic(refused{fmt.Errorf(format, args...)}) }

// Recover makes what was refused an error.
func Recover(err *error) {
	if p := recover(); p != nil {
		r, ok := p.(refused)
		if !ok {
			panic(p)
		}
		*err = r.error
	}
}

// GoOn refuses to go on where the context has ended.
func (r *Reader) GoOn() {
	if err := r.ctx.Err(); err != nil {
		panic(refused{err})
	}
}

// A Reader reads the lines of a text.
type Reader struct {
	ctx  context.Context
	name string
	in   *bufio.Scanner
	line int
}

// NewReader is one of a text that errors call by its name. When ctx ends first, the error is that of ctx.
func NewReader(ctx context.Context, name string, in io.Reader) *Reader {
	r := &Reader{ctx: ctx, name: name, in: bufio.NewScanner(in)}
	r.in.Buffer(nil, 1<<26) // a line has fewer bytes
	return r
}

// Next is the words of the next line that has any; none at the end.
func (r *Reader) Next() []string {
	for r.in.Scan() {
		r.line++
		r.GoOn()
		if words := strings.Fields(r.in.Text()); len(words) > 0 {
			return words
		}
	}
	if r.in.Err() != nil {
		r.Refuse("%w", r.in.Err())
	}
	return nil
}

// Refuse refuses the line at hand.
func (r *Reader) Refuse(format string, args ...any) {
	Refuse("%s, line %d: %w", r.name, r.line, fmt.Errorf(format, args...))
}

// Numbers is those that words are.
func (r *Reader) Numbers(words []string) (ns []int64) {
	for _, word := range words {
		n, ok := Number(word)
		if !ok {
			r.Refuse("%.20q is no number, or not written as one", word)
		}
		ns = append(ns, n)
	}
	return ns
}

// Number is the number that a word is, if it is one in the one way to write it: without a plus sign and leading zeros.
func Number(word string) (int64, bool) {
	n, err := strconv.ParseInt(word, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == word
}
