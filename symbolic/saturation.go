package symbolic

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/symbolic/diagram"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Saturation computes the set of all states that a program reaches under a buffer,
// as a decision diagram whose places are the local states of threads and the
// values of cells. The buffer may be any under which a thread has finitely many
// local states: the FIFO queues of TSO, too, where no loop goes on storing without
// a fence.
//
// Several orders of the places race; the quickest decides. The diagrams are of
// classes of values (see quotient), so that the set may have states that are not
// reached, too: those that no step and no property tells from ones that are.
//
// The result is Safe with a set that [ClosedSet.Check] verifies, or Unknown. It
// has no runs.
func Saturation(ctx context.Context, p *program.Program, b abstract.Buffer, search Search) (*Result, *ClosedSet, error) {
	if !Saturates(b) {
		return nil, nil, fmt.Errorf("%w: the store buffers %s", ErrUnsupported, abstract.Name(b))
	}
	m := &meter{ctx: ctx, limit: search.MemoryLimit}
	res := &Result{}
	unknown := func(stage string, err error) (*Result, *ClosedSet, error) {
		if !m.stopped(err) {
			return nil, nil, err
		}
		res.Reason = stage + "; " + m.because(err)
		return res, nil, nil
	}
	sp, err := newSpace(m, p, b)
	if err != nil {
		return unknown("still at the analysis of values", err)
	}
	if err := sp.close(); err != nil {
		return unknown("still listing the states of single threads", err)
	}
	if search.Listed != nil {
		search.Listed()
	}
	orders := sp.orders()
	var runs []diagram.Run
	var quotients []*quotient
	tables, share := m.held, m.left()/int64(len(orders))
	for _, places := range orders {
		sp.arrange(places)
		good, wrong, err := sp.steps()
		if err != nil {
			return unknown("still listing the steps of single threads", err)
		}
		q, err := newQuotient(sp, good, wrong)
		if err != nil {
			return unknown("still comparing the states of single threads", err)
		}
		s := diagram.New(q.size[1:], share)
		init, _ := sp.initial()
		runs = append(runs, diagram.Run{Store: s, From: s.Vector(q.vector(init)), Steps: relate(s, q.steps(good))})
		quotients = append(quotients, q)
		sp.forget(good, wrong)
		if err := cmp.Or(s.Full(), m.hold(s.Bytes())); err != nil {
			return unknown("still at the relations of steps", err)
		}
	}
	if search.Progress != nil {
		search.Progress(fmt.Sprintf("saturation: %d levels of up to %d values", len(sp.places), slices.Max(quotients[0].size)))
	}
	first, n, err := diagram.Race(ctx, runs)
	for _, r := range runs {
		res.Depth += r.Store.Size()
	}
	if err != nil {
		return unknown(fmt.Sprintf("the decision diagram has %d nodes", res.Depth), err)
	}
	const late = "the set is there, but not yet searched for violations"
	sp.arrange(orders[first])
	store := runs[first].Store
	runs, m.held = nil, tables+store.Bytes() // the others are no more
	s := diagram.New(sp.sizes, m.left())
	n, err = quotients[first].expand(sp, store, n, s)
	if err != nil {
		return unknown(late, err)
	}
	store, m.held = nil, tables+s.Bytes()
	good, wrong, err := sp.steps()
	if err != nil {
		return unknown(late, err)
	}
	sp.forget(good)
	for _, r := range relate(s, wrong) {
		met, err := s.Meets(ctx, n, r)
		if err != nil {
			return unknown(late, err)
		}
		if met {
			res.Reason = "an assertion can fail"
			return res, nil, nil
		}
	}
	violated, err := sp.violated(s, n)
	if err != nil {
		return unknown(late, err)
	}
	if violated {
		res.Reason = "a property can be violated"
		return res, nil, nil
	}
	res.Verdict = verdict.IsSafe
	return res, &ClosedSet{sp, s, n}, nil
}

// Saturates is true of the buffers that [Saturation] is made for.
func Saturates(b abstract.Buffer) bool {
	_, fifo := b.(abstract.FIFO)
	return fifo || Supports(b)
}
