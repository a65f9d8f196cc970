package refine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// bounded is bounded model checking with a growing bound: one formula, one
// solver.
type bounded struct {
	p       *program.Program
	opts    Options
	solver  solver.Solver
	formula *encode.Formula
	// definition is that of a model for which there is no operational
	// semantics; else nil.
	definition *memory.Definition
	result     *verdict.Result
	found      string // what a bounded answer says, such as "no violation"
	start      time.Time
	shown      time.Time
}

// bytesPerClause is about what a clause takes in the solver and in its log.
const bytesPerClause = 150

func newBounded(p *program.Program, opts Options, finals bool) (*bounded, error) {
	b := &bounded{
		p:      p,
		opts:   opts,
		found:  "no violation",
		start:  time.Now(),
		result: &verdict.Result{Program: p, Model: opts.Model, Engine: string(BMC), BoundUnit: "unrollings", Bound: -1},
	}
	r, err := program.Analyse(p)
	if err != nil {
		return nil, err
	}
	if b.solver, err = solver.New(opts.Solver); err != nil {
		return nil, err
	}
	options := encode.Options{
		Model:      opts.Model,
		Finals:     finals,
		MaxClauses: int(min(60_000_000, opts.MemoryLimit/bytesPerClause)),
	}
	if opts.relational || !slices.Contains(encode.Direct, opts.Model) {
		options.Definition, err = memory.Load(opts.Model)
	}
	if err == nil {
		b.definition = options.Definition
		b.formula, err = encode.New(p, r, b.solver, options)
	}
	if err != nil {
		b.solver.Close()
		return nil, err
	}
	return b, nil
}

// checkBMC raises the bound until a violation is found, the unrolling is
// complete, or an end is put to it.
func checkBMC(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	b, err := newBounded(p, opts, false)
	if errors.Is(err, encode.ErrUnsupported) {
		return &verdict.Result{Program: p, Model: opts.Model, Engine: string(BMC), Reason: err.Error()}, nil
	}
	if err != nil {
		return nil, err
	}
	defer b.solver.Close()
	err = b.run(ctx, b.violation)
	b.finish()
	return b.outcome(ctx, err)
}

// next is the bound after bound at which to ask the solver: each one at first,
// then in growing steps, since a formula solved at every bound is solved for
// nothing at most of them.
func next(bound int) int { return bound + max(1, bound/3) }

// run raises the bound. At each, ask looks for what is wanted and says whether
// to go on.
func (b *bounded) run(ctx context.Context, ask func(context.Context) (bool, error)) error {
	target := 0
	for {
		if b.opts.Unroll > 0 {
			target = min(target, b.opts.Unroll)
		}
		for b.formula.Bound() < target {
			b.progress("unrolling %d times", b.formula.Bound()+1)
			if err := b.formula.Extend(ctx); err != nil {
				return err
			}
			if b.formula.Complete() {
				break
			}
		}
		b.progress("solving %d unrollings, %d events", b.formula.Bound(), b.formula.Events())
		more, err := ask(ctx)
		if err != nil || !more {
			return err
		}
		b.result.Bound = b.formula.Bound()
		complete, err := b.complete(ctx)
		if err != nil {
			return err
		}
		if complete {
			b.result.Verdict = verdict.Safe
			b.result.Argument = verdict.Unrolled
			return nil
		}
		if b.opts.Unroll > 0 && b.formula.Bound() >= b.opts.Unroll {
			return errBound
		}
		target = next(b.formula.Bound())
	}
}

// errBound says that the bound that the user set is reached.
var errBound = errors.New("the bound is reached")

// violation asks for a violation at the present bound.
func (b *bounded) violation(ctx context.Context) (more bool, err error) {
	q, err := b.formula.Violations(ctx)
	if err != nil {
		return false, err
	}
	return b.exclude(ctx, q)
}

// exclude asks for what q asks for and reports it if there is such a thing.
func (b *bounded) exclude(ctx context.Context, q *encode.Query) (more bool, err error) {
	st, err := q.Solve(ctx)
	if err != nil || st == solver.Unsat {
		return true, err
	}
	if b.definition != nil {
		return false, b.execution(q)
	}
	schedule, err := q.Schedule()
	if err != nil {
		return false, err
	}
	run, violation, err := explore.Replay(b.p, b.opts.Model, schedule)
	if err != nil {
		return false, fmt.Errorf("a run found by bmc does not replay: %w", err)
	}
	b.result.Run, b.result.Violation = run, violation
	if violation.Kind != program.Fault {
		b.result.Verdict = verdict.Unsafe
	}
	return false, nil
}

// execution takes the execution out of the solver's model and tests it against
// the text of the memory model: for want of an operational semantics this is the
// evidence.
func (b *bounded) execution(q *encode.Query) error {
	g, violation, err := q.Execution()
	if err != nil {
		return err
	}
	if vs := b.definition.Check(g); len(vs) > 0 {
		return fmt.Errorf("an execution found by bmc violates %s of %s", vs[0].Axiom.Name, b.opts.Model)
	}
	b.result.Execution, b.result.Violation = g, violation
	if violation.Kind != program.Fault {
		b.result.Verdict = verdict.Unsafe
	}
	return nil
}

// complete is whether no execution goes beyond the present bound (unwinding
// assertions).
func (b *bounded) complete(ctx context.Context) (bool, error) {
	if b.formula.Complete() {
		return true, nil
	}
	st, err := b.formula.Unwinding().Solve(ctx)
	return st == solver.Unsat, err
}

func (b *bounded) finish() {
	b.result.Elapsed = time.Since(b.start)
	s := b.solver.Stats()
	b.result.Stats = []verdict.Stat{
		{Name: "unrollings", Value: int64(b.formula.Bound())},
		{Name: "events", Value: int64(b.formula.Events())},
		{Name: "variables", Value: int64(s.Vars)},
		{Name: "clauses", Value: int64(s.Clauses)},
		{Name: "solves", Value: int64(s.Solves)},
	}
	if b.result.Bound < 0 || b.result.Verdict != verdict.Unknown {
		b.result.BoundUnit, b.result.Bound = "", 0
	}
}

// outcome turns the reason for which run ended into a result, where it is one.
func (b *bounded) outcome(ctx context.Context, err error) (*verdict.Result, error) {
	r := b.result
	far := "no bound was searched completely"
	if r.BoundUnit != "" {
		far = fmt.Sprintf("%s up to %d unrollings", b.found, r.Bound)
	}
	switch {
	case err == nil:
	case errors.Is(err, errBound):
		r.Reason = far
		r.Advice = "raise --unroll, or leave it out"
	case errors.Is(err, encode.ErrTooLarge):
		r.Reason = far + "; the next formula would be too large"
		r.Advice = "--engine explicit needs no unrolling"
	case errors.Is(err, encode.ErrUnsupported):
		r.Reason = err.Error()
	case ctx.Err() != nil:
		r.Reason = far + "; stopped " + because(ctx)
		r.Advice = "a longer --timeout unrolls further; --engine explicit needs no unrolling"
	default:
		return nil, err
	}
	return r, nil
}

// because says why ctx has ended.
func because(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		return "by the time limit"
	case errors.Is(cause, context.Canceled):
		return "by an interrupt"
	default:
		return "by " + cause.Error()
	}
}

func (b *bounded) progress(format string, args ...any) {
	if b.opts.Progress != nil && time.Since(b.shown) > 200*time.Millisecond {
		b.shown = time.Now()
		b.opts.Progress("bmc: " + fmt.Sprintf(format, args...))
	}
}

// finalStatesBMC enumerates the final states with the solver.
func finalStatesBMC(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	b, err := newBounded(p, opts, true)
	if errors.Is(err, encode.ErrUnsupported) {
		return nil, &verdict.Result{Program: p, Model: opts.Model, Engine: string(BMC), Reason: err.Error()}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer b.solver.Close()
	b.found = "all final states"
	var states []verdict.FinalState
	err = b.run(ctx, func(ctx context.Context) (bool, error) {
		if more, err := b.exclude(ctx, b.formula.Faults()); !more || err != nil {
			return false, err
		}
		q := b.formula.Finals()
		for _, s := range states {
			q.Exclude(s)
		}
		for {
			s, st, err := q.Next(ctx)
			if err != nil {
				return false, err
			}
			if st == solver.Unsat {
				return true, nil
			}
			states = append(states, s)
		}
	})
	b.finish()
	r, err := b.outcome(ctx, err)
	if err != nil {
		return nil, nil, err
	}
	verdict.SortFinalStates(states)
	return states, r, nil
}
