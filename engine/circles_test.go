package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestDeadlockInCircles: who goes round and changes nothing is stuck, whatever stands in the loop; and who changes
// something is not.
func TestDeadlockInCircles(t *testing.T) {
	for _, test := range []struct {
		name, text string
		stuck      bool
	}{
		{"two exchanges in a round", "process P local r, s begin r := 1; while r = 1 do r := xchg(x, 1); s := xchg(y, 1) od end process Q begin x := 1; y := 1 end", true},
		{"two exchanges in a round, and one is undone", "process P local r, s begin r := 1; while r = 1 do r := xchg(x, 1); s := xchg(y, 1); y := 0 od end process Q begin x := 0 end", false},
		{"a store besides", "process P local r begin r := 1; while r = 1 do r := xchg(x, 1); z := 1 od end process Q begin x := 1; z := 1 end", true},
		{"a flag set and taken back", "process P local r begin while r = 0 do x := 1; fence; r := y; x := 0; fence od end process Q begin await z = 1 end process R begin z := 1 end", false},
		{"one who turns for ever beside one who waits", "process P begin while true do skip od end process Q begin await x = 1 end", true},
		{"one who turns for ever", "process P begin while true do skip od end process Q begin x := 1 end", false},
		{"one who counts for ever beside one who waits", "process P local n begin while true do n := (n + 1) % 5 od end process Q begin await x = 1 end", true},
		{"one who counts in memory", "process P begin while true do atomic begin x := 1 - x end od end process Q begin await y = 1 end", false},
		{"who counts to an end", "process P local n begin while n < 5 do n := n + 1 od; x := 1 end process Q begin await x = 1 end", false},
		{"a count that comes round", "process P local n begin while x = 0 do n := (n + 1) % 3 od end", true},
		{"one who exchanges for ever, and changes nothing", "process P local s begin while true do s := xchg(x, 0) od end", false},
		{"one who exchanges for ever beside one who waits", "process P local s begin while true do s := xchg(x, 0); fence od end process Q begin await y = 1 end", true},
		{"a wait with an exchange in a loop without end", "process P local r, s begin r := 1; while true do while r = 1 do if x = 0 then s := xchg(x, 1) fi; r := x; r := y od; r := y od end process Q begin x := 1; y := 1 end", true},
		{"it is read how often it was tried", "process P local n, r begin while r = 0 do r := x; if n < 3 then n := n + 1 fi od; z := n end process Q begin x := 1; x := 0 end", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := enginetest.Parse(t, "p.imp", "program P variables x, y, z; "+test.text)
			for _, m := range []memory.Model{memory.SC, memory.TSO} {
				r, err := Deadlocks(t.Context(), p, Options{Model: m})
				if err != nil || r.Unsafe() != test.stuck || r.Safe() == test.stuck {
					t.Errorf("%s: %v, %v", m, r, err)
				}
			}
		})
	}
}

// TestDeadlockByOthers: what an engine does not look at it does not call safe.
func TestDeadlockByOthers(t *testing.T) {
	p := enginetest.Parse(t, "p.imp", "program P variables x; process P begin while true do skip od end process Q begin await x = 1 end")
	r, err := Deadlocks(t.Context(), p, Options{Model: memory.SC, Engine: KInduction})
	if err != nil || r.Conclusive() || r.About() != verdict.Deadlocks {
		t.Errorf("%v, %v", r, err)
	}
}

// TestDeadlockIsHang: on random programs there is a deadlock where the program can hang.
func TestDeadlockIsHang(t *testing.T) {
	n, counts := 120, map[verdict.Verdict]int{}
	if testing.Short() {
		n = 60
	}
	for seed := range uint64(n) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 3)), randprog.Options{WaitLoop: 4, Assert: 1, RMW: 3})
		for _, m := range memory.Operational() {
			want, err := explore.Hangs(t.Context(), p, explore.Options{Model: m, MaxStates: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Deadlocks(t.Context(), p, Options{Model: m, Engine: Explicit, MemoryLimit: 1 << 26})
			if err != nil {
				t.Fatal(err)
			}
			if !want.Conclusive() || !r.Conclusive() {
				continue
			}
			counts[r.Verdict()]++
			if r.Verdict() != want.Verdict() {
				t.Errorf("seed %d, %s: %s, not %s", seed, m, r.Verdict(), want.Verdict())
			}
		}
	}
	t.Log(counts)
}
