package bmc

import (
	"context"
	"errors"

	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// A Statement is a formula that a result may rest on.
type Statement struct {
	Name        string // of the query: that of a [verdict.Refutation]
	Digest      []byte // of its clauses and edges; see [solver.Digest]
	Assumptions []solver.Lit
}

// errRestated ends a restatement where its formulas are all there.
var errRestated = errors.New("restated")

// Restate makes the formulas again that [Check] asks about p at a bound, solving none:
// those of its result if no bound before had another answer. complete is whether
// there is nothing beyond the bound by the looks of p.
func Restate(ctx context.Context, p *program.Program, opts Options, bound int) (statements []Statement, complete bool, err error) {
	opts.Solver, opts.Proofs, opts.AllExecutions, opts.Unroll = "", false, true, bound
	b, err := newBounded(ctx, p, opts, false)
	if err != nil {
		return nil, false, err
	}
	defer b.solver.Close()
	state := func(name string, q *encode.Query, err error) error {
		if err == nil && b.Formula.Bound() == bound {
			statements = append(statements, Statement{name, solver.Digest(b.solver), q.Assumptions()})
		}
		return err
	}
	_, err = b.Deepening.run(ctx, func(ctx context.Context) (bool, error) {
		if b.Formula.Bound() > bound {
			return false, errors.New("the bound is not one that is asked about")
		}
		q, err := b.Formula.Violations(ctx)
		return false, state("violation", q, err)
	}, func(ctx context.Context) (bool, error) {
		if complete = b.Formula.Complete(); complete {
			return true, nil
		}
		q, err := b.Formula.Unwinding(ctx)
		if err := state("unwinding", q, err); err != nil {
			return false, err
		}
		if b.Formula.Bound() >= bound {
			return false, errRestated
		}
		return false, nil
	})
	if errors.Is(err, errRestated) {
		err = nil
	}
	return statements, complete, err
}
