package symbolic

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/diagram"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Saturation computes the set of all states that a program reaches under a buffer,
// as a decision diagram whose places are the local states of threads and the
// values of cells. The buffer may be any under which a thread has finitely many
// local states: the FIFO queues of TSO, too, where no loop goes on storing without
// a fence.
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
	good, wrong, err := sp.steps(ctx)
	if err != nil {
		return &Result{Reason: "still listing the steps of single threads"}, nil, nil
	}
	q := newQuotient(sp, good, wrong)
	if search.Progress != nil {
		search.Progress(fmt.Sprintf("saturation: %d levels of up to %d values", len(sp.places), slices.Max(q.size)))
	}
	init, _ := sp.initial()
	classes := diagram.New(q.size[1:], search.MaxNodes)
	n, err := classes.Saturate(ctx, classes.Vector(q.vector(init)), relate(classes, q.steps(good)))
	res := &Result{Depth: classes.Size()}
	switch {
	case errors.Is(err, diagram.ErrFull) || ctx.Err() != nil:
		res.Reason = fmt.Sprintf("%v, after %d nodes", err, classes.Size())
		return res, nil, nil
	case err != nil:
		return nil, nil, err
	}
	s := diagram.New(sp.sizes(), 0)
	n = q.expand(classes, n, s)
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
	res.Verdict = verdict.Safe
	return res, &ClosedSet{sp, s, n}, nil
}

// Saturates is true of the buffers that [Saturation] is made for.
func Saturates(b abstract.Buffer) bool {
	_, fifo := b.(abstract.FIFO)
	return fifo || Supports(b)
}
