package refine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// checkIC3 looks for an inductive invariant: of the program itself under SC;
// under TSO of the set abstraction, and where that has a violation, of partial
// coherence with growing queues. An invariant is checked anew, by a fresh solver,
// before the program is called safe. Under TSO it only proves: what an
// abstraction violates is for [CheckCEGAR] to look into.
func checkIC3(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	r := &verdict.Result{Program: p, Model: opts.Model, Engine: string(IC3)}
	defer func() { r.Elapsed = time.Since(start) }()
	var buffers []abstract.Buffer
	switch opts.Model {
	case memory.SC:
		buffers = []abstract.Buffer{abstract.None{}}
	case memory.TSO:
		buffers = []abstract.Buffer{abstract.Set{}, abstract.Coherence{K: 1}, abstract.Coherence{K: 2}, abstract.Coherence{K: 3}}
	default:
		r.Reason = fmt.Sprintf("no abstraction of the memory model %s", opts.Model)
		return r, nil
	}
	for _, b := range buffers {
		name := abstract.Name(b)
		y, err := symbolic.New(p, b, symbolic.Options{})
		if errors.Is(err, symbolic.ErrUnsupported) {
			r.Reason = err.Error()
			return r, nil
		}
		if err != nil {
			return nil, err
		}
		found, err := symbolic.IC3(ctx, y, symbolic.Search{Solver: opts.Solver, Progress: opts.Progress})
		if err != nil {
			return nil, err
		}
		r.Stats = []verdict.Stat{{Name: "frames", Value: int64(found.Depth)}, {Name: "queries", Value: found.Queries}}
		switch {
		case found.Invariant != nil:
			err := symbolic.Check(ctx, found.Invariant, p)
			var refuted *symbolic.RefutedError
			switch {
			case ctx.Err() != nil:
				r.Reason = "an invariant was found, but there was no time to check it"
				return r, nil
			case errors.As(err, &refuted):
				// It leans on what the analysis of values says of reachable
				// states, and is no proof by itself.
				r.Reason = fmt.Sprintf("%s: what was found is not inductive by itself (%v)", name, err)
				r.Advice = "--engine cegar or explicit"
				return r, nil
			case err != nil:
				return nil, err
			}
			r.Verdict, r.Argument = verdict.Safe, verdict.InductiveInvariant
			if opts.Model != memory.SC {
				r.Abstraction = name
			}
			return r, nil
		case found.Trace == nil:
			r.Reason = fmt.Sprintf("%s: %s", name, found.Reason)
			r.Advice = "a longer --timeout"
			return r, nil
		case opts.Model == memory.SC:
			run, violation, err := explore.Replay(p, opts.Model, found.Trace)
			if err != nil {
				return nil, fmt.Errorf("a run found by ic3 does not replay: %w", err)
			}
			r.Run, r.Violation = run, violation
			if violation.Kind != program.Fault {
				r.Verdict = verdict.Unsafe
			}
			return r, nil
		}
		r.Reason = fmt.Sprintf("the abstractions up to %s have a violation, which the program need not have", name)
		r.Advice = "--engine cegar finds out whether it has"
	}
	return r, nil
}
