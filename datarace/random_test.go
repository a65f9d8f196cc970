package datarace_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/datarace"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var programs = flag.Int("programs", 300, "random programs to look at")

// orders gives the accesses and fences of p orders of C11.
func orders(rng *rand.Rand, p *program.Program) {
	p.Arch = program.C11
	p.Properties, p.Filter = nil, nil
	tag := func(names ...string) program.Tags { return program.NewTags(names[rng.IntN(len(names))]) }
	// Most programs with plain accesses everywhere have races: some cells are for flags.
	flags := map[int64]bool{}
	for _, c := range p.Memory {
		flags[c.Addr] = rng.IntN(2) == 0
	}
	access := func(c *program.Command, body bool) {
		k, constant := c.Addr.(program.Const)
		flag := constant && flags[int64(k)]
		switch {
		case constant && strings.HasPrefix(p.Memory[p.CellAt(int64(k))].Name, "start"):
			c.Tags = tag("REL", "RLX", "SC") // nothing watches how threads are started
		case rng.IntN(4) > 0 && !flag && !body:
			c.Tags = tag("NA")
		case rng.IntN(12) == 0:
			c.Tags = tag("NA")
		case body:
			c.Tags = tag("RLX", "ACQ", "REL", "ACQ_REL", "SC")
		case c.Op == program.Load:
			c.Tags = tag("RLX", "RLX", "ACQ", "SC", "CON")
		default:
			c.Tags = tag("RLX", "RLX", "REL", "SC")
		}
	}
	for _, t := range p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			switch c.Op {
			case program.Fence:
				c.Tags = tag("ACQ", "REL", "ACQ_REL", "SC")
			case program.Load, program.Store:
				access(c, false)
			case program.Atomic:
				for k := range c.Body {
					if b := &c.Body[k]; b.Op == program.Load || b.Op == program.Store {
						access(b, true)
					}
				}
				if t.States[t.Edges[i].From].Kind == program.Unstarted {
					c.Body[0].Tags = program.NewTags("ACQ")
				}
			}
		}
	}
}

// startsOnce makes of threads that may be started in other ways than a front end has them, by one
// store, threads that wait.
func startsOnce(t *testing.T, p *program.Program) {
	r, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, th := range p.Threads {
		if s := &th.States[th.Initial]; s.Kind == program.Unstarted {
			n := 0
			for _, cells := range r.Access {
				if slices.Contains(cells, r.CellIndex(th.StartCell(th.Initial))) {
					n++
				}
			}
			if n > 2 {
				s.Kind = program.Plain
			}
		}
	}
}

// TestRandom: whichever engine is asked about the monitor, it finds a race just where vector
// clocks find one in some run.
func TestRandom(t *testing.T) {
	shapes := []randprog.Options{
		{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 6}, Fence: 3, Havoc: -1, Start: 20, Assert: 1, AddrDep: 10},
		{Threads: randprog.Range{Min: 3, Max: 3}, Commands: randprog.Range{Min: 2, Max: 4}, Fence: 2, RMW: 3, Start: 30, Lock: 2},
		{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 4}, Addresses: randprog.Range{Min: 2, Max: 2}, Fence: 2, WaitLoop: 3, Branch: -1, Lock: -1},
	}
	engines := []engine.Name{"explicit", "explicit:none", "bmc", "executions:optimal", "executions:source", "executions:dpor", "explicit:dpor", "explicit:local", "kinduction", "ic3", "auto", "saturation", "explicit:cartesian"}
	races, safe := 0, 0
	for seed := range *programs {
		rng := rand.New(rand.NewPCG(uint64(seed), 3))
		p := randprog.New(rng, shapes[seed%len(shapes)])
		orders(rng, p)
		startsOnce(t, p)
		x, err := abstract.Compile(p, memory.SC, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		race, complete := datarace.AllRuns(p, x, 20_000)
		if d := time.Since(start); d > time.Second {
			t.Logf("seed %d: %s", seed, d)
		}
		if !race && !complete {
			continue
		}
		want := verdict.IsSafe
		if race {
			want = verdict.IsUnsafe
			races++
		} else {
			safe++
		}
		for i, e := range engines {
			if i > 1 && seed%len(engines) != i {
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			start := time.Now()
			r, err := engine.DataRaces(ctx, p, engine.Options{Engine: e})
			cancel()
			if d := time.Since(start); d > time.Second {
				t.Logf("seed %d, %s: %s, %s", seed, e, d, r.Verdict())
			}
			switch {
			case err != nil:
				t.Fatalf("seed %d, %s: %v\n%s", seed, e, err, reference.Dump(p))
			case r.Verdict() == verdict.IsUnknown && i > 1:
			case r.Verdict() != want:
				t.Fatalf("seed %d, %s: %s (%s), want %s\n%s", seed, e, r.Verdict(), r.Reason(), want, reference.Dump(p))
			case r.Unsafe() && (r.Violation().Race == nil || len(r.Violation().Race.Why) == 0):
				t.Fatalf("seed %d, %s: no race with a reason", seed, e)
			}
		}
	}
	t.Logf("%d programs with races, %d without", races, safe)
	if races < *programs/10 || safe < *programs/10 {
		t.Errorf("%d programs with races, %d without: the shapes are poor", races, safe)
	}
}
