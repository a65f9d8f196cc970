package refine

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
)

func TestTRFCorpus(t *testing.T) {
	eachKnown(t, func(t *testing.T, p *program.Program, k known) {
		if k.TRF == nil {
			t.Skip("nothing known")
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		r, err := TRF(ctx, p, Options{MemoryLimit: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict == RobustnessUnknown || (r.Verdict == IsRobust) != *k.TRF {
			t.Errorf("%s (%s)", r.Verdict, r.Reason)
		}
		t.Logf("%s in %s (%d states)", r.Verdict, r.Elapsed.Round(10*time.Microsecond), r.Stat("states"))
	})
}

// TestTRFImpliesRobust: a program without triangular races is robust.
func TestTRFImpliesRobust(t *testing.T) {
	for _, sh := range robustShapes {
		free, racy := 0, 0
		for seed := range uint64(sh.n) {
			p := randprog.New(rand.New(rand.NewPCG(seed, 24)), sh.opt)
			f, err := TRF(context.Background(), p, Options{})
			if err != nil {
				t.Fatalf("%s, seed %d: %v\n%s", sh.name, seed, err, text(p))
			}
			if f.Verdict != IsRobust {
				racy++
				continue
			}
			free++
			r, err := Robust(context.Background(), p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != IsRobust {
				t.Fatalf("%s, seed %d: free of triangular races, and %s\n%s", sh.name, seed, r.Verdict, text(p))
			}
		}
		if free == 0 || racy == 0 {
			t.Errorf("%s: %d programs without races, %d with", sh.name, free, racy)
		}
	}
}
