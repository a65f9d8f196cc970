// Package explain says why a memory model allows or forbids that a program ends as one of
// its properties asks about: a program and a model go in, out comes a
// [verdict.Explanation], with an execution and, where that is forbidden, the axioms that it
// violates.
package explain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// permissive is the rules that candidates for an execution keep to. What
// breaks the first two would be wrong on any machine, so that a candidate which
// keeps them breaks a rule that is characteristic of a model. Where there is
// none, only that a read has its value from a write is left.
var permissive = []string{
	`"coherence and atomicity"
	acyclic po-loc | rf | co | fr as coherence
	empty rmw & (fre; coe) as atomicity`,
	`"nothing"
	empty 0`,
}

// Options say what to explain. The zero value means TSO and no rounds of loops.
type Options struct {
	Model memory.Model
	// Unroll bounds the rounds of loops.
	Unroll int
	// MemoryLimit bounds what the search of a run may hold, in bytes; 0: three
	// quarters of what the machine has free.
	MemoryLimit int64
}

// Outcome says why the model allows or forbids that p ends as its first property
// of final states asks about.
//
// A program without such a property, or with loops that leave more executions
// than can be told, gets a [program.Diagnostic] or an Unknown explanation.
func Outcome(ctx context.Context, p *program.Program, opts Options) (*verdict.Explanation, error) {
	opts.Model = cmp.Or(opts.Model, memory.Default(p.Arch))
	start := time.Now()
	if opts.Model.Certifies() {
		return nil, p.Diagnose(program.Position{}, fmt.Sprintf("why %s allows or forbids an outcome cannot be told: an execution is justified by others", opts.Model), "explain it under rc11")
	}
	def, err := memory.LoadFor(opts.Model, p.Arch)
	if err == nil {
		err = def.Covers(p)
	}
	if err == nil {
		err = opts.Model.Takes(p)
	}
	if err != nil {
		return nil, err
	}
	x := &explanation{p: p, opts: opts, limit: cmp.Or(opts.MemoryLimit, states.DefaultMemoryLimit()), e: &verdict.Explanation{Program: p, Model: opts.Model}}
	if err := x.ask(); err != nil {
		return nil, err
	}
	err = x.explain(ctx, def)
	x.e.Elapsed = time.Since(start)
	return x.e, err
}

type explanation struct {
	p      *program.Program
	opts   Options
	ranges *program.Ranges
	e      *verdict.Explanation
	limit  int64 // what the search of a reason may hold, in bytes
	cut    bool  // loops went on
}

// ask finds the property.
func (x *explanation) ask() error {
	i := slices.IndexFunc(x.p.Properties, func(pr program.Property) bool { return pr.Final() })
	if i < 0 {
		return x.p.Diagnose(program.Position{}, "there is nothing to explain: the program has no condition on final states",
			"a litmus test has one; in IMP it is such as: exists P0.r = 0 & P1.r = 0")
	}
	pr := &x.p.Properties[i]
	at := false
	program.Walk(pr.Cond, func(e program.Expr) {
		_, is := e.(program.At)
		at = at || is
	})
	if at {
		return x.p.Diagnose(pr.Pos, "a condition on control states cannot be explained", "a condition may speak of registers and memory")
	}
	r, err := program.Analyse(x.p)
	x.ranges, x.e.Property = r, pr
	return err
}

// asked is whether the property asks about the final state.
func (x *explanation) asked(s verdict.FinalState) bool {
	return x.e.Property.Violated(program.Eval(x.e.Property.Cond, s.Env(x.ranges.CellIndex)))
}

func (x *explanation) explain(ctx context.Context, def *memory.Definition) error {
	// Any execution that is allowed will do, so the first that is found ends
	// the enumeration.
	if err := x.graphs(ctx, def, func(g *memory.Graph) bool {
		x.e.Graph = g
		return false
	}); graphs.Reason(err) != "" && x.e.Graph == nil {
		x.e.Reason = graphs.Reason(err)
		return nil
	} else if err != nil {
		return err
	}
	switch {
	case x.e.Graph != nil:
		x.e.Verdict = verdict.IsUnsafe
		return x.run(ctx)
	case ctx.Err() != nil:
		x.e.Reason = "no execution was found; stopped " + verdict.Because(ctx)
		return nil
	case x.cut:
		x.e.Reason = fmt.Sprintf("no execution with loops of up to %d rounds ends so", x.opts.Unroll)
		return nil
	}
	x.e.Verdict = verdict.IsSafe
	for _, text := range permissive {
		weak, err := memory.DefineFor("candidates.cat", x.p.Arch, text, nil)
		if err != nil {
			return err
		}
		least, tooLarge := 0, false
		err = x.graphs(ctx, weak, func(g *memory.Graph) bool {
			// A route for every pair of events and every term of the model.
			const route = 72
			if n := int64(len(g.Events)); n*n*int64(def.Cat.Size())*route > x.limit {
				tooLarge = true
				return true
			}
			vs, err := def.CheckContext(ctx, g)
			if err != nil {
				return false
			}
			if cost := trouble(vs, len(g.Events)); x.e.Graph == nil || cost < least {
				x.e.Graph, x.e.Violations, least = g, vs, cost
			}
			return true
		})
		switch {
		case x.e.Graph != nil:
			return nil
		case ctx.Err() != nil:
			x.e.Reason = "no candidate was found; stopped " + verdict.Because(ctx)
			return nil
		case tooLarge:
			x.e.Reason = "the candidates are too large to be explained within the memory limit"
			return nil
		case graphs.Reason(err) != "":
			x.e.Reason = "no candidate was found: " + graphs.Reason(err)
			return nil
		case err != nil:
			return err
		}
	}
	if x.cut {
		x.e.Reason = fmt.Sprintf("no candidate with loops of up to %d rounds ends so", x.opts.Unroll)
	}
	return nil
}

// graphs calls f for the executions that end as asked.
func (x *explanation) graphs(ctx context.Context, def *memory.Definition, f func(*memory.Graph) bool) error {
	err := graphs.Enumerate(ctx, x.p, def, graphs.Options{BackEdges: x.opts.Unroll, MemoryLimit: x.opts.MemoryLimit}, func(g *memory.Graph, s verdict.FinalState) bool {
		if !x.asked(s) {
			return true
		}
		x.e.Candidates++
		return f(g)
	})
	if errors.Is(err, graphs.ErrCut) {
		x.cut = true
		err = nil
	}
	if ctx.Err() != nil {
		err = nil
	}
	return err
}

// trouble is how much there is to say about violations: few of them come before
// short ones, and those before a graph of few events.
func trouble(vs []memory.Violation, events int) int {
	cost := len(vs)
	shortest := 0
	for i, v := range vs {
		steps := 0
		for _, path := range v.Paths {
			steps += len(path)
		}
		if i == 0 || steps < shortest {
			shortest = steps
		}
	}
	return (cost<<10+shortest)<<10 + events
}

// run finds the run of the operational semantics for an execution that is
// allowed. A model that is not built in has none.
func (x *explanation) run(ctx context.Context) error {
	if _, whole := x.p.Joined(); !x.opts.Model.Operational() || x.p.Arch != program.X86 || !whole {
		return nil
	}
	alone := *x.p
	alone.Properties = []program.Property{*x.e.Property}
	r, err := explore.Check(ctx, &alone, explore.Options{Model: x.opts.Model, MemoryLimit: x.opts.MemoryLimit, Workers: runtime.GOMAXPROCS(0)})
	if err != nil {
		return err
	}
	switch r.Verdict() {
	case verdict.IsUnsafe:
		x.e.Result = r
	case verdict.IsSafe:
		return fmt.Errorf("an execution is consistent with %s, but no run is: %s", x.opts.Model, x.e.Graph)
	}
	return nil
}
