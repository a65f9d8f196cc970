package explore

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// traces wraps an algorithm and notes the traces of the executions that end.
type traces struct {
	algorithm
	r     *executions
	seen  map[uint64]bool
	twice int
	picks bool // whether a thread has ever had to pick
}

// key is a hash of the trace: of every event, by process and number, with its
// edge, the way picked and what happens before it.
func (a *traces) key() uint64 {
	sum := uint64(0)
	for i := range a.r.events {
		e := &a.r.events[i]
		edge := e.step
		if e.pick >= 0 {
			edge, a.picks = abstract.Event{}, true
		} else if e.proc >= a.r.threads {
			edge.Choice = 0
		}
		words := []uint64{uint64(e.proc), uint64(e.pick), uint64(edge.Edge), uint64(edge.Choice)}
		for _, n := range e.clock {
			words = append(words, uint64(n))
		}
		sum += states.Hash(words)
	}
	return sum
}

func (a *traces) ended(givenUp bool) {
	if givenUp {
		a.algorithm.ended(true)
		return
	}
	if k := a.key(); a.seen[k] {
		a.twice++
	} else {
		a.seen[k] = true
	}
	a.algorithm.ended(false)
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

func (a *interleavings) ended(bool) {}

type executionShape struct {
	name     string
	opts     randprog.Options
	scramble bool
	events   int // MaxEvents, where runs may have no end
}

// programs is how many programs of the shape are worth the time.
func (s *executionShape) programs() uint64 {
	if s.events > 0 {
		return *programs / 8
	}
	return *programs / 2
}

var executionShapes = []executionShape{
	{"small", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, Havoc: -1, NoProperty: -1, Forbid: -1}, false, 0},
	{"forbid", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, NoProperty: -1, Exists: -1, Forall: -1}, false, 0},
	{"choice", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 4}, Havoc: 2, Branch: 4}, false, 0},
	{"choice of three", randprog.Options{Threads: three, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1,
		Havoc: 4, Branch: 4, Lock: -1}, false, 0},
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
		StoreLoop: 4, WaitLoop: 1, Deadlock: 1, Assert: 1}, false, 10},
	{"scrambled", randprog.Options{Threads: two, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1,
		Fence: 3, Assign: 3, Assert: 2}, true, 10},
	{"scrambled locks", randprog.Options{Threads: two, Addresses: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3},
		AddrDep: -1, Values: 1, Lock: 5, Deadlock: 2}, true, 10},
}

// explored is what an algorithm finds in p.
type explored struct {
	res    *verdict.Result
	finals []string
	traces *traces
	r      *executions
}

// finalState is s as [FinalStates] lists it.
func finalState(p *program.Program, s *abstract.State) verdict.FinalState {
	f := verdict.FinalState{Memory: s.Mem, Regs: make([][]int64, len(p.Threads))}
	for t, th := range p.Threads {
		f.Regs[t] = slices.Clone(s.Regs[t])
		for r := range th.Regs {
			if th.Regs[r].Temp {
				f.Regs[t][r] = 0
			}
		}
	}
	return f
}

func exploreWith(t *testing.T, p *program.Program, opts ExecutionOptions, wrap func(*executions) algorithm) *explored {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out := &explored{}
	set := map[string]bool{}
	opts.Found = func(s *abstract.State) {
		set[finalKeys(t, p, []verdict.FinalState{finalState(p, s)})[0]] = true
	}
	r, err := newExecutions(ctx, p, opts)
	if err != nil {
		t.Fatal(err)
	}
	out.r = r
	out.traces = &traces{algorithm: wrap(r), r: r, seen: map[uint64]bool{}}
	if err := r.run(out.traces); err != nil {
		t.Fatalf("%v\n%s", err, dump(p))
	}
	if out.res, err = r.result(); err != nil {
		t.Fatal(err)
	}
	for f := range set {
		out.finals = append(out.finals, f)
	}
	slices.Sort(out.finals)
	return out
}

var algorithms = map[Algorithm]func(*executions) algorithm{
	Optimal: func(r *executions) algorithm { return &optimal{source{r, true}} },
	Source:  func(r *executions) algorithm { return &source{executions: r} },
	DPOR:    func(r *executions) algorithm { return &dpor{r} },
}

const maxRandomExecutions = 400

// TestExecutionsOfRandomPrograms compares the algorithms with the exploration of
// all interleavings (same traces, each once where the algorithm sees to it) and
// with the full search of states (same final states).
func TestExecutionsOfRandomPrograms(t *testing.T) {
	for _, shape := range executionShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			var compared, judged, traces, redundant int
			for i := range shape.programs() / 2 {
				rng := rand.New(rand.NewPCG(i, 77))
				p := randprog.New(rng, shape.opts)
				if shape.scramble {
					scramble(rng, p)
				}
				for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
					opts := ExecutionOptions{Model: m, MaxEvents: shape.events, MaxExecutions: maxRandomExecutions}
					all := exploreWith(t, p, opts, func(r *executions) algorithm { return &interleavings{r} })
					fs, fres, err := FinalStates(t.Context(), p, Options{Model: m, Reduction: NoReduction, MaxStates: 20000})
					if err != nil {
						t.Fatal(err)
					}
					want := finalKeys(t, p, fs)
					for a, wrap := range algorithms {
						name := fmt.Sprintf("program %d, %s, %v", i, m, a)
						got := exploreWith(t, p, opts, wrap)
						if got.res.Safe() && fres.Safe() {
							compared++
							if !slices.Equal(got.finals, want) {
								t.Errorf("%s: final states\n got %q\nwant %q", name, got.finals, want)
							}
						}
						if fault := fres.Violation() != nil; fres.Conclusive() && got.r.violated != fault && (got.r.violated || got.r.stopped == "" && got.r.cuts == 0) {
							t.Errorf("%s: at fault: %v, want %v", name, got.r.violated, fault)
						}
						if all.res.Safe() && got.res.Safe() {
							judged++
							traces += len(all.traces.seen)
							if len(got.traces.seen) != len(all.traces.seen) {
								t.Errorf("%s: %d traces, want %d", name, len(got.traces.seen), len(all.traces.seen))
							}
							if a != DPOR && got.traces.twice > 0 {
								t.Errorf("%s: %d traces explored twice", name, got.traces.twice)
							}
							if got.r.redundant > 0 && a != Source {
								redundant++
								if !got.traces.picks || a == DPOR {
									t.Errorf("%s: %d redundant explorations", name, got.r.redundant)
								}
							}
						}
						if t.Failed() {
							t.Fatalf("program:\n%s", dump(p))
						}
					}
				}
			}
			t.Logf("%d comparisons of final states, %d of traces (%d), %d redundant for picks", compared, judged, traces, redundant)
		})
	}
}

// TestExecutionsVerdicts compares the verdicts with the reference and, under PSO,
// with the full search.
func TestExecutionsVerdicts(t *testing.T) {
	for _, shape := range executionShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			var conclusive, unsafe int
			for i := range shape.programs() {
				rng := rand.New(rand.NewPCG(i, 79))
				p := randprog.New(rng, shape.opts)
				if shape.scramble {
					scramble(rng, p)
				}
				for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
					violations := map[string]bool{}
					if m == memory.PSO {
						res, err := Check(t.Context(), p, Options{Model: m, Reduction: NoReduction, MaxStates: 3000})
						if err != nil {
							t.Fatal(err)
						}
						if !res.Conclusive() {
							continue
						}
						if res.Violation() != nil {
							violations["any"] = true
						}
					} else {
						ref := refExplore(p, m, 0, 3000)
						if ref.unfinished {
							continue
						}
						violations = ref.violations
					}
					for _, a := range []Algorithm{Optimal, Source, DPOR} {
						name := fmt.Sprintf("program %d, %s, %v", i, m, a)
						res, err := Executions(t.Context(), p, ExecutionOptions{Model: m, Algorithm: a, MaxEvents: shape.events, MaxExecutions: maxRandomExecutions})
						switch {
						case err != nil:
							t.Errorf("%s: %v", name, err)
						case !res.Conclusive():
						case res.Violation() == nil && len(violations) > 0:
							t.Errorf("%s: %v, want %v", name, res.Verdict(), violations)
						case res.Violation() != nil && !violations["any"] && !violations[violationKey(p, res.Violation())]:
							t.Errorf("%s: %s, want one of %v", name, violationKey(p, res.Violation()), violations)
						default:
							conclusive++
							if res.Violation() != nil {
								unsafe++
								run, err := replay.Replay(p, m, replay.Schedule(res.Run()))
								if err != nil || violationKey(p, run.Violation) != violationKey(p, res.Violation()) {
									t.Errorf("%s: replay: %v, %v", name, run, err)
								}
							}
						}
						if t.Failed() {
							t.Fatalf("program:\n%s", dump(p))
						}
					}
				}
			}
			t.Logf("%d conclusive, %d of them with a violation", conclusive, unsafe)
		})
	}
}

// TestStatefulDPOR compares stateful dynamic partial-order reduction with the full
// search.
func TestStatefulDPOR(t *testing.T) {
	all := slices.Clone(executionShapes)
	for _, s := range shapes {
		all = append(all, executionShape{s.name + " of search", s.opts, s.scramble, s.capacity})
	}
	for _, shape := range all {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			var compared, unsafe int
			var states, full int64
			for i := range *programs {
				rng := rand.New(rand.NewPCG(i, 80))
				p := randprog.New(rng, shape.opts)
				if shape.scramble {
					scramble(rng, p)
				}
				for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
					name := fmt.Sprintf("program %d, %s", i, m)
					capacity := min(shape.events, 2)
					opts := Options{Model: m, Buffer: capacity}
					plain := Options{Model: m, Buffer: capacity, Reduction: NoReduction, MaxStates: 20000}
					want, err := Check(t.Context(), p, plain)
					if err != nil {
						t.Fatal(err)
					}
					fs, fres, err := FinalStates(t.Context(), p, plain)
					if err != nil {
						t.Fatal(err)
					}
					if want.Stat("states") >= 20000 || fres.Stat("states") >= 20000 {
						continue
					}
					compared++
					got, err := StatefulDPOR(t.Context(), p, opts)
					switch {
					case err != nil:
						t.Errorf("%s: %v", name, err)
					case (got.Violation() == nil) != (want.Violation() == nil):
						t.Errorf("%s: %v, want %v", name, got.Verdict(), want.Verdict())
					case got.Safe() && want.Verdict() == verdict.IsUnknown:
						t.Errorf("%s: SAFE, but a buffer was full", name)
					case got.Verdict() == verdict.IsUnknown && want.Safe() && capacity == 0:
						t.Errorf("%s: %s", name, got.Reason())
					case got.Violation() != nil:
						unsafe++
					}
					set := map[string]bool{}
					got, err = statefulDPOR(t.Context(), p, opts, func(s *abstract.State) {
						set[finalKeys(t, p, []verdict.FinalState{finalState(p, s)})[0]] = true
					})
					if err != nil {
						t.Errorf("%s: final states: %v", name, err)
					} else if (got.Violation() == nil) != (fres.Violation() == nil) {
						t.Errorf("%s: at fault: %v, want %v", name, got.Violation(), fres.Violation())
					} else if keys := slices.Sorted(maps.Keys(set)); got.Violation() == nil {
						states += got.Stat("states")
						full += fres.Stat("states")
						if !slices.Equal(keys, finalKeys(t, p, fs)) {
							t.Errorf("%s: final states\n got %q\nwant %q", name, keys, finalKeys(t, p, fs))
						}
					}
					if t.Failed() {
						t.Fatalf("program:\n%s", dump(p))
					}
				}
			}
			t.Logf("%d comparisons, %d with a violation; %d states, the full search has %d", compared, unsafe, states, full)
		})
	}
}
