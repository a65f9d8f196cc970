package graphs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// hardware are the models under which executions are built along dependencies, and what their programs are of.
var hardware = []struct {
	model  memory.Model
	arch   program.Arch
	fences []string
	reads  []string
	writes []string
}{
	{memory.IMM, program.C11, []string{"ACQ", "REL", "ACQ_REL", "SC"}, []string{"RLX", "ACQ", "CON", "SC"}, []string{"RLX", "REL", "SC"}},
	{memory.ARMv8, program.AArch64, []string{"DMB.SY", "DMB.LD", "DMB.ST", "ISB"}, []string{"", "A", "Q"}, []string{"", "L"}},
	{memory.Power, program.PPC, []string{"sync", "lwsync", "isync"}, []string{""}, []string{""}},
	{memory.RISCV, program.RISCV, []string{"Fence.rw.rw", "Fence.r.rw", "Fence.w.w", "Fence.rw.w", "Fence.tso"}, []string{"", "AcqRcpc"}, []string{"", "RelRcpc"}},
}

// given is a number that the environment gives, or else n.
func given(name string, n uint64) uint64 {
	if k, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
		return k
	}
	return n
}

// load is the definition of a model.
func load(t *testing.T, m memory.Model, a program.Arch) *memory.Definition {
	t.Helper()
	def, err := memory.LoadFor(m, a)
	if err != nil {
		t.Fatal(err)
	}
	return def
}

// ofArch makes p a program of an architecture, with fences and annotations of it.
func ofArch(rng *rand.Rand, p *program.Program, arch program.Arch, fences, reads, writes []string) {
	p.Arch = arch
	var tag func(c *program.Command)
	tag = func(c *program.Command) {
		of := map[program.Op][]string{program.Fence: fences, program.Load: reads, program.Store: writes}[c.Op]
		if len(of) > 0 {
			if s := of[rng.IntN(len(of))]; s != "" {
				c.Tags = program.NewTags(s)
			}
		}
		if c.Op == program.Atomic {
			c.Body = slices.Clone(c.Body)
			for i := range c.Body {
				tag(&c.Body[i])
			}
		}
		if (c.Op == program.Load || c.Op == program.Store) && arch != program.C11 && rng.IntN(8) == 0 {
			c.Tags = c.Tags.With(program.TagExclusive)
		}
	}
	for _, th := range p.Threads {
		for i := range th.Edges {
			tag(&th.Edges[i].Cmd)
		}
	}
}

// canonical is a graph and its final state as text, without initial writes that nothing comes of.
func canonical(g *memory.Graph, s verdict.FinalState) string {
	g = g.Sorted()
	name := func(i int) string {
		e := &g.Events[i]
		return fmt.Sprintf("%d.%d", e.Thread, e.Index)
	}
	for i := range g.Events {
		if e := &g.Events[i]; e.Initial() {
			e.Index = int(e.Addr)
		}
	}
	var b strings.Builder
	blocks := map[int]int{}
	for i := range g.Events {
		e := &g.Events[i]
		if e.Initial() {
			continue
		}
		if _, ok := blocks[e.Block]; !ok {
			blocks[e.Block] = len(blocks)
		}
		fmt.Fprintf(&b, "%s %d %d=%d %s %v b%d %q;", name(i), e.Kind, e.Addr, e.Value, e.Tags.String(), e.Part, blocks[e.Block], e.Text)
	}
	rels := []memory.Relation{g.PO, g.RF, g.CO, g.RMW, g.Addr, g.Data, g.Ctrl, g.CasDep}
	if g.Picks {
		rels = append(rels, g.PickAddr, g.PickData, g.PickCtrl)
	}
	for k, r := range rels {
		b.WriteByte('\n')
		for _, p := range r.Pairs() {
			fmt.Fprintf(&b, " %d:%s>%s", k, name(p[0]), name(p[1]))
		}
	}
	return b.String() + s.Key()
}

// delayShapes are programs with load buffering.
var delayShapes = []randprog.Options{
	{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Lock: -1, Branch: 4, AddrDep: 40},
	{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Lock: -1, Havoc: -1, AddrDep: 30},
	{Threads: randprog.Range{Min: 3, Max: 3}, Commands: randprog.Range{Min: 2, Max: 2}, Values: 1, Lock: -1, Havoc: -1, Atomic: -1, RMW: 1, AddrDep: 30},
	{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 4}, Values: 1, Lock: -1, Havoc: -1, RMW: 6, Atomic: 4},
	{Threads: randprog.Range{Min: 2, Max: 3}, Addresses: randprog.Range{Min: 3, Max: 3}, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1, Lock: -1, Havoc: -1, Ring: 80},
	{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Lock: -1, Start: 40, Assume: 3, WaitLoop: 2, CountLoop: 1, Assert: 1, Havoc: -1},
	{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 5}, Addresses: randprog.Range{Min: 1, Max: 2}, Values: 1, Lock: -1, Havoc: -1, RMW: -1, Atomic: -1, AddrDep: 60, DataDep: 70},
}

// TestDelay compares the executions that are built along dependencies with those that are enumerated
// thread by thread.
func TestDelay(t *testing.T) {
	n := given("FENCEPOST_DELAY", seeds(240))
	begin := given("FENCEPOST_DELAY_FROM", 0)
	for _, hw := range hardware {
		t.Run(string(hw.model), func(t *testing.T) {
			def := load(t, hw.model, hw.arch)
			compared, executions, cyclic := 0, 0, 0
			var times [2]time.Duration
			for seed := begin; seed < begin+n; seed++ {
				rng := rand.New(rand.NewPCG(seed, 77))
				p := randprog.New(rng, delayShapes[seed%uint64(len(delayShapes))])
				ofArch(rng, p, hw.arch, hw.fences, hw.reads, hw.writes)
				p.Properties = nil
				// An execution may be met several times whose threads have chosen their ways with nothing in the graph
				// that says which; as often by both.
				var sets [2]map[string]int
				var errs [2]error
				for i := range 2 {
					sets[i] = map[string]int{}
					ctx, cancel := context.WithTimeout(context.Background(), time.Second)
					start := time.Now()
					errs[i] = Enumerate(ctx, p, def, Options{BackEdges: 2, way: []way{oneByOne, atOnce}[i]}, func(g *memory.Graph, s verdict.FinalState) bool {
						c := canonical(g, s)
						if i == 1 && !def.Consistent(g) {
							t.Errorf("seed %d: an execution that is not", seed)
						}
						if i == 1 {
							executions++
							if !g.PO.Union(g.RF).Acyclic() {
								cyclic++
							}
						}
						sets[i][c]++
						return true
					})
					times[i] += time.Since(start)
					cancel()
					if errors.Is(errs[i], context.DeadlineExceeded) {
						break
					}
					if errs[i] != nil && errs[i] != ErrCut {
						t.Fatalf("seed %d: %v", seed, errs[i])
					}
				}
				if errors.Is(errs[0], context.DeadlineExceeded) || errors.Is(errs[1], context.DeadlineExceeded) {
					continue
				}
				compared++
				if errs[0] == nil && errs[1] != nil {
					t.Errorf("seed %d: %v, %v", seed, errs[0], errs[1])
				}
				for i := range 2 {
					for c, n := range sets[i] {
						if errs[0] == nil && sets[1-i][c] != n {
							t.Fatalf("seed %d: %d and %d executions; %d has %d times, the other %d, this:\n%s\n%s", seed, len(sets[0]), len(sets[1]), i, n, sets[1-i][c], c, text(t, p))
						}
					}
				}
			}
			t.Logf("%d programs compared, %d executions, %d of them with a cycle of program order and reads-from; %v, %v", compared, executions, cyclic, times[0], times[1])
		})
	}
}

// TestForwards has a thread that reads what its own exchange writes, and from which comes what the exchange has read: armv8
// allows it, and the others do not.
func TestForwards(t *testing.T) {
	for _, hw := range hardware {
		b := progtest.New(2)
		th := b.Thread()
		th.Atomic(program.Command{Op: program.Load, Reg: int(th.Reg("a")), Addr: progtest.X}, program.Command{Op: program.Store, Addr: progtest.X, Value: program.Const(1)})
		th.Load("b", progtest.X).Store(progtest.Y, th.Reg("b"))
		th = b.Thread()
		th.Load("c", progtest.Y).Store(progtest.X, th.Reg("c"))
		p := b.Build(t)
		p.Arch = hw.arch
		def := load(t, hw.model, hw.arch)
		var found [2]int
		for i, way := range []way{oneByOne, atOnce} {
			if err := Enumerate(t.Context(), p, def, Options{way: way}, func(_ *memory.Graph, s verdict.FinalState) bool {
				found[i] += int(program.Bool(s.Regs[0][0] == 1))
				return true
			}); err != nil {
				t.Fatal(err)
			}
		}
		if allowed := hw.model == memory.ARMv8; found[0] != found[1] || found[0] > 0 != allowed {
			t.Errorf("%s: %v", hw.model, found)
		}
	}
}
