package explore

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestFigure42 has the counts of thesis figure 4.3: of the 25 transitions, 13
// are left, and depth-first the goal is found after 7. The example is the same
// program.
func TestFigure42(t *testing.T) {
	example, err := lang.Load("../examples/thesis/fig4.2.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		opts                Options
		states, transitions int64
	}{
		{Options{Reduction: NoReduction}, 17, 25},
		{Options{Reduction: LocalFirst}, 13, 13},
		{Options{Reduction: LocalFirst, DepthFirst: true}, 8, 7},
	} {
		for _, m := range models {
			for _, p := range []*program.Program{example, progtest.Figure42(t)} {
				test.opts.Model = m
				res, err := Check(context.Background(), p, test.opts)
				if err != nil || !res.Unsafe() {
					t.Fatalf("%s, %s: %+v, %v", p.Name, modeName(test.opts), res, err)
				}
				if s, n := res.Stat("states"), res.Stat("transitions"); s != test.states || n != test.transitions {
					t.Errorf("%s, %s: %d states, %d transitions, want %d and %d", p.Name, modeName(test.opts), s, n, test.states, test.transitions)
				}
				if n := len(res.Run().Steps); n != 7 {
					t.Errorf("%s, %s: a run of %d steps", p.Name, modeName(test.opts), n)
				}
			}
		}
	}
}

// TestTraps has the programs on which reductions are known to go wrong: every
// mode has the verdict and the final states of the reference.
func TestTraps(t *testing.T) {
	const one, two = program.Const(1), program.Const(2)
	tests := []struct {
		name  string
		build func(b *progtest.Builder)
	}{
		// The middle is met by a local event and by a load.
		{"met with a favourite and met again without", func(b *progtest.Builder) {
			tb := b.Thread()
			start := tb.Cur
			tb.Skip()
			middle := tb.Cur
			tb.Edge(start, middle, program.Command{Op: program.Load, Reg: int(tb.Reg("r")), Addr: progtest.Y})
			tb.Store(progtest.X, one)
			b.Thread().Store(progtest.Y, one).Load("s", progtest.X).Store(progtest.Y, two)
		}},
		{"met without a favourite and met again with one", func(b *progtest.Builder) {
			tb := b.Thread()
			start, middle := tb.Cur, tb.State()
			tb.Edge(start, middle, program.Command{Op: program.Load, Reg: int(tb.Reg("r")), Addr: progtest.Y})
			tb.Skip()
			tb.Edge(tb.Cur, middle, program.Skip())
			tb.Cur = middle
			tb.Store(progtest.X, one)
			b.Thread().Store(progtest.Y, one).Load("s", progtest.X).Store(progtest.Y, two)
		}},
		{"endless local events beside a failing assertion", func(b *progtest.Builder) {
			b.Thread().Spin(program.Skip())
			tb := b.Thread().Load("r", progtest.X)
			tb.Assert(progtest.Eq(tb.Reg("r"), 0))
			b.Thread().Store(progtest.X, one)
		}},
		{"endless local events beside two control states", func(b *progtest.Builder) {
			b.Thread().Spin(program.Skip())
			for range 2 {
				b.Thread().Load("r", progtest.X).Skip().Label("here").Skip()
			}
			b.Property(program.Forbid, progtest.And(b.At(1, "here"), b.At(2, "here")))
		}},
		{"endless local events after a store", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one).Spin(program.Skip())
			tb := b.Thread().Load("r", progtest.X)
			tb.Check(progtest.Eq(tb.Reg("r"), 1)).Assert(program.Const(0))
		}},
		{"endless loads beside a failing assertion", func(b *progtest.Builder) {
			tb := b.Thread()
			tb.Spin(program.Command{Op: program.Load, Reg: int(tb.Reg("r")), Addr: progtest.Z})
			tb = b.Thread().Load("r", progtest.X)
			tb.Assert(progtest.Eq(tb.Reg("r"), 0))
			b.Thread().Store(progtest.X, one)
		}},
		{"final states beside a thread that may go on for ever", func(b *progtest.Builder) {
			b.Thread().Spin(program.Skip()).Skip()
			b.Thread().Load("r", progtest.X).Skip()
			b.Thread().Store(progtest.X, one).Skip().Store(progtest.X, two)
		}},
		{"a deadlock behind a thread that may go on for ever", func(b *progtest.Builder) {
			b.Thread().Spin(program.Skip()).Op(program.Lock)
			b.Thread().Skip().Op(program.Lock).Skip()
			b.Property(program.Deadlock, nil)
		}},
		{"no deadlock while a thread goes on for ever", func(b *progtest.Builder) {
			b.Thread().Spin(program.Skip())
			b.Thread().Op(program.Lock)
			b.Thread().Op(program.Lock)
			b.Property(program.Deadlock, nil)
		}},
		{"a control state entered by a local event", func(b *progtest.Builder) {
			b.Thread().Skip().Label("here").Skip().Store(progtest.X, one)
			tb := b.Thread().Load("r", progtest.X)
			tb.Check(progtest.Eq(tb.Reg("r"), 0)).Label("there").Skip()
			b.Property(program.Forbid, progtest.And(b.At(0, "here"), b.At(1, "there")))
		}},
		{"the last local events of two threads", func(b *progtest.Builder) {
			for range 2 {
				tb := b.Thread().Load("r", progtest.X).Skip().Skip()
				tb.Assign("r", one)
			}
			b.Thread().Store(progtest.X, two)
		}},
		{"a favourite that is blocked", func(b *progtest.Builder) {
			tb := b.Thread().Load("r", progtest.X)
			tb.Skip().Check(progtest.Eq(tb.Reg("r"), 1))
			b.Thread().Skip().Store(progtest.X, one).Skip()
			b.Property(program.Deadlock, nil)
		}},
		{"a favourite that waits for the lock", func(b *progtest.Builder) {
			for range 2 {
				b.Thread().Skip().Op(program.Lock).Store(progtest.X, one).Skip().Op(program.Unlock).Skip()
			}
			b.Property(program.Deadlock, nil)
		}},
		// Where P1 holds the lock, P0 can only go the way that is local.
		{"a local event beside one that the lock disables", func(b *progtest.Builder) {
			tb := b.Thread().Skip()
			from := tb.Cur
			tb.Load("r", progtest.X).Skip()
			tb.Edge(from, tb.Cur, program.Skip())
			b.Thread().Op(program.Lock).Store(progtest.X, one).Skip().Store(progtest.X, two).Op(program.Unlock)
			b.Property(program.Deadlock, nil)
		}},
		{"a fence beside a local event", func(b *progtest.Builder) {
			tb := b.Thread().Store(progtest.X, one)
			from := tb.Cur
			tb.Fence().Load("r", progtest.Y)
			tb.Edge(from, tb.Cur, program.Skip())
			b.Thread().Store(progtest.Y, one).Fence().Load("r", progtest.X)
		}},
		{"an atomic block that waits for another thread", func(b *progtest.Builder) {
			tb := b.Thread()
			tb.Atomic(program.Command{Op: program.Load, Reg: int(tb.Reg("r")), Addr: progtest.X},
				program.Command{Op: program.Check, Value: progtest.Eq(tb.Reg("r"), 1)},
				program.Command{Op: program.Store, Addr: progtest.Y, Value: one})
			b.Thread().Store(progtest.X, one).Load("r", progtest.Y).Store(progtest.X, two).Load("s", progtest.Y)
			b.Property(program.Deadlock, nil)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := progtest.New(3)
			test.build(b)
			p := b.Build(t)
			for _, m := range models {
				ref := reference.Search(p, m, 0, 10000)
				if ref.Unfinished {
					t.Fatal("too many states")
				}
				for _, opts := range modes {
					opts.Model = m
					compare(t, modeName(opts), p, ref, opts)
				}
			}
		})
	}
}
