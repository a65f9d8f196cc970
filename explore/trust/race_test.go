package trust

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestRaces compares the programs that have data races with those of which some graph is
// flagged by the definition of RC11.
func TestRaces(t *testing.T) {
	def, err := memory.LoadFor(memory.RC11, program.C11)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[bool]int{}
	for _, shape := range shapes[:3] {
		for seed := range programs(2 * shape.programs) {
			p := random(3*seed+2, shape.opts)
			if p.Arch != program.C11 {
				t.Fatal("a program without memory orders")
			}
			want := false
			res, err := Explore(context.Background(), p, Options{Model: memory.RC11, MaxGraphs: 2000, Graph: func(g *memory.Graph) {
				want = want || len(def.Flags(g)) > 0
			}})
			if err != nil {
				t.Fatal(err)
			}
			if !res.Safe() || res.Stat("blocked") > 0 {
				continue
			}
			got, err := Races(context.Background(), p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got.Unsafe() != want || !got.Conclusive() {
				t.Fatalf("seed %d: %s, a race: %v\n%s", seed, got.Verdict(), want, reference.Dump(p))
			}
			counts[want]++
		}
	}
	t.Logf("%v", counts)
}
