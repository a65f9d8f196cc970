package graphs

import (
	"context"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Hangs explores the executions of p that def admits along dependencies, as [Check] does, and looks for one in which p hangs for
// ever, however fair the machine is to stores on their way: every thread has come to its end, or waits, and would go on waiting
// if it read what is the last of each cell in coherence, and one of them waits (see [replay.Hang]). Nothing else is looked for,
// but faults; an execution ends where an assertion fails.
//
// Where p hangs, what was done until nothing changed any more, without the rounds of waiting, is closed under program order and
// reads-from; and whoever waits can go round once more and read the last of each cell. That is one of the executions that are
// met. The other way round, a thread that waits can go on reading the last of each cell without end: such a read has nothing
// after it, and so is in no cycle that an axiom forbids.
func Hangs(ctx context.Context, p *program.Program, def *memory.Definition, opts Options) (*verdict.Result, error) {
	bare := *p
	bare.Filter, bare.Properties = nil, nil
	r, err := asked(ctx, &bare, def, opts, verdict.Liveness)
	if err != nil || r.Unsafe() || r.Fault() {
		return r, err
	}
	effort := r.Effort
	if r.Safe() {
		r = verdict.NeverHangs(p, def.Model, r.Argument())
	} else {
		r = verdict.HangUnknown(p, def.Model, r.Reason())
	}
	r.Effort = effort
	return r, nil
}
