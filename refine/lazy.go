package refine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// RobustSafe is the argument that a program is safe under SC, and that its
// extension reaches nothing more under TSO.
const RobustSafe verdict.Argument = "safe under sc, and robust"

// CheckLazy decides p under TSO by lazy TSO reachability (thesis algorithm 3.1;
// Bouajjani, Calin, Derevenetc, Meyer, "Lazy TSO Reachability", FASE 2015): SC
// reachability, and where that finds no violation, store buffering is made explicit
// along the paths that an oracle points out, until it finds one or the oracle has
// nothing more to say. Programs without loops are decided. So are robust programs,
// whatever their loops, and violations are found if the oracle is fair.
//
// The thesis is about states with empty buffers. Where a property is about others,
// the end is another search; see pending. A deadlock is left to a search of all
// states under TSO.
func CheckLazy(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	opts = opts.withDefaults()
	return checkLazy(ctx, p, opts, NewRobustnessOracle(opts))
}

// CheckLazyWith is CheckLazy with another oracle.
func CheckLazyWith(ctx context.Context, p *program.Program, opts Options, o Oracle) (*verdict.Result, error) {
	return checkLazy(ctx, p, opts.withDefaults(), o)
}

func checkLazy(ctx context.Context, p *program.Program, opts Options, o Oracle) (*verdict.Result, error) {
	start := time.Now()
	res := &verdict.Result{Program: p, Model: memory.TSO, Engine: "lazy"}
	queries, extensions, states := int64(0), int64(0), int64(0)
	defer func() {
		res.Elapsed = time.Since(start)
		res.Stats = []verdict.Stat{{Name: "queries", Value: queries}, {Name: "extensions", Value: extensions}, {Name: "states", Value: states}}
	}()
	unknown := func(why, advice string) (*verdict.Result, error) {
		res.Reason = fmt.Sprintf("no violation with buffering along %d paths; %s", extensions, why)
		res.Advice = advice
		return res, nil
	}
	if opts.Model != memory.TSO {
		res.Model = opts.Model
		return unknown("it is a method for tso", "try the other engines")
	}
	if slices.ContainsFunc(p.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock }) {
		return lazyDeadlock(ctx, p, opts, res, &states)
	}
	x := newExtension(p)
	for {
		sc := opts.explore()
		sc.Model = memory.SC
		r, err := explore.Check(ctx, x.p, sc)
		if err != nil {
			return nil, err
		}
		queries++
		states += r.Stat("states")
		switch {
		case r.Run != nil:
			run := make([]abstract.Event, len(r.Run.Steps))
			for i, s := range r.Run.Steps {
				run[i] = abstract.Event{Thread: s.Thread, Edge: s.Edge, Choice: s.Choice}
			}
			return res, unsafe(p, x.schedule(run), res)
		case r.Verdict != verdict.Safe:
			return unknown("the search under sc: "+r.Reason, r.Advice)
		case r.Argument == verdict.NoProperty && extensions == 0:
			res.Verdict, res.Argument = verdict.Safe, r.Argument
			return res, nil
		}
		paths, ok, err := o.Next(ctx, x.p, x.origin)
		switch {
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return unknown("stopped "+because(ctx), "allow more time")
		case !ok:
			return unknown("robustness is not decided", "allow more time or memory")
		case len(paths) == 0 && !robustnessDecides(p):
			queries++
			n, err := checkPending(ctx, p, x, opts, res)
			states += n
			return res, err
		case len(paths) == 0:
			res.Verdict, res.Argument = verdict.Safe, RobustSafe
			return res, nil
		}
		for _, path := range paths {
			if x, err = x.extend(path); err != nil {
				return nil, err
			}
			extensions++
		}
		if opts.Progress != nil {
			opts.Progress(fmt.Sprintf("lazy: %d paths, %d queries", extensions, queries))
		}
	}
}

// lazyDeadlock decides a program with a deadlock property. Whether a thread of the
// extended program is stuck, at a state inside of a path, does not say whether one
// of the program is, so robustness is of no use.
func lazyDeadlock(ctx context.Context, p *program.Program, opts Options, res *verdict.Result, states *int64) (*verdict.Result, error) {
	r, err := explore.Check(ctx, p, opts.explore())
	if err != nil {
		return nil, err
	}
	*states = r.Stat("states")
	res.Verdict, res.Argument, res.Run, res.Violation = r.Verdict, r.Argument, r.Run, r.Violation
	if res.Advice = r.Advice; r.Reason != "" {
		res.Reason = "a deadlock of the extended program need not be one of the program; the search under tso: " + r.Reason
	}
	return res, nil
}
