package fencepost_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost"
)

// TestForLoad: C is read for a question, and nothing else is answered.
func TestForLoad(t *testing.T) {
	const lost = "lang/c/testdata/verdicts/cond-lost.c"
	for _, property := range []fencepost.Property{fencepost.NoDeadlock, fencepost.NoHang} {
		p, err := fencepost.Load(lost)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := fencepost.Check(t.Context(), p, fencepost.For(property)); err == nil || !strings.Contains(err.Error(), "the same option For") {
			t.Errorf("%s: %v, %v", property, r, err)
		}
		if p, err = fencepost.Load(lost, fencepost.For(property)); err != nil {
			t.Fatal(err)
		}
		if r, err := fencepost.Check(t.Context(), p, fencepost.For(property)); err != nil || r.Verdict() != fencepost.IsUnsafe {
			t.Errorf("%s: %v, %v", property, r, err)
		}
	}
}
