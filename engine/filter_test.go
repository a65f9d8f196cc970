package engine

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestFilter: final states that the filter keeps from counting count for no engine, neither
// for its verdict nor in its list.
func TestFilter(t *testing.T) {
	reg := func(thread int, v int64) program.Expr {
		return program.Binary{Op: program.Eq, X: program.ThreadReg{Thread: thread, Reg: 0}, Y: program.Const(v)}
	}
	for _, tt := range []struct {
		property string
		filter   program.Expr
		sc, weak verdict.Verdict
		ends     [2]int // final states under sc, and under the others
	}{
		{"exists P.r = 0", reg(1, 0), verdict.IsSafe, verdict.IsUnsafe, [2]int{1, 2}},
		{"exists P.r = 0", reg(1, 1), verdict.IsUnsafe, verdict.IsUnsafe, [2]int{2, 2}},
		{"exists P.r = 0", reg(0, 1), verdict.IsSafe, verdict.IsSafe, [2]int{2, 2}},
		{"forall P.r = 1", reg(1, 0), verdict.IsSafe, verdict.IsUnsafe, [2]int{1, 2}},
	} {
		p := enginetest.Parse(t, "p.imp", `program SB variables x = 0, y = 0
			process P local r begin x := 1; r := y end process Q local r begin y := 1; r := x end `+tt.property)
		p.Filter = tt.filter
		for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO, memory.RA, "../cmd/fencepost/testdata/coherence.cat"} {
			want, n := tt.weak, tt.ends[1]
			if m == memory.SC {
				want, n = tt.sc, tt.ends[0]
			}
			for _, e := range Engines() {
				opts := Options{Model: m, Engine: e.Name}
				name := fmt.Sprintf("%s, %s, %s under %s", tt.property, tt.filter, e.Name, m)
				var refused *program.Diagnostic
				if e.Answers(verdict.Safety, m) {
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
					r, err := Check(ctx, p, opts)
					cancel()
					if err != nil && !errors.As(err, &refused) || err == nil && r.Conclusive() && r.Verdict() != want {
						t.Errorf("%s: %v, %v, want %s", name, r, err, want)
					}
				}
				if e.Answers(verdict.FinalStates, m) {
					states, r, err := FinalStates(t.Context(), p, opts)
					if err != nil || r.Safe() && len(states) != n {
						t.Errorf("%s: %d final states, %v, want %d", name, len(states), err, n)
					}
				}
			}
		}
	}
}
