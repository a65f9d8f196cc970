package engine

import (
	"context"
	"runtime"
	"time"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// BMC unrolls the threads and asks a SAT solver.
const BMC Name = "bmc"

// mostSolvers work at a question side by side where nobody says how many: each holds the formula.
const mostSolvers = 4

// bmcOptions is what concerns it.
func bmcOptions(o Options) bmc.Options {
	jobs := o.Workers
	if jobs == 0 && o.Engine == BMC { // there is nothing beside it
		jobs = min(runtime.GOMAXPROCS(0), mostSolvers)
	}
	return bmc.Options{Model: o.Model, Unroll: o.Unroll, Solver: o.Solver, Proofs: o.Proofs || o.Certify && o.Engine == BMC, MemoryLimit: o.MemoryLimit, Jobs: jobs, Progress: o.Progress, Observed: o.Observed}
}

// Flags asks a SAT solver which flags of the model executions of p raise, beside those that are known.
// Where there may be more it says why.
func Flags(ctx context.Context, p *program.Program, opts Options, known []string) (names []string, gap string, err error) {
	return bmc.Flags(ctx, p, bmcOptions(opts.WithDefaults()), known)
}

func bmcEngine() Engine {
	options := bmcOptions
	return Engine{
		Name:    BMC,
		Doc:     "unrolls the loops further and further, and asks a SAT solver",
		Models:  everywhere,
		Options: []Option{Unroll, Workers, Solver, Proofs},
		// Formulas with their proofs; see [Options.Certify].
		Certificates: everywhere,
		// What it finds in a program with loops it finds soon, and where a loop has no end it proves
		// nothing. Where the buffers do not matter the search under SC is what finds most.
		Weight: func(s *Shape, w Work) float64 {
			switch {
			case s.Endless && s.Robust && w.Time > 50*time.Millisecond:
				return 0.1
			case !s.Robust && w.Time < 300*time.Millisecond:
				return 1.5
			case !s.Loops || w.Time < 500*time.Millisecond:
				return 1
			case s.Endless:
				return 0.3
			}
			return 0.6
		},
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
