package trust

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// remembering is true of a program with a condition on memory, or on locked sections, at a moment.
func remembering(p *program.Program) bool {
	return locks(p) && slices.ContainsFunc(p.Properties, func(pr program.Property) bool { return pr.Kind == program.Forbid }) || slices.ContainsFunc(p.Properties, func(pr program.Property) bool { return pr.Kind == program.Forbid && remembers(pr.Cond) })
}

// TestStates compares verdicts and final states with those of a search through states.
func TestStates(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			counts := map[verdict.Verdict]int{}
			finals := 0
			for seed := range programs(3 * shape.programs) {
				opts := shape.opts
				opts.Assert, opts.Deadlock, opts.Forbid = 1, 2, 3
				p := randomAsked(seed, opts)
				for _, m := range memory.Operational() {
					if def, err := memory.LoadFor(m, p.Arch); err != nil || def.Covers(p) != nil {
						continue
					}
					want, err := explore.Check(context.Background(), p, explore.Options{Model: m, MaxStates: 20_000, MemoryLimit: 1 << 28})
					if err != nil {
						t.Fatal(err)
					}
					if !want.Conclusive() {
						continue
					}
					if !remembering(p) {
						got, err := Explore(context.Background(), p, Options{Model: m, WritesFirst: seed%2 == 0, MaxSteps: 1000, MaxGraphs: 20_000})
						if err != nil {
							t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, reference.Dump(p))
						}
						if got.Conclusive() {
							counts[got.Verdict()]++
							if got.Verdict() != want.Verdict() {
								t.Fatalf("seed %d, %s: %s, not %s\n%s", seed, m, got.Verdict(), want.Verdict(), reference.Dump(p))
							}
						}
					}
					if rf, err := Explore(context.Background(), p, Options{Model: m, AnyCoherence: true, MaxSteps: 1000, MaxGraphs: 2000}); err != nil || rf.Conclusive() && !remembering(p) && rf.Verdict() != want.Verdict() {
						t.Fatalf("seed %d, %s: without coherence %v, %v, not %s\n%s", seed, m, rf, err, want.Verdict(), reference.Dump(p))
					}
					all, res, err := explore.FinalStates(context.Background(), p, explore.Options{Model: m, MaxStates: 20_000, MemoryLimit: 1 << 28})
					if err != nil {
						t.Fatal(err)
					}
					if !res.Safe() {
						continue
					}
					got, sure, err := FinalStates(context.Background(), p, Options{Model: m, WritesFirst: seed%2 == 0, MaxSteps: 1000, MaxGraphs: 20_000})
					if err != nil {
						t.Fatal(err)
					}
					if !sure.Safe() {
						continue
					}
					finals++
					if !reflect.DeepEqual(got, all) {
						t.Fatalf("seed %d, %s: final states\n%v, not\n%v\n%s", seed, m, got, all, reference.Dump(p))
					}
				}
			}
			t.Logf("%v, %d final states", counts, finals)
		})
	}
}

// TestDeadlocks has threads that stand for what they have read, which need not be the last value.
func TestDeadlocks(t *testing.T) {
	p, err := imp.Parse(&program.Source{Name: "p.imp", Text: `program P variables x
		process Q begin x := 1 end process R local r begin r := x; assume r = 1 end forbid deadlock`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.RA} {
		for _, first := range []bool{false, true} {
			r, err := Explore(t.Context(), p, Options{Model: m, WritesFirst: first})
			if err != nil || !r.Unsafe() {
				t.Errorf("%s, writes first %v: %v, %v", m, first, r, err)
			}
		}
	}
}
