package refine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// firstStates is how many states the search under SC may store before the
// others start. It is a number of states and not a time, so that the course of
// things does not depend on the machine.
const firstStates = 20_000

// headStart is how many states the search under the model in question may store
// before bmc starts beside it: for most programs that are written by hand it is
// enough, so that the answer, and the run that comes with it, is the same every
// time and the shortest there is.
const headStart = 5_000

// proofTime is how long ic3 takes part in a race: a proof by induction is found soon
// or not at all, and the others need the processors.
const proofTime = 5 * time.Second

// checkAuto is the automatic strategy: explicit search under SC, since a
// violation there is one under every model and most mistakes are of that kind;
// then explicit search under the model, which needs no bound and, after a short
// head start, has bmc beside it, which finds violations that need few steps of
// much data, under TSO the refinement of abstractions, which proves programs whose
// store buffers grow without bound, and saturation, which proves some that have too
// many states for the others. For a while, ic3 is there, too, for proofs about
// values that are too many for saturation. The first conclusive answer ends the
// others.
func checkAuto(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	if !slices.Contains(memory.Models(), opts.Model) {
		return checkBMC(ctx, p, opts) // the others know the built-in models only
	}
	first := opts.explore()
	first.Model = memory.SC
	first.MaxStates = firstStates
	r, err := explore.Check(ctx, p, first)
	if err != nil {
		return nil, err
	}
	if opts.Model == memory.SC && r.Conclusive() {
		return r, nil
	}
	// A deadlock under SC need not be one where a store can still be buffered.
	if v := r.Violation(); v != nil && (v.Property == nil || v.Property.Kind != program.Deadlock) {
		return buffered(p, r, opts.Model, start)
	}
	if r.Argument() == verdict.NoProperty {
		none := verdict.Safe(p, opts.Model, verdict.NoProperty, nil)
		none.Effort = r.Effort
		return none, nil
	}
	if ctx.Err() != nil {
		// What is known of SC is no answer about another model.
		reason := "the search under sc is over, that under " + string(opts.Model) + " has not begun; stopped " + because(ctx)
		if r.Reason() != "" {
			reason = "still at the search under sc: " + r.Reason()
		}
		early := unknown(p, opts, reason, "allow more time")
		early.Stats, early.Elapsed = r.Stats, time.Since(start)
		return early, nil
	}
	if opts.Model != memory.SC {
		second := opts.explore()
		second.MaxStates = headStart
		r, err = explore.Check(ctx, p, second)
	}
	if err == nil && !r.Conclusive() && ctx.Err() == nil {
		r, err = race(ctx, p, opts)
	}
	if r != nil {
		r.Elapsed = time.Since(start)
	}
	return r, err
}

// buffered turns a run under SC into one under a model with store buffers, in
// which every store is flushed at once.
func buffered(p *program.Program, r *verdict.Result, m memory.Model, start time.Time) (*verdict.Result, error) {
	var schedule []abstract.Event
	for _, ev := range replay.Schedule(r.Run()) {
		schedule = append(schedule, ev)
		if p.Threads[ev.Thread].Edges[ev.Edge].Cmd.Op == program.Store {
			schedule = append(schedule, abstract.Event{Thread: ev.Thread, Edge: abstract.Flush})
		}
	}
	res, err := replay.Convict(p, m, schedule)
	if err != nil {
		return nil, fmt.Errorf("a run under sc does not replay under %s: %w", m, err)
	}
	res.Effort = r.Effort
	res.Advice = "this happens under sc as well: fences do not mend it"
	res.Elapsed = time.Since(start)
	return res, nil
}

// answer is what an engine of a race came to.
type answer struct {
	engine Engine
	result *verdict.Result
	err    error
}

// race runs bmc and explicit search, under TSO refinement, under SC and TSO
// saturation and, for a while, ic3, side by side.
func race(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	engines := []Engine{Explicit, BMC}
	if opts.Model == memory.TSO {
		engines = append(engines, CEGAR)
	}
	if opts.Model == memory.SC || opts.Model == memory.TSO {
		engines = append(engines, Saturation, IC3)
	}
	opts.MemoryLimit /= int64(len(engines))
	opts.Workers, opts.Compact, opts.Spill = 1, false, nil
	if show := opts.Progress; show != nil {
		var mu sync.Mutex
		opts.Progress = func(line string) {
			mu.Lock()
			defer mu.Unlock()
			show(line)
		}
	}
	answers := make(chan answer)
	for _, e := range engines {
		go func() {
			a := answer{engine: e}
			defer func() {
				if x := recover(); x != nil {
					a.err = fmt.Errorf("panic: %v\n%s", x, debug.Stack())
				}
				answers <- a
			}()
			opts, ctx := opts, ctx
			if opts.Engine = e; e == IC3 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeoutCause(ctx, proofTime, errors.New("its share of the time"))
				defer cancel()
			}
			a.result, a.err = Check(ctx, p, opts)
		}()
	}
	// All are waited for, the losers too: they hold memory, and an answer
	// that contradicts the winner's must not go unnoticed.
	var all []answer
	var winner *answer
	var failure error
	for range engines {
		a := <-answers
		all = append(all, a)
		switch {
		case a.err != nil:
			if failure == nil {
				failure = fmt.Errorf("%s: %w", a.engine, a.err)
			}
			cancel()
		case !a.result.Conclusive():
		case winner == nil:
			winner = &all[len(all)-1]
			cancel()
		default:
			if x, y := winner.result, a.result; (x.Safe()) != (y.Safe()) {
				return nil, fmt.Errorf("the engines disagree: %s says %s, %s says %s",
					winner.engine, x.Verdict(), a.engine, y.Verdict())
			}
		}
	}
	if failure != nil { // even where the other has won: it is a defect
		return nil, failure
	}
	if winner != nil {
		return winner.result, nil
	}
	return neither(p, opts, all), nil
}

// neither sums up engines of which none came to a conclusion.
func neither(p *program.Program, opts Options, all []answer) *verdict.Result {
	effort := verdict.Effort{Engine: string(Auto)}
	// What ic3 says last: that it had little time is no news.
	slices.SortStableFunc(all, func(a, b answer) int {
		switch {
		case a.engine == IC3 && b.engine != IC3:
			return 1
		case a.engine != IC3 && b.engine == IC3:
			return -1
		}
		return 0
	})
	var reasons []string
	for _, a := range all {
		reasons = append(reasons, fmt.Sprintf("%s: %s", a.engine, a.result.Reason()))
		if a.engine == BMC {
			effort.Bound, effort.BoundUnit = a.result.Bound, a.result.BoundUnit
		}
		effort.Stats = append(effort.Stats, a.result.Stats...)
		if effort.Advice == "" {
			effort.Advice = a.result.Advice
		}
	}
	r := verdict.Unknown(p, opts.Model, strings.Join(reasons, "; "))
	r.Effort = effort
	return r
}
