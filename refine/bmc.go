package refine

import (
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
	bound      int    // searched completely; -1: none
	found      string // what a bounded answer says, such as "no violation"
	start      time.Time
	shown      time.Time
}

// bytesPerClause is about what a clause takes in the solver and in its log.
const bytesPerClause = 150

func newBounded(p *program.Program, opts Options, finals bool) (*bounded, error) {
	b := &bounded{
		p:     p,
		opts:  opts,
		found: "no violation",
		start: time.Now(),
		bound: -1,
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
		return unknown(p, opts, err.Error(), ""), nil
	}
	if err != nil {
		return nil, err
	}
	defer b.solver.Close()
	res, err := b.run(ctx, b.violation)
	return b.outcome(ctx, res, err)
}

// next is the bound after bound at which to ask the solver: each one at first,
// then in growing steps, since a formula solved at every bound is solved for
// nothing at most of them.
func next(bound int) int { return bound + max(1, bound/3) }

// run raises the bound, until it is complete. At each, ask looks for what is wanted,
// and may have an answer.
func (b *bounded) run(ctx context.Context, ask func(context.Context) (*verdict.Result, error)) (*verdict.Result, error) {
	target := 0
	for {
		if b.opts.Unroll > 0 {
			target = min(target, b.opts.Unroll)
		}
		for b.formula.Bound() < target {
			b.progress("unrolling %d times", b.formula.Bound()+1)
			if err := b.formula.Extend(ctx); err != nil {
				return nil, err
			}
			if b.formula.Complete() {
				break
			}
		}
		b.progress("solving %d unrollings, %d events", b.formula.Bound(), b.formula.Events())
		res, err := ask(ctx)
		if err != nil || res != nil {
			return res, err
		}
		b.bound = b.formula.Bound()
		complete, err := b.complete(ctx)
		if err != nil {
			return nil, err
		}
		if complete {
			return verdict.Safe(b.p, b.opts.Model, verdict.Unrolled, nil), nil
		}
		if b.opts.Unroll > 0 && b.formula.Bound() >= b.opts.Unroll {
			return nil, errBound
		}
		target = next(b.formula.Bound())
	}
}

// errBound says that the bound that the user set is reached.
var errBound = errors.New("the bound is reached")

// violation asks for a violation at the present bound.
func (b *bounded) violation(ctx context.Context) (*verdict.Result, error) {
	q, err := b.formula.Violations(ctx)
	if err != nil {
		return nil, err
	}
	return b.exclude(ctx, q)
}

// exclude asks for what q asks for and answers with it if there is such a thing.
func (b *bounded) exclude(ctx context.Context, q *encode.Query) (*verdict.Result, error) {
	st, err := q.Solve(ctx)
	if err != nil || st == solver.Unsat {
		return nil, err
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

// complete is whether no execution goes beyond the present bound (unwinding
// assertions).
func (b *bounded) complete(ctx context.Context) (bool, error) {
	if b.formula.Complete() {
		return true, nil
	}
	st, err := b.formula.Unwinding().Solve(ctx)
	return st == solver.Unsat, err
}

// outcome completes what run came to: a result, or the reason for which it ended
// without one, which may be an answer as well.
func (b *bounded) outcome(ctx context.Context, res *verdict.Result, err error) (*verdict.Result, error) {
	far := "no bound was searched completely"
	if b.bound >= 0 {
		far = fmt.Sprintf("%s up to %d unrollings", b.found, b.bound)
	}
	opts := b.opts
	opts.Engine = BMC
	switch {
	case err == nil:
	case errors.Is(err, errBound):
		res = unknown(b.p, opts, far, "raise --unroll, or leave it out")
	case errors.Is(err, encode.ErrTooLarge):
		res = unknown(b.p, opts, far+"; the next formula would be too large", "--engine explicit needs no unrolling")
	case errors.Is(err, encode.ErrUnsupported):
		res = unknown(b.p, opts, err.Error(), "")
	case ctx.Err() != nil:
		res = unknown(b.p, opts, far+"; stopped "+because(ctx), "a longer --timeout unrolls further; --engine explicit needs no unrolling")
	default:
		return nil, err
	}
	if !res.Conclusive() && b.bound >= 0 {
		res.Bound, res.BoundUnit = b.bound, "unrollings"
	}
	s := b.solver.Stats()
	res.Engine, res.Elapsed = string(BMC), time.Since(b.start)
	res.Stats = []verdict.Stat{
		{Name: "unrollings", Value: int64(b.formula.Bound())},
		{Name: "events", Value: int64(b.formula.Events())},
		{Name: "variables", Value: int64(s.Vars)},
		{Name: "clauses", Value: int64(s.Clauses)},
		{Name: "solves", Value: int64(s.Solves)},
	}
	return res, nil
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
		return nil, unknown(p, opts, err.Error(), ""), nil
	}
	if err != nil {
		return nil, nil, err
	}
	defer b.solver.Close()
	b.found = "all final states"
	var states []verdict.FinalState
	res, err := b.run(ctx, func(ctx context.Context) (*verdict.Result, error) {
		if fault, err := b.exclude(ctx, b.formula.Faults()); fault != nil || err != nil {
			return fault, err
		}
		q := b.formula.Finals()
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
	if res, err = b.outcome(ctx, res, err); err != nil {
		return nil, nil, err
	}
	verdict.SortFinalStates(states)
	return states, res, nil
}
