package datarace

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Convict is the answer that a run of the monitor is the evidence for, which ends in the
// failure of one of its assertions: the same run of the program, replayed, with the race that vector
// clocks find in it.
func (m *Monitor) Convict(run *verdict.Run) (*verdict.Result, error) {
	var schedule []abstract.Event
	for _, s := range run.Steps {
		if s.Thread < len(m.origin) && m.origin[s.Thread][s.Edge] >= 0 {
			schedule = append(schedule, abstract.Event{Thread: s.Thread, Edge: m.origin[s.Thread][s.Edge], Choice: s.Choice})
		}
	}
	r, err := replay.New(m.of, memory.SC, nil)
	if err != nil {
		return nil, err
	}
	found, err := judge(r, schedule)
	if err != nil {
		return nil, fmt.Errorf("internal error: the run that was found does not replay: %w", err)
	}
	if found == nil {
		return nil, fmt.Errorf("internal error: the run that was found has no data race")
	}
	return verdict.Convict(shorten(r, found)), nil
}

// judge replays a schedule up to its first race; nil where there is none.
func judge(r *replay.Replayer, schedule []abstract.Event) (*verdict.Run, error) {
	run, err := r.Trace(schedule)
	if err != nil {
		return nil, err
	}
	race := Find(run)
	if race == nil {
		return nil, nil
	}
	run.Steps = run.Steps[:race.Second.Step+1]
	convict(run, race)
	return run, nil
}

// shorten leaves out the last steps of threads that the race can do without, without a claim
// to the shortest.
func shorten(r *replay.Replayer, run *verdict.Run) *verdict.Run {
	budget := 1 << 14 // steps
	for again := true; again; {
		again = false
		for t := range run.Program.Threads {
			for budget > 0 {
				schedule := replay.Schedule(run)
				last := -1
				for i, ev := range schedule {
					if ev.Thread == t {
						last = i
					}
				}
				// The two accesses are what it is about.
				if race := run.Violation.Race; last < 0 || last == race.First.Step || last == race.Second.Step {
					break
				}
				budget -= len(schedule)
				shorter, err := judge(r, slices.Delete(schedule, last, last+1))
				if err != nil || shorter == nil {
					break
				}
				run, again = shorter, true
			}
		}
	}
	return run
}

// text says what the race is.
func text(run *verdict.Run, r *verdict.Race) string {
	name := run.Cells[r.First.Cell].Name
	if name == "" {
		name = fmt.Sprintf("[%d]", run.Cells[r.First.Cell].Addr)
	}
	return fmt.Sprintf("data race on %s: %s and %s", name, Describe(run, &r.First), Describe(run, &r.Second))
}

// Describe says what an access of a race is, as in "writer stores 1 (line 5)".
func Describe(run *verdict.Run, a *verdict.RaceAccess) string {
	what := fmt.Sprintf("reads %d", a.Value)
	switch {
	case a.Free && a.Write:
		what = "frees it"
	case a.Free:
		what = "accesses it"
	case a.Write:
		what = fmt.Sprintf("stores %d", a.Value)
	}
	if a.Order != "" {
		what += ", " + a.Order
	}
	where := ""
	if a.Pos.IsValid() {
		where = fmt.Sprintf(" (%s)", a.Pos.Where())
	}
	return run.Program.Threads[a.Thread].Name + " " + what + where
}
