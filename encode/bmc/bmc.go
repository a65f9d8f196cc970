// Package bmc is bounded model checking with a growing bound: a program goes in, and
// what [encode] makes of it is solved at one bound after the other until there is a
// violation, or until the unrolling is complete.
package bmc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say how to unroll and solve. The zero value means TSO, no bounds, our own SAT solver.
type Options struct {
	Model memory.Model
	// Unroll bounds how many back edges a thread takes; 0: raise the bound for as
	// long as it takes.
	Unroll int
	// Solver names the SAT back end; "": our own.
	Solver string
	// Jobs is how many solvers may work at a hard question side by side (see [solver.UseJobs]); 0 is 1.
	Jobs int
	// MemoryLimit bounds what the formula may hold, in bytes; 0: 9 GB.
	MemoryLimit int64
	// Progress, where not nil, is called now and then with a line that says how
	// far it is.
	Progress func(line string)
	// Proofs makes the result carry the formulas that it rests on, with their proofs.
	Proofs bool
	// Relational follows the text of the model even where there is a shorter way.
	Relational bool
	// AllExecutions makes Check look at all executions, also where threads are alike, and one would do for all that exchanges
	// of these make of it.
	AllExecutions bool
	// Observed makes FinalStates list one state of all that differ in nothing that the
	// program observes, and none that its filter does not let pass.
	Observed bool
	// Flags is for [Flags], which sets it.
	Flags bool
}

// bounded is the work on one program.
type bounded struct {
	*Deepening
	p      *program.Program
	opts   Options
	solver solver.Solver
	// definition is that of a model for which there is no operational
	// semantics; else nil.
	definition *memory.Definition
	// shortcut is the model that the definition is proved to be as strong as, where its encoding serves; else "".
	shortcut memory.Model
	cells    []program.Cell // of the formula
	start    time.Time
}

func newBounded(ctx context.Context, p *program.Program, opts Options, finals bool) (*bounded, error) {
	opts.Model = cmp.Or(opts.Model, memory.TSO)
	if opts.Model.Certifies() {
		return nil, p.Diagnose(program.Position{}, fmt.Sprintf("the axioms of %s alone do not say what it allows", opts.Model), "ask graphs")
	}
	b := &bounded{p: p, opts: opts, start: time.Now()}
	var err error
	analyse := program.AnalyseContext
	options := encode.Options{Model: opts.Model, Finals: finals, Flags: opts.Flags, MemoryLimit: opts.MemoryLimit, Proofs: opts.Proofs,
		Symmetry: !finals && !opts.Proofs && !opts.AllExecutions}
	if opts.Relational || !slices.Contains(encode.Direct, opts.Model) || p.Arch != program.X86 || p.Parts() {
		if options.Definition, err = memory.LoadFor(opts.Model, p.Arch); err == nil {
			err = options.Definition.Covers(p)
		}
		if err != nil {
			return nil, err
		}
		if what := options.Definition.Cat.Unfolds(); what != nil {
			return nil, fmt.Errorf("%w: the model %s takes apart what depends on the execution (line %d): it can only be asked about one execution after the other (litmus, states --engine graphs)",
				encode.ErrUnsupported, opts.Model, what.Pos.Line)
		}
		b.definition = options.Definition
		if !opts.Relational {
			b.shortcut = encode.Shortcut(ctx, p, b.definition)
		}
		if b.shortcut != "" {
			options.Model, options.Definition, options.Graphs = b.shortcut, nil, true
		} else if !b.definition.OrdersReads() {
			analyse = program.AnalyseSpeculative
		}
	}
	r, err := analyse(ctx, p)
	if err != nil {
		return nil, err
	}
	b.cells = r.Cells
	if b.solver, err = solver.New(opts.Solver); err != nil {
		return nil, err
	}
	solver.LimitMemory(b.solver, opts.MemoryLimit)
	solver.UseJobs(b.solver, opts.Jobs)
	if opts.Proofs {
		if err := solver.KeepProofs(b.solver, opts.MemoryLimit/3); err != nil {
			b.solver.Close()
			return nil, err
		}
	}
	f, err := encode.New(p, r, b.solver, options)
	if err != nil {
		b.solver.Close()
		return nil, err
	}
	b.Deepening = &Deepening{Formula: f, Unroll: opts.Unroll, Progress: opts.Progress, KeepProofs: opts.Proofs}
	return b, nil
}

// Check decides p. When ctx ends first the result is Unknown and says how far it got.
// The error is a [program.Diagnostic] for an input that has no meaning; any other is
// an error inside Fencepost.
func Check(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	b, err := newBounded(ctx, p, opts, false)
	if err != nil {
		return refused(ctx, p, opts, err)
	}
	defer b.solver.Close()
	res, err := b.run(ctx, "no violation", func(ctx context.Context) (*verdict.Result, error) {
		q, err := b.Formula.Violations(ctx)
		if err != nil {
			return nil, err
		}
		return b.exclude(ctx, q)
	})
	if groups := b.Formula.Alike(); err == nil && len(groups) > 0 {
		res.Notes = append(res.Notes, "symmetry of "+program.Together(p, groups))
	}
	if err == nil && b.shortcut != "" {
		res.Notes = append(res.Notes, fmt.Sprintf("the executions under %s are those under %s: the axioms of each follow from those of the other", b.opts.Model, b.shortcut))
	}
	return res, err
}

// FinalStates lists the states in which p can end, each once, in ascending order of
// the memory and then the registers; temporaries are 0. The result says whether the
// list is complete (Safe) or not (Unknown, with the reason).
func FinalStates(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	b, err := newBounded(ctx, p, opts, true)
	if err != nil {
		res, err := refused(ctx, p, opts, err)
		return nil, res, err
	}
	defer b.solver.Close()
	var states []verdict.FinalState
	res, err := b.run(ctx, "all final states", func(ctx context.Context) (*verdict.Result, error) {
		faults, err := b.Formula.Faults(ctx)
		if err != nil {
			return nil, err
		}
		if fault, err := b.exclude(ctx, faults); fault != nil || err != nil {
			return fault, err
		}
		q, err := b.Formula.Finals(ctx, opts.Observed)
		if err != nil {
			return nil, err
		}
		for _, s := range states {
			q.Exclude(s)
		}
		for {
			s, st, err := q.Next(ctx)
			if err != nil || st == solver.Unsat {
				return nil, err
			}
			states = append(states, s)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	if states, err = b.show(states); err != nil {
		return nil, nil, err
	}
	return states, res, nil
}

// show is the states by the cells of [program.Analyse], which may be fewer than those of
// the formula.
func (b *bounded) show(states []verdict.FinalState) ([]verdict.FinalState, error) {
	r, err := program.Analyse(b.p)
	if err != nil {
		return nil, err
	}
	if len(r.Cells) < len(b.cells) {
		for i := range states {
			all := states[i].Memory
			states[i].Memory = nil
			for k, c := range b.cells {
				if r.CellIndex(c.Addr) >= 0 {
					states[i].Memory = append(states[i].Memory, all[k])
				}
			}
		}
	}
	verdict.SortFinalStates(states)
	return slices.CompactFunc(states, func(x, y verdict.FinalState) bool { return x.Key() == y.Key() }), nil
}

// refused is the answer where there is no formula.
func refused(ctx context.Context, p *program.Program, opts Options, err error) (*verdict.Result, error) {
	if !errors.Is(err, encode.ErrUnsupported) {
		return verdict.Early(ctx, p, cmp.Or(opts.Model, memory.TSO), err)
	}
	res := verdict.Unknown(p, cmp.Or(opts.Model, memory.TSO), err.Error())
	res.Engine = "bmc"
	return res, nil
}

// run raises the bound until ask has an answer, or the unrolling is complete, or
// there is a reason to give up.
func (b *bounded) run(ctx context.Context, found string, ask func(context.Context) (*verdict.Result, error)) (*verdict.Result, error) {
	var res *verdict.Result
	complete, err := b.Run(ctx, func(ctx context.Context) (_ bool, err error) {
		res, err = ask(ctx)
		return res != nil, err
	})
	switch {
	case err != nil:
		reason, effort := b.Gap(ctx, err, found, "explicit")
		if reason == "" {
			return nil, err
		}
		res = verdict.Unknown(b.p, b.opts.Model, reason)
		res.Effort = effort
	case complete:
		res = verdict.Safe(b.p, b.opts.Model, verdict.Unrolled, nil)
	}
	b.Prove(&res.Effort)
	s := b.solver.Stats()
	res.Engine, res.Elapsed = "bmc", time.Since(b.start)
	res.Stats = []verdict.Stat{
		{Name: "unrollings", Value: int64(b.Formula.Bound())},
		{Name: "events", Value: int64(b.Formula.Events())},
		{Name: "variables", Value: int64(s.Vars)},
		{Name: "clauses", Value: int64(s.Clauses)},
		{Name: "solves", Value: int64(s.Solves)},
	}
	return res, nil
}

// exclude asks for what q asks for and answers with it if there is such a thing.
func (b *bounded) exclude(ctx context.Context, q *encode.Query) (*verdict.Result, error) {
	st, err := q.Solve(ctx)
	if err != nil {
		return nil, err
	}
	if st == solver.Unsat {
		return nil, b.Excluded(q, "violation", "a run of up to %d unrollings violates a property or an assertion")
	}
	if b.definition != nil {
		return b.execution(q)
	}
	schedule, err := q.Schedule()
	if err != nil {
		return nil, err
	}
	res, err := replay.Convict(b.p, b.opts.Model, schedule)
	if err != nil {
		return nil, fmt.Errorf("a run found by bmc does not replay: %w", err)
	}
	return res, nil
}

// execution takes the execution out of the solver's model and tests it against
// the text of the memory model: for want of an operational semantics this is the
// evidence.
func (b *bounded) execution(q *encode.Query) (*verdict.Result, error) {
	g, violation, err := q.Execution()
	if err != nil {
		return nil, err
	}
	if vs := b.definition.Check(g); len(vs) > 0 {
		return nil, fmt.Errorf("an execution found by bmc violates %s of %s", vs[0].Axiom.Name, b.opts.Model)
	}
	return verdict.ConvictExecution(&verdict.Execution{Program: b.p, Model: b.opts.Model, Graph: g, Violation: violation}), nil
}
