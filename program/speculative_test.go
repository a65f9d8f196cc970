package program_test

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestAnalyseSpeculative has values that are there only where a branch is taken on what
// comes after it.
func TestAnalyseSpeculative(t *testing.T) {
	const r, s = program.Reg(0), program.Reg(1)
	b := progtest.New(2)
	th := b.Thread() // r := x; if r = 1 then y := 1
	th.Load("r", progtest.X).Check(progtest.Eq(r, 1)).Store(progtest.Y, program.Const(1))
	th = b.Thread() // r := y; if r = 1 then x := r
	th.Load("r", progtest.Y).Check(progtest.Eq(r, 1)).Store(progtest.X, r)
	both := b.Build(t)

	b = progtest.New(2)
	th = b.Thread() // r := x; s := y; if r = s and r > 4 then x := r
	th.Load("r", progtest.X).Load("s", progtest.Y)
	th.Check(program.Binary{Op: program.LogicalAnd, X: program.Binary{Op: program.Eq, X: r, Y: s}, Y: program.Binary{Op: program.Gt, X: r, Y: program.Const(4)}})
	th.Store(progtest.X, r)
	b.Thread().Store(progtest.X, program.Const(5)).Store(progtest.X, program.Const(2))
	b.Thread().Load("r", progtest.X).Check(program.Binary{Op: program.Lt, X: r, Y: program.Const(3)}).Store(progtest.Y, program.Binary{Op: program.Add, X: r, Y: program.Const(10)})
	two := b.Build(t)

	for _, c := range []struct {
		name        string
		p           *program.Program
		speculative bool
		x, y        []int64 // what the cells may hold
		never       int64   // what neither does
		stores      bool    // the first thread gets to its store
	}{
		{"both", both, false, []int64{0}, []int64{0}, 1, false},
		{"both, speculatively", both, true, []int64{0, 1}, []int64{0, 1}, 2, true},
		{"two registers", two, false, []int64{0, 2, 5}, []int64{0, 10, 12}, 15, false},
		{"two registers, speculatively", two, true, []int64{0, 2, 5}, []int64{0, 10, 12}, 15, true},
	} {
		analyse := program.AnalyseContext
		if c.speculative {
			analyse = program.AnalyseSpeculative
		}
		ranges, err := analyse(context.Background(), c.p)
		if err != nil {
			t.Fatal(err)
		}
		for cell, want := range [][]int64{c.x, c.y} {
			for _, v := range want {
				if !ranges.Cell[cell].Has(v) {
					t.Errorf("%s: cell %d cannot hold %d: %s", c.name, cell, v, ranges.Cell[cell])
				}
			}
			if ranges.Cell[cell].Has(c.never) {
				t.Errorf("%s: cell %d may hold %d: %s", c.name, cell, c.never, ranges.Cell[cell])
			}
		}
		first := c.p.Threads[0]
		if got := ranges.Reachable[0][first.Edges[len(first.Edges)-1].To]; got != c.stores {
			t.Errorf("%s: the end of the first thread is reachable: %v", c.name, got)
		}
	}
}
