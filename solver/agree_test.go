package solver

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"
)

var queries = flag.Int("queries", 3000, "questions for TestAgree")

// TestAgree has gini and our own answer the same questions, on formulas too large for
// the oracle: random ones near the threshold, pigeons, parities and orders, with clauses
// between the questions and with assumptions. Of a core both must say that it is one.
func TestAgree(t *testing.T) {
	ctx := context.Background()
	asked, answers := 0, map[Status]int{}
	for seed := uint64(0); asked < *queries; seed++ {
		r := rand.New(rand.NewPCG(11, seed))
		a, b := open(t, "cdcl"), open(t, "gini")
		vars := Lit(0)
		newVar := func() Lit {
			a.NewVar()
			vars = b.NewVar()
			return vars
		}
		add := func(lits ...Lit) {
			a.AddClause(lits...)
			b.AddClause(lits...)
		}
		sign := func(l Lit) Lit {
			if r.IntN(2) == 0 {
				return -l
			}
			return l
		}
		lit := func() Lit { return sign(1 + Lit(r.IntN(int(vars)))) }
		n := 20 + r.IntN(60)
		for range n {
			newVar()
		}
		switch r.IntN(4) {
		case 0:
			pigeons(both{a, b}, 2+r.IntN(4), newVar())
		case 1: // parities over neighbours
			for range n / 2 {
				x, y, z := lit(), lit(), lit()
				add(x, y, z)
				add(x, -y, -z)
				add(-x, y, -z)
				add(-x, -y, z)
			}
		case 2:
			order(4+r.IntN(4), newVar, add)
		}
		for range 8 {
			for range n/3 + r.IntN(n) {
				add(lit(), lit(), lit())
			}
			if r.IntN(6) == 0 {
				add(lit(), lit())
			}
			var assumptions []Lit
			for range r.IntN(6) {
				assumptions = append(assumptions, lit())
			}
			x, err := a.Solve(ctx, assumptions...)
			if err != nil {
				t.Fatal(err)
			}
			y, err := b.Solve(ctx, assumptions...)
			if err != nil {
				t.Fatal(err)
			}
			if x != y {
				t.Fatalf("seed %d: %v, and gini %v", seed, x, y)
			}
			asked++
			answers[x]++
			if x == Unsat {
				if y, err := b.Solve(ctx, a.Core()...); y != Unsat || err != nil {
					t.Fatalf("seed %d: gini says %v, %v of core %d", seed, y, err, a.Core())
				}
			}
		}
		a.Close()
		b.Close()
	}
	t.Logf("%d questions: %v", asked, answers)
	if min(answers[Sat], answers[Unsat]) < asked/10 {
		t.Errorf("one-sided: %v", answers)
	}
}

// both takes clauses for two solvers.
type both struct {
	Solver
	other Solver
}

func (s both) NewVar() Lit {
	s.other.NewVar()
	return s.Solver.NewVar()
}

func (s both) AddClause(lits ...Lit) {
	s.Solver.AddClause(lits...)
	s.other.AddClause(lits...)
}
