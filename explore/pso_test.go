package explore

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// psoShapes is the random programs that the reference is asked about.
var psoShapes = []struct {
	name     string
	programs int
	opts     randprog.Options
}{
	{"small", 100, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Assert: 1}},
	{"threads", 100, randprog.Options{Threads: randprog.Range{Min: 3, Max: 4}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1}},
	{"fences", 500, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 3},
		Load: 4, Store: 4, Fence: 4, RMW: -1, Atomic: -1, Assign: -1, Havoc: -1, Branch: -1, Lock: -1, AddrDep: -1, DataDep: -1, Plain: true}},
	{"atomics", 100, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, RMW: 8, Atomic: 8, Havoc: -1}},
	{"locks", 100, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Lock: 8, Values: 1, Havoc: -1, Assert: 1}},
	{"starts", 100, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Start: 60, Assume: 3}},
	{"loops", 100, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, CountLoop: 3, WaitLoop: 3}},
}

// TestPSO compares what the search finds under PSO, with fences of all kinds, with a
// plain simulation of a buffer for every address.
func TestPSO(t *testing.T) {
	for _, shape := range psoShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			compared := 0
			programs := shape.programs
			if testing.Short() {
				programs /= 4
			}
			for seed := range uint64(programs) {
				rng := rand.New(rand.NewPCG(seed, 12))
				p := randprog.New(rng, shape.opts)
				for _, th := range p.Threads {
					for i := range th.Edges {
						if c := &th.Edges[i].Cmd; c.Op == program.Fence {
							c.Tags = program.NewTags([]string{program.TagMFence, program.TagSFence, program.TagSFence, program.TagLFence}[rng.IntN(4)])
						}
					}
				}
				ref := reference.Search(p, memory.PSO, 0, 5000)
				if ref.Unfinished {
					continue
				}
				want := ref.Finals
				for _, r := range Reductions() {
					states, _, err := FinalStates(t.Context(), p, Options{Model: memory.PSO, Reduction: r, MemoryLimit: 1 << 28})
					if err != nil {
						t.Fatal(err)
					}
					found := reference.FinalKeys(t, p, states)
					slices.Sort(found)
					if !slices.Equal(slices.Compact(found), want) {
						t.Fatalf("seed %d: search (reduction %s) finds\n     %q\nwant %q\n%s", seed, r, found, want, reference.Dump(p))
					}
				}
				compared++
			}
			t.Logf("%d programs compared", compared)
		})
	}
}
