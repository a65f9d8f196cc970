package explore

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A program of which every state is the same takes a word all the same.
func TestPackNothing(t *testing.T) {
	p := &program.Program{Name: "nothing", Threads: []*program.Thread{{Name: "P", States: make([]program.State, 1)}},
		Properties: []program.Property{{Kind: program.Deadlock}}}
	for _, workers := range []int{1, 2} {
		res, err := All(t.Context(), p, Options{Workers: workers})
		if err != nil || !res.Safe() || res.Stat("states") != 1 {
			t.Fatalf("%v, %v", res, err)
		}
	}
}

// Fields of no width after exactly 64 bits of others.
func TestPackFull(t *testing.T) {
	th := &program.Thread{Name: "P", States: make([]program.State, 1)}
	for range 2 {
		th.Regs = append(th.Regs, program.Register{Type: program.Int32Type})
		th.Edges = append(th.Edges, program.Edge{Cmd: program.Command{Op: program.Havoc, Reg: len(th.Regs) - 1,
			Lo: -1 << 31, Hi: 1<<31 - 1}})
	}
	p := &program.Program{Name: "full", Threads: []*program.Thread{th, {Name: "Q", States: make([]program.State, 1)}},
		Properties: []program.Property{{Kind: program.Deadlock}}}
	res, err := All(t.Context(), p, Options{MaxStates: 100, NoLive: true})
	if err != nil || res.Verdict() != verdict.IsUnknown || res.Stat("states") != 100 {
		t.Fatalf("%v, %v", res, err)
	}
}
