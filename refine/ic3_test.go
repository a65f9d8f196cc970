package refine

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestIC3 compares ic3 with explicit search: a proof is one, and so is a run.
func TestIC3(t *testing.T) {
	opt := randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Lock: -1, Havoc: -1}
	proofs := 0
	for seed := range uint64(40) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 23)), opt)
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			r, err := Check(ctx, p, Options{Model: m, Engine: IC3})
			cancel()
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text(p))
			}
			want, err := Check(context.Background(), p, Options{Model: m, Engine: Explicit})
			if err != nil {
				t.Fatal(err)
			}
			if r.Conclusive() && r.Verdict != want.Verdict {
				t.Fatalf("seed %d, %s: ic3 says %s, explicit %s\n%s", seed, m, r.Verdict, want.Verdict, text(p))
			}
			if r.Verdict == verdict.Safe {
				proofs++
			}
		}
	}
	if proofs < 10 {
		t.Errorf("only %d proofs", proofs)
	}
	p, err := lang.Load("../examples/dekker-simple-fenced.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Check(t.Context(), p, Options{Engine: IC3}); err != nil || r.Verdict != verdict.Safe || r.Abstraction != "set" {
		t.Errorf("dekker-simple-fenced: %+v, %v", r, err)
	}
}
