package evidence_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// certificateBy is the certificate of an engine for a program that is safe.
func certificateBy(t *testing.T, p *program.Program, e engine.Name, m memory.Model) string {
	t.Helper()
	opts := engine.Options{Engine: e, Model: m, Certify: true}
	r, err := engine.Check(t.Context(), p, opts)
	if err != nil || !r.Safe() {
		t.Fatalf("%s: %v %v", e, r, err)
	}
	var b strings.Builder
	if err := engine.WriteCertificate(t.Context(), &b, r, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestOtherSteps: the states of one program are not closed under the steps of another one, of which the states between large steps
// may be the same.
func TestOtherSteps(t *testing.T) {
	for what, tt := range map[string]struct{ one, other string }{
		"another thread loads what is stored": {
			"program L variables x, y process P begin x := 1; x := 0 end process Q local r begin r := y; assert r = 0 end",
			"program L variables x, y process P begin x := 1; x := 0 end process Q local r begin r := x; assert r = 0 end"},
		"a property sees what is stored": {
			"program L variables x, y process P begin x := 1; x := 0 end process Q begin y := 0 end forbid y = 1",
			"program L variables x, y process P begin x := 1; x := 0 end process Q begin y := 0 end forbid x = 1"},
		"another thread stores what is loaded": {
			"program L variables x, y, z process P local r, s begin r := z; s := x; assert r = s end process Q begin z := 0; y := 1 end",
			"program L variables x, y, z process P local r, s begin r := z; s := x; assert r = s end process Q begin z := 0; x := 1 end"},
		"a property sees the middle": {
			"program L variables x process P begin x := 1; a: skip; b: skip end forbid x = 2",
			"program L variables x process P begin x := 1; a: skip; b: skip end forbid P@b"},
		"stuck in the middle": {
			"program L variables x process P local r begin x := 0; assume r = 0 end process Q local s begin s := x; assert s = 0 end",
			"program L variables x process P local r begin x := 1; assume r = 1 end process Q local s begin s := x; assert s = 0 end"},
	} {
		one, other := enginetest.Parse(t, "l.imp", tt.one), enginetest.Parse(t, "l.imp", tt.other)
		text := certificateBy(t, one, engine.IC3, memory.SC)
		if _, err := certify.Check(t.Context(), strings.NewReader(text), one); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		forged := strings.Replace(text, program.Fingerprint(one), program.Fingerprint(other), 1)
		if _, err := certify.Check(t.Context(), strings.NewReader(forged), other); err == nil {
			t.Errorf("%s: accepted\n%s", what, forged)
		} else {
			t.Logf("%s: %v", what, err)
		}
	}
}

// TestLocked: proofs that rest on a lock are accepted, and not for the program without it.
func TestLocked(t *testing.T) {
	const text = "program L variables x process P begin lock; x := 1; x := 0; unlock end process Q local r begin $ assert r = 0 end"
	for _, q := range []string{"lock; r := x; unlock;", "r := x;"} {
		text := strings.Replace(text, "$", q, 1)
		locked, free := enginetest.Parse(t, "l.imp", text), enginetest.Parse(t, "l.imp", strings.ReplaceAll(strings.ReplaceAll(text, "unlock", "fence"), "lock", "fence"))
		for _, e := range []engine.Name{engine.Explicit, engine.IC3, engine.KInduction, engine.Saturation} {
			text := certificateBy(t, locked, e, memory.TSO)
			if _, err := evidence.Certify(t.Context(), strings.NewReader(text), locked); err != nil {
				t.Errorf("%s: %v", e, err)
			}
			forged := strings.Replace(text, program.Fingerprint(locked), program.Fingerprint(free), 1)
			if _, err := evidence.Certify(t.Context(), strings.NewReader(forged), free); err == nil {
				t.Errorf("%s: accepted for a program that is not safe", e)
			}
		}
	}
}
