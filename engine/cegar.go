package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// CEGAR refines abstractions of TSO until one is a proof or its
// counterexample a run of the program.
const CEGAR Name = "cegar"

func cegarEngine() Engine {
	return Engine{
		Name:         CEGAR,
		Doc:          "refines abstractions of the store buffers where counterexamples ask for it",
		Models:       tso,
		Options:      []Option{Refined},
		Certificates: tso,
		Weight: func(s *Shape, _ Work) float64 {
			switch {
			case !tso(s.Model):
				return 0
			case s.Unbounded && !s.Robust:
				return 0.25
			}
			return 0.03
		},
		Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
			return refine.CEGAR(ctx, p, opts.refine())
		},
	}
}
