package trust

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestWorkers compares what is counted and what is found by one, four and eight workers.
func TestWorkers(t *testing.T) {
	counters := func(res *verdict.Result) (all []verdict.Stat) {
		for _, s := range res.Stats {
			if s.Name != "bytes" {
				all = append(all, s)
			}
		}
		return all
	}
	programs := []*program.Program{parse(t, times(5, "Ux"), program.X86), parse(t, "Wx1|"+times(6, "Rx"), program.X86), parse(t, times(3, "Rx Wx#"), program.X86),
		parse(t, times(3, "Ux Uy"), program.X86)}
	for seed := range uint64(60) {
		opts := shapes[seed%uint64(len(shapes))].opts
		opts.Assert, opts.Deadlock, opts.Forbid = 1, 2, 3
		if p := randomAsked(seed, opts); !remembering(p) && p.Arch == program.X86 {
			programs = append(programs, p)
		}
	}
	unsafe := 0
	for i, p := range programs {
		var want *verdict.Result
		for _, workers := range []int{1, 4, 8} {
			got, err := Explore(context.Background(), p, Options{Model: memory.TSO, Workers: workers, MaxSteps: 200})
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case workers == 1:
				want = got
			case got.Verdict() != want.Verdict():
				t.Errorf("program %d, %d workers: %s, not %s", i, workers, got.Verdict(), want.Verdict())
			case got.Unsafe():
				unsafe++
				if !reflect.DeepEqual(got.Run().Steps, want.Run().Steps) {
					t.Errorf("program %d, %d workers: another run", i, workers)
				}
			case !reflect.DeepEqual(counters(got), counters(want)):
				t.Errorf("program %d, %d workers: %v, not %v", i, workers, counters(got), counters(want))
			}
			if t.Failed() {
				t.Fatal(reference.Dump(p))
			}
		}
	}
	t.Logf("%d programs, %d runs", len(programs), unsafe)
}

// TestFraction sees to it that the parts of the tree add up, and that the fraction only rises.
func TestFraction(t *testing.T) {
	for _, text := range []string{times(5, "Ux"), "Wx1|" + times(5, "Rx"), times(3, "Rx Wx#"), "Wx1 Ry|Wy1 Rx", "Rx"} {
		p := parse(t, text, program.X86)
		x := newTestExplorer(t, p, Options{Model: memory.TSO})
		last := 0.0
		x.leafed = func() {
			if x.crew.Fraction() < last {
				t.Errorf("%s: %g after %g", text, x.crew.Fraction(), last)
			}
			last = x.crew.Fraction()
		}
		x.explore()
		if math.Abs(x.crew.Fraction()-1) > 1e-6 {
			t.Errorf("%s: %g is explored", text, x.crew.Fraction())
		}
	}
}

// TestEstimates compares estimates with counts.
func TestEstimates(t *testing.T) {
	for _, test := range []struct {
		text string
		want float64
	}{
		{times(5, "Ux"), 120}, {"Wx1|" + times(8, "Rx"), 256}, {times(3, "Ux Uy"), 36}, {times(3, "Rx Wx#"), 36}, {"Wx1 Ry|Wy1 Rx", 4}, {"Rx", 1},
	} {
		e, _, err := Estimates(context.Background(), parse(t, test.text, program.X86), Options{}, 4000)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(e.Executions/test.want-1) > 0.1 || e.Blocked > 0 || e.Lower > e.Median || e.Median > e.Upper {
			t.Errorf("%s: %+v, want %g", test.text, e, test.want)
		}
	}
}
