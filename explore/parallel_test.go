package explore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// stores are the ways to hold states and to share the work, all from the first
// states on.
func stores(t testing.TB) map[string]func(o *Options) {
	return map[string]func(o *Options){
		"a second arena":       func(o *Options) { o.early = 5 },
		"2 workers":            func(o *Options) { o.Workers, o.early = 2, 1 },
		"4 workers":            func(o *Options) { o.Workers, o.early = 4, 8 },
		"compact":              func(o *Options) { o.Compact = true },
		"compact on 3 workers": func(o *Options) { o.Compact, o.Workers = true, 3 },
	}
}

// TestStoresRandom compares every way to hold states with a search on one core
// over random programs: same verdict and final states, every violation one that
// the program has; where the search is complete, as many states and transitions;
// and runs as short where it is breadth-first.
func TestStoresRandom(t *testing.T) {
	for _, shape := range randprog.Shapes {
		t.Run(shape.Name, func(t *testing.T) {
			t.Parallel()
			var compared, unsafe int
			for seed := range *programs / 2 {
				p := shape.New(seed, 11)
				m := []memory.Model{memory.SC, memory.TSO, memory.PSO}[seed%3]
				var b abstract.Buffer
				if m == memory.TSO {
					b = []abstract.Buffer{nil, nil, abstract.Set{}, abstract.Multiset{Max: 1}}[seed%4]
				}
				opts := Options{Model: m, Abstraction: b, DepthFirst: seed%2 == 1, Reduction: Reductions()[seed/2%4], Buffer: shape.Capacity, MemoryLimit: 1 << 28, MaxStates: 20000}
				fs, fres := finalStates(t, p, opts)
				res := check(t, p, opts)
				if fres.Stat("states") == opts.MaxStates || res.Stat("states") == opts.MaxStates {
					continue
				}
				compared++
				if res.Violation() != nil {
					unsafe++
				}
				for name, set := range stores(t) {
					o := opts
					set(&o)
					name = fmt.Sprintf("seed %d, %s, %s", seed, modeName(opts), name)
					gs, gres := finalStates(t, p, o)
					if fres.Violation() == nil && !slices.Equal(reference.FinalKeys(t, p, fs), reference.FinalKeys(t, p, gs)) {
						t.Errorf("%s: other final states", name)
					}
					got := check(t, p, o)
					sameResult(t, name+", final states", fres, gres, o)
					sameResult(t, name, res, got, o)
					if t.Failed() {
						t.Fatalf("program:\n%v", reference.Dump(p))
					}
				}
			}
			t.Logf("%d comparisons, %d with violations", compared, unsafe)
		})
	}
}

func finalStates(t *testing.T, p *program.Program, o Options) ([]verdict.FinalState, *verdict.Result) {
	t.Helper()
	fs, res, err := FinalStates(context.Background(), p, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, reference.Dump(p))
	}
	return fs, res
}

func check(t *testing.T, p *program.Program, o Options) *verdict.Result {
	t.Helper()
	res, err := Check(context.Background(), p, o)
	if err != nil {
		t.Fatalf("%v\n%s", err, reference.Dump(p))
	}
	return res
}

func sameResult(t *testing.T, name string, want, got *verdict.Result, o Options) {
	t.Helper()
	v := want.Verdict()
	if o.Compact && v == verdict.IsSafe && want.Argument() != verdict.NoProperty {
		v = verdict.IsUnknown
		if !strings.Contains(got.Reason(), "with probability at most") {
			t.Errorf("%s: %q does not say what may be missed", name, got.Reason())
		}
	}
	if (got.Candidate() == nil) != (want.Candidate() == nil) {
		t.Errorf("%s: %v (%s), want %v (%s)", name, got.Verdict(), got.Reason(), v, want.Reason())
	}
	if got.Candidate() != nil {
		return
	}
	if want.Fault() && got.Unsafe() || want.Unsafe() && got.Fault() {
		return // the program has both
	}
	if got.Verdict() != v || (got.Violation() == nil) != (want.Violation() == nil) {
		t.Errorf("%s: %v (%s), want %v (%s)", name, got.Verdict(), got.Reason(), v, want.Reason())
		return
	}
	if got.Violation() != nil {
		special, _ := want.Program().Special()
		gathered := o.Symmetry != NoSymmetry && special >= 0 // to start several threads is one step then
		if !o.DepthFirst && o.Reduction == NoReduction && onlyForbids(want.Program()) && !gathered && len(got.Run().Steps) > len(want.Run().Steps) {
			t.Errorf("%s: a run of %d steps, want %d", name, len(got.Run().Steps), len(want.Run().Steps))
		}
		return
	}
	stats := []string{"states", "transitions"}
	if o.Reduction == LocalFirst { // a favourite need not be explored where none was, if that came first
		stats = stats[:1]
	}
	for _, stat := range stats {
		if got.Stat(stat) != want.Stat(stat) {
			t.Errorf("%s: %d %s, want %d", name, got.Stat(stat), stat, want.Stat(stat))
		}
	}
}

func onlyForbids(p *program.Program) bool {
	for i := range p.Properties {
		if p.Properties[i].Kind != program.Forbid {
			return false
		}
	}
	return !hasAsserts(p)
}

// TestParallelLarge has enough states for several workers to meet, and for the
// tables to grow.
func TestParallelLarge(t *testing.T) {
	p := progtest.Filter(t, 3, true)
	for _, opts := range modes {
		want := check(t, p, opts)
		for name, set := range stores(t) {
			o := opts
			set(&o)
			sameResult(t, modeName(o)+", "+name, want, check(t, p, o), o)
		}
	}
}

// TestShardsNoAllocations: a transition allocates nothing with several workers
// either, and a new state nothing but chunks and tables.
func TestShardsNoAllocations(t *testing.T) {
	for _, opts := range modes {
		opts.Workers, opts.early = 2, 1000
		s, err := newSearch(context.Background(), progtest.Filter(t, 3, true), opts, nil)
		if err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := s.run(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if n := after.Mallocs - before.Mallocs; n > 4000+uint64(s.states)/8 {
			t.Errorf("%s: %d allocations for %d states", modeName(opts), n, s.states)
		}
		w := s.job.worker()
		w.store = s.store
		i := int64(0)
		if n := testing.AllocsPerRun(1, func() {
			i = 0
			s.store.(*states.Hand).Walk(func(words []uint64) (int, error) {
				i++
				return w.visit(states.Ref(i), 1, words), nil
			})
		}); n > 1 || i != s.states && s.favours == nil { // one is the function
			t.Errorf("%s: %v allocations for %d of %d states", modeName(opts), n, i, s.states)
		}
	}
}

// TestParallelShortest: a violation that is found on several cores is as near as
// one that is found on one.
func TestParallelShortest(t *testing.T) {
	p := progtest.Peterson(t, false)
	opts := Options{Model: memory.TSO, Reduction: NoReduction}
	want := check(t, p, opts)
	if !want.Unsafe() {
		t.Fatal(want.Verdict())
	}
	for name, set := range stores(t) {
		o := opts
		set(&o)
		if got := check(t, p, o); !got.Unsafe() || len(got.Run().Steps) != len(want.Run().Steps) {
			t.Errorf("%s: %v, %d steps, want %d", name, got.Verdict(), len(got.Run().Steps), len(want.Run().Steps))
		}
	}
}

// TestStoresStop: limits and interrupts end every kind of search with what is
// known, in time.
func TestStoresStop(t *testing.T) {
	p := endless(t)
	for name, set := range stores(t) {
		for _, dfs := range []bool{false, true} {
			opts := Options{Model: memory.TSO, DepthFirst: dfs, MemoryLimit: 5 << 20}
			set(&opts)
			if opts.Compact { // states grow, and what is stored of them does not
				opts.MemoryLimit = 1 << 20
			}
			name := fmt.Sprintf("%s, depth-first %v", name, dfs)

			res := check(t, p, opts)
			if res.Verdict() != verdict.IsUnknown || !strings.Contains(res.Reason(), "the memory limit") {
				t.Errorf("%s: %v, %s", name, res.Verdict(), res.Reason())
			}
			if b := res.Stat("bytes"); b > opts.MemoryLimit || b < opts.MemoryLimit/4 {
				t.Errorf("%s: %d bytes of %d", name, b, opts.MemoryLimit)
			}

			opts.MaxStates, opts.MemoryLimit = 5000, 1
			if res := check(t, p, opts); res.Verdict() != verdict.IsUnknown || !strings.Contains(res.Reason(), "the memory limit") {
				t.Errorf("%s: %v, %s", name, res.Verdict(), res.Reason())
			}

			opts.MemoryLimit = 5 << 20
			res = check(t, p, opts)
			if res.Verdict() != verdict.IsUnknown || !strings.Contains(res.Reason(), "the limit on the number of states") || res.Stat("states") != 5000 {
				t.Errorf("%s: %v, %s, %d states", name, res.Verdict(), res.Reason(), res.Stat("states"))
			}

			opts.MaxStates = 0
			opts.MemoryLimit = 1 << 30
			lines := 0
			ctx, cancel := context.WithCancel(context.Background())
			opts.Progress = func(line string) {
				if lines++; lines == 1 {
					cancel()
				}
			}
			start := time.Now()
			res, err := Check(ctx, p, opts)
			if err != nil || res.Verdict() != verdict.IsUnknown || !strings.Contains(res.Reason(), "an interrupt") || lines != 1 {
				t.Errorf("%s: %+v, %v after %v, %d lines", name, res, err, time.Since(start), lines)
			}
			cancel()
		}
	}
}

// TestPile: what is pushed on piles, and split and handed on through a pool,
// comes out once.
func TestPile(t *testing.T) {
	for _, whole := range []bool{false, true} {
		b := states.NewBudget(1 << 30)
		p := &pile{budget: b, whole: whole}
		q := newPool(3, nil)
		const n = 30000
		var sum atomic.Int64
		var wg sync.WaitGroup
		for i := range n {
			if !p.push(states.Ref(i+1), uint32(i), []uint64{uint64(i + 1), uint64(i)}[:1+i%2]) {
				t.Fatal("no room")
			}
		}
		for k := range 3 {
			wg.Go(func() {
				mine := &pile{budget: b, whole: whole}
				if k == 0 {
					mine = p
				}
				for {
					if q.hungry.Load() > 0 {
						if b, ok := mine.split(); ok {
							q.put(b)
						}
					}
					id, depth, words, ok := mine.pop()
					if !ok {
						if b, ok := q.take(); ok {
							mine.batches = append(mine.batches, b)
							continue
						}
						return
					}
					if depth != uint32(id-1) || whole && (words[0] != uint64(id) || len(words) != 1+int(id-1)%2) {
						t.Errorf("%d: depth %d, words %v", id, depth, words)
					}
					sum.Add(int64(id))
				}
			})
		}
		wg.Wait()
		if sum.Load() != n*(n+1)/2 {
			t.Errorf("the sum is %d, want %d", sum.Load(), n*(n+1)/2)
		}
	}
}

// TestRepack: a state is packed alike from scratch and from the state before it.
func TestRepack(t *testing.T) {
	compared := 0
	for _, shape := range randprog.Shapes {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 13))
			p := randprog.New(rng, shape.Options)
			m := []memory.Model{memory.SC, memory.TSO, memory.PSO}[seed%3]
			sys, err := abstract.Compile(p, m, nil, shape.Capacity)
			if err != nil {
				t.Fatal(err)
			}
			l := states.NewLayout(sys)
			a, b := sys.NewState(), sys.NewState()
			for range 20 {
				sys.Initial(a)
				var old, words, want []uint64
				var trace []abstract.Event
				for range 40 {
					if len(trace) == 0 {
						b.Copy(a)
						old, _ = l.Pack(old, a)
					}
					th := rng.IntN(len(p.Threads))
					out := sys.Out(th, a.PC[th])
					ev := abstract.Event{Thread: th, Edge: abstract.Flush}
					if n := sys.Flushes(a, th); n > 0 && (len(out) == 0 || rng.IntN(2) == 0) {
						ev.Choice = int64(rng.IntN(n))
					} else if len(out) > 0 {
						ev.Edge = out[rng.IntN(len(out))]
						ev.Choice = rng.Int64N(sys.Choices(th, ev.Edge))
					} else {
						continue
					}
					if out := sys.Step(a, ev); out == abstract.Failed {
						break
					} else if out != abstract.Done {
						continue
					}
					trace = append(trace, ev)
					ok, good := false, false
					want, ok = l.Pack(want, a)
					words, good = l.Repack(words, old, a, b, trace)
					if !ok || !good || !slices.Equal(want, words) {
						t.Fatalf("%s, seed %d, %s: %x, %v, want %x, %v\n%s", shape.Name, seed, m, words, good, want, ok, reference.Dump(p))
					}
					compared++
					if rng.IntN(3) == 0 {
						trace = trace[:0]
					}
				}
			}
		}
	}
	t.Logf("%d states", compared)
}
