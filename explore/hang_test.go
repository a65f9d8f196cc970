package explore

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestHangs has programs that can hang for ever, and such that cannot.
func TestHangs(t *testing.T) {
	const safe, unsafe = verdict.IsSafe, verdict.IsUnsafe
	for _, tt := range []struct {
		name, text   string
		sc, tso, pso verdict.Verdict
		waits        int // threads
	}{
		{"nobody comes", "process P begin await x = 1 end", unsafe, unsafe, unsafe, 1},
		{"somebody comes", "process P begin await x = 1 end process Q begin x := 1 end", safe, safe, safe, 0},
		{"a signal is lost", "process P begin await x = 1 end process Q begin x := 1; x := 0 end", unsafe, unsafe, unsafe, 1},
		{"both announce", "process P begin x := 1; await y = 1 end process Q begin y := 1; await x = 1 end", safe, safe, safe, 0},
		{"both wait", "process P begin await y = 1; x := 1 end process Q begin await x = 1; y := 1 end", unsafe, unsafe, unsafe, 2},
		{"nobody has seen the other", `process P local r begin x := 1; r := y; if r = 0 then await z = 1 else z := 1 fi end
			process Q local r begin y := 1; r := x; if r = 0 then await z = 1 else z := 1 fi end`, safe, unsafe, unsafe, 2},
		{"two cells", "process P local r, s begin r := 0; s := 1; while r != s do r := x; s := y od end process Q begin x := 1; y := 1 end", safe, safe, safe, 0},
		{"stores that pass each other", "process P begin await x = 1; await y = 0; z := 1 end process Q begin y := 1; x := 1; y := 0; await z = 1 end", safe, safe, safe, 0},
		{"the lock is not given back", "process P begin lock end process Q begin lock; unlock end", unsafe, unsafe, unsafe, 1},
		{"a lock by exchange is not given back", `process P local l begin l := 1; while l = 1 do l := xchg(x, 1) od end
			process Q local l begin l := 1; while l = 1 do l := xchg(x, 1) od; x := 0 end`, unsafe, unsafe, unsafe, 1},
		{"a lock by exchange", `process P local l begin l := 1; while l = 1 do l := xchg(x, 1) od; x := 0 end
			process Q local l begin l := 1; while l = 1 do l := xchg(x, 1) od; x := 0 end`, safe, safe, safe, 0},
		{"a count that comes round", "process P local n begin while x = 0 do n := (n + 1) % 3 od end", unsafe, unsafe, unsafe, 1},
		{"who stores for ever does not wait", "process P begin while true do x := 1 - x od end process Q begin await y = 1 end", safe, safe, safe, 0},
		{"a flag is asked for under a lock", "process P local r begin r := 0; while r = 0 do lock; r := x; unlock od end", unsafe, unsafe, unsafe, 1},
		{"a flag is asked for under a lock, and comes", "process P local r begin r := 0; while r = 0 do lock; r := x; unlock od end process Q begin lock; x := 1; unlock end", safe, safe, safe, 0},
		{"a flag is asked for under a lock by two, and one gets it", "process P local r begin r := 0; while r = 0 do lock; r := x; unlock od; y := 1 end process Q local r begin r := 0; while r != 2 do lock; r := x; if r = 0 then x := 1 fi; unlock od end", unsafe, unsafe, unsafe, 1},
		{"who stores and fences in each round waits", "process P begin while x = 0 do y := 1 - y; fence od end", unsafe, unsafe, unsafe, 1},
		{"two that give way to each other for ever can do otherwise", "process P local r begin r := 0; while r = 0 do x := 1; fence; r := y; if r = 0 then r := 1 else x := 0; fence; r := 0 fi od end process Q local r begin r := 0; while r = 0 do y := 1; fence; r := x; if r = 0 then r := 1 else y := 0; fence; r := 0 fi od end", unsafe, unsafe, unsafe, 1},
		{"who has a lock for ever in a loop without end goes on", "process P begin while true do lock; x := 1 - x; unlock od end process Q begin await y = 1 end", safe, safe, safe, 0},
		{"who stores what is there and waits", "process P local l begin x := 1; l := 1; while l = 1 do l := xchg(x, 1); y := 1 od end", unsafe, unsafe, unsafe, 1},
		{"who stores what is there, by a buffer only", "process P local l begin y := 1; while x = 0 do y := 1 od end", unsafe, unsafe, unsafe, 1},
		{"what is stored is new for a moment", "process P begin while x = 0 do y := 1; fence; y := 0; fence od end process Q begin x := 1; await y = 1 end", unsafe, unsafe, unsafe, 1},
		{"who stores what is there for ever does not wait, but another does", "process P begin y := 1; while true do y := 1 od end process Q begin await x = 1 end", unsafe, unsafe, unsafe, 1},
		{"two store what is there", "process P begin y := 1; while x = 0 do y := 1 od end process Q begin y := 1; while x = 0 do y := 1 od end", unsafe, unsafe, unsafe, 2},
		{"what is stored lets another go on", "process P local l begin x := 1; l := 1; while l = 1 do l := xchg(x, 1); y := 1 od end process Q begin await y = 1; x := 0 end", safe, safe, safe, 0},
		{"who reads for ever does not wait", "process P local r, s begin while true do r := 0; s := 1; while r != s do r := x; s := y od od end process Q begin x := 1; y := 1 end", safe, safe, safe, 0},
		{"who waits for ever in a loop without end", "process P begin while true do await x = 1; x := 0 od end", unsafe, unsafe, unsafe, 1},
		{"what is chosen in vain", "process P local r begin while x = 0 do r := any(0..1) od; y := r end", unsafe, unsafe, unsafe, 1},
		{"two ways to wait", "process P local r begin while r = 0 do choose r := x [] r := y end od end process Q begin z := 1 end", unsafe, unsafe, unsafe, 1},
		{"two ways to wait, and one ends", "process P local r begin while r = 0 do choose r := x [] r := y end od end process Q begin y := 1 end", safe, safe, safe, 0},
		{"what is chosen ends it", "process P local r begin while x = 0 and r = 0 do r := any(0..1) od end", safe, safe, safe, 0},
		{"who may give up does not hang", "process P local r begin while x = 0 and r = 0 do r := any(0..1) od end", safe, safe, safe, 0},
		{"who goes on for ever, and may give up, does not wait", "process P local r begin while r = 0 do r := x od end process Q begin x := 0 end", safe, safe, safe, 0},
		{"a loop that is never done", "process P begin while true do choose await x = 1 [] skip end od end", unsafe, unsafe, unsafe, 1},
		{"a long count that comes round", "process P local n begin while x = 0 do n := (n + 1) % 1100 od; y := n end", verdict.IsUnknown, verdict.IsUnknown, verdict.IsUnknown, 0},
		{"what fails is not looked at", "process P begin assert x = 1 end process Q begin await y = 1 end", safe, safe, safe, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := imp.Parse(&program.Source{Name: "p.imp", Text: "program P variables x, y, z; " + tt.text}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(tt.name, "may give up") {
				out := p.Threads[0].Out()
				for q := range p.Threads[0].States {
					if len(out[q]) == 0 {
						p.Threads[0].States[q].Kind = program.GivenUp
					}
				}
			}
			for m, want := range map[memory.Model]verdict.Verdict{memory.SC: tt.sc, memory.TSO: tt.tso, memory.PSO: tt.pso} {
				for _, opts := range []Options{{}, {DepthFirst: true}, {Workers: 2, early: 1}} {
					opts.Model = m
					if strings.Contains(tt.text, "do y := 1 od") || strings.Contains(tt.text, "do x := 1 - x od") {
						opts.Buffer = 2 // there are more and more states without
					}
					r, err := Hangs(t.Context(), p, opts)
					if err != nil || r.Verdict() != want && !(want == safe && r.Verdict() == verdict.IsUnknown && opts.Buffer > 0 && m != memory.SC) {
						t.Fatalf("under %s, %+v: %v, %v, want %s", m, opts, r, err, want)
					}
					if !r.Unsafe() {
						continue
					}
					if v := r.Violation(); v.Hang == nil || len(v.Hang.Waits) != tt.waits || len(v.Hang.Waits[0].Reads) == 0 && tt.name != "the lock is not given back" {
						t.Errorf("under %s: %+v", m, v)
					}
				}
			}
		})
	}
}
