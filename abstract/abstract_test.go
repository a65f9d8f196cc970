package abstract

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

func TestFIFO(t *testing.T) {
	var b Buffer = FIFO{}
	var c Contents
	if !c.Empty() || b.Flushes(&c) != 0 {
		t.Error("a new buffer is not empty")
	}
	for _, p := range []Pair{{Cell: 0, Value: 1}, {Cell: 1, Value: 2}, {Cell: 0, Value: 3}} {
		b.Add(&c, p)
	}
	if v, ok := b.Last(&c, 0); !ok || v != 3 {
		t.Errorf("last of cell 0: %d, %v", v, ok)
	}
	if _, ok := b.Last(&c, 2); ok {
		t.Error("cell 2 is not buffered")
	}
	var d Contents
	d.Copy(&c)
	var got []Pair
	for b.Flushes(&c) > 0 {
		got = append(got, b.Flushed(&c, 0))
		b.Flush(&c, 0)
	}
	if want := []Pair{{Cell: 0, Value: 1}, {Cell: 1, Value: 2}, {Cell: 0, Value: 3}}; !slices.Equal(got, want) || !slices.Equal(d.Pairs, want) {
		t.Errorf("flushed %v, copied %v, want %v", got, d.Pairs, want)
	}
}

// cells are x, y, z at 10, 11, 12; z is a byte.
func newTest(t *testing.T, b Buffer, capacity int, threads ...*program.Thread) (*System, *State) {
	t.Helper()
	p := &program.Program{Name: "test", Default: program.Int32Type, Threads: threads, Memory: []program.Cell{
		{Addr: 10, Name: "x", Type: program.Int32Type},
		{Addr: 11, Name: "y", Type: program.Int32Type, Init: 5},
		{Addr: 12, Name: "z", Type: program.Int8Type},
	}}
	if err := program.Sanity(p); err != nil {
		t.Fatal(err)
	}
	r, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(p, r, b, capacity)
	if err != nil {
		t.Fatal(err)
	}
	s := x.NewState()
	x.Initial(s)
	return x, s
}

// line is a thread that executes the commands one after the other, with three
// registers.
func line(cmds ...program.Command) *program.Thread {
	t := &program.Thread{Name: "P", States: make([]program.State, len(cmds)+1)}
	for _, name := range []string{"a", "b", "c"} {
		t.Regs = append(t.Regs, program.Register{Name: name, Type: program.Int32Type})
	}
	for i, c := range cmds {
		t.Edges = append(t.Edges, program.Edge{From: program.StateID(i), To: program.StateID(i + 1), Cmd: c})
	}
	return t
}

func store(addr, v int) program.Command {
	return program.Command{Op: program.Store, Addr: program.Const(addr), Value: program.Const(v)}
}

func load(r, addr int) program.Command {
	return program.Command{Op: program.Load, Reg: r, Addr: program.Const(addr)}
}

func op(o program.Op) program.Command { return program.Command{Op: o} }

func check(e program.Expr) program.Command { return program.Command{Op: program.Check, Value: e} }

// TestSteps runs schedules: "0.1" is edge 1 of thread 0, "0f" a flush of it. The
// last outcome is the one given, all others are Done; a disabled event must
// leave the state as it was.
func TestSteps(t *testing.T) {
	threads := func(ts ...*program.Thread) []*program.Thread { return ts }
	tests := []struct {
		name     string
		buf      Buffer
		capacity int
		threads  []*program.Thread
		schedule []string
		want     Outcome
	}{
		{"SC store waits for the lock", None{}, 0, threads(line(op(program.Lock)), line(store(10, 1))), []string{"0.0", "1.0"}, Disabled},
		{"TSO store does not", FIFO{}, 0, threads(line(op(program.Lock)), line(store(10, 1))), []string{"0.0", "1.0"}, Done},
		{"TSO flush waits for the lock", FIFO{}, 0, threads(line(op(program.Lock)), line(store(10, 1))), []string{"0.0", "1.0", "1f"}, Disabled},
		{"the owner flushes", FIFO{}, 0, threads(line(op(program.Lock), store(10, 1))), []string{"0.0", "0.1", "0f"}, Done},
		{"a load waits for the lock", None{}, 0, threads(line(op(program.Lock)), line(load(0, 10))), []string{"0.0", "1.0"}, Disabled},
		{"a load from the buffer too", FIFO{}, 0, threads(line(op(program.Lock)), line(store(10, 1), load(0, 10))), []string{"1.0", "0.0", "1.1"}, Disabled},
		{"the owner loads", None{}, 0, threads(line(op(program.Lock), load(0, 10))), []string{"0.0", "0.1"}, Done},
		{"a fence does not wait for the lock", FIFO{}, 0, threads(line(op(program.Lock)), line(op(program.Fence))), []string{"0.0", "1.0"}, Done},
		{"a fence waits for the buffer", FIFO{}, 0, threads(line(store(10, 1), op(program.Fence))), []string{"0.0", "0.1"}, Disabled},
		{"and no longer", FIFO{}, 0, threads(line(store(10, 1), op(program.Fence))), []string{"0.0", "0f", "0.1"}, Done},
		{"not for another's buffer", FIFO{}, 0, threads(line(store(10, 1)), line(op(program.Fence))), []string{"0.0", "1.0"}, Done},
		{"lock waits for the buffer", FIFO{}, 0, threads(line(store(10, 1), op(program.Lock))), []string{"0.0", "0.1"}, Disabled},
		{"lock waits for the lock", None{}, 0, threads(line(op(program.Lock)), line(op(program.Lock))), []string{"0.0", "1.0"}, Disabled},
		{"the owner cannot lock again", None{}, 0, threads(line(op(program.Lock), op(program.Lock))), []string{"0.0", "0.1"}, Disabled},
		{"only the owner unlocks", None{}, 0, threads(line(op(program.Lock)), line(op(program.Unlock))), []string{"0.0", "1.0"}, Disabled},
		{"nobody's lock", None{}, 0, threads(line(op(program.Unlock))), []string{"0.0"}, Disabled},
		{"unlock waits for the buffer", FIFO{}, 0, threads(line(op(program.Lock), store(10, 1), op(program.Unlock))), []string{"0.0", "0.1", "0.2"}, Disabled},
		{"unlock", FIFO{}, 0, threads(line(op(program.Lock), store(10, 1), op(program.Unlock)), line(op(program.Lock))), []string{"0.0", "0.1", "0f", "0.2", "1.0"}, Done},
		{"atomic waits for the buffer", FIFO{}, 0, threads(line(store(11, 1), program.Exchange(0, program.Const(10), program.Const(1), program.Position{}))), []string{"0.0", "0.1"}, Disabled},
		{"atomic waits for the lock", None{}, 0, threads(line(op(program.Lock)), line(program.Exchange(0, program.Const(10), program.Const(1), program.Position{}))), []string{"0.0", "1.0"}, Disabled},
		{"atomic within the lock", None{}, 0, threads(line(op(program.Lock), program.Exchange(0, program.Const(10), program.Const(1), program.Position{}))), []string{"0.0", "0.1"}, Done},
		{"atomic undone", None{}, 0, threads(line(program.Command{Op: program.Atomic, Body: []program.Command{
			load(0, 11), store(10, 3), store(10, 4), {Op: program.Assign, Reg: 1, Value: program.Const(7)}, check(program.Const(0))}})), []string{"0.0"}, Disabled},
		{"capacity", FIFO{}, 1, threads(line(store(10, 1), store(10, 2))), []string{"0.0", "0.1"}, Full},
		{"capacity, flushed", FIFO{}, 1, threads(line(store(10, 1), store(10, 2))), []string{"0.0", "0f", "0.1"}, Done},
		{"capacity is by thread", FIFO{}, 1, threads(line(store(10, 1)), line(store(10, 2))), []string{"0.0", "1.0"}, Done},
		{"check", None{}, 0, threads(line(check(program.Reg(0)))), []string{"0.0"}, Disabled},
		{"assert", None{}, 0, threads(line(program.Command{Op: program.Assert, Value: program.Reg(0)})), []string{"0.0"}, Failed},
		{"assert holds", None{}, 0, threads(line(load(0, 11), program.Command{Op: program.Assert, Value: program.Reg(0)})), []string{"0.0", "0.1"}, Done},
		{"assert within atomic", None{}, 0, threads(line(program.Command{Op: program.Atomic, Body: []program.Command{
			{Op: program.Assert, Value: program.Const(0)}, store(10, 3)}})), []string{"0.0"}, Failed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			x, s := newTest(t, test.buf, test.capacity, test.threads...)
			before := x.NewState()
			for i, word := range test.schedule {
				var ev Event
				var out Outcome
				before.Copy(s)
				if _, err := fmt.Sscanf(word, "%df", &ev.Thread); err == nil && word[len(word)-1] == 'f' {
					ev.Edge = Flush
					if x.Flushes(s, ev.Thread) > 0 {
						out = x.Step(s, ev)
					}
				} else {
					fmt.Sscanf(word, "%d.%d", &ev.Thread, &ev.Edge)
					out = x.Step(s, ev)
				}
				want := Done
				if i == len(test.schedule)-1 {
					want = test.want
				}
				if out != want {
					t.Fatalf("step %s: %d, want %d", word, out, want)
				}
				if changed := !s.Equal(before); changed != (out == Done || out == Failed) {
					t.Errorf("step %s: outcome %d, state changed: %v", word, out, changed)
				}
			}
		})
	}
}

// TestValues looks at what steps leave behind.
func TestValues(t *testing.T) {
	three := program.Binary{Op: program.Add, X: program.Reg(0), Y: program.Const(300)}
	x, s := newTest(t, FIFO{}, 0, line(
		load(0, 11), // 5
		program.Command{Op: program.Store, Addr: program.Binary{Op: program.Add, X: program.Reg(0), Y: program.Const(7)}, Value: three}, // z <- 305
		load(1, 12),
		store(12, 2),
		load(2, 12),
		program.Command{Op: program.Havoc, Reg: 0, Lo: -2, Hi: 4},
	))
	for e := range 5 {
		if out := x.Step(s, Event{0, e, 0}); out != Done {
			t.Fatalf("edge %d: %d", e, out)
		}
	}
	if !slices.Equal(s.Regs[0], []int64{5, 49, 2}) || !slices.Equal(s.Mem, []int64{0, 5, 0}) {
		t.Errorf("registers %v, memory %v", s.Regs, s.Mem)
	}
	if want := []Pair{{Cell: 2, Value: 49}, {Cell: 2, Value: 2}}; !slices.Equal(s.Buf[0].Pairs, want) {
		t.Errorf("buffer %v, want %v", s.Buf[0].Pairs, want)
	}
	x.Step(s, Event{0, Flush, 0})
	if s.Mem[2] != 49 || x.Flushes(s, 0) != 1 || x.Final(s) {
		t.Errorf("memory %v after the flush", s.Mem)
	}
	x.Step(s, Event{0, Flush, 0})
	if n := x.Choices(0, 5); n != 7 {
		t.Errorf("%d choices", n)
	}
	x.Step(s, Event{0, 5, 3})
	if s.Regs[0][0] != 1 || !x.Final(s) {
		t.Errorf("registers %v", s.Regs)
	}
}

// TestChoices: the first free choice of an atomic block is the least significant
// digit.
func TestChoices(t *testing.T) {
	x, s := newTest(t, None{}, 0, line(program.Command{Op: program.Atomic, Body: []program.Command{
		{Op: program.Havoc, Reg: 0, Lo: 1, Hi: 3}, {Op: program.Havoc, Reg: 1, Lo: 5, Hi: 6}, {Op: program.Havoc, Reg: 2, Lo: 0, Hi: 1},
		check(program.Binary{Op: program.Ne, X: program.Reg(0), Y: program.Const(2)}),
	}}))
	if n := x.Choices(0, 0); n != 12 {
		t.Fatalf("%d choices", n)
	}
	init := x.NewState()
	init.Copy(s)
	for c := range int64(12) {
		s.Copy(init)
		want := []int64{1 + c%3, 5 + c/3%2, c / 6}
		out := x.Step(s, Event{0, 0, c})
		if want[0] == 2 {
			if out != Disabled {
				t.Errorf("choice %d: %d", c, out)
			}
		} else if out != Done || !slices.Equal(s.Regs[0], want) {
			t.Errorf("choice %d: %d, %v, want %v", c, out, s.Regs[0], want)
		}
	}
}

// TestFailed: of several assertions that fail in a block, the first counts.
func TestFailed(t *testing.T) {
	th := line(program.Command{Op: program.Atomic, Body: []program.Command{
		{Op: program.Assert, Value: program.Const(1)},
		{Op: program.Assert, Value: program.Const(0), Text: "first"},
		{Op: program.Assert, Value: program.Const(0), Text: "second", Kind: program.Fault},
	}})
	x, s := newTest(t, None{}, 0, th)
	if out := x.Step(s, Event{}); out != Failed || s.Failed.Text != "first" {
		t.Errorf("outcome %d, %+v", out, s.Failed)
	}
}

func TestTooManyChoices(t *testing.T) {
	havoc := func(lo, hi int64) program.Command { return program.Command{Op: program.Havoc, Lo: lo, Hi: hi} }
	for _, c := range []program.Command{
		havoc(math.MinInt64, math.MaxInt64), havoc(0, math.MaxInt64),
		{Op: program.Atomic, Body: []program.Command{havoc(1, 1<<32), havoc(1, 1<<32)}},
	} {
		p := &program.Program{Default: program.Int32Type, Threads: []*program.Thread{line(c)}}
		r, err := program.Analyse(p)
		if err != nil {
			t.Fatal(err)
		}
		var diag *program.Diagnostic
		if _, err = New(p, r, None{}, 0); !errors.As(err, &diag) {
			t.Errorf("%s: %v", c.Format(p, p.Threads[0]), err)
		}
	}
}

// TestStray: an address that the ranges rule out is noticed.
func TestStray(t *testing.T) {
	th := line(load(0, 11), program.Command{Op: program.Load, Reg: 1, Addr: program.Reg(0)})
	for _, b := range []Buffer{None{}, FIFO{}} {
		x, s := newTest(t, b, 0, th)
		x.Step(s, Event{0, 0, 0})
		if out := x.Step(s, Event{0, 1, 0}); out != Stray {
			t.Errorf("outcome %d", out)
		}
	}
}

// TestCompile compares compiled expressions with program.Eval.
func TestCompile(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var expr func(depth int, leaf func() program.Expr) program.Expr
	expr = func(depth int, leaf func() program.Expr) program.Expr {
		if depth == 0 || rng.IntN(4) == 0 {
			if rng.IntN(3) == 0 {
				return program.Const(rng.IntN(5) - 1)
			}
			return leaf()
		}
		if rng.IntN(4) == 0 {
			return program.Unary{Op: program.UnaryOp(rng.IntN(3)), X: expr(depth-1, leaf)}
		}
		return program.Binary{Op: program.BinaryOp(rng.IntN(int(program.LogicalOr) + 1)),
			X: expr(depth-1, leaf), Y: expr(depth-1, leaf)}
	}
	x, s := newTest(t, None{}, 0, line(op(program.Fence), op(program.Fence)), line(op(program.Fence)))
	for range 20000 {
		for i := range s.Vals {
			s.Vals[i] = int64(rng.IntN(9) - 4)
			if rng.IntN(8) == 0 {
				s.Vals[i] = int64(rng.Uint64())
			}
		}
		s.PC[0] = program.StateID(rng.IntN(3))
		e := expr(3, func() program.Expr { return program.Reg(rng.IntN(3)) })
		env := &program.Env{
			Reg:       func(r program.Reg) int64 { return s.Regs[0][r] },
			Mem:       func(a int64) int64 { return s.Mem[a-10] },
			ThreadReg: func(t, r int) int64 { return s.Regs[t][r] },
			At:        func(t int) program.StateID { return s.PC[t] },
		}
		if got, want := compile(e)(s.Regs[0]), program.Eval(e, env); got != want {
			t.Fatalf("%v on %v: %d, want %d", e, s.Regs[0], got, want)
		}
		c := expr(3, func() program.Expr {
			switch rng.IntN(3) {
			case 0:
				return program.Mem{Addr: int64(10 + rng.IntN(3))}
			case 1:
				return program.ThreadReg{Thread: rng.IntN(2), Reg: rng.IntN(3)}
			}
			return program.At{Thread: 0, States: []program.StateID{0, 2}[:rng.IntN(3)]}
		})
		if got, want := x.Condition(c)(s), program.Eval(c, env); got != want {
			t.Fatalf("%v: %d, want %d", c, got, want)
		}
	}
}
