package explore

import (
	"cmp"
	"context"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Closed searches like [Check], but without reduction. Where the result is Safe
// it calls start, and then visit for every state, in the order in which they were
// found, until one of these fails. The states contain the initial one, are closed
// under every step but for registers that are not live, which hold their initial
// values, and violate nothing. A state is good until visit returns.
func Closed(ctx context.Context, p *program.Program, opts Options, start func(x *abstract.System, states int64) error,
	visit func(x *abstract.System, s *abstract.State) error) (res *verdict.Result, err error) {
	opts.Reduction, opts.Workers, opts.Compact = NoReduction, 1, false
	s, err := newSearch(ctx, p, opts, nil)
	if err != nil {
		return verdict.Early(ctx, p, cmp.Or(opts.Model, memory.TSO), err)
	}
	defer s.close(&err)
	if err := s.run(); err != nil {
		return nil, err
	}
	if res, err = s.result("no violation"); err != nil {
		return nil, err
	}
	if res.Safe() {
		if err := start(s.x, s.states); err != nil {
			return nil, err
		}
		if err := s.each(func(st *abstract.State) error { return visit(s.x, st) }); err != nil {
			return nil, err
		}
	}
	res.Elapsed = time.Since(s.start)
	return res, nil
}

// each hands every stored state to f until it fails.
func (s *search) each(f func(*abstract.State) error) error {
	if h, ok := s.store.(*states.Hand); ok {
		return h.Walk(func(words []uint64) (int, error) {
			n := s.layout.Unpack(words, s.cur)
			return n, f(s.cur)
		})
	}
	a := s.store.(*states.Flat)
	for id := a.From(0); id != 0; {
		_, words := a.Record(id)
		n := s.layout.Unpack(words, s.cur)
		if err := f(s.cur); err != nil {
			return err
		}
		id = a.From(int64(id) + 1 + int64(n))
	}
	return nil
}
