package evidence

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// FuzzManifest reads manifests of proofs, beside the formulas of a program that is safe, for that one and
// for one that is not. Nothing shows that the second is safe.
func FuzzManifest(f *testing.F) {
	safe := enginetest.Parse(f, "p.imp", strings.Replace(storeBuffering, "FENCE", "fence", 1))
	unsafe := enginetest.Parse(f, "p.imp", strings.Replace(storeBuffering, "FENCE", "skip", 1))
	const of = "FINGERPRINT"
	d := folder{}
	for _, unroll := range []int{1, 3} {
		r, err := bmc.Check(f.Context(), safe, bmc.Options{Unroll: unroll, Proofs: true})
		if err != nil {
			f.Fatal(err)
		}
		if err := Write(f.Context(), d.create, r); err != nil {
			f.Fatal(err)
		}
		f.Add(strings.ReplaceAll(string(d[ManifestName]), program.Fingerprint(safe), of))
	}
	f.Add(`{"format": "fencepost proofs 1", "program": "` + of + `", "model": "tso", "verdict": "SAFE", "complete": "evident", "formulas": []}`)
	f.Fuzz(func(t *testing.T, manifest string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		for _, p := range []*program.Program{safe, unsafe} {
			e := maps.Clone(d)
			e[ManifestName] = []byte(strings.ReplaceAll(manifest, of, program.Fingerprint(p)))
			if c, err := Check(ctx, e.open, p); err == nil && p == unsafe && c.Model != memory.SC {
				t.Errorf("accepted for a program that is not safe:\n%s", manifest)
			}
		}
	})
}
