package graphs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/crew"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Check explores the executions of p that def admits along dependencies, and checks its assertions and
// its properties of final states in them. It is for hardware's models; what it cannot do is an Unknown.
//
// A thread in which an assertion fails ends there, and one that waits for ever stands still. Any
// part of an execution that is closed under program order and reads-from goes on to an execution that all threads are
// done with in one of these ways: whoever comes next can read from the last write of the cell, or write last. So a failure is
// met in one of these.
//
// The result counts as executions those in which every thread comes to its end, as blocked those in which one does not, as cut
// those in which one meets the bound on back edges, as visits the parts of executions that were gone on from, and as dropped the
// parts that no execution comes of: which the axioms refute, or with a read whose source does not come.
func Check(ctx context.Context, p *program.Program, def *memory.Definition, opts Options) (*verdict.Result, error) {
	return asked(ctx, p, def, opts, verdict.Safety)
}

// asked explores the executions of p, and looks for what the question is about.
func asked(ctx context.Context, p *program.Program, def *memory.Definition, opts Options, about verdict.Question) (*verdict.Result, error) {
	x, j, r, err := prepare(ctx, p, def, opts, about)
	if x == nil {
		return r, err
	}
	workers := max(opts.Workers, 1)
	if opts.Graphs > 0 || opts.Events > 0 {
		workers = 1
	}
	u, begin := x.unfold(j)
	u.trials = cmp.Or(opts.trials, u.trials)
	u.explore(begin, workers, opts.Progress)
	switch why := Reason(x.err); {
	case j.found != nil:
		r = verdict.ConvictExecution(j.found)
	case why != "":
		r = verdict.Unknown(p, def.Model, why)
	case x.err != nil && ctx.Err() != nil && errors.Is(x.err, ctx.Err()):
		r = verdict.Unknown(p, def.Model, fmt.Sprintf("not all executions, about %s of them: stopped %s", crew.Percent(u.crew.Fraction()), verdict.Because(ctx)))
	case x.err != nil:
		return nil, x.err
	case j.hang != nil && j.hang.GaveUp:
		r = verdict.Unknown(p, def.Model, "a thread that can do so much by itself that it was not followed to where it comes to again")
	case j.outside:
		r = verdict.Unknown(p, def.Model, "an access may be outside of all cells")
	case x.cut:
		r = verdict.Unknown(p, def.Model, Reason(ErrCut))
		r.Advice = "a higher bound, by --unroll"
		r.Bound, r.BoundUnit = max(opts.BackEdges, 1), "rounds"
	default:
		r = verdict.Safe(p, def.Model, verdict.Exhaustive, nil)
	}
	r.Stats = []verdict.Stat{{Name: "executions", Value: j.executions}, {Name: "blocked", Value: j.blocked}, {Name: "cut", Value: j.cut},
		{Name: "dropped", Value: j.dropped}, {Name: "visits", Value: j.visits}, {Name: "bytes", Value: u.peak}}
	return r, nil
}

// prepare is an enumeration and what judges it, or what is to be said where there is none.
func prepare(ctx context.Context, p *program.Program, def *memory.Definition, opts Options, about verdict.Question) (*enumeration, *judging, *verdict.Result, error) {
	if why := Refusal(p, def); why != "" {
		return nil, nil, verdict.Unknown(p, def.Model, why), nil
	}
	opts.way = atOnce
	x, err := newEnumeration(ctx, p, def, opts)
	if err == nil && x.judge == nil {
		err = x.compile()
	}
	if err != nil {
		r, err := verdict.Early(ctx, p, def.Model, err)
		return nil, nil, r, err
	}
	same := func(a, b program.Cell) bool { return a.Addr == b.Addr }
	if !slices.EqualFunc(x.cells, x.ranges.Cells, same) {
		return nil, nil, verdict.Unknown(p, def.Model, "there are cells that only a branch taken on the strength of what comes after it leads to"), nil
	}
	j := &judging{}
	if about == verdict.Liveness {
		j.hang = replay.NewHang(x.system)
	}
	x.yield = j.ending(x)
	return x, j, nil, nil
}

// Refusal is why [Check] cannot say anything about p; "" where it can, as far as that is seen at once.
func Refusal(p *program.Program, def *memory.Definition) string {
	for i := range p.Properties {
		if pr := &p.Properties[i]; pr.Kind == program.Forbid {
			return "a condition on moments is none on graphs: " + pr.String()
		}
	}
	if !Along(def) || locks(p) || joins(p) {
		return "executions are not explored along dependencies under this model, or with the lock"
	}
	return ""
}

// locks is whether p takes the lock.
func locks(p *program.Program) bool {
	return slices.ContainsFunc(p.Threads, func(t *program.Thread) bool {
		return slices.ContainsFunc(t.Edges, func(e program.Edge) bool { return e.Cmd.Op == program.Lock || e.Cmd.Op == program.Unlock })
	})
}

// joins is whether what comes after some branch of p does not depend on it.
func joins(p *program.Program) bool {
	for t := range p.Threads {
		if slices.ContainsFunc(flow.Joins(p, t), func(q program.StateID) bool { return q >= 0 }) {
			return true
		}
	}
	return false
}

// judging is what is found out about assertions and properties.
type judging struct {
	executions, blocked, cut, dropped, visits int64

	outside bool // an access is outside of all cells
	found   *verdict.Execution
	hang    *replay.Hang // nil unless hangs are looked for, and no assertions
}

// join adds what o came to.
func (j *judging) join(o *judging) {
	j.executions += o.executions
	j.blocked += o.blocked
	j.cut += o.cut
	j.dropped += o.dropped
	j.visits += o.visits
	j.outside = j.outside || o.outside
	if j.hang != nil {
		j.hang.GaveUp = j.hang.GaveUp || o.hang.GaveUp
	}
}

// another judges other executions of the same program, by x.
func (j *judging) another(x *enumeration) *judging {
	o := &judging{}
	if j.hang != nil {
		o.hang = replay.NewHang(x.system)
	}
	return o
}

// ending judges executions of x that are consistent, and false where no more are to be looked at.
func (j *judging) ending(x *enumeration) func(*memory.Graph, verdict.FinalState) bool {
	return func(g *memory.Graph, _ verdict.FinalState) bool {
		if !x.system.Final(x.end) {
			j.blocked++
			return true
		}
		j.executions++
		if pr := x.judge.Ending(x.end); pr != nil {
			j.violates(x, g, pr)
		}
		return j.found == nil
	}
}

// stands judges an execution in which not all threads come to their ends, which s is and g shows. Where it stands for ever is judged
// by its end alone: by what is last in memory, whatever those that stand have read. For what they read after all else in
// their threads may be just that, and nothing is after it, so that it is in no cycle.
func (u *unfolder) stands(s *unfolding, g *memory.Graph) {
	x, j := u.enumeration, u.judge
	if ok, err := x.def.ConsistentContext(x.ctx, g); err != nil {
		x.stop(err)
		return
	} else if !ok {
		j.dropped++
		return
	}
	if s.cut {
		j.cut++
	} else {
		j.blocked++
	}
	if c := s.failed; c != nil {
		if j.hang != nil && c.Kind == program.Assertion {
			return
		}
		text := c.Text
		if text == "" {
			text = c.Format(x.p, x.threads[s.failer].Thread)
		}
		j.convicts(x, g, &verdict.Violation{Kind: c.Kind, Text: text, Pos: c.Pos})
		return
	}
	u.ends(s)
	switch {
	case j.hang != nil:
		if j.hang.At(x.end) {
			j.convicts(x, g, j.hang.Violation(x.end))
		}
	case !s.cut && !x.system.Final(x.end):
		if pr := x.judge.Deadlock(x.end); pr != nil && x.system.Stuck(x.end) {
			j.violates(x, g, pr)
		}
	}
}

// violates takes note that an execution violates a property.
func (j *judging) violates(x *enumeration, g *memory.Graph, pr *program.Property) {
	j.convicts(x, g, &verdict.Violation{Property: pr, Text: pr.String(), Pos: pr.Pos})
}

// convicts takes note of what is wrong with an execution.
func (j *judging) convicts(x *enumeration, g *memory.Graph, v *verdict.Violation) {
	j.found = &verdict.Execution{Program: x.p, Model: x.def.Model, Graph: g.Sorted(), Violation: v}
	x.stopped = true
}

// ends makes u.end the state in which s ends.
func (u *unfolder) ends(s *unfolding) {
	for k := range u.threads {
		t, r := u.threads[k].index, &s.threads[k]
		u.end.PC[t] = r.pc
		for i, e := range r.regs {
			u.end.Regs[t][i], _ = s.know(e)
		}
	}
	for c, ws := range s.order {
		u.end.Mem[c] = u.cells[c].Init
		if w := ws[len(ws)-1]; w >= 0 {
			u.end.Mem[c] = s.holes[w].Value
		}
	}
}
