package engine

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestForeign asks every engine about programs of every architecture: who does not know its
// instructions says nothing about them, and under SC all who answer say the same.
func TestForeign(t *testing.T) {
	n := uint64(6)
	if testing.Short() {
		n = 2
	}
	for _, a := range program.Archs()[1:] {
		for seed := range n {
			p := randprog.Relaxed(rand.New(rand.NewPCG(seed, 29)), a)
			for _, m := range []memory.Model{memory.TSO, memory.PSO, memory.SC} {
				answers := map[verdict.Verdict]Name{}
				for _, e := range Engines() {
					if e.Check == nil || !e.Answers(verdict.Safety, m) {
						continue
					}
					r, err := Check(t.Context(), p, Options{Model: m, Engine: e.Name})
					var d *program.Diagnostic
					switch {
					case errors.As(err, &d) && m != memory.SC:
					case err != nil:
						t.Fatalf("%s, %s, %s: %v", a, m, e.Name, err)
					case m != memory.SC && r.Conclusive():
						t.Errorf("%s, %s: %s says %s", a, m, e.Name, r.Verdict())
					case m == memory.SC && r.Conclusive():
						answers[r.Verdict()] = e.Name
					}
				}
				if len(answers) > 1 {
					t.Errorf("%s, seed %d: %v", a, seed, answers)
				}
			}
			for _, e := range Engines() {
				if !e.Answers(verdict.Robustness, memory.TSO) {
					continue
				}
				if r, err := Robust(t.Context(), p, Options{Engine: e.Name}); err != nil || r.Reason() == "" {
					t.Errorf("%s, %s: %v, %v", a, e.Name, r, err)
				}
			}
		}
	}
}
