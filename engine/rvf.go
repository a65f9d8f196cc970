package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/explore/rvf"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func rvfEngine() Engine {
	run := func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
		return rvf.Explore(ctx, p, rvf.Options{Model: opts.Model, MaxEvents: opts.MaxEvents, MemoryLimit: opts.MemoryLimit, Progress: opts.Progress})
	}
	return Engine{
		Name:    "rvf",
		Doc:     "explores executions up to the values that reads have",
		Models:  builtin,
		Options: []Option{MaxEvents},
		Check:   run,
		Count:   &Counting{What: "executions", By: "rvf", Run: run},
	}
}
