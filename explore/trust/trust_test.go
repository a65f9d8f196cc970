package trust

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// key is different for different graphs, whose events are sorted.
func key(g *memory.Graph) string {
	var b strings.Builder
	for i := range g.Events {
		e := &g.Events[i]
		if e.Initial() { // there may be some that nobody reads
			continue
		}
		fmt.Fprintf(&b, "%d.%d%v%v", e.Thread, e.Index, e, e.Tags)
		if e.Kind == memory.Read {
			w := &g.Events[g.Source(i)]
			fmt.Fprintf(&b, "<%d.%d", w.Thread, w.Index)
		}
		if e.Kind == memory.Write {
			n := 0
			g.CO.After(i, func(int) { n++ })
			fmt.Fprintf(&b, "@%d", n)
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// relaxedOnly has nothing but coherence.
const relaxedOnly = `acyclic po-loc | rf | co | fr as coherence
empty rmw & (fre; coe) as atomicity
acyclic po | rf as no-thin-air`

// modelsOf are those that have words for all that p does.
func modelsOf(t testing.TB, p *program.Program) map[string]*memory.Definition {
	t.Helper()
	defs := models(t, p.Arch)
	maps.DeleteFunc(defs, func(_ string, d *memory.Definition) bool { return d.Covers(p) != nil })
	return defs
}

// models are those for programs of that architecture.
func models(t testing.TB, a program.Arch) map[string]*memory.Definition {
	t.Helper()
	defs := map[string]*memory.Definition{}
	if a == program.C11 {
		for _, m := range []memory.Model{memory.SC, memory.RA, memory.RC11} {
			def, err := memory.LoadFor(m, a)
			if err != nil {
				t.Fatal(err)
			}
			defs[string(m)] = def
		}
		return defs
	}
	for _, m := range append(memory.Operational(), memory.RA) {
		def, err := memory.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		defs[string(m)] = def
	}
	def, err := memory.Define("relaxed.cat", relaxedOnly, nil)
	if err != nil {
		t.Fatal(err)
	}
	defs["relaxed"] = def
	return defs
}

var shapes = []struct {
	name     string
	programs uint64
	opts     randprog.Options
}{
	{"small", 30, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Atomic: -1, Lock: -1}},
	{"threads", 30, randprog.Options{Threads: randprog.Range{Min: 3, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1, Atomic: -1, Lock: -1}},
	{"swaps", 18, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3},
		Load: 4, Store: 4, Fence: 1, RMW: 8, Atomic: -1, Havoc: -1, Lock: -1, Values: 2}},
	{"starts", 20, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Start: 60, Havoc: -1, Lock: -1, Atomic: -1}},
	{"assumptions", 20, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Assume: 5, Start: 30, Havoc: 1, Lock: -1, Atomic: -1}},
	{"loops", 20, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, CountLoop: 3, WaitLoop: 3, Lock: -1, Atomic: -1}},
	{"blocks", 25, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Atomic: 8, Lock: -1, Havoc: -1}},
	{"sections", 25, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 4}, Values: 1, Lock: 8, Havoc: -1, Atomic: 1}},
}

// random is one of the programs. Some have fences of any kind, some memory orders.
func random(seed uint64, opts randprog.Options) *program.Program {
	p := randomAsked(seed, opts)
	p.Properties, p.Filter = nil, nil
	return p
}

// randomAsked has properties, too.
func randomAsked(seed uint64, opts randprog.Options) *program.Program {
	rng := rand.New(rand.NewPCG(seed, 5))
	p := randprog.New(rng, opts)
	switch seed % 3 {
	case 1:
		each(p, func(c *program.Command) {
			if c.Op == program.Fence {
				c.Tags = program.NewTags([]string{program.TagMFence, program.TagSFence, program.TagSFence, program.TagLFence}[rng.IntN(4)])
			}
		})
	case 2:
		p.Arch = program.C11
		strong := rng.IntN(3) == 0 // most programs with nothing else are those with SC
		each(p, func(c *program.Command) {
			orders := map[program.Op][]string{
				program.Load: {"", "RLX", "ACQ", "CON", "SC"}, program.Store: {"", "RLX", "REL", "SC"}, program.Fence: {"ACQ", "CON", "REL", "ACQ_REL", "SC"},
			}[c.Op]
			if orders == nil {
				return
			}
			o := orders[rng.IntN(len(orders))]
			if strong && rng.IntN(4) > 0 {
				o = "SC"
			}
			if o != "" {
				c.Tags = program.NewTags(o)
			}
		})
	}
	return p
}

// each calls f for every command of p, and for those of bodies.
func each(p *program.Program, f func(c *program.Command)) {
	for _, t := range p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			f(c)
			for k := range c.Body {
				f(&c.Body[k])
			}
		}
	}
}

// programs is how many random programs to take of n: half of them, or as many times n as FENCEPOST_TRUST says.
func programs(n uint64) uint64 {
	if times, err := strconv.ParseUint(os.Getenv("FENCEPOST_TRUST"), 10, 32); err == nil {
		return n * times
	}
	return (n + 1) / 2
}

// explored is the complete graphs of p, and what the exploration came to.
func explored(t testing.TB, p *program.Program, opts Options) ([]string, *verdict.Result) {
	t.Helper()
	var keys []string
	opts.Graph = func(g *memory.Graph) { keys = append(keys, key(g)) }
	res, err := Explore(context.Background(), p, opts)
	if err != nil {
		t.Fatalf("%v\n%s", err, reference.Dump(p))
	}
	slices.Sort(keys)
	return keys, res
}

// TestEnumeration compares the graphs with those that an enumeration by threads finds.
func TestEnumeration(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			compared, found := 0, 0
			for seed := range programs(shape.programs) {
				p := random(seed, shape.opts)
				for name, def := range modelsOf(t, p) {
					n := againstEnumeration(t, fmt.Sprintf("seed %d, %s", seed, name), p, def, 10_000)
					compared += int(program.Bool(n > 0))
					found += n
				}
			}
			t.Logf("%d comparisons, %d graphs", compared, found)
		})
	}
}

// againstEnumeration compares the complete graphs of one program, and returns how many there are, or 0 where
// there are too many, or more than most.
func againstEnumeration(t *testing.T, name string, p *program.Program, def *memory.Definition, most int) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	var want []string
	err := graphs.Enumerate(ctx, p, def, graphs.Options{BackEdges: 3}, func(g *memory.Graph, _ verdict.FinalState) bool {
		want = append(want, key(g))
		return len(want) <= most
	})
	if err != nil || len(want) > most {
		return 0
	}
	slices.Sort(want)
	for _, how := range []Options{{Evaluate: true}, {Evaluate: true, WritesFirst: true}, {}} {
		how.Model, how.Definition = def.Model, def
		got, res := explored(t, p, how)
		if strings.Contains(res.Reason(), "in the middle of what happens at once") {
			continue
		}
		if !res.Safe() {
			t.Fatalf("%s: %s\n%s", name, res.Reason(), reference.Dump(p))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s, %+v: %d graphs, not %d\n%s\ngot\n%s\nwant\n%s", name, how, len(got), len(want),
				reference.Dump(p), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	return len(want)
}
