package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Lazy is lazy TSO reachability: search under SC in a program into which
// the buffering that matters is written.
const Lazy Name = "lazy"

func lazyEngine() Engine {
	return Engine{
		Name:         Lazy,
		Doc:          "searches under SC, with the buffering that matters written into the program",
		Models:       tso,
		Certificates: tso,
		// A deadlock it leaves to explicit search. Where the buffers do not matter it is search under SC
		// and little more.
		Weight: func(s *Shape, _ Work) float64 {
			switch {
			case !tso(s.Model) || s.Deadlock:
				return 0
			case s.Robust:
				return 1
			case s.Unbounded:
				return 0.4
			}
			return 0.15
		},
		Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
			return refine.Lazy(ctx, p, opts.refine())
		},
	}
}

func (o Options) refine() refine.Options {
	return refine.Options{MemoryLimit: o.MemoryLimit, Budget: o.Budget, Progress: o.Progress, Refined: o.Refined, Solver: o.Solver}
}
