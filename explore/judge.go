package explore

import (
	"context"
	"errors"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
)

// A judge is a [replay.Judge] that may have somebody to tell the final states to.
// Then the properties and assertions of the program are none of its business, faults
// are.
type judge struct {
	*replay.Judge
	// found, where not nil, is told every final state that counts.
	found func(s *abstract.State)
}

func newJudge(x *abstract.System, found func(*abstract.State)) judge {
	props := x.Program.Properties
	if found != nil {
		props = nil
	}
	return judge{replay.NewJudge(x, props), found}
}

// forbidden is true of a state that no run may come to.
func (j *judge) forbidden(s *abstract.State) bool { return j.Forbidden(s) != nil }

// final is true of a final state that violates a property.
func (j *judge) final(s *abstract.State) bool {
	if j.found != nil && j.Counts(s) {
		j.found(s)
	}
	return j.Ending(s) != nil
}

// stuck is true of a state that is not final and violates a property by having no
// successors.
func (j *judge) stuck(s *abstract.State) bool { return j.Deadlock(s) != nil }

// defendant is p, or, where somebody is told the final states, p without its
// properties: then a property is no end of a run.
func (j *judge) defendant(p *program.Program) *program.Program {
	if j.found == nil {
		return p
	}
	q := *p
	q.Properties = nil
	return &q
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
