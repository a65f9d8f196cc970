package engine

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestLoadBuffering counts executions where reads may see what is written after them, and where they may not.
func TestLoadBuffering(t *testing.T) {
	const read, write = "int r0 = atomic_load_explicit(%, memory_order_relaxed); ", "atomic_store_explicit(%, 1, memory_order_relaxed); "
	for _, test := range []struct {
		name    string
		threads []string // R and W of cells
		rc11    int64
		imm     int64
	}{
		{"SB", []string{"Wx Ry", "Wy Rx"}, 4, 4}, {"LB2", []string{"Rx Wy", "Ry Wx"}, 3, 4}, {"LB3", []string{"Rx Wy", "Ry Wz", "Rz Wx"}, 7, 8},
	} {
		text := "C " + test.name + "\n{}\n"
		for i, th := range test.threads {
			text += "P" + string(rune('0'+i)) + " (atomic_int* x, atomic_int* y, atomic_int* z) { "
			for _, a := range strings.Fields(th) {
				text += strings.ReplaceAll(map[byte]string{'R': read, 'W': write}[a[0]], "%", a[1:])
			}
			text += "}\n"
		}
		p, err := lang.Read("lb.litmus", strings.NewReader(text+"exists (0:r0=7)\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Lookup(Graphs)
		if err != nil {
			t.Fatal(err)
		}
		for m, want := range map[memory.Model]int64{memory.RC11: test.rc11, memory.IMM: test.imm} {
			r, err := e.Count.Run(t.Context(), p, Options{Model: m}.WithDefaults())
			if err != nil || r.Stat("executions") != want || !r.Conclusive() {
				t.Errorf("%s under %s: %d executions, want %d; %v", test.name, m, r.Stat("executions"), want, err)
			}
		}
	}
}

// TestLockKeepsStore: under PSO a lock that is held when an assertion fails keeps a store in its buffer.
func TestLockKeepsStore(t *testing.T) {
	p := enginetest.Parse(t, "p.imp", `program A variables x, y
		process Q begin x := 1; y := 1 end
		process P local r, s begin lock; r := y; s := x; assert not (r = 1 and s = 0); unlock end`)
	for m, want := range map[memory.Model]verdict.Verdict{memory.TSO: verdict.IsSafe, memory.PSO: verdict.IsUnsafe} {
		if r, err := Check(t.Context(), p, Options{Model: m, Engine: Graphs}); err != nil || r.Verdict() != want {
			t.Errorf("under %s: %v, %v", m, r, err)
		}
	}
}
