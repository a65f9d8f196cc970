package replay

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// shorten makes a schedule that ends in a violation shorter, without a claim to
// the shortest: it ends where a Forbid property is first violated, and leaves out
// the last events of a thread where the violation does not need them. (The
// reduction lets every thread run ahead as far as it can do so unseen.)
func (r *Replayer) shorten(schedule []abstract.Event) []abstract.Event {
	first := -1
	for i := range schedule {
		if i > 0 {
			if r.x.Step(r.s, schedule[i-1]) == abstract.Failed {
				return schedule
			}
		} else {
			r.x.Initial(r.s)
		}
		if r.Forbidden(r.s) != nil {
			first = i
		}
		if first >= 0 {
			schedule = schedule[:first]
			break
		}
	}
	want, pr := r.ending(schedule)
	if want == nil && pr == nil {
		return schedule
	}
	budget := 1 << 21 // steps
	for again := true; again; {
		again = false
		for t := range r.x.Program.Threads {
			for budget > 0 {
				last := -1
				for i, ev := range schedule {
					if ev.Thread == t {
						last = i
					}
				}
				if last < 0 {
					break
				}
				shorter := slices.Concat(schedule[:last], schedule[last+1:])
				budget -= len(shorter)
				if c, q := r.ending(shorter); c != want || q != pr {
					break
				}
				schedule, again = shorter, true
			}
		}
	}
	return schedule
}

// Violates is whether the schedule is possible and ends in a violation.
func (r *Replayer) Violates(schedule []abstract.Event) bool {
	c, pr := r.ending(schedule)
	return c != nil || pr != nil
}

// ending is the violation that a schedule ends in, an assertion or a property;
// both are nil where there is none or the schedule is impossible.
func (r *Replayer) ending(schedule []abstract.Event) (*program.Command, *program.Property) {
	r.x.Initial(r.s)
	for i, ev := range schedule {
		switch out, err := step(r.x, r.s, ev); {
		case err != nil:
			return nil, nil
		case out == abstract.Failed && i == len(schedule)-1:
			return r.s.Failed, nil
		case out == abstract.Failed:
			return nil, nil
		}
	}
	return nil, r.Violated(r.s)
}
