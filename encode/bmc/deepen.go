package bmc

import (
	"context"
	"errors"
	"fmt"

	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Deepening raises the bound of a formula, one formula in one solver.
type Deepening struct {
	Formula *encode.Formula
	Unroll  int // the last bound; 0: there is none
	// Progress, where not nil, is called now and then.
	Progress func(line string)
	// KeepProofs makes it keep proofs of the answers.
	KeepProofs bool
	// Searched is the last bound at which nothing was found; -1: none.
	Searched int

	pulse   verdict.Pulse
	pending []verdict.Refutation // of this bound
	proofs  []verdict.Refutation // of the last bound, and that the unrolling is complete
	noProof error                // why there are none
}

// errBound says that the bound that the user set is reached.
var errBound = errors.New("the bound is reached")

// Run raises the bound until ask, which looks for what is wanted at the bound at
// hand, has found it; or until the unrolling is complete. Where it comes to neither
// there is an error, of which [Deepening.Gap] knows whether it is an answer.
func (d *Deepening) Run(ctx context.Context, ask func(context.Context) (found bool, err error)) (complete bool, err error) {
	return d.run(ctx, ask, d.complete)
}

// run is Run, where all tells whether the unrolling is complete.
func (d *Deepening) run(ctx context.Context, ask, all func(context.Context) (bool, error)) (complete bool, err error) {
	d.Searched = -1
	for target := 0; ; target = next(d.Formula.Bound()) {
		if d.Unroll > 0 {
			target = min(target, d.Unroll)
		}
		for d.Formula.Bound() < target {
			d.progress("unrolling %d times", d.Formula.Bound()+1)
			if err := d.Formula.Extend(ctx); err != nil {
				return false, err
			}
			if d.Formula.Complete() {
				break
			}
		}
		d.progress("solving %d unrollings, %d events", d.Formula.Bound(), d.Formula.Events())
		d.pending = nil
		found, err := ask(ctx)
		if found {
			d.proofs = nil
		}
		if found || err != nil {
			return false, err
		}
		d.proofs = d.pending
		d.Searched = d.Formula.Bound()
		if complete, err := all(ctx); complete || err != nil {
			return complete, err
		}
		if d.Unroll > 0 && d.Formula.Bound() >= d.Unroll {
			return false, errBound
		}
	}
}

// next is the bound after bound at which to ask the solver: each one at first,
// then in growing steps, since a formula solved at every bound is solved for
// nothing at most of them.
func next(bound int) int { return bound + max(1, bound/3) }

// complete is whether no execution goes beyond the present bound (unwinding
// assertions).
func (d *Deepening) complete(ctx context.Context) (bool, error) {
	if d.Formula.Complete() {
		return true, nil
	}
	q, err := d.Formula.Unwinding(ctx)
	if err != nil {
		return false, err
	}
	st, err := q.Solve(ctx)
	if st != solver.Unsat || err != nil {
		return false, err
	}
	err = d.Excluded(q, "unwinding", "a run goes beyond %d unrollings")
	d.proofs = d.pending
	return true, err
}

// Excluded takes note that a query was answered Unsat: by its name, and what was asked
// for, of the bound.
func (d *Deepening) Excluded(q *encode.Query, name, what string) error {
	if !d.KeepProofs || d.noProof != nil {
		return nil
	}
	p, assumed, err := q.Proof()
	switch {
	case errors.Is(err, solver.ErrNoProof):
		d.noProof = err
	case err != nil:
		return err
	default:
		d.pending = append(d.pending, verdict.Refutation{
			Program: d.Formula.Program(), Bound: d.Formula.Bound(), Name: name, Says: fmt.Sprintf(what, d.Formula.Bound()), Assumed: assumed, Proof: p,
		})
	}
	return nil
}

// Prove hands on the proofs of what was found out.
func (d *Deepening) Prove(e *verdict.Effort) {
	if e.Refutations = d.proofs; d.noProof != nil {
		e.Refutations = nil
		e.Notes = append(e.Notes, d.noProof.Error())
	}
}

func (d *Deepening) progress(format string, args ...any) {
	d.pulse.Tell = d.Progress
	d.pulse.Beat("bmc: "+format, args...)
}

// Gap is why there is no answer where Run ended with err, and what may get further;
// "" where err is no answer. found is what was sought, such as "no violation", and instead
// the engine that needs no unrolling.
func (d *Deepening) Gap(ctx context.Context, err error, found, instead string) (reason string, next verdict.Effort) {
	far := "no bound was searched completely"
	if d.Searched >= 0 {
		far = fmt.Sprintf("%s up to %d unrollings", found, d.Searched)
		next.Bound, next.BoundUnit = d.Searched, "unrollings"
	}
	other := verdict.Instead{Engines: []string{instead}, Why: "needs no unrolling"}
	switch {
	case errors.Is(err, errBound):
		reason, next.Advice = far, "raise --unroll, or leave it out"
	case errors.Is(err, encode.ErrTooLarge):
		reason, next.Instead = far+"; the next formula would be too large", other
	case errors.Is(err, solver.ErrMemory):
		reason, next.Instead = far+"; the SAT solver would need more memory", other
	case errors.Is(err, encode.ErrUnsupported):
		reason = err.Error()
	case ctx.Err() != nil:
		reason, next.Advice, next.Instead = far+"; stopped "+verdict.Because(ctx), "a longer --timeout unrolls further", other
	}
	return reason, next
}
