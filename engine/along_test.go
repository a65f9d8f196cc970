package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// alongShapes are random programs with load buffering.
var alongShapes = []randprog.Options{
	{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Lock: -1, Assert: 4, Forbid: -1},
	{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Lock: -1, Assert: 2, Assume: 2, WaitLoop: 2, Forbid: -1, Havoc: -1},
	{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Lock: -1, Start: 50, Assert: 3, WaitLoop: 1, Forbid: -1, Havoc: -1},
	{Threads: randprog.Range{Min: 2, Max: 3}, Addresses: randprog.Range{Min: 3, Max: 3}, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1, Lock: -1, Havoc: -1, Ring: 80, Assert: 4, Forbid: -1},
}

// hardware are the models under which they are explored along dependencies.
var hardware = []struct {
	model memory.Model
	arch  program.Arch
	tags  map[program.Op][]string
}{
	{memory.IMM, program.C11, map[program.Op][]string{program.Load: {"RLX", "ACQ"}, program.Store: {"RLX", "REL"}, program.Fence: {"ACQ_REL", "SC"}}},
	{memory.ARMv8, program.AArch64, map[program.Op][]string{program.Load: {"", "A"}, program.Store: {"", "L"}, program.Fence: {"DMB.SY", "DMB.LD", "ISB"}}},
	{memory.Power, program.PPC, map[program.Op][]string{program.Fence: {"sync", "lwsync", "isync"}}},
	{memory.RISCV, program.RISCV, map[program.Op][]string{program.Load: {"", "AcqRcpc"}, program.Store: {"", "RelRcpc"}, program.Fence: {"Fence.rw.rw", "Fence.r.rw", "Fence.tso"}}},
}

// ofHardware makes p a program of an architecture, with annotations and fences of it.
func ofHardware(rng *rand.Rand, p *program.Program, arch program.Arch, tags map[program.Op][]string) *program.Program {
	p.Arch = arch
	var tag func(c *program.Command)
	tag = func(c *program.Command) {
		if of := tags[c.Op]; of != nil {
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
	return p
}

// TestAlong compares what graphs, and the portfolio, say of random programs with assertions and properties of final states under
// models with load buffering with what bmc says.
func TestAlong(t *testing.T) {
	n := 20
	if testing.Short() {
		n = 12
	}
	if s := os.Getenv("FENCEPOST_ALONG"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	for _, hw := range hardware {
		counts := map[string]int{}
		for seed := range uint64(n) {
			rng := rand.New(rand.NewPCG(seed, 5))
			p := ofHardware(rng, randprog.New(rng, alongShapes[seed%uint64(len(alongShapes))]), hw.arch, hw.tags)
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

// TestAutoFinals compares the final states that the portfolio lists of random programs, by graphs as a rule, with those that bmc
// lists.
func TestAutoFinals(t *testing.T) {
	n := 30
	if s := os.Getenv("FENCEPOST_ALONG"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	models := slices.Clone(hardware)
	models = append(models, models[0])
	models[len(models)-1].model = memory.RC11
	for _, hw := range models {
		by := map[string]int{}
		for seed := range uint64(n) {
			rng := rand.New(rand.NewPCG(seed, 6))
			p := ofHardware(rng, randprog.New(rng, alongShapes[seed%uint64(len(alongShapes))]), hw.arch, hw.tags)
			var lists [2][]verdict.FinalState
			complete := true
			for i, e := range []Name{Auto, BMC} {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				all, r, err := FinalStates(ctx, p, Options{Model: hw.model, Engine: e, Unroll: 3})
				cancel()
				var d *program.Diagnostic
				if errors.As(err, &d) {
					complete = false
					break
				} else if err != nil {
					t.Fatalf("seed %d, %s: %v", seed, e, err)
				}
				if complete = complete && r.Safe(); i == 0 && r.Safe() {
					by[r.Engine]++
				}
				lists[i] = all
			}
			if complete && len(lists[0])+len(lists[1]) > 0 && !reflect.DeepEqual(lists[0], lists[1]) {
				t.Errorf("seed %d, %s: %v by auto, %v by bmc\n%s", seed, hw.model, lists[0], lists[1], enginetest.Text(p))
			}
		}
		t.Logf("%s: %v", hw.model, by)
	}
}

// TestAlongWaits asks about threads that wait, along dependencies: whether they hang, and whether nothing can go on; and how many executions there seem to be.
func TestAlongWaits(t *testing.T) {
	for text, want := range map[string]verdict.Verdict{
		`process P local r begin r := x; y := 1; if r = 1 then await z = 1 fi end
			process Q local s begin s := y; x := 1; if s = 0 then z := 1 fi end`: verdict.IsUnsafe,
		`process P local r begin r := x; fence; y := 1; if r = 1 then await z = 1 fi end
			process Q local s begin s := y; fence; x := 1; if s = 0 then z := 1 fi end`: verdict.IsSafe,
	} {
		for _, hw := range hardware {
			p, err := lang.Read("test.imp", strings.NewReader("program Test\nvariables x, y, z\n"+text+" forbid hang; forbid deadlock"), nil)
			if err != nil {
				t.Fatal(err)
			}
			ofHardware(rand.New(rand.NewPCG(1, 1)), p, hw.arch, map[program.Op][]string{program.Fence: hw.tags[program.Fence][:1]})
			if hw.model == memory.IMM {
				ofHardware(rand.New(rand.NewPCG(1, 1)), p, hw.arch, map[program.Op][]string{program.Fence: {"SC"}})
			}
			r, err := Hangs(t.Context(), p, Options{Model: hw.model})
			if err != nil || r.Verdict() != want || r.About() != verdict.Liveness {
				t.Errorf("%s, %s: %v, %v, want %s", text, hw.model, r, err, want)
			} else if r.Elapsed == 0 {
				t.Errorf("%s, %s: no time has passed", text, hw.model)
			}
			for _, e := range []Name{Auto, Graphs} {
				if r, err = Check(t.Context(), p, Options{Model: hw.model, Engine: e}); err != nil || r.Verdict() != want {
					t.Errorf("%s, %s by %s: %v, %v, want %s", text, hw.model, e, r, err, want)
				}
			}
			if e, r, err := estimateGraphs(t.Context(), p, Options{Model: hw.model}); err != nil || e == nil || e.Executions == 0 {
				t.Errorf("%s, %s: %v, %v", text, hw.model, r, err)
			}
		}
	}
}
