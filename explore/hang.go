package explore

import (
	"cmp"
	"context"
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Hangs searches the states of p for one in which it hangs for ever; see [replay.Hang].
// Its properties are not looked at, and a run ends where an assertion fails. The search
// goes through all states: what is between two of them might be one.
//
// The result is Safe where no state is such, and Unsafe with a run to one that is. The error
// is a [program.Diagnostic] for an input that cannot be searched; any other is an error
// inside Fencepost.
func Hangs(ctx context.Context, p *program.Program, opts Options) (res *verdict.Result, err error) {
	start := time.Now()
	opts.Model = cmp.Or(opts.Model, memory.TSO)
	opts.Reduction, opts.Symmetry, opts.hang = NoReduction, NoSymmetry, true
	asked := *p
	asked.Properties, asked.Filter = nil, nil
	s, err := newSearch(ctx, &asked, opts, nil)
	if err != nil {
		if res, err = verdict.Early(ctx, p, opts.Model, err); err != nil {
			return nil, err
		}
		return verdict.HangUnknown(p, opts.Model, res.Reason()), nil
	}
	defer s.close(&err)
	if err := s.run(); err != nil {
		return nil, err
	}
	found, at := s.violated, s.at
	if !found && s.circles != nil && s.outcome("").Safe() {
		at = s.circles.hangs(s)
		if found = at != 0; s.err != nil {
			return nil, s.err
		}
	}
	switch {
	case found && at == 0: // by a fault
		if res, err = s.evidence(); err != nil {
			return nil, err
		}
	case found:
		s.violated = false
		events, err := s.path(at, nil)
		if err != nil {
			return nil, err
		}
		if res, err = replay.ConvictHang(p, opts.Model, events); err != nil {
			return nil, err
		}
	default:
		res = s.outcome("no hang")
		reason := res.Reason()
		switch {
		case !res.Safe():
		case s.gaveUp || s.hang.GaveUp:
			reason = "no hang was found, but a thread can do so much by itself that it was not followed to where it comes to again"
		case s.bounded:
			reason = "no hang as far as the bounds of loops and calls: one can be met"
		}
		effort := res.Effort
		if res = verdict.NeverHangs(p, opts.Model, verdict.Exhaustive); reason != "" {
			res = verdict.HangUnknown(p, opts.Model, reason)
		}
		res.Effort = effort
	}
	res.Engine, res.Elapsed = "explicit", time.Since(start)
	res.Stats = s.stats()
	return res, nil
}
