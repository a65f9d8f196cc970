package symbolic

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var (
	measure = flag.String("measure", "", "measure this example instead of testing")
	sizes   = flag.String("sizes", "2,3", "its N")
	limit   = flag.Duration("limit", time.Minute, "for one measurement")
	bufs    = flag.String("buffers", "none,set,coherence:1,coherence:2", "the buffers")
	engines = flag.String("engines", "ic3,explicit", "the engines")
)

// TestMeasure compares the ways to prove an example: go test -run Measure
// -measure peterson-n-fenced -sizes 2,3 -v ./symbolic
func TestMeasure(t *testing.T) {
	if *measure == "" {
		t.Skip("without -measure")
	}
	for n := range strings.SplitSeq(*sizes, ",") {
		var size int64
		fmt.Sscan(n, &size)
		p := example(t, *measure, size)
		for b := range strings.SplitSeq(*bufs, ",") {
			buf, err := abstract.ParseBuffer(b)
			if err != nil {
				t.Fatal(err)
			}
			for e := range strings.SplitSeq(*engines, ",") {
				ctx, cancel := context.WithTimeout(context.Background(), *limit)
				start := time.Now()
				line := ""
				if e == "explicit" {
					opts := explore.Options{Abstraction: buf, MemoryLimit: 3 << 30}
					switch b {
					case "none":
						opts.Abstraction, opts.Model = nil, "sc"
					case "fifo":
						opts.Abstraction = nil
					}
					res, err := explore.Check(ctx, p, opts)
					if err != nil {
						t.Fatal(err)
					}
					line = fmt.Sprint(res.Verdict(), " candidate ", res.Candidate() != nil, " states ", res.Stat("states"), " ", res.Reason())
				} else if e == "saturation" {
					res, set, err := Saturation(ctx, p, buf, Search{})
					if err != nil {
						t.Fatal(err)
					}
					line = fmt.Sprint(res.Verdict, " ", res.Depth, " nodes ", res.Reason)
					if set != nil {
						line += fmt.Sprintf(" %g states, %v", set.States(), set.space.sizes)
					}
				} else if b != "fifo" {
					y, err := New(t.Context(), p, buf, Options{})
					if err != nil {
						t.Fatal(err)
					}
					f := IC3
					if e != "ic3" && e != "plain" {
						f = KInduction
					}
					res, err := f(ctx, y, Search{plain: e == "plain"})
					if err != nil {
						t.Fatal(err)
					}
					if res.Verdict == verdict.IsSafe {
						if err := Check(context.Background(), res.Invariant, p); err != nil {
							t.Fatal(err)
						}
						line = fmt.Sprint(len(res.Invariant.Clauses), " clauses ")
					}
					line += fmt.Sprint(res.Verdict, " ", len(y.Bits), " bits, depth ", res.Depth, ", ", res.Queries, " queries, trace ", len(res.Trace))
				}
				cancel()
				if line != "" {
					t.Logf("%s N=%s %-12s %-9s %7.2fs %s", *measure, n, b, e, time.Since(start).Seconds(), line)
				}
			}
		}
	}
}
