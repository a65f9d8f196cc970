package engine

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Deadlocks decides whether p can come to a deadlock (see [program.Deadlock]), and nothing
// else: a run in which an assertion fails ends there, and is not to be judged by how it ends.
func Deadlocks(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	r, err := Check(ctx, deadlocking(p), opts)
	if err == nil {
		r.Notes = append(r.Notes, "a deadlock is all that was looked for")
	}
	return r, err
}

// deadlocking is p with deadlock as its only property: where an assertion fails a thread gives
// up.
func deadlocking(p *program.Program) *program.Program {
	q := *p
	q.Filter, q.Threads = nil, nil
	q.Properties = []program.Property{{Kind: program.Deadlock, Text: "no deadlock"}}
	if i := slices.IndexFunc(p.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock }); i >= 0 {
		q.Properties[0] = p.Properties[i]
	}
	for _, t := range p.Threads {
		u := *t
		u.States, u.Edges = slices.Clone(t.States), nil
		end := program.StateID(-1)
		gaveUp := func() program.StateID {
			if end < 0 {
				end = program.StateID(len(u.States))
				u.States = append(u.States, program.State{Name: "an assertion failed", Kind: program.GivenUp})
			}
			return end
		}
		for _, e := range t.Edges {
			switch c := &e.Cmd; {
			case c.Op == program.Assert && c.Kind == program.Assertion:
				u.Edges = append(u.Edges, program.Edge{From: e.From, To: gaveUp(), Pos: e.Pos,
					Cmd: program.Command{Op: program.Check, Value: program.NotExpr(c.Value), Pos: c.Pos}})
				e.Cmd = program.Command{Op: program.Check, Value: c.Value, Pos: c.Pos}
			case c.Op == program.Atomic:
				// For every assertion inside there is another way to take the step: it is the
				// first that fails. Nothing of the step matters then.
				for i := range c.Body {
					if b := &c.Body[i]; b.Op == program.Assert && b.Kind == program.Assertion {
						fails := *c
						fails.Body = assuming(c.Body[:i])
						fails.Body = append(fails.Body, program.Command{Op: program.Check, Value: program.NotExpr(b.Value), Pos: b.Pos})
						u.Edges = append(u.Edges, program.Edge{From: e.From, To: gaveUp(), Cmd: fails, Pos: e.Pos})
					}
				}
				c.Body = assuming(c.Body)
			}
			u.Edges = append(u.Edges, e)
		}
		q.Threads = append(q.Threads, &u)
	}
	return &q
}

// assuming is commands with checks for assertions.
func assuming(body []program.Command) []program.Command {
	body = slices.Clone(body)
	for i := range body {
		if b := &body[i]; b.Op == program.Assert && b.Kind == program.Assertion {
			*b = program.Command{Op: program.Check, Value: b.Value, Pos: b.Pos}
		}
	}
	return body
}
