package refine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// robustBMC decides robustness of the unrolled program with one question to a
// SAT solver at every bound; see [encode.Formula.Cycles].
func robustBMC(ctx context.Context, p *program.Program, opts Options) (*RobustResult, error) {
	opts = opts.withDefaults()
	start := time.Now()
	res := &RobustResult{Program: p}
	r, err := program.Analyse(p)
	if err != nil {
		return nil, err
	}
	s, err := solver.New(opts.Solver)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	f, err := encode.NewRobustness(p, r, s, encode.Options{MaxClauses: int(min(60_000_000, opts.MemoryLimit/bytesPerClause))})
	if err != nil {
		if errors.Is(err, encode.ErrUnsupported) {
			res.Reason = err.Error()
			return res, nil
		}
		return nil, err
	}
	searched := -1
	err = func() error {
		for target := 0; ; target = next(f.Bound()) {
			if opts.Unroll > 0 {
				target = min(target, opts.Unroll)
			}
			for f.Bound() < target && (f.Bound() < 0 || !f.Complete()) {
				if err := f.Extend(ctx); err != nil {
					return err
				}
			}
			q, err := f.Cycles()
			if err != nil {
				return err
			}
			st, err := q.Solve(ctx)
			if err != nil {
				return err
			}
			if st == solver.Sat {
				evs, err := q.Schedule()
				if err != nil {
					return err
				}
				h, err := newHistorian(p, r)
				if err != nil {
					return err
				}
				if res.Cycle = h.cycle(evs); res.Cycle == nil {
					return errors.New("internal error: the execution found has no happens-before cycle")
				}
				if res.Run, err = trace(p, evs[:h.done]); err != nil {
					return fmt.Errorf("internal error: the execution found does not replay: %w", err)
				}
				h.execution(res)
				res.Verdict = NotRobust
				return nil
			}
			searched = f.Bound()
			if !f.Complete() {
				st, err := f.Unwinding().Solve(ctx)
				if err != nil {
					return err
				}
				if st == solver.Sat {
					if opts.Unroll > 0 && f.Bound() >= opts.Unroll {
						return errBound
					}
					continue
				}
			}
			res.Verdict = IsRobust
			return nil
		}
	}()
	res.Elapsed = time.Since(start)
	stats := s.Stats()
	res.Stats = []verdict.Stat{
		{Name: "unrollings", Value: int64(f.Bound())},
		{Name: "events", Value: int64(f.Events())},
		{Name: "clauses", Value: int64(stats.Clauses)},
	}
	far := fmt.Sprintf("no witness up to %d unrollings", searched)
	switch {
	case err == nil:
	case errors.Is(err, errBound):
		res.Reason, res.Advice = far, "raise the bound"
	case errors.Is(err, encode.ErrTooLarge), errors.Is(err, encode.ErrUnsupported):
		res.Reason, res.Advice = far+"; "+err.Error(), "the explicit engine needs no unrolling"
	case ctx.Err() != nil:
		res.Reason = far + "; stopped " + because(ctx)
	default:
		return nil, err
	}
	return res, nil
}
