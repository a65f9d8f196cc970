package evidence

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Search lists the states of p with the buffers b in place of those of TSO, each
// once: where they are closed under every step and violate nothing, it calls start, and
// then state for each, until one of these fails. [explore.Closed] is one.
type Search func(ctx context.Context, p *program.Program, b abstract.Buffer, start func(x *abstract.System, states int64) error,
	state func(x *abstract.System, s *abstract.State) error) (*verdict.Result, error)

// Possible is whether a result is a proof that has a form to be written down in.
func Possible(r *verdict.Result) bool {
	return r.Safe() && (r.Proof() != nil || r.Model() == memory.TSO && (r.Argument() == verdict.Closed || r.Argument() == verdict.Exhaustive))
}

// Certificate writes the evidence for a result that is Safe as text that [Certify] checks.
//
// Where the result comes with a proof it is that. Where its argument is
// [verdict.Closed], or [verdict.Exhaustive], under TSO it is the set of abstract
// states: they are searched once more, which may run out of time or memory where the
// engine did not.
func Certificate(ctx context.Context, w io.Writer, r *verdict.Result, search Search) error {
	w = &until{ctx, w}
	if r.Program().NoHang {
		return errHang
	}
	if Possible(r) && r.Proof() != nil {
		return writeProof(ctx, w, r)
	}
	if !Possible(r) {
		return fmt.Errorf("there is none for %v under %s by %q", r.Verdict(), r.Model(), r.Argument())
	}
	b := abstract.Buffer(abstract.FIFO{})
	if r.Argument() == verdict.Closed {
		var err error
		if b, err = abstract.ParseBuffer(r.Abstraction); err != nil {
			return err
		}
	}
	for {
		sw := &stateWriter{w: bufio.NewWriter(w), p: r.Program(), buffer: b}
		res, err := search(ctx, r.Program(), b, sw.start, sw.state)
		switch m, multiset := b.(abstract.Multiset); {
		case err != nil:
			return err
		case res.Safe():
			return sw.end()
		case res.Candidate() != nil && multiset && m.Max <= len(res.Candidate().Steps):
			// The reduced search may get by with smaller counts. But a run with fewer steps
			// than the count that stands for any number is one with every greater count, too.
			b = abstract.Multiset{Max: m.Max + 1, Saturate: true}
		default:
			return errors.New(res.Reason())
		}
	}
}

// A stateWriter writes the states of a search.
type stateWriter struct {
	w      *bufio.Writer
	p      *program.Program
	buffer abstract.Buffer
	line   []byte
}

func (c *stateWriter) start(x *abstract.System, states int64) error {
	fmt.Fprintf(c.w, "%s\nprogram %s\nmodel tso\nbuffer %s\n", certify.Magic, certify.Fingerprint(c.p), abstract.Name(c.buffer))
	c.line = append(c.line[:0], "cells"...)
	for _, cell := range x.Ranges.Cells {
		c.number(cell.Addr)
	}
	c.flush()
	for ti, t := range c.p.Threads {
		live := flow.Live(c.p, ti, false)
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

func (c *stateWriter) number(n int64) {
	c.line = strconv.AppendInt(append(c.line, ' '), n, 10)
}

// flush writes the line. An error of the writer comes up again at the end.
func (c *stateWriter) flush() error {
	_, err := c.w.Write(append(c.line, '\n'))
	return err
}

// state writes one state: by thread its control state and registers; the
// memory; by thread the buffer; the lock.
func (c *stateWriter) state(_ *abstract.System, s *abstract.State) error {
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
	return c.flush()
}

func (c *stateWriter) end() error {
	c.w.WriteString("end\n")
	return c.w.Flush()
}
