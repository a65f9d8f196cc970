package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// test runs a test and sums up its final states.
func (r *runner) test(ctx context.Context, f File) (*verdict.Litmus, error) {
	if f.Err != nil {
		return nil, lang.Unreadable(f.Path, f.Err)
	}
	src, err := source(f)
	if err != nil {
		return nil, err
	}
	t, err := litmus.ParseTest(src)
	if err != nil {
		return nil, err
	}
	if err := program.Sanity(t.Program); err != nil {
		return nil, fmt.Errorf("the front end for litmus tests made what is no program: %w", err)
	}
	model := r.modelFor(t.Program)
	if a, only := model.Arch(); t.AnyC && only && (a == program.LKMM || a == program.C11) {
		t.Program.Arch = a
	}
	name := r.engineFor(t.Program, model)
	var def *memory.Definition
	if name == engine.Graphs || r.opts.Witnesses || !builtin(model) {
		if def, err = r.definition(model, t.Program.Arch); err == nil {
			err = def.Covers(t.Program)
		}
		if own, only := model.Arch(); err != nil && only && own != t.Program.Arch {
			err = fmt.Errorf("%w%.0w", err, errForeign)
		}
		if err != nil {
			return nil, err
		}
	}
	l := &verdict.Litmus{
		File: f.Path, Name: t.Name, Kind: string(t.Kind), Condition: t.Condition,
		Model: model, Engine: string(name), Notes: t.Notes,
	}
	var finals []verdict.FinalState
	switch {
	case model.Certifies(): // executions cannot be judged one by one
		if name != engine.Graphs && !r.auto {
			return nil, fmt.Errorf("--engine %s is not for the model %s", name, model)
		}
		if r.opts.Witnesses {
			return nil, t.Program.Diagnose(program.Position{}, fmt.Sprintf("an execution under %s cannot be shown alone: others justify it", model), "fencepost check shows them together")
		}
		finals, err = r.states(ctx, t, engine.Graphs, model, r.opts.Unroll, l)
	case name == engine.Graphs:
		if finals, err = r.executions(ctx, t, def, l); errors.Is(err, graphs.ErrMany) {
			l.Engine, l.Executions, l.Positive, l.Negative = string(engine.BMC), false, 0, 0
			// As for executions, loops may be such that no bound is the last: a store-exclusive can
			// fail again and again.
			unroll := cmp.Or(r.opts.Unroll, graphsUnroll)
			if finals, err = r.states(ctx, t, engine.BMC, model, unroll, l); err == nil {
				err = r.flags(ctx, t, def, model, unroll, l)
			}
		}
	default:
		if finals, err = r.states(ctx, t, name, model, r.opts.Unroll, l); err == nil {
			err = r.flags(ctx, t, def, model, r.opts.Unroll, l)
		}
	}
	if err != nil {
		return nil, err
	}
	o := t.Outcome(finals)
	l.States, l.Observation, l.Ok = o.States, o.Observation, o.Ok
	if r.opts.Witnesses && l.Witness == nil {
		err = r.witness(ctx, t, def, l)
	}
	return l, err
}

// source is the text of a test; - is standard input.
func source(f File) (*program.Source, error) {
	switch {
	case f.Source != nil:
		return f.Source, nil
	case f.Path == "-":
		return lang.ReadSource("standard input", os.Stdin)
	}
	return lang.ReadFile(f.Path)
}

// states lists the final states, and counts them.
func (r *runner) states(ctx context.Context, t *litmus.Test, name engine.Name, model memory.Model, unroll int, l *verdict.Litmus) ([]verdict.FinalState, error) {
	finals, res, err := engine.FinalStates(ctx, t.Program, engine.Options{
		Model: model, Engine: name, Observed: true,
		Unroll: unroll, Solver: r.opts.Solver, MemoryLimit: r.opts.MemoryLimit,
	})
	if err != nil {
		return nil, err
	}
	if res.Fault() {
		return nil, t.Program.Diagnose(res.Violation().Pos, res.Violation().Text+" can be reached", "")
	}
	if !res.Safe() {
		l.Incomplete = res.Reason()
	}
	for _, s := range finals {
		count(t, l, asked(t.Program, s))
	}
	return finals, nil
}

// flags notes those that some execution raises, where executions were not looked at one by one.
func (r *runner) flags(ctx context.Context, t *litmus.Test, def *memory.Definition, model memory.Model, unroll int, l *verdict.Litmus) error {
	if def == nil || raisedAll(def, l) {
		return nil
	}
	names, gap, err := engine.Flags(ctx, t.Program, engine.Options{
		Model: model, Engine: engine.BMC, Unroll: unroll, Solver: r.opts.Solver, MemoryLimit: r.opts.MemoryLimit}, l.Flags)
	if err != nil {
		return err
	}
	if l.Flags = names; gap != "" && l.Incomplete == "" {
		l.Notes = append(slices.Clip(l.Notes), "there may be more flags than these: "+gap)
	}
	return nil
}

// count takes note of a final state, or of an execution. asked is whether the
// test asks about it, which for one that demands something of all of them means
// that the condition does not hold.
func count(t *litmus.Test, l *verdict.Litmus, asked bool) {
	if asked != (t.Kind == litmus.Required) {
		l.Positive++
	} else {
		l.Negative++
	}
}

// asked is whether a final state is one that a property of p asks for or
// excludes.
func asked(p *program.Program, s verdict.FinalState) bool {
	env := s.Env(p.CellAt)
	for i := range p.Properties {
		if pr := &p.Properties[i]; pr.Violated(program.Eval(pr.Cond, env)) {
			return true
		}
	}
	return false
}

// graphsUnroll is how often Graphs goes round in loops where nobody says how
// often. While it guesses values, it cannot tell that a loop has come to its
// end, so that there must be a bound.
const graphsUnroll = 2

// manyGraphs is how many partial executions are looked at before a solver is asked, where
// the choice is ours: a hundred of them take some milliseconds, and most tests have fewer.
const manyGraphs = 60_000

// executions enumerates and counts the executions and lists their final states.
// It keeps a witness where that is wanted.
func (r *runner) executions(ctx context.Context, t *litmus.Test, def *memory.Definition, l *verdict.Litmus) ([]verdict.FinalState, error) {
	l.Executions = true
	most := cmp.Or(r.opts.Unroll, graphsUnroll)
	bounds := graphs.Options{Bare: !r.opts.Witnesses, MemoryLimit: r.opts.MemoryLimit}
	if r.auto {
		bounds.Graphs = manyGraphs
	}
	for bound := 0; ; bound++ {
		l.Positive, l.Negative = 0, 0
		bounds.BackEdges = bound
		finals, err := graphs.FinalStates(ctx, t.Program, def, bounds, func(g *memory.Graph, s verdict.FinalState) bool {
			is := asked(t.Program, s)
			count(t, l, is)
			raise(def, g, l)
			if r.opts.Witnesses {
				offer(l, g, is)
			}
			return true
		})
		switch {
		case ctx.Err() != nil:
			l.Incomplete = "not all executions: " + stopped(ctx)
		case errors.Is(err, graphs.ErrMany):
			return nil, err
		case errors.Is(err, graphs.ErrCut) && bound >= most:
			l.Incomplete = fmt.Sprintf("executions with loops of up to %d rounds; --unroll goes further", bound)
		case errors.Is(err, graphs.ErrCut):
			continue
		case graphs.Reason(err) != "":
			l.Incomplete = graphs.Reason(err)
		case err != nil:
			return nil, err
		}
		return finals, nil
	}
}

// raise notes the flags that an execution raises, each once.
func raise(def *memory.Definition, g *memory.Graph, l *verdict.Litmus) {
	if raisedAll(def, l) {
		return
	}
	for _, a := range def.Flags(g) {
		if !slices.Contains(l.Flags, a.Name) {
			l.Flags = append(l.Flags, a.Name)
		}
	}
	slices.Sort(l.Flags)
}

// raisedAll is whether there is no flag of the model left to be raised.
func raisedAll(def *memory.Definition, l *verdict.Litmus) bool {
	n := 0
	for _, a := range def.Cat.Axioms {
		if a.Flag {
			n++
		}
	}
	return def.Cat.Unfolds() == nil && len(l.Flags) == n
}

// offer keeps the first execution, unless one comes that the test asks about.
func offer(l *verdict.Litmus, g *memory.Graph, asked bool) {
	if l.Witness == nil || asked && !l.Asked {
		l.Witness, l.Asked = g.Sorted(), asked
	}
}

// witness looks for an execution to show of a test whose final states were found
// in another way. Which one to look for is known from them. Executions of loops
// are sought up to a bound, and there may then be none.
func (r *runner) witness(ctx context.Context, t *litmus.Test, def *memory.Definition, l *verdict.Litmus) error {
	possible := l.Positive > 0
	if t.Kind == litmus.Required {
		possible = l.Negative > 0
	}
	for bound := 0; bound <= cmp.Or(r.opts.Unroll, graphsUnroll); bound++ {
		err := graphs.Enumerate(ctx, t.Program, def, graphs.Options{BackEdges: bound, MemoryLimit: r.opts.MemoryLimit}, func(g *memory.Graph, s verdict.FinalState) bool {
			offer(l, g, asked(t.Program, s))
			return possible && !l.Asked
		})
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, graphs.ErrCut):
		case graphs.Reason(err) != "":
			return nil
		default:
			return err
		}
		if l.Witness != nil && l.Asked == possible {
			break
		}
	}
	return nil
}
