package engine

import (
	"context"
	"io"

	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// WriteCertificate writes the evidence for a result as text that
// [evidence.Certify] checks; see [evidence.Certificate]. States that it takes are searched once
// more, with the memory limit of opts.
func WriteCertificate(ctx context.Context, w io.Writer, r *verdict.Result, opts Options) error {
	return evidence.Certificate(ctx, w, r, opts.MemoryLimit)
}
