package crosscheck

import (
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestCorners: where the language could be understood in two ways, docs/imp.md says
// which, and every method that has an answer has that one.
func TestCorners(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		sc, tso, pso verdict.Claim
	}{
		{"lock taken twice", "process P begin lock; lock end forbid deadlock", verdict.ClaimsViolated, verdict.ClaimsViolated, verdict.ClaimsViolated},
		{"unlock by one who does not hold", "process P begin unlock end forbid deadlock", verdict.ClaimsViolated, verdict.ClaimsViolated, verdict.ClaimsViolated},
		{"unlock by another", "process P begin lock end process Q begin unlock; x := 1 end forall x = 0", verdict.ClaimsSafe, verdict.ClaimsSafe, verdict.ClaimsSafe},
		{"the end with the lock", "process P begin lock end process Q local r begin r := 1 end forbid deadlock", verdict.ClaimsSafe, verdict.ClaimsSafe, verdict.ClaimsSafe},
		{"a store that can never leave", "process P begin lock end process Q begin x := 1 end forbid deadlock", verdict.ClaimsViolated, verdict.ClaimsViolated, verdict.ClaimsViolated},
		{"a store that has left", "process P begin lock end process Q begin x := 1 end forbid x = 1", verdict.ClaimsViolated, verdict.ClaimsViolated, verdict.ClaimsViolated},
		// Under SC the store waits for the lock, and y := 1 is not reached.
		{"behind a store that cannot leave",
			"process P begin lock; await y = 1 end process Q begin x := 1; at: skip; fence; y := 1 end forbid Q@at & x = 0",
			verdict.ClaimsSafe, verdict.ClaimsViolated, verdict.ClaimsViolated},
		{"no final state with a store in a buffer", "process P begin lock end process Q begin x := 1 end exists x = 0", verdict.ClaimsSafe, verdict.ClaimsSafe, verdict.ClaimsSafe},
		{"a waiting loop is no deadlock", "process P begin await x = 1 end forbid deadlock", verdict.ClaimsSafe, verdict.ClaimsSafe, verdict.ClaimsSafe},
		{"a condition over local variables that never holds is one", "process P local r begin await r = 1 end forbid deadlock", verdict.ClaimsViolated, verdict.ClaimsViolated, verdict.ClaimsViolated},
	} {
		p, err := lang.Parse(&program.Source{Name: "corner.imp", Text: "program Corner variables x, y " + c.text}, nil)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r, err := Run(t.Context(), p, Options{Timeout: time.Second})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, x := range r.Contradictions {
			t.Errorf("%s: %s", c.name, x.Text)
		}
		want := map[memory.Model]verdict.Claim{memory.SC: c.sc, memory.TSO: c.tso, memory.PSO: c.pso}
		for i := range r.Rows {
			row := &r.Rows[i]
			if row.Question == verdict.Safety && (row.Claim == verdict.ClaimsSafe || row.Claim == verdict.ClaimsViolated) && row.Claim != want[row.Model] ||
				row.Engine == "explicit" && row.Question == verdict.Safety && row.Claim != want[row.Model] {
				t.Errorf("%s: %s, want %s", c.name, text(row), want[row.Model])
			}
		}
	}
}
