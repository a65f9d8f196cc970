package trust

import (
	"context"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var (
	many       = flag.Int("many", 40, "how many random programs TestMany holds against every oracle")
	manyFirst  = flag.Uint64("many.first", 0, "the seed of the first of them")
	manyMost   = flag.Int("many.most", 500, "how many graphs brute force may build of one of them under a model, parts of graphs among them")
	manyShapes = flag.String("many.shapes", "", "what the names of their shapes have in them")
)

// A shape of random programs, by name.
type shape struct {
	name string
	opts randprog.Options
}

// tiny are shapes of programs of two to six accesses, of which brute force sees every order quickly.
var tiny = []shape{
	{"tiny", randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3}, Fence: 2, RMW: 4, Atomic: -1, Lock: -1, Values: 2}},
	{"tiny threads", randprog.Options{Threads: randprog.Range{Min: 3, Max: 3}, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 2}, Fence: 1, RMW: 3, Atomic: -1, Lock: -1, Values: 2, Plain: true}},
	{"tiny waits", randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1, WaitLoop: 4, Assume: 3, RMW: 4, Havoc: 1, Branch: 3, Lock: -1, Atomic: -1}},
	{"tiny sections", randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Lock: 8, Atomic: 4, Start: 20, Assume: 1, Havoc: -1}},
	{"tiny orders", randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 3}, Load: 5, Store: 5, Fence: 4, RMW: 1, Assign: -1, Branch: -1, Havoc: -1, Lock: -1, Atomic: -1, AddrDep: -1, DataDep: 20, Plain: true}},
	{"tiny many", randprog.Options{Threads: randprog.Range{Min: 3, Max: 4}, Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 1}, Load: 4, Store: 6, RMW: 8, Fence: -1, Assign: -1, Havoc: -1, Lock: -1, Atomic: -1, Values: 1}},
	// Sections that communicate by several cells, beside accesses without a lock.
	{"at once", randprog.Options{Threads: randprog.Range{Min: 3, Max: 3}, Addresses: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 4}, Values: 2, Load: 6, Store: 6, RMW: 1, Fence: -1, Assign: -1, Havoc: -1, Branch: -1,
		Lock: 12, Atomic: 2, DataDep: -1, AddrDep: -1, Plain: true}},
}

// A tally is how many programs were compared with an oracle under one model, and how many graphs, or
// final states, they have.
type tally struct{ brute, graphs, enumerated, explicit, sat, finals int }

// oracles holds programs against all of them.
type oracles struct {
	relaxed string // the file of that model
	tallies map[string]*tally
}

// TestMany holds random programs, no two of which are the same, against all oracles under every model: brute force for
// the sets of graphs, blocked ones among them, enumeration by threads for those that are complete, and for final states that, explicit
// search where there is one, and SAT.
func TestMany(t *testing.T) {
	if *many > 1000 {
		defer debug.SetGCPercent(debug.SetGCPercent(5000))
	}
	o := &oracles{relaxed: filepath.Join(t.TempDir(), "relaxed.cat"), tallies: map[string]*tally{}}
	if err := os.WriteFile(o.relaxed, []byte(relaxedOnly), 0o600); err != nil {
		t.Fatal(err)
	}
	all := slices.Clone(tiny)
	for _, s := range shapes {
		all = append(all, shape{s.name, s.opts})
	}
	all = slices.DeleteFunc(all, func(s shape) bool { return !strings.Contains(s.name, *manyShapes) })
	seen := map[[16]byte]bool{}
	held, large, same := 0, 0, 0
	seed := *manyFirst
	for ; held < *many; seed++ {
		shape := all[seed%uint64(len(all))]
		p := random(1<<40+seed/uint64(len(all)), shape.opts)
		h := fnv.New128a()
		h.Write([]byte(reference.Dump(p)))
		if k := [16]byte(h.Sum(nil)); seen[k] {
			same++
			continue
		} else {
			seen[k] = true
		}
		if o.hold(t, seed, p) {
			held++
		} else {
			large++
		}
		if *many > 1000 && held%2000 == 0 {
			t.Logf("%d programs, %d too large, %d the same, up to seed %d: %s", held, large, same, seed, o)
		}
	}
	t.Logf("%d programs, %d too large, %d the same, up to seed %d: %s", held, large, same, seed, o)
}

func (o *oracles) String() string {
	var b strings.Builder
	for _, m := range slices.Sorted(maps.Keys(o.tallies)) {
		fmt.Fprintf(&b, "\n%-8s %+v", m, *o.tallies[m])
	}
	return b.String()
}

// hold compares under every model that has words for p, and is false where brute force would build too many graphs.
func (o *oracles) hold(t *testing.T, seed uint64, p *program.Program) bool {
	t.Helper()
	of := fmt.Sprintf("seed %d", seed)
	for name, def := range modelsOf(t, p) {
		tl := o.tallies[name]
		if tl == nil {
			tl = &tally{}
			o.tallies[name] = tl
		}
		var keys []string // of complete graphs
		hows := slices.Clone(everyHow)
		if def.Model.Operational() && memory.Block(p) == nil && !p.Parts() { // one order will do with the slow checker, where there is another
			hows = []Options{hows[seed%2], hows[2], hows[3]}
		}
		hows[0].Graph = func(g *memory.Graph) { keys = append(keys, key(g)) }
		n := againstBrute(t, of+", "+name, p, def, *manyMost, hows...)
		if n == 0 {
			return false
		}
		tl.brute++
		tl.graphs += n
		o.ends(t, of+", "+name, p, def, keys, tl)
	}
	return true
}

// ends compares complete graphs, which are keys, and final states.
func (o *oracles) ends(t *testing.T, of string, p *program.Program, def *memory.Definition, keys []string, tl *tally) {
	t.Helper()
	const limit = 1 << 28
	got, sure, err := FinalStates(t.Context(), p, Options{Model: def.Model, Definition: def, MemoryLimit: limit})
	if err != nil {
		t.Fatal(err)
	}
	if !sure.Safe() {
		return // it stands in the middle of a block
	}
	tl.finals += len(got)
	agree := func(with string, all []verdict.FinalState) {
		t.Helper()
		if len(all)+len(got) > 0 && !reflect.DeepEqual(got, all) {
			t.Fatalf("%s: final states\n%v, by %s\n%v\n%s", of, got, with, all, reference.Dump(p))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	var want []string
	finals, err := graphs.FinalStates(ctx, p, def, graphs.Options{BackEdges: 3, MemoryLimit: limit}, func(g *memory.Graph, _ verdict.FinalState) bool {
		want = append(want, key(g.Sorted()))
		return true
	})
	if err == nil {
		tl.enumerated++
		slices.Sort(keys)
		slices.Sort(want)
		if !slices.Equal(keys, want) {
			t.Fatalf("%s: %d graphs, not %d\n%s\ngot\n%s\nwant\n%s", of, len(keys), len(want), reference.Dump(p), strings.Join(keys, "\n"), strings.Join(want, "\n"))
		}
		agree("enumeration", finals)
	}
	if def.Model.Operational() {
		all, res, err := explore.FinalStates(t.Context(), p, explore.Options{Model: def.Model, MaxStates: 20_000, MemoryLimit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if res.Safe() {
			tl.explicit++
			agree("explicit search", all)
		}
	}
	m := def.Model
	if m == "relaxed.cat" {
		m = memory.Model(o.relaxed)
	}
	all, res, err := bmc.FinalStates(ctx, p, bmc.Options{Model: m, MemoryLimit: limit})
	if err != nil {
		t.Fatalf("%s: %v", of, err)
	}
	if res.Safe() {
		tl.sat++
		agree("SAT", all)
	}
}
