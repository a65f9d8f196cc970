package refine

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
)

// TestFencesXchg: turning stores into exchanges is a way to fence, each with the
// run that it prevents.
func TestFencesXchg(t *testing.T) {
	for _, name := range []string{"dekker", "cilk-the", "dijkstra", "szymanski", "peterson"} {
		p, err := lang.Load("../examples/"+name+".imp", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Fences(context.Background(), p, FenceOptions{Goal: RestoreSafety, Means: Xchg})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(r.Sets) == 0 || !r.Verified {
			t.Errorf("%s: no set: %s", name, r.Reason)
			continue
		}
		if c, err := Check(context.Background(), r.Fenced, Options{}); err != nil || !c.Safe() {
			t.Errorf("%s, fenced: %v, %v", name, c, err)
		}
	}
}
