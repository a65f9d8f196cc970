package bmc

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// Flags lists the flags of the model that some execution of p raises which comes to its end, beside
// those that are known. Each is of an execution that satisfies the axioms and raises it, as the text of the
// model says. Where there may be more it says why.
func Flags(ctx context.Context, p *program.Program, opts Options, known []string) (names []string, gap string, err error) {
	opts.Flags, opts.Relational = true, true // the direct encoding knows of no flags
	b, err := newBounded(ctx, p, opts, true)
	if err != nil {
		res, err := refused(ctx, p, opts, err)
		if err != nil {
			return nil, "", err
		}
		return nil, res.Reason(), nil
	}
	defer b.solver.Close()
	names = slices.Clone(known)
	_, err = b.Run(ctx, func(ctx context.Context) (all bool, err error) {
		for {
			q, err := b.Formula.Raised(ctx, names)
			if err != nil || q == nil {
				return err == nil, err
			}
			if st, err := q.Solve(ctx); err != nil || st == solver.Unsat {
				return false, err
			}
			more, err := b.raised(q, names)
			if err != nil {
				return false, err
			}
			names = append(names, more...)
		}
	})
	if err != nil {
		if gap, _ = b.Gap(ctx, err, "all flags", "graphs"); gap == "" {
			return nil, "", err
		}
	}
	slices.Sort(names)
	return names, gap, nil
}

// raised is the flags, other than those that are known, of the execution in the solver's model.
func (b *bounded) raised(q *encode.Query, known []string) (names []string, err error) {
	g, err := q.Graph()
	if err != nil {
		return nil, err
	}
	if vs := b.definition.Check(g); len(vs) > 0 {
		return nil, fmt.Errorf("an execution found by bmc violates %s of %s", vs[0].Axiom.Name, b.opts.Model)
	}
	for _, a := range b.definition.Flags(g) {
		if !slices.Contains(known, a.Name) && !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	if names == nil {
		return nil, fmt.Errorf("an execution found by bmc raises no flag of %s that was asked for", b.opts.Model)
	}
	return names, nil
}
