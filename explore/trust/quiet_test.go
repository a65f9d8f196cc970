package trust

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestQuietRounds: a loop that changes memory, where it finds something to do, is explored to its end though nothing bounds its rounds.
func TestQuietRounds(t *testing.T) {
	for name, text := range map[string]string{
		"takes what comes": `process A begin x := 1; y := 2 end
			process B local n, r, sum begin while n < 2 do
				r := x; if r > 0 then x := 0; sum := sum + r; n := n + 1 fi;
				r := y; if r > 0 then y := 0; sum := sum + r; n := n + 1 fi od; assert sum = 3 end`,
		"a loop in a loop": `process A begin x := 1; y := 1 end
			process B local n, r, k begin while n < 2 do
				k := 2; while k > 0 do r := x; if r > 0 then x := 0; n := n + 1; k := 0 else k := k - 1 fi od;
				r := y; if r > 0 then y := 0; n := n + 1 fi od; assert n = 2 end`,
		"keeps a copy": `process A begin y := 1; x := 1 end
			process B local n, r begin while n < 2 do
				z := y; r := z; if r > 0 then y := 0; n := n + 1; z := 0 fi; r := x; if r > 0 then x := 0; n := n + 1 fi od; assert n = 2 end`,
		"at the head": `process A begin x := 1 end
			process B local r begin while r = 0 do r := x; if r > 1 then y := 1 fi od; assert r = 1 end`,
	} {
		p, err := imp.Parse(&program.Source{Name: name, Text: "program P variables x, y, z " + text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO, memory.RA} {
			if res, err := Explore(t.Context(), p, Options{Model: m, MaxGraphs: 1000}); err != nil || !res.Safe() {
				t.Errorf("%s, %s: %v, %v", name, m, res, err)
			}
		}
	}
}

// TestQuietExchange: what an exchange has put into a cell of the thread's own is what is there, and a store changes it.
func TestQuietExchange(t *testing.T) {
	p, err := imp.Parse(&program.Source{Name: "exchange", Text: `program P variables x, z process A begin x := 1 end
		process B local r, k begin z := 1; r := xchg(z, 2); r := 0; k := 0; while k = 0 do r := z; assert r != 1; r := 0; z := 1 od end`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.RA} {
		if res, err := Explore(t.Context(), p, Options{Model: m, MaxRounds: 5}); err != nil || !res.Unsafe() {
			t.Errorf("%s: %v, %v", m, res, err)
		}
	}
}

// TestQuietChoices: who has chosen in a round may choose something else in the next one.
func TestQuietChoices(t *testing.T) {
	p, err := imp.Parse(&program.Source{Name: "choices", Text: `program P variables x
		process A local r begin while r < 2 do choose skip [] r := r + 1; x := r end od; assert r = 0 end`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if res, err := Explore(t.Context(), p, Options{Model: memory.SC, MaxRounds: 5}); err != nil || !res.Unsafe() {
		t.Errorf("%v, %v", res, err)
	}
}

// TestQuiet compares the states in which random programs end with those that a search finds, and, where the model is one without
// states, with those that are found where all rounds are gone, as far as these are bounded.
func TestQuiet(t *testing.T) {
	decided, only := 0, 0
	for seed := range programs(150) {
		rng := rand.New(rand.NewPCG(seed, 23))
		p := circling(rng)
		if seed%2 == 0 { // the first thread has z where the other one has y, so that both are nobody else's
			y := p.Memory[1].Addr
			p.Memory = append(p.Memory, program.Cell{Addr: y + 1, Name: "z", Type: p.Memory[1].Type})
			mine := *p
			mine.Threads = p.Threads[:1]
			each(&mine, func(c *program.Command) {
				if c.Addr == program.Const(y) {
					c.Addr = program.Const(y + 1)
				}
			})
		}
		for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
			got, res, err := FinalStates(t.Context(), p, Options{Model: m, MaxRounds: 4, MaxGraphs: 2000})
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, reference.Dump(p))
			}
			if !res.Safe() {
				continue
			}
			want, all, err := explore.FinalStates(t.Context(), p, explore.Options{Model: m, MaxStates: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			if !all.Conclusive() {
				continue
			}
			if decided++; !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, %s: %v, not %v\n%s", seed, m, got, want, reference.Dump(p))
			}
			if _, every, err := FinalStates(t.Context(), p, Options{Model: m, MaxRounds: 4, MaxGraphs: 2000, everyRound: true}); err == nil && !every.Safe() {
				only++
			}
		}
		locks := false
		each(p, func(c *program.Command) { locks = locks || c.Op == program.Lock })
		if locks { // RC11 has no word for sections
			continue
		}
		p.Arch = program.C11
		each(p, func(c *program.Command) {
			orders := map[program.Op][]string{program.Load: {"RLX", "ACQ", "SC"}, program.Store: {"RLX", "REL", "SC"}, program.Fence: {"ACQ", "REL", "SC"}}[c.Op]
			if orders != nil {
				c.Tags = program.NewTags(orders[rng.IntN(len(orders))])
			}
		})
		for _, m := range []memory.Model{memory.RC11, memory.RA} {
			got, res, err := FinalStates(t.Context(), p, Options{Model: m, MaxRounds: 4, MaxGraphs: 2000})
			if err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, reference.Dump(p))
			}
			if !res.Safe() {
				continue
			}
			decided++
			some, every, err := FinalStates(t.Context(), p, Options{Model: m, MaxRounds: 4, MaxGraphs: 2000, everyRound: true})
			if err != nil {
				t.Fatal(err)
			}
			if !every.Safe() {
				only++
			}
			for _, s := range some {
				found := false
				for _, o := range got {
					found = found || reflect.DeepEqual(o, s)
				}
				if !found {
					t.Fatalf("seed %d, %s: not %v\n%s", seed, m, s, reference.Dump(p))
				}
			}
		}
	}
	t.Logf("%d decided, %d only so", decided, only)
	if only == 0 {
		t.Error("all are decided where every round is gone")
	}
}
