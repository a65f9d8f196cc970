package fencepost

import (
	"context"
	"errors"
	"io"

	"github.com/fencepost-verifier/fencepost/datarace"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/waits"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/replay/core"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A SavedRun is what a file says of a run.
type SavedRun = verdict.SavedRun

// ReadRun reads a run that a [Result] has written as [JSON].
func ReadRun(r io.Reader) (*SavedRun, error) { return report.ReadRun(r) }

// asSaved is p as the engine had it that found the run: perhaps up to its bounds, with one step for each access of several cells.
func asSaved(p *Program, s *SavedRun) (*Program, error) {
	if s.Property == verdict.Deadlocks {
		p, _ = waits.Deadlocking(p)
	}
	for _, q := range []func() *Program{func() *Program { return p }, p.Cut} {
		r := q()
		joined, _ := r.Joined() // which is r where there are none
		if s.Program == "" || program.Fingerprint(joined) == s.Program {
			return joined, nil
		}
		if program.Fingerprint(r) == s.Program {
			return r, nil
		}
	}
	return nil, errors.New("it is a run of another program, or of one that was read with other flags")
}

// Replay performs a saved run of p again, step by step, and judges what it shows: a violation of a
// property, a deadlock, a hang or a data race, by the code that judges what engines find. The error
// says where that is not possible, or where what comes of it is not what the file says.
func Replay(p *Program, s *SavedRun) (*Result, error) {
	q, err := asSaved(p, s)
	if err != nil {
		return nil, err
	}
	judge := replay.Saved
	if s.Property == verdict.DataRaces {
		judge = datarace.Saved
	}
	run, err := judge(q, s)
	if err != nil {
		return nil, err
	}
	r := verdict.Convict(run)
	if s.Property == verdict.Deadlocks {
		r.AboutDeadlocks()
	}
	return &Result{r}, nil
}

// CoreLitmus is a litmus test for x86 with the outcome of a run: what SC does not allow of it, or
// else all of it. The run must be the result of [Check] or [Replay].
func CoreLitmus(ctx context.Context, r *Result, name string) (string, error) {
	if r.Run() == nil {
		return "", errors.New("there is no run")
	}
	return core.Litmus(ctx, r.Run(), name)
}

// A Stepper goes through a saved run, forwards and backwards.
type Stepper struct{ *replay.Stepper }

// A Moment is where a [Stepper] stands.
type Moment = verdict.Moment

// Step is at the beginning of a saved run of p.
func Step(p *Program, s *SavedRun) (*Stepper, error) {
	q, err := asSaved(p, s)
	if err != nil {
		return nil, err
	}
	events, err := replay.SavedSchedule(q, s)
	if err != nil {
		return nil, err
	}
	w, err := replay.NewStepper(q, s.Model, events)
	if err != nil {
		return nil, err
	}
	return &Stepper{w}, nil
}

// Models adds to m what the loads that come next could read under each model, as far as
// that can be found out.
func (w *Stepper) Models(ctx context.Context, m *Moment) error {
	run, err := w.Run()
	if err != nil {
		return err
	}
	for i := range m.Threads {
		t := &m.Threads[i]
		if t.Next < 0 {
			continue
		}
		t.Values = map[memory.Model][]int64{}
		for _, model := range memory.Operational() {
			if model.Takes(run.Program) != nil {
				continue
			}
			if vs, err := core.Readable(ctx, run, model, i, t.Next); err == nil {
				t.Values[model] = vs
			}
		}
	}
	return nil
}

// PrintMoment writes where a stepper stands.
func PrintMoment(w io.Writer, m *Moment) error { return report.Moment(w, m) }
