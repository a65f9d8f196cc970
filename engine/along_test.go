package engine

import (
	"context"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestAlong compares what graphs, and the portfolio, say of random programs with assertions and properties of final states under
// models with load buffering with what bmc says.
func TestAlong(t *testing.T) {
	n := 40
	if testing.Short() {
		n = 12
	}
	if s := os.Getenv("FENCEPOST_ALONG"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	shapes := []randprog.Options{
		{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Lock: -1, Assert: 4, Forbid: -1},
		{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Lock: -1, Assert: 2, Assume: 2, WaitLoop: 2, Forbid: -1, Havoc: -1},
		{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Lock: -1, Start: 50, Assert: 3, WaitLoop: 1, Forbid: -1, Havoc: -1},
		{Threads: randprog.Range{Min: 2, Max: 3}, Addresses: randprog.Range{Min: 3, Max: 3}, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1, Lock: -1, Havoc: -1, Ring: 80, Assert: 4, Forbid: -1},
	}
	for _, hw := range []struct {
		model memory.Model
		arch  program.Arch
		tags  map[program.Op][]string
	}{
		{memory.IMM, program.C11, map[program.Op][]string{program.Load: {"RLX", "ACQ"}, program.Store: {"RLX", "REL"}, program.Fence: {"ACQ_REL", "SC"}}},
		{memory.ARMv8, program.AArch64, map[program.Op][]string{program.Load: {"", "A"}, program.Store: {"", "L"}, program.Fence: {"DMB.SY", "DMB.LD", "ISB"}}},
		{memory.Power, program.PPC, map[program.Op][]string{program.Fence: {"sync", "lwsync", "isync"}}},
		{memory.RISCV, program.RISCV, map[program.Op][]string{program.Load: {"", "AcqRcpc"}, program.Store: {"", "RelRcpc"}, program.Fence: {"Fence.rw.rw", "Fence.r.rw", "Fence.tso"}}},
	} {
		counts := map[string]int{}
		for seed := range uint64(n) {
			rng := rand.New(rand.NewPCG(seed, 5))
			p := randprog.New(rng, shapes[seed%uint64(len(shapes))])
			p.Arch = hw.arch
			var tag func(c *program.Command)
			tag = func(c *program.Command) {
				if of := hw.tags[c.Op]; of != nil {
					if s := of[rng.IntN(len(of))]; s != "" {
						c.Tags = program.NewTags(s)
					}
				}
				for i := range c.Body {
					tag(&c.Body[i])
				}
			}
			for _, th := range p.Threads {
				for i := range th.Edges {
					tag(&th.Edges[i].Cmd)
				}
			}
			def, err := memory.LoadFor(hw.model, hw.arch)
			if err != nil {
				t.Fatal(err)
			}
			if def.Covers(p) != nil {
				continue
			}
			var said [3]string
			for i, e := range []Name{Graphs, BMC, Auto} {
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				r, err := Check(ctx, p, Options{Model: hw.model, Engine: e, Unroll: 3})
				cancel()
				if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, e, err)
				}
				switch {
				case r.Unsafe():
					said[i] = "unsafe"
				case r.Safe():
					said[i] = "safe"
				default:
					said[i] = "unknown"
				}
			}
			counts[strings.Join(said[:], "/")]++
			known := slices.DeleteFunc(slices.Clone(said[:]), func(s string) bool { return s == "unknown" })
			if slices.Sort(known); len(slices.Compact(known)) > 1 {
				var b strings.Builder
				_ = program.Print(&b, p)
				t.Errorf("seed %d, %s: %v by graphs, bmc and auto\n%s", seed, hw.model, said, b.String())
			}
		}
		t.Logf("%s: %v", hw.model, counts)
	}
}
