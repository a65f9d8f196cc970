// Package certify checks the evidence for a proof by other means than those that found it:
// a certificate and the program that it is for go in ([Check]), and out comes what it shows.
// docs/certificates.md has the format, and the arguments why what is checked is enough.
//
// It is meant to be read, and to be trusted, by itself. It knows nothing of how a
// certificate came about, and uses nothing of Fencepost but package program: what programs
// are, and what their expressions mean. A machine performs the steps of a program (machine.go);
// a set of states is closed under them (states.go), or clauses are kept by them (invariant.go),
// which takes unit propagation and no search (logic.go).
package certify

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Magic is the first line of a certificate.
const Magic = "fencepost certificate 1"

// ErrForm is wrapped by the error that says that a certificate is of a form that this package
// does not check.
var ErrForm = errors.New("this form of certificates is checked elsewhere")

// Fingerprint identifies the program as the front end understood it.
func Fingerprint(p *program.Program) string {
	return program.Fingerprint(p)
}

// Accepted is what a certificate shows: that the program is safe under the model, since it
// is so with certain buffers, and why.
type Accepted struct{ Model, Buffer, Because string }

// Check checks a certificate that p is safe: see [states] and [invariant]. The error says
// what is wrong with it; or it is that of ctx, if that ends first.
func Check(ctx context.Context, r io.Reader, p *program.Program) (*Accepted, error) {
	a, _, err := check(ctx, r, p, nil)
	return a, err
}

// A Refuter derives a clause from others, by clauses each of which follows from them and
// those before it by unit propagation; the last one is the clause or part of it. Literals are
// numbers from 1 and their negations.
type Refuter func(ctx context.Context, clauses [][]int, clause []int) ([][]int, error)

// Complete is the lines that a certificate lacks that is an invariant, to be written before its
// last one: lemmas, without which clauses do not follow by unit propagation alone.
func Complete(ctx context.Context, r io.Reader, p *program.Program, refute Refuter) ([]string, error) {
	_, lemmas, err := check(ctx, r, p, refute)
	return lemmas, err
}

func check(ctx context.Context, in io.Reader, p *program.Program, refute Refuter) (*Accepted, []string, error) {
	r := &reader{ctx: ctx, p: p, in: bufio.NewScanner(in)}
	r.in.Buffer(nil, 1<<24)
	var head [4]string
	for i, word := range []string{Magic, "program ", "model ", "buffer "} {
		line, err := r.next()
		if err != nil {
			return nil, nil, err
		}
		rest, ok := strings.CutPrefix(line, word)
		if !ok || i == 0 && rest != "" {
			return nil, nil, r.wrong("want %q", strings.TrimSpace(word))
		}
		head[i] = rest
	}
	if want := Fingerprint(p); head[1] != want {
		return nil, nil, r.wrong("it is for program %s, not %s", head[1], want)
	}
	if p.NoHang {
		return nil, nil, r.wrong("nothing here shows that the program does not hang: leave out forbid hang")
	}
	model, buffer := head[2], head[3]
	if model != "tso" && model != "sc" {
		return nil, nil, r.wrong("there are no certificates for the model %q", model)
	}
	if p.Arch != program.X86 && (model != "sc" || p.Exclusives()) {
		return nil, nil, r.wrong("there are no certificates for programs of %s under %s", p.Arch, model)
	}
	line, err := r.next()
	switch {
	case err != nil:
		return nil, nil, err
	case strings.HasPrefix(line, "cells"):
		a, err := r.states(model, buffer, line)
		return a, nil, err
	case strings.HasPrefix(line, "steps "):
		return r.invariant(model, buffer, line, refute)
	case strings.HasPrefix(line, "diagram "):
		return nil, nil, r.wrong("%w", ErrForm)
	}
	return nil, nil, r.wrong("%q begins no certificate", line)
}

// A reader reads the lines of a certificate.
type reader struct {
	ctx  context.Context
	p    *program.Program
	in   *bufio.Scanner
	line int
}

func (r *reader) next() (string, error) {
	if r.line++; r.line&0xff == 0 && r.ctx.Err() != nil {
		return "", r.ctx.Err()
	}
	if !r.in.Scan() {
		if err := r.in.Err(); err != nil {
			return "", r.wrong("%w", err)
		}
		return "", r.wrong("%w", io.ErrUnexpectedEOF)
	}
	return r.in.Text(), nil
}

// over is an error where something comes after the end.
func (r *reader) over() error {
	if _, err := r.next(); !errors.Is(err, io.ErrUnexpectedEOF) {
		return r.wrong("something comes after the end")
	}
	return nil
}

func (r *reader) wrong(format string, args ...any) error {
	return fmt.Errorf("certificate, line %d: %w", r.line, fmt.Errorf(format, args...))
}
