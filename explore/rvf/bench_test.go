package rvf

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
)

// BenchmarkCounters has no executions that are alike, so that it is all price.
func BenchmarkCounters(b *testing.B) {
	p := enginetest.Parse(b, "p.imp", "program P variables r, s process W[i in 1..4] local l, m begin l := fetch_add(r, 1); m := fetch_add(s, 1); assert m < 100 end")
	for b.Loop() {
		if _, err := Explore(b.Context(), p, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
