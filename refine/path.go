package refine

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An instructionPath is a run of an abstraction with its interleaving and its
// flushes forgotten: the instructions that every thread performs, in their
// order, with their free choices. It is itself a program, of which the runs under
// any buffer are those of the original that perform, thread by thread, a prefix
// of the same instructions; so whether the run exists in TSO or in a finer
// abstraction is an explicit search over few states, as a path has no loops.
//
// For every thread the states 0..n are the places on its path. In place n of a
// path that could go on, an edge that never does keeps the state from being
// final. Where a deadlock is a property, every edge that leaves the path leads to
// a state of its own, in which the thread runs on: so that the states from which
// no step leads are those of the original.
type instructionPath struct {
	original *program.Program
	path     *program.Program
	origin   [][]abstract.Event // by thread and edge of path; Edge < 0: none
	choices  [][]bool           // whether the choice is that of origin
	stores   int                // how many a thread buffers at most
}

func newInstructionPath(p *program.Program, run []abstract.Event) *instructionPath {
	ip := &instructionPath{original: p}
	q := *p
	q.Threads, q.Properties = nil, slices.Clone(p.Properties)
	deadlock := slices.ContainsFunc(p.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock })
	places := make([][]program.StateID, len(p.Threads)) // by thread and state of the path
	for ti, t := range p.Threads {
		var steps []abstract.Event
		stores := 0
		for _, s := range run {
			if s.Thread == ti && s.Edge >= 0 {
				steps = append(steps, s)
				if t.Edges[s.Edge].Cmd.Op == program.Store {
					stores++
				}
			}
		}
		ip.stores = max(ip.stores, stores)
		c := *t
		c.States, c.Edges, c.Initial = nil, nil, 0
		var origin []abstract.Event
		var fixed []bool
		state := func(at program.StateID) program.StateID {
			id := program.StateID(len(c.States))
			s := t.States[at]
			s.Name = fmt.Sprintf("%d.%s", id, s.Name)
			c.States = append(c.States, s)
			places[ti] = append(places[ti], at)
			return id
		}
		edge := func(from, to program.StateID, cmd program.Command, pos program.Position, ev abstract.Event, isFixed bool) {
			c.Edges = append(c.Edges, program.Edge{From: from, To: to, Cmd: cmd, Pos: pos})
			origin, fixed = append(origin, ev), append(fixed, isFixed)
		}
		none := abstract.Event{Edge: abstract.Flush}
		out := t.Out()
		at := state(t.Initial)
		for i := 0; i <= len(steps); i++ {
			here := places[ti][at]
			from, taken := at, -1
			if i < len(steps) {
				taken = steps[i].Edge
				e := &t.Edges[taken]
				at = state(e.To)
				edge(from, at, resolve(e.Cmd, steps[i].Choice), e.Pos, steps[i], true)
			}
			for _, o := range out[here] {
				// Who is not started must stay one that can be.
				if !deadlock && t.States[here].Kind != program.Unstarted {
					break
				}
				if o == taken && !chooses(&t.Edges[o].Cmd) {
					continue
				}
				off := state(t.Edges[o].To)
				c.States[off].Kind = program.GivenUp // or no deadlock, as it runs on
				edge(from, off, t.Edges[o].Cmd, t.Edges[o].Pos, abstract.Event{Thread: ti, Edge: o}, false)
				edge(off, off, program.Skip(), program.Position{}, none, false)
			}
			if i == len(steps) && len(out[here]) > 0 && !deadlock && t.States[here].Kind != program.Unstarted {
				edge(from, state(here), program.Command{Op: program.Check, Value: program.Const(0)}, program.Position{}, none, false)
			}
		}
		q.Threads = append(q.Threads, &c)
		ip.origin, ip.choices = append(ip.origin, origin), append(ip.choices, fixed)
	}
	for i := range q.Properties {
		if q.Properties[i].Cond != nil {
			q.Properties[i].Cond = relocate(q.Properties[i].Cond, places)
		}
	}
	if q.Filter != nil {
		q.Filter = relocate(q.Filter, places)
	}
	ip.path = &q
	return ip
}

// chooses is true where a command has several outcomes.
func chooses(c *program.Command) bool {
	return c.Op == program.Havoc || slices.ContainsFunc(c.Body, func(b program.Command) bool { return b.Op == program.Havoc })
}

// resolve is the command with its free choices made.
func resolve(c program.Command, choice int64) program.Command {
	one := func(c *program.Command) {
		if c.Op == program.Havoc {
			radix := c.Hi - c.Lo + 1
			v := c.Lo + choice%radix
			choice /= radix
			c.Lo, c.Hi = v, v
		}
	}
	one(&c)
	c.Body = slices.Clone(c.Body)
	for i := range c.Body {
		one(&c.Body[i])
	}
	return c
}

// relocate reads a condition at the states of a path, which stand for places.
func relocate(e program.Expr, places [][]program.StateID) program.Expr {
	switch e := e.(type) {
	case program.At:
		at := program.At{Thread: e.Thread, Name: e.Name}
		for id, q := range places[e.Thread] {
			if slices.Contains(e.States, q) {
				at.States = append(at.States, program.StateID(id))
			}
		}
		return at
	case program.Unary:
		e.X = relocate(e.X, places)
		return e
	case program.Binary:
		e.X, e.Y = relocate(e.X, places), relocate(e.Y, places)
		return e
	}
	return e
}

// pathStates is how many states of an abstraction of a path are worth a precise
// answer. Sets can have many.
const pathStates = 200_000

// under tells whether the path has a violation under a buffer. Where that takes
// too many states it says yes.
func (ip *instructionPath) under(ctx context.Context, opts Options, b abstract.Buffer) (possible bool, err error) {
	o := opts.explore(b)
	o.MaxStates = pathStates
	r, err := explore.Check(ctx, ip.path, o)
	switch {
	case err != nil:
		return false, err
	case ctx.Err() != nil:
		return false, &unfinishedError{reason: r.Reason()}
	}
	return !r.Safe(), nil
}

// An unfinishedError says why a search ended early.
type unfinishedError struct {
	reason string
	of     string // the abstraction of the counterexample; empty where that goes without saying
}

func (e *unfinishedError) Error() string {
	text := "a counterexample was not analysed: " + e.reason
	if e.of != "" {
		text = e.of + ": " + text
	}
	return text
}

// concrete is the answer that a run of the original under TSO to a violation along
// the path leads to; nil where there is none.
func (ip *instructionPath) concrete(ctx context.Context, opts Options) (*verdict.Result, error) {
	r, err := explore.Check(ctx, ip.path, opts.explore(nil))
	if err != nil {
		return nil, err
	}
	if r.Run() == nil {
		if !r.Safe() {
			return nil, &unfinishedError{reason: r.Reason()}
		}
		return nil, nil
	}
	var schedule []abstract.Event
	for _, s := range replay.Schedule(r.Run()) {
		ev := s
		if s.Edge >= 0 {
			ev = ip.origin[s.Thread][s.Edge]
			if ev.Edge < 0 {
				continue
			}
			if !ip.choices[s.Thread][s.Edge] {
				ev.Choice = s.Choice
			}
		}
		schedule = append(schedule, ev)
	}
	found, err := replay.Convict(ip.original, memory.TSO, schedule)
	if err != nil {
		return nil, fmt.Errorf("internal error: a run along the instructions of a counterexample does not replay: %w", err)
	}
	return found, nil
}
