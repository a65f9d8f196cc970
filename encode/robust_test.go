package encode

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// TestCycles asks for executions that TSO admits and SC does not.
func TestCycles(t *testing.T) {
	store := func(addr, v int64) program.Command {
		return program.Command{Op: program.Store, Addr: program.Const(addr), Value: program.Const(v)}
	}
	load := func(addr int64) program.Command {
		return program.Command{Op: program.Load, Addr: program.Const(addr)}
	}
	fence := program.Command{Op: program.Fence}
	lock, unlock := program.Command{Op: program.Lock}, program.Command{Op: program.Unlock}
	for _, c := range []struct {
		name    string
		threads [][]program.Command
		want    solver.Status
	}{
		{"store buffering", [][]program.Command{{store(0, 1), load(1)}, {store(1, 1), load(0)}}, solver.Sat},
		{"one fence", [][]program.Command{{store(0, 1), fence, load(1)}, {store(1, 1), load(0)}}, solver.Sat},
		{"two fences", [][]program.Command{{store(0, 1), fence, load(1)}, {store(1, 1), fence, load(0)}}, solver.Unsat},
		{"message passing", [][]program.Command{{store(0, 1), store(1, 1)}, {load(1), load(0)}}, solver.Unsat},
		{"early read", [][]program.Command{{store(0, 1), load(0)}, {store(0, 2)}}, solver.Unsat},
		{"early read and another cell", [][]program.Command{{store(0, 1), load(0), load(1)}, {store(1, 1), load(1), load(0)}}, solver.Sat},
		{"sections", [][]program.Command{{store(0, 1), load(1)}, {lock, store(1, 1), load(0), unlock}}, solver.Sat},
		{"sections only", [][]program.Command{{lock, store(0, 1), load(1), unlock}, {lock, store(1, 1), load(0), unlock}}, solver.Unsat},
	} {
		p := &program.Program{Default: program.Int32Type}
		for a := range int64(2) {
			p.Memory = append(p.Memory, program.Cell{Addr: a, Type: program.Int32Type})
		}
		for _, cmds := range c.threads {
			th := &program.Thread{Regs: []program.Register{{Name: "r", Type: program.Int32Type}}, States: make([]program.State, len(cmds)+1)}
			for i, cmd := range cmds {
				th.Edges = append(th.Edges, program.Edge{From: program.StateID(i), To: program.StateID(i + 1), Cmd: cmd})
			}
			p.Threads = append(p.Threads, th)
		}
		r, err := program.Analyse(p)
		if err != nil {
			t.Fatal(err)
		}
		s, err := solver.New("")
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		f, err := NewRobustness(p, r, s, Options{})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		if err := f.Extend(ctx); err != nil {
			t.Fatal(err)
		}
		q, err := f.Cycles(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := q.Solve(ctx); got != c.want || err != nil {
			t.Errorf("%s: %s (%v), want %s", c.name, got, err, c.want)
		}
	}
}
