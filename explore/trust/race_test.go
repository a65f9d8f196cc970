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

// TestRacesRA has programs that race under RC11 or RA. Under RA every access releases or acquires.
func TestRacesRA(t *testing.T) {
	for _, test := range []struct {
		text     string
		rc11, ra bool
	}{
		{"Wx1.na Wy1|Ry Rx.na", true, true}, // it may be read before it is there
		{"Wx1.na|Rx", true, true},
		{"Wx1|Rx", false, false},
		{"Wx1.na Uy|Uy Uy Wz1", false, false},
		{"Wx1.na Xy1|Cy12 Wxr.na", true, true},
	} {
		p := parse(t, test.text, program.C11)
		for m, want := range map[memory.Model]bool{memory.RC11: test.rc11, memory.RA: test.ra} {
			r, err := Races(t.Context(), p, Options{Model: m})
			if err != nil || r.Unsafe() != want {
				t.Errorf("%s under %s: %v, %v", test.text, m, r, err)
			}
		}
	}
}
