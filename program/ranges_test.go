package program_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/program"
)

// array is threads that go through an array of n cells in loops, by addresses and values
// that they read from it.
func array(n int64) *program.Program {
	p := &program.Program{Name: "array", Default: program.Int32Type}
	for a := range n {
		p.Memory = append(p.Memory, program.Cell{Addr: a, Name: fmt.Sprintf("a[%d]", a), Type: program.Int32Type})
	}
	index := func(x program.Expr) program.Expr {
		return program.Binary{Op: program.URem, X: x, Y: program.Const(n)}
	}
	add := func(x program.Expr, k int64) program.Expr {
		return program.Binary{Op: program.Add, X: x, Y: program.Const(k)}
	}
	i, r := program.Reg(0), program.Reg(1)
	for range 3 {
		p.Threads = append(p.Threads, &program.Thread{
			Name:   fmt.Sprintf("P%d", len(p.Threads)),
			Regs:   []program.Register{{Name: "i", Type: program.Int32Type}, {Name: "r", Type: program.Int32Type}},
			States: []program.State{{Name: "q0"}, {Name: "q1"}, {Name: "q2"}, {Name: "q3"}},
			Edges: []program.Edge{
				{From: 0, To: 1, Cmd: program.Command{Op: program.Assign, Reg: 0, Value: add(i, 1)}},
				{From: 0, To: 1, Cmd: program.Command{Op: program.Load, Reg: 0, Addr: index(i)}},
				{From: 1, To: 2, Cmd: program.Command{Op: program.Store, Addr: index(i), Value: add(r, 1)}},
				{From: 2, To: 3, Cmd: program.Command{Op: program.Load, Reg: 1, Addr: index(add(i, 7))}},
				{From: 3, To: 0, Cmd: program.Skip()},
			},
		})
	}
	return p
}

func TestAnalyseLargeArrays(t *testing.T) {
	// 0.1 s, and a hundred times that where every round looks at every cell.
	p := array(100_000)
	start := time.Now()
	if _, err := program.Analyse(p); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 3*time.Second {
		t.Errorf("%v for %d cells", d, len(p.Memory))
	}
}

func TestAnalyseContext(t *testing.T) {
	p := array(50_000)
	ctx := enginetest.EndAt(context.Background(), 1<<30)
	if _, err := program.AnalyseContext(ctx, p); err != nil {
		t.Fatal(err)
	}
	n := ctx.Polls()
	if n < 3 {
		t.Errorf("%d polls", n)
	}
	for _, i := range enginetest.Samples(n, 20) {
		if _, err := program.AnalyseContext(enginetest.EndAt(context.Background(), i), p); !errors.Is(err, program.ErrStopped) || !errors.Is(err, context.Canceled) {
			t.Errorf("ends at poll %d: %v", i, err)
		}
	}
}
