package graphs

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// shapes are the random programs that executions are enumerated of.
var shapes = []struct {
	name      string
	programs  int
	backEdges int
	opts      randprog.Options
}{
	{"small", 100, 0, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Assert: 1}},
	{"threads", 100, 0, randprog.Options{Threads: randprog.Range{Min: 3, Max: 4}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1}},
	// These are about what fences and atomic accesses order: little else is in them.
	{"fences", 1500, 0, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 3},
		Load: 4, Store: 4, Fence: 4, RMW: -1, Atomic: -1, Assign: -1, Havoc: -1, Branch: -1, Lock: -1, AddrDep: -1, DataDep: -1, Plain: true}},
	{"swaps", 600, 0, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 3, Max: 3}, Commands: randprog.Range{Min: 3, Max: 3},
		Load: 4, Store: 4, Fence: -1, RMW: 4, Atomic: -1, Assign: -1, Havoc: -1, Branch: -1, Lock: -1, AddrDep: -1, DataDep: -1, Plain: true, Values: 2}},
	{"atomics", 100, 0, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, RMW: 8, Atomic: 8, Havoc: -1}},
	{"locks", 100, 0, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Lock: 8, Values: 1, Havoc: -1, Assert: 1}},
	{"starts", 150, 0, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Start: 60, Havoc: -1, Lock: -1}},
	{"assumptions", 150, 0, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Assume: 5, Start: 30, Havoc: -1}},
	{"unsigned", 150, 0, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Unsigned: 60, Assign: 4, DataDep: 90}},
	{"everything", 150, 3, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 2, Assume: 2, Start: 30, Unsigned: 30,
		Assert: 1, CountLoop: 1, WaitLoop: 2}},
	{"loops", 100, 4, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, CountLoop: 3, WaitLoop: 3}},
}

// seeds is how many programs of n to take.
func seeds(n int) uint64 {
	if testing.Short() {
		n /= 4
	}
	return uint64(n)
}

// enumerate calls f for every execution and reports whether it was all of them:
// there may be more than there is time for, or than the bound allows.
func enumerate(t *testing.T, p *program.Program, def *memory.Definition, backEdges int, f func(*memory.Graph, verdict.FinalState)) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := Enumerate(ctx, p, def, Options{BackEdges: backEdges}, func(g *memory.Graph, s verdict.FinalState) bool {
		f(g, s)
		return true
	})
	if errors.Is(err, context.DeadlineExceeded) || err == ErrCut {
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// TestRandom compares the final states of all executions with those that
// the search finds.
func TestRandom(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			compared, graphs := 0, 0
			for seed := range seeds(shape.programs) {
				rng := rand.New(rand.NewPCG(seed, 11))
				p := randprog.New(rng, shape.opts)
				if seed%2 == 1 {
					changeFences(rng, p)
				}
				for _, m := range memory.Operational() {
					want, res, err := explore.FinalStates(context.Background(), p, explore.Options{Model: m, MaxStates: 20_000, MemoryLimit: 1 << 28})
					if err != nil {
						t.Fatal(err)
					}
					if !res.Safe() {
						continue
					}
					def, err := memory.Load(m)
					if err != nil {
						t.Fatal(err)
					}
					var got []verdict.FinalState
					if !enumerate(t, p, def, shape.backEdges, func(g *memory.Graph, f verdict.FinalState) {
						graphs++
						got = append(got, f)
						if v := def.Check(g); len(v) > 0 {
							t.Errorf("seed %d, %s: an execution that is not: %s\n%v", seed, m, v[0].Format(g), g)
						}
					}) {
						continue
					}
					compared++
					verdict.SortFinalStates(want)
					verdict.SortFinalStates(got)
					same := func(a, b verdict.FinalState) bool { return reflect.DeepEqual(a, b) }
					if got = slices.CompactFunc(got, same); !slices.EqualFunc(got, want, same) {
						t.Fatalf("seed %d, %s:\n got %v\nwant %v\n%s", seed, m, got, want, text(t, p))
					}
				}
			}
			t.Logf("%d comparisons, %d executions", compared, graphs)
		})
	}
}

// changeFences makes the fences of p fences of any kind.
func changeFences(rng *rand.Rand, p *program.Program) {
	for _, th := range p.Threads {
		for i := range th.Edges {
			if c := &th.Edges[i].Cmd; c.Op == program.Fence {
				c.Tags = program.NewTags([]string{program.TagMFence, program.TagSFence, program.TagSFence, program.TagLFence}[rng.IntN(4)])
			}
		}
	}
}

// text is p for people.
func text(t *testing.T, p *program.Program) string {
	t.Helper()
	var b strings.Builder
	if err := program.Print(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
