package refine

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestFencesCorpus: as many fences as the tool Trencher finds, or fewer.
func TestFencesCorpus(t *testing.T) {
	eachKnown(t, func(t *testing.T, p *program.Program, k known) {
		for _, c := range []struct {
			goal FenceGoal
			want *int
		}{{RestoreRobustness, k.Fences}, {RestoreTRF, k.TRFence}} {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			r, err := Fences(ctx, p, FenceOptions{Goal: c.goal, Weight: CountFences, Options: Options{MemoryLimit: 1 << 30}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Sets) == 0 {
				t.Errorf("%s: %s", c.goal, r.Reason)
				continue
			}
			n := len(r.Sets[0].Places)
			if c.want != nil && n > *c.want {
				t.Errorf("%s: %d fences, %d are enough", c.goal, n, *c.want)
			}
			theirs := "no answer"
			if c.want != nil {
				theirs = strconv.Itoa(*c.want)
			}
			t.Logf("%s: %d fences in %s (%d checks); Trencher: %s", c.goal, n, r.Elapsed.Round(10*time.Microsecond), r.Stats[0].Value, theirs)
		}
	})
}
