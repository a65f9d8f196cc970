package encode

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestOpposites: that one item is before another, and that it is behind it, is one literal where both are asked for.
func TestOpposites(t *testing.T) {
	p := enginetest.Parse(t, "two.imp", `program P
variables x = 0, y = 0
process A
  local r;
begin
  x := 1; r := y; r := xchg(x, 2)
end
process B
  local r;
begin
  x := 3; y := 1; r := x
end
forall x = 2`)
	f := newFormula(t, p, Options{Model: memory.PSO})
	if err := f.Extend(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Violations(context.Background()); err != nil {
		t.Fatal(err)
	}
	both := 0
	for pair, l := range f.graph.lits {
		if m, ok := f.graph.lits[[2]int{pair[1], pair[0]}]; ok {
			both++
			if m != -l {
				t.Errorf("items %v: %d, and %d the other way round", pair, l, m)
			}
		}
	}
	if both == 0 {
		t.Error("no pair is asked about both ways")
	}
}
