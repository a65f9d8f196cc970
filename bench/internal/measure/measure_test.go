package measure_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/bench/internal/measure"
)

func TestInterleave(t *testing.T) {
	var order []string
	job := func(name string, fails int) func() (int, error) {
		n := 0
		return func() (int, error) {
			order = append(order, name)
			if n++; n == fails {
				return 0, errors.New("failed")
			}
			return n, nil
		}
	}
	samples, errs := measure.Interleave(3, []func() (int, error){job("a", 0), job("b", 2)})
	if want := []string{"a", "b", "a", "b", "a"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	if len(samples[0]) != 3 || errs[0] != nil || errs[1] == nil {
		t.Errorf("samples %v, errors %v", samples, errs)
	}
}

func TestFigures(t *testing.T) {
	if got := measure.Median([]int{5, 1, 3}, func(x int) int { return x }); got != 3 {
		t.Errorf("median %d", got)
	}
	var m measure.Mean
	if got := m.String(); got != "" {
		t.Errorf("mean of nothing %q", got)
	}
	m.Add(2)
	m.Add(8)
	if got := m.String(); got != "4.000" {
		t.Errorf("mean %s", got)
	}
	var r measure.Races
	var b strings.Builder
	r.Behind(&b)
	r.Ratio("fast", 3, 1)
	r.Ratio("slow", 1, 2)
	r.Behind(&b)
	if got := b.String(); !strings.Contains(got, "nowhere") || !strings.Contains(got, "slow (0.50)") || strings.Contains(got, "fast") {
		t.Errorf("behind: %s", got)
	}
	b.Reset()
	measure.Head(&b, "a|b", "c")
	measure.Row(&b, "1\n2", "3")
	if got, want := b.String(), "| a\\|b | c |\n| --- | ---: |\n| 1 | 3 |\n"; got != want {
		t.Errorf("table %q, want %q", got, want)
	}
}
