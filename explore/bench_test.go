package explore

import (
	"context"
	"runtime"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

func benchmark(b *testing.B, p *program.Program, opts Options) {
	b.ReportAllocs()
	var states, transitions, bytes int64
	for b.Loop() {
		res, err := Check(context.Background(), p, opts)
		if err != nil || !res.Safe() {
			b.Fatal(res, err)
		}
		states += res.Stat("states")
		transitions += res.Stat("transitions")
		bytes += res.Stat("bytes")
	}
	b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
	b.ReportMetric(float64(transitions)/b.Elapsed().Seconds(), "transitions/s")
	b.ReportMetric(float64(bytes)/float64(states), "B/state")
	b.ReportMetric(float64(states)/float64(b.N), "states")
	b.ReportMetric(float64(transitions)/float64(b.N), "transitions")
}

func BenchmarkPeterson(b *testing.B) {
	benchmark(b, progtest.Peterson(b, true), Options{Model: memory.TSO})
}

func BenchmarkPetersonUnreduced(b *testing.B) {
	benchmark(b, progtest.Peterson(b, true), Options{Model: memory.TSO, Reduction: NoReduction})
}

func BenchmarkFilter3(b *testing.B) {
	benchmark(b, progtest.Filter(b, 3, true), Options{Model: memory.TSO})
}

func BenchmarkFilter3Unreduced(b *testing.B) {
	benchmark(b, progtest.Filter(b, 3, true), Options{Model: memory.TSO, Reduction: NoReduction})
}

func BenchmarkFilter3DepthFirst(b *testing.B) {
	benchmark(b, progtest.Filter(b, 3, true), Options{Model: memory.TSO, DepthFirst: true})
}

func BenchmarkFilter3UnreducedDepthFirst(b *testing.B) {
	benchmark(b, progtest.Filter(b, 3, true), Options{Model: memory.TSO, DepthFirst: true, Reduction: NoReduction})
}

func BenchmarkFilter4(b *testing.B) {
	benchmark(b, progtest.Filter(b, 4, true), Options{Model: memory.TSO})
}

func BenchmarkFilter4Workers(b *testing.B) {
	benchmark(b, progtest.Filter(b, 4, true), Options{Model: memory.TSO, Workers: runtime.GOMAXPROCS(0)})
}
