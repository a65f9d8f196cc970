package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/explore/trust"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Hangs decides whether p can hang for ever: come to where nothing will ever
// change, although not every thread has come to its end. That is decided by explicit search
// ([explore.Hangs]) or, where opts name it or only the axioms of the model say what p does, by graphs
// ([trust.Hangs], and [graphs.Hangs] where a read may see what comes after it). The error is a [program.Diagnostic] for an engine that does not
// decide it.
func Hangs(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	opts = opts.WithDefaults()
	if err := opts.Model.Takes(p); err != nil {
		return nil, err
	}
	axioms := AxiomsOnly(p, opts.Model)
	switch {
	case opts.Engine == Graphs || opts.Engine == Auto && axioms:
		return hangsByGraphs(ctx, p, opts)
	case opts.Engine != Auto && opts.Engine != Explicit:
		return nil, p.Diagnose(program.Position{}, fmt.Sprintf("liveness is decided by explicit or graphs, not by %s", opts.Engine), "")
	case axioms:
		return nil, p.Diagnose(program.Position{}, fmt.Sprintf("explicit has no states of a program of %s under %s", p.Arch, opts.Model), "--engine graphs")
	}
	x := opts.explore()
	x.Workers, x.Spill = max(1, opts.Workers), opts.Spill
	return explore.Hangs(ctx, p, x)
}

// hangsByGraphs looks for hangs in execution graphs, up to bounds of what is modelled.
func hangsByGraphs(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	q, start := p, time.Now()
	if p.HasBounds() {
		q = p.Cut()
	}
	def, err := along(q, opts, verdict.Liveness)
	if err != nil {
		return nil, err
	}
	r, err := deepening(q, opts, func(o trust.Options) (*verdict.Result, error) { return hangsWithin(ctx, q, def, opts, o) })
	if err != nil {
		return nil, err
	}
	if r.Safe() && p.HasBounds() {
		bare := *p
		bare.Properties, bare.Filter = nil, nil
		bounds, err := checkGraphs(ctx, &bare, opts)
		if err != nil {
			return nil, err
		}
		if !bounds.Safe() {
			effort := r.Effort
			r = verdict.HangUnknown(p, opts.Model, "no hang as far as the bounds of loops and calls: one can be met")
			r.Effort = effort
		}
	}
	r.Engine, r.Elapsed = string(Graphs), time.Since(start)
	return r, nil
}

// hangsWithin looks for hangs with as many rounds of loops as o allows, along dependencies where def is not nil.
func hangsWithin(ctx context.Context, p *program.Program, def *memory.Definition, opts Options, o trust.Options) (*verdict.Result, error) {
	if def != nil {
		return graphs.Hangs(ctx, p, def, alongOptions(o, opts))
	}
	return trust.Hangs(ctx, p, o)
}

// hanging is run with a look for hangs wherever a bound is met, for a program that must not hang and goes further and further.
func hanging(ctx context.Context, p *program.Program, def *memory.Definition, opts Options, run func(trust.Options) (*verdict.Result, error)) func(trust.Options) (*verdict.Result, error) {
	if !p.NoHang || p.HasBounds() {
		return run
	}
	return func(o trust.Options) (*verdict.Result, error) {
		r, err := run(o)
		if err != nil || r.Conclusive() || r.Bound == 0 {
			return r, err
		}
		if h, err := hangsWithin(ctx, p, def, opts, o); err != nil || h.Unsafe() {
			return h, err
		}
		return r, nil
	}
}

// unhanging is what r, the answer about the properties of p, is where p must not hang either.
func unhanging(ctx context.Context, p *program.Program, opts Options, r *verdict.Result) (*verdict.Result, error) {
	if !p.NoHang || r.Unsafe() || r.About() == verdict.Liveness { // the portfolio asks again
		return r, nil
	}
	if opts.Engine != Graphs {
		opts.Engine = Auto
	}
	h, err := Hangs(ctx, p, opts)
	if err != nil {
		return nil, err
	}
	if !h.Unsafe() && !r.Safe() {
		return r, nil
	}
	if h.Safe() && len(p.Properties) > 0 {
		h.Notes = append(h.Notes, "its other properties hold, too: "+string(r.Argument()))
	}
	return h, nil
}
