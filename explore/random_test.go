package explore

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// shapes are the kinds of random programs that the property tests run over.
var shapes = []struct {
	name     string
	opts     randprog.Options
	capacity int // of the store buffers
	scramble bool
}{
	{"small", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}}, 0, false},
	{"threads", randprog.Options{Threads: three, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1}, 0, false},
	{"asserts", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, Assert: 3, Deadlock: 2}, 0, false},
	{"locks", randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3},
		Lock: 5, Values: 1, Deadlock: 1, Havoc: -1}, 0, false},
	{"loops", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1,
		CountLoop: 2, WaitLoop: 4, Deadlock: 2, Assert: 1}, 0, false},
	{"stores", randprog.Options{Threads: two, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		StoreLoop: 4, WaitLoop: 1, Deadlock: 1, Assert: 1}, 2, false},
	{"private", randprog.Options{Threads: two, Addresses: randprog.Range{Min: 5, Max: 8}, Commands: randprog.Range{Min: 2, Max: 4},
		AddrDep: -1, RMW: -1, Lock: -1, Values: 1, Assert: 1}, 0, false},
	{"scrambled", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1,
		Fence: 3, Assign: 3, Assert: 2}, 2, true},
	{"scrambled locks", randprog.Options{Threads: two, Addresses: randprog.Range{Min: 3, Max: 5}, Commands: randprog.Range{Min: 2, Max: 4},
		AddrDep: -1, Values: 1, Lock: 5, NoProperty: 5}, 2, true},
	{"scrambled private", randprog.Options{Threads: two, Addresses: randprog.Range{Min: 4, Max: 6}, Commands: randprog.Range{Min: 2, Max: 4},
		AddrDep: -1, RMW: -1, Lock: -1, Values: 1, Fence: 2, NoProperty: 5}, 2, true},
	{"scrambled threads", randprog.Options{Threads: three, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1}, 1, true},
}

var two, three = randprog.Range{Min: 2, Max: 2}, randprog.Range{Min: 3, Max: 3}

// finalKeys prints final states as the reference does.
func finalKeys(t *testing.T, p *program.Program, fs []verdict.FinalState) []string {
	t.Helper()
	r, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, f := range fs {
		var b strings.Builder
		for ti, th := range p.Threads {
			for i := range th.Regs {
				if !th.Regs[i].Temp {
					fmt.Fprintf(&b, "%d:%s=%d ", ti, th.Regs[i].Name, f.Regs[ti][i])
				} else if f.Regs[ti][i] != 0 {
					t.Errorf("temporary %s is %d", th.Regs[i].Name, f.Regs[ti][i])
				}
			}
		}
		for i, c := range r.Cells {
			if f.Memory[i] != 0 {
				fmt.Fprintf(&b, "[%d]=%d ", c.Addr, f.Memory[i])
			}
		}
		keys = append(keys, b.String())
	}
	slices.Sort(keys)
	if n := len(keys); len(slices.Compact(slices.Clone(keys))) != n {
		t.Errorf("a final state is listed twice")
	}
	return keys
}

// violationKey names a violation as the reference does.
func violationKey(p *program.Program, v *verdict.Violation) string {
	if v.Property != nil {
		for i := range p.Properties {
			if v.Property == &p.Properties[i] {
				return fmt.Sprintf("property %d", i)
			}
		}
		return "no such property"
	}
	if v.Kind == program.Fault {
		return "fault"
	}
	return "assertion"
}

var programs = flag.Uint64("programs", 50, "how many random programs of each shape to test")

// TestRandom compares every way to search with the reference: same final states,
// same verdict, and every run replays.
func TestRandom(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			var compared, unsafe int
			states := map[Reduction]int64{}
			for seed := range *programs {
				rng := rand.New(rand.NewPCG(seed, 7))
				p := randprog.New(rng, shape.opts)
				if shape.scramble {
					scramble(rng, p)
				}
				if err := program.Sanity(p); err != nil {
					t.Fatal(err)
				}
				for _, m := range models {
					ref := refExplore(p, m, shape.capacity, 3000)
					if ref.unfinished {
						continue
					}
					compared++
					if len(ref.violations) > 0 {
						unsafe++
					}
					for i, opts := range modes {
						opts.Model, opts.Buffer, opts.MemoryLimit = m, shape.capacity, 1<<28
						// Every mode has its turn with all registers kept.
						opts.NoLive = (seed+uint64(i/2))%4 == 0
						name := fmt.Sprintf("seed %d, %s, dead registers kept %v", seed, modeName(opts), opts.NoLive)
						states[opts.Reduction] += compare(t, name, p, ref, opts)
						if t.Failed() {
							t.Fatalf("program:\n%v", dump(p))
						}
					}
				}
			}
			t.Logf("%d comparisons, %d with violations; states: %v", compared, unsafe, states)
		})
	}
}

// compare returns how many states the enumeration of final states took.
func compare(t *testing.T, name string, p *program.Program, ref *reference, opts Options) int64 {
	t.Helper()
	ctx := context.Background()
	fs, fres, err := FinalStates(ctx, p, opts)
	if err != nil {
		t.Errorf("%s: final states: %v", name, err)
		return 0
	}
	if !ref.violations["fault"] {
		if got := finalKeys(t, p, fs); !slices.Equal(got, ref.finals) {
			t.Errorf("%s: final states\n got %q\nwant %q", name, got, ref.finals)
		}
		// The reduction may get by with a smaller capacity, never with a
		// larger one.
		if complete := fres.Safe(); ref.capped && complete && opts.Reduction == NoReduction || !ref.capped && !complete {
			t.Errorf("%s: final states are %v, the capacity was reached: %v", name, fres.Verdict(), ref.capped)
		}
		if n := fres.Stat("states"); opts.Reduction == NoReduction && n > int64(ref.states) {
			t.Errorf("%s: %d states, the reference has %d", name, n, ref.states)
		}
	}
	res, err := Check(ctx, p, opts)
	switch {
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case len(ref.violations) > 0:
		if res.Violation() == nil {
			t.Errorf("%s: %v, want one of %v", name, res.Verdict(), ref.violations)
			break
		}
		if key := violationKey(p, res.Violation()); !ref.violations[key] {
			t.Errorf("%s: %s, want one of %v", name, key, ref.violations)
		}
		if (res.Unsafe()) == res.Fault() {
			t.Errorf("%s: %v for violation %+v", name, res.Verdict(), res.Violation())
		}
		run, err := replay.Replay(p, opts.Model, replay.Schedule(res.Run()))
		if err != nil || violationKey(p, run.Violation) != violationKey(p, res.Violation()) {
			t.Errorf("%s: replay: %v, %v", name, run, err)
		}
	case ref.capped:
		if res.Unsafe() || res.Safe() && opts.Reduction == NoReduction && res.Argument() == verdict.Exhaustive {
			t.Errorf("%s: %v where the capacity is reached", name, res.Verdict())
		}
	case !res.Safe():
		t.Errorf("%s: %v (%s), want SAFE", name, res.Verdict(), res.Reason())
	}
	return fres.Stat("states")
}

func dump(p *program.Program) string {
	var b strings.Builder
	for _, c := range p.Memory {
		fmt.Fprintf(&b, "%s@%d = %d %+v\n", c.Name, c.Addr, c.Init, c.Type)
	}
	for _, t := range p.Threads {
		fmt.Fprintf(&b, "thread %s, initially q%d\n", t.Name, t.Initial)
		for i := range t.Edges {
			e := &t.Edges[i]
			fmt.Fprintf(&b, "  q%d  %s  -> q%d\n", e.From, e.Cmd.Format(p, t), e.To)
		}
	}
	for _, pr := range p.Properties {
		fmt.Fprintf(&b, "%s %v\n", pr.Kind, pr.Cond)
	}
	return b.String()
}
