package symbolic

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
)

// TestStuckBehindFence: the circuit has no state behind the fence, where the thread
// is stuck. The trace leads there all the same.
func TestStuckBehindFence(t *testing.T) {
	edge := func(from program.StateID, c program.Command) program.Edge {
		return program.Edge{From: from, To: from + 1, Cmd: c}
	}
	never := program.Command{Op: program.Check, Value: program.Const(0)}
	states := []program.State{{Name: "q0"}, {Name: "q1"}, {Name: "q2"}, {Name: "q3"}, {Name: "q4"}}
	lock, unlock, fence := program.Command{Op: program.Lock}, program.Command{Op: program.Unlock}, program.Command{Op: program.Fence}
	p := &program.Program{Name: "stuck", Default: program.Int32Type,
		Properties: []program.Property{{Kind: program.Deadlock, Text: "forbid deadlock"}},
		Threads: []*program.Thread{
			{Name: "P0", States: states[:5], Edges: []program.Edge{
				edge(0, lock), edge(1, fence), edge(2, program.Skip()), edge(3, never)}},
			{Name: "P1", States: states[:3], Edges: []program.Edge{edge(0, lock), edge(1, unlock)}},
		}}
	if err := program.Sanity(p); err != nil {
		t.Fatal(err)
	}
	for _, b := range []abstract.Buffer{abstract.None{}, abstract.Set{}, abstract.Coherence{K: 1}} {
		for _, prove := range []func(*System) (*Result, error){
			func(y *System) (*Result, error) { return IC3(t.Context(), y, Search{}) },
			func(y *System) (*Result, error) { return KInduction(t.Context(), y, Search{}) },
		} {
			y, err := New(t.Context(), p, b, Options{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := prove(y)
			if err != nil || r.Violation == nil {
				t.Errorf("%s: %v, %v", abstract.Name(b), r, err)
				continue
			}
			if _, err := replay.Replay(p, memory.TSO, r.Trace); err != nil {
				t.Errorf("%s: the trace does not replay: %v", abstract.Name(b), err)
			}
		}
	}
}
