package robust_test

import (
	"context"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func TestRobustCorpus(t *testing.T) {
	enginetest.EachKnown(t, func(t *testing.T, p *program.Program, k enginetest.Known) {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		r, err := robust.Check(ctx, p, robust.Options{MemoryLimit: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		theirs := "no answer"
		if k.Robust != nil {
			theirs = time.Duration(*k.Seconds * float64(time.Second)).String()
			if (r.Verdict() == verdict.IsSafe) != *k.Robust || r.Verdict() == verdict.IsUnknown {
				t.Errorf("%s (%s)", r.Verdict(), r.Reason())
			}
		} else if r.Verdict() == verdict.IsUnknown {
			t.Errorf("no answer either: %s", r.Reason())
		}
		t.Logf("%s in %s (%d states, %d of %d attacks pruned); Trencher: %s", r.Verdict(), r.Elapsed.Round(10*time.Microsecond),
			r.Stat("states"), r.Stat("attacks pruned"), r.Stat("attacks"), theirs)
	})
}
