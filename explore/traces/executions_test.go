package traces

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func load(t testing.TB, file string, n int64) *program.Program {
	t.Helper()
	p, err := lang.Load("../../examples/"+file, map[string]int64{"N": n})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// overXYZ is an IMP program with these processes over three variables.
func overXYZ(t *testing.T, text string) *program.Program {
	t.Helper()
	p, err := lang.Read("test.imp", strings.NewReader("program Test\nvariables x, y, z\n"+text), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t *testing.T, p *program.Program, opts Options) *verdict.Result {
	t.Helper()
	r, err := Explore(t.Context(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestExecutionCounts: families of programs whose numbers of executions are known
// in closed form.
func TestExecutionCounts(t *testing.T) {
	for _, c := range []struct {
		file string
		n    int64
		want int64
		dpor bool // within reach of backtrack sets without sleep sets
	}{
		{"counts/readers.imp", 1, 2, true},
		{"counts/readers.imp", 4, 16, true},
		{"counts/readers.imp", 10, 1024, false},
		{"counts/ainc.imp", 3, 6, true},
		{"counts/ainc.imp", 6, 720, true},
		{"counts/ainc.imp", 8, 40320, true},
		{"counts/casrot.imp", 2, 2, true},
		{"counts/casrot.imp", 3, 5, true},
		{"counts/casrot.imp", 4, 14, true},
		{"counts/casrot.imp", 5, 43, true},
		{"counts/casrot.imp", 6, 144, true},
		{"counts/casrot.imp", 7, 523, true},
		{"counts/casrot.imp", 8, 2048, true},
		{"counts/casrot.imp", 9, 8597, false},
		{"counts/lastzero.imp", 5, 64, true},
		{"counts/lastzero.imp", 10, 3328, false},
		{"thesis/fig5.12.imp", 2, 1, true},
		{"thesis/fig5.12.imp", 11, 1, true},
		{"thesis/fig5.12.imp", 12, 8, true},
		{"thesis/fig5.12.imp", 13, 64, true},
		{"thesis/fig5.12.imp", 14, 512, true},
		{"thesis/fig5.12.imp", 15, 4096, false},
	} {
		for _, a := range []Algorithm{Optimal, Source, DPOR} {
			if a == DPOR && !c.dpor {
				continue
			}
			r := run(t, load(t, c.file, c.n), Options{Model: memory.SC, Algorithm: a})
			got := r.Stat("executions")
			if !r.Safe() || r.Stat("blocked") > 0 || got != c.want && a != DPOR || got < c.want {
				t.Errorf("%s, N = %d, %v: %v, %d executions, %d blocked; want %d", c.file, c.n, a, r.Verdict(), got, r.Stat("blocked"), c.want)
			}
			if a == Optimal && r.Stat("redundant") > 0 {
				t.Errorf("%s, N = %d: %d redundant explorations", c.file, c.n, r.Stat("redundant"))
			}
		}
	}
}

func TestExecutionsOfSmallPrograms(t *testing.T) {
	for _, c := range []struct {
		name                   string
		text                   string
		sc, tso, pso, blockedC int64 // executions; blockedC is blocked ones, under all models
	}{
		{"store buffering",
			"process P local r begin x := 1; r := y end process Q local r begin y := 1; r := x end", 3, 4, 4, 0},
		{"message passing",
			"process P begin x := 1; y := 1 end process Q local r, s begin r := y; s := x end", 3, 3, 4, 0},
		{"a load of an own store, alone",
			"process P local r begin x := 1; r := x end", 1, 1, 1, 0},
		{"a load of an own store, between the stores of two",
			"process P local r begin x := 1; r := x end process Q begin x := 2 end", 3, 3, 3, 0},
		{"a choice is two executions",
			"process P begin choose x := 1 [] y := 1 end end", 2, 2, 2, 0},
		{"a wait, over before and after",
			"process P begin x := 1 end process Q begin await x = 1 end", 1, 1, 1, 1},
		{"a critical section",
			"process P begin lock; x := x + 1; unlock end process Q begin lock; x := x + 1; unlock end", 2, 2, 2, 0},
		{"one waits for a lock for ever",
			"process P begin lock; x := 1 end process Q local r begin r := y end", 2, 2, 2, 0},
		{"an atomic block that may fail",
			"process P begin atomic begin assume x = 1; y := 1 end end process Q begin x := 1 end", 1, 1, 1, 1},
		{"an atomic block that always fails",
			"process P begin atomic begin assume x = 7; y := 1 end end process Q begin x := 1 end", 1, 1, 1, 1},
	} {
		p := overXYZ(t, c.text)
		for m, want := range map[memory.Model]int64{memory.SC: c.sc, memory.TSO: c.tso, memory.PSO: c.pso} {
			for _, a := range []Algorithm{Optimal, Source} {
				r := run(t, p, Options{Model: m, Algorithm: a})
				if got, blocked := r.Stat("executions"), r.Stat("blocked"); got != want || blocked != c.blockedC || !r.Safe() {
					t.Errorf("%s, %s, %v: %v, %d executions, %d blocked; want %d and %d", c.name, m, a, r.Verdict(), got, blocked, want, c.blockedC)
				}
			}
		}
	}
}

func TestExecutionLimits(t *testing.T) {
	many := load(t, "counts/ainc.imp", 9)
	endless := overXYZ(t, "process P begin while true do x := 1 - x od end process Q begin y := 1 end")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		name   string
		ctx    context.Context
		p      *program.Program
		opts   Options
		reason string
		bound  int
	}{
		{"interrupt", over, many, Options{}, "an interrupt", 0},
		{"executions", t.Context(), many, Options{MaxExecutions: 10}, "no violation in 10 executions; stopped by the limit on the number of executions", 0},
		{"memory", t.Context(), many, Options{MemoryLimit: 1}, "the memory limit", 0},
		{"events", t.Context(), endless, Options{MaxEvents: 20}, "no violation in 1 execution of up to 20 steps", 20},
	} {
		for _, a := range []Algorithm{Optimal, Source, DPOR} {
			c.opts.Algorithm = a
			r, err := Explore(c.ctx, c.p, c.opts)
			if err != nil || r.Verdict() != verdict.IsUnknown || !strings.Contains(r.Reason(), c.reason) || r.Bound != c.bound {
				t.Errorf("%s, %v: %v, want %q", c.name, a, fmt.Sprint(r.Verdict(), r.Reason(), r.Bound, err), c.reason)
			}
		}
	}
	r, err := Stateful(over, many, StatefulOptions{})
	if err != nil || r.Verdict() != verdict.IsUnknown || !strings.Contains(r.Reason(), "an interrupt") {
		t.Errorf("stateful: %v %v", r, err)
	}
	for _, opts := range []StatefulOptions{{MaxStates: 10}, {MemoryLimit: 1}} {
		r, err := Stateful(t.Context(), many, opts)
		if err != nil || r.Verdict() != verdict.IsUnknown || !strings.Contains(r.Reason(), "stopped by the") {
			t.Errorf("stateful, %+v: %v %v", opts, r, err)
		}
	}
	// Loops over finitely many states are for the stateful search.
	if r, err := Stateful(t.Context(), endless, StatefulOptions{Model: memory.SC}); err != nil || !r.Safe() {
		t.Errorf("stateful: %v %v", r, err)
	}
}

func TestExecutionsFindViolations(t *testing.T) {
	for _, c := range []struct {
		name, text string
		model      memory.Model
		steps      int
	}{
		{"assertion at once", "process P local r begin assert r = 1 end", memory.SC, 1},
		{"store buffering", "process P local r begin x := 1; r := y end process Q local r begin y := 1; r := x end exists P.r = 0 & Q.r = 0", memory.TSO, 6},
		{"forbidden states", "process P begin x := 1; cs: skip end process Q local r begin r := x; cs: skip end forbid P@cs & Q@cs & Q.r = 0", memory.SC, 2},
		{"deadlock", "process P begin lock; lock end forbid deadlock", memory.SC, 1},
	} {
		for _, a := range []Algorithm{Optimal, Source, DPOR} {
			r := run(t, overXYZ(t, c.text), Options{Model: c.model, Algorithm: a})
			if !r.Unsafe() || len(r.Run().Steps) != c.steps {
				t.Errorf("%s, %v: %v with %d steps, want %d", c.name, a, r.Verdict(), len(r.Run().Steps), c.steps)
			}
		}
		r, err := Stateful(t.Context(), overXYZ(t, c.text), StatefulOptions{Model: c.model})
		if err != nil || !r.Unsafe() || len(r.Run().Steps) != c.steps {
			t.Errorf("%s, stateful: %v %v", c.name, r, err)
		}
	}
}

// BenchmarkExecutions explores families of programs with many executions.
func BenchmarkExecutions(b *testing.B) {
	for _, c := range []struct {
		file string
		n    int64
	}{{"counts/casrot.imp", 8}, {"counts/ainc.imp", 8}, {"counts/lastzero.imp", 10}, {"counts/lastzero.imp", 15}, {"thesis/fig5.12.imp", 15}} {
		p := load(b, c.file, c.n)
		for _, a := range []Algorithm{Optimal, Source, DPOR} {
			b.Run(fmt.Sprintf("%s-%d-%v", c.file, c.n, a), func(b *testing.B) {
				for b.Loop() {
					r, err := Explore(b.Context(), p, Options{Model: memory.SC, Algorithm: a, MaxExecutions: 1_000_000})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(r.Stat("executions")), "executions")
					b.ReportMetric(float64(r.Stat("redundant")), "redundant")
				}
			})
		}
	}
}

// TestAssertionAtTheEndOfAWait: an edge that closes a loop that only waits may still be
// the one in which an assertion fails.
func TestAssertionAtTheEndOfAWait(t *testing.T) {
	seqlock, err := lang.Load("../../examples/seqlock.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name         string
		p            *program.Program
		sc, tso, pso bool // whether it is safe
	}{
		{"the last command of a round", overXYZ(t, `
process P local u; begin while true do u := x; assert u = 0 od end
process Q begin x := 1 end`), false, false, false},
		{"one that holds", overXYZ(t, `
process P local u; begin while true do u := x; assert u <= 1 od end
process Q begin x := 1 end`), true, true, true},
		{"in an atomic block", overXYZ(t, `
process P local u; begin while true do atomic begin u := x; assert u = 0; u := 0 end od end
process Q begin x := 1 end`), false, false, false},
		{"one that the order of stores keeps", overXYZ(t, `
process P local u, v; begin while true do u := y; v := x; assert u <= v od end
process Q begin x := 1; y := 1 end`), true, true, false},
		{"after a choice", overXYZ(t, `
process P local u; begin while true do u := x; choose skip [] assert u = 0 end od end
process Q begin x := 1 end`), false, false, false},
		{"seqlock", seqlock, true, true, false},
	} {
		for _, m := range []struct {
			model memory.Model
			safe  bool
		}{{memory.SC, c.sc}, {memory.TSO, c.tso}, {memory.PSO, c.pso}} {
			for _, a := range []Algorithm{Optimal, Source, DPOR} {
				r := run(t, c.p, Options{Model: m.model, Algorithm: a})
				if r.Safe() != m.safe || r.Unsafe() == m.safe {
					t.Errorf("%s, %s, %v: %v", c.name, m.model, a, r.Verdict())
				}
			}
			r, err := Stateful(t.Context(), c.p, StatefulOptions{Model: m.model})
			if err != nil {
				t.Fatal(err)
			}
			if r.Safe() != m.safe || r.Unsafe() == m.safe {
				t.Errorf("%s, %s, stateful: %v", c.name, m.model, r.Verdict())
			}
		}
	}
}

// TestManyEdges: where there are more edges than there are numbers for, the search says
// so.
func TestManyEdges(t *testing.T) {
	p := progtest.Filter(t, 2, true)
	for _, n := range []int{0, 1, 10, 100} {
		r, err := newStateful(t.Context(), p, StatefulOptions{})
		if err != nil {
			t.Fatal(err)
		}
		r.maxEdges = n
		if err := r.run(); err != nil {
			t.Fatal(err)
		}
		res, err := r.result()
		if err != nil || res.Verdict() != verdict.IsUnknown || !strings.Contains(res.Reason(), "the limit on the number of edges") || len(r.into) > n {
			t.Errorf("%d edges: %v, %v, %d edges", n, res, err, len(r.into))
		}
	}
}
