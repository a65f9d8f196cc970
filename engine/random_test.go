package engine

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// programs makes the comparison longer: go test ./engine -run Agree -programs 5000
var programs = flag.Int("programs", 0, "random programs of each shape; 0: the usual number")

// shapes are the kinds of random programs on which all engines must agree. There are not many of each, since
// package encode compares the solver with the search on others of these kinds, and crosscheck all engines.
var shapes = []struct {
	name string
	opt  randprog.Options
	n    int // programs, each under every model
}{
	{"plain", randprog.Options{Plain: true, Lock: -1, Atomic: -1, RMW: -1, Havoc: -1, Branch: -1, AddrDep: -1}, 50},
	{"everything", randprog.Options{Assert: 1}, 50},
	{"branches", randprog.Options{Lock: -1, Branch: 5}, 40},
	{"addresses", randprog.Options{Lock: -1, AddrDep: 60, RMW: 4}, 40},
	{"locks", randprog.Options{Lock: 4, Assert: 1}, 40},
	{"loops", randprog.Options{CountLoop: 4, WaitLoop: 3, Threads: randprog.Range{Min: 2, Max: 2}}, 40},
	{"forbid", randprog.Options{Forbid: 6, Branch: 3}, 50},
}

// TestEnginesAgree compares the engines on random programs: the final states
// that explicit search and the solver list are the same, verdicts do not
// contradict each other, and every counterexample replays to what it claims.
func TestEnginesAgree(t *testing.T) {
	ctx := context.Background()
	for _, sh := range shapes {
		for _, m := range encode.Direct {
			t.Run(sh.name+"/"+string(m), func(t *testing.T) {
				t.Parallel()
				n := sh.n
				switch {
				case *programs > 0:
					n = *programs
				case testing.Short():
					n /= 10
				}
				complete := 0
				for seed := range uint64(n) {
					p := randprog.New(rand.New(rand.NewPCG(seed, 11)), sh.opt)
					if compare(t, ctx, p, Options{Model: m, Unroll: 8}) {
						complete++
					}
					if t.Failed() {
						t.Fatalf("seed %d:\n%s", seed, enginetest.Text(p))
					}
				}
				if complete < n/2 {
					t.Errorf("only %d of %d programs were decided by both engines", complete, n)
				}
			})
		}
	}
}

// compare runs the engines on p and reports whether all came to an end.
func compare(t *testing.T, ctx context.Context, p *program.Program, opts Options) bool {
	t.Helper()
	results := map[Name]*verdict.Result{}
	for _, e := range []Name{Explicit, BMC} {
		opts.Engine = e
		r, err := Check(ctx, p, opts)
		if err != nil {
			t.Errorf("%s: %v", e, err)
			return false
		}
		if r.Run() != nil {
			if err := enginetest.Replays(p, r); err != nil {
				t.Errorf("%s: %v", e, err)
			}
		} else if r.Unsafe() {
			t.Errorf("%s: UNSAFE without a run", e)
		}
		results[e] = r
	}
	x, b := results[Explicit], results[BMC]
	if x.Conclusive() && b.Conclusive() && x.Verdict() != b.Verdict() {
		t.Errorf("explicit says %s, bmc says %s", x.Verdict(), b.Verdict())
	}
	if !x.Conclusive() {
		t.Errorf("explicit search does not end: %s", x.Reason())
	}
	opts.Engine = Explicit
	want, xr, err := FinalStates(ctx, p, opts)
	if err != nil || !xr.Safe() {
		t.Errorf("explicit final states: %v, %v", xr, err)
		return false
	}
	opts.Engine = BMC
	got, br, err := FinalStates(ctx, p, opts)
	if err != nil {
		t.Errorf("bmc final states: %v", err)
		return false
	}
	if !br.Safe() {
		seen := map[string]bool{}
		for _, s := range want {
			seen[fmt.Sprint(s)] = true
		}
		for _, s := range got {
			if !seen[fmt.Sprint(s)] {
				t.Errorf("bmc alone finds the final state %v", s)
			}
		}
		return false
	}
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Errorf("final states of bmc:\n%v\nof explicit search:\n%v", got, want)
	}
	return b.Conclusive()
}
