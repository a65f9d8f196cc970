package crosscheck

import (
	"context"
	"errors"
	"slices"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Method is a way to answer a question about a program.
type Method struct {
	Name string // such as "bmc"; a name may stand for several kinds
	Kind Kind
	// Applies is whether the method is for a model.
	Applies func(memory.Model) bool
	// Run answers; opts has the model. The error is a [program.Diagnostic] where
	// the method cannot take the program; any other is a defect.
	Run func(ctx context.Context, p *program.Program, opts refine.Options) (Answer, error)
	// Command is the arguments of the command line by which the method alone can
	// be run, up to the model and the file; nil: there is none.
	Command []string
}

// Methods is what there is. An explicit search is the first of its kind, so that it
// is what others are compared with. To compare one more way, add it here.
func Methods() []Method {
	var ms []Method
	for _, e := range []refine.Engine{refine.Explicit, refine.BMC, refine.Lazy, refine.IC3, refine.CEGAR,
		refine.Multiset, refine.Set, refine.Coherence(1), refine.Coherence(2), refine.Auto} {
		ms = append(ms, Decide(e))
	}
	for _, r := range []explore.Reduction{explore.NoReduction, explore.LocalFirst, explore.Cartesian, explore.DynamicPOR} {
		ms = append(ms, reduced(r))
	}
	for _, a := range []explore.Algorithm{explore.DPOR, explore.Source, explore.Optimal} {
		ms = append(ms, executions(a))
	}
	return append(ms,
		finals(refine.Explicit, builtin),
		finals(refine.BMC, everywhere),
		Method{Name: "graphs", Kind: States, Applies: everywhere, Run: graphs},
		robust("robust", refine.Auto, []string{"robust"}),
		robust("robust-bmc", refine.BMC, nil),
	)
}

func everywhere(memory.Model) bool { return true }
func builtin(m memory.Model) bool  { return slices.Contains(memory.Models(), m) }
func tso(m memory.Model) bool      { return m == memory.TSO }

// Decide is the method that asks an engine of package refine about the properties.
func Decide(e refine.Engine) Method {
	applies := tso // the abstractions
	switch e {
	case refine.Explicit:
		applies = builtin
	case refine.BMC, refine.Auto:
		applies = everywhere
	case refine.IC3:
		applies = func(m memory.Model) bool { return m == memory.SC || m == memory.TSO }
	}
	return Method{Name: string(e), Kind: Property, Applies: applies, Command: []string{"check", "-e", string(e)},
		Run: func(ctx context.Context, p *program.Program, opts refine.Options) (Answer, error) {
			opts.Engine = e
			r, err := refine.Check(ctx, p, opts)
			if err != nil {
				return Answer{}, err
			}
			return decided(r), nil
		}}
}

// decided is a result as an answer.
func decided(r *verdict.Result) Answer {
	a := Answer{Claim: None, Argument: string(r.Argument()), Reason: r.Reason(), Violation: r.Violation(), Stats: r.Stats}
	switch {
	case r.Fault():
		a.Claim = Fault
	case r.Safe():
		a.Claim = Safe
	case r.Unsafe():
		a.Claim = Violated
	}
	return a
}

// reduced decides the properties by a search through states with a reduction; the
// explicit engine has another one.
func reduced(red explore.Reduction) Method {
	name := string(red)
	if red == explore.DynamicPOR { // not the one of executions
		name += ":states"
	}
	return Method{Name: name, Kind: Property, Applies: builtin, Command: []string{"explore", "-e", "states", "--por", string(red)},
		Run: func(ctx context.Context, p *program.Program, opts refine.Options) (Answer, error) {
			r, err := explore.Check(ctx, p, explore.Options{
				Model: opts.Model, Reduction: red, Buffer: opts.Buffer, MemoryLimit: opts.MemoryLimit})
			if err != nil {
				return Answer{}, err
			}
			return decided(r), nil
		}}
}

// executions decides them by a stateless exploration.
func executions(a explore.Algorithm) Method {
	return Method{Name: a.String(), Kind: Property, Applies: builtin, Command: []string{"explore", "-e", "executions", "--por", a.String()},
		Run: func(ctx context.Context, p *program.Program, opts refine.Options) (Answer, error) {
			r, err := explore.Executions(ctx, p, explore.ExecutionOptions{Model: opts.Model, Algorithm: a, MemoryLimit: opts.MemoryLimit})
			if err != nil {
				return Answer{}, err
			}
			return decided(r), nil
		}}
}

// finals lists final states by an engine.
func finals(e refine.Engine, applies func(memory.Model) bool) Method {
	return Method{Name: string(e), Kind: States, Applies: applies, Command: []string{"states", "-e", string(e)},
		Run: func(ctx context.Context, p *program.Program, opts refine.Options) (Answer, error) {
			opts.Engine = e
			states, r, err := refine.FinalStates(ctx, p, opts)
			if err != nil {
				return Answer{}, err
			}
			a := decided(r)
			a.Finals, a.Argument = states, ""
			if a.Claim == Safe {
				a.Claim = Complete
			}
			return a, nil
		}}
}

// rounds is how often [graphs] goes round in loops: while it guesses values, it
// cannot tell that a loop has come to its end.
const rounds = 2

// graphs enumerates executions and takes note of the states in which they end.
func graphs(ctx context.Context, p *program.Program, opts refine.Options) (Answer, error) {
	def, err := memory.Load(opts.Model)
	if err != nil {
		return Answer{}, err
	}
	for bound := 0; ; bound++ {
		a := Answer{Claim: Complete}
		executions := int64(0)
		found := finalSet{}
		err := explore.GraphsUpTo(ctx, p, def, bound, func(_ *memory.Graph, s verdict.FinalState) bool {
			executions++
			if s = withoutTemporaries(p, s); found.add(s) {
				a.Finals = append(a.Finals, s)
			}
			return true
		})
		a.Stats = []verdict.Stat{{Name: "executions", Value: executions}}
		switch {
		case err == nil:
			verdict.SortFinalStates(a.Finals)
			return a, nil
		case ctx.Err() != nil:
			a.Claim, a.Reason = None, "not all executions: stopped"
		case errors.Is(err, explore.ErrCut) && bound < rounds:
			continue
		case errors.Is(err, explore.ErrCut):
			a.Claim, a.Reason = None, "there are executions with more rounds of a loop"
		case errors.Is(err, explore.ErrValues):
			a.Claim, a.Reason = None, "too many values to choose from"
		default:
			return Answer{}, err
		}
		return a, nil
	}
}

// withoutTemporaries is s as [refine.FinalStates] has it.
func withoutTemporaries(p *program.Program, s verdict.FinalState) verdict.FinalState {
	c := verdict.FinalState{Memory: slices.Clone(s.Memory)}
	for t, regs := range s.Regs {
		regs = slices.Clone(regs)
		for i := range regs {
			if p.Threads[t].Regs[i].Temp {
				regs[i] = 0
			}
		}
		c.Regs = append(c.Regs, regs)
	}
	return c
}

// robust decides robustness by an engine.
func robust(name string, e refine.Engine, command []string) Method {
	return Method{Name: name, Kind: Robustness, Applies: tso, Command: command,
		Run: func(ctx context.Context, p *program.Program, opts refine.Options) (Answer, error) {
			opts.Engine = e
			r, err := refine.Robust(ctx, p, opts)
			if err != nil {
				return Answer{}, err
			}
			a := Answer{Claim: None, Reason: r.Reason, Stats: r.Stats}
			switch r.Verdict {
			case refine.IsRobust:
				a.Claim = Robust
			case refine.NotRobust:
				a.Claim = NotRobust
			}
			return a, nil
		}}
}
