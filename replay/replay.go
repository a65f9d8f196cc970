// Package replay executes runs step by step on the operational semantics, and is
// the one that says what a state violates.
//
// A schedule, which is a list of events, comes in, whichever engine found it; out
// comes the run that it is, with the violation that it ends in, for reports and for
// [verdict.Convict]. A schedule that is not possible, or that violates nothing, is
// an error: nothing is believed. There is no reduction here, no dead registers are
// cleared, and buffers are without bound.
//
// The [Judge] is the other half: searches, proofs and certificates ask it about the
// states that they meet.
package replay

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Replay executes a schedule from the initial state of p under m. The run ends in a
// violation: an assertion that fails at the last step; else a Forbid condition in
// the last state, or, where that is final or stuck, a condition on final states or a
// deadlock. A schedule with a step that is not enabled, one that goes on after a
// failed assertion, and one that violates nothing are errors.
func Replay(p *program.Program, m memory.Model, schedule []abstract.Event) (*verdict.Run, error) {
	r, err := New(p, m, nil)
	if err != nil {
		return nil, err
	}
	return r.Replay(schedule)
}

// Convict is the answer that a violating schedule of p under m is the evidence for.
func Convict(p *program.Program, m memory.Model, schedule []abstract.Event) (*verdict.Result, error) {
	run, err := Replay(p, m, schedule)
	if err != nil {
		return nil, err
	}
	return verdict.Convict(run), nil
}

// Schedule is the events of a run.
func Schedule(run *verdict.Run) []abstract.Event {
	events := make([]abstract.Event, len(run.Steps))
	for i, s := range run.Steps {
		events[i] = abstract.Event{Thread: s.Thread, Edge: s.Edge, Choice: s.Choice}
	}
	return events
}

// A Replayer executes schedules of one program under one model, or of an abstraction
// of it.
type Replayer struct {
	*Judge
	x           *abstract.System
	model       memory.Model
	abstraction string
	s           *abstract.State
}

// New is a replayer for p under m, or for an abstraction of the store buffers of TSO
// where that is not nil.
func New(p *program.Program, m memory.Model, abstraction abstract.Buffer) (*Replayer, error) {
	x, err := abstract.Compile(p, m, abstraction, 0)
	if err != nil {
		return nil, err
	}
	return &Replayer{Judge: NewJudge(x, p.Properties), x: x, model: m, abstraction: abstract.Name(abstraction), s: x.NewState()}, nil
}

// Replay is the function of that name.
func (r *Replayer) Replay(schedule []abstract.Event) (*verdict.Run, error) {
	run, err := r.Trace(schedule)
	if err == nil {
		err = r.judge(run)
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}

// judge adds to a run, the last that was traced, the violation that it ends in.
func (r *Replayer) judge(run *verdict.Run) error {
	if run.Violation != nil { // an assertion
		return nil
	}
	pr := r.Violated(r.s)
	if pr == nil {
		return errors.New("the run violates nothing")
	}
	run.Violation = &verdict.Violation{Property: pr, Text: pr.String(), Pos: pr.Pos}
	return nil
}

// Trace is Replay for a schedule that need not violate anything: the run has a
// violation only where an assertion fails at its end.
func (r *Replayer) Trace(schedule []abstract.Event) (*verdict.Run, error) {
	x, before, s := r.x, r.x.NewState(), r.s
	x.Initial(s)
	run := &verdict.Run{Program: x.Program, Model: r.model, Abstraction: r.abstraction,
		Cells: x.Ranges.Cells, Init: slices.Clone(s.Mem)}
	for i, ev := range schedule {
		before.Copy(s)
		out, err := step(x, s, ev)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		run.Steps = append(run.Steps, describe(x, before, s, ev, out == abstract.Failed))
		if out == abstract.Failed {
			if i < len(schedule)-1 {
				return nil, fmt.Errorf("step %d: the assertion fails, but the run goes on", i+1)
			}
			run.Violation = assertion(x, ev, s.Failed)
		}
	}
	return run, nil
}

// Convict makes a violating schedule shorter and gives the answer that it is the
// evidence for: of an abstraction, that there is a candidate.
func (r *Replayer) Convict(schedule []abstract.Event) (*verdict.Result, error) {
	run, err := r.Replay(r.shorten(schedule))
	switch {
	case err != nil:
		return nil, fmt.Errorf("internal error: the run that was found does not replay: %w", err)
	case r.abstraction != "":
		return verdict.Suspect(run), nil
	}
	return verdict.Convict(run), nil
}

// step performs ev, which may be anything.
func step(x *abstract.System, s *abstract.State, ev abstract.Event) (abstract.Outcome, error) {
	p := x.Program
	if ev.Thread < 0 || ev.Thread >= len(p.Threads) {
		return 0, fmt.Errorf("there is no thread %d", ev.Thread)
	}
	t := p.Threads[ev.Thread]
	if ev.Edge == abstract.Flush {
		if ev.Choice < 0 || ev.Choice >= int64(x.Flushes(s, ev.Thread)) {
			return 0, fmt.Errorf("thread %s cannot flush", t.Name)
		}
		return x.Step(s, ev), nil
	}
	if ev.Edge < 0 || ev.Edge >= len(t.Edges) {
		return 0, fmt.Errorf("thread %s has no edge %d", t.Name, ev.Edge)
	}
	e := &t.Edges[ev.Edge]
	if e.From != s.PC[ev.Thread] {
		return 0, fmt.Errorf("thread %s is at %s and cannot take edge %d (%s) from %s",
			t.Name, t.States[s.PC[ev.Thread]].Name, ev.Edge, e.Cmd.Format(p, t), t.States[e.From].Name)
	}
	if ev.Choice < 0 || ev.Choice >= x.Choices(ev.Thread, ev.Edge) {
		return 0, fmt.Errorf("edge %d of thread %s (%s) has no outcome %d", ev.Edge, t.Name, e.Cmd.Format(p, t), ev.Choice)
	}
	out := x.Step(s, ev)
	switch out {
	case abstract.Done, abstract.Failed:
		return out, nil
	case abstract.Stray:
		return 0, x.StrayError(ev)
	}
	return 0, fmt.Errorf("edge %d of thread %s (%s) is not enabled", ev.Edge, t.Name, e.Cmd.Format(p, t))
}

func assertion(x *abstract.System, ev abstract.Event, c *program.Command) *verdict.Violation {
	t := x.Program.Threads[ev.Thread]
	text, pos := c.Text, c.Pos
	if text == "" {
		text = c.Format(x.Program, t)
	}
	if !pos.IsValid() {
		pos = t.Edges[ev.Edge].Pos
	}
	return &verdict.Violation{Kind: c.Kind, Text: text, Pos: pos}
}
