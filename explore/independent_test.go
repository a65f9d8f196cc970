package explore

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestIndependent: what the threads may still do makes searches smaller than
// local events alone would.
func TestIndependent(t *testing.T) {
	count := func(tb *progtest.Thread, cell program.Expr) {
		tb.Load("r", cell).Store(cell, program.Binary{Op: program.Add, X: tb.Reg("r"), Y: program.Const(1)})
	}
	tests := []struct {
		name    string
		build   func(b *progtest.Builder)
		sc, tso int64 // states at most
	}{
		// Three final states of the one pair, each with all of the other.
		{"two pairs of threads", func(b *progtest.Builder) {
			for _, cell := range []program.Const{progtest.X, progtest.X, progtest.Y, progtest.Y} {
				count(b.Thread(), cell)
			}
		}, 40, 30},
		// x is written once, before everything else.
		{"no more writes to come", func(b *progtest.Builder) {
			tb := b.Thread()
			tb.Store(progtest.X, program.Const(1)).Fence()
			for range 2 {
				tb.Load("r", progtest.Y).Check(progtest.Eq(tb.Reg("r"), 0))
				tb = b.Thread()
				tb.Load("r", progtest.X).Check(progtest.Eq(tb.Reg("r"), 1)).Load("r", progtest.X).Load("r", progtest.X)
			}
			tb.Load("r", progtest.X)
		}, 30, 30},
		{"flushes to a cell that nobody else comes back to", func(b *progtest.Builder) {
			b.Thread().Load("r", progtest.X)
			for range 2 {
				b.Thread().Load("r", progtest.Z).Load("r", progtest.Z)
			}
			tb := b.Thread()
			for range 10 {
				tb.Store(progtest.X, program.Const(1))
			}
		}, 30, 20},
	}
	for _, test := range tests {
		b := progtest.New(3)
		test.build(b)
		p := b.Property(program.Forall, program.Const(1)).Build(t)
		for _, m := range models {
			most := test.sc
			if m == "tso" {
				most = test.tso
			}
			for _, dfs := range []bool{false, true} {
				res, err := Check(context.Background(), p, Options{Model: m, DepthFirst: dfs})
				if err != nil || !res.Safe() {
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
