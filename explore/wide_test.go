package explore

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestWide is [TestRandom] for programs in which an access may reach several cells in one step.
func TestWide(t *testing.T) {
	for _, shape := range randprog.Shapes {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			var compared, unsafe int
			n := *programs / 5
			if testing.Short() {
				n /= 2
			}
			for seed := range n {
				p := shape.New(seed, 31)
				rng := rand.New(rand.NewPCG(seed, 32))
				if !randprog.Widen(rng, p) {
					continue
				}
				if err := program.Sanity(p); err != nil {
					t.Fatal(err)
				}
				for _, m := range memory.Operational() {
					ref := reference.Search(p, m, shape.Capacity, 2000)
					if ref.Unfinished {
						continue
					}
					compared++
					if len(ref.Violations) > 0 {
						unsafe++
					}
					for i, opts := range modes {
						opts.Model, opts.Buffer, opts.MemoryLimit = m, shape.Capacity, 1<<28
						opts.NoLive = (seed+uint64(i/2))%4 == 0
						compare(t, fmt.Sprintf("seed %d, %s, dead registers kept %v", seed, modeName(opts), opts.NoLive), p, ref, opts)
						if t.Failed() {
							t.Fatalf("program:\n%v", reference.Dump(p))
						}
					}
				}
			}
			t.Logf("%d comparisons, %d with violations", compared, unsafe)
		})
	}
}
