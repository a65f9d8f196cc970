package graphs

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestWorkers compares what is counted and found along dependencies by one, two and five workers.
func TestWorkers(t *testing.T) {
	n := given("FENCEPOST_DELAY", seeds(60))
	for _, hw := range hardware {
		def := load(t, hw.model, hw.arch)
		safe, unsafe, executions := 0, 0, int64(0)
		for seed := range n {
			rng := rand.New(rand.NewPCG(seed, 78))
			opts := delayShapes[seed%uint64(len(delayShapes))]
			opts.Assert = 2
			p := randprog.New(rng, opts)
			ofArch(rng, p, hw.arch, hw.fences, hw.reads, hw.writes)
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			want, err := Check(ctx, p, def, Options{BackEdges: 2, trials: 20})
			cancel()
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if !want.Conclusive() && want.Bound == 0 {
				continue
			}
			for _, workers := range []int{2, 5} {
				got, err := Check(t.Context(), p, def, Options{BackEdges: 2, Workers: workers, trials: 20})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if got.Verdict() != want.Verdict() || got.Reason() != want.Reason() {
					t.Fatalf("seed %d, %d workers: %v, want %v\n%s", seed, workers, got, want, text(t, p))
				}
				if want.Unsafe() {
					unsafe++
					if a, b := got.Execution(), want.Execution(); a.Violation.Text != b.Violation.Text || a.Graph.String() != b.Graph.String() {
						t.Fatalf("seed %d, %d workers: another execution\n%s\n%s", seed, workers, a.Graph, b.Graph)
					}
					continue
				}
				safe++
				executions += want.Stat("executions")
				counts := func(r *verdict.Result) []verdict.Stat { // of memory each worker has its own
					return slices.DeleteFunc(slices.Clone(r.Stats), func(s verdict.Stat) bool { return s.Name == "bytes" })
				}
				if !reflect.DeepEqual(counts(got), counts(want)) {
					t.Fatalf("seed %d, %d workers: %v, want %v\n%s", seed, workers, got.Stats, want.Stats, text(t, p))
				}
			}
		}
		t.Logf("%s: %d times nothing found, %d executions; %d times something", hw.model, safe, executions, unsafe)
	}
}

// adders is threads that add to a counter.
func adders(t *testing.T, n int) *program.Program {
	b := progtest.New(1)
	for range n {
		th := b.Thread()
		th.Atomic(program.Command{Op: program.Load, Reg: int(th.Reg("a")), Addr: progtest.X},
			program.Command{Op: program.Store, Addr: progtest.X, Value: program.Binary{Op: program.Add, X: th.Reg("a"), Y: program.Const(1)}})
	}
	p := b.Build(t)
	p.Arch = program.AArch64
	return p
}

// TestFraction sees to it that the parts of the tree add up, and that the fraction only rises.
func TestFraction(t *testing.T) {
	def := load(t, memory.ARMv8, program.AArch64)
	for _, workers := range []int{1, 3} {
		x, j, _, err := prepare(t.Context(), adders(t, 4), def, Options{}, verdict.Safety)
		if err != nil {
			t.Fatal(err)
		}
		u, begin := x.unfold(j)
		last, judged := 0.0, x.yield
		x.yield = func(g *memory.Graph, s verdict.FinalState) bool {
			f := u.crew.Fraction()
			if f < last || f > 1 {
				t.Errorf("%g after %g", f, last)
			}
			last = f
			return judged(g, s)
		}
		u.explore(begin, workers, nil)
		if math.Abs(u.crew.Fraction()-1) > 1e-6 || last == 0 && workers == 1 || j.executions != 24 { // all may be done by others
			t.Errorf("%g is explored, %d executions", u.crew.Fraction(), j.executions)
		}
	}
}
