package engine

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

// Saturation computes the set of reachable states as a decision diagram,
// of the store buffers of TSO or of an abstraction, which may be named.
const Saturation Name = "saturation"

func saturationEngine() Engine {
	with := func(b abstract.Buffer) Engine {
		return Engine{
			Name:         Saturation,
			Doc:          "computes the set of reachable states as a decision diagram; likewise",
			Models:       scTSO,
			Certificates: scTSO,
			Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
				start := time.Now()
				r, err := saturate(ctx, p, opts, b)
				if r != nil {
					r.Elapsed = time.Since(start)
				}
				return r, err
			},
		}
	}
	e := with(nil)
	// Where the states of the single threads are few, mostly no one is sooner with a proof; where
	// there is no end of them it is better not to wait for it.
	e.Weight = func(s *Shape, w Work) float64 {
		switch {
		case !scTSO(s.Model):
			return 0
		case w.Ahead:
			return 2.5
		case w.Time < 60*time.Millisecond:
			return 0.5
		}
		return 0.05
	}
	e.Family = buffers(Saturation, with, symbolic.Saturates)
	return e
}

// saturate computes the set of reachable states with the buffers named or, where they
// are nil, under TSO with its FIFO queues, and where those have no bound, with
// abstractions. It proves only: a set has no runs. What it proves is checked anew
// before the program is called safe.
func saturate(ctx context.Context, p *program.Program, opts Options, named abstract.Buffer) (*verdict.Result, error) {
	var stats []verdict.Stat
	none := func(format string, args ...any) *verdict.Result {
		r := verdict.Unknown(p, opts.Model, fmt.Sprintf(format, args...))
		r.Stats, r.Instead.Engines = stats, []string{string(Explicit), string(CEGAR)}
		return r
	}
	buffers := []abstract.Buffer{abstract.FIFO{}, abstract.Set{}, abstract.Coherence{K: 1}, abstract.Coherence{K: 2}, abstract.Coherence{K: 3}}
	switch {
	case named != nil:
		buffers = []abstract.Buffer{named}
	case opts.Model == memory.SC:
		buffers = []abstract.Buffer{abstract.None{}}
	}
	var last *verdict.Result
	ahead := opts.ahead
	if ahead == nil {
		ahead = func(int) {}
	}
	for i, b := range buffers {
		name := abstract.Name(b)
		search := symbolic.Search{MemoryLimit: opts.MemoryLimit}
		if i == 0 && named == nil { // abstractions may be too coarse, however few the states
			search.Listed = ahead
		}
		if opts.Progress != nil {
			search.Progress = func(line string) { opts.Progress(name + ": " + line) }
		}
		found, set, err := symbolic.Saturation(ctx, p, b, search)
		if errors.Is(err, symbolic.ErrUnsupported) {
			last = none("%s: %v", name, err)
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", opts.Engine, err)
		}
		stats = []verdict.Stat{{Name: "nodes", Value: int64(found.Depth)}}
		_, exact := b.(abstract.FIFO)
		if set == nil {
			ahead(0)
			last = none("%s: %s", name, found.Reason)
			if exact || ctx.Err() != nil {
				break
			}
			continue
		}
		if err := set.Check(ctx); err != nil {
			if ctx.Err() == nil {
				return nil, fmt.Errorf("%s: internal error: %w", opts.Engine, err)
			}
			return none("a proof was found, but there was no time to check it"), nil
		}
		r := verdict.Safe(p, opts.Model, verdict.Diagram, set)
		if !exact && !b.Immediate() {
			r = verdict.Safe(p, opts.Model, verdict.Closed, set)
			r.Abstraction = name
		}
		r.Stats = stats
		return r, nil
	}
	return last, nil
}
