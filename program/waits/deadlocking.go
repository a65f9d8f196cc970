// Package waits makes of a program one in which threads that wait for ever stand still, so that a search for
// deadlocks sees them.
//
// In comes a program. Its threads wait by blocking, which the transition rules know, or in loops, which they do not: a
// thread that goes round in
//
//	while (flag == 0) ;
//
// always has a next step. [Deadlocking] gives such a loop a control state beside it, in which the thread
// stands until there is a way out; there it has no step for as long as nobody changes what it reads. Which loops
// these are the automaton says (standing.go), if need be after exchanges that write what they have read have been told
// apart from those that do not (exchanges.go), and after a second round (settles.go). Out comes that program, and which
// loops it took. Of the others [Changeless] says where a round may leave everything as it was (circles.go):
// without such a place a program without deadlocks has no thread that is stuck; with one, all its states have to be
// looked at.
package waits

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// Stands marks, by thread and edge of a program that [Deadlocking] has made, the edges that close loops beside which the
// thread may stand. What is missing at the end of a thread is false.
type Stands [][]bool

// Deadlocking is p with deadlock as its only property: where an assertion fails a thread gives
// up, and where a loop only waits the thread may stand instead. p stays as it is.
func Deadlocking(p *program.Program) (_ *program.Program, stands Stands) {
	q := *p
	q.Filter, q.Threads, q.NoHang = nil, nil, false
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
				// first that fails. What the step does does not matter then, but it has to be possible.
				for i := range c.Body {
					if b := &c.Body[i]; b.Op == program.Assert && b.Kind == program.Assertion {
						fails := *c
						fails.Body = assuming(c.Body[:i])
						fails.Body = append(fails.Body, program.Command{Op: program.Check, Value: program.NotExpr(b.Value), Pos: b.Pos})
						for k := i + 1; k < len(c.Body); k++ {
							if d := &c.Body[k]; d.Op != program.Assert || d.Kind != program.Assertion {
								fails.Body = append(fails.Body, *d)
							}
						}
						u.Edges = append(u.Edges, program.Edge{From: e.From, To: gaveUp(), Cmd: fails, Pos: e.Pos})
					}
				}
				c.Body = assuming(c.Body)
			}
			u.Edges = append(u.Edges, e)
		}
		q.Threads = append(q.Threads, &u)
	}
	reading, before := tellApart(&q)
	for ti, t := range q.Threads {
		stands = append(stands, awaiting(t, flow.Live(&q, ti, false), reading[ti], before[ti]))
	}
	return &q, stands
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
