package explore_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestTurning: what must not be taken for something that turns, since what is asked depends on where it stands.
func TestTurning(t *testing.T) {
	const bump = "process P begin while true do x := x + 1 od end "
	const both = bump + "process R begin while true do y := y + 1 od end "
	for what, text := range map[string]string{
		"a property of memory":        "variables uint8 x = 0 " + bump + "forbid x = 7",
		"a property of a register":    "variables uint8 x = 0 " + bump + "process Q local uint8 r begin while true do r := x od end forbid Q.r = 7",
		"an assertion":                "variables uint8 x = 0 " + bump + "process Q local uint8 r begin while true do r := x; assert r != 7 od end",
		"two counters, compared":      "variables uint8 x = 0, uint8 y = 0 " + both + "process Q local uint8 r = s = 0 begin while true do atomic begin r := x; s := y; assert r = s end od end",
		"two counters, subtracted":    "variables uint8 x = 0, uint8 y = 0 " + both + "process Q local uint8 r = s = 0 begin while true do atomic begin r := x; s := y; assert r - s = 0 end od end",
		"which of two is ahead":       "variables uint8 x = 0, uint8 y = 0 " + both + "process Q local uint8 r = s = 0 begin while true do atomic begin r := x; s := y; assert r <= s end od end",
		"the lowest two bits":         "variables uint8 x = 0 " + bump + "process Q local uint8 r begin while true do r := x; assert r % 4 != 3 od end",
		"an index":                    "variables uint8 x = 0, a[4] = 0 " + bump + "process Q local uint8 r begin while true do r := x; a[r % 4] := 1 od end process S local v begin while true do v := a[3]; assert v = 0 od end",
		"a copy that is looked at":    "variables uint8 x = 0, uint8 z = 0 " + bump + "process Q local uint8 r begin while true do r := x; z := r od end forbid z = 200",
		"a register that begins":      "variables uint8 x = 0 " + bump + "process Q local uint8 r = s = 0 begin while true do s := x; assert s != r + 9; r := x od end",
		"half of a counter of a byte": "variables uint16 x = 0, uint8 z = 0 " + bump + "process Q local uint8 r begin while true do r := x; z := r od end forbid z = 200",
	} {
		p := enginetest.Parse(t, "p.imp", "program P "+text)
		r, err := explore.Check(t.Context(), p, explore.Options{Model: memory.SC})
		if err != nil {
			t.Errorf("%s: %v", what, err)
		} else if r.Verdict() != verdict.IsUnsafe {
			t.Errorf("%s: %s: %s", what, r.Verdict(), r.Argument())
		}
	}
}
