package reduce

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// vector is the lengths of the prefixes in the initial state of p, by threads,
// the program before the buffer.
func vector(t *testing.T, p *program.Program, m memory.Model) []int {
	t.Helper()
	x, err := abstract.Compile(p, m, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	red, _ := New(Cartesian, &Task{System: x, Props: p.Properties, Dead: flow.Dead(p, false)})
	s := x.NewState()
	x.Initial(s)
	v := red.(*cartesian)
	v.plan(s)
	var n []int
	for i := range v.procs {
		n = append(n, len(v.procs[i].events))
	}
	return n
}

// TestVectors has the first vectors of programs.
func TestVectors(t *testing.T) {
	figure45, err := lang.Load("../../examples/thesis/fig4.5.imp", nil)
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
		{"figure 4.2", progtest.Figure42(t), [4]int{3, 0, 3, 0}, [4]int{3, 0, 3, 0}},
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
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
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

// TestRegistry: every reduction is one that can be made.
func TestRegistry(t *testing.T) {
	p := progtest.Figure42(t)
	x, err := abstract.Compile(p, memory.TSO, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		if r, ok := New(name, &Task{System: x, Dead: flow.Dead(p, false)}); !ok || r == nil || r.Fork() == nil {
			t.Errorf("there is no reduction %q", name)
		}
	}
	if _, ok := New("nonsense", &Task{System: x}); ok {
		t.Error("there is a reduction by another name")
	}
}
