package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
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
		build   func(b *progtest.Builder)
		sc, tso int
	}{
		{"store buffering", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one).Load("r", progtest.Y)
			b.Thread().Store(progtest.Y, one).Load("r", progtest.X)
		}, 3, 4},
		{"store buffering, fenced", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one).Fence().Load("r", progtest.Y)
			b.Thread().Store(progtest.Y, one).Fence().Load("r", progtest.X)
		}, 3, 3},
		{"store buffering, one fence", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one).Fence().Load("r", progtest.Y)
			b.Thread().Store(progtest.Y, one).Load("r", progtest.X)
		}, 3, 4},
		{"store buffering, exchanges", func(b *progtest.Builder) {
			for i := range 2 {
				tb := b.Thread()
				tb.Emit(program.Exchange(int(tb.Reg("old")), program.Const(i), one, program.Position{})).Load("r", program.Const(1-i))
			}
		}, 3, 3},
		{"message passing", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one).Store(progtest.Y, one)
			b.Thread().Load("r", progtest.Y).Load("s", progtest.X)
		}, 3, 3},
		{"load buffering", func(b *progtest.Builder) {
			b.Thread().Load("r", progtest.X).Store(progtest.Y, one)
			b.Thread().Load("r", progtest.Y).Store(progtest.X, one)
		}, 3, 3},
		{"coherence of reads", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one)
			b.Thread().Load("r", progtest.X).Load("s", progtest.X)
		}, 3, 3},
		// Two stores to x, seen by two readers: both must see the same order.
		{"coherence of writes", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one).Store(progtest.X, two)
			b.Thread().Load("r", progtest.X).Load("s", progtest.X)
		}, 6, 6},
		// Own stores are read from the buffer before others see them.
		{"own-store forwarding", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one).Load("r", progtest.X).Load("s", progtest.Y)
			b.Thread().Store(progtest.Y, one).Load("r", progtest.Y).Load("s", progtest.X)
		}, 3, 4},
		{"independent reads of independent writes", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one)
			b.Thread().Store(progtest.Y, one)
			b.Thread().Load("r", progtest.X).Load("s", progtest.Y)
			b.Thread().Load("r", progtest.Y).Load("s", progtest.X)
		}, 15, 15},
		{"lock", func(b *progtest.Builder) {
			for range 2 {
				tb := b.Thread()
				tb.Op(program.Lock).Load("r", progtest.X)
				tb.Store(progtest.X, program.Binary{Op: program.Add, X: tb.Reg("r"), Y: one}).Op(program.Unlock)
			}
		}, 2, 2},
		{"no lock", func(b *progtest.Builder) {
			for range 2 {
				tb := b.Thread()
				tb.Load("r", progtest.X)
				tb.Store(progtest.X, program.Binary{Op: program.Add, X: tb.Reg("r"), Y: one})
			}
		}, 3, 3},
		{"lock keeps loads out", func(b *progtest.Builder) {
			b.Thread().Op(program.Lock).Store(progtest.X, one).Store(progtest.Y, one).Op(program.Unlock)
			b.Thread().Load("r", progtest.X).Load("s", progtest.Y)
		}, 3, 3},
		{"atomic block", func(b *progtest.Builder) {
			b.Thread().Atomic(
				program.Command{Op: program.Store, Addr: progtest.X, Value: one},
				program.Command{Op: program.Store, Addr: progtest.Y, Value: one})
			b.Thread().Load("r", progtest.X).Load("s", progtest.Y)
		}, 3, 3},
		// The block of the first thread happens only where its check holds,
		// and then as a whole.
		{"atomic is all or nothing", func(b *progtest.Builder) {
			tb := b.Thread()
			from := tb.Cur
			r := tb.Reg("r")
			tb.Atomic(
				program.Command{Op: program.Store, Addr: progtest.Y, Value: one},
				program.Command{Op: program.Load, Reg: int(r), Addr: progtest.X},
				program.Command{Op: program.Check, Value: progtest.Eq(r, 1)})
			tb.Edge(from, tb.Cur, program.Skip())
			b.Thread().Store(progtest.X, one)
		}, 2, 2},
		{"atomic with choices", func(b *progtest.Builder) {
			tb := b.Thread()
			r, s := tb.Reg("r"), tb.Reg("s")
			tb.Atomic(
				program.Command{Op: program.Havoc, Reg: int(r), Lo: 1, Hi: 3},
				program.Command{Op: program.Havoc, Reg: int(s), Lo: -1, Hi: 1},
				program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: r, Y: s}},
				program.Command{Op: program.Store, Addr: progtest.X, Value: program.Binary{Op: program.Mul, X: r, Y: s}})
		}, 8, 8},
		{"compare and swap", func(b *progtest.Builder) {
			for i := range 3 {
				tb := b.Thread()
				ok, old := int(tb.Reg("ok")), int(tb.Reg("old"))
				yes, no := program.CompareAndSwap(ok, old, progtest.X, program.Const(0), program.Const(i+1), program.Position{})
				from := tb.Cur
				tb.Emit(yes)
				tb.Edge(from, tb.Cur, no)
			}
		}, 3, 3},
		{"fetch and add", func(b *progtest.Builder) {
			for range 3 {
				tb := b.Thread()
				tb.Emit(program.FetchAdd(int(tb.Reg("r")), progtest.X, one, program.Position{}))
			}
		}, 6, 6},
		{"values wrap", func(b *progtest.Builder) {
			b.Program.Memory[0].Type = program.Int8Type
			tb := b.Thread()
			tb.Store(progtest.X, program.Const(200)).Load("r", progtest.X).Store(progtest.Y, program.Binary{Op: program.Shl, X: tb.Reg("r"), Y: program.Const(31)})
		}, 1, 1},
		{"an assertion ends its run only", func(b *progtest.Builder) {
			tb := b.Thread()
			tb.Load("r", progtest.X).Assert(progtest.Eq(tb.Reg("r"), 0)).Store(progtest.Y, one)
			b.Thread().Store(progtest.X, one)
		}, 1, 1},
		{"stuck threads do not end", func(b *progtest.Builder) {
			b.Thread().Check(program.Const(0))
			b.Thread().Store(progtest.X, one)
		}, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := progtest.New(3)
			test.build(b)
			p := b.Build(t)
			for _, m := range models {
				want := test.sc
				if m == memory.TSO {
					want = test.tso
				}
				for _, opts := range modes {
					opts.Model = m
					fs, res, err := FinalStates(context.Background(), p, opts)
					if err != nil || !res.Safe() || res.Argument() != verdict.Exhaustive {
						t.Fatalf("%s: %+v, %v", modeName(opts), res, err)
					}
					if len(fs) != want {
						t.Errorf("%s: %d final states, want %d: %v", modeName(opts), len(fs), want, fs)
					}
				}
				if ref := reference.Search(p, m, 0, 10000); len(ref.Finals) != want {
					t.Errorf("%s: the reference has %d final states, want %d", m, len(ref.Finals), want)
				}
			}
		})
	}
}

// TestCheck has a program each for what a verdict can be.
func TestCheck(t *testing.T) {
	const one = program.Const(1)
	sb := func(b *progtest.Builder) program.Expr {
		b.Thread().Store(progtest.X, one).Load("r", progtest.Y)
		b.Thread().Store(progtest.Y, one).Load("r", progtest.X)
		return progtest.And(progtest.Eq(program.ThreadReg{Thread: 0, Reg: 0}, 0), progtest.Eq(program.ThreadReg{Thread: 1, Reg: 0}, 0))
	}
	tests := []struct {
		name    string
		build   func(b *progtest.Builder)
		sc, tso string // verdict and violation or argument
	}{
		{"nothing to violate", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one)
		}, "SAFE no property to violate", "SAFE no property to violate"},
		{"nothing to violate but a fault", func(b *progtest.Builder) {
			tb := b.Thread().Load("r", progtest.X)
			tb.Emit(program.Command{Op: program.Assert, Kind: program.Fault, Value: progtest.Eq(tb.Reg("r"), 0), Text: "index out of range"})
			b.Thread().Store(progtest.X, one)
		}, "UNKNOWN index out of range", "UNKNOWN index out of range"},
		{"no fault after all", func(b *progtest.Builder) {
			tb := b.Thread().Load("r", progtest.X)
			tb.Emit(program.Command{Op: program.Assert, Kind: program.Fault, Value: progtest.Eq(tb.Reg("r"), 0)})
			b.Thread().Store(progtest.Y, one)
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		{"exists", func(b *progtest.Builder) {
			b.Property(program.Exists, sb(b))
		}, "SAFE exhaustive search", "UNSAFE exists (0:r0 == 0) && (1:r0 == 0)"},
		{"forall", func(b *progtest.Builder) {
			b.Property(program.Forall, program.NotExpr(sb(b)))
		}, "SAFE exhaustive search", "UNSAFE forall !((0:r0 == 0) && (1:r0 == 0))"},
		{"filtered", func(b *progtest.Builder) {
			b.Property(program.Exists, sb(b))
			b.Program.Filter = progtest.Eq(program.ThreadReg{Thread: 1, Reg: 0}, 1)
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		{"a filter on a temporary", func(b *progtest.Builder) {
			tb := b.Thread().Load("r", progtest.X)
			tb.Thread.Regs[0].Temp = true
			b.Thread().Store(progtest.X, one).Store(progtest.Y, one)
			b.Property(program.Exists, progtest.Eq(program.Mem{Addr: 1}, 1))
			b.Program.Filter = progtest.Eq(program.ThreadReg{Thread: 0, Reg: 0}, 1)
		}, "UNSAFE exists [1] == 1", "UNSAFE exists [1] == 1"},
		{"a final state needs empty buffers", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one)
			b.Property(program.Exists, progtest.Eq(program.Mem{Addr: 0, Name: "x"}, 0))
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		{"buffers count for nothing", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one).Label("end").Fence()
			b.Property(program.Forbid, progtest.And(b.At(0, "end"), progtest.Eq(program.Mem{Addr: 0, Name: "x"}, 0)))
		}, "SAFE exhaustive search", "UNSAFE forbid P0@end && (x == 0)"},
		{"the initial state counts", func(b *progtest.Builder) {
			b.Thread().Label("start").Store(progtest.X, one)
			b.Property(program.Forbid, b.At(0, "start"))
		}, "UNSAFE forbid P0@start", "UNSAFE forbid P0@start"},
		{"a value passed by", func(b *progtest.Builder) {
			b.Thread().Assign("r", one).Assign("r", program.Const(2))
			b.Property(program.Forbid, progtest.Eq(program.ThreadReg{Thread: 0, Reg: 0, Name: "r"}, 1))
		}, "UNSAFE forbid r == 1", "UNSAFE forbid r == 1"},
		{"a private cell passed by", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one).Store(progtest.X, program.Const(2))
			b.Property(program.Forbid, progtest.Eq(program.Mem{Addr: 0, Name: "x"}, 1))
		}, "UNSAFE forbid x == 1", "UNSAFE forbid x == 1"},
		{"two places at a time", func(b *progtest.Builder) {
			for range 2 {
				b.Thread().Skip().Label("here").Skip()
			}
			b.Property(program.Forbid, progtest.And(b.At(0, "here"), b.At(1, "here")))
		}, "UNSAFE forbid P0@here && P1@here", "UNSAFE forbid P0@here && P1@here"},
		{"deadlock", func(b *progtest.Builder) {
			b.Thread().Op(program.Lock)
			b.Thread().Store(progtest.X, one)
			b.Property(program.Deadlock, nil)
		}, "UNSAFE forbid deadlock", "UNSAFE forbid deadlock"},
		// Reduced under SC, the private store must not come first.
		{"deadlock before a private store", func(b *progtest.Builder) {
			b.Thread().Store(progtest.X, one)
			b.Thread().Skip().Op(program.Lock)
			b.Property(program.Deadlock, nil)
		}, "UNSAFE forbid deadlock", "UNSAFE forbid deadlock"},
		{"the lock may be kept to the end", func(b *progtest.Builder) {
			b.Thread().Op(program.Lock).Skip()
			b.Thread().Skip()
			b.Property(program.Deadlock, nil)
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		{"assertion", func(b *progtest.Builder) {
			tb := b.Thread().Load("r", progtest.X)
			tb.Assert(progtest.Eq(tb.Reg("r"), 0)).Skip()
			b.Thread().Store(progtest.X, one)
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0"},
		{"an assertion in a block that does not happen", func(b *progtest.Builder) {
			tb := b.Thread()
			tb.Atomic(
				program.Command{Op: program.Assert, Value: program.Const(0)},
				program.Command{Op: program.Load, Reg: int(tb.Reg("r")), Addr: progtest.X},
				program.Command{Op: program.Check, Value: progtest.Eq(tb.Reg("r"), 1)})
			b.Thread().Store(progtest.Y, one)
		}, "SAFE exhaustive search", "SAFE exhaustive search"},
		// The index is out of range, and the load after it has no cell.
		{"a guarded access in a block", func(b *progtest.Builder) {
			tb := b.Thread().Havoc("i", 0, 5)
			tb.Atomic(
				program.Command{Op: program.Assert, Kind: program.Fault, Text: "index",
					Value: program.Binary{Op: program.Lt, X: tb.Reg("i"), Y: program.Const(3)}},
				program.Command{Op: program.Load, Reg: int(tb.Reg("r")), Addr: tb.Reg("i")},
				program.Command{Op: program.Store, Addr: tb.Reg("i"), Value: one})
		}, "UNKNOWN index", "UNKNOWN index"},
		{"Peterson", func(b *progtest.Builder) { *b.Program = *progtest.Peterson(t, false) },
			"SAFE exhaustive search", "UNSAFE forbid P0@cs && P1@cs (breadth-first)"},
		{"Peterson, fenced", func(b *progtest.Builder) { *b.Program = *progtest.Peterson(t, true) },
			"SAFE exhaustive search", "SAFE exhaustive search"},

		// Starvation: a thread that goes on for ever by itself must not keep
		// the search from the other.
		{"spinning on nothing", func(b *progtest.Builder) {
			b.Thread().Spin(program.Skip())
			tb := b.Thread().Assign("r", one)
			tb.Assert(progtest.Eq(tb.Reg("r"), 0))
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0"},
		{"spinning after the other", func(b *progtest.Builder) {
			tb := b.Thread().Store(progtest.X, one).Load("r", progtest.Y)
			tb.Assert(progtest.Eq(tb.Reg("r"), 0))
			b.Thread().Store(progtest.Y, one).Spin(program.Skip())
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0"},
		{"spinning on a register", func(b *progtest.Builder) {
			tb := b.Thread()
			r := tb.Reg("r")
			tb.While(nil, program.Const(1), func() { tb.Assign("r", program.Unary{Op: program.LogicalNot, X: r}) })
			b.Thread().Skip().Label("here")
			b.Property(program.Forbid, b.At(1, "here"))
		}, "UNSAFE forbid P1@here", "UNSAFE forbid P1@here"},
		{"spinning on a private cell", func(b *progtest.Builder) {
			b.Thread().Spin(program.Command{Op: program.Store, Addr: progtest.Z, Value: one}).Fence()
			tb := b.Thread().Load("r", progtest.X)
			tb.Assert(progtest.Eq(tb.Reg("r"), 0))
			b.Thread().Store(progtest.X, one)
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0 (breadth-first)"},
		{"storing for ever", func(b *progtest.Builder) {
			b.Thread().Spin(program.Command{Op: program.Store, Addr: progtest.X, Value: one})
			tb := b.Thread().Load("r", progtest.Y).Assign("r", one)
			tb.Assert(progtest.Eq(tb.Reg("r"), 0))
		}, "UNSAFE assert r == 0", "UNSAFE assert r == 0 (breadth-first)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := progtest.New(3)
			test.build(b)
			p := b.Build(t)
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
					got := res.Verdict().String() + " " + string(res.Argument())
					if res.Violation() != nil {
						got = res.Verdict().String() + " " + res.Violation().Text
						if run, err := replay.Replay(p, m, replay.Schedule(res.Run())); err != nil || *run.Violation != *res.Violation() {
							t.Errorf("%s: replay: %v, %v", modeName(opts), run, err)
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
	b := progtest.New(1)
	tb := b.Thread().Load("r", progtest.X)
	tb.Emit(program.Command{Op: program.Assert, Kind: program.Fault, Value: progtest.Eq(tb.Reg("r"), 0), Text: "index"})
	b.Thread().Store(progtest.X, program.Const(1))
	p := b.Build(t)
	for _, opts := range modes {
		_, res, err := FinalStates(context.Background(), p, opts)
		if err != nil || res.Verdict() != verdict.IsUnknown || !res.Fault() || res.Violation().Text != "index" || len(res.Run().Steps) == 0 {
			t.Errorf("%s: %+v, %v", modeName(opts), res, err)
		}
	}
}

// endless stores to x for ever under TSO, with nothing to violate in it.
func endless(t *testing.T) *program.Program {
	b := progtest.New(2)
	tb := b.Thread()
	tb.While(nil, program.Const(1), func() {
		tb.Store(progtest.X, tb.Reg("r")).Assign("r", program.Binary{Op: program.BitAnd,
			X: program.Binary{Op: program.Add, X: tb.Reg("r"), Y: program.Const(1)}, Y: program.Const(7)})
	})
	b.Thread().Load("r", progtest.X).Assert(program.Const(1))
	return b.Property(program.Forbid, progtest.Eq(program.Mem{Addr: 0, Name: "x"}, 9)).Build(t)
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
				if err != nil || res.Verdict() != verdict.IsUnknown || !strings.HasSuffix(res.Reason(), test.reason) {
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
				if err != nil || res.Verdict() != verdict.IsUnknown || res.Reason() == "" {
					t.Errorf("%s: final states: %+v, %v", modeName(opts), res, err)
				}
			}
		})
	}
	// With SC there is nothing to bound.
	res, err := Check(context.Background(), p, Options{Model: memory.SC, Buffer: 1})
	if err != nil || !res.Safe() {
		t.Errorf("SC: %+v, %v", res, err)
	}
}

// TestCapacityIsNoDeadlock: a store that only the capacity disables does not make
// a state a deadlock.
func TestCapacityIsNoDeadlock(t *testing.T) {
	b := progtest.New(2)
	b.Thread().Op(program.Lock).Skip()
	tb := b.Thread()
	tb.While(nil, program.Const(1), func() { tb.Store(progtest.X, program.Const(1)) })
	p := b.Property(program.Deadlock, nil).Build(t)
	for _, opts := range modes {
		opts.Buffer = 1
		res, err := Check(context.Background(), p, opts)
		if err != nil || res.Verdict() != verdict.IsUnknown || res.BoundUnit != "buffered stores" {
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
		b := progtest.New(1)
		tb := b.Thread()
		r := tb.Reg("r")
		tb.Thread.Regs[r].Type = program.Int64Type
		tb.Atomic(program.Command{Op: program.Havoc, Reg: int(r), Lo: 0, Hi: hi},
			program.Command{Op: program.Check, Value: progtest.Eq(r, -1)})
		b.Thread().Label("here")
		p := b.Property(program.Exists, program.Const(1)).Build(t)
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		res, err := Check(ctx, p, Options{})
		cancel()
		var diag *program.Diagnostic
		if hi == 1<<50 && (err != nil || res.Verdict() != verdict.IsUnknown) || hi > 1<<50 && !errors.As(err, &diag) {
			t.Errorf("up to %d: %+v, %v", hi, res, err)
		}
	}
}

func TestUnboundedAddress(t *testing.T) {
	p := &program.Program{Name: "test", Default: program.Int32Type}
	b := &progtest.Builder{Program: p}
	tb := b.Thread().Havoc("r", 0, 1<<30)
	tb.Store(tb.Reg("r"), program.Const(1)).Assert(program.Const(1))
	var diag *program.Diagnostic
	if _, err := Check(context.Background(), b.Build(t), Options{}); !errors.As(err, &diag) {
		t.Errorf("%v, want a diagnostic", err)
	}
}

// TestNoAllocations: a transition allocates nothing once the arena has room.
func TestNoAllocations(t *testing.T) {
	for _, opts := range modes {
		s, err := newSearch(context.Background(), progtest.Filter(t, 3, true), opts, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.run(); err != nil {
			t.Fatal(err)
		}
		var ids []states.Ref
		a := s.store.(*states.Flat)
		for id := a.From(0); id != 0; {
			ids = append(ids, id)
			id = a.From(int64(id) + 1 + int64(s.load(id)))
		}
		if int64(len(ids)) != s.states && s.favours == nil {
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

// TestMilestones: a search tells that it has so many states, and goes on as if
// nobody had asked.
func TestMilestones(t *testing.T) {
	p, err := lang.Load("../examples/peterson-n-fenced.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, set := range map[string]func(*Options){
		"breadth first": func(*Options) {},
		"depth first":   func(o *Options) { o.DepthFirst = true },
		"bounded":       func(o *Options) { o.MaxStates = 1 << 40 },
		"local first":   func(o *Options) { o.Reduction = LocalFirst },
	} {
		opts := Options{Reduction: NoReduction}
		set(&opts)
		plain := check(t, p, opts)
		states := plain.Stat("states")
		for _, at := range [][]int64{nil, {1}, {30, states / 2}, {1, 2, states}, {7, states + 1}} {
			calls := 0
			opts.Milestones, opts.Reached = at, func() { calls++ }
			r := check(t, p, opts)
			want := len(slices.DeleteFunc(slices.Clone(at), func(n int64) bool { return n > states }))
			if r.Verdict() != plain.Verdict() || r.Stat("states") != states || calls != want {
				t.Errorf("%s, %d of %d states: %d calls, %v with %d states", name, at, states, calls, r.Verdict(), r.Stat("states"))
			}
		}
	}
}
