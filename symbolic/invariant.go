package symbolic

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// An Invariant is a proof that a program is safe on an abstraction: clauses over
// state bits that hold initially and are kept by every step, and that leave no
// violation after K - 1 steps without one.
type Invariant struct {
	System *System
	// Clauses are disjunctions: i+1 is bit i, -(i+1) its negation.
	Clauses [][]int32
	// K is 1 for an inductive invariant; k-induction proves with a larger
	// one, and mostly without clauses.
	K int
	// SimplePath: the states of the path of K steps differ.
	SimplePath bool
}

// exclude adds the clauses that say that no state is in the cubes.
func (inv *Invariant) exclude(cubes []cube) {
	for _, c := range cubes {
		clause := slices.Clone(c)
		for i := range clause {
			clause[i] = -clause[i]
		}
		inv.Clauses = append(inv.Clauses, clause)
	}
}

// String says in words what the proof is.
func (inv *Invariant) String() string {
	what := fmt.Sprintf("%d clauses over the states of the program", len(inv.Clauses))
	if !inv.System.Buffer.Immediate() {
		what = fmt.Sprintf("%d clauses over the states of the abstraction %s", len(inv.Clauses), abstract.Name(inv.System.Buffer))
	}
	what += " hold initially and are kept by every step, and "
	switch {
	case inv.K == 1:
		return what + "leave no violation"
	case inv.SimplePath:
		return what + fmt.Sprintf("leave no violation within %d steps from the initial state, and after %d steps between different states", inv.K-1, inv.K-1)
	}
	return what + fmt.Sprintf("leave no violation within %d steps from the initial state, and after %d steps from any", inv.K-1, inv.K-1)
}

// A RefutedError says that an Invariant proves nothing.
type RefutedError struct {
	// Reason is which condition fails.
	Reason string
	// Clause is the index of the clause for which it fails, or -1.
	Clause int
}

func (e *RefutedError) Error() string { return "not an inductive invariant: " + e.Reason }

// Check verifies inv for p, from nothing but its clauses and the transition
// relation: that of a System made anew, in a solver made anew. The clauses, with
// those that hold by construction (a thread is at one control state, and the
// like), must hold initially, must be kept by every step, and must exclude
// violations. The error is a
// [RefutedError] where inv is no proof.
func Check(ctx context.Context, inv *Invariant, p *program.Program) error {
	y, err := New(ctx, p, inv.System.Buffer, inv.System.opts)
	if err != nil {
		return err
	}
	// The names say which bits are meant.
	index := map[string]int32{}
	for i := range y.Bits {
		index[y.Bits[i].Name] = int32(i + 1)
	}
	all := make([][]int32, 0, len(inv.Clauses))
	for n, c := range inv.Clauses {
		var d []int32
		for _, l := range c {
			k := index[inv.System.Bits[bitOf(l)].Name]
			if k == 0 {
				return &RefutedError{fmt.Sprintf("states have no bit %q", inv.System.Bits[bitOf(l)].Name), n}
			}
			if l < 0 {
				k = -k
			}
			d = append(d, k)
		}
		all = append(all, d)
	}
	// What holds of states by construction is part of the proof.
	bit := map[solver.Lit]int32{}
	for i := range y.Bits {
		bit[y.Bits[i].cur] = int32(i + 1)
		bit[-y.Bits[i].cur] = -int32(i + 1)
	}
	for _, c := range y.domain {
		var d []int32
		for _, l := range c {
			d = append(d, bit[l])
		}
		all = append(all, d)
	}
	y.domain = nil

	// Initially.
	for n, c := range all {
		holds := false
		for _, l := range c {
			holds = holds || y.Bits[bitOf(l)].Init == (l > 0)
		}
		if !holds {
			return &RefutedError{fmt.Sprintf("clause %d does not hold initially", n), n}
		}
	}
	// Kept by every step.
	s, err := solver.New("")
	if err != nil {
		return err
	}
	defer s.Close()
	if err := y.load(&meter{ctx: ctx}, s); err != nil {
		return err
	}
	for _, c := range all {
		var d []solver.Lit
		for _, l := range c {
			d = append(d, y.lit(l, false))
		}
		s.AddClause(d...)
	}
	// One query for all clauses at once would be a hard one.
	for n, c := range all {
		assume := []solver.Lit{y.legal}
		for _, l := range c {
			assume = append(assume, -y.lit(l, true))
		}
		st, err := s.Solve(ctx, assume...)
		if err != nil {
			return err
		}
		if st == solver.Sat {
			return &RefutedError{fmt.Sprintf("a step leads out of clause %d", n), n}
		}
	}
	// No violation.
	if inv.K > 1 {
		return y.checkK(ctx, inv.K, inv.SimplePath, all)
	}
	st, err := s.Solve(ctx, y.bad)
	if err != nil {
		return err
	}
	if st == solver.Sat {
		if s.Value(y.stray) {
			return &RefutedError{"the clauses allow a step to values that states have no room for", -1}
		}
		return &RefutedError{"the clauses allow a violation", -1}
	}
	return nil
}

// lit is literal l over the current state or the next one.
func (y *System) lit(l int32, next bool) solver.Lit {
	b := &y.Bits[bitOf(l)]
	x := b.cur
	if next {
		x = b.next
	}
	if l < 0 {
		return -x
	}
	return x
}
