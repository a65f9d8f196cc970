package trust

import (
	"reflect"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/reference"
)

// TestHopeless compares complete graphs, final states aside, with those that are found where
// nothing is given up early.
func TestHopeless(t *testing.T) {
	dropped, kept := int64(0), int64(0)
	for _, shape := range shapes {
		opts := shape.opts
		opts.WaitLoop, opts.Assume = 3, 3
		for seed := range programs(2 * shape.programs) {
			p := random(seed, opts)
			for name, def := range modelsOf(t, p) {
				how := Options{Model: def.Model, Definition: def, Evaluate: name == "relaxed", WritesFirst: seed%2 == 0, MaxSteps: 100, MaxGraphs: 5000}
				got, res := explored(t, p, how)
				how.Hopeless = true
				want, all := explored(t, p, how)
				if !all.Safe() {
					continue
				}
				if !reflect.DeepEqual(got, want) || res.Stat("blocked") > all.Stat("blocked") {
					t.Fatalf("seed %d, %s: %d graphs and %d blocked, not %d and %d\n%s", seed, name, len(got), res.Stat("blocked"), len(want), all.Stat("blocked"), reference.Dump(p))
				}
				dropped += res.Stat("visits")
				kept += all.Stat("visits")
			}
		}
	}
	t.Logf("%d visits, without it %d", dropped, kept)
}
