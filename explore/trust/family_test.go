package trust

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestFamilies has the counts of programs whose threads look at what they read.
func TestFamilies(t *testing.T) {
	for n, want := range map[int64]int64{2: 5, 3: 12, 4: 28} {
		p := enginetest.Example(t, "counts/lastzero.imp", n)
		if _, co, _ := counted(t, p, Options{Model: memory.SC}); co != want {
			t.Errorf("lastzero(%d): %d, want %d", n, co, want)
		}
	}
	for n, want := range map[int64]int64{11: 1, 12: 8, 13: 64} {
		p := enginetest.Example(t, "thesis/fig5.12.imp", n)
		if _, co, _ := counted(t, p, Options{Model: memory.SC}); co != want {
			t.Errorf("indexer(%d): %d, want %d", n, co, want)
		}
	}
	order := func(o string) program.Tags { return program.NewTags(o) }
	load := func(tb *progtest.Thread, r string, a program.Expr, o string) {
		tb.Emit(program.Command{Op: program.Load, Reg: int(tb.Reg(r)), Addr: a, Tags: order(o)})
	}
	store := func(tb *progtest.Thread, a, v program.Expr, o string) {
		tb.Emit(program.Command{Op: program.Store, Addr: a, Value: v, Tags: order(o)})
	}

	// Fibonacci: NUM times x = x + y beside NUM times y = x + y.
	fib := func(num int) *program.Program {
		b := progtest.New(2)
		b.Program.Arch = program.C11
		b.Program.Memory[0].Init, b.Program.Memory[1].Init = 1, 1
		for i := range 2 {
			tb := b.Thread()
			for range num {
				load(tb, "a", progtest.X, "ACQ")
				load(tb, "b", progtest.Y, "ACQ")
				store(tb, program.Const(i), program.Binary{Op: program.Add, X: tb.Reg("a"), Y: tb.Reg("b")}, "REL")
			}
		}
		tb := b.Thread()
		load(tb, "a", progtest.X, "ACQ")
		load(tb, "b", progtest.Y, "ACQ")
		return b.Build(t)
	}
	// Dekker's with fences, once: who sees nobody enters, and writes.
	dekker := progtest.New(3)
	dekker.Program.Arch = program.C11
	for i := range 2 {
		tb := dekker.Thread()
		store(tb, program.Const(i), program.Const(1), "RLX")
		tb.Emit(program.Command{Op: program.Fence, Tags: order("SC")})
		load(tb, "r", program.Const(1-i), "RLX")
		seen := tb.Cur
		tb.Check(progtest.Eq(tb.Reg("r"), 0))
		store(tb, progtest.Z, program.Const(int64(i+1)), "RLX")
		load(tb, "c", progtest.Z, "RLX")
		tb.Edge(seen, tb.Cur, program.Command{Op: program.Check, Value: program.NotExpr(progtest.Eq(tb.Reg("r"), 0))})
	}
	// Peterson's, once, with an assumption in the place of the loop.
	peterson := progtest.New(4)
	peterson.Program.Arch = program.C11
	for i := range 2 {
		tb := peterson.Thread()
		store(tb, program.Const(i), program.Const(1), "REL")
		store(tb, progtest.Z, program.Const(int64(1-i)), "REL")
		load(tb, "f", program.Const(1-i), "ACQ")
		seen, enter, out := tb.Cur, tb.State(), tb.State()
		tb.Thread.States[out].Kind = program.GivenUp
		tb.Edge(seen, enter, program.Command{Op: program.Check, Value: program.NotExpr(progtest.Eq(tb.Reg("f"), 1))})
		tb.Check(progtest.Eq(tb.Reg("f"), 1))
		load(tb, "t", progtest.Z, "ACQ")
		tb.Edge(tb.Cur, enter, program.Command{Op: program.Check, Value: program.NotExpr(progtest.Eq(tb.Reg("t"), int64(1-i)))})
		tb.Edge(tb.Cur, out, program.Command{Op: program.Check, Value: progtest.Eq(tb.Reg("t"), int64(1-i))})
		tb.Cur = enter
		store(tb, progtest.W, program.Const(int64(i+1)), "REL")
		load(tb, "r", progtest.W, "ACQ")
		store(tb, program.Const(i), program.Const(0), "REL")
	}
	for _, test := range []struct {
		name string
		p    *program.Program
		want string // executions under SC, and without and with the order of stores, and blocked, under RC11
	}{
		{"fib(1)", fib(1), "11 11/11 0"},
		{"fib(2)", fib(2), "140 153/153 0"},
		{"dekker", dekker.Build(t), "3 3/3 0"},
		{"peterson", peterson.Build(t), "4 13/22 8"},
	} {
		_, sc, _ := counted(t, test.p, Options{Model: memory.SC})
		rf, co, blocked := counted(t, test.p, Options{Model: memory.RC11})
		if got := fmt.Sprintf("%d %d/%d %d", sc, rf, co, blocked); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
