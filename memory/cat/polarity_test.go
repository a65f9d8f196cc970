package cat

import (
	"strings"
	"testing"
)

// TestExact: a relation must be as it is where less of it may forbid more, but not for flags.
func TestExact(t *testing.T) {
	for _, c := range []struct {
		text string
		want bool // hb is exact
	}{
		{"irreflexive hb; co", false},
		{"empty po & hb", false},
		{"empty po \\ hb", true},
		{"empty hb \\ po", false},
		{"~empty hb", true},
		{"empty ~hb & po", true},
		{"irreflexive hb; co\nflag ~empty ext \\ hb as race", false},
		{"irreflexive hb; co\nflag ~empty ext \\ hb as race\nempty co \\ hb", true},
		{"let rec r = hb | (r; r)\nempty po \\ r", true},
		{"let rec r = hb | (r; r)\nempty po & r", false},
	} {
		m, err := parse("let hb = (po | rf)^+\n" + c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if got := m.exact(false)[m.Def("hb").id]; got != c.want {
			t.Errorf("%s: exact is %v, want %v", c.text, got, c.want)
		}
		if got := m.exact(true)[m.Def("hb").id]; got != (c.want || strings.Contains(c.text, "flag")) {
			t.Errorf("%s: exact is %v, where flags are asked for", c.text, got)
		}
	}
}
