package engine

import (
	"context"
	"io"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// WriteCertificate writes the evidence for a result that is Safe as text that
// [evidence.Certify] checks; see [evidence.Certificate]. States that it takes are searched once
// more, with the memory limit of opts.
func WriteCertificate(ctx context.Context, w io.Writer, r *verdict.Result, opts Options) error {
	return evidence.Certificate(ctx, w, r, func(ctx context.Context, p *program.Program, b abstract.Buffer, start func(*abstract.System, int64) error,
		state func(*abstract.System, *abstract.State) error) (*verdict.Result, error) {
		return explore.Closed(ctx, p, explore.Options{Model: memory.TSO, Abstraction: b, MemoryLimit: opts.MemoryLimit, Progress: opts.Progress}, start, state)
	})
}
