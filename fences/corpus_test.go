package fences

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestFencesCorpus: as many fences as the tool Trencher finds, or fewer.
func TestFencesCorpus(t *testing.T) {
	enginetest.EachKnown(t, func(t *testing.T, p *program.Program, k enginetest.Known) {
		for _, c := range []struct {
			goal verdict.Question
			want *int
		}{{verdict.Robustness, k.Fences}, {verdict.RaceFreedom, k.TRFence}} {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
			defer cancel()
			r, err := Find(ctx, p, Options{Goal: c.goal, Weight: Uniform, Options: engine.Options{MemoryLimit: 1 << 30}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Sets) == 0 {
				t.Errorf("%s: %+v", c.goal, r.Gap)
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
