package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Hangs decides whether p can hang for ever: come to a state in which nothing will ever
// change, although not every thread has come to its end (see [explore.Hangs]). Explicit search
// decides this, whichever engine opts name. The error is a [program.Diagnostic] for a model
// that has no states.
func Hangs(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	if !builtin(opts.Model) {
		return nil, p.Diagnose(program.Position{}, "liveness is decided by a search through states, which "+string(opts.Model)+" does not have", "")
	}
	return explore.Hangs(ctx, p, opts.explore())
}
