package graphs

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestEstimates compares estimates with counts: those of many random programs together, and those of threads that add to a counter. The numbers that
// walks are taken by are always the same.
func TestEstimates(t *testing.T) {
	for _, hw := range hardware {
		def := load(t, hw.model, hw.arch)
		of := func(p *program.Program, walks int) (got, want float64) {
			opts := Options{BackEdges: 2}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			r, err := Check(ctx, p, def, opts)
			if err != nil {
				t.Fatal(err)
			}
			if !r.Safe() && r.Bound == 0 || r.Stat("visits") > 400 {
				return 0, 0
			}
			e, r2, err := Estimates(t.Context(), p, def, opts, walks)
			if err != nil || e == nil {
				t.Fatalf("%v, %v\n%s", r2, err, text(t, p))
			}
			return e.Executions + e.Blocked, float64(r.Stat("executions") + r.Stat("blocked") + r.Stat("cut"))
		}
		got, want := 0.0, 0.0
		for seed := range uint64(28) {
			rng := rand.New(rand.NewPCG(seed, 80))
			p := randprog.New(rng, delayShapes[seed%uint64(len(delayShapes))])
			ofArch(rng, p, hw.arch, hw.fences, hw.reads, hw.writes)
			p.Properties, p.Filter = nil, nil
			a, b := of(p, 50)
			got, want = got+a, want+b
		}
		if t.Logf("%s: %.1f, %.0f are counted", hw.model, got, want); want < 100 || math.Abs(got-want) > want/20 {
			t.Errorf("%s: %.1f executions, %.0f are counted", hw.model, got, want)
		}
		if hw.arch == program.AArch64 {
			if got, want := of(adders(t, 3), 500); want != 6 || math.Abs(got-want) > want/10 {
				t.Errorf("%.1f executions, %.0f are counted", got, want)
			}
		}
	}
}
