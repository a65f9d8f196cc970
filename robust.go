package fencepost

import (
	"context"
	"io"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Robustness is the answer of [Robust] and [RaceFree].
type Robustness struct{ *verdict.RobustResult }

// Robust decides whether p behaves under TSO as under SC: whether the happens-before relation of
// every run is that of a run under SC. Properties are not looked at, nor is the memory model of
// the options.
func Robust(ctx context.Context, p *Program, opts ...Option) (*Robustness, error) {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	r, err := engine.Robust(ctx, p, o.Options)
	if err != nil {
		return nil, err
	}
	return &Robustness{r}, nil
}

// RaceFree decides whether p is free of triangular races, which is more than [Robust] asks.
func RaceFree(ctx context.Context, p *Program, opts ...Option) (*Robustness, error) {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	r, err := robust.Races(ctx, p, robust.Options{MemoryLimit: o.Options.MemoryLimit, Progress: o.Progress})
	if err != nil {
		return nil, err
	}
	return &Robustness{r}, nil
}

// Print writes the answer in a style.
func (r *Robustness) Print(w io.Writer, s Style) error {
	if s.Format == JSON {
		return report.JSONRobust(w, r.RobustResult, s.file(r.Program()))
	}
	return report.Robust(w, r.RobustResult, s.options())
}

func (r *Robustness) String() string { return text(r) }

// Drawing is the execution that shows that the program is not robust; nil where there is none.
func (r *Robustness) Drawing() *Drawing { return report.CycleDrawing(r.RobustResult) }
