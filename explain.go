package fencepost

import (
	"context"
	"io"

	"github.com/fencepost-verifier/fencepost/explain"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Explanation is the answer of [Explain].
type Explanation struct{ *verdict.Explanation }

// Explain says why the memory model allows or forbids that p ends as its first property of final
// states asks about; loops go round at most Unroll times.
func Explain(ctx context.Context, p *Program, opts ...Option) (*Explanation, error) {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	e, err := explain.Outcome(ctx, p, explain.Options{Model: o.Model, Unroll: o.Unroll, MemoryLimit: o.Options.MemoryLimit})
	if err != nil {
		return nil, err
	}
	if e.Result != nil {
		if e.Result, err = replay.Polish(ctx, e.Result, o.Full); err != nil {
			return nil, err
		}
	}
	return &Explanation{e}, nil
}

// Print writes the explanation in a style.
func (e *Explanation) Print(w io.Writer, s Style) error {
	if s.Format == JSON {
		return report.JSONExplanation(w, e.Explanation, s.file(e.Program))
	}
	return report.Explanation(w, e.Explanation, s.options())
}

func (e *Explanation) String() string { return text(e) }

// Drawing is the execution of the explanation; nil where there is none.
func (e *Explanation) Drawing() *Drawing { return report.Explained(e.Explanation) }
