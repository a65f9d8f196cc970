package explore

import (
	"context"
	"errors"
	"fmt"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A judge knows what there is to say about a state: whether it violates a property,
// and whether it counts as a final one.
type judge struct {
	forbid []abstract.Condition
	finals []finalCondition
	filter abstract.Condition // what makes a final state count; may be nil
	locked bool               // whether Deadlock is a property
	// found, where not nil, is told every final state that counts.
	found func(s *abstract.State)
}

type finalCondition struct {
	cond   abstract.Condition
	forall bool
}

// newJudge judges by props, instead of the properties of the program.
func newJudge(x *abstract.System, props []program.Property, found func(*abstract.State)) judge {
	j := judge{found: found}
	for i := range props {
		switch pr := &props[i]; pr.Kind {
		case program.Forbid:
			j.forbid = append(j.forbid, x.Condition(pr.Cond))
		case program.Deadlock:
			j.locked = true
		default:
			j.finals = append(j.finals, finalCondition{x.Condition(pr.Cond), pr.Kind == program.Forall})
		}
	}
	if f := x.Program.Filter; f != nil {
		j.filter = x.Condition(f)
	}
	return j
}

// forbidden is true of a state that no run may come to.
func (j *judge) forbidden(s *abstract.State) bool {
	for _, cond := range j.forbid {
		if cond(s) != 0 {
			return true
		}
	}
	return false
}

// final is true of a final state that violates a property.
func (j *judge) final(s *abstract.State) bool {
	if j.filter != nil && j.filter(s) == 0 {
		return false
	}
	if j.found != nil {
		j.found(s)
	}
	for _, f := range j.finals {
		if (f.cond(s) != 0) != f.forall {
			return true
		}
	}
	return false
}

// convict makes res say that the schedule leads to a violation, which the replay
// finds for itself.
func (r *replayer) convict(res *verdict.Result, schedule []abstract.Event) error {
	run, violation, err := r.replay(r.shorten(schedule))
	if err != nil {
		return fmt.Errorf("internal error: the run that was found does not replay: %w", err)
	}
	res.Run, res.Violation = run, violation
	res.Verdict = verdict.Unsafe
	if violation.Kind == program.Fault {
		res.Verdict = verdict.Unknown
		res.Reason = "the program is at fault: " + violation.Text
	}
	return nil
}

// interruption is why a search has to stop now that ctx has ended, and what might
// help; "" as long as it has not.
func interruption(ctx context.Context) (why, advice string) {
	switch err := ctx.Err(); {
	case err == nil:
		return "", ""
	case errors.Is(err, context.DeadlineExceeded):
		return "the time limit", "allow more time"
	}
	return "an interrupt", ""
}
