package engine

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestSharing: engines that share an analysis leave it as it is, and come to what they come to
// with one of their own.
func TestSharing(t *testing.T) {
	for _, sh := range shapes {
		t.Run(sh.name, func(t *testing.T) {
			t.Parallel()
			n := max(sh.n/16, *programs)
			if testing.Short() {
				n = 2
			}
			for seed := range uint64(n) {
				p := randprog.New(rand.New(rand.NewPCG(seed, 23)), sh.opt)
				for _, m := range memory.Operational() {
					first, err := program.Analyse(p)
					if err != nil {
						t.Fatal(err)
					}
					shared := program.Sharing(t.Context(), p)
					check := func(ctx context.Context, e Engine) *verdict.Result {
						ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
						defer cancel()
						r, err := e.Check(ctx, p, Options{Model: m, MemoryLimit: 1 << 30}.WithDefaults())
						if err != nil {
							t.Fatal(e.Name, err)
						}
						return r
					}
					for _, e := range members(p, m) {
						alone, r := check(t.Context(), e), check(shared, e)
						if alone.Conclusive() && r.Conclusive() && alone.Verdict() != r.Verdict() {
							t.Errorf("%s under %s: %v; alone: %v", e.Name, m, r.Verdict(), alone.Verdict())
						}
						if then, err := program.AnalyseContext(shared, p); err != nil || !reflect.DeepEqual(first, then) {
							t.Errorf("%s under %s has changed what is shared", e.Name, m)
						}
					}
					if t.Failed() {
						t.Fatalf("seed %d:\n%s", seed, enginetest.Text(p))
					}
				}
			}
		})
	}
}
