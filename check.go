package fencepost

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Verdict is the answer to a question.
type Verdict = verdict.Verdict

// The verdicts. Of robustness the first two are said "robust" and "not robust".
const (
	IsSafe    = verdict.IsSafe
	IsUnsafe  = verdict.IsUnsafe
	IsUnknown = verdict.IsUnknown
)

// A Result is the answer of [Check]: the verdict and its evidence.
type Result struct{ *verdict.Result }

// Check decides whether a run of p violates one of its properties, or what [For] says; p has been
// read with the same options. Where a mistake such as a
// division by zero can be reached there is no verdict, but a [Diagnostic].
func Check(ctx context.Context, p *Program, opts ...Option) (*Result, error) {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	check := engine.Check
	switch o.Property {
	case NoDataRace:
		check = engine.DataRaces
	case NoLBRace:
		check = engine.LBRaces
	case NoDeadlock:
		check = engine.Deadlocks
	case NoHang:
		check = engine.Hangs
	}
	if p.SafetyOnly && (o.Property == NoDeadlock || o.Property == NoHang) {
		return nil, fmt.Errorf("the program was not read for %s: Load needs the same option For as Check", o.Property)
	}
	r, err := check(ctx, p, o.Options)
	if stuck := o.Property == NoDeadlock || o.Property == NoHang; err == nil && stuck && r.Unsafe() && p.Outside != "" {
		r = r.Doubtful("some threads may wait for ever, but " + p.Outside)
	}
	if err == nil && r.Unsafe() {
		r, err = replay.Polish(ctx, r, o.Full)
	}
	if err == nil && r.Safe() {
		r.Notes = slices.Concat(r.Notes, p.Given)
	}
	return judged(r, err)
}

// judged is a result that is a verdict.
func judged(r *verdict.Result, err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	if d := report.Fault(r); d != nil {
		return nil, d
	}
	return &Result{r}, nil
}

// WriteProofs writes the formulas that a result rests on, each with a proof that it has no
// model, and a manifest, as files. The result must be of an engine that was asked for proofs by
// [Options]. The error says why there are none.
func WriteProofs(ctx context.Context, create func(name string) (io.WriteCloser, error), r *Result) error {
	return evidence.Write(ctx, create, r.Result)
}

// Drawing is the execution that shows that the program is unsafe; nil where there is none.
func (r *Result) Drawing() *Drawing { return report.Convicted(r.Result) }

// Print writes the result in a style.
func (r *Result) Print(w io.Writer, s Style) error {
	if s.Format.Collected() {
		p, err := r.Part(s)
		if err != nil {
			return err
		}
		return WriteDocument(w, s.Format, []Part{p})
	}
	if s.Format == JSON {
		return report.JSON(w, r.Result, s.file(r.Program()))
	}
	return report.Text(w, r.Result, s.options())
}

func (r *Result) String() string { return text(r) }
