package engine

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestDeadlockInLoops: who goes round in a loop that only waits is stuck where nobody changes
// what it waits for, however the loop is written.
func TestDeadlockInLoops(t *testing.T) {
	for _, test := range []struct {
		name, text string
		stuck      bool
	}{
		{"read before and in the loop", "process P local r begin r := x; while r = 0 do r := x od; y := r end process Q begin x := 1; x := 0 end", true},
		{"read before and in the loop, and it comes", "process P local r begin r := x; while r = 0 do r := x od; y := r end process Q begin x := 1 end", false},
		{"at the beginning of another loop", "process P begin while true do await x = 1; x := 0 od end process Q begin x := 1 end", true},
		{"at the beginning of another loop, and it goes on", "process P begin while true do await x = 1; y := 1 od end process Q begin x := 1 end", false},
		{"one is read after the other", "process P local r, s begin while s != 1 do r := x; if r = 1 then s := y fi od; z := r + s end process Q begin x := 1; y := 0 end", true},
		{"one is read after the other, and both come", "process P local r, s begin while s != 1 do r := x; if r = 1 then s := y fi od; z := r + s end process Q begin x := 1; y := 1 end", false},
		{"a round later", "process P local r, s begin while s != 1 do s := r; r := x od; z := r + s end process Q begin x := 1; y := 1 end", false},
		{"in any order", "process P local r, s begin while not (r = 1 and s = 1) do choose r := x [] s := y end od; z := r + s end process Q begin x := 1; y := 1 end", false},
		{"what was read decides what is read", "process P local r begin while r != 2 do if r = 0 then r := x else r := y fi od; z := r end process Q begin x := 1; y := 2 end", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := enginetest.Parse(t, "p.imp", "program P variables x, y, z "+test.text)
			for _, m := range []memory.Model{memory.SC, memory.TSO} {
				r, err := Deadlocks(t.Context(), p, Options{Model: m})
				if err != nil || r.Unsafe() != test.stuck || r.Safe() == test.stuck {
					t.Errorf("%s: %v, %v", m, r, err)
				}
			}
		})
	}
}
