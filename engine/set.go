package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Set searches the set abstraction of TSO.
const Set Name = "set"

func setEngine() Engine {
	return abstraction(Set, "searches the abstraction of store buffers to sets", abstract.Set{})
}

// abstraction is the engine that searches an abstraction of TSO.
func abstraction(name Name, doc string, b abstract.Buffer) Engine {
	return Engine{
		Name:         name,
		Doc:          doc,
		Models:       tso,
		Options:      []Option{Order, Reduction},
		Certificates: tso,
		Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
			o := opts.explore()
			o.Abstraction, o.Buffer = b, 0
			return explore.Check(ctx, p, o)
		},
	}
}
