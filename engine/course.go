package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Most models allow what happens under SC, and there a violation is sooner found among states than among graphs.

const (
	// firstSC is how many states the search under SC may store before bmc and graphs begin, beside which it goes on.
	firstSC = 40_000
	// longestCourse is how many accesses a run may have of which a graph is made.
	longestCourse = 300
)

// sharesSC is whether p has assertions, and explicit search takes it under SC, whatever model it was read for. What is of the kernel's C is left out: there a branch that has but
// one way has no arms for anything to depend on it.
func sharesSC(p *program.Program) bool {
	return p.HasAssertions() && p.Arch != program.LKMM && !AxiomsOnly(p, memory.SC) && !p.Wide()
}

// graphOfSC is a member of the portfolio, for models that have no states: it searches under SC for a failing assertion, and has bmc look for one
// in what the threads do there. What that finds satisfies the axioms, whatever they are. It proves nothing, and is no engine that can be asked for.
func graphOfSC() Engine {
	e := Engine{Name: underSC, Weight: func(_ *Shape, w Work) float64 {
		if w.Leads {
			return 4
		}
		return 0.5
	}}
	e.Check = func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
		start := time.Now()
		first := opts.explore()
		first.Model = memory.SC
		told := false
		first.Reached = func() {
			told = true
			opts.reached()
		}
		found, err := explore.Check(ctx, p, first)
		if err != nil {
			return nil, err
		}
		reason := "there is no violation under sc"
		switch v := found.Violation(); {
		case v != nil && v.Property == nil && v.Race == nil && v.Hang == nil && found.Run() != nil:
			reason = "the run under sc is too long to be looked at as a graph"
			if q := course(p, found.Run()); q != nil {
				if !told {
					opts.reached()
				}
				res, err := bmc.Check(ctx, q, bmcOptions(opts))
				if err != nil {
					return nil, err
				}
				if x := res.Execution(); x != nil {
					whole := *x
					whole.Program = p
					res = verdict.ConvictExecution(&whole)
					res.Effort = found.Effort
					res.Engine, res.Elapsed = string(underSC), time.Since(start)
					return res, nil
				}
				if reason = "what happens under sc does not happen here"; !res.Safe() {
					reason = "the run under sc as a graph: " + res.Reason()
				}
			}
		case v != nil:
			reason = "there is a violation of another kind under sc"
		case !found.Conclusive():
			reason = "the search under sc: " + found.Reason()
		}
		res := verdict.Unknown(p, opts.Model, reason)
		res.Stats, res.Advice = found.Stats, found.Advice
		return res, nil
	}
	return e
}

// course is p where each thread goes only where it goes in a run, and reads what it reads there. What depends on what is as in p, neither less nor more, as
// there are models that ask for dependencies, and others that have none of them: nothing depends on the checks of what is read, and a block at which p
// branches has another way, which nobody goes. So each execution is the beginning of one of p. It has no properties but the assertions. It is nil where the run
// is too long.
func course(p *program.Program, run *verdict.Run) *program.Program {
	taken := make([][]*verdict.Step, len(p.Threads))
	accesses := 0
	for i := range run.Steps {
		s := &run.Steps[i]
		if s.Edge < 0 {
			return nil
		}
		taken[s.Thread] = append(taken[s.Thread], s)
		p.Threads[s.Thread].Edges[s.Edge].Cmd.Accesses(func(*program.Command) { accesses++ })
	}
	if accesses > longestCourse {
		return nil
	}
	q := *p
	q.Properties, q.NoHang = nil, false
	q.Threads = slices.Clone(p.Threads)
	for ti, t := range p.Threads {
		u := *t
		u.Initial, u.States, u.Edges = 0, nil, nil
		state := func(at program.StateID) program.StateID {
			s := t.States[at]
			s.Name = fmt.Sprintf("%s, step %d", s.Name, len(u.States))
			u.States = append(u.States, s)
			return program.StateID(len(u.States) - 1)
		}
		state(t.Initial)
		left := func(at program.StateID, by program.Edge) { // to where the run does not go
			by.From, by.To = at, program.StateID(len(u.States))
			u.States = append(u.States, program.State{Name: fmt.Sprintf("not in the run, step %d", len(u.States)), Kind: program.GivenUp})
			u.Edges = append(u.Edges, by)
		}
		at := program.StateID(0)
		for _, step := range taken[ti] {
			e := t.Edges[step.Edge]
			to := e.To
			if e.Cmd.Op == program.Atomic && t.Forks(e.From) {
				left(at, program.Edge{Cmd: program.Command{Op: program.Check, Value: program.Const(0), Pick: true}, Pos: e.Pos})
			}
			var seen *program.Command // that a load has read what it reads in the run
			e.Cmd, seen = reads(e.Cmd, step.Regs[ti])
			e.From, e.To = at, state(to)
			at = e.To
			u.Edges = append(u.Edges, e)
			if seen != nil {
				u.States[at].Kind = program.Plain // it is not yet there
				e = program.Edge{From: at, To: state(to), Cmd: *seen, Pos: e.Pos}
				at = e.To
				u.Edges = append(u.Edges, e)
			}
		}
		if u.States[at].Kind == program.Unstarted { // it has an edge, or is none
			left(at, t.Edges[t.Out()[t.Initial][0]])
		}
		q.Threads[ti] = &u
	}
	return &q
}

// reads is c where it reads what leads to the given registers, or, where it is not atomic, a check that it has.
func reads(c program.Command, regs []int64) (program.Command, *program.Command) {
	is := func(reg int) program.Command {
		return program.Command{Op: program.Check, Value: program.Binary{Op: program.Eq, X: program.Reg(reg), Y: program.Const(regs[reg])}, Pick: true}
	}
	switch c.Op {
	case program.Load:
		seen := is(c.Reg)
		return c, &seen
	case program.Atomic:
		body := c.Body
		c.Body = nil
		for i, b := range body {
			again := slices.ContainsFunc(body[i+1:], func(o program.Command) bool {
				return (o.Op == program.Load || o.Op == program.Assign || o.Op == program.Havoc) && o.Reg == b.Reg
			})
			if c.Body = append(c.Body, b); b.Op == program.Load && !again {
				c.Body = append(c.Body, is(b.Reg))
			}
		}
	}
	return c, nil
}
