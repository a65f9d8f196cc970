package engine

import (
	"context"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/datarace"
	"github.com/fencepost-verifier/fencepost/explore/trust"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// DataRaces decides whether p, a program of C11, is free of data races in its executions
// under SC or, where that is the model in opts, RC11 or RA: under these, by graphs. What fails otherwise is not looked at. Every engine
// that decides properties under SC decides this, of the program with a monitor in it. The
// error is a [program.Diagnostic] for a program in which there are no plain accesses.
func DataRaces(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	if opts.Model == memory.RC11 || opts.Model == memory.RA {
		if err := opts.Model.Takes(p); err != nil {
			return nil, err
		}
		return racesByGraphs(ctx, p, opts.WithDefaults())
	}
	opts.Model, opts.Certify = memory.SC, false
	r, err := dataRaces(ctx, p, opts)
	if err != nil {
		return nil, err
	}
	r.Elapsed = time.Since(start)
	return r, nil
}

func dataRaces(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	cut := p
	if p.HasBounds() {
		cut = p.Cut()
	}
	m, err := datarace.NewMonitor(ctx, cut)
	if err != nil {
		early, err := verdict.Early(ctx, p, memory.SC, err)
		if err != nil {
			return nil, err
		}
		return verdict.RaceUnknown(p, memory.SC, early.Reason()), nil
	}
	if m.Trivial {
		argument := verdict.NoConflict
		if m.Ordered {
			argument = verdict.InOrder
		}
		return noRace(ctx, p, opts, argument, "", verdict.Effort{Engine: "datarace"})
	}
	if r, err := adjacentRaces(ctx, p, m, opts); r != nil || err != nil {
		return r, err
	}
	inner, err := Check(ctx, m.Program, opts)
	if err != nil {
		return nil, err
	}
	switch {
	case inner.Safe():
		return noRace(ctx, p, opts, inner.Argument(), verdict.ByMonitor, inner.Effort)
	case inner.Unsafe():
		r, err := m.Convict(inner.Run())
		if err != nil {
			return nil, err
		}
		r.Effort = inner.Effort
		return r, nil
	}
	r := verdict.RaceUnknown(p, memory.SC, inner.Reason())
	r.Effort = inner.Effort
	return r, nil
}

// adjacentRaces looks for accesses in conflict that two threads stand at, which takes fewer states than to follow happens-before; nil where
// that has not decided it, and there is time left for the monitor.
func adjacentRaces(ctx context.Context, p *program.Program, m *datarace.Monitor, opts Options) (*verdict.Result, error) {
	a := m.Adjacency()
	if a == nil {
		return nil, nil
	}
	const patience = time.Minute
	until := time.Now().Add(patience)
	if end, ok := ctx.Deadline(); ok {
		if half := time.Now().Add(time.Until(end) / 2); half.Before(until) {
			until = half
		}
	}
	first, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	inner, err := Check(first, a.Program, opts)
	switch {
	case err != nil:
		return nil, err
	case inner.Safe():
		return noRace(ctx, p, opts, inner.Argument(), verdict.ByMeetings, inner.Effort)
	case inner.Unsafe():
		r, err := a.Convict(inner.Run())
		if r != nil {
			r.Effort = inner.Effort
		}
		return r, err
	case ctx.Err() != nil:
		r := verdict.RaceUnknown(p, memory.SC, inner.Reason())
		r.Effort = inner.Effort
		return r, nil
	}
	return nil, nil
}

// noRace is the answer for p where there is no race as far as its bounds, as what watched it says: can one be met?
func noRace(ctx context.Context, p *program.Program, opts Options, argument verdict.Argument, by string, effort verdict.Effort) (*verdict.Result, error) {
	if p.HasBounds() {
		bounds, err := Check(ctx, onlyBounds(p), opts)
		if err != nil {
			return nil, err
		}
		if !bounds.Safe() {
			r := verdict.RaceUnknown(p, memory.SC, "no data race "+strings.TrimPrefix(bounds.Reason(), "no violation "))
			r.Effort, r.Advice = effort, bounds.Advice
			return r, nil
		}
	}
	r := verdict.RaceFree(p, memory.SC, argument, by)
	r.Effort = effort
	return r, nil
}

// racesByGraphs looks for races in execution graphs.
func racesByGraphs(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	r, err := deepening(p, opts, func(o trust.Options) (*verdict.Result, error) { return trust.Races(ctx, p, o) })
	if err == nil {
		r.Engine = string(Graphs)
	}
	return r, err
}

// onlyBounds is p without properties: a thread comes to its end where an assertion would fail.
func onlyBounds(p *program.Program) *program.Program {
	q := *p
	q.Arch, q.Properties, q.NoHang, q.Filter, q.Observe, q.Threads = program.X86, nil, false, nil, nil, nil
	for _, t := range p.Threads {
		u := *t
		u.Edges = nil
		for _, e := range t.Edges {
			e.Cmd = datarace.Plainly(e.Cmd)
			if e.Cmd.Op == program.Fence {
				e.Cmd = program.Skip()
			}
			u.Edges = append(u.Edges, e)
		}
		q.Threads = append(q.Threads, &u)
	}
	return &q
}
