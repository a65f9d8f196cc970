package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"time"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/explore/trust"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// rounds is how often graphs goes round in loops where nobody says how often: while it
// guesses values, it cannot tell that a loop has come to its end.
const rounds = 2

// Graphs explores executions as graphs. It needs only the definition of a model.
const Graphs Name = "graphs"

func graphsEngine() Engine {
	return Engine{
		Name:    Graphs,
		Doc:     "explores every execution graph that the axioms of the model allow once",
		Models:  always,
		Options: []Option{Symmetry, Workers, Unroll, Estimate, Equivalence, Commute},
		// What keeps states is better at loops, and graphs of threads that never end are no proof of anything.
		Weight: func(s *Shape, w Work) float64 {
			switch {
			case !s.Model.Operational():
				return 1
			case s.Endless:
				return 0.02
			case s.Rounds && w.Time > 30*time.Millisecond: // what it decides of these it mostly decides at once
				return 0.1
			case s.Rounds:
				return 0.5
			}
			return 1
		},
		Check:       checkGraphs,
		FinalStates: graphFinals,
		Count:       &Counting{What: "executions", By: "graphs", Run: countGraphs, Estimate: estimateGraphs},
	}
}

func (o Options) graphs() trust.Options {
	x := trust.Options{Model: o.Model, MaxRounds: o.Unroll, MaxGraphs: o.maxGraphs, MemoryLimit: o.MemoryLimit, Budget: o.Budget, Progress: o.Progress, Alike: o.Symmetry, Commute: o.Commute}
	if x.Workers = 1; o.Budget == nil { // there is nothing beside it
		x.Workers = cmp.Or(o.Workers, runtime.GOMAXPROCS(0))
	}
	return x
}

// walks is how many random walks an estimate is from.
const walks = 1000

// estimateGraphs estimates how many executions there are, with as many rounds of loops as the
// options allow.
func estimateGraphs(ctx context.Context, p *program.Program, opts Options) (*trust.Estimate, *verdict.Result, error) {
	o := opts.graphs()
	o.AnyCoherence = opts.AnyCoherence
	def, err := along(p, opts, verdict.Safety)
	if err != nil {
		return nil, nil, err
	}
	if def != nil && !opts.AnyCoherence {
		o.MaxRounds = cmp.Or(o.MaxRounds, math.MaxInt32)
		return graphs.Estimates(ctx, p, def, alongOptions(o, opts), walks/10)
	}
	return trust.Estimates(ctx, p, o, walks)
}

// alongOptions are those for what is explored along dependencies.
func alongOptions(o trust.Options, opts Options) graphs.Options {
	return graphs.Options{BackEdges: o.MaxRounds, MemoryLimit: o.MemoryLimit, Events: opts.maxEvents, Workers: o.Workers, Progress: o.Progress}
}

// checkGraphs explores graphs further and further where there are loops that may have no
// end; along dependencies, where a read may see what is written after it.
func checkGraphs(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	def, err := along(p, opts, verdict.Safety)
	if err != nil {
		return nil, err
	}
	if def != nil {
		start := time.Now()
		r, err := deepening(p, opts, hanging(ctx, p, def, opts, func(o trust.Options) (*verdict.Result, error) {
			return graphs.Check(ctx, p, def, alongOptions(o, opts))
		}))
		if err == nil {
			r.Engine, r.Elapsed = string(Graphs), time.Since(start)
		}
		return r, err
	}
	return deepening(p, opts, hanging(ctx, p, nil, opts, func(o trust.Options) (*verdict.Result, error) { return trust.Explore(ctx, p, o) }))
}

// along is the definition of the model under which the executions of p are explored along dependencies for what is asked; nil: they are not.
func along(p *program.Program, opts Options, asked verdict.Question) (*memory.Definition, error) {
	if opts.Symmetry || opts.Commute || trust.Refusal(p, opts.Model, asked) == "" {
		return nil, nil
	}
	def, err := memory.LoadFor(opts.Model, p.Arch)
	if err == nil {
		err = def.Covers(p)
	}
	if err != nil || !graphs.Along(def) {
		return nil, err
	}
	return def, nil
}

// countGraphs counts races of load buffering, too, where the model has them.
func countGraphs(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	if def, err := memory.LoadFor(opts.Model, p.Arch); err == nil && !opts.AnyCoherence && !opts.Symmetry && !opts.Commute && !opts.Model.Certifies() && !def.OrdersReads() {
		if graphs.Along(def) {
			if r, err := checkGraphs(ctx, p, opts); err != nil || r.Stats != nil {
				return r, err
			}
		}
		return countEnumerated(ctx, p, opts)
	}
	return deepening(p, opts, func(o trust.Options) (*verdict.Result, error) {
		o.AnyCoherence = opts.AnyCoherence
		o.LBRaces = o.Model == memory.RC11 && !o.AnyCoherence && !o.Alike && !o.Commute
		r, err := trust.Explore(ctx, p, o)
		if err == nil && o.AnyCoherence {
			r.Notes = append(r.Notes, "executions that differ only in the order of stores to one cell are counted once")
		}
		return r, err
	})
}

// countEnumerated counts executions under a model that may let a read see what is written after it: they are
// enumerated thread by thread, and properties are not looked at.
func countEnumerated(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	bare, start := *p, time.Now()
	bare.Properties, bare.Filter = nil, nil
	_, r, err := enumerated(ctx, &bare, opts)
	if err != nil {
		return nil, err
	}
	effort := r.Effort
	why := "properties and assertions are not looked at in executions that are enumerated thread by thread"
	if !r.Safe() {
		why = r.Reason()
	}
	r = verdict.Unknown(p, opts.Model, why)
	r.Effort, r.Engine, r.Elapsed = effort, string(Graphs), time.Since(start)
	return r, nil
}

// LBRaces decides whether p, a program of C11, is free of races of load buffering under RC11,
// whatever the model in opts: then it has the same executions where load buffering is allowed.
// What fails otherwise is not looked at.
func LBRaces(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	opts.Model = memory.RC11
	if err := opts.Model.Takes(p); err != nil {
		return nil, err
	}
	r, err := deepening(p, opts.WithDefaults(), func(o trust.Options) (*verdict.Result, error) { return trust.LBRaces(ctx, p, o) })
	if err == nil {
		r.Engine = string(Graphs)
		if r.Safe() {
			r.Notes = append(r.Notes, "so its executions under weakestmo2, which allows load buffering, are those under rc11")
		}
	}
	return r, err
}

// AllLBRaces lists them.
func AllLBRaces(ctx context.Context, p *program.Program, opts Options) (all []*verdict.Execution, r *verdict.Result, err error) {
	opts.Model = memory.RC11
	if err := opts.Model.Takes(p); err != nil {
		return nil, nil, err
	}
	r, err = deepening(p, opts.WithDefaults(), func(o trust.Options) (r *verdict.Result, err error) {
		all, r, err = trust.AllLBRaces(ctx, p, o)
		return r, err
	})
	return all, r, err
}

// deepening explores with more and more rounds of loops, for as long as there are more: of
// a program whose loops have no end that is until ctx ends.
func deepening(p *program.Program, opts Options, run func(trust.Options) (*verdict.Result, error)) (*verdict.Result, error) {
	o := opts.graphs()
	if opts.Unroll > 0 || !circles(p) {
		return run(o)
	}
	done := 0
	for o.MaxRounds = 1; ; o.MaxRounds *= 2 {
		r, err := run(o)
		if err != nil || r.Conclusive() {
			return r, err
		}
		if r.Bound == 0 { // it has not come to the end
			if done > 0 {
				r = r.Further(fmt.Sprintf("no violation with up to %s rounds of loops; with more, %s", verdict.Thousands(int64(done)), r.Reason()))
				r.Bound, r.BoundUnit = done, "rounds"
			}
			return r, nil
		}
		done = r.Bound
	}
}

// circles is true of a program with a loop that does more than wait.
func circles(p *program.Program) bool {
	for i, t := range p.Threads {
		l := flow.FindLoops(t, flow.Live(p, i, true))
		for e := range l.Back {
			if l.Back[e] && !l.Wait[e] {
				return true
			}
		}
	}
	return false
}

// graphFinals explores graphs and takes note of the states in which they end. Where the
// model may have reads that see what comes after them, executions are enumerated thread by
// thread.
func graphFinals(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	if why := trust.Refusal(p, opts.Model, verdict.FinalStates); why != "" && opts.Model.Certifies() {
		return nil, verdict.Unknown(p, opts.Model, why), nil
	} else if why != "" {
		return enumerated(ctx, p, opts)
	}
	var finals []verdict.FinalState
	r, err := deepening(p, opts, func(o trust.Options) (r *verdict.Result, err error) {
		finals, r, err = trust.FinalStates(ctx, p, o)
		return r, err
	})
	return finals, r, err
}

// enumerated enumerates executions and takes note of the states in which they end.
func enumerated(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	def, err := memory.LoadFor(opts.Model, p.Arch)
	if err == nil {
		err = def.Covers(p)
	}
	if err != nil {
		return nil, nil, err
	}
	for bound := 0; ; bound++ {
		executions := int64(0)
		finals, err := graphs.FinalStates(ctx, p, def, graphs.Options{Bare: true, BackEdges: bound, MemoryLimit: opts.MemoryLimit, Events: opts.maxEvents}, func(*memory.Graph, verdict.FinalState) bool {
			executions++
			return true
		})
		var r *verdict.Result
		switch {
		case err == nil:
			r = verdict.Safe(p, opts.Model, verdict.Exhaustive, nil)
		case ctx.Err() != nil:
			r = verdict.Unknown(p, opts.Model, "not all executions: stopped "+verdict.Because(ctx))
		case errors.Is(err, graphs.ErrCut) && bound < cmp.Or(opts.Unroll, rounds):
			continue
		case graphs.Reason(err) != "":
			r = verdict.Unknown(p, opts.Model, graphs.Reason(err))
		default:
			return nil, nil, err
		}
		r.Stats = []verdict.Stat{{Name: "executions", Value: executions}}
		return finals, r, nil
	}
}
