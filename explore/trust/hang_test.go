package trust

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestHangs has programs that can hang for ever, and such that cannot, under SC, TSO, PSO and RA.
func TestHangs(t *testing.T) {
	const safe, unsafe, unknown = verdict.IsSafe, verdict.IsUnsafe, verdict.IsUnknown
	for _, tt := range []struct {
		name, text       string
		sc, tso, pso, ra verdict.Verdict
		waits            int // threads
	}{
		{"nobody comes", "process P begin await x = 1 end", unsafe, unsafe, unsafe, unsafe, 1},
		{"somebody comes", "process P begin await x = 1 end process Q begin x := 1 end", safe, safe, safe, safe, 0},
		{"a signal is lost", "process P begin await x = 1 end process Q begin x := 1; x := 0 end", unsafe, unsafe, unsafe, unsafe, 1},
		{"both announce", "process P begin x := 1; await y = 1 end process Q begin y := 1; await x = 1 end", safe, safe, safe, safe, 0},
		{"both wait", "process P begin await y = 1; x := 1 end process Q begin await x = 1; y := 1 end", unsafe, unsafe, unsafe, unsafe, 2},
		{"nobody has seen the other", `process P local r begin x := 1; r := y; if r = 0 then await z = 1 else z := 1 fi end
			process Q local r begin y := 1; r := x; if r = 0 then await z = 1 else z := 1 fi end`, safe, unsafe, unsafe, unsafe, 2},
		{"the last of two stores", "process P begin x := 1 end process Q begin x := 2 end process R begin await x = 1 end", unsafe, unsafe, unsafe, unsafe, 1},
		{"a lock by exchange is not given back", `process P local l begin l := 1; while l = 1 do l := xchg(x, 1) od end
			process Q local l begin l := 1; while l = 1 do l := xchg(x, 1) od; x := 0 end`, unknown, unknown, unknown, unknown, 1},
		{"who has read too early", "process Q begin x := 1 end process P local r begin r := x; assume r = 1 end", unsafe, unsafe, unsafe, unsafe, 1},
		{"what fails is not looked at", "process P begin assert x = 1 end process Q begin await y = 1 end", safe, safe, safe, safe, 0},
		{"who reads for ever does not wait", "process P local r begin while true do r := x od end", safe, safe, safe, safe, 0},
	} {
		p, err := imp.Parse(&program.Source{Name: "p.imp", Text: "program P variables x, y, z; " + tt.text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for m, want := range map[memory.Model]verdict.Verdict{memory.SC: tt.sc, memory.TSO: tt.tso, memory.PSO: tt.pso, memory.RA: tt.ra} {
			r, err := Hangs(t.Context(), p, Options{Model: m, MaxRounds: 3, WritesFirst: true})
			if err != nil {
				t.Fatalf("%s, %s: %v", tt.name, m, err)
			}
			if r.Verdict() != want && (want != unknown || tt.waits == 0 || !r.Unsafe()) {
				t.Errorf("%s, %s: %s, want %s", tt.name, m, r.Verdict(), want)
			}
			if r.Unsafe() && len(r.Violation().Hang.Waits) != tt.waits {
				t.Errorf("%s, %s: %+v", tt.name, m, r.Violation().Hang)
			}
		}
	}
}

// TestHangsStates compares with a search through states, and what that says under one model with
// what it says under the weaker ones: a run that hangs is a run of theirs, too.
func TestHangsStates(t *testing.T) {
	counts := map[verdict.Verdict]int{}
	for _, shape := range shapes {
		opts := shape.opts
		opts.WaitLoop, opts.Assert = 4, 1
		for seed := range programs(2 * shape.programs) {
			p := random(seed, opts)
			var stronger memory.Model // under which it hangs
			for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
				if def, err := memory.LoadFor(m, p.Arch); err != nil || def.Covers(p) != nil {
					continue
				}
				want, err := explore.Hangs(t.Context(), p, explore.Options{Model: m, MaxStates: 20_000, MemoryLimit: 1 << 28})
				if err != nil {
					t.Fatal(err)
				}
				if want.Safe() && stronger != "" {
					t.Fatalf("seed %d: it hangs under %s, but not under %s\n%s", seed, stronger, m, reference.Dump(p))
				}
				if want.Unsafe() {
					stronger = m
				}
				got, err := Hangs(t.Context(), p, Options{Model: m, WritesFirst: seed%2 == 0, MaxSteps: 200, MaxGraphs: 20_000})
				if err != nil {
					t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, reference.Dump(p))
				}
				if !want.Conclusive() || !got.Conclusive() {
					continue
				}
				counts[got.Verdict()]++
				if got.Verdict() != want.Verdict() {
					t.Fatalf("seed %d, %s: %s, not %s\n%s", seed, m, got.Verdict(), want.Verdict(), reference.Dump(p))
				}
			}
		}
	}
	t.Logf("%v", counts)
}
