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
		res.Reason = stage + "; " + m.because()
		return res, nil, nil
	}
	if slices.ContainsFunc(p.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock }) {
		return nil, nil, fmt.Errorf("%w: a deadlock as a property", ErrUnsupported)
	}
	sp, err := newSpace(m, p, b)
	if err != nil {
		return unknown("still at the analysis of values", err)
	}
	if err := sp.close(); err != nil {
		return unknown("still listing the states of single threads", err)
	}
	if search.Listed != nil {
		search.Listed(len(sp.orders()))
	}
	s, n, nodes, stage, err := sp.saturate(search.Progress)
	res.Depth = nodes
	if err != nil {
		return unknown(stage, err)
	}
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

// late is how far a search is that has the set but not its verdict.
const late = "the set is there, but not yet searched for violations"

// saturate computes the states that are reached, in the order of the places that is the quickest, and says how many nodes
// that took; or, with an error, how far it got.
func (sp *space) saturate(progress func(line string)) (s *diagram.Store, n diagram.Node, nodes int, stage string, err error) {
	m := sp.meter
	orders := sp.orders()
	var runs []diagram.Run
	var quotients []*quotient
	tables, share := m.held, m.left()/int64(len(orders))
	for _, places := range orders {
		sp.arrange(places)
		good, wrong, err := sp.steps()
		if err != nil {
			return nil, 0, 0, "still listing the steps of single threads", err
		}
		q, err := newQuotient(sp, good, wrong)
		if err != nil {
			return nil, 0, 0, "still comparing the states of single threads", err
		}
		s := diagram.New(q.size[1:], share)
		init, _ := sp.initial()
		runs = append(runs, diagram.Run{Store: s, From: s.Vector(q.vector(init)), Steps: relate(s, q.steps(good))})
		quotients = append(quotients, q)
		sp.forget(good, wrong)
		if err := cmp.Or(s.Full(), m.hold(s.Bytes())); err != nil {
			return nil, 0, 0, "still at the relations of steps", err
		}
	}
	if progress != nil {
		progress(fmt.Sprintf("saturation: %d levels of up to %d values", len(sp.places), slices.Max(quotients[0].size)))
	}
	first, n, err := diagram.Race(m.ctx, runs)
	for _, r := range runs {
		nodes += r.Store.Size()
	}
	if err != nil {
		return nil, 0, nodes, fmt.Sprintf("the decision diagram has %d nodes", nodes), err
	}
	sp.arrange(orders[first])
	store := runs[first].Store
	runs, m.held = nil, tables+store.Bytes() // the others are no more
	s = diagram.New(sp.sizes, m.left())
	n, err = quotients[first].expand(sp, store, n, s)
	store, m.held = nil, tables+s.Bytes()
	return s, n, nodes, late, err
}

// Saturates is true of the buffers that [Saturation] is made for.
func Saturates(b abstract.Buffer) bool {
	_, fifo := b.(abstract.FIFO)
	return fifo || Supports(b)
}
