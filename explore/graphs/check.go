package graphs

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/crew"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
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
// The result counts as executions those in which every thread comes to its end, and as blocked the others.
func Check(ctx context.Context, p *program.Program, def *memory.Definition, opts Options) (*verdict.Result, error) {
	x, j, r, err := prepare(ctx, p, def, opts)
	if x == nil {
		return r, err
	}
	workers := max(opts.Workers, 1)
	if opts.Graphs > 0 || opts.Events > 0 {
		workers = 1
	}
	u, begin := x.unfold(j)
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
	case j.outside:
		r = verdict.Unknown(p, def.Model, "an access may be outside of all cells")
	case x.cut:
		r = verdict.Unknown(p, def.Model, Reason(ErrCut))
		r.Advice = "a higher bound, by --unroll"
		r.Bound, r.BoundUnit = max(opts.BackEdges, 1), "rounds"
	default:
		r = verdict.Safe(p, def.Model, verdict.Exhaustive, nil)
	}
	r.Stats = []verdict.Stat{{Name: "executions", Value: j.executions}, {Name: "blocked", Value: j.blocked}}
	return r, nil
}

// prepare is an enumeration and what judges it, or what is to be said where there is none.
func prepare(ctx context.Context, p *program.Program, def *memory.Definition, opts Options) (*enumeration, *judging, *verdict.Result, error) {
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
	x.yield = j.ending(x)
	return x, j, nil, nil
}

// Refusal is why [Check] cannot say anything about p; "" where it can, as far as that is seen at once.
func Refusal(p *program.Program, def *memory.Definition) string {
	for i := range p.Properties {
		if pr := &p.Properties[i]; !pr.Final() {
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
	executions, blocked int64
	outside             bool // an access is outside of all cells
	found               *verdict.Execution
}

// join adds what o came to.
func (j *judging) join(o *judging) {
	j.executions += o.executions
	j.blocked += o.blocked
	j.outside = j.outside || o.outside
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
			j.found = &verdict.Execution{Program: x.p, Model: x.def.Model, Graph: g.Sorted(), Violation: &verdict.Violation{Property: pr, Text: pr.String(), Pos: pr.Pos}}
		}
		return j.found == nil
	}
}

// stuck judges an execution in which not all threads come to their ends: in which one fails an assertion, if that is not nil.
func (j *judging) stuck(x *enumeration, g *memory.Graph, failed *program.Command, k int) {
	ok, err := x.def.ConsistentContext(x.ctx, g)
	if err != nil {
		x.stop(err)
		return
	}
	if !ok {
		return
	}
	j.blocked++
	if failed == nil {
		return
	}
	text := failed.Text
	if text == "" {
		text = failed.Format(x.p, x.threads[k].Thread)
	}
	j.found = &verdict.Execution{Program: x.p, Model: x.def.Model, Graph: g.Sorted(), Violation: &verdict.Violation{Kind: failed.Kind, Text: text, Pos: failed.Pos}}
	x.stopped = true
}
