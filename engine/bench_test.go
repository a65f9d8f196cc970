package engine

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
)

func BenchmarkExplicit(b *testing.B) {
	for _, file := range []string{"lamport-fast-fenced.imp", "peterson-n-fenced.imp"} {
		b.Run(file+"/N=3", func(b *testing.B) {
			b.ReportAllocs()
			p, states := enginetest.Example(b, file, 3), int64(0)
			for b.Loop() {
				r, err := Check(b.Context(), p, Options{Engine: Explicit})
				if err != nil || !r.Safe() {
					b.Fatal(r, err)
				}
				states = r.Stat("states")
			}
			b.ReportMetric(float64(states), "states")
			b.ReportMetric(float64(states)*float64(b.N)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
