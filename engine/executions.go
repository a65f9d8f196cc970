package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/explore/traces"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func executionsEngine() Engine {
	by := func(a traces.Algorithm) Engine {
		run := func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
			return traces.Explore(ctx, p, traces.Options{
				Model: opts.Model, Algorithm: a, MaxEvents: opts.MaxEvents, MemoryLimit: opts.MemoryLimit, Progress: opts.Progress})
		}
		return Engine{
			Name:         "executions:" + Name(a.String()),
			Doc:          "explores executions, up to the order of independent events; BY is dpor, source or optimal",
			Models:       builtin,
			Options:      []Option{MaxEvents},
			Certificates: tso,
			Check:        run,
			Count:        &Counting{What: "executions", By: a.String(), Run: run},
		}
	}
	e := by(traces.Optimal)
	e.Name = "executions"
	e.Family = &Family{Param: "BY", Listed: []string{"dpor", "source", "optimal"}, Of: func(param string) (Engine, bool) {
		for _, a := range []traces.Algorithm{traces.DPOR, traces.Source, traces.Optimal} {
			if a.String() == param {
				return by(a), true
			}
		}
		return Engine{}, false
	}}
	return e
}
