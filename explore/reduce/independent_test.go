package reduce

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// TestManyCells has two threads that may write any cell of a large array: to find out which flushes there is hope for
// must not take a set of cells for each cell, which is quadratic and longer than a time limit.
func TestManyCells(t *testing.T) {
	const cells = 4096
	b := progtest.New(cells)
	for range 2 {
		th := b.Thread()
		th.Havoc("i", 0, cells-1).Store(th.Reg("i"), program.Const(1))
	}
	x, err := abstract.Compile(b.Build(t), memory.TSO, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	task := &Task{System: x, Dead: flow.Dead(x.Program, false)}
	if n := testing.AllocsPerRun(1, func() { newPersistent(task) }); n > cells {
		t.Errorf("%.0f allocations for %d cells", n, cells)
	}
}
