package explore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// models are those with a store buffer in package abstract.
var models = []memory.Model{memory.SC, memory.TSO}

// modes are the ways to search.
var modes = func() []Options {
	var all []Options
	for _, r := range Reductions() {
		all = append(all, Options{Reduction: r}, Options{Reduction: r, DepthFirst: true})
	}
	return all
}()

func modeName(o Options) string {
	return fmt.Sprintf("%s, depth-first %v, reduction %q, buffer %d", o.Model, o.DepthFirst, o.Reduction, o.Buffer)
}

// TestFinalStates counts the final states of the classical litmus tests.
func TestFinalStates(t *testing.T) {
	const one, two = program.Const(1), program.Const(2)
	tests := []struct {
		name    string
		build   func(b *builder)
		sc, tso int
	}{
		{"store buffering", func(b *builder) {
			b.thread().store(x, one).load("r", y)
			b.thread().store(y, one).load("r", x)
		}, 3, 4},
		{"store buffering, fenced", func(b *builder) {
			b.thread().store(x, one).fence().load("r", y)
			b.thread().store(y, one).fence().load("r", x)
		}, 3, 3},
		{"store buffering, one fence", func(b *builder) {
			b.thread().store(x, one).fence().load("r", y)
			b.thread().store(y, one).load("r", x)
		}, 3, 4},
		{"store buffering, exchanges", func(b *builder) {
			for i := range 2 {
				tb := b.thread()
				tb.emit(program.Exchange(int(tb.reg("old")), program.Const(i), one, program.Position{})).load("r", program.Const(1-i))
			}
		}, 3, 3},
		{"message passing", func(b *builder) {
			b.thread().store(x, one).store(y, one)
			b.thread().load("r", y).load("s", x)
		}, 3, 3},
		{"load buffering", func(b *builder) {
			b.thread().load("r", x).store(y, one)
			b.thread().load("r", y).store(x, one)
		}, 3, 3},
		{"coherence of reads", func(b *builder) {
			b.thread().store(x, one)
			b.thread().load("r", x).load("s", x)
		}, 3, 3},
		// Two stores to x, seen by two readers: both must see the same order.
		{"coherence of writes", func(b *builder) {
			b.thread().store(x, one).store(x, two)
			b.thread().load("r", x).load("s", x)
		}, 6, 6},
		// Own stores are read from the buffer before others see them.
		{"own-store forwarding", func(b *builder) {
			b.thread().store(x, one).load("r", x).load("s", y)
			b.thread().store(y, one).load("r", y).load("s", x)
		}, 3, 4},
		{"independent reads of independent writes", func(b *builder) {
			b.thread().store(x, one)
			b.thread().store(y, one)
			b.thread().load("r", x).load("s", y)
			b.thread().load("r", y).load("s", x)
		}, 15, 15},
		{"lock", func(b *builder) {
			for range 2 {
				tb := b.thread()
				tb.op(program.Lock).load("r", x)
				tb.store(x, program.Binary{Op: program.Add, X: tb.reg("r"), Y: one}).op(program.Unlock)
			}
		}, 2, 2},
		{"no lock", func(b *builder) {
			for range 2 {
				tb := b.thread()
				tb.load("r", x)
				tb.store(x, program.Binary{Op: program.Add, X: tb.reg("r"), Y: one})
			}
		}, 3, 3},
		{"lock keeps loads out", func(b *builder) {
			b.thread().op(program.Lock).store(x, one).store(y, one).op(program.Unlock)
			b.thread().load("r", x).load("s", y)
		}, 3, 3},
		{"atomic block", func(b *builder) {
			b.thread().atomic(
				program.Command{Op: program.Store, Addr: x, Value: one},
				program.Command{Op: program.Store, Addr: y, Value: one})
			b.thread().load("r", x).load("s", y)
		}, 3, 3},
		// The block of the first thread happens only where its check holds,
		// and then as a whole.
		{"atomic is all or nothing", func(b *builder) {
			tb := b.thread()
			from := tb.cur
			r := tb.reg("r")
			tb.atomic(
				program.Command{Op: program.Store, Addr: y, Value: one},
				program.Command{Op: program.Load, Reg: int(r), Addr: x},
				program.Command{Op: program.Check, Value: eq(r, 1)})
			tb.edge(from, tb.cur, program.Skip())
			b.thread().store(x, one)
		}, 2, 2},
		{"atomic with choices", func(b *builder) {
			tb := b.thread()
			r, s := tb.reg("r"), tb.reg("s")
			tb.atomic(
				program.Command{Op: program.Havoc, Reg: int(r), Lo: 1, Hi: 3},
				program.Command{Op: program.Havoc, Reg: int(s), Lo: -1, Hi: 1},
				program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: r, Y: s}},
				program.Command{Op: program.Store, Addr: x, Value: program.Binary{Op: program.Mul, X: r, Y: s}})
		}, 8, 8},
		{"compare and swap", func(b *builder) {
			for i := range 3 {
				tb := b.thread()
				ok, old := int(tb.reg("ok")), int(tb.reg("old"))
				yes, no := program.CompareAndSwap(ok, old, x, program.Const(0), program.Const(i+1), program.Position{})
				from := tb.cur
				tb.emit(yes)
				tb.edge(from, tb.cur, no)
			}
		}, 3, 3},
		{"fetch and add", func(b *builder) {
			for range 3 {
				tb := b.thread()
				tb.emit(program.FetchAdd(int(tb.reg("r")), x, one, program.Position{}))
			}
		}, 6, 6},
		{"values wrap", func(b *builder) {
			b.p.Memory[0].Type = program.Int8Type
			tb := b.thread()
			tb.store(x, program.Const(200)).load("r", x).store(y, program.Binary{Op: program.Shl, X: tb.reg("r"), Y: program.Const(31)})
		}, 1, 1},
		{"an assertion ends its run only", func(b *builder) {
			tb := b.thread()
			tb.load("r", x).assert(eq(tb.reg("r"), 0)).store(y, one)
			b.thread().store(x, one)
		}, 1, 1},
		{"stuck threads do not end", func(b *builder) {
			b.thread().check(program.Const(0))
			b.thread().store(x, one)
		}, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newProgram(3)
			test.build(b)
			p := b.build(t)
			for _, m := range models {
				want := test.sc
				if m == memory.TSO {
					want = test.tso
				}
				for _, opts := range modes {
					opts.Model = m
					fs, res, err := FinalStates(context.Background(), p, opts)
					if err != nil || res.Verdict != verdict.Safe || res.Argument != verdict.Exhaustive {
						t.Fatalf("%s: %+v, %v", modeName(opts), res, err)
					}
					if len(fs) != want {
						t.Errorf("%s: %d final states, want %d: %v", modeName(opts), len(fs), want, fs)
					}
				}
				if ref := refExplore(p, m, 0, 10000); len(ref.finals) != want {
					t.Errorf("%s: the reference has %d final states, want %d", m, len(ref.finals), want)
				}
			}
		})
	}
}

// TestCheck has a program each for what a verdict can be.
func TestCheck(t *testing.T) {
	const one = program.Const(1)
	sb := func(b *builder) program.Expr {
		b.thread().store(x, one).load("r", y)
		b.thread().store(y, one).load("r", x)
		return and(eq(program.ThreadReg{Thread: 0, Reg: 0}, 0), eq(program.ThreadReg{Thread: 1, Reg: 0}, 0))
	}
	tests := []struct {
		name    string
		build   func(b *builder)
		sc, tso string // verdict and violation or argument
	}{
		{"nothing to violate", func(b *builder) {
			b.thread().store(x, one)
		}, "SAFE no property to violate", "SAFE no property to violate"},
		{"nothing to violate but a fault", func(b *builder) {
			tb := b.thread().load("r", x)
			tb.emit(program.Command{Op: program.Assert, Kind: program.Fault, Value: eq(tb.reg("r"), 0), Text: "index out of range"})
			b.thread().store(x, one)
		}, "UNKNOWN index out of range", "UNKNOWN index out of range"},
		{"no fault after all", func(b *builder) {
			tb := b.thread().load("r", x)
			tb.emit(program.Command{Op: program.Assert, Kind: program.Fault, Value: eq(tb.reg("r"), 0)})
			b.thread().store(y, one)
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		{"exists", func(b *builder) {
			b.property(program.Exists, sb(b))
		}, "SAFE exhaustive search", "UNSAFE exists (0:r0 == 0) && (1:r0 == 0)"},
		{"forall", func(b *builder) {
			b.property(program.Forall, program.NotExpr(sb(b)))
		}, "SAFE exhaustive search", "UNSAFE forall !((0:r0 == 0) && (1:r0 == 0))"},
		{"filtered", func(b *builder) {
			b.property(program.Exists, sb(b))
			b.p.Filter = eq(program.ThreadReg{Thread: 1, Reg: 0}, 1)
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		{"a filter on a temporary", func(b *builder) {
			tb := b.thread().load("r", x)
			tb.t.Regs[0].Temp = true
			b.thread().store(x, one).store(y, one)
			b.property(program.Exists, eq(program.Mem{Addr: 1}, 1))
			b.p.Filter = eq(program.ThreadReg{Thread: 0, Reg: 0}, 1)
		}, "UNSAFE exists [1] == 1", "UNSAFE exists [1] == 1"},
		{"a final state needs empty buffers", func(b *builder) {
			b.thread().store(x, one)
			b.property(program.Exists, eq(program.Mem{Addr: 0, Name: "x"}, 0))
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		{"buffers count for nothing", func(b *builder) {
			b.thread().store(x, one).label("end").fence()
			b.property(program.Forbid, and(b.at(0, "end"), eq(program.Mem{Addr: 0, Name: "x"}, 0)))
		}, "SAFE exhaustive search", "UNSAFE forbid P0@end && (x == 0)"},
		{"the initial state counts", func(b *builder) {
			b.thread().label("start").store(x, one)
			b.property(program.Forbid, b.at(0, "start"))
		}, "UNSAFE forbid P0@start", "UNSAFE forbid P0@start"},
		{"a value passed by", func(b *builder) {
			b.thread().assign("r", one).assign("r", program.Const(2))
			b.property(program.Forbid, eq(program.ThreadReg{Thread: 0, Reg: 0, Name: "r"}, 1))
		}, "UNSAFE forbid r == 1", "UNSAFE forbid r == 1"},
		{"a private cell passed by", func(b *builder) {
			b.thread().store(x, one).store(x, program.Const(2))
			b.property(program.Forbid, eq(program.Mem{Addr: 0, Name: "x"}, 1))
		}, "UNSAFE forbid x == 1", "UNSAFE forbid x == 1"},
		{"two places at a time", func(b *builder) {
			for range 2 {
				b.thread().skip().label("here").skip()
			}
			b.property(program.Forbid, and(b.at(0, "here"), b.at(1, "here")))
		}, "UNSAFE forbid P0@here && P1@here", "UNSAFE forbid P0@here && P1@here"},
		{"deadlock", func(b *builder) {
			b.thread().op(program.Lock)
			b.thread().store(x, one)
			b.property(program.Deadlock, nil)
		}, "UNSAFE forbid deadlock", "UNSAFE forbid deadlock"},
		// Reduced under SC, the private store must not come first.
		{"deadlock before a private store", func(b *builder) {
			b.thread().store(x, one)
			b.thread().skip().op(program.Lock)
			b.property(program.Deadlock, nil)
		}, "UNSAFE forbid deadlock", "UNSAFE forbid deadlock"},
		{"the lock may be kept to the end", func(b *builder) {
			b.thread().op(program.Lock).skip()
			b.thread().skip()
			b.property(program.Deadlock, nil)
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		{"assertion", func(b *builder) {
			tb := b.thread().load("r", x)
			tb.assert(eq(tb.reg("r"), 0)).skip()
			b.thread().store(x, one)
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0"},
		{"an assertion in a block that does not happen", func(b *builder) {
			tb := b.thread()
			tb.atomic(
				program.Command{Op: program.Assert, Value: program.Const(0)},
				program.Command{Op: program.Load, Reg: int(tb.reg("r")), Addr: x},
				program.Command{Op: program.Check, Value: eq(tb.reg("r"), 1)})
			b.thread().store(y, one)
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		// The index is out of range, and the load after it has no cell.
		{"a guarded access in a block", func(b *builder) {
			tb := b.thread().havoc("i", 0, 5)
			tb.atomic(
				program.Command{Op: program.Assert, Kind: program.Fault, Text: "index",
					Value: program.Binary{Op: program.Lt, X: tb.reg("i"), Y: program.Const(3)}},
				program.Command{Op: program.Load, Reg: int(tb.reg("r")), Addr: tb.reg("i")},
				program.Command{Op: program.Store, Addr: tb.reg("i"), Value: one})
		}, "UNKNOWN index", "UNKNOWN index"},
		{"Peterson", func(b *builder) { *b.p = *peterson(t, false) },
			"SAFE exhaustive search", "UNSAFE forbid P0@cs && P1@cs (breadth-first)"},
		{"Peterson, fenced", func(b *builder) { *b.p = *peterson(t, true) },
			"SAFE exhaustive search", "SAFE exhaustive search"},

		// Starvation: a thread that goes on for ever by itself must not keep
		// the search from the other.
		{"spinning on nothing", func(b *builder) {
			b.thread().spin(program.Skip())
			tb := b.thread().assign("r", one)
			tb.assert(eq(tb.reg("r"), 0))
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0"},
		{"spinning after the other", func(b *builder) {
			tb := b.thread().store(x, one).load("r", y)
			tb.assert(eq(tb.reg("r"), 0))
			b.thread().store(y, one).spin(program.Skip())
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0"},
		{"spinning on a register", func(b *builder) {
			tb := b.thread()
			r := tb.reg("r")
			tb.while(nil, program.Const(1), func() { tb.assign("r", program.Unary{Op: program.LogicalNot, X: r}) })
			b.thread().skip().label("here")
			b.property(program.Forbid, b.at(1, "here"))
		}, "UNSAFE forbid P1@here", "UNSAFE forbid P1@here"},
		{"spinning on a private cell", func(b *builder) {
			b.thread().spin(program.Command{Op: program.Store, Addr: z, Value: one}).fence()
			tb := b.thread().load("r", x)
			tb.assert(eq(tb.reg("r"), 0))
			b.thread().store(x, one)
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0 (breadth-first)"},
		{"storing for ever", func(b *builder) {
			b.thread().spin(program.Command{Op: program.Store, Addr: x, Value: one})
			tb := b.thread().load("r", y).assign("r", one)
			tb.assert(eq(tb.reg("r"), 0))
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0 (breadth-first)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newProgram(3)
			test.build(b)
			p := b.build(t)
			for _, m := range models {
				want := test.sc
				if m == memory.TSO {
					want = test.tso
				}
				want, breadth := strings.CutSuffix(want, " (breadth-first)")
				for _, opts := range modes {
					opts.Model = m
					if breadth && opts.DepthFirst {
						opts.Buffer = 3 // else it stores for ever
					}
					res, err := Check(context.Background(), p, opts)
					if err != nil {
						t.Fatalf("%s: %v", modeName(opts), err)
					}
					got := res.Verdict.String() + " " + string(res.Argument)
					if res.Violation != nil {
						got = res.Verdict.String() + " " + res.Violation.Text
						if _, v, err := Replay(p, m, events(res.Run)); err != nil || *v != *res.Violation {
							t.Errorf("%s: replay: %v, %v", modeName(opts), v, err)
						}
					}
					if got != want {
						t.Errorf("%s: %s, want %s", modeName(opts), got, want)
					}
				}
			}
		})
	}
}

// TestFinalStatesFault: a program that is at fault has no list of final states.
func TestFinalStatesFault(t *testing.T) {
	b := newProgram(1)
	tb := b.thread().load("r", x)
	tb.emit(program.Command{Op: program.Assert, Kind: program.Fault, Value: eq(tb.reg("r"), 0), Text: "index"})
	b.thread().store(x, program.Const(1))
	p := b.build(t)
	for _, opts := range modes {
		_, res, err := FinalStates(context.Background(), p, opts)
		if err != nil || res.Verdict != verdict.Unknown || !res.Fault() || res.Violation.Text != "index" || len(res.Run.Steps) == 0 {
			t.Errorf("%s: %+v, %v", modeName(opts), res, err)
		}
	}
}

// endless stores to x for ever under TSO, with nothing to violate in it.
func endless(t *testing.T) *program.Program {
	b := newProgram(2)
	tb := b.thread()
	tb.while(nil, program.Const(1), func() {
		tb.store(x, tb.reg("r")).assign("r", program.Binary{Op: program.BitAnd,
			X: program.Binary{Op: program.Add, X: tb.reg("r"), Y: program.Const(1)}, Y: program.Const(7)})
	})
	b.thread().load("r", x).assert(program.Const(1))
	return b.property(program.Forbid, eq(program.Mem{Addr: 0, Name: "x"}, 9)).build(t)
}

func TestBounds(t *testing.T) {
	p := endless(t)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	late, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	tests := []struct {
		name   string
		ctx    context.Context
		opts   Options
		reason string // the end of it
	}{
		{"capacity", context.Background(), Options{Buffer: 2}, "no violation with store buffers of up to 2 stores"},
		{"states", context.Background(), Options{MaxStates: 100}, "stopped by the limit on the number of states"},
		{"memory", context.Background(), Options{MemoryLimit: 1 << 20}, "stopped by the memory limit"},
		{"cancelled", cancelled, Options{}, "stopped by an interrupt"},
		{"time", late, Options{}, "stopped by the time limit"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, opts := range modes {
				opts.Buffer, opts.MaxStates, opts.MemoryLimit = test.opts.Buffer, test.opts.MaxStates, test.opts.MemoryLimit
				if opts.MemoryLimit == 0 {
					opts.MemoryLimit = 1 << 30
				}
				res, err := Check(test.ctx, p, opts)
				if err != nil || res.Verdict != verdict.Unknown || !strings.HasSuffix(res.Reason, test.reason) {
					t.Errorf("%s: %+v, %v", modeName(opts), res, err)
				}
				if test.opts.Buffer == 0 && !strings.Contains(res.Advice, "store buffers") {
					t.Errorf("%s: advice %q", modeName(opts), res.Advice)
				}
				if test.opts.Buffer > 0 && (res.Bound != 2 || res.BoundUnit != "buffered stores") {
					t.Errorf("%s: bound %d %s", modeName(opts), res.Bound, res.BoundUnit)
				}
				if n := res.Stat("states"); test.opts.MaxStates > 0 && n != test.opts.MaxStates {
					t.Errorf("%s: %d states", modeName(opts), n)
				}
				_, res, err = FinalStates(test.ctx, p, opts)
				if err != nil || res.Verdict != verdict.Unknown || res.Reason == "" {
					t.Errorf("%s: final states: %+v, %v", modeName(opts), res, err)
				}
			}
		})
	}
	// With SC there is nothing to bound.
	res, err := Check(context.Background(), p, Options{Model: memory.SC, Buffer: 1})
	if err != nil || res.Verdict != verdict.Safe {
		t.Errorf("SC: %+v, %v", res, err)
	}
}

// TestCapacityIsNoDeadlock: a store that only the capacity disables does not make
// a state a deadlock.
func TestCapacityIsNoDeadlock(t *testing.T) {
	b := newProgram(2)
	b.thread().op(program.Lock).skip()
	tb := b.thread()
	tb.while(nil, program.Const(1), func() { tb.store(x, program.Const(1)) })
	p := b.property(program.Deadlock, nil).build(t)
	for _, opts := range modes {
		opts.Buffer = 1
		res, err := Check(context.Background(), p, opts)
		if err != nil || res.Verdict != verdict.Unknown || res.BoundUnit != "buffered stores" {
			t.Errorf("%s: %+v, %v", modeName(opts), res, err)
		}
	}
}

func TestProgress(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	lines, start := 0, time.Now()
	_, err := Check(ctx, endless(t), Options{MemoryLimit: 2 << 30, Progress: func(line string) {
		if lines++; lines == 2 {
			cancel()
		}
		if !strings.Contains(line, " states, depth ") {
			t.Errorf("progress %q", line)
		}
	}})
	if err != nil || lines != 2 || time.Since(start) < 400*time.Millisecond {
		t.Errorf("%d lines of progress in %v, %v", lines, time.Since(start), err)
	}
}

// TestManyChoices: a search is not to be caught in a command with more outcomes
// than it can try, nor to miscount them.
func TestManyChoices(t *testing.T) {
	for _, hi := range []int64{1 << 50, 1<<63 - 1} {
		b := newProgram(1)
		tb := b.thread()
		r := tb.reg("r")
		tb.t.Regs[r].Type = program.Int64Type
		tb.atomic(program.Command{Op: program.Havoc, Reg: int(r), Lo: 0, Hi: hi},
			program.Command{Op: program.Check, Value: eq(r, -1)})
		b.thread().label("here")
		p := b.property(program.Exists, program.Const(1)).build(t)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		res, err := Check(ctx, p, Options{})
		cancel()
		var diag *program.Diagnostic
		if hi == 1<<50 && (err != nil || res.Verdict != verdict.Unknown) || hi > 1<<50 && !errors.As(err, &diag) {
			t.Errorf("up to %d: %+v, %v", hi, res, err)
		}
	}
}

func TestUnboundedAddress(t *testing.T) {
	p := &program.Program{Name: "test", Default: program.Int32Type}
	b := &builder{p}
	tb := b.thread().havoc("r", 0, 1<<30)
	tb.store(tb.reg("r"), program.Const(1)).assert(program.Const(1))
	var diag *program.Diagnostic
	if _, err := Check(context.Background(), b.build(t), Options{}); !errors.As(err, &diag) {
		t.Errorf("%v, want a diagnostic", err)
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %s", n, got)
		}
	}
}

// TestNoAllocations: a transition allocates nothing once the arena has room.
func TestNoAllocations(t *testing.T) {
	for _, opts := range modes {
		s, err := newSearch(context.Background(), filter(t, 3, true), opts, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.run(); err != nil {
			t.Fatal(err)
		}
		var ids []ref
		a := &s.store.(*flat).arena
		for id := a.from(0); id != 0; {
			ids = append(ids, ref(id))
			id = a.from(int64(id) + 1 + int64(s.load(ref(id))))
		}
		if int64(len(ids)) != s.states && s.local == nil {
			t.Fatalf("%d records for %d states", len(ids), s.states)
		}
		// Two runs, as the runtime allocates something by itself now and then.
		if n := testing.AllocsPerRun(2, func() {
			for _, id := range ids {
				s.expand(id)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations for %d states", modeName(opts), n, len(ids))
		}
	}
}
