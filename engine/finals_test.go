package engine

import (
	"reflect"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestAutoFinalsGraphs: the final states of a program with more states than there is time for, and few graphs, are listed by graphs;
// those of one with more graphs than states by explicit search.
func TestAutoFinalsGraphs(t *testing.T) {
	finals, r, err := FinalStates(t.Context(), enginetest.Example(t, "thesis/fig5.12.imp", 9), Options{Model: memory.TSO, MemoryLimit: 1 << 30})
	if err != nil || !r.Safe() || r.Engine != string(Graphs) || len(finals) != 1 {
		t.Errorf("%d states, %v, %v", len(finals), r, err)
	}
	p := enginetest.Parse(t, "p.imp", `program P variables x
		process Q[i in 0..1] local n begin for n := 1 to 300 do x := n * (i + 1) od end`)
	got, r, err := FinalStates(t.Context(), p, Options{Model: memory.SC})
	want, _, wantErr := FinalStates(t.Context(), p, Options{Model: memory.SC, Engine: Explicit})
	if err != nil || wantErr != nil || !r.Safe() || r.Engine != string(Explicit) || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v; %v, %v", got, want, err, wantErr)
	}
}

// TestAutoFinalsGoesOn: where there are too many graphs, too, the search goes on from where it was.
func TestAutoFinalsGoesOn(t *testing.T) {
	p := enginetest.Parse(t, "p.imp", `program P variables x, y
		process Q[i in 0..2] local n begin for n := 1 to 70 do x := n * (i + 1) od end`)
	got, r, err := FinalStates(t.Context(), p, Options{Model: memory.SC})
	want, wr, wantErr := FinalStates(t.Context(), p, Options{Model: memory.SC, Engine: Explicit})
	if err != nil || wantErr != nil || r.Engine != string(Explicit) || r.Stat("states") < finalStates || r.Stat("states") != wr.Stat("states") || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v; %v, %v, %d states", got, want, err, wantErr, r.Stat("states"))
	}
}
