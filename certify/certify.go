// Package certify checks the evidence for a proof by other means than those that found it:
// a certificate and the program that it is for go in ([Check]), and out comes what it shows.
// docs/certificates.md has the format. It knows nothing of how a certificate came about, and
// uses nothing of the engines but the rules of package abstract, one step at a time, what a
// state violates ([replay.Judge]) and, for invariants and decision diagrams, the circuit of
// these rules and the conditions of package symbolic.
//
// [Write] writes certificates. It is told the states by whoever searched them.
package certify

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/symbolic"
)

// magic is the first line of a certificate.
const magic = "fencepost certificate 1"

// fingerprint identifies the program as the front end understood it.
func fingerprint(p *program.Program) string {
	h := sha256.New()
	program.Print(h, p) // a hash does not fail
	return fmt.Sprintf("%x", h.Sum(nil))
}

// A Certificate is what [Check] has checked: a set of states, or an invariant.
type Certificate struct {
	Model       memory.Model
	Buffer      string // the abstraction, as [abstract.Name] calls it
	States      int
	Transitions int64
	// Proof is nil for a set of states one by one.
	Proof fmt.Stringer
}

// Check checks a certificate that p is safe.
//
// One that is a set of states is for TSO. It is checked that its set of states
// contains the initial state, is closed under every step, and that none of its
// states and steps violates a property or an assertion of p. Then all reachable
// states of the abstraction are in the set, and, as the abstraction encloses TSO
// (thesis theorems 12, 14 and 17), no reachable state of TSO violates anything.
//
// A certificate may say that certain registers are dead at certain control states and hold their
// initial values there. That is checked like the rest: no edge reads such a
// register, and it stays dead until it is written.
//
// An invariant is checked by [symbolic.Check]: nothing is taken from the engine
// that found it but its clauses.
//
// When ctx ends first the error is that of ctx.
func Check(ctx context.Context, r io.Reader, p *program.Program) (*Certificate, error) {
	c := &certifier{ctx: ctx, p: p, known: map[string]struct{}{}}
	c.in = bufio.NewScanner(r)
	c.in.Buffer(nil, 1<<24)
	line, err := c.preamble()
	if err != nil {
		return nil, c.at(err)
	}
	if strings.HasPrefix(line, "steps ") || strings.HasPrefix(line, "diagram ") {
		if err := c.proof(line); err != nil {
			return nil, err
		}
		return &c.out, nil
	}
	if err := c.header(line); err != nil {
		return nil, c.at(err)
	}
	if err := c.checkDead(); err != nil {
		return nil, err
	}
	if err := c.read(); err != nil {
		return nil, c.at(err)
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return &c.out, nil
}

func (c *certifier) at(err error) error { return fmt.Errorf("certificate, line %d: %w", c.line, err) }

func (c *certifier) next() (string, error) {
	c.line++
	if !c.in.Scan() {
		if err := c.in.Err(); err != nil {
			return "", err
		}
		return "", io.ErrUnexpectedEOF
	}
	return c.in.Text(), nil
}

// field reads a line that begins with a word, and gives the rest.
func (c *certifier) field(word string) (string, error) {
	line, err := c.next()
	if err != nil {
		return "", err
	}
	rest, ok := strings.CutPrefix(line, word+" ")
	if !ok {
		return "", fmt.Errorf("want %q", word)
	}
	return rest, nil
}

// preamble reads what all certificates begin with, and the line after it, which
// tells of which kind it is.
func (c *certifier) preamble() (string, error) {
	line, err := c.next()
	if err == nil && line != magic {
		err = fmt.Errorf("want %q", magic)
	}
	if err != nil {
		return "", err
	}
	got, err := c.field("program")
	if err != nil {
		return "", err
	}
	if want := fingerprint(c.p); got != want {
		return "", fmt.Errorf("it is for program %s, not %s", got, want)
	}
	model, err := c.field("model")
	if err != nil {
		return "", err
	}
	c.out.Model = memory.Model(model)
	if c.out.Model != memory.TSO && c.out.Model != memory.SC {
		return "", fmt.Errorf("there are no certificates for the model %q", model)
	}
	if c.out.Buffer, err = c.field("buffer"); err != nil {
		return "", err
	}
	return c.next()
}

// proof reads and checks an invariant or a decision diagram, of which line is the
// first line.
func (c *certifier) proof(line string) error {
	b, err := abstract.ParseBuffer(c.out.Buffer)
	if err == nil && b.Immediate() && c.out.Model != memory.SC {
		err = fmt.Errorf("buffers %s do not enclose those of %s", c.out.Buffer, c.out.Model)
	}
	if err != nil {
		return c.at(err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "buffer %s\n%s\n", c.out.Buffer, line)
	for c.in.Scan() {
		text.Write(c.in.Bytes())
		text.WriteByte('\n')
	}
	if err := c.in.Err(); err != nil {
		return err
	}
	if strings.HasPrefix(line, "diagram ") {
		set, err := symbolic.ReadClosedSet(c.ctx, strings.NewReader(text.String()), c.p)
		if err != nil {
			return fmt.Errorf("certificate: %w", err)
		}
		c.out.Proof = set
		return set.Check(c.ctx)
	}
	inv, err := symbolic.ReadInvariant(c.ctx, strings.NewReader(text.String()), c.p)
	if err != nil {
		return fmt.Errorf("certificate: %w", err)
	}
	c.out.Proof = inv
	return symbolic.Check(c.ctx, inv, c.p)
}
