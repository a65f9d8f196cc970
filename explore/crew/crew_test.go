package crew

import (
	"strings"
	"testing"
)

// TestPercent has parts and numbers as they are shown.
func TestPercent(t *testing.T) {
	var got []string
	for _, n := range []float64{1, 0.999, 0.5, 0.0456, 0.00012} {
		got = append(got, Percent(n))
	}
	for _, n := range []float64{3, 14, 1234, 987654} {
		got = append(got, approx(n))
	}
	if s := strings.Join(got, "; "); s != "100 %; 99 %; 50 %; 4.5 %; 0.01 %; 3; 14; 1,200; 990,000" {
		t.Error(s)
	}
}
