package explore

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestIndependent: what the threads may still do makes searches smaller than
// local events alone would.
func TestIndependent(t *testing.T) {
	count := func(tb *threadBuilder, cell program.Expr) {
		tb.load("r", cell).store(cell, program.Binary{Op: program.Add, X: tb.reg("r"), Y: program.Const(1)})
	}
	tests := []struct {
		name    string
		build   func(b *builder)
		sc, tso int64 // states at most
	}{
		// Three final states of the one pair, each with all of the other.
		{"two pairs of threads", func(b *builder) {
			for _, cell := range []program.Const{x, x, y, y} {
				count(b.thread(), cell)
			}
		}, 40, 30},
		// x is written once, before everything else.
		{"no more writes to come", func(b *builder) {
			tb := b.thread()
			tb.store(x, program.Const(1)).fence()
			for range 2 {
				tb.load("r", y).check(eq(tb.reg("r"), 0))
				tb = b.thread()
				tb.load("r", x).check(eq(tb.reg("r"), 1)).load("r", x).load("r", x)
			}
			tb.load("r", x)
		}, 30, 30},
		{"flushes to a cell that nobody else comes back to", func(b *builder) {
			b.thread().load("r", x)
			for range 2 {
				b.thread().load("r", z).load("r", z)
			}
			tb := b.thread()
			for range 10 {
				tb.store(x, program.Const(1))
			}
		}, 30, 20},
	}
	for _, test := range tests {
		b := newProgram(3)
		test.build(b)
		p := b.property(program.Forall, program.Const(1)).build(t)
		for _, m := range models {
			most := test.sc
			if m == "tso" {
				most = test.tso
			}
			for _, dfs := range []bool{false, true} {
				res, err := Check(context.Background(), p, Options{Model: m, DepthFirst: dfs})
				if err != nil || res.Verdict != verdict.Safe {
					t.Fatalf("%s, %s: %+v, %v", test.name, m, res, err)
				}
				plain, err := Check(context.Background(), p, Options{Model: m, Reduction: NoReduction})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s, %s: %d states of %d", test.name, m, res.Stat("states"), plain.Stat("states"))
				if n := res.Stat("states"); n > most {
					t.Errorf("%s, %s: %d states of %d, at most %d are needed", test.name, m, n, plain.Stat("states"), most)
				}
			}
		}
	}
}
