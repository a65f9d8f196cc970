package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Multiset decides the multiset abstraction of TSO.
const Multiset Name = "multiset"

func multisetEngine() Engine {
	e := abstraction(Multiset, "decides the abstraction of store buffers to multisets", abstract.Multiset{})
	e.Check = func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
		return explore.CheckMultiset(ctx, p, opts.explore())
	}
	return e
}
