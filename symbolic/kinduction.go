package symbolic

import (
	"context"
	"fmt"

	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// unrolling is copies of the circuit, the next state of each the state of the
// one after it.
type unrolling struct {
	*meter
	y      *System
	others int // clauses of other solvers
	s      solver.Solver
	bits   [][]solver.Lit // by copy: the state
	inputs [][]solver.Lit
	legal  []solver.Lit
	bad    []solver.Lit
	next   []solver.Lit // the state after the last copy
	lemmas []cube       // that no state is in
}

// extend adds a copy. Its first state is free.
func (u *unrolling) extend() error {
	m := make([]solver.Lit, u.y.cnf.vars+1)
	for i := range u.y.Bits {
		v := u.y.Bits[i].cur
		if u.next != nil {
			m[v] = u.next[i]
		} else {
			m[v] = u.s.NewVar()
		}
	}
	for v := range m {
		if v > 0 && m[v] == 0 {
			m[v] = u.s.NewVar()
		}
	}
	lit := func(l solver.Lit) solver.Lit {
		if l < 0 {
			return -m[-l]
		}
		return m[l]
	}
	var clause []solver.Lit
	n, had := 0, u.s.Stats().Clauses
	put := func(c []solver.Lit) error {
		if n++; n%polled == 0 {
			if err := u.fits(had + n + u.others); err != nil {
				return err
			}
		}
		clause = clause[:0]
		for _, l := range c {
			clause = append(clause, lit(l))
		}
		u.s.AddClause(clause...)
		return nil
	}
	err := u.y.cnf.each(put)
	for _, c := range u.y.domain {
		put(c)
	}
	for _, c := range u.lemmas {
		put(u.y.negation(c))
	}
	if err != nil {
		return err
	}
	var bits, next, inputs []solver.Lit
	for i := range u.y.Bits {
		bits = append(bits, lit(u.y.Bits[i].cur))
		next = append(next, lit(u.y.Bits[i].next))
	}
	for _, l := range u.y.inputs {
		inputs = append(inputs, lit(l))
	}
	u.bits, u.inputs, u.next = append(u.bits, bits), append(u.inputs, inputs), next
	u.legal, u.bad = append(u.legal, lit(u.y.legal)), append(u.bad, lit(u.y.bad))
	return nil
}

// differ says that the states of copies i and j do.
func (u *unrolling) differ(i, j int) error {
	if err := u.fits(u.s.Stats().Clauses + u.others); err != nil {
		return err
	}
	var some []solver.Lit
	for k := range u.bits[i] {
		a, b := u.bits[i][k], u.bits[j][k]
		if a == b {
			continue
		}
		d := u.s.NewVar()
		u.s.AddClause(-d, a, b)
		u.s.AddClause(-d, -a, -b)
		some = append(some, d)
	}
	u.s.AddClause(some...)
	return nil
}

// step says that copy i, which is no violation, leads on.
func (u *unrolling) step(i int) {
	u.s.AddClause(u.legal[i])
	u.s.AddClause(-u.bad[i])
}

// KInduction looks for a k such that no run violates a property within k - 1
// steps, and no k - 1 steps without a violation lead to one, from any state: M.
// Sheeran, S. Singh, G. Stalmarck, Checking safety properties using induction
// and a SAT-solver, FMCAD 2000. On its way it finds the shortest
// counterexamples. The states are those in which clauses hold that were found to
// be inductive before.
func KInduction(ctx context.Context, y *System, search Search) (*Result, error) {
	m := &meter{ctx: ctx, limit: search.MemoryLimit}
	base, step := &unrolling{meter: m, y: y}, &unrolling{meter: m, y: y}
	for _, u := range []*unrolling{base, step} {
		s, err := solver.New(search.Solver)
		if err != nil {
			return nil, err
		}
		defer s.Close()
		u.s = s
	}
	res := &Result{}
	if !search.plain {
		var err error
		if step.lemmas, res.Queries, err = y.lemmas(m, search.Solver); err != nil {
			return nil, err
		}
	}
	unknown := func(err error) (*Result, error) {
		res.Reason = fmt.Sprintf("no violation within %d steps, and no induction yet", max(res.Depth-1, 0))
		if m.stopped(err) {
			res.Reason += "; " + m.because()
			err = nil
		}
		if err != nil {
			return nil, err
		}
		return res, nil
	}
	for k := 1; ; k++ {
		if search.MaxDepth > 0 && k > search.MaxDepth {
			return unknown(nil)
		}
		if search.Progress != nil {
			search.Progress(fmt.Sprintf("k-induction: k = %d", k))
		}
		base.others = step.s.Stats().Clauses
		if err := base.extend(); err != nil {
			return unknown(err)
		}
		if k == 1 {
			for i, l := range base.bits[0] {
				if !y.Bits[i].Init {
					l = -l
				}
				base.s.AddClause(l)
			}
		}
		res.Queries += 2
		st, err := base.s.Solve(ctx, base.bad[k-1])
		if err != nil {
			return unknown(err)
		}
		if st == solver.Sat {
			var steps []choices
			for _, in := range base.inputs {
				c := make(choices, len(in))
				for i, l := range in {
					c[i] = base.s.Value(l)
				}
				steps = append(steps, c)
			}
			res.Trace, res.Violation, err = y.counterexample(steps)
			return res, err
		}
		base.step(k - 1)
		res.Depth = k

		step.others = base.s.Stats().Clauses
		if err := step.extend(); err != nil {
			return unknown(err)
		}
		if search.SimplePath {
			for i := range k - 1 {
				if err := step.differ(i, k-1); err != nil {
					return unknown(err)
				}
			}
		}
		if st, err = step.s.Solve(ctx, step.bad[k-1]); err != nil {
			return unknown(err)
		}
		if st == solver.Unsat {
			res.Verdict = verdict.IsSafe
			res.Invariant = &Invariant{System: y, K: k, SimplePath: search.SimplePath && k > 1}
			res.Invariant.exclude(step.lemmas)
			return res, nil
		}
		step.step(k - 1)
	}
}

// checkK is what [Check] asks of the K of a proof.
func (y *System) checkK(ctx context.Context, k int, simple bool, clauses [][]int32) error {
	for _, initially := range []bool{true, false} {
		s, err := solver.New("")
		if err != nil {
			return err
		}
		defer s.Close()
		u := &unrolling{meter: &meter{ctx: ctx}, y: y, s: s}
		for i := range k {
			if err := u.extend(); err != nil {
				return err
			}
			for _, c := range clauses {
				var d []solver.Lit
				for _, l := range c {
					x := u.bits[i][bitOf(l)]
					if l < 0 {
						x = -x
					}
					d = append(d, x)
				}
				s.AddClause(d...)
			}
			for j := range i {
				if simple && !initially {
					if err := u.differ(j, i); err != nil {
						return err
					}
				}
			}
			if initially && i == 0 {
				for b, l := range u.bits[0] {
					if !y.Bits[b].Init {
						l = -l
					}
					s.AddClause(l)
				}
			}
			if initially || i == k-1 {
				st, err := s.Solve(ctx, u.bad[i])
				if err != nil {
					return err
				}
				if st == solver.Sat {
					if initially {
						return &RefutedError{fmt.Sprintf("there is a violation after %d steps", i), -1}
					}
					return &RefutedError{fmt.Sprintf("the clauses allow a violation after %d steps without one", i), -1}
				}
			}
			u.step(i)
		}
	}
	return nil
}
