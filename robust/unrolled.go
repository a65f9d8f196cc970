package robust

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Unrolled is [Check] by unrolling the threads and, at every bound, one question to a
// SAT solver; see [encode.Formula.Cycles]. There is no attack in its evidence, and no
// fault that it sees.
func Unrolled(ctx context.Context, p *program.Program, opts bmc.Options) (*verdict.RobustResult, error) {
	start := time.Now()
	if p.Wide() {
		return verdict.RobustUnknown(p, verdict.Robustness, unwide), nil
	}
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		return verdict.RobustEarly(ctx, p, verdict.Robustness, err)
	}
	s, err := solver.New(opts.Solver)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if opts.Proofs {
		if err := solver.KeepProofs(s, opts.MemoryLimit/3); err != nil {
			return nil, err
		}
	}
	f, err := encode.NewRobustness(p, r, s, encode.Options{MemoryLimit: opts.MemoryLimit, Proofs: opts.Proofs})
	if errors.Is(err, encode.ErrUnsupported) {
		return verdict.RobustUnknown(p, verdict.Robustness, err.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	d := &bmc.Deepening{Formula: f, Unroll: opts.Unroll, Progress: opts.Progress, KeepProofs: opts.Proofs}
	var found []abstract.Event
	_, err = d.Run(ctx, func(ctx context.Context) (bool, error) {
		q, err := f.Cycles(ctx)
		if err != nil {
			return false, err
		}
		st, err := q.Solve(ctx)
		if err == nil && st == solver.Unsat {
			err = d.Excluded(q, "witness", "a run of up to %d unrollings is no run of SC")
		}
		if st != solver.Sat || err != nil {
			return false, err
		}
		found, err = q.Schedule()
		return true, err
	})
	var res *verdict.RobustResult
	switch reason, effort := d.Gap(ctx, err, "no witness", "robust"); {
	case err != nil && reason == "":
		return nil, err
	case err != nil:
		res = verdict.RobustUnknown(p, verdict.Robustness, reason)
		res.Effort = effort
	case found != nil:
		h, err := newHistorian(p, r)
		if err != nil {
			return nil, err
		}
		e, err := evidence(h, found)
		if err != nil {
			return nil, fmt.Errorf("internal error: the execution found %w", err)
		}
		res = verdict.NotRobust(p, verdict.Robustness, e)
	default:
		res = verdict.Robust(p, verdict.Robustness)
	}
	d.Prove(&res.Effort)
	stats := s.Stats()
	res.Elapsed = time.Since(start)
	res.Stats = []verdict.Stat{
		{Name: "unrollings", Value: int64(f.Bound())},
		{Name: "events", Value: int64(f.Events())},
		{Name: "clauses", Value: int64(stats.Clauses)},
	}
	return res, nil
}
