package symbolic

import (
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
	sp, err := newSpace(p, b)
	if err != nil {
		return nil, nil, err
	}
	if err := sp.close(ctx); err != nil {
		if ctx.Err() != nil {
			return &Result{Reason: "still listing the states of single threads"}, nil, nil
		}
		return nil, nil, err
	}
	orders := sp.orders()
	var runs []diagram.Run
	var quotients []*quotient
	for _, places := range orders {
		sp.arrange(places)
		good, wrong, err := sp.steps(ctx)
		if err != nil {
			return &Result{Reason: "still listing the steps of single threads"}, nil, nil
		}
		q, err := newQuotient(ctx, sp, good, wrong)
		if err != nil {
			return &Result{Reason: "still comparing the states of single threads"}, nil, nil
		}
		s := diagram.New(q.size[1:], search.MaxNodes/len(orders))
		init, _ := sp.initial()
		runs = append(runs, diagram.Run{Store: s, From: s.Vector(q.vector(init)), Steps: relate(s, q.steps(good))})
		quotients = append(quotients, q)
	}
	if search.Progress != nil {
		search.Progress(fmt.Sprintf("saturation: %d levels of up to %d values", len(sp.places), slices.Max(quotients[0].size)))
	}
	first, n, err := diagram.Race(ctx, runs)
	res := &Result{}
	for _, r := range runs {
		res.Depth += r.Store.Size()
	}
	if err != nil {
		res.Reason = fmt.Sprintf("%v, after %d nodes", err, res.Depth)
		return res, nil, nil
	}
	sp.arrange(orders[first])
	s := diagram.New(sp.sizes(), 0)
	n = quotients[first].expand(runs[first].Store, n, s)
	_, wrong, err := sp.steps(ctx)
	if err != nil {
		res.Reason = "the set is there, but there was no time to look for violations in it"
		return res, nil, nil
	}
	for _, r := range relate(s, wrong) {
		if s.Meets(n, r) {
			res.Reason = "an assertion can fail"
			return res, nil, nil
		}
	}
	violated, err := sp.violated(s, n)
	if err != nil {
		return nil, nil, err
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
