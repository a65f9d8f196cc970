package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/waits"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Deadlocks decides whether p can come to a deadlock (see [program.Deadlock]), and nothing
// else: a run in which an assertion fails ends there, and is not to be judged by how it ends.
// A thread that goes round in a loop and changes nothing is stuck there, too, where nobody changes what it
// reads. Of loops of which that is not seen from the automaton, and where only the axioms of the model say what p does,
// it is what [Hangs] says.
func Deadlocks(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	opts.Model = cmp.Or(opts.Model, memory.Default(p.Arch))
	if o := opts.WithDefaults(); AxiomsOnly(p, opts.Model) && (o.Engine == Auto || o.Engine == Graphs) {
		return Hangs(ctx, p, opts)
	}
	q, stands := waits.Deadlocking(p)
	r, err := Check(ctx, q, opts)
	if err != nil {
		return nil, err
	}
	r.AboutDeadlocks()
	r.Notes = append(r.Notes, "a deadlock is all that was looked for")
	if !r.Safe() {
		return r, nil
	}
	return inCircles(ctx, p, q, stands, opts, r)
}

// inCircles is r, the answer that no deadlock of q was found, once it is known that p comes to no state in which
// threads go round in other loops than those in which they stand, and change nothing.
func inCircles(ctx context.Context, p, q *program.Program, stands waits.Stands, opts Options, r *verdict.Result) (*verdict.Result, error) {
	pos, found, err := waits.Changeless(ctx, q, stands)
	unknown := func(why string) *verdict.Result {
		u := verdict.Unknown(q, opts.Model, "no deadlock among threads that stand or only wait; "+why)
		u.AboutDeadlocks()
		u.Effort = r.Effort
		return u
	}
	switch o := opts.WithDefaults(); {
	case errors.Is(err, program.ErrStopped) && ctx.Err() != nil:
		return unknown("stopped " + verdict.Because(ctx)), nil
	case err != nil:
		return nil, err
	case !found:
		return r, nil
	case o.Engine != Auto && o.Engine != Explicit:
		u := unknown(fmt.Sprintf("whether a thread goes round for ever %s and changes nothing was not looked for", inLoop(pos)))
		u.Instead = verdict.Instead{Engines: []string{string(Auto), string(Explicit)}, Why: "looks for that, too"}
		return u, nil
	}
	opts.Engine = Explicit
	h, err := Hangs(ctx, p, opts)
	switch {
	case err != nil || h.Unsafe() || h.Fault():
		return h, err
	case !h.Safe():
		return unknown(h.Reason()), nil
	}
	r.Notes = append(r.Notes, "threads that go round for ever and change nothing were looked for in all states")
	return r, nil
}

// inLoop is a place in words.
func inLoop(pos program.Position) string {
	if !pos.IsValid() {
		return "in a loop"
	}
	return "in the loop of " + pos.Where()
}
