package refine

import (
	"context"
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// benchmark checks an example again and again and reports figures of its search
// beside the time.
func benchmark(b *testing.B, file string, defines map[string]int64, opts Options, want verdict.Verdict, figures ...string) {
	p, err := lang.Load("../examples/"+file, defines)
	if err != nil {
		b.Fatal(err)
	}
	var r *verdict.Result
	for b.Loop() {
		if r, err = Check(context.Background(), p, opts); err != nil {
			b.Fatal(err)
		}
	}
	if r.Verdict() != want {
		b.Fatalf("%s: %s", r.Verdict(), r.Reason())
	}
	for _, f := range figures {
		b.ReportMetric(float64(r.Stat(f)), f)
		if f == "states" {
			b.ReportMetric(float64(r.Stat(f))*float64(b.N)/b.Elapsed().Seconds(), "states/s")
		}
	}
}

func BenchmarkExplicit(b *testing.B) {
	for _, c := range []struct {
		name, file string
		n          int64
	}{
		{"lamport-fast-fenced/N=3", "lamport-fast-fenced.imp", 3},
		{"peterson-n-fenced/N=3", "peterson-n-fenced.imp", 3},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			benchmark(b, c.file, map[string]int64{"N": c.n}, Options{Engine: Explicit}, verdict.IsSafe, "states")
		})
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
		b.Run(c.name, func(b *testing.B) {
			benchmark(b, c.file, map[string]int64{"N": c.n}, Options{Engine: BMC}, c.want, "events", "clauses")
		})
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
				defines := map[string]int64{}
				if c.n > 0 {
					defines["N"] = c.n
				}
				benchmark(b, c.file, defines, Options{Engine: BMC, relational: relational}, c.want, "events", "clauses")
			})
		}
	}
}
