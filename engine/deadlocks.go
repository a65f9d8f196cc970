package engine

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Deadlocks decides whether p can come to a deadlock (see [program.Deadlock]), and nothing
// else: a run in which an assertion fails ends there, and is not to be judged by how it ends.
// A thread that goes round in a loop that only waits is stuck there, too, where nobody changes what it
// waits for.
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
	for ti, t := range q.Threads {
		awaiting(t, flow.Live(&q, ti, false))
	}
	return &q
}

// maxWays is how many ways there may be out of a loop that waits.
const maxWays = 32

// awaiting lets the thread, where it comes to a loop that only waits, stop going round: then it stays
// until there is a way out, from the head of the loop to an exit in one step. The thread can
// also go round as before, so that nothing is lost; that a buffer has to be empty for the step is no
// matter to who is stuck.
func awaiting(t *program.Thread, live []program.RegSet) {
	loops := flow.FindLoops(t, live)
	waits := map[program.StateID]bool{} // by head: whether all its loops wait
	for e := range t.Edges {
		if loops.Back[e] {
			head := t.Edges[e].To
			was, seen := waits[head]
			waits[head] = loops.Wait[e] && (was || !seen)
		}
	}
	of := *t // as it was
	out := of.Out()
	for head := range of.States {
		head := program.StateID(head)
		if !waits[head] || of.States[head].Kind != program.Plain {
			continue
		}
		inside := insideLoop(&of, loops, head)
		ways, ok := waysOut(&of, out, inside, head)
		// Who has no way out but to fail goes on for ever, and waits for nothing.
		if !ok || !slices.ContainsFunc(ways, func(w wayOut) bool { return of.States[w.to].Kind != program.GivenUp }) {
			continue
		}
		stay := program.StateID(len(t.States))
		t.States = append(t.States, program.State{Name: t.States[head].Name + " waiting", Pos: t.States[head].Pos})
		for _, w := range ways {
			t.Edges = append(t.Edges, program.Edge{From: stay, To: w.to, Pos: w.pos,
				Cmd: program.Command{Op: program.Atomic, Text: "wait", Body: w.body, Pos: w.pos}})
		}
		t.Edges = append(t.Edges, program.Edge{From: head, To: stay, Cmd: program.Skip(), Pos: t.States[head].Pos})
	}
}

// insideLoop marks the states of the loops with that head.
func insideLoop(t *program.Thread, loops *flow.Loops, head program.StateID) []bool {
	in := make([][]program.StateID, len(t.States))
	for _, e := range t.Edges {
		in[e.To] = append(in[e.To], e.From)
	}
	inside := make([]bool, len(t.States))
	inside[head] = true
	var work []program.StateID
	for e := range t.Edges {
		if loops.Back[e] && t.Edges[e].To == head && !inside[t.Edges[e].From] {
			inside[t.Edges[e].From] = true
			work = append(work, t.Edges[e].From)
		}
	}
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, from := range in[q] {
			if !inside[from] {
				inside[from] = true
				work = append(work, from)
			}
		}
	}
	return inside
}

// A wayOut is the commands from the head of a loop to a state outside.
type wayOut struct {
	body []program.Command
	to   program.StateID
	pos  program.Position
}

// waysOut lists them; not ok where there are too many, or they cannot be done in one step.
func waysOut(t *program.Thread, out [][]int, inside []bool, head program.StateID) (ways []wayOut, ok bool) {
	ok = true
	on := make([]bool, len(t.States))
	var follow func(q program.StateID, body []program.Command)
	follow = func(q program.StateID, body []program.Command) {
		if on[q] || len(ways) > maxWays {
			ok = false
			return
		}
		on[q] = true
		for _, i := range out[q] {
			e := &t.Edges[i]
			next := slices.Clone(body)
			switch c := e.Cmd; c.Op {
			case program.Lock, program.Unlock, program.Assert:
				ok = false
			case program.Fence:
			case program.Atomic:
				next = append(next, c.Body...)
			default:
				next = append(next, c)
			}
			switch {
			case e.To == head:
			case !inside[e.To]:
				if len(next) == 0 {
					next = append(next, program.Skip())
				}
				ways = append(ways, wayOut{next, e.To, e.Pos})
			default:
				follow(e.To, next)
			}
		}
		on[q] = false
	}
	follow(head, nil)
	return ways, ok && len(ways) <= maxWays
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
