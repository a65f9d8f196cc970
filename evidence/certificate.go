package evidence

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Accepted is a certificate that was accepted.
type Accepted struct {
	Model memory.Model
	// Shows is what it shows: "safe", "robust", "unsafe", or how far there is no violation.
	Shows   string
	Buffer  string // the abstraction, as package abstract calls it, or "robust"; "" where there is none
	Because string
	// Trusting is what of the engines the check has to believe; "": nothing.
	Trusting string
}

// Certify checks a certificate for p. When ctx ends first the error is that of ctx.
func Certify(ctx context.Context, r io.Reader, p *program.Program) (*Accepted, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if rest, ok := bytes.CutPrefix(text, []byte(certify.Magic+"\n"+formulasLine)); ok {
		return certifyFormulas(ctx, rest, p)
	}
	if rest, ok := isExecution(text); ok {
		return certifyExecution(ctx, rest, p)
	}
	a, err := certify.Check(ctx, bytes.NewReader(text), p)
	if err == nil {
		err = memory.Model(a.Model).Takes(p)
	}
	if err != nil {
		return nil, err
	}
	return &Accepted{Model: memory.Model(a.Model), Shows: a.Shows, Buffer: a.Buffer, Because: a.Because}, nil
}

// About is the memory model that a certificate, or a manifest of [Write], says it is about, before anything is checked;
// "": none. A program of C is to be read for that one.
func About(text []byte) memory.Model {
	if rest, ok := bytes.CutPrefix(text, []byte(certify.Magic+"\n"+formulasLine)); ok {
		files, err := sections(rest)
		if err != nil {
			return ""
		}
		text = files[ManifestName]
	}
	var m struct{ Model memory.Model }
	if json.Unmarshal(text, &m) != nil {
		for n := 0; n < headLines && len(text) > 0; {
			var line []byte
			line, text, _ = bytes.Cut(text, []byte("\n"))
			words := bytes.Fields(line) // as package certify reads lines
			if len(words) == 2 && string(words[0]) == "model" {
				m.Model = memory.Model(words[1])
				break
			}
			n += min(len(words), 1)
		}
	}
	return m.Model
}

// headLines is in how many lines at the beginning of a certificate, without blank ones, the model is named.
const headLines = 4

// Possible is whether a result has evidence that can be written down.
func Possible(r *verdict.Result) bool {
	if r.Program().NoHang {
		return false
	}
	if len(r.Refutations) > 0 {
		return !r.Unsafe()
	}
	states := r.Argument() == verdict.Closed || r.Argument() == verdict.Exhaustive || alone(r)
	return r.Safe() && (r.Proof() != nil || states && (r.Model() == memory.TSO || r.Model() == memory.SC))
}

// alone is whether a program is safe since it is robust, into which no buffering was written.
func alone(r *verdict.Result) bool {
	return r.Argument() == verdict.RobustSafe && r.Stat("extensions") == 0 && !flow.Locks(r.Program())
}

// Certificate writes the evidence for a result as text that [Certify] checks.
//
// Where the result comes with formulas it is these, with their proofs. Where it comes with a proof it is that.
// Where its argument is that states were searched, it says which buffers, and how many states
// there are: they are searched once more, by package certify, which may run out of time or memory where the
// engine did not. Where there is no such form, or it takes too much, others are tried. bytes bounds what states may take; 0: no bound.
func Certificate(ctx context.Context, w io.Writer, r *verdict.Result, bytes int64) error {
	switch {
	case r.Program().NoHang:
		return errHang
	case r.Execution() != nil && r.Unsafe():
		return writeExecution(w, r)
	case len(r.Refutations) > 0:
		return writeFormulas(ctx, w, r)
	case !r.Safe() || r.Model() != memory.TSO && r.Model() != memory.SC:
		return fmt.Errorf("there is none for %v under %s by %q", r.Verdict(), r.Model(), r.Argument())
	}
	c := &certificate{ctx, r, bytes}
	turned := r.Stat(verdict.TurnedCounters) > 0
	if turned && (c.bytes == 0 || c.bytes > maxTried) {
		c.bytes = maxTried // no memory may be enough
	}
	err := c.write(w)
	if err == nil || ctx.Err() != nil {
		return err
	}
	others := []string{"robust", "set", "coherence:1", "fifo"}
	if r.Model() == memory.SC {
		others = []string{"none"}
	}
	if c.bytes == 0 || c.bytes > maxTried {
		c.bytes = maxTried
	}
	if turned {
		err = fmt.Errorf("the states are visited with the counters that go round for ever wherever they stand: %w", err)
	}
	for _, b := range others {
		if c.search(w, b) == nil {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return err
}

// maxTried bounds the bytes for states in a form that the proof did not have, and of a search that has turned counters.
var maxTried int64 = 1 << 28

type certificate struct {
	ctx   context.Context
	r     *verdict.Result
	bytes int64
}

// write writes the proof in the form that it has.
func (c *certificate) write(w io.Writer) error {
	r := c.r
	switch {
	case r.Proof() != nil:
		return c.proof(w)
	case alone(r):
		return c.search(w, "robust")
	case r.Argument() == verdict.Closed:
		return c.search(w, r.Abstraction)
	case r.Argument() != verdict.Exhaustive:
		return fmt.Errorf("there is none for %v under %s by %q", r.Verdict(), r.Model(), r.Argument())
	case r.Model() == memory.SC:
		return c.search(w, "none")
	}
	return c.search(w, "fifo")
}

// search writes that a search of the states with buffers finds nothing. An engine that leaves
// states out may get by with smaller counts.
func (c *certificate) search(w io.Writer, buffer string) error {
	for {
		var b bytes.Buffer
		err := certify.Search(c.ctx, &b, c.r.Program(), string(c.r.Model()), buffer, certify.Safe, c.bytes)
		if err == nil {
			_, err = w.Write(b.Bytes())
			return err
		}
		digits, counts := strings.CutPrefix(buffer, "multiset:")
		n, _ := strconv.Atoi(digits)
		if !counts || n >= maxCount || c.ctx.Err() != nil {
			return err
		}
		buffer = fmt.Sprint("multiset:", n+1)
	}
}

// maxCount is up to which count that stands for all larger ones a certificate is tried for.
const maxCount = 16

// proof writes that the states that are reached, with the buffers of a proof, violate nothing, if that is accepted.
func (c *certificate) proof(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\nprogram %s\nmodel %s\n", certify.Magic, program.Fingerprint(c.r.Program()), c.r.Model())
	if err := c.r.Proof().Write(c.ctx, &until{c.ctx, &b}, c.bytes); err != nil {
		return err
	}
	if _, err := certify.Check(c.ctx, bytes.NewReader(b.Bytes()), c.r.Program()); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// Robust writes the evidence that a program is robust.
func Robust(ctx context.Context, w io.Writer, r *verdict.RobustResult, bytes int64) error {
	if r.Verdict() != verdict.IsSafe || r.About() != verdict.Robustness {
		return errors.New("there is none but that a program is robust")
	}
	return certify.Search(ctx, w, r.Program(), string(memory.TSO), "robust", certify.Robust, bytes)
}
