package waits_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/waits"
)

// TestDeadlocking: which loops get a control state to stand in, and of which it is left open whether a round may change
// nothing.
func TestDeadlocking(t *testing.T) {
	for _, test := range []struct {
		name, body string
		stands     int
		changeless bool
	}{
		{"a wait", "while x = 0 do skip od", 1, false},
		{"a register is read again", "r := x; while r = 0 do r := x od; y := r", 1, false},
		{"a lock by exchange", "r := 1; while r = 1 do r := xchg(x, 1) od", 1, false},
		{"no way out", "while true do skip od", 0, true},
		{"a counter", "while r < 3 do r := r + 1 od", 0, false},
		{"a counter that comes round", "while x = 0 do r := (r + 1) % 3 od", 0, true},
		{"a store in each round", "while x = 0 do y := 1 od", 0, true},
		{"stores of two values in each round", "while x = 0 do y := 1; y := 0 od", 0, false},
		{"no loop", "x := 1", 0, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := enginetest.Parse(t, "p.imp", "program P variables x, y; process P local r begin "+test.body+" end process Q begin await y = 2 end")
			q, stands := waits.Deadlocking(p)
			got := 0
			for _, s := range q.Threads[0].States {
				if strings.HasSuffix(s.Name, " waiting") {
					got++
				}
			}
			_, changeless, err := waits.Changeless(t.Context(), q, stands)
			if err != nil || got != test.stands || changeless != test.changeless {
				t.Errorf("%d loops to stand in, changeless %v, %v; want %d, %v", got, changeless, err, test.stands, test.changeless)
			}
			if err := program.Sanity(q); err != nil {
				t.Error(err)
			}
		})
	}
}
