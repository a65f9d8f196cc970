package explore

import (
	"context"
	"flag"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// traces wraps an algorithm and notes the traces of the executions that end.
type traces struct {
	algorithm
	r            *executions
	seen         map[uint64]string
	again, order []string
}

var seed = maphash.MakeSeed()
var strict = flag.Bool("strict", false, "")
var dbgShape = flag.String("shape", "", "")
var dbgSeed = flag.Int("seed", 0, "")
var dbgModel = flag.String("mem", "sc", "")
var dbgAll = flag.Bool("dall", false, "")

// key is a hash of the trace: of every event, by process and number, with its
// edge, the way picked and what happens before it.
func (a *traces) key() uint64 {
	sum := uint64(0)
	for i := range a.r.events {
		e := &a.r.events[i]
		edge := e.step
		if e.pick >= 0 {
			edge = abstract.Event{}
		} else if e.proc >= a.r.threads {
			edge.Choice = 0
		}
		var h maphash.Hash
		h.SetSeed(seed)
		fmt.Fprint(&h, e.proc, e.index, e.pick, edge, e.clock)
		sum += h.Sum64()
	}
	return sum
}

func (a *traces) ended() {
	d := ""
	if *dbgShape != "" {
		d = describeTrace(a.r)
		a.order = append(a.order, d)
	}
	if k := a.key(); a.seen[k] != "" {
		a.again = append(a.again, a.seen[k], d)
	} else {
		a.seen[k] = "x" + d
	}
	a.algorithm.ended()
}

// interleavings explores all interleavings.
type interleavings struct{ *executions }

func (a *interleavings) enter(n *node) {
	for p := range n.backtrack {
		n.backtrack[p] = a.enabled(a.s, p, a.status)
	}
}

func (a *interleavings) next(n *node) int {
	for p, b := range n.backtrack {
		if b && !n.done[p] {
			n.done[p] = true
			return p
		}
	}
	return -1
}

func (a *interleavings) ended() {}

var executionShapes = []struct {
	name     string
	opts     randprog.Options
	scramble bool
	events   int
}{
	{"small", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, Havoc: -1, NoProperty: -1, Forbid: -1}, false, 0},
	{"forbid", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, NoProperty: -1, Exists: -1, Forall: -1}, false, 0},
	{"choice", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, Havoc: 2, Branch: 4}, false, 0},
	{"threads", randprog.Options{Threads: three, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1}, false, 0},
	{"accesses", randprog.Options{Threads: three, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		Havoc: -1, Branch: -1, Lock: -1, Assign: -1, RMW: -1, Atomic: -1, Fence: -1}, false, 0},
	{"atomics", randprog.Options{Threads: three, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		Havoc: -1, RMW: 4, Atomic: 6, Deadlock: 2}, false, 0},
	{"asserts", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, Assert: 3, Deadlock: 2}, false, 0},
	{"locks", randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3},
		Lock: 5, Values: 1, Deadlock: 1, Havoc: -1}, false, 0},
	{"waits", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1,
		CountLoop: 2, WaitLoop: 4, Deadlock: 2, Assert: 1}, false, 0},
	{"stores", randprog.Options{Threads: two, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		StoreLoop: 4, WaitLoop: 1, Deadlock: 1, Assert: 1}, false, 14},
	{"scrambled", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1,
		Fence: 3, Assign: 3, Assert: 2}, true, 14},
	{"scrambled locks", randprog.Options{Threads: two, Addresses: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3},
		AddrDep: -1, Values: 1, Lock: 5, Deadlock: 2}, true, 14},
}

// explored is what an algorithm finds in p.
type explored struct {
	res    *verdict.Result
	finals []string
	traces *traces
	r      *executions
}

func exploreWith(t *testing.T, p *program.Program, opts ExecutionOptions, wrap func(*executions) algorithm) *explored {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out := &explored{}
	set := map[string]bool{}
	opts.Found = func(s *abstract.State) {
		f := verdict.FinalState{Memory: s.Mem, Regs: make([][]int64, len(p.Threads))}
		for t, th := range p.Threads {
			f.Regs[t] = slices.Clone(s.Regs[t])
			for r := range th.Regs {
				if th.Regs[r].Temp {
					f.Regs[t][r] = 0
				}
			}
		}
		set[finalKeys(t, p, []verdict.FinalState{f})[0]] = true
	}
	r, err := newExecutions(ctx, p, opts)
	if err != nil {
		t.Fatal(err)
	}
	out.r = r
	out.traces = &traces{algorithm: wrap(r), r: r, seen: map[uint64]string{}}
	if err := r.run(out.traces); err != nil {
		t.Fatalf("%v\n%s", err, dump(p))
	}
	out.res = &verdict.Result{}
	r.report(out.res)
	for f := range set {
		out.finals = append(out.finals, f)
	}
	slices.Sort(out.finals)
	return out
}

var algorithms = map[Algorithm]func(*executions) algorithm{
	Optimal: func(r *executions) algorithm { return &optimal{source{r}} },
	Source:  func(r *executions) algorithm { return &source{r} },
	DPOR:    func(r *executions) algorithm { return &dpor{r} },
}

func TestExecutionsOfRandomPrograms(t *testing.T) {
	for _, shape := range executionShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			var compared, judged, redundant, twice int
			for i := range *programs {
				rng := rand.New(rand.NewPCG(uint64(i), 77))
				p := randprog.New(rng, shape.opts)
				if shape.scramble {
					scramble(rng, p)
				}
				for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
					name := fmt.Sprintf("program %d, %s", i, m)
					all := exploreWith(t, p, ExecutionOptions{Model: m, MaxEvents: shape.events, MaxExecutions: 3000},
						func(r *executions) algorithm { return &interleavings{r} })
					fs, fres, err := FinalStates(t.Context(), p, Options{Model: m, NoReduction: true, MaxStates: 20000})
					if err != nil {
						t.Fatal(err)
					}
					want := finalKeys(t, p, fs)
					for a, wrap := range algorithms {
						got := exploreWith(t, p, ExecutionOptions{Model: m, MaxEvents: shape.events, MaxExecutions: 3000}, wrap)
						if got.res.Verdict == verdict.Safe && fres.Verdict == verdict.Safe {
							compared++
							if !slices.Equal(got.finals, want) {
								t.Errorf("%s, %v: final states\n got %q\nwant %q", name, a, got.finals, want)
							}
						}
						if got.r.violated != (fres.Violation != nil) && got.r.stopped == "" && got.r.cuts == 0 && fres.Conclusive() {
							t.Errorf("%s, %v: at fault: %v, want %v", name, a, got.r.violated, fres.Violation != nil)
						}
						if all.res.Verdict == verdict.Safe && got.res.Verdict == verdict.Safe {
							judged++
							n := got.r.executions + got.r.blocked
							if len(got.traces.seen) != len(all.traces.seen) {
								t.Errorf("%s, %v: %d traces, want %d", name, a, len(got.traces.seen), len(all.traces.seen))
							}
							if a != DPOR && n != int64(len(all.traces.seen)) {
								t.Errorf("%s, %v: %d executions, want %d", name, a, n, len(all.traces.seen))
								twice++
							}
							if a == Optimal && got.r.redundant > 0 {
								redundant++
								if *strict {
									t.Errorf("%s: %d redundant", name, got.r.redundant)
								}
							}
						}
						if t.Failed() {
							t.Fatalf("program:\n%s", dump(p))
						}
					}
				}
			}
			t.Logf("%d comparisons, %d with all traces, %d redundant, %d twice", compared, judged, redundant, twice)
		})
	}
}
