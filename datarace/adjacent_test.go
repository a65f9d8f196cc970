package datarace_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/datarace"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// synchronised gives most atomic accesses of p orders that release and acquire.
func synchronised(rng *rand.Rand, p *program.Program) {
	orders(rng, p)
	rest := rng.IntN(12) // of so many, one stays as it is; 0: none
	for _, t := range p.Threads {
		for i := range t.Edges {
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				switch {
				case c.Tags.Has("NA") || rest > 0 && rng.IntN(rest) == 0:
				case c.Op == program.Load:
					c.Tags = program.NewTags("ACQ")
				default:
					c.Tags = program.NewTags("REL")
				}
				if rest > 0 && rng.IntN(30) == 0 {
					c.Tags = program.Tags{}
				}
			})
		}
	}
}

// TestAdjacent: where some run has a race, accesses that conflict meet; and of what has none that is mostly proved.
func TestAdjacent(t *testing.T) {
	shapes := []randprog.Options{
		{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 7}, Fence: 1, Havoc: -1, Start: 20, Assert: 1, AddrDep: 10, Lock: -1},
		{Threads: randprog.Range{Min: 3, Max: 3}, Commands: randprog.Range{Min: 2, Max: 4}, Fence: -1, RMW: 3, Start: 30, Atomic: 3, Lock: -1},
		{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 4}, Addresses: randprog.Range{Min: 2, Max: 2}, Fence: -1, WaitLoop: 3, Atomic: 2, Lock: -1},
		{Threads: randprog.Range{Min: 3, Max: 4}, Commands: randprog.Range{Min: 1, Max: 4}, Addresses: randprog.Range{Min: 2, Max: 4}, Fence: -1, Atomic: 6, RMW: 4, Lock: -1},
		{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 4}, Addresses: randprog.Range{Min: 2, Max: 4}, Fence: -1, Atomic: 3, RMW: 2, Lock: 4},
	}
	adjacent(t, 19, func(seed int, rng *rand.Rand) *program.Program {
		p := randprog.New(rng, shapes[seed%len(shapes)])
		synchronised(rng, p)
		startsOnce(t, p)
		return p
	})
}

// TestAdjacentBlocks is the same for programs whose steps are of several accesses.
func TestAdjacentBlocks(t *testing.T) {
	adjacent(t, 23, func(_ int, rng *rand.Rand) *program.Program { return inBlocks(rng) })
}

// adjacent compares what random programs say of meetings with all their runs.
func adjacent(t *testing.T, stream uint64, random func(seed int, rng *rand.Rand) *program.Program) {
	engines := []engine.Name{"auto", "bmc", "executions:optimal", "executions:source", "explicit:dpor", "explicit:local", "kinduction", "ic3", "saturation", "explicit:cartesian"}
	races, without, proved, convicted := 0, 0, 0, 0
	for seed := range *programs {
		p := random(seed, rand.New(rand.NewPCG(uint64(seed), stream)))
		x, err := abstract.Compile(p, memory.SC, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		m, err := datarace.NewMonitor(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		a := m.Adjacency()
		if m.Trivial || a == nil {
			continue
		}
		race, complete := datarace.AllRuns(p, x, 20_000)
		if !race && !complete {
			continue
		}
		if race {
			races++
		} else {
			without++
		}
		for i, e := range []engine.Name{"explicit", engines[seed%len(engines)]} {
			if i > 0 && seed/len(engines)%4 > 0 {
				break
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			r, err := engine.Check(ctx, a.Program, engine.Options{Model: memory.SC, Engine: e})
			cancel()
			switch {
			case err != nil:
				t.Fatalf("seed %d, %s: %v\n%s", seed, e, err, reference.Dump(p))
			case r.Safe() && race:
				t.Fatalf("seed %d, %s: there is a race, and no two accesses meet\n%s", seed, e, reference.Dump(p))
			case r.Safe():
				proved += 1 - i
			case r.Unsafe():
				found, err := a.Convict(r.Run())
				if err != nil {
					t.Fatal(err)
				}
				if found != nil {
					convicted += 1 - i
					run := found.Run()
					last := run.Steps[len(run.Steps)-1]
					if !race && !run.Program.Threads[last.Thread].Edges[last.Edge].Cmd.Asserts() { // which may fail: AllRuns has no such steps
						t.Fatalf("seed %d, %s: there is no race, and one was found\n%s", seed, e, reference.Dump(p))
					}
				}
			}
		}
	}
	t.Logf("of %d programs %d have races, of which %d were shown, and %d have none, of which %d were proved", races+without, races, convicted, without, proved)
}
