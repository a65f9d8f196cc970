package explore

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// figure42 is the program of thesis figure 4.2 with the goal encoding of section
// 4.2.1: x counts the threads at their goal, y is 1 once all are.
func figure42(t *testing.T) *program.Program {
	b := newProgram(2)
	for range 2 {
		tb := b.thread()
		r, n := tb.reg("r"), tb.reg("n")
		tb.assign("r", program.Binary{Op: program.Sub, X: program.Const(1), Y: r}).check(eq(r, 1))
		tb.atomic(
			program.Command{Op: program.Load, Reg: int(n), Addr: x},
			program.Command{Op: program.Store, Addr: x, Value: program.Binary{Op: program.Add, X: n, Y: program.Const(1)}})
		tb.spin(program.Command{Op: program.Atomic, Body: []program.Command{
			{Op: program.Load, Reg: int(n), Addr: x},
			{Op: program.Check, Value: eq(n, 2)},
			{Op: program.Store, Addr: y, Value: program.Const(1)}}})
		tb.t.Regs[n].Temp = true
	}
	return b.property(program.Forbid, eq(program.Mem{Addr: 1, Name: "y"}, 1)).build(t)
}

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
			for _, p := range []*program.Program{example, figure42(t)} {
				test.opts.Model = m
				res, err := Check(context.Background(), p, test.opts)
				if err != nil || res.Verdict != verdict.Unsafe {
					t.Fatalf("%s, %s: %+v, %v", p.Name, modeName(test.opts), res, err)
				}
				if s, n := res.Stat("states"), res.Stat("transitions"); s != test.states || n != test.transitions {
					t.Errorf("%s, %s: %d states, %d transitions, want %d and %d", p.Name, modeName(test.opts), s, n, test.states, test.transitions)
				}
				if n := len(res.Run.Steps); n != 7 {
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
		build func(b *builder)
	}{
		// The middle is met by a local event and by a load.
		{"met with a favourite and met again without", func(b *builder) {
			tb := b.thread()
			start := tb.cur
			tb.skip()
			middle := tb.cur
			tb.edge(start, middle, program.Command{Op: program.Load, Reg: int(tb.reg("r")), Addr: y})
			tb.store(x, one)
			b.thread().store(y, one).load("s", x).store(y, two)
		}},
		{"met without a favourite and met again with one", func(b *builder) {
			tb := b.thread()
			start, middle := tb.cur, tb.state()
			tb.edge(start, middle, program.Command{Op: program.Load, Reg: int(tb.reg("r")), Addr: y})
			tb.skip()
			tb.edge(tb.cur, middle, program.Skip())
			tb.cur = middle
			tb.store(x, one)
			b.thread().store(y, one).load("s", x).store(y, two)
		}},
		{"endless local events beside a failing assertion", func(b *builder) {
			b.thread().spin(program.Skip())
			tb := b.thread().load("r", x)
			tb.assert(eq(tb.reg("r"), 0))
			b.thread().store(x, one)
		}},
		{"endless local events beside two control states", func(b *builder) {
			b.thread().spin(program.Skip())
			for range 2 {
				b.thread().load("r", x).skip().label("here").skip()
			}
			b.property(program.Forbid, and(b.at(1, "here"), b.at(2, "here")))
		}},
		{"endless local events after a store", func(b *builder) {
			b.thread().store(x, one).spin(program.Skip())
			tb := b.thread().load("r", x)
			tb.check(eq(tb.reg("r"), 1)).assert(program.Const(0))
		}},
		{"endless loads beside a failing assertion", func(b *builder) {
			tb := b.thread()
			tb.spin(program.Command{Op: program.Load, Reg: int(tb.reg("r")), Addr: z})
			tb = b.thread().load("r", x)
			tb.assert(eq(tb.reg("r"), 0))
			b.thread().store(x, one)
		}},
		{"final states beside a thread that may go on for ever", func(b *builder) {
			b.thread().spin(program.Skip()).skip()
			b.thread().load("r", x).skip()
			b.thread().store(x, one).skip().store(x, two)
		}},
		{"a deadlock behind a thread that may go on for ever", func(b *builder) {
			b.thread().spin(program.Skip()).op(program.Lock)
			b.thread().skip().op(program.Lock).skip()
			b.property(program.Deadlock, nil)
		}},
		{"no deadlock while a thread goes on for ever", func(b *builder) {
			b.thread().spin(program.Skip())
			b.thread().op(program.Lock)
			b.thread().op(program.Lock)
			b.property(program.Deadlock, nil)
		}},
		{"a control state entered by a local event", func(b *builder) {
			b.thread().skip().label("here").skip().store(x, one)
			tb := b.thread().load("r", x)
			tb.check(eq(tb.reg("r"), 0)).label("there").skip()
			b.property(program.Forbid, and(b.at(0, "here"), b.at(1, "there")))
		}},
		{"the last local events of two threads", func(b *builder) {
			for range 2 {
				tb := b.thread().load("r", x).skip().skip()
				tb.assign("r", one)
			}
			b.thread().store(x, two)
		}},
		{"a favourite that is blocked", func(b *builder) {
			tb := b.thread().load("r", x)
			tb.skip().check(eq(tb.reg("r"), 1))
			b.thread().skip().store(x, one).skip()
			b.property(program.Deadlock, nil)
		}},
		{"a favourite that waits for the lock", func(b *builder) {
			for range 2 {
				b.thread().skip().op(program.Lock).store(x, one).skip().op(program.Unlock).skip()
			}
			b.property(program.Deadlock, nil)
		}},
		// Where P1 holds the lock, P0 can only go the way that is local.
		{"a local event beside one that the lock disables", func(b *builder) {
			tb := b.thread().skip()
			from := tb.cur
			tb.load("r", x).skip()
			tb.edge(from, tb.cur, program.Skip())
			b.thread().op(program.Lock).store(x, one).skip().store(x, two).op(program.Unlock)
			b.property(program.Deadlock, nil)
		}},
		{"a fence beside a local event", func(b *builder) {
			tb := b.thread().store(x, one)
			from := tb.cur
			tb.fence().load("r", y)
			tb.edge(from, tb.cur, program.Skip())
			b.thread().store(y, one).fence().load("r", x)
		}},
		{"an atomic block that waits for another thread", func(b *builder) {
			tb := b.thread()
			tb.atomic(program.Command{Op: program.Load, Reg: int(tb.reg("r")), Addr: x},
				program.Command{Op: program.Check, Value: eq(tb.reg("r"), 1)},
				program.Command{Op: program.Store, Addr: y, Value: one})
			b.thread().store(x, one).load("r", y).store(x, two).load("s", y)
			b.property(program.Deadlock, nil)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newProgram(3)
			test.build(b)
			p := b.build(t)
			for _, m := range models {
				ref := refExplore(p, m, 0, 10000)
				if ref.unfinished {
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
