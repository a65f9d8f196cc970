package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// BMC unrolls the threads and asks a SAT solver.
const BMC Name = "bmc"

func bmcEngine() Engine {
	options := func(o Options) bmc.Options {
		return bmc.Options{Model: o.Model, Unroll: o.Unroll, Solver: o.Solver, MemoryLimit: o.MemoryLimit, Progress: o.Progress}
	}
	return Engine{
		Name:    BMC,
		Doc:     "unrolls the loops further and further, and asks a SAT solver",
		Models:  everywhere,
		Options: []Option{Unroll, Solver},
		Races:   func(*program.Program, memory.Model) bool { return true },
		Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
			return bmc.Check(ctx, p, options(opts))
		},
		FinalStates: func(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
			return bmc.FinalStates(ctx, p, options(opts))
		},
		Robust: func(ctx context.Context, p *program.Program, opts Options) (*verdict.RobustResult, error) {
			return robust.Unrolled(ctx, p, options(opts))
		},
	}
}
