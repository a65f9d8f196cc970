package replay

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Saved replays what a file says of a run of p. The run ends in a violation that [Judge] finds,
// whatever the file says; where the question is not one of properties the steps are all that is
// replayed. The error says at which step the run is none, or is not the one of the file.
func Saved(p *program.Program, s *verdict.SavedRun) (*verdict.Run, error) {
	schedule, err := SavedSchedule(p, s)
	if err != nil {
		return nil, err
	}
	r, err := New(p, s.Model, nil)
	if err != nil {
		return nil, err
	}
	run, err := r.Trace(schedule)
	if err == nil && s.Property == "" {
		run, err = r.Replay(schedule)
	}
	if err != nil {
		return nil, err
	}
	for i := range run.Steps {
		for c, v := range run.Steps[i].Memory {
			name := r.x.CellName(c)
			if w, ok := s.Steps[i].Memory[name]; ok && v != w {
				return nil, fmt.Errorf("step %d: the file says %s = %d afterwards, and it is %d", i+1, name, w, v)
			}
		}
	}
	return run, nil
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
