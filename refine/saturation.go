package refine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// bytesPerNode is about what a node of a decision diagram takes, with its share
// of the caches.
const bytesPerNode = 256

// checkSaturation computes the set of reachable states as a decision diagram, of
// the buffers that the engine names; where it names none, under TSO, of its FIFO
// queues, and where those have no bound, of abstractions. It proves only: a set has
// no runs. What it proves is checked anew before the program is called safe.
func checkSaturation(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	_, named, _ := opts.Engine.symbolic()
	r := &verdict.Result{Program: p, Model: opts.Model, Engine: string(opts.Engine), Advice: "--engine explicit or cegar"}
	defer func() { r.Elapsed = time.Since(start) }()
	buffers := []abstract.Buffer{abstract.FIFO{}, abstract.Set{}, abstract.Coherence{K: 1}, abstract.Coherence{K: 2}, abstract.Coherence{K: 3}}
	switch {
	case opts.Model != memory.SC && opts.Model != memory.TSO:
		r.Reason = fmt.Sprintf("no abstraction of the memory model %s", opts.Model)
		return r, nil
	case named != nil && named.Immediate() && opts.Model != memory.SC:
		r.Reason = fmt.Sprintf("%s is no abstraction of the memory model %s", abstract.Name(named), opts.Model)
		return r, nil
	case named != nil:
		buffers = []abstract.Buffer{named}
	case opts.Model == memory.SC:
		buffers = []abstract.Buffer{abstract.None{}}
	}
	for _, b := range buffers {
		name := abstract.Name(b)
		search := symbolic.Search{MaxNodes: int(opts.MemoryLimit / bytesPerNode)}
		if opts.Progress != nil {
			search.Progress = func(line string) { opts.Progress(name + ": " + line) }
		}
		found, set, err := symbolic.Saturation(ctx, p, b, search)
		if errors.Is(err, symbolic.ErrUnsupported) {
			r.Reason = fmt.Sprintf("%s: %v", name, err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", opts.Engine, err)
		}
		r.Stats = []verdict.Stat{{Name: "nodes", Value: int64(found.Depth)}}
		if set == nil {
			r.Reason = fmt.Sprintf("%s: %s", name, found.Reason)
			if _, exact := b.(abstract.FIFO); exact || ctx.Err() != nil {
				return r, nil
			}
			continue
		}
		if err := set.Check(ctx); err != nil {
			if ctx.Err() == nil {
				return nil, fmt.Errorf("%s: internal error: %w", opts.Engine, err)
			}
			r.Reason = "a proof was found, but there was no time to check it"
			return r, nil
		}
		r.Verdict, r.Argument, r.Proof, r.Reason, r.Advice = verdict.Safe, verdict.Exhaustive, set, "", ""
		if _, exact := b.(abstract.FIFO); !exact && !b.Immediate() {
			r.Argument, r.Abstraction = verdict.Closed, name
		}
		return r, nil
	}
	return r, nil
}
