package replay

import (
	"errors"
	"fmt"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Saved replays what a file says of a run of p, and judges what it ends in: a violation that [Judge]
// finds or, where the file says that [verdict.Liveness] was the question, a state that is a [Hang].
// For data races see package datarace. The error says at which step the run is none, or is not
// the one of the file, or that it does not show what the file says.
func Saved(p *program.Program, s *verdict.SavedRun) (*verdict.Run, error) {
	r, run, err := SavedSteps(p, s)
	if err != nil {
		return nil, err
	}
	switch s.Property {
	case "", verdict.Safety, verdict.Deadlocks:
		err = r.judge(run)
	case verdict.Liveness:
		err = r.judgeHang(run)
	default:
		err = fmt.Errorf("the file says that it shows something about %q, which is not what runs end in", s.Property)
	}
	if err != nil {
		return nil, err
	}
	return run, SavedText(run, s)
}

// SavedSteps takes the steps that a file says a run of p has. Memory is after every one what the file
// says of it. What the run ends in is not judged, but that an assertion fails.
func SavedSteps(p *program.Program, s *verdict.SavedRun) (*Replayer, *verdict.Run, error) {
	schedule, err := SavedSchedule(p, s)
	if err != nil {
		return nil, nil, err
	}
	r, err := New(p, s.Model, nil)
	if err != nil {
		return nil, nil, err
	}
	run, err := r.Trace(schedule)
	if err != nil {
		return nil, nil, err
	}
	for i := range run.Steps {
		for c, v := range run.Steps[i].Memory {
			name := r.x.CellName(c)
			if w, ok := s.Steps[i].Memory[name]; ok && v != w {
				return nil, nil, fmt.Errorf("step %d: the file says %s = %d afterwards, and it is %d", i+1, name, w, v)
			}
		}
	}
	return r, run, nil
}

// SavedText is an error where a run ends in something else than the file says.
func SavedText(run *verdict.Run, s *verdict.SavedRun) error {
	if s.Text != "" && s.Text != run.Violation.Text {
		return fmt.Errorf("the file says that it shows %q, and it shows %q", s.Text, run.Violation.Text)
	}
	return nil
}

// errLong says that it was not found out whether a run ends where the program hangs.
var errLong = errors.New("so much can happen at its end that it was not followed to where it comes to again")

// judgeHang adds to a run, the last that was traced, that it ends where the program hangs.
func (r *Replayer) judgeHang(run *verdict.Run) error {
	if run.Violation != nil {
		return errors.New("an assertion fails at its end, and nothing hangs")
	}
	h := NewHang(r.x)
	v := h.Violation(r.s)
	switch {
	case v != nil:
		run.Violation = v
		return nil
	case h.GaveUp:
		return errLong
	}
	return errors.New("the run ends where something can still change, or nothing waits")
}

// SavedSchedule is the events of a saved run.
func SavedSchedule(p *program.Program, s *verdict.SavedRun) ([]abstract.Event, error) {
	threads := map[string]int{}
	for i, t := range p.Threads {
		threads[t.Name] = i
	}
	var events []abstract.Event
	for i, st := range s.Steps {
		t, ok := threads[st.Thread]
		if !ok {
			return nil, fmt.Errorf("step %d: there is no thread %q", i+1, st.Thread)
		}
		events = append(events, abstract.Event{Thread: t, Edge: st.Edge, Choice: st.Choice})
	}
	return events, nil
}
