package randc

import (
	"math/rand/v2"
	"testing"
)

func TestDeterminism(t *testing.T) {
	distinct := 0
	for seed := range uint64(100) {
		program := func(seed uint64) string { return New(rand.New(rand.NewPCG(seed, 0)), "p", All).Text }
		if again := program(seed); program(seed) != again {
			t.Fatalf("seed %d gives two programs", seed)
		}
		if program(seed) != program(seed+1) {
			distinct++
		}
	}
	if distinct < 100 {
		t.Errorf("only %d of 100 seeds give a program unlike their successor's", distinct)
	}
}

func TestResults(t *testing.T) {
	for seed := range uint64(100) {
		for _, o := range []Options{{}, All} {
			p := New(rand.New(rand.NewPCG(seed, 0)), "p", o)
			if len(p.Results) == 0 {
				t.Errorf("seed %d: nothing comes out", seed)
			}
		}
	}
}
