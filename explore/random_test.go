package explore

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var programs = flag.Uint64("programs", 16, "how many random programs of each shape to test")

// TestRandom compares every way to search with the reference: same final states,
// same verdict, and every run replays.
func TestRandom(t *testing.T) {
	for _, shape := range randprog.Shapes {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			var compared, unsafe int
			states := map[Reduction]int64{}
			for seed := range *programs {
				p := shape.New(seed, 7)
				if err := program.Sanity(p); err != nil {
					t.Fatal(err)
				}
				for _, m := range memory.Operational() {
					ref := reference.Search(p, m, shape.Capacity, 3000)
					if ref.Unfinished {
						continue
					}
					compared++
					if len(ref.Violations) > 0 {
						unsafe++
					}
					for i, opts := range modes {
						opts.Model, opts.Buffer, opts.MemoryLimit = m, shape.Capacity, 1<<28
						// Every mode has its turn with all registers kept.
						opts.NoLive = (seed+uint64(i/2))%4 == 0
						name := fmt.Sprintf("seed %d, %s, dead registers kept %v", seed, modeName(opts), opts.NoLive)
						states[opts.Reduction] += compare(t, name, p, ref, opts)
						if t.Failed() {
							t.Fatalf("program:\n%v", reference.Dump(p))
						}
					}
				}
			}
			t.Logf("%d comparisons, %d with violations; states: %v", compared, unsafe, states)
		})
	}
}

// compare returns how many states the enumeration of final states took.
func compare(t *testing.T, name string, p *program.Program, ref *reference.Result, opts Options) int64 {
	t.Helper()
	ctx := context.Background()
	fs, fres, err := FinalStates(ctx, p, opts)
	if err != nil {
		t.Errorf("%s: final states: %v", name, err)
		return 0
	}
	if !ref.Violations["fault"] {
		if got := reference.FinalKeys(t, p, fs); !slices.Equal(got, ref.Finals) {
			t.Errorf("%s: final states\n got %q\nwant %q", name, got, ref.Finals)
		}
		// The reduction may get by with a smaller capacity, never with a
		// larger one.
		if complete := fres.Safe(); ref.Capped && complete && opts.Reduction == NoReduction || !ref.Capped && !complete {
			t.Errorf("%s: final states are %v, the capacity was reached: %v", name, fres.Verdict(), ref.Capped)
		}
		if n := fres.Stat("states"); opts.Reduction == NoReduction && n > int64(ref.States) {
			t.Errorf("%s: %d states, the reference has %d", name, n, ref.States)
		}
	}
	res, err := Check(ctx, p, opts)
	switch {
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case len(ref.Violations) > 0:
		if res.Violation() == nil {
			t.Errorf("%s: %v, want one of %v", name, res.Verdict(), ref.Violations)
			break
		}
		if key := reference.ViolationKey(p, res.Violation()); !ref.Violations[key] {
			t.Errorf("%s: %s, want one of %v", name, key, ref.Violations)
		}
		if (res.Unsafe()) == res.Fault() {
			t.Errorf("%s: %v for violation %+v", name, res.Verdict(), res.Violation())
		}
		run, err := replay.Replay(p, opts.Model, replay.Schedule(res.Run()))
		if err != nil || reference.ViolationKey(p, run.Violation) != reference.ViolationKey(p, res.Violation()) {
			t.Errorf("%s: replay: %v, %v", name, run, err)
		}
	case ref.Capped:
		if res.Unsafe() || res.Safe() && opts.Reduction == NoReduction && res.Argument() == verdict.Exhaustive {
			t.Errorf("%s: %v where the capacity is reached", name, res.Verdict())
		}
	case !res.Safe():
		t.Errorf("%s: %v (%s), want SAFE", name, res.Verdict(), res.Reason())
	}
	return fres.Stat("states")
}
