package graphs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/polled"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func defined(t *testing.T, text string) *memory.Definition {
	t.Helper()
	d, err := memory.Define("test.cat", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// outcomes is the registers in the final states of p, thread by thread, each
// once.
func outcomes(t *testing.T, p *program.Program, def *memory.Definition) string {
	t.Helper()
	var all []string
	if err := Enumerate(context.Background(), p, def, Options{}, func(_ *memory.Graph, f verdict.FinalState) bool {
		all = append(all, strings.Trim(fmt.Sprint(f.Regs), "[]"))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

// TestWeak has models under which a read may give what is written later.
func TestWeak(t *testing.T) {
	coherent := defined(t, "acyclic po-loc | rf | co | fr as coherence")
	anything := defined(t, "empty 0 as nothing")

	lb := progtest.New(2)
	lb.Thread().Load("r", progtest.X).Store(progtest.Y, program.Const(1))
	lb.Thread().Load("r", progtest.Y).Store(progtest.X, program.Const(1))
	if got := outcomes(t, lb.Build(t), coherent); got != "0] [0, 0] [1, 1] [0, 1] [1" {
		t.Errorf("LB: %s", got)
	}

	// With dependencies the values would come out of thin air.
	lb = progtest.New(2)
	lb.Thread().Load("r", progtest.X).Store(progtest.Y, program.Reg(0))
	lb.Thread().Load("r", progtest.Y).Store(progtest.X, program.Reg(0))
	if got := outcomes(t, lb.Build(t), coherent); got != "0] [0" {
		t.Errorf("LB with dependencies: %s", got)
	}
	// The chain of values goes once through all threads.
	chain := progtest.New(2)
	chain.Thread().Load("r", progtest.X).Store(progtest.Y, program.Binary{Op: program.Add, X: program.Reg(0), Y: program.Const(1)})
	chain.Thread().Load("r", progtest.Y).Store(progtest.X, program.Binary{Op: program.Add, X: program.Reg(0), Y: program.Const(1)})
	if got := outcomes(t, chain.Build(t), coherent); got != "0] [0, 0] [1, 1] [0" {
		t.Errorf("a chain: %s", got)
	}

	own := progtest.New(1)
	own.Thread().Load("r", progtest.X).Store(progtest.X, program.Const(1)).Store(progtest.X, program.Const(2))
	if got := outcomes(t, own.Build(t), anything); got != "0, 1, 2" {
		t.Errorf("a read of what its own thread writes later: %s", got)
	}
	if got := outcomes(t, own.Build(t), coherent); got != "0" {
		t.Errorf("and where that is not coherent: %s", got)
	}
	if got := outcomes(t, own.Build(t), defined(t, "acyclic (po-loc | rf | co | fr) \\ rmw\nempty po-loc & rf^-1 & ~data")); got != "0" {
		t.Errorf("and where it depends: %s", got)
	}

	// An axiom that cannot be judged before the end.
	sb := progtest.New(2)
	sb.Thread().Store(progtest.X, program.Const(1)).Load("r", progtest.Y)
	sb.Thread().Store(progtest.Y, program.Const(1)).Load("r", progtest.X)
	if got := outcomes(t, sb.Build(t), defined(t, "include \"tso.cat\"\n~empty rfe & (W \\ I) * R as talk")); got != "0] [1, 1] [0, 1] [1" {
		t.Errorf("SB where somebody has to listen: %s", got)
	}
}

// TestLocks compares programs that are careless with the lock.
func TestLocks(t *testing.T) {
	for name, threads := range map[string][]func(b *progtest.Thread){
		"never given back": {
			func(b *progtest.Thread) { b.Op(program.Lock).Store(progtest.X, program.Const(1)) },
			func(b *progtest.Thread) { b.Load("r", progtest.X).Store(progtest.Y, program.Reg(0)) },
		},
		"never given back, after a store": {
			func(b *progtest.Thread) { b.Store(progtest.Y, program.Const(1)).Op(program.Lock).Load("r", progtest.X) },
			func(b *progtest.Thread) { b.Store(progtest.X, program.Const(1)).Load("r", progtest.Y) },
		},
		"never given back by two": {
			func(b *progtest.Thread) { b.Op(program.Lock) },
			func(b *progtest.Thread) { b.Op(program.Lock) },
		},
		"given back once": {
			func(b *progtest.Thread) {
				b.Op(program.Lock).Store(progtest.X, program.Const(1)).Op(program.Unlock).Op(program.Lock).Load("r", progtest.X)
			},
			func(b *progtest.Thread) { b.Op(program.Lock).Store(progtest.X, program.Const(2)).Op(program.Unlock) },
		},
		"taken twice":  {func(b *progtest.Thread) { b.Op(program.Lock).Op(program.Lock) }},
		"not taken":    {func(b *progtest.Thread) { b.Op(program.Unlock) }},
		"of no effect": {func(b *progtest.Thread) { b.Op(program.Lock).Op(program.Unlock) }},
		"as a fence": {
			func(b *progtest.Thread) {
				b.Store(progtest.X, program.Const(1)).Op(program.Lock).Op(program.Unlock).Load("r", progtest.Y)
			},
			func(b *progtest.Thread) {
				b.Store(progtest.Y, program.Const(1)).Op(program.Lock).Op(program.Unlock).Load("r", progtest.X)
			},
		},
		"and an exchange": {
			func(b *progtest.Thread) {
				b.Reg("r")
				b.Op(program.Lock).Emit(program.Exchange(0, progtest.X, program.Const(1), program.Position{})).Store(progtest.Y, program.Const(1)).Op(program.Unlock)
			},
			func(b *progtest.Thread) { b.Load("r", progtest.Y).Load("s", progtest.X) },
		},
	} {
		b := progtest.New(2)
		for _, f := range threads {
			f(b.Thread())
		}
		p := b.Build(t)
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			def, err := memory.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			want, _, err := explore.FinalStates(context.Background(), p, explore.Options{Model: m})
			if err != nil {
				t.Fatal(err)
			}
			var got []verdict.FinalState
			enumerate(t, p, def, 0, func(_ *memory.Graph, f verdict.FinalState) { got = append(got, f) })
			verdict.SortFinalStates(got)
			got = slices.CompactFunc(got, func(a, b verdict.FinalState) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
			verdict.SortFinalStates(want)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %s:\n got %v\nwant %v", name, m, got, want)
			}
		}
	}
}

func TestBounds(t *testing.T) {
	sc, err := memory.Load(memory.SC)
	if err != nil {
		t.Fatal(err)
	}
	// A loop that stores and may be left after every round.
	b := progtest.New(1)
	th := b.Thread()
	head := th.Cur
	th.Store(progtest.X, program.Const(1)).Havoc("r", 0, 1)
	th.Edge(th.Cur, head, program.Command{Op: program.Check, Value: program.Reg(0)})
	th.Check(program.NotExpr(program.Reg(0)))
	p := b.Build(t)
	for rounds := range 4 {
		n := 0
		err := Enumerate(context.Background(), p, sc, Options{BackEdges: rounds}, func(g *memory.Graph, _ verdict.FinalState) bool {
			n++
			return true
		})
		if err != ErrCut || n != rounds+1 {
			t.Errorf("%d back edges: %d executions, %v", rounds, n, err)
		}
	}
	n := 0
	if err := Enumerate(context.Background(), p, sc, Options{BackEdges: 3}, func(*memory.Graph, verdict.FinalState) bool {
		n++
		return n < 2
	}); err != nil || n != 2 {
		t.Errorf("stopped after two: %d, %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	n = 0
	if err := Enumerate(ctx, p, sc, Options{BackEdges: 3}, func(*memory.Graph, verdict.FinalState) bool {
		n++
		cancel()
		return true
	}); !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("cancelled: %d, %v", n, err)
	}

	// A loop that only waits need not go round.
	b = progtest.New(1)
	b.Thread().Store(progtest.X, program.Const(1))
	th = b.Thread()
	head = th.Cur
	th.Load("r", progtest.X)
	th.Edge(th.Cur, head, program.Command{Op: program.Check, Value: program.NotExpr(program.Reg(0))})
	th.Check(program.Reg(0))
	if got := outcomes(t, b.Build(t), sc); got != " [1" {
		t.Errorf("a wait: %s", got)
	}

	b = progtest.New(1)
	b.Thread().Havoc("r", 0, 3)
	p = b.Build(t)
	p.Filter = program.Binary{Op: program.Gt, X: program.ThreadReg{Thread: 0, Reg: 0}, Y: program.Const(1)}
	if got := outcomes(t, p, sc); got != "2, 3" {
		t.Errorf("with a filter: %s", got)
	}
}

// TestRounds has executions that the first rounds of loops say nothing of.
func TestRounds(t *testing.T) {
	// A thread waits for a value that another one writes in its third round. The one that
	// waits has the fewer loads and is run first.
	b := progtest.New(2)
	b.Thread().Load("r", progtest.X).Check(progtest.Eq(program.Reg(0), 3))
	th := b.Thread()
	k := th.Reg("k")
	head := th.Cur
	th.Check(program.Binary{Op: program.Lt, X: k, Y: program.Const(3)})
	th.Load("r", progtest.Y).Load("r", progtest.Y)
	th.Assign("k", program.Binary{Op: program.Add, X: k, Y: program.Const(1)})
	th.Edge(th.Cur, head, program.Command{Op: program.Store, Addr: progtest.X, Value: k})
	th.Cur = head
	th.Check(program.Binary{Op: program.Ge, X: k, Y: program.Const(3)})
	p := b.Build(t)
	for _, m := range memory.Operational() {
		def, err := memory.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		for rounds := range 5 {
			n := 0
			err := Enumerate(context.Background(), p, def, Options{BackEdges: rounds}, func(*memory.Graph, verdict.FinalState) bool {
				n++
				return true
			})
			if cut := err == ErrCut; cut != (rounds < 3) || !cut && (n != 1 || err != nil) {
				t.Errorf("%s, %d rounds: %d executions, %v", m, rounds, n, err)
			}
		}
	}

	// An axiom that asks for something may ask for rounds of a loop that only waits.
	b = progtest.New(1)
	b.Thread().Store(progtest.X, program.Const(1))
	th = b.Thread()
	head = th.Cur
	th.Load("r", progtest.X)
	th.Edge(th.Cur, head, program.Command{Op: program.Check, Value: program.NotExpr(program.Reg(0))})
	th.Check(program.Reg(0))
	p = b.Build(t)
	for rounds, want := range []int{0, 1, 2} {
		n := 0
		err := Enumerate(context.Background(), p, defined(t, "acyclic po | rf | co | fr\n~empty [R]; po; [R]"), Options{BackEdges: rounds}, func(*memory.Graph, verdict.FinalState) bool {
			n++
			return true
		})
		if n != want || err != ErrCut {
			t.Errorf("%d rounds of waiting: %d executions, %v", rounds, n, err)
		}
	}

	// Where no execution has another round nothing is left out, however few are asked about.
	b = progtest.New(1)
	th = b.Thread().Store(progtest.X, program.Const(1))
	head = th.Cur
	th.Load("r", progtest.X)
	th.Edge(th.Cur, head, program.Command{Op: program.Check, Value: program.NotExpr(program.Reg(0))})
	th.Check(program.Reg(0))
	p = b.Build(t)
	for rounds := range 3 {
		n := 0
		err := Enumerate(context.Background(), p, defined(t, "acyclic po-loc | rf | co | fr\n~empty rf"), Options{BackEdges: rounds}, func(*memory.Graph, verdict.FinalState) bool {
			n++
			return true
		})
		if n != 1 || err != nil {
			t.Errorf("%d rounds that no execution has: %d executions, %v", rounds, n, err)
		}
	}
}

// TestLimits has programs that are too large, and contexts that end.
func TestLimits(t *testing.T) {
	tso, err := memory.Load(memory.TSO)
	if err != nil {
		t.Fatal(err)
	}
	enumerate := func(ctx context.Context, p *program.Program, opts Options) error {
		return Enumerate(ctx, p, tso, opts, func(*memory.Graph, verdict.FinalState) bool { return true })
	}
	b := progtest.New(maxEvents + 1)
	th := b.Thread()
	for i := range maxEvents + 1 {
		th.Store(program.Const(int64(i)), program.Const(1))
	}
	if err := enumerate(t.Context(), b.Build(t), Options{}); err != ErrLong {
		t.Errorf("many cells: %v", err)
	}
	b = progtest.New(1)
	for range 2 {
		th := b.Thread()
		for i := range 200 {
			th.Store(progtest.X, program.Const(int64(i)))
		}
	}
	p := b.Build(t)
	if err := enumerate(t.Context(), p, Options{MemoryLimit: 1 << 20}); err != ErrMemory {
		t.Errorf("1 MB: %v", err)
	}
	for _, n := range []int{1, 10, 1000, 2000} {
		ctx := polled.EndAt(t.Context(), n)
		if err := enumerate(ctx, p, Options{}); err != context.Canceled || ctx.Polls() > n+1 {
			t.Errorf("ends at poll %d: %v after %d polls", n, err, ctx.Polls())
		}
	}
	// A loop that has no events.
	b = progtest.New(1)
	th = b.Thread()
	i := th.Reg("i")
	head := th.Cur
	th.Check(program.Binary{Op: program.Lt, X: i, Y: program.Const(maxSteps)})
	th.Edge(th.Cur, head, program.Command{Op: program.Assign, Reg: int(i), Value: program.Binary{Op: program.Add, X: i, Y: program.Const(1)}})
	th.Cur = head
	th.Check(program.Binary{Op: program.Ge, X: i, Y: program.Const(maxSteps)})
	if err := enumerate(t.Context(), b.Build(t), Options{BackEdges: 2 * maxSteps}); Reason(err) == "" {
		t.Errorf("a long loop: %v", err)
	}
	for _, err := range []error{ErrCut, ErrValues, ErrMemory, ErrLong} {
		if Reason(fmt.Errorf("because: %w", err)) == "" {
			t.Errorf("no reason for %v", err)
		}
	}
}

// TestDependencies looks at the relations that x86 does not need.
func TestDependencies(t *testing.T) {
	sc, err := memory.Load(memory.SC)
	if err != nil {
		t.Fatal(err)
	}
	b := progtest.New(4)
	th := b.Thread()
	th.Load("a", progtest.X)
	zero := program.Binary{Op: program.BitAnd, X: program.Reg(0), Y: program.Const(0)}
	th.Load("b", program.Binary{Op: program.Add, X: progtest.Y, Y: zero})
	th.Assign("c", program.Binary{Op: program.Add, X: program.Reg(1), Y: program.Const(1)})
	th.Store(progtest.Z, program.Reg(2))
	th.Check(program.NotExpr(program.Reg(0)))
	th.Fence()
	th.Reg("ok")
	th.Reg("old")
	swap, _ := program.CompareAndSwap(3, 4, progtest.W, program.Const(0), program.Const(7), program.Position{})
	th.Emit(swap)
	th.Store(progtest.X, program.Reg(3))
	var got []string
	enumerate(t, b.Build(t), sc, 0, func(g *memory.Graph, _ verdict.FinalState) {
		for _, r := range []struct {
			name string
			memory.Relation
		}{{"addr", g.Addr}, {"data", g.Data}, {"ctrl", g.Ctrl}, {"rmw", g.RMW}} {
			for _, p := range r.Pairs() {
				got = append(got, fmt.Sprintf("%v -%s-> %v", &g.Events[p[0]], r.name, &g.Events[p[1]]))
			}
		}
	})
	want := []string{
		"R x=0 -addr-> R y=0",
		"R y=0 -data-> W z=1", "R w=0 -data-> W x=1",
		"R x=0 -ctrl-> mfence", "R x=0 -ctrl-> R w=0", "R x=0 -ctrl-> W w=7", "R x=0 -ctrl-> W x=1",
		"R w=0 -ctrl-> W w=7",
		"R w=0 -rmw-> W w=7",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// TestOnce checks that no execution is yielded twice.
func TestOnce(t *testing.T) {
	for seed := range uint64(60) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 13)), randprog.Options{
			Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Havoc: -1, Branch: -1, Atomic: -1})
		def, err := memory.Load(memory.PSO)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		enumerate(t, p, def, 0, func(g *memory.Graph, _ verdict.FinalState) {
			if seen[g.String()] {
				t.Fatalf("seed %d: twice\n%v\n%s", seed, g, text(t, p))
			}
			seen[g.String()] = true
		})
	}
}
