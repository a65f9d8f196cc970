package refine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Lazy decides p under TSO by lazy TSO reachability (thesis algorithm 3.1;
// Bouajjani, Calin, Derevenetc, Meyer, "Lazy TSO Reachability", FASE 2015): SC
// reachability, and where that finds no violation, store buffering is made explicit
// along the paths that an oracle points out, until it finds one or the oracle has
// nothing more to say. Programs without loops are decided. So are robust programs,
// whatever their loops, and violations are found if the oracle is fair.
//
// The thesis is about states with empty buffers. Where a property is about others,
// the end is another search; see pending. A deadlock is left to a search of all
// states under TSO.
func Lazy(ctx context.Context, p *program.Program, opts Options) (res *verdict.Result, err error) {
	start := time.Now()
	queries, extensions, states := int64(0), int64(0), int64(0)
	defer func() {
		if res != nil {
			res.Elapsed = time.Since(start)
			res.Stats = []verdict.Stat{{Name: "queries", Value: queries}, {Name: "extensions", Value: extensions}, {Name: "states", Value: states}}
		}
	}()
	unknown := func(why, advice string) (*verdict.Result, error) {
		return unknown(p, memory.TSO, fmt.Sprintf("no violation with buffering along %d paths; %s", extensions, why), advice), nil
	}
	if slices.ContainsFunc(p.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock }) {
		return lazyDeadlock(ctx, p, opts, &states)
	}
	oracle := opts.Oracle
	if oracle == nil {
		oracle = NewRobustnessOracle(opts)
	}
	x := newExtension(p)
	for {
		sc := opts.explore(nil)
		sc.Model = memory.SC
		r, err := opts.UnderSC, error(nil)
		if r == nil || extensions > 0 {
			r, err = explore.Check(ctx, x.p, sc)
		}
		if err != nil {
			return nil, err
		}
		queries++
		states += r.Stat("states")
		switch {
		case r.Run() != nil:
			return unsafe(p, x.schedule(replay.Schedule(r.Run())))
		case !r.Safe():
			return unknown("the search under sc: "+r.Reason(), r.Advice)
		case r.Argument() == verdict.NoProperty && extensions == 0:
			return verdict.Safe(p, memory.TSO, verdict.NoProperty, nil), nil
		}
		paths, ok, err := oracle.Next(ctx, x.p, x.origin)
		switch {
		case err != nil:
			return nil, err
		case ctx.Err() != nil:
			return unknown("stopped "+verdict.Because(ctx), "allow more time")
		case !ok:
			return unknown("robustness is not decided", "allow more time or memory")
		case len(paths) == 0 && !robust.Decides(p):
			queries++
			res, n, err := checkPending(ctx, p, x, opts)
			states += n
			return res, err
		case len(paths) == 0:
			return verdict.Safe(p, memory.TSO, verdict.RobustSafe, nil), nil
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
func lazyDeadlock(ctx context.Context, p *program.Program, opts Options, states *int64) (*verdict.Result, error) {
	r, err := explore.Check(ctx, p, opts.explore(nil))
	if err != nil {
		return nil, err
	}
	*states = r.Stat("states")
	if r.Conclusive() {
		return r, nil
	}
	return unknown(p, memory.TSO, "a deadlock of the extended program need not be one of the program; the search under tso: "+r.Reason(), r.Advice), nil
}
