package refine

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"strconv"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// certificateMagic is the first line of a certificate.
const certificateMagic = "fencepost certificate 1"

// WriteCertificate writes the evidence for a result that is Safe as text that
// [Certify] checks (docs/certificates.md has the format).
//
// Where the argument is [verdict.InductiveInvariant] or [verdict.KInductive] it
// is the proof that comes with the result. Where it is [verdict.Closed], or
// [verdict.Exhaustive], under TSO it is the set of abstract states: they are
// searched once more, without reduction, which may run out of time or memory
// where the engine did not.
func WriteCertificate(ctx context.Context, w io.Writer, r *verdict.Result, opts Options) error {
	opts = opts.withDefaults()
	if r.Safe() && r.Proof() != nil {
		if _, err := fmt.Fprintf(w, "%s\nprogram %s\nmodel %s\n", certificateMagic, fingerprint(r.Program()), r.Model()); err != nil {
			return err
		}
		return r.Proof().Write(w)
	}
	if !r.Safe() || r.Model() != memory.TSO || r.Argument() != verdict.Closed && r.Argument() != verdict.Exhaustive {
		return fmt.Errorf("there is no certificate for %v under %s by %q", r.Verdict(), r.Model(), r.Argument())
	}
	b := abstract.Buffer(abstract.FIFO{})
	if r.Argument() == verdict.Closed {
		var err error
		if b, err = abstract.ParseBuffer(r.Abstraction); err != nil {
			return err
		}
	}
	o := opts.explore()
	o.Model, o.Buffer, o.DepthFirst = memory.TSO, 0, false
	for {
		o.Abstraction = b
		cw := &certificateWriter{w: bufio.NewWriter(w), p: r.Program(), buffer: b}
		res, err := explore.Closed(ctx, r.Program(), o, cw.start, cw.state)
		switch m, multiset := b.(abstract.Multiset); {
		case err != nil:
			return err
		case res.Safe():
			return cw.end()
		case res.Candidate() != nil && multiset:
			// The reduced search may get by with smaller counts.
			b = abstract.Multiset{Max: m.Max + 1, Saturate: true}
		default:
			return fmt.Errorf("no certificate: %s", res.Reason())
		}
	}
}

// A certificateWriter writes the states of a search.
type certificateWriter struct {
	w      *bufio.Writer
	p      *program.Program
	buffer abstract.Buffer
	line   []byte
}

// fingerprint identifies the program as the front end understood it.
func fingerprint(p *program.Program) string {
	h := sha256.New()
	program.Print(h, p) // a hash does not fail
	return fmt.Sprintf("%x", h.Sum(nil))
}

func (c *certificateWriter) start(x *abstract.System, states int64) error {
	fmt.Fprintf(c.w, "%s\nprogram %s\nmodel tso\nbuffer %s\n", certificateMagic, fingerprint(c.p), abstract.Name(c.buffer))
	c.line = append(c.line[:0], "cells"...)
	for _, cell := range x.Ranges.Cells {
		c.number(cell.Addr)
	}
	c.flush()
	for ti, t := range c.p.Threads {
		live := program.Live(c.p, ti, false)
		for q := range t.States {
			c.line = append(c.line[:0], "dead"...)
			c.number(int64(ti))
			c.number(int64(q))
			n := len(c.line)
			for r := range t.Regs {
				if !live[q].Has(r) {
					c.number(int64(r))
				}
			}
			if len(c.line) > n {
				c.flush()
			}
		}
	}
	fmt.Fprintf(c.w, "states %d\n", states)
	return nil
}

func (c *certificateWriter) number(n int64) {
	c.line = strconv.AppendInt(append(c.line, ' '), n, 10)
}

func (c *certificateWriter) flush() {
	c.w.Write(append(c.line, '\n')) // an error comes up again in Flush
}

// state writes one state: by thread its control state and registers; the
// memory; by thread the buffer; the lock.
func (c *certificateWriter) state(_ *abstract.System, s *abstract.State) error {
	c.line = append(c.line[:0], 's')
	for t, pc := range s.PC {
		c.number(int64(pc))
		for _, v := range s.Regs[t] {
			c.number(v)
		}
		c.line = append(c.line, " |"...)
	}
	for _, v := range s.Mem {
		c.number(v)
	}
	c.line = append(c.line, " |"...)
	for t := range s.Buf {
		for _, p := range s.Buf[t].Pairs {
			c.number(int64(p.Cell))
			c.number(p.Value)
		}
		c.line = append(c.line, " |"...)
	}
	c.number(int64(s.Lock))
	c.flush()
	return nil
}

func (c *certificateWriter) end() error {
	c.w.WriteString("end\n")
	return c.w.Flush()
}
