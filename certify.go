package fencepost

import (
	"context"
	"io"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/evidence"
)

// A Certificate is evidence about a program, accepted by [Certify].
type Certificate = evidence.Accepted

// WriteCertificate writes the evidence for a result as text that [Certify] checks.
// The error says why there is none.
func WriteCertificate(ctx context.Context, w io.Writer, r *Result, opts ...Option) error {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	return engine.WriteCertificate(ctx, w, r.Result, o.Options)
}

// WriteRobustCertificate is [WriteCertificate] for the result that a program is robust.
func WriteRobustCertificate(ctx context.Context, w io.Writer, r *Robustness, opts ...Option) error {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	return evidence.Robust(ctx, w, r.RobustResult, o.MemoryLimit)
}

// CertificateModel is the memory model that a certificate, or the file [ProofsManifest], says it is about, before
// anything is checked; "": none. A program of C is to be loaded [Under] that one, as it was when it was checked.
func CertificateModel(text []byte) Model { return evidence.About(text) }

// Certify checks a certificate for p, independently of the engines. An error that is no
// [Diagnostic] says why it is refused, or that ctx ended.
func Certify(ctx context.Context, r io.Reader, p *Program) (*Certificate, error) {
	return evidence.Certify(ctx, r, p)
}

// A ProofsCertificate is what [CertifyProofs] has accepted.
type ProofsCertificate = evidence.Checked

// ProofsManifest is the name of the file that says what the others of [WriteProofs] are.
const ProofsManifest = evidence.ManifestName

// CertifyProofs checks what [WriteProofs] has written about p: that the formulas have no model,
// independently of whatever solved them, and that they are those that the encoder makes of
// p. Errors are as those of [Certify].
func CertifyProofs(ctx context.Context, open func(name string) (io.ReadCloser, error), p *Program) (*ProofsCertificate, error) {
	return evidence.Check(ctx, open, p)
}
