package encode

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/solver"
)

// TestSkippedBounds: what is asked at the last bound has the same answer whether anything was asked at those before or not, and
// takes fewer clauses if not.
func TestSkippedBounds(t *testing.T) {
	ctx := context.Background()
	const bound = lasting + 3
	violations := func(f *Formula) solver.Status {
		q, err := f.Violations(ctx)
		if err != nil {
			t.Fatal(err)
		}
		st, err := q.Solve(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	opt := randprog.Options{CountLoop: 4, WaitLoop: 3, Forbid: 3, Assert: 2, Threads: randprog.Range{Min: 2, Max: 2}}
	answers := map[solver.Status]int{}
	fewer := 0
	for seed := range uint64(60) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 31)), opt)
		asked, skipping := newFormula(t, p, Options{Model: memory.TSO}), newFormula(t, p, Options{Model: memory.TSO})
		for range bound + 1 {
			for _, f := range []*Formula{asked, skipping} {
				if err := f.Extend(ctx); err != nil {
					t.Fatal(err)
				}
			}
			if asked.Bound() < bound {
				violations(asked)
			}
		}
		a, b := violations(asked), violations(skipping)
		if a != b {
			t.Fatalf("seed %d: %v, and %v where bounds were skipped\n%s", seed, a, b, text(p))
		}
		answers[a]++
		x, y := asked.s.Stats().Clauses, skipping.s.Stats().Clauses
		if y > x {
			t.Errorf("seed %d: %d clauses, and %d where bounds were skipped", seed, x, y)
		}
		if y < x {
			fewer++
		}
	}
	if answers[solver.Sat] == 0 || answers[solver.Unsat] == 0 || fewer == 0 {
		t.Errorf("answers %v, %d times fewer clauses", answers, fewer)
	}
}

// TestChains: what is said of one read of a loop grows with the writes that it may read, not with their square.
func TestChains(t *testing.T) {
	ctx := context.Background()
	p := enginetest.Parse(t, "two.imp", `program P
variables x = 0
process A
begin
  while true do x := 1; x := 2 od
end
process B
  local r, s;
begin
  r := x;
  s := x
end
forall B.r = B.s`)
	f := newFormula(t, p, Options{Model: memory.TSO})
	var clauses []int
	for range 60 {
		if err := f.Extend(ctx); err != nil {
			t.Fatal(err)
		}
		clauses = append(clauses, f.s.Stats().Clauses)
	}
	first, last := clauses[20]-clauses[10], clauses[59]-clauses[49]
	if last > first+first/10 {
		t.Errorf("%d clauses from bound 10 to 20, %d from 49 to 59", first, last)
	}
}

// TestOverwritten: where two threads go round, what each has overwritten itself takes no clauses, so that they grow with the
// pairs of reads and writes, not with the pairs that each read could be between.
func TestOverwritten(t *testing.T) {
	ctx := context.Background()
	for _, body := range []string{"r := xchg(x, i)", "x := i; r := x", "own[i] := i; r := own[s]; s := own[i]"} {
		p := enginetest.Parse(t, "rounds.imp", "program P\nvariables x = 0, own[3] = 0\nprocess A[i in 1..2]\n  local r, s = 1;\nbegin\n  while true do "+body+" od\nend\n")
		f := newFormula(t, p, Options{Model: memory.TSO})
		var clauses []int
		for range 33 {
			if err := f.Extend(ctx); err != nil {
				t.Fatal(err)
			}
			clauses = append(clauses, f.s.Stats().Clauses)
		}
		if half, all := clauses[16], clauses[32]; all > 5*half {
			t.Errorf("%s: %d clauses for 16 rounds, %d for 32", body, half, all)
		}
	}
}
