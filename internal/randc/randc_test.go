package randc_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randc"
)

func TestDeterminism(t *testing.T) {
	distinct := 0
	for seed := range uint64(100) {
		program := func(seed uint64) string { return randc.New(rand.New(rand.NewPCG(seed, 0)), "p", randc.All).Text }
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

// TestPieces: equal seeds give equal programs, and every piece comes up.
func TestPieces(t *testing.T) {
	all := ""
	for seed := range uint64(200) {
		write := func() randc.Program { return randc.Pieces(rand.New(rand.NewPCG(seed, 0)), "p") }
		p := write()
		if p.Text != write().Text || len(p.Results) == 0 {
			t.Fatalf("seed %d gives two programs, or none", seed)
		}
		all += p.Text
	}
	for _, word := range []string{"va_arg", "qsort", "bsearch", "strtok(", "strtok_r", "snprintf", "realloc", "memmove", "atoi", "packed", "[];", "union", "?:", "...", "_Generic",
		"_Alignof", "__sync_", "__builtin_", "(*row)", "0b", "##", "free", "->next", ": 27"} {
		if !strings.Contains(all, word) {
			t.Errorf("no program has %s", word)
		}
	}
}

func TestResults(t *testing.T) {
	for seed := range uint64(100) {
		for _, o := range []randc.Options{{}, randc.All} {
			p := randc.New(rand.New(rand.NewPCG(seed, 0)), "p", o)
			if len(p.Results) == 0 {
				t.Errorf("seed %d: nothing comes out", seed)
			}
		}
	}
}
