package trust

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestManyChoices: the numbers that a thread may choose from are not gone through to count them.
func TestManyChoices(t *testing.T) {
	p, err := imp.Parse(&program.Source{Name: "p.imp", Text: `program P variables int64 x, y
		process P local int64 r begin r := any(0..1_000_000_000_000); x := r; r := y end
		process Q local int64 r begin r := any(0..3_000_000_000); y := r; r := x end`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		r, err := Explore(t.Context(), p, Options{Model: memory.SC, Workers: workers, MaxSteps: 100, MaxGraphs: 50})
		if err != nil || r.Safe() || r.Unsafe() {
			t.Errorf("%d workers: %v, %v", workers, r, err)
		}
	}
}
