package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func robustEngine() Engine {
	return Engine{
		Name:   "robust",
		Doc:    "searches for attacks on robustness, one by one",
		Models: tso,
		Robust: func(ctx context.Context, p *program.Program, opts Options) (*verdict.RobustResult, error) {
			return robust.Check(ctx, p, robust.Options{MemoryLimit: opts.MemoryLimit, Progress: opts.Progress})
		},
	}
}
