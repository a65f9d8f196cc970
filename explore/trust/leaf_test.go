package trust

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/polled"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestDisjuncts: what is forbidden of any two of many threads is looked for two by two.
func TestDisjuncts(t *testing.T) {
	for _, test := range []struct {
		property string
		threads  []int // that each disjunct speaks of
	}{
		{"forbid P.r = 1 and Q.r = 1", []int{2}},
		{"forbid P.r = 1 or Q.r = 1 and R.r = 1", []int{1, 2}},
		{"forbid not (P.r = 1 and not (Q.r = 1 or R.r = 1))", []int{1, 1, 1}},
		{"forbid P.r + Q.r + R.r > 1", []int{3}},
	} {
		p := enginetest.Parse(t, "p.imp", "program P variables x; process P local r begin r := x end process Q local r begin r := x end process R local r begin r := x end "+test.property)
		all := newForbids(&p.Properties[0])
		if len(all) != len(test.threads) {
			t.Errorf("%s: %d disjuncts, want %d", test.property, len(all), len(test.threads))
			continue
		}
		for i, f := range all {
			if len(f.threads) != test.threads[i] {
				t.Errorf("%s: disjunct %d speaks of threads %v", test.property, i, f.threads)
			}
		}
	}
}

// TestMomentEnds: the moments of one graph can be too many to look at, and its context ends all the same.
func TestMomentEnds(t *testing.T) {
	var text strings.Builder
	text.WriteString("program P variables x; ")
	for _, name := range []string{"A", "B", "C", "D"} {
		text.WriteString("process " + name + " local r begin " + strings.Repeat("r := r + 1; ", 150) + "r := x end ")
	}
	text.WriteString("forbid A.r + B.r + C.r + D.r > 1000")
	p := enginetest.Parse(t, "p.imp", text.String())
	r, err := Explore(polled.EndAt(t.Context(), 3), p, Options{Model: memory.TSO})
	if err != nil || r.Conclusive() {
		t.Errorf("%v, %v", r, err)
	}
}
