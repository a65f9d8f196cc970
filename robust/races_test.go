package robust_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func TestTRFCorpus(t *testing.T) {
	enginetest.EachKnown(t, func(t *testing.T, p *program.Program, k enginetest.Known) {
		if k.TRF == nil {
			t.Skip("nothing known")
		}
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		r, err := robust.Races(ctx, p, robust.Options{MemoryLimit: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict() == verdict.IsUnknown || (r.Verdict() == verdict.IsSafe) != *k.TRF {
			t.Errorf("%s (%s)", r.Verdict(), r.Reason())
		}
		t.Logf("%s in %s (%d states)", r.Verdict(), r.Elapsed.Round(10*time.Microsecond), r.Stat("states"))
	})
}

// TestTRFImpliesRobust: a program without triangular races is robust.
func TestTRFImpliesRobust(t *testing.T) {
	for _, sh := range robustShapes {
		free, racy := 0, 0
		for seed := range uint64(sh.n) {
			p := randprog.New(rand.New(rand.NewPCG(seed, 24)), sh.opt)
			f, err := robust.Races(context.Background(), p, robust.Options{})
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", sh.name, seed, err, enginetest.Text(p))
			}
			if f.Verdict() != verdict.IsSafe {
				racy++
				continue
			}
			free++
			r, err := robust.Check(context.Background(), p, robust.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict() != verdict.IsSafe {
				t.Fatalf("%s, seed %d: free of triangular races, and %s\n%s", sh.name, seed, r.Verdict(), enginetest.Text(p))
			}
		}
		if free == 0 || racy == 0 {
			t.Errorf("%s: %d programs without races, %d with", sh.name, free, racy)
		}
	}
}
