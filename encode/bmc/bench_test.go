package bmc_test

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// benchmark checks an example again and again and reports figures beside the time.
func benchmark(b *testing.B, file string, n int64, opts bmc.Options, want verdict.Verdict) {
	p := enginetest.Example(b, file, n)
	var r *verdict.Result
	var err error
	for b.Loop() {
		if r, err = bmc.Check(b.Context(), p, opts); err != nil {
			b.Fatal(err)
		}
	}
	if r.Verdict() != want {
		b.Fatalf("%s: %s", r.Verdict(), r.Reason())
	}
	for _, f := range []string{"events", "clauses"} {
		b.ReportMetric(float64(r.Stat(f)), f)
	}
}

// BenchmarkBMC is encoding and solving, from an empty solver to the verdict.
func BenchmarkBMC(b *testing.B) {
	for _, c := range []struct {
		name, file string
		n          int64
		want       verdict.Verdict
	}{
		{"sb-ring/N=20", "sb-ring.imp", 20, verdict.IsUnsafe},
		{"sb-ring-fenced/N=20", "sb-ring-fenced.imp", 20, verdict.IsSafe},
		{"lamport-fast/N=5", "lamport-fast.imp", 5, verdict.IsUnsafe},
		{"fig5.3/N=50", "thesis/fig5.3.imp", 50, verdict.IsUnsafe},
		{"fig5.4/N=20", "thesis/fig5.4.imp", 20, verdict.IsUnsafe},
	} {
		b.Run(c.name, func(b *testing.B) { benchmark(b, c.file, c.n, bmc.Options{}, c.want) })
	}
}

// BenchmarkRelational is what it would cost to follow the text of tso.cat
// instead of the direct encoding of it.
func BenchmarkRelational(b *testing.B) {
	for _, c := range []struct {
		name, file string
		n          int64
		want       verdict.Verdict
	}{
		{"sb-ring/N=20", "sb-ring.imp", 20, verdict.IsUnsafe},
		{"sb-ring-fenced/N=20", "sb-ring-fenced.imp", 20, verdict.IsSafe},
		{"lamport-fast/N=3", "lamport-fast.imp", 3, verdict.IsUnsafe},
		{"peterson", "peterson.imp", 0, verdict.IsUnsafe},
		{"seqlock", "seqlock.imp", 0, verdict.IsSafe},
	} {
		for _, relational := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/relational=%v", c.name, relational), func(b *testing.B) {
				benchmark(b, c.file, c.n, bmc.Options{Relational: relational}, c.want)
			})
		}
	}
}
