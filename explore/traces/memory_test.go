package traces

import (
	"runtime"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
)

// TestAccount: what an exploration accounts for is about what it holds, however long its executions
// are and however many races an event is in.
func TestAccount(t *testing.T) {
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for name, text := range map[string]string{
		"long":       "process P local i begin while i < 1000 do x := i % 7; i := i + 1 od end process Q begin y := 1 end",
		"many races": "process P local i begin while i < 300 do x := i % 7; i := i + 1 od end process Q local i, r begin while i < 300 do r := x; y := r; i := i + 1 od end process R local i, r begin while i < 300 do r := y; x := r; i := i + 1 od end",
		"buffers":    "process P local i begin while i < 300 do x := 1; y := 2; z := 3; i := i + 1 od end process Q local r begin r := x; r := y; r := z end",
	} {
		for _, a := range []Algorithm{DPOR, Source, Optimal} {
			for _, m := range []memory.Model{memory.SC, memory.TSO} {
				p := overXYZ(t, text)
				before := live()
				r, err := newExecutions(t.Context(), p, Options{Model: m, Algorithm: a, MaxEvents: 20_000, MaxExecutions: 3})
				if err != nil {
					t.Fatal(err)
				}
				if err := r.run(r.algorithm(a)); err != nil {
					t.Fatal(err)
				}
				r.account()
				held, says := live()-before, r.most
				t.Logf("%s, %v, %s: %d KiB, and it says %d; %d events", name, a, m, held>>10, says>>10, r.maxDepth)
				if held > says*5/4+256<<10 || says > 2*held+256<<10 {
					t.Errorf("%s, %v, %s: it holds %d KiB, and says that it is %d", name, a, m, held>>10, says>>10)
				}
				runtime.KeepAlive(r)
			}
		}
	}
}
