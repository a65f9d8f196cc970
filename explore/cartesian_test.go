package explore

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// vector is the lengths of the prefixes in the initial state of p, by threads,
// the program before the buffer.
func vector(t *testing.T, p *program.Program, m memory.Model) []int {
	t.Helper()
	s, err := newSearch(context.Background(), p, Options{Model: m, Reduction: Cartesian}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.x.Initial(s.cur)
	s.vector.plan(s.cur, 1)
	var n []int
	for i := range s.vector.procs {
		n = append(n, len(s.vector.procs[i].events))
	}
	return n
}

// TestVectors has the first vectors of programs.
func TestVectors(t *testing.T) {
	figure45, err := lang.Load("../examples/thesis/fig4.5.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	build := func(f func(b *progtest.Builder)) *program.Program {
		b := progtest.New(3)
		f(b)
		return b.Build(t)
	}
	const one = program.Const(1)
	for _, test := range []struct {
		name    string
		p       *program.Program
		sc, tso [4]int
	}{
		// The blocks of section 4.3.2: assign, check and atomic.
		{"figure 4.2", figure42(t), [4]int{3, 0, 3, 0}, [4]int{3, 0, 3, 0}},
		// Both increments of both threads. A thread that goes on to its load of
		// the other's variable ends the prefix of the other where this is
		// written, under TSO that of its flushes.
		{"figure 4.5", figure45, [4]int{4, 0, 4, 0}, [4]int{5, 2, 4, 1}},
		{"a loop without end", build(func(b *progtest.Builder) {
			b.Thread().Spin(program.Skip())
			b.Thread().Store(progtest.X, one).Load("r", progtest.Y)
		}), [4]int{1, 0, 2, 0}, [4]int{1, 0, 2, 1}},
		{"a thread that waits", build(func(b *progtest.Builder) {
			tb := b.Thread()
			tb.Atomic(program.Command{Op: program.Load, Reg: int(tb.Reg("r")), Addr: progtest.X},
				program.Command{Op: program.Check, Value: progtest.Eq(tb.Reg("r"), 1)})
			b.Thread().Load("r", progtest.Y).Store(progtest.X, one).Store(progtest.Y, one)
		}), [4]int{0, 0, 2, 0}, [4]int{0, 0, 3, 1}},
	} {
		for _, m := range models {
			want := test.sc
			if m == memory.TSO {
				want = test.tso
			}
			if got := vector(t, test.p, m); [4]int(got) != want {
				t.Errorf("%s, %s: prefixes of %d events, want %d", test.name, m, got, want)
			}
		}
	}
}

// TestIndexer: up to 11 threads of the Indexer do not meet, and a thread does all
// it has to do in one prefix.
func TestIndexer(t *testing.T) {
	for _, n := range []int64{2, 5, 8} {
		p, err := lang.Load("../examples/thesis/fig5.12.imp", map[string]int64{"N": n})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range models {
			res, err := Check(context.Background(), p, Options{Model: m, Reduction: Cartesian})
			if err != nil || !res.Safe() || res.Stat("states") != 1<<n {
				t.Errorf("%d threads, %s: %+v, %v", n, m, res, err)
			}
		}
	}
}

// TestProbe: looking at an event leaves the state as it is, and says what the
// event does.
func TestProbe(t *testing.T) {
	s, err := newSearch(context.Background(), figure42(t), Options{Model: memory.TSO, Reduction: NoReduction}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
	was := s.x.NewState()
	a := s.store.(*states.Flat)
	for id := a.From(0); id != 0; {
		n := s.load(id)
		was.Copy(s.cur)
		for th := range s.cur.PC {
			for _, e := range s.x.Out(th, s.cur.PC[th]) {
				ev := abstract.Event{Thread: th, Edge: e}
				got := s.x.Probe(s.cur, ev, func(int, bool) {})
				if !s.cur.Equal(was) {
					t.Fatalf("state %d: probing %+v changed the state", id, ev)
				}
				if want := s.x.Step(s.cur, ev); got != want {
					t.Errorf("state %d: %+v is %v, probed %v", id, ev, want, got)
				}
				s.cur.Copy(was)
			}
		}
		id = a.From(int64(id) + 1 + int64(n))
	}
}
