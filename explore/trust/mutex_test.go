package trust

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var (
	mutexPrograms = flag.Int("mutexes", 15, "how many random programs with mutexes TestMutexes looks at")
	mutexFirst    = flag.Uint64("mutexes.first", 0, "the seed of the first of them")
	mutexMost     = flag.Int("mutexes.most", 500, "how many graphs brute force may build of one of them under a model")
)

// withMutexes makes random programs with mutexes as C has them: taken by a read-modify-write that waits, given back in one of several
// ways, nested, in no certain order, not given back at all, tried, waited for with other things waited for beside.
type withMutexes struct {
	*rand.Rand
	c11, asserts   bool
	cells, mutexes int
	tb             *progtest.Thread
	id             program.Const
	budget         int
	held           []bool
}

func (g *withMutexes) tags(orders ...string) program.Tags {
	if o := orders[g.IntN(len(orders))]; g.c11 && o != "" {
		return program.NewTags(o)
	}
	return program.NewTags()
}

func (g *withMutexes) loads() program.Tags  { return g.tags("", "RLX", "RLX", "ACQ", "SC") }
func (g *withMutexes) stores() program.Tags { return g.tags("", "RLX", "RLX", "REL", "SC") }

func (g *withMutexes) cell() program.Expr       { return program.Const(g.IntN(g.cells)) }
func (g *withMutexes) reg() program.Reg         { return g.tb.Reg(string("rs"[g.IntN(2)])) }
func (g *withMutexes) mutex(k int) program.Expr { return program.Const(g.cells + k) }

func eq(r program.Reg, k program.Const) program.Expr {
	return program.Binary{Op: program.Eq, X: r, Y: k}
}

func (g *withMutexes) take(k int, more ...program.Command) program.Command {
	t := g.tb.Reg("t")
	return program.Command{Op: program.Atomic, Body: append([]program.Command{
		{Op: program.Load, Reg: int(t), Addr: g.mutex(k), Tags: g.tags("ACQ", "ACQ", "ACQ", "RLX", "SC")},
		{Op: program.Check, Value: eq(t, 0)},
		{Op: program.Store, Addr: g.mutex(k), Value: g.id, Tags: g.tags("RLX", "ACQ")}}, more...)}
}

func (g *withMutexes) give(k int) {
	t := g.tb.Reg("t")
	store := program.Command{Op: program.Store, Addr: g.mutex(k), Value: program.Const(0), Tags: g.tags("REL", "REL", "REL", "RLX")}
	switch g.IntN(5) {
	case 0:
		g.tb.Emit(store)
	case 1:
		g.tb.Atomic(store)
	default:
		g.tb.Atomic(program.Command{Op: program.Load, Reg: int(t), Addr: g.mutex(k), Tags: g.tags("RLX")},
			program.Command{Op: program.Assert, Value: eq(t, g.id)}, store)
	}
}

func (g *withMutexes) items(n int) {
	for ; n > 0 && g.budget > 0; n-- {
		g.budget--
		if g.asserts && g.IntN(8) == 0 {
			g.tb.Assert(program.Binary{Op: program.Ne, X: g.reg(), Y: program.Const(1 + g.IntN(2))})
		}
		switch k := g.IntN(100); {
		case k < 38:
			g.section()
		case k < 53:
			g.tb.Emit(program.Command{Op: program.Load, Reg: int(g.reg()), Addr: g.cell(), Tags: g.loads()})
		case k < 75:
			v := program.Expr(program.Const(1 + g.IntN(2)))
			if g.IntN(4) == 0 {
				v = g.reg()
			}
			g.tb.Emit(program.Command{Op: program.Store, Addr: g.cell(), Value: v, Tags: g.stores()})
		case k < 82:
			r, c := g.reg(), g.cell()
			g.tb.Atomic(program.Command{Op: program.Load, Reg: int(r), Addr: c, Tags: g.tags("RLX", "ACQ")},
				program.Command{Op: program.Store, Addr: c, Value: program.Binary{Op: program.BitAnd, X: program.Binary{Op: program.Add, X: r, Y: program.Const(1)}, Y: program.Const(3)}, Tags: g.tags("RLX", "REL")})
		case k < 87: // it waits
			r := g.reg()
			g.tb.Atomic(program.Command{Op: program.Load, Reg: int(r), Addr: g.cell(), Tags: g.loads()},
				program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: r, Y: program.Const(g.IntN(2))}})
		case k < 88:
			g.tb.Havoc("s", 0, 1)
		case k < 90:
			g.tb.Emit(program.Command{Op: program.Fence, Tags: g.tags("ACQ", "REL", "ACQ_REL", "SC", "SC")})
		case k < 98:
			g.branch()
		default:
			g.try()
		}
	}
}

// branch does something, or does not.
func (g *withMutexes) branch() {
	r, k := g.reg(), program.Const(g.IntN(2))
	from, in, out := g.tb.Cur, g.tb.State(), g.tb.State()
	g.tb.Edge(from, in, program.Command{Op: program.Check, Value: eq(r, k)})
	g.tb.Edge(from, out, program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: r, Y: k}})
	g.tb.Cur = in
	g.items(1)
	g.tb.Edge(g.tb.Cur, out, program.Skip())
	g.tb.Cur = out
}

func (g *withMutexes) section() {
	k := g.IntN(g.mutexes)
	if g.held[k] && g.IntN(20) > 0 {
		return
	}
	was := g.held[k]
	g.tb.Emit(g.take(k))
	g.held[k] = true
	g.items(1 + g.IntN(2))
	if j := g.IntN(g.mutexes); !g.held[j] && g.IntN(3) == 0 { // hand over hand
		g.tb.Emit(g.take(j))
		g.give(k)
		g.held[k], g.held[j] = was, true
		g.items(g.IntN(2))
		g.give(j)
		g.held[j] = false
		return
	}
	if g.IntN(25) > 0 {
		g.give(k)
		g.held[k] = was
	}
}

func (g *withMutexes) try() {
	k := g.IntN(g.mutexes)
	if g.held[k] {
		return
	}
	t := g.tb.Reg("t")
	from, in, out := g.tb.Cur, g.tb.State(), g.tb.State()
	g.tb.Edge(from, in, g.take(k))
	g.tb.Edge(from, out, program.Command{Op: program.Atomic, Body: []program.Command{
		{Op: program.Load, Reg: int(t), Addr: g.mutex(k), Tags: g.tags("RLX")}, {Op: program.Check, Value: program.Binary{Op: program.Ne, X: t, Y: program.Const(0)}}}})
	g.tb.Cur = in
	g.held[k] = true
	g.items(1)
	g.give(k)
	g.held[k] = false
	g.tb.Edge(g.tb.Cur, out, program.Skip())
	g.tb.Cur = out
}

// mutexProgram is one of them; it has assertions, if they are asked for.
func mutexProgram(t testing.TB, seed uint64, asserts bool) *program.Program {
	rng := rand.New(rand.NewPCG(seed, 77))
	g := &withMutexes{Rand: rng, c11: rng.IntN(2) == 0, asserts: asserts, cells: 1 + rng.IntN(2), mutexes: 1 + rng.IntN(3)}
	if rng.IntN(2) == 0 {
		g.mutexes = 1
	}
	b := progtest.New(g.cells + g.mutexes)
	if g.c11 {
		b.Program.Arch = program.C11
	}
	n := 2 + rng.IntN(3)
	for i := range n {
		g.tb, g.id, g.held = b.Thread(), program.Const(i+1), make([]bool, g.mutexes)
		g.tb.Thread.Regs = []program.Register{{Name: "r", Type: program.Int32Type}, {Name: "s", Type: program.Int32Type}, {Name: "t", Type: program.Int32Type, Temp: true}}
		g.budget = 2 + rng.IntN(1+8/n)
		g.items(3)
	}
	return b.Build(t)
}

// bare is the name of a graph without the reads by which threads stand before mutexes, of which one may be given back: then
// ok is false. x knows of mutexes, and y has explored the graph without.
func bare(x, y *explorer) (n string, ok bool) {
	g := y.g.clone()
	for t, es := range g.threads {
		if len(es) == 0 {
			continue
		}
		last := &g.events[es[len(es)-1]]
		before := &y.begin[t]
		if len(es) > 1 {
			before = g.events[es[len(es)-2]].after
		}
		if last.kind != read || !x.locks(int32(t), &before.stop) || last.value == 0 {
			continue
		}
		if g.free(last.cell) {
			return "", false
		}
		g.threads[t] = es[:len(es)-1]
	}
	return name(g), true
}

// TestMutexes holds random programs with mutexes against all oracles, and against the exploration to which a mutex is a cell.
func TestMutexes(t *testing.T) {
	o := &oracles{relaxed: filepath.Join(t.TempDir(), "relaxed.cat"), tallies: map[string]*tally{}}
	if err := os.WriteFile(o.relaxed, []byte(relaxedOnly), 0o600); err != nil {
		t.Fatal(err)
	}
	was := *manyMost
	*manyMost = *mutexMost
	defer func() { *manyMost = was }()
	held, large, without, graphs := 0, 0, 0, 0
	visits := [2]int64{}
	seed, most := *mutexFirst, *mutexPrograms
	if testing.Short() {
		most = min(most, 15)
	}
	for ; held < most; seed++ {
		p := mutexProgram(t, seed, false)
		if x := newTestExplorer(t, p, Options{Model: memory.SC}); x.mutex == nil || !slices.Contains(x.mutex, true) {
			if without++; without > held/2+10 {
				continue
			}
		}
		for name, def := range modelsOf(t, p) {
			graphs += asCells(t, fmt.Sprintf("seed %d, %s", seed, name), p, def, &visits)
		}
		if o.hold(t, seed, p) {
			held++
		} else {
			large++
		}
	}
	t.Logf("%d programs and %d too large for brute force, %d without mutexes, up to seed %d, %d graphs, %d visits and not %d: %s", held, large, without, seed, graphs, visits[0], visits[1], o)
}

// asCells compares the graphs with those in which a mutex is a cell, and is how many there are.
func asCells(t *testing.T, of string, p *program.Program, def *memory.Definition, visits *[2]int64) int {
	t.Helper()
	opts := Options{Model: def.Model, Definition: def, Hopeless: true, MemoryLimit: 1 << 28, MaxGraphs: 1500}
	x := newTestExplorer(t, p, opts)
	got := map[string]int{}
	x.leafed = func() { got[name(x.g)]++ }
	x.visit()
	opts.mutexesAsCells = true
	y := newTestExplorer(t, p, opts)
	want := map[string]bool{}
	y.leafed = func() {
		if n, ok := bare(x, y); ok {
			want[n] = true
		}
	}
	y.visit()
	if y.stopped != "" {
		return 0
	}
	if x.stopped != "" || x.inextensible != "" || x.executions != y.executions || x.blocked > y.blocked {
		t.Errorf("%s: %d executions, %d blocked, not %d, %d; %s %s", of, x.executions, x.blocked, y.executions, y.blocked, x.stopped, x.inextensible)
	}
	opts.mutexesAsCells, opts.Hopeless = false, false
	z := newTestExplorer(t, p, opts)
	if z.visit(); z.executions != x.executions {
		t.Errorf("%s: %d executions, not %d", of, z.executions, x.executions)
	}
	visits[0], visits[1] = visits[0]+x.visits, visits[1]+y.visits
	for n, times := range got {
		if !want[n] || times != 1 {
			t.Errorf("%s: found %d times: %s (one: %v)", of, times, n, want[n])
		}
	}
	for n := range want {
		if got[n] == 0 {
			t.Errorf("%s: not found: %s", of, n)
		}
	}
	if t.Failed() {
		t.Fatal(reference.Dump(p))
	}
	return len(got)
}

// TestMutexVerdicts compares the answers to all questions with those where a mutex is a cell, and with those of explicit search.
func TestMutexVerdicts(t *testing.T) {
	seen := map[string]int{}
	for seed := range programs(30) {
		p := mutexProgram(t, 1<<32+seed, seed%2 == 0)
		p.Properties = append(p.Properties, program.Property{Kind: program.Deadlock})
		bare := *p
		bare.Properties = nil
		for m, def := range modelsOf(t, p) {
			if m == "relaxed" {
				continue
			}
			for _, q := range []struct {
				name string
				ask  func(context.Context, *program.Program, Options) (*verdict.Result, error)
				of   *program.Program
			}{{"safety", Explore, &bare}, {"deadlock", Explore, p}, {"hangs", Hangs, &bare}, {"races", Races, &bare}, {"lb races", LBRaces, &bare}} {
				if strings.HasSuffix(q.name, "races") && (def.Model != memory.RC11 && (def.Model != memory.RA || q.name != "races") || p.Arch != program.C11) {
					continue
				}
				opts := Options{Model: def.Model, MaxGraphs: 1500}
				got, err := q.ask(t.Context(), q.of, opts)
				if err != nil {
					t.Fatalf("seed %d, %s, %s: %v\n%s", seed, m, q.name, err, reference.Dump(p))
				}
				opts.mutexesAsCells = true
				want, err := q.ask(t.Context(), q.of, opts)
				if err != nil {
					t.Fatalf("seed %d, %s, %s: %v\n%s", seed, m, q.name, err, reference.Dump(p))
				}
				seen[q.name+": "+got.Verdict().String()]++
				if got.Verdict() != want.Verdict() && want.Conclusive() {
					t.Fatalf("seed %d, %s, %s: %v, not %v\n%s", seed, m, q.name, got, want, reference.Dump(p))
				}
				if !def.Model.Operational() || q.name != "safety" && q.name != "deadlock" {
					continue
				}
				states, err := explore.Check(t.Context(), q.of, explore.Options{Model: def.Model, MaxStates: 100_000})
				if err != nil {
					t.Fatal(err)
				}
				if got.Verdict() != states.Verdict() && got.Conclusive() && states.Conclusive() {
					t.Fatalf("seed %d, %s, %s: %v, by explicit search %v\n%s", seed, m, q.name, got, states, reference.Dump(p))
				}
			}
			for _, workers := range []int{2, 4} {
				one, err := Explore(t.Context(), &bare, Options{Model: def.Model})
				if err != nil {
					t.Fatal(err)
				}
				several, err := Explore(t.Context(), &bare, Options{Model: def.Model, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if one.Verdict() != several.Verdict() || one.Safe() && !slices.Equal(one.Stats[:4], several.Stats[:4]) {
					t.Fatalf("seed %d, %s, %d workers: %v, not %v\n%s", seed, m, workers, several.Stats, one.Stats, reference.Dump(p))
				}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%s: %d", k, seen[k])
	}
}

// TestMutexesC has programs in C: how many executions they have, and in how many graphs a thread stands before a mutex in the end.
func TestMutexesC(t *testing.T) {
	const head = `#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; int x, y; atomic_int a;
void lock(pthread_mutex_t *l) { pthread_mutex_lock(l); }
void unlock(pthread_mutex_t *l) { pthread_mutex_unlock(l); }
`
	count := func(threads int) string { return strings.Repeat("|lock(&m); x++; unlock(&m);", threads)[1:] }
	for _, test := range []struct {
		name, threads, main string
		executions, blocked int64
		verdict             string // of safety, with deadlocks
	}{
		{"one", count(1), "", 1, 0, "SAFE"},
		{"two", count(2), "", 2, 0, "SAFE"},
		{"three", count(3), "assert(x == 3);", 6, 0, "SAFE"},
		{"five", count(5), "assert(x == 5);", 120, 0, "SAFE"},
		{"wrong", count(3), "assert(x != 3);", -1, -1, "UNSAFE"},
		{"twice", "lock(&m); x++; unlock(&m); lock(&m); x++; unlock(&m);|lock(&m); x++; unlock(&m);", "", 3, 0, "SAFE"},
		{"two mutexes", "lock(&m); x++; unlock(&m); lock(&n); y++; unlock(&n);|lock(&m); x++; unlock(&m); lock(&n); y++; unlock(&n);", "", 4, 0, "SAFE"},
		{"other ways round", "lock(&m); x++; unlock(&m); lock(&n); y++; unlock(&n);|lock(&n); y++; unlock(&n); lock(&m); x++; unlock(&m);", "", 3, 0, "SAFE"},
		{"nested", "lock(&m); lock(&n); unlock(&n); unlock(&m);|lock(&m); lock(&n); unlock(&n); unlock(&m);", "", 2, 0, "SAFE"},
		{"embrace", "lock(&m); lock(&n); unlock(&n); unlock(&m);|lock(&n); lock(&m); unlock(&m); unlock(&n);", "", 2, 1, "UNSAFE"},
		{"kept", "lock(&m);|lock(&m);", "", 0, 2, "UNSAFE"},
		{"itself", "lock(&m); lock(&m); unlock(&m);|lock(&m); unlock(&m);", "", 0, 2, "UNSAFE"},
		{"waits inside", "lock(&m); while (!atomic_load(&a)); unlock(&m);|lock(&m); atomic_store(&a, 1); unlock(&m);", "", 1, 1, "SAFE"}, // it hangs, and is no deadlock
		{"waits for what is outside", "lock(&m); while (!atomic_load(&a)); unlock(&m);|atomic_store(&a, 1); lock(&m); unlock(&m);", "", 2, 1, "SAFE"},
		// These are cells like others: so some thread may have read in vain that they are taken.
		{"tried", "if (!pthread_mutex_trylock(&m)) { x++; unlock(&m); }|lock(&m); x++; unlock(&m);", "", 3, -1, "SAFE"},
		{"not its own", "lock(&m);|unlock(&m);", "", -1, -1, "UNSAFE"},
		{"condition", "lock(&m); while (!x) pthread_cond_wait(&c, &m); unlock(&m);|lock(&m); x = 1; pthread_cond_signal(&c); unlock(&m);", "", -1, -1, ""},
	} {
		var text, create, join strings.Builder
		text.WriteString(head)
		all := strings.Split(test.threads, "|")
		for i, body := range all {
			fmt.Fprintf(&text, "void *t%d(void *p) { %s return 0; }\n", i, body)
			fmt.Fprintf(&create, "\tpthread_create(&t[%d], 0, t%d, 0);\n", i, i)
			fmt.Fprintf(&join, "\tpthread_join(t[%d], 0);\n", i)
		}
		fmt.Fprintf(&text, "int main(void) {\n\tpthread_t t[%d];\n%s%s%s\n\treturn 0;\n}\n", len(all), create.String(), join.String(), test.main)
		p, err := c.Parse(&program.Source{Name: test.name + ".c", Text: text.String()}, c.Options{Mapping: c.Orders})
		if err != nil {
			t.Fatal(err)
		}
		deadlocks := *p
		deadlocks.Properties = append(slices.Clone(p.Properties), program.Property{Kind: program.Deadlock})
		for _, m := range []memory.Model{memory.SC, memory.RA, memory.RC11} {
			ask := func(p *program.Program, opts Options) *verdict.Result {
				opts.Model, opts.MaxRounds = m, 3
				res, err := Explore(t.Context(), p, opts)
				if err != nil {
					t.Fatalf("%s, %s: %v", test.name, m, err)
				}
				return res
			}
			got, want := ask(p, Options{}), ask(p, Options{mutexesAsCells: true})
			if e, b := got.Stat("executions"), got.Stat("blocked"); got.Safe() && (e != want.Stat("executions") || test.executions >= 0 && e != test.executions || test.blocked >= 0 && b != test.blocked) {
				t.Errorf("%s, %s: %d executions, %d blocked, not %d, %d", test.name, m, e, b, want.Stat("executions"), test.blocked)
			}
			if added, whole := ask(p, Options{Commute: true}), ask(p, Options{Commute: true, mutexesAsCells: true}); added.Safe() && added.Stat("executions") != whole.Stat("executions") {
				t.Errorf("%s, %s: with additions in any order %d executions, not %d", test.name, m, added.Stat("executions"), whole.Stat("executions"))
			}
			got, want = ask(&deadlocks, Options{}), ask(&deadlocks, Options{mutexesAsCells: true})
			if v := got.Verdict().String(); v != want.Verdict().String() || test.verdict != "" && v != test.verdict {
				t.Errorf("%s, %s: %s, not %s", test.name, m, v, want.Verdict())
			}
		}
	}
}
