package flow_test

import (
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

func TestJoins(t *testing.T) {
	// 0 branches to 1 and 4; 1 to 2 and 3, which meet in 4; 4 is a loop with 5; 6 is the end.
	th := &program.Thread{States: make([]program.State, 7)}
	for _, e := range [][2]program.StateID{{0, 1}, {0, 4}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 4}, {4, 6}} {
		th.Edges = append(th.Edges, program.Edge{From: e[0], To: e[1], Cmd: program.Skip()})
	}
	p := &program.Program{Arch: program.LKMM, Threads: []*program.Thread{th}}
	if got, want := flow.Joins(p, 0), []program.StateID{4, 4, -1, -1, 6, -1, -1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	p.Arch = program.AArch64
	if got := flow.Joins(p, 0); slices.Max(got) >= 0 {
		t.Errorf("got %v", got)
	}
}
