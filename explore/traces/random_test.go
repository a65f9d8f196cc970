package traces

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
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

var programs = flag.Uint64("programs", 25, "how many random programs of each shape to test")

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
	{"small", randprog.Options{Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}, Havoc: -1, NoProperty: -1, Forbid: -1}, false, 0},
	{"forbid", randprog.Options{Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}, NoProperty: -1, Exists: -1, Forall: -1}, false, 0},
	{"choice", randprog.Options{Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}, Havoc: 2, Branch: 4}, false, 0},
	{"choice of three", randprog.Options{Threads: randprog.Three, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1,
		Havoc: 4, Branch: 4, Lock: -1}, false, 0},
	{"threads", randprog.Options{Threads: randprog.Three, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1}, false, 0},
	{"accesses", randprog.Options{Threads: randprog.Three, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		Havoc: -1, Branch: -1, Lock: -1, Assign: -1, RMW: -1, Atomic: -1, Fence: -1}, false, 0},
	{"atomics", randprog.Options{Threads: randprog.Three, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		Havoc: -1, RMW: 4, Atomic: 6, Deadlock: 2}, false, 0},
	{"asserts", randprog.Options{Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}, Assert: 3, Deadlock: 2}, false, 0},
	{"locks", randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3},
		Lock: 5, Values: 1, Deadlock: 1, Havoc: -1}, false, 0},
	{"starts", randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		Start: 60, Assume: 3, Deadlock: 3}, false, 0},
	{"unsigned", randprog.Options{Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 3}, Unsigned: 40, Assume: 1, Assert: 2}, false, 0},
	{"waits", randprog.Options{Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1,
		CountLoop: 2, WaitLoop: 4, Deadlock: 2, Assert: 1}, false, 0},
	{"stores", randprog.Options{Threads: randprog.Two, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		StoreLoop: 4, WaitLoop: 1, Deadlock: 1, Assert: 1}, false, 10},
	{"scrambled", randprog.Options{Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1,
		Fence: 3, Assign: 3, Assert: 2}, true, 10},
	{"scrambled locks", randprog.Options{Threads: randprog.Two, Addresses: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3},
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

func exploreWith(t *testing.T, p *program.Program, opts Options, wrap func(*executions) algorithm) *explored {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out := &explored{}
	set := map[string]bool{}
	opts.Found = func(s *abstract.State) {
		set[reference.FinalKeys(t, p, []verdict.FinalState{finalState(p, s)})[0]] = true
	}
	r, err := newExecutions(ctx, p, opts)
	if err != nil {
		t.Fatal(err)
	}
	out.r = r
	out.traces = &traces{algorithm: wrap(r), r: r, seen: map[uint64]bool{}}
	if err := r.run(out.traces); err != nil {
		t.Fatalf("%v\n%s", err, reference.Dump(p))
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
					randprog.Scramble(rng, p)
				}
				for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
					opts := Options{Model: m, MaxEvents: shape.events, MaxExecutions: maxRandomExecutions}
					all := exploreWith(t, p, opts, func(r *executions) algorithm { return &interleavings{r} })
					ref := reference.Search(p, m, 0, 3000)
					for a, wrap := range algorithms {
						name := fmt.Sprintf("program %d, %s, %v", i, m, a)
						got := exploreWith(t, p, opts, wrap)
						fault := ref.Violations["fault"]
						if got.res.Safe() && !ref.Unfinished && !fault {
							compared++
							if !slices.Equal(got.finals, ref.Finals) {
								t.Errorf("%s: final states\n got %q\nwant %q", name, got.finals, ref.Finals)
							}
						}
						if !ref.Unfinished && got.r.violated != fault && (got.r.violated || got.r.stopped == "" && got.r.cuts == 0) {
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
							t.Fatalf("program:\n%s", reference.Dump(p))
						}
					}
				}
			}
			t.Logf("%d comparisons of final states, %d of traces (%d), %d redundant for picks", compared, judged, traces, redundant)
		})
	}
}

// TestExecutionsVerdicts compares the verdicts with the reference.
func TestExecutionsVerdicts(t *testing.T) {
	for _, shape := range executionShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			var conclusive, unsafe int
			for i := range shape.programs() {
				rng := rand.New(rand.NewPCG(i, 79))
				p := randprog.New(rng, shape.opts)
				if shape.scramble {
					randprog.Scramble(rng, p)
				}
				for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
					ref := reference.Search(p, m, 0, 3000)
					if ref.Unfinished {
						continue
					}
					violations := ref.Violations
					for _, a := range []Algorithm{Optimal, Source, DPOR} {
						name := fmt.Sprintf("program %d, %s, %v", i, m, a)
						res, err := Explore(t.Context(), p, Options{Model: m, Algorithm: a, MaxEvents: shape.events, MaxExecutions: maxRandomExecutions})
						switch {
						case err != nil:
							t.Errorf("%s: %v", name, err)
						case !res.Conclusive():
						case res.Violation() == nil && len(violations) > 0:
							t.Errorf("%s: %v, want %v", name, res.Verdict(), violations)
						case res.Violation() != nil && !violations[reference.ViolationKey(p, res.Violation())]:
							t.Errorf("%s: %s, want one of %v", name, reference.ViolationKey(p, res.Violation()), violations)
						default:
							conclusive++
							if res.Violation() != nil {
								unsafe++
								run, err := replay.Replay(p, m, replay.Schedule(res.Run()))
								if err != nil || reference.ViolationKey(p, run.Violation) != reference.ViolationKey(p, res.Violation()) {
									t.Errorf("%s: replay: %v, %v", name, run, err)
								}
							}
						}
						if t.Failed() {
							t.Fatalf("program:\n%s", reference.Dump(p))
						}
					}
				}
			}
			t.Logf("%d conclusive, %d of them with a violation", conclusive, unsafe)
		})
	}
}

// TestStateful compares stateful dynamic partial-order reduction with the reference.
func TestStateful(t *testing.T) {
	all := slices.Clone(executionShapes)
	for _, s := range randprog.Shapes {
		all = append(all, executionShape{s.Name + " of search", s.Options, s.Scramble, s.Capacity})
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
					randprog.Scramble(rng, p)
				}
				for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
					name := fmt.Sprintf("program %d, %s", i, m)
					capacity := min(shape.events, 2)
					ref := reference.Search(p, m, capacity, 3000)
					if ref.Unfinished {
						continue
					}
					compared++
					opts := StatefulOptions{Model: m, Buffer: capacity, NoLive: i%4 == 0}
					got, err := Stateful(t.Context(), p, opts)
					switch {
					case err != nil:
						t.Errorf("%s: %v", name, err)
					case (got.Violation() == nil) != (len(ref.Violations) == 0):
						t.Errorf("%s: %v, want %v", name, got.Verdict(), ref.Violations)
					case got.Safe() && ref.Capped:
						t.Errorf("%s: SAFE, but a buffer was full", name)
					case got.Verdict() == verdict.IsUnknown && capacity == 0:
						t.Errorf("%s: %s", name, got.Reason())
					case got.Violation() != nil:
						unsafe++
						if key := reference.ViolationKey(p, got.Violation()); !ref.Violations[key] {
							t.Errorf("%s: %s, want one of %v", name, key, ref.Violations)
						}
					}
					set := map[string]bool{}
					opts.Found = func(s *abstract.State) {
						set[reference.FinalKeys(t, p, []verdict.FinalState{finalState(p, s)})[0]] = true
					}
					got, err = Stateful(t.Context(), p, opts)
					if err != nil {
						t.Errorf("%s: final states: %v", name, err)
					} else if (got.Violation() != nil) != ref.Violations["fault"] {
						t.Errorf("%s: at fault: %v, want %v", name, got.Violation(), ref.Violations["fault"])
					} else if keys := slices.Sorted(maps.Keys(set)); got.Violation() == nil {
						states += got.Stat("states")
						full += int64(ref.States)
						if !slices.Equal(keys, ref.Finals) {
							t.Errorf("%s: final states\n got %q\nwant %q", name, keys, ref.Finals)
						}
					}
					if t.Failed() {
						t.Fatalf("program:\n%s", reference.Dump(p))
					}
				}
			}
			t.Logf("%d comparisons, %d with a violation; %d states, without reduction there are %d", compared, unsafe, states, full)
		})
	}
}
