// Package certify checks the evidence for a proof by other means than those that found it:
// a certificate and the program that it is for go in ([Check]), and out comes what it shows.
// docs/certificates.md has the format, and the arguments why what is checked is enough.
//
// It is meant to be read, and to be trusted, by itself. It knows nothing of how a
// certificate came about, and uses nothing of Fencepost but package program: what programs
// are, and what their expressions mean. A machine performs the steps of a program (machine.go), with store
// buffers (buffer.go), and judges states by properties (property.go). All states (state.go) that it reaches are searched
// (search.go), also for stores that matter when they are late (robust.go); or no step leads out of a decision diagram
// (diagram.go). What they are written in is read by package text.
package certify

import (
	"context"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/certify/text"
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

// Check checks a certificate for p. The error says
// what is wrong with it; or it is that of ctx, if that ends first.
func Check(ctx context.Context, in io.Reader, p *program.Program) (a *Accepted, err error) {
	defer text.Recover(&err)
	p, _ = p.Joined() // an access of several cells is one step
	r := &reader{text.NewReader(ctx, "certificate", in), p}
	if strings.Join(r.Next(), " ") != Magic {
		r.Refuse("want %q", Magic)
	}
	fingerprint, model, buffer := r.head("program"), r.head("model"), r.head("buffer")
	if want := program.Fingerprint(p); fingerprint != want {
		r.Refuse("it is for program %s, not %s", fingerprint, want)
	}
	r.possible(model)
	line := strings.Join(r.Next(), " ")
	form, rest, _ := strings.Cut(line, " ")
	n, ok := text.Number(rest)
	switch {
	case line == "diagram" && buffer != Robust:
		return r.diagram(model, buffer), nil
	case (form == Safe || form == Robust && buffer == Robust) && ok && n > 0 && r.Next() == nil:
		left := n
		a := r.search(model, buffer, form, func(int) {
			if left--; left < 0 {
				text.Refuse("certificate: there are more than %d states", n)
			}
		})
		if left > 0 {
			text.Refuse("certificate: there are %d states, not %d", n-left, n)
		}
		return a, nil
	}
	r.Refuse("%q begins no certificate", line)
	return nil, nil
}

// head is the name behind a word in the first lines.
func (r *reader) head(word string) string {
	words := r.Next()
	if len(words) != 2 || words[0] != word {
		r.Refuse("want %q and a name", word)
	}
	return words[1]
}

// possible refuses programs and models that no certificates are about.
func (r *reader) possible(model string) {
	switch {
	case r.p.NoHang:
		text.Refuse("nothing here shows that the program does not hang: leave out forbid hang")
	case model != "tso" && model != "sc":
		text.Refuse("there are no certificates for the model %q", model)
	case r.p.Arch != program.X86 && (model != "sc" || r.p.Exclusives()):
		text.Refuse("there are no certificates for programs of %s under %s", r.p.Arch, model)
	case r.p.SeparateParts():
		text.Refuse("there are no certificates for accesses of several cells between the parts of which others come in")
	}
}

// A reader reads a certificate for a program.
type reader struct {
	*text.Reader
	p *program.Program
}
