package engine

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
	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Auto searches under SC first, then runs the others side by side and
// takes the first conclusive answer.
const Auto Name = "auto"

func autoEngine() Engine {
	return Engine{
		Name:   Auto,
		Doc:    "searches under SC first, then runs several others side by side",
		Models: everywhere,
		Check:  checkAuto,
		FinalStates: func(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
			opts.Engine = Explicit
			if !builtin(opts.Model) {
				opts.Engine = BMC
			}
			return FinalStates(ctx, p, opts)
		},
		Robust: func(ctx context.Context, p *program.Program, opts Options) (*verdict.RobustResult, error) {
			opts.Engine = robustEngine().Name
			return Robust(ctx, p, opts)
		},
	}
}

// firstStates is how many states the search under SC may store before the
// others start. It is a number of states and not a time, so that the course of
// things does not depend on the machine.
const firstStates = 20_000

// headStart is how many states the search under the model in question may store
// before bmc starts beside it: for most programs that are written by hand it is
// enough, so that the answer, and the run that comes with it, is the same every
// time and the shortest there is.
const headStart = 5_000

// checkAuto is the automatic strategy: explicit search under SC, since a
// violation there is one under every model and most mistakes are of that kind;
// then explicit search under the model, which needs no bound and, after a short
// head start, has the other members of the portfolio beside it: bmc, which finds
// violations that need few steps of much data; under TSO the refinement of
// abstractions, which proves programs whose store buffers grow without bound, and lazy
// search, to which the length of the buffers is no matter; saturation, which proves some
// that have too many states for the others; and for a while induction, for proofs about
// values that are too many for saturation. The first conclusive answer ends the others.
func checkAuto(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	if !builtin(opts.Model) { // which all others know only
		opts.Engine = BMC
		return Check(ctx, p, opts)
	}
	auto := autoEngine()
	opts.Certify = opts.Certify && auto.Certifies(opts.Model)
	first := opts.explore()
	first.Model = memory.SC
	first.MaxStates = firstStates
	r, err := explore.Check(ctx, p, first)
	if err != nil {
		return nil, err
	}
	if opts.Model == memory.SC && opts.enough(r) {
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
		reason := "the search under sc is over, that under " + string(opts.Model) + " has not begun; stopped " + verdict.Because(ctx)
		if r.Reason() != "" {
			reason = "still at the search under sc: " + r.Reason()
		}
		early := verdict.Unknown(p, opts.Model, reason)
		early.Engine, early.Advice = string(Auto), "allow more time"
		early.Stats, early.Elapsed = r.Stats, time.Since(start)
		return early, nil
	}
	if opts.Model != memory.SC {
		second := opts.explore()
		second.MaxStates = headStart
		r, err = explore.Check(ctx, p, second)
	}
	if err == nil && !opts.enough(r) && ctx.Err() == nil {
		var raced *verdict.Result
		if raced, err = race(ctx, p, opts); err == nil && (raced.Conclusive() || !r.Conclusive()) {
			r = raced
		}
	}
	if err != nil {
		return nil, err
	}
	r.Elapsed = time.Since(start)
	return r, nil
}

// enough is true of an answer that nobody needs to improve on.
func (o *Options) enough(r *verdict.Result) bool {
	return r.Conclusive() && !(o.Certify && r.Safe() && !certify.Possible(r))
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

// members are the engines that race about p.
func members(p *program.Program, m memory.Model) []Engine {
	return slices.DeleteFunc(Engines(), func(e Engine) bool { return e.Races == nil || !e.Races(p, m) })
}

// race runs the members of the portfolio side by side.
func race(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	engines := members(p, opts.Model)
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
	// All are waited for, the losers too: they hold memory, and an answer
	// that contradicts the winner's must not go unnoticed.
	all := make([]answer, len(engines))
	done := make(chan int, len(engines))
	for i, e := range engines {
		go func() {
			all[i] = run(ctx, p, opts, e)
			done <- i
		}()
	}
	var winner *answer
	var failure error
	for range engines {
		a := &all[<-done]
		switch {
		case a.err != nil:
			if failure == nil {
				failure = fmt.Errorf("%s: %w", a.engine.Name, a.err)
			}
			cancel()
		case !a.result.Conclusive():
		case winner != nil && winner.result.Safe() != a.result.Safe():
			return nil, fmt.Errorf("the engines disagree: %s says %s, %s says %s",
				winner.engine.Name, winner.result.Verdict(), a.engine.Name, a.result.Verdict())
		case winner == nil || !opts.enough(winner.result):
			if winner = a; opts.enough(a.result) {
				cancel()
			}
		}
	}
	if failure != nil { // even where another has won: it is a defect
		return nil, failure
	}
	if winner != nil {
		return winner.result, nil
	}
	return neither(p, opts, all), nil
}

// run is one member's part in a race.
func run(ctx context.Context, p *program.Program, opts Options, e Engine) (a answer) {
	a.engine = e
	defer func() {
		if x := recover(); x != nil {
			a.err = fmt.Errorf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	if e.Share > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, e.Share, errors.New("its share of the time"))
		defer cancel()
	}
	opts.Engine = e.Name
	a.result, a.err = Check(ctx, p, opts)
	return a
}

// neither sums up engines of which none came to a conclusion.
func neither(p *program.Program, opts Options, all []answer) *verdict.Result {
	effort := verdict.Effort{Engine: string(Auto)}
	// That an engine with a share had little time is no news: it comes last.
	slices.SortStableFunc(all, func(a, b answer) int { return min(int(a.engine.Share), 1) - min(int(b.engine.Share), 1) })
	var reasons []string
	for _, a := range all {
		reasons = append(reasons, fmt.Sprintf("%s: %s", a.engine.Name, a.result.Reason()))
		if a.engine.Name == BMC {
			effort.Bound, effort.BoundUnit = a.result.Bound, a.result.BoundUnit
		}
		effort.Stats = append(effort.Stats, a.result.Stats...)
		// Who was at work here is no one to try next.
		others := slices.DeleteFunc(a.result.Instead.Engines, func(name string) bool {
			return slices.ContainsFunc(all, func(o answer) bool { return string(o.engine.Name) == name })
		})
		if effort.Next() == "" {
			effort.Advice, effort.Instead = a.result.Advice, verdict.Instead{Engines: others, Why: a.result.Instead.Why}
		}
	}
	r := verdict.Unknown(p, opts.Model, strings.Join(reasons, "; "))
	r.Effort = effort
	return r
}
