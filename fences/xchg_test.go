package fences

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestFencesXchg: turning stores into exchanges is a way to fence, each with the
// run that it prevents.
func TestFencesXchg(t *testing.T) {
	for _, name := range []string{"dekker", "cilk-the", "dijkstra", "szymanski", "peterson"} {
		p, err := lang.Load("../examples/"+name+".imp", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Find(context.Background(), p, Options{Goal: verdict.Safety, Means: verdict.Xchg})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(r.Sets) == 0 || r.Gap != nil {
			t.Errorf("%s: no set: %+v", name, r.Gap)
			continue
		}
		if c, err := engine.Check(context.Background(), r.Fenced, engine.Options{}); err != nil || !c.Safe() {
			t.Errorf("%s, fenced: %v, %v", name, c, err)
		}
	}
}
