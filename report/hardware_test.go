package report

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// What was not searched to its end does not say that a model forbids anything.
func TestHardwareIncomplete(t *testing.T) {
	h := &verdict.Hardware{Name: "SB", Condition: "exists x=0", Runs: 7, States: []verdict.HardwareState{
		{State: "x=0;", Asked: true, SC: false, TSO: false},
		{State: "x=1;", Seen: 7, SC: true, TSO: false},
	}}
	for _, tt := range []struct{ incomplete, want, not string }{
		{"", "yes  no   FORBIDDEN, AND SEEN", "?"},
		{"", "not allowed under TSO", "?"},
		{"what tso allows is not known", "7  yes  ?", "FORBIDDEN"},
		{"what tso allows is not known", "exists x=0: seen 0 times", "not allowed"},
		{"what tso allows is not known", "0  ?    ?", " no "},
	} {
		h.Incomplete = tt.incomplete
		var b strings.Builder
		if err := Hardware(&b, "SB.litmus", h, nil); err != nil {
			t.Fatal(err)
		}
		if out := b.String(); !strings.Contains(out, tt.want) || strings.Contains(out, tt.not) {
			t.Errorf("incomplete %q: want %q and no %q in\n%s", tt.incomplete, tt.want, tt.not, out)
		}
	}
}
