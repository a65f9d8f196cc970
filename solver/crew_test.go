package solver

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// crew is solvers that work side by side, from the first conflicts on.
func crew(t testing.TB, n int) Solver {
	s := open(t, "cdcl")
	UseJobs(s, n)
	b := s.(*checked).b.(*cdclBackend)
	b.alone, b.round = work{0, 2}, work{20, 3}
	return s
}

// TestJobs has two crews and one solver alone answer the same questions, with orders, clauses between the
// questions and assumptions. The crews are to do exactly the same.
func TestJobs(t *testing.T) {
	ctx := context.Background()
	asked, together, answers := 0, 0, map[Status]int{}
	for seed := uint64(0); asked < *queries/3; seed++ {
		r := rand.New(rand.NewPCG(12, seed))
		n := 2 + r.IntN(2)
		all := []Solver{open(t, "cdcl"), crew(t, n), crew(t, n)}
		vars, nodes := 40+r.IntN(60), 8+r.IntN(8)
		sign := func(l Lit) Lit {
			if r.IntN(2) == 0 {
				return -l
			}
			return l
		}
		lit := func() Lit { return sign(1 + Lit(r.IntN(vars))) }
		for _, s := range all {
			for range vars {
				s.NewVar()
			}
			for range nodes {
				OrderOf(s).NewNode()
			}
		}
		for range vars / 2 {
			from, to, l := r.IntN(nodes), r.IntN(nodes), lit()
			for _, s := range all {
				OrderOf(s).AddEdge(from, to, l)
			}
		}
		for range 6 {
			for range vars/3 + r.IntN(vars) {
				c := []Lit{lit(), lit(), lit()}
				for _, s := range all {
					s.AddClause(c...)
				}
			}
			var assumptions []Lit
			for range r.IntN(6) {
				assumptions = append(assumptions, lit())
			}
			var got [3]Status
			for i, s := range all {
				var err error
				if got[i], err = s.Solve(ctx, assumptions...); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			asked++
			answers[got[0]]++
			if got[0] != got[1] || got[1] != got[2] {
				t.Fatalf("seed %d: %v", seed, got)
			}
			same := all[1].Stats() == all[2].Stats()
			switch got[0] {
			case Sat:
				for l := Lit(1); l <= Lit(vars); l++ {
					same = same && all[1].Value(l) == all[2].Value(l)
				}
			case Unsat:
				same = same && slices.Equal(all[1].Core(), all[2].Core())
				if s, err := all[0].Solve(ctx, all[1].Core()...); s != Unsat || err != nil {
					t.Fatalf("seed %d: %v, %v of core %d", seed, s, err, all[1].Core())
				}
			}
			if !same {
				t.Fatalf("seed %d: two crews answer %v in different ways", seed, got[1])
			}
		}
		if all[1].(*checked).b.(*cdclBackend).others != nil {
			together++
		}
		for _, s := range all {
			s.Close()
		}
	}
	t.Logf("%d questions: %v; formulas with several at work: %d", asked, answers, together)
	if min(answers[Sat], answers[Unsat]) < asked/10 || together == 0 {
		t.Errorf("one-sided: %v", answers)
	}
}

// TestJobsEnd: the context ends all of them, and they can be asked again.
func TestJobsEnd(t *testing.T) {
	s := crew(t, 3)
	defer s.Close()
	needThreads(t)
	on := s.NewVar()
	pigeons(s, 11, on)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if st, err := s.Solve(ctx, on); st != Unknown || err == nil {
		t.Errorf("%v, %v", st, err)
	}
	if st, err := s.Solve(context.Background(), -on); st != Sat || err != nil {
		t.Errorf("%v, %v", st, err)
	}
}

// TestJobsMemory: where there is no memory for several, there is one, and it has all of it.
func TestJobsMemory(t *testing.T) {
	s := crew(t, 2)
	defer s.Close()
	LimitMemory(s, 1<<20)
	on := s.NewVar()
	for range 5000 {
		s.NewVar()
	}
	pigeons(s, 5, on)
	if st, err := s.Solve(context.Background(), on); st != Unsat || err != nil {
		t.Errorf("%v, %v", st, err)
	}
	if s.(*checked).b.(*cdclBackend).others != nil {
		t.Error("there are others")
	}
}

// TestJobsFull: where there is memory for several at first and not for what they learn, the first goes on alone, and
// with all of it.
func TestJobsFull(t *testing.T) {
	ctx := context.Background()
	for k := range int64(6) {
		s, alone := crew(t, 3), open(t, "cdcl")
		limit := int64(272+16*k) << 10
		var answers [2]Status
		for i, s := range []Solver{s, alone} {
			LimitMemory(s, limit)
			on := s.NewVar()
			pigeons(s, 8, on)
			var err error
			if answers[i], err = s.Solve(ctx, on); err != nil && !errors.Is(err, ErrMemory) {
				t.Errorf("%d bytes: %v", limit, err)
			}
		}
		if answers[1] == Unsat && answers[0] != Unsat {
			t.Errorf("%d bytes: %v, and alone %v", limit, answers[0], answers[1])
		}
		s.Close()
		alone.Close()
	}
}
