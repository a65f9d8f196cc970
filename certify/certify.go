// Package certify checks the evidence for a proof by other means than those that found it:
// a certificate and the program that it is for go in ([Check]), and out comes what it shows.
// docs/certificates.md has the format, and the arguments why what is checked is enough.
//
// It is meant to be read, and to be trusted, by itself. It knows nothing of how a
// certificate came about, and uses nothing of Fencepost but package program: what programs
// are, and what their expressions mean. A machine performs the steps of a program (machine.go), with store
// buffers (buffer.go), and judges states by properties (property.go). All states (state.go) that it reaches are searched
// (search.go), also for stores that matter when they are late (robust.go); or no step leads out of a decision diagram
// (diagram.go).
package certify

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Magic is the first line of a certificate.
const Magic = "fencepost certificate 3"

// What certificates show.
const (
	Safe   = "safe"
	Robust = "robust"
)

// Accepted is what a certificate shows, [Safe] or [Robust], under a model; since it
// is so with certain buffers; and why.
type Accepted struct{ Model, Buffer, Shows, Because string }

// Where something is wrong, the check panics with a refused, and whoever began it recovers that. So what comes after a
// condition in the text can be read as if it held.
type refused struct{ error }

func refuse(format string, args ...any) { panic(refused{fmt.Errorf(format, args...)}) }

// recovered makes what was refused an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		r, ok := p.(refused)
		if !ok {
			panic(p)
		}
		*err = r.error
	}
}

// Check checks a certificate for p. The error says
// what is wrong with it; or it is that of ctx, if that ends first.
func Check(ctx context.Context, in io.Reader, p *program.Program) (a *Accepted, err error) {
	defer recovered(&err)
	p, _ = p.Joined() // an access of several cells is one step
	r := &reader{ctx: ctx, p: p, in: bufio.NewScanner(in)}
	r.in.Buffer(nil, 1<<24)
	var head [4]string
	for i, word := range []string{Magic, "program ", "model ", "buffer "} {
		rest, ok := strings.CutPrefix(r.next(), word)
		if !ok || i == 0 && rest != "" {
			r.wrong("want %q", strings.TrimSpace(word))
		}
		head[i] = rest
	}
	if want := program.Fingerprint(p); head[1] != want {
		r.wrong("it is for program %s, not %s", head[1], want)
	}
	model, buffer := head[2], head[3]
	r.possible(model)
	line := r.next()
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case Safe, Robust:
		n, ok := parseNumber(rest)
		if !ok || n < 1 || n > math.MaxInt32 || word == Robust && buffer != "robust" {
			r.wrong("want the number of states")
		}
		r.over()
		a, found := r.search(model, buffer, word == Safe, int(n), 0)
		if found != int(n) {
			refuse("certificate: there are %d states, not %d", found, n)
		}
		return a, nil
	case "diagram":
		if line == word {
			return r.diagram(model, buffer), nil
		}
	}
	r.wrong("%q begins no certificate", line)
	return nil, nil
}

// possible refuses programs and models that no certificates are about.
func (r *reader) possible(model string) {
	switch {
	case r.p.NoHang:
		refuse("nothing here shows that the program does not hang: leave out forbid hang")
	case model != "tso" && model != "sc":
		refuse("there are no certificates for the model %q", model)
	case r.p.Arch != program.X86 && (model != "sc" || r.p.Exclusives()):
		refuse("there are no certificates for programs of %s under %s", r.p.Arch, model)
	case r.p.SeparateParts():
		refuse("there are no certificates for accesses of several cells between the parts of which others come in")
	}
}

// A reader reads the lines of a certificate.
type reader struct {
	ctx  context.Context
	p    *program.Program
	in   *bufio.Scanner
	line int
}

func (r *reader) next() string {
	if r.line++; r.line&0xff == 0 {
		r.goOn()
	}
	if !r.in.Scan() {
		r.wrong("%w", cmp.Or(r.in.Err(), io.ErrUnexpectedEOF))
	}
	return r.in.Text()
}

// goOn refuses to go on where the context has ended.
func (r *reader) goOn() {
	if err := r.ctx.Err(); err != nil {
		refuse("%w", err)
	}
}

// over refuses what comes after the end.
func (r *reader) over() {
	if r.line++; r.in.Scan() || r.in.Err() != nil {
		r.wrong("something comes after the end")
	}
}

// wrong refuses the line at hand.
func (r *reader) wrong(format string, args ...any) {
	refuse("certificate, line %d: %w", r.line, fmt.Errorf(format, args...))
}

func within(n int64, size int) bool { return n >= 0 && n < int64(size) }

// numbers is those of a text.
func numbers(text string) (ns []int64, ok bool) {
	for f := range strings.FieldsSeq(text) {
		n, ok := parseNumber(f)
		if !ok {
			return nil, false
		}
		ns = append(ns, n)
	}
	return ns, true
}

// parseNumber reads a number in the one way to write it: without a plus sign and leading zeros.
func parseNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}
