package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/explore/trust"
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
		Name:        Auto,
		Doc:         "searches under SC first, then runs several others side by side",
		Models:      always,
		Check:       checkAuto,
		FinalStates: autoFinals,
		Robust: func(ctx context.Context, p *program.Program, opts Options) (*verdict.RobustResult, error) {
			opts.Engine = robustEngine().Name
			return Robust(ctx, p, opts)
		},
	}
}

// firstStates is how many states the search under SC may store before the search under the model
// in question begins. It is a number of states and not a time, so that the course of
// things does not depend on the machine.
const firstStates = 300

// headStart is how many states the search under the model in question may store
// before an answer of another counts: for most programs that are written by hand it is
// enough, so that the answer, and the run that comes with it, is the same every
// time and the shortest there is. The others need not be idle for so long, and what they
// have found by then is not lost.
const headStart = 1_000

// proofsCount is how many states that search may store before a proof by another counts.
const proofsCount = 250

// byPrefixes is explicit search whose steps are as long as a thread can go on unseen: where a violation takes many steps
// of few threads it is mostly the soonest to find it, in a run in which the other threads do nothing. Its head start of
// prefixStates comes after that of the search for the shortest runs.
const (
	byPrefixes   = Explicit + ":" + Name(explore.Cartesian)
	prefixStates = 1_000
)

// checkAuto is the automatic strategy: explicit search under SC, since a
// violation there is one under every model and most mistakes are of that kind;
// then explicit search under the model, which needs no bound. Beside the second are at work bmc,
// which finds violations that need few steps of much data, and saturation, which proves
// programs that have too many states for the others, and graphs, which are few of some programs with many states; not before, for to begin takes them
// longer than most small programs take to search. After a short head start proofs count, and explicit search by long steps
// has a head start of its own. Then all count, and there come: under TSO the refinement of
// abstractions, which proves programs whose store buffers grow without bound, and lazy
// search, to which the length of the buffers is no matter; and a little induction, for
// proofs about values that are too many for saturation; and searches among few of the threads that do the same. No search is begun again: that under
// SC goes on beside them. The first conclusive answer ends the others.
func checkAuto(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	if AxiomsOnly(p, opts.Model) {
		return byAxioms(ctx, p, opts)
	}
	opts.Certify = opts.Certify && scTSO(opts.Model) // elsewhere most proofs have none
	if !opts.Certify {                               // what a certificate has to list are all states
		opts.symmetric = explore.SomeSymmetry
	}
	all := members(p, opts.Model)
	r := newRace(p, opts)
	// The members with these names, which all has no longer.
	pick := func(names ...Name) (picked []Engine) {
		for _, n := range names {
			if i := slices.IndexFunc(all, func(e Engine) bool { return e.Name == n }); i >= 0 {
				picked, all = append(picked, all[i]), slices.Delete(all, i, i+1)
			}
		}
		return picked
	}
	if opts.Model == memory.SC {
		r.stages = []stage{{engines: pick(Explicit), milestone: firstStates + headStart}}
	} else {
		first := []Engine{r.searchSC(pick(Lazy))}
		r.stages = []stage{{engines: first, milestone: firstStates}, {pick(Explicit, BMC, Saturation, Graphs), headStart, proofsCount}}
	}
	prefixes := pick(byPrefixes)
	if crowd(p) > 2 && !p.HasBounds() { // those are met by many threads, if not by few
		for _, e := range []Engine{bmcEngine(), explicitEngine()} {
			all = append(all, withFew(e))
		}
	}
	r.stages = append(r.stages, stage{engines: prefixes, milestone: prefixStates}, stage{engines: all})
	res, err := r.run(ctx)
	if err == nil {
		res.Elapsed = time.Since(start)
	}
	return res, err
}

// firstGraphs is how many graphs are explored before anybody else begins, under a model that
// has no states, and firstEvents, along dependencies, of how many events all parts of them may be together.
const (
	firstGraphs = 5_000
	firstEvents = 20_000
)

// byAxioms asks those that need no more of a model than its axioms: few graphs are explored
// one by one, many go to a solver at the same time. Before these are many, there is a search under SC.
func byAxioms(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	byGraphs, bmc := graphsEngine(), bmcEngine()
	if opts.Model.Certifies() { // nobody else knows how
		opts.Engine = Graphs
		return Check(ctx, p, opts)
	}
	if opts.Proofs || opts.Certify || !explored(p, opts) {
		opts.Engine = BMC
		return Check(ctx, p, opts)
	}
	start := time.Now()
	first := opts
	first.Engine, first.maxGraphs, first.maxEvents = Graphs, firstGraphs, firstEvents
	res, err := Check(ctx, p, first)
	if err != nil || res.Conclusive() || ctx.Err() != nil {
		return res, err
	}
	stages := []stage{{engines: []Engine{bmc, byGraphs}}}
	if sharesSC(p) {
		stages = append([]stage{{engines: []Engine{graphOfSC()}, milestone: firstSC}}, stages...)
	}
	res, err = newRace(p, opts, stages...).run(ctx)
	if err == nil {
		res.Elapsed = time.Since(start)
	}
	return res, err
}

// finalStates is how many states a list of final states may take before graphs are tried, which are few of some programs with
// many states.
const finalStates = 200_000

// autoFinals lists final states by explicit search, where there are states. Where these turn out to be many it waits while a few graphs are
// explored, and goes on if they are not all. Where there are no states few graphs are explored first, and many are left to a solver.
func autoFinals(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	byGraphs := opts
	byGraphs.Engine, byGraphs.maxGraphs, byGraphs.maxEvents = Graphs, firstGraphs, firstEvents
	few := !p.HasBounds() && opts.Buffer == 0 // a list may stop at a bound
	switch {
	case opts.Model.Certifies():
		opts.Engine = Graphs
		return FinalStates(ctx, p, opts)
	case AxiomsOnly(p, opts.Model):
		if few {
			if finals, r, err := FinalStates(ctx, p, byGraphs); err != nil || r.Safe() || ctx.Err() != nil {
				return finals, r, err
			}
		}
		opts.Engine = BMC
		return FinalStates(ctx, p, opts)
	}
	var tried struct {
		finals []verdict.FinalState
		r      *verdict.Result
		err    error
	}
	search := &called{Context: ctx}
	if opts.Engine = Explicit; few && trust.Refusal(p, opts.Model, verdict.FinalStates) == "" {
		opts.milestones = []int64{finalStates}
		opts.reached = func() {
			tried.finals, tried.r, tried.err = FinalStates(ctx, p, byGraphs)
			search.off.Store(tried.err != nil || tried.r.Safe())
		}
	}
	finals, r, err := FinalStates(search, p, opts)
	if err == nil && (tried.err != nil || tried.r != nil && tried.r.Safe()) {
		return tried.finals, tried.r, tried.err
	}
	return finals, r, err
}

// A called context is over when it is called off. It is polled, not waited for; one that is derived from a context would hide who polls it.
type called struct {
	context.Context
	off atomic.Bool
}

func (c *called) Err() error {
	if c.off.Load() {
		return context.Canceled
	}
	return c.Context.Err()
}

// explored is whether graphs may have an answer about p.
func explored(p *program.Program, opts Options) bool {
	if trust.Refusal(p, opts.Model, verdict.Safety) == "" {
		return true
	}
	def, err := along(p, opts, verdict.Safety)
	return err == nil && def != nil && graphs.Refusal(p, def) == ""
}

// enough is true of an answer that nobody needs to improve on.
func (o *Options) enough(r *verdict.Result) bool {
	return r.Conclusive() && !(o.Certify && r.Safe() && !evidence.Possible(r))
}

// buffered turns a run under SC into one under a model with store buffers, in
// which every store is flushed at once.
func buffered(p *program.Program, r *verdict.Result, m memory.Model) (*verdict.Result, error) {
	var schedule []abstract.Event
	for _, ev := range replay.Schedule(r.Run()) {
		schedule = append(schedule, ev)
		if p.Threads[ev.Thread].Edges[ev.Edge].Cmd.Enters() {
			schedule = append(schedule, abstract.Event{Thread: ev.Thread, Edge: abstract.Flush})
		}
	}
	res, err := replay.Convict(p, m, schedule)
	if err != nil {
		return nil, fmt.Errorf("a run under sc does not replay under %s: %w", m, err)
	}
	res.Effort = r.Effort
	res.Advice = "this happens under sc as well: fences do not mend it"
	return res, nil
}

// neither sums up engines of which none came to a conclusion.
func neither(p *program.Program, opts Options, all []answer) *verdict.Result {
	effort := verdict.Effort{Engine: string(Auto)}
	is := func(name Name) func(answer) bool { return func(a answer) bool { return a.engine.Name == name } }
	// Those with little weight have had little time, which is no news: they come last.
	s := shapeOf(p, opts.Model)
	slices.SortStableFunc(all, func(a, b answer) int { return cmp.Compare(b.engine.Weight(s, Work{}), a.engine.Weight(s, Work{})) })
	var reasons []string
	for _, a := range all {
		reasons = append(reasons, string(a.engine.Name)+": "+a.result.Reason())
		if a.engine.Name == BMC {
			effort.Bound, effort.BoundUnit = a.result.Bound, a.result.BoundUnit
		}
		effort.Stats = append(effort.Stats, a.result.Stats...)
		// Who was at work here is no one to try next.
		others := slices.DeleteFunc(a.result.Instead.Engines, func(name string) bool {
			return slices.ContainsFunc(all, is(Name(name)))
		})
		if effort.Next() == "" {
			effort.Advice, effort.Instead = a.result.Advice, verdict.Instead{Engines: others, Why: a.result.Instead.Why}
		}
	}
	r := verdict.Unknown(p, opts.Model, strings.Join(reasons, "; "))
	r.Effort = effort
	return r
}
