package trust

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// again makes the first n threads of p the same.
func again(p *program.Program, n int) {
	for t := 1; t < n; t++ {
		c := *p.Threads[0]
		c.Name = fmt.Sprint(c.Name, t)
		c.Regs, c.States, c.Edges = slices.Clone(c.Regs), slices.Clone(c.States), slices.Clone(c.Edges)
		for i := range c.Edges {
			c.Edges[i].Cmd.Body = slices.Clone(c.Edges[i].Cmd.Body)
		}
		p.Threads[t] = &c
	}
}

// permuted is key of a graph in which threads have changed places, first those that are the same.
func permuted(g *memory.Graph, to []int) string {
	var words []string
	var word []byte
	for i := range g.Events {
		e := &g.Events[i]
		if e.Initial() || strings.HasSuffix(e.Loc, "has ended") { // of the latter each thread has its own
			continue
		}
		value := e.Value
		if strings.HasSuffix(e.Loc, "__owner") && value > 0 { // a thread, from 1
			value = int64(to[value-1] + 1)
		}
		word = append(word[:0], byte(to[e.Thread]), byte(e.Index), byte(e.Kind))
		word = binary.AppendVarint(binary.AppendVarint(word, e.Addr), value)
		if e.Kind == memory.Read {
			if w := &g.Events[g.Source(i)]; w.Initial() {
				word = append(word, 0xff)
			} else {
				word = append(word, byte(to[w.Thread]), byte(w.Index))
			}
		}
		if e.Kind == memory.Write {
			n := byte(0)
			g.CO.After(i, func(int) { n++ })
			word = append(word, n)
		}
		words = append(words, string(word)+e.Tags.String())
	}
	slices.Sort(words)
	return strings.Join(words, ";")
}

// orbit is the same for graphs that come from each other by exchanges of the threads from first, up to n.
func orbit(g *memory.Graph, first, n, threads int) string {
	to := make([]int, threads)
	for t := range to {
		to[t] = t
	}
	least := ""
	var each func(k int)
	each = func(k int) {
		if k == n {
			if s := permuted(g, to); least == "" || s < least {
				least = s
			}
			return
		}
		for i := k; i < n; i++ {
			to[k], to[i] = to[i], to[k]
			each(k + 1)
			to[k], to[i] = to[i], to[k]
		}
	}
	each(first)
	return least
}

// compareAlike compares the graphs of p, whose threads from first up to n are the same, with those of all orders of them:
// from every graph that there is one that is explored comes by an exchange of threads, no more are explored,
// and verdicts are the same. whole is nil where nothing was compared.
func compareAlike(t *testing.T, p *program.Program, first, n int, opts Options) (part, whole *verdict.Result) {
	t.Helper()
	explore := func(o Options) (orbits map[string]bool, r *verdict.Result) {
		orbits = map[string]bool{}
		o.MaxGraphs, o.MaxSteps = 3000, 1000
		o.Graph = func(g *memory.Graph) { orbits[orbit(g, first, n, len(p.Threads))] = true }
		r, err := Explore(t.Context(), p, o)
		if err != nil {
			t.Fatalf("%s: %v\n%s", opts.Model, err, reference.Dump(p))
		}
		return orbits, r
	}
	opts.mutexesAsCells = true // as they are where like threads begin in order, so that blocked graphs are the same ones
	want, whole := explore(opts)
	opts.Alike = true
	got, part := explore(opts)
	if !whole.Conclusive() {
		return part, nil
	}
	if part.Verdict() != whole.Verdict() {
		t.Fatalf("%s: %s (%s), not %s\n%s", opts.Model, part.Verdict(), part.Reason(), whole.Verdict(), reference.Dump(p))
	}
	if !whole.Safe() {
		return part, whole
	}
	for o := range want {
		if !got[o] {
			t.Fatalf("%s: %d of %d, not found: %s\n%s", opts.Model, len(got), len(want), o, reference.Dump(p))
		}
	}
	for _, stat := range []string{"executions", "blocked"} {
		if few, all := part.Stat(stat), whole.Stat(stat); few > all || len(got) > len(want) {
			t.Fatalf("%s: %d %s, without exchanges %d\n%s", opts.Model, few, stat, all, reference.Dump(p))
		}
	}
	return part, whole
}

// TestAlike has random programs in which several threads are the same.
func TestAlike(t *testing.T) {
	for _, shape := range shapes[:6] {
		t.Run(shape.name, func(t *testing.T) {
			compared, used, all, some := 0, 0, int64(0), int64(0)
			verdicts := map[verdict.Verdict]int{}
			for seed := range programs(shape.programs/3 + 1) {
				opts := shape.opts
				opts.Threads = randprog.Range{Min: 2, Max: 4}
				opts.Commands.Max = min(opts.Commands.Max, 3)
				opts.Assert, opts.Deadlock = 1, 2
				p := randomAsked(seed, opts)
				p.Filter = nil
				n := 2 + rand.New(rand.NewPCG(seed, 9)).IntN(len(p.Threads)-1)
				again(p, n)
				if program.Sanity(p) != nil {
					continue
				}
				for model, def := range modelsOf(t, p) {
					if model == "relaxed" {
						continue
					}
					part, whole := compareAlike(t, p, 0, n, Options{Model: def.Model, WritesFirst: seed%2 == 0, Hopeless: seed%3 == 0})
					if whole == nil {
						continue
					}
					verdicts[whole.Verdict()]++
					compared++
					all += whole.Stat("executions")
					some += part.Stat("executions")
					if !strings.Contains(strings.Join(part.Notes, " "), "no use") {
						used++
					}
				}
			}
			t.Logf("%d comparisons, %d with like threads, %d executions, %d up to an exchange; %v", compared, used, all, some, verdicts)
		})
	}
}

// TestAlikeCounts has programs with as many executions as can be told without the numbers of like threads.
func TestAlikeCounts(t *testing.T) {
	for _, test := range []struct {
		text  string
		alike int
		want  string // executions under SC and RC11
	}{
		{times(4, "Ux"), 4, "1 1"},
		{times(3, "Ux Uy"), 3, "6 6"}, // in either order at y
		{times(4, "Wx1"), 4, "1 1"},
		{"Wx9|" + times(3, "Ux"), 0, "4 24"}, // after none of them, one, ...; RC11 has another store to x
		{times(3, "Rx") + "|Wx1", 3, "4 8"},
		// What the first reads comes of what the second does, which has passed over it. Only
		// under RC11 can that be, and there it is not for us.
		{"Rx Wy1|Rx Wy1|Ry Wx2|Wx3", 2, ""},
		{"Ux Wy1|Ux Wy1|Ry Wx7|Wx3", 2, ""},
	} {
		for i, m := range []memory.Model{memory.SC, memory.RC11} {
			p := parse(t, test.text, program.C11)
			if test.alike > 0 {
				compareAlike(t, p, 0, test.alike, Options{Model: m})
			}
			r, err := Explore(t.Context(), p, Options{Model: m, Alike: true})
			if err != nil {
				t.Fatal(err)
			}
			if test.want != "" {
				if got := fmt.Sprint(r.Stat("executions")); got != strings.Fields(test.want)[i] {
					t.Errorf("%s, %s: %s, want %s", test.text, m, got, test.want)
				}
			}
		}
		for _, m := range []memory.Model{memory.TSO, memory.PSO, memory.RA} {
			if p := parse(t, test.text, program.X86); test.alike > 0 {
				compareAlike(t, p, 0, test.alike, Options{Model: m})
			}
		}
	}
}

// TestAlikeLater has threads that come after one whose read is changed to read from what they write: then both halves of their read-modify-writes stay.
func TestAlikeLater(t *testing.T) {
	for _, text := range []string{"Wx2 Cx01|Ux|Ux", "Wx3 Rx|Cx01 Ux Ry|Cx01 Ux Ry", "Rx Wx3|Cx12 Ux|Ux|Ux"} {
		n := strings.Count(text, "|") + 1
		for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO, memory.RA} {
			compareAlike(t, parse(t, text, program.X86), n-2, n, Options{Model: m})
		}
	}
}

// TestAlikeC has threads that leave their numbers in mutexes, and are joined.
func TestAlikeC(t *testing.T) {
	const head = `#include <pthread.h>
#include <assert.h>
#include <stdatomic.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; int x, y; atomic_int a;
void *f(void *p) { `
	const tail = ` return 0; }
int main(void) {
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);
	`
	const joins = "for (int i = 0; i < 3; i++) pthread_join(t[i], 0);"
	const mutex = "pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);"
	for _, test := range []struct {
		name, body, main string
		first            int   // of the threads that are alike
		want             int64 // 0: not told here
	}{
		{"mutex", mutex, "", 1, 1},
		{"joined", mutex, joins + " assert(x == 3);", 1, 1},
		{"wrong", mutex, joins + " assert(x != 3);", 1, 0},
		{"in between", mutex, "pthread_join(t[0], 0); atomic_store(&a, 1); pthread_join(t[1], 0); pthread_join(t[2], 0);", 2, 3},
		{"two mutexes", mutex + "pthread_mutex_lock(&n); y++; pthread_mutex_unlock(&n);", joins, 1, 6},
		{"in a cell", "atomic_fetch_add(&a, 1); if (pthread_self() == 2) x = 1;", "", 2, 3},
		{"stuck", "pthread_mutex_lock(&m); if (atomic_fetch_add(&a, 1) == 1) return 0; pthread_mutex_unlock(&m);", joins, 1, 0},
		{"asked", "pthread_mutex_lock(&m);", "", 1, 0},
		{"twice", "atomic_fetch_add_explicit(&a, 1, memory_order_relaxed); atomic_fetch_add(&a, 1);", "", 1, 15},
	} {
		for _, m := range []memory.Model{memory.SC, memory.RC11} {
			p, err := c.Parse(&program.Source{Name: test.name + ".c", Text: head + test.body + tail + test.main + " return 0; }"}, c.Options{Mapping: c.Orders})
			if err != nil {
				t.Fatal(err)
			}
			if test.name == "asked" { // by which of them the mutex is held in the end
				p.Properties = append(p.Properties, program.Property{Kind: program.Forall, Cond: program.Binary{Op: program.Ne, X: program.Mem{Addr: p.Memory[cellNamed(p, "m.__owner")].Addr}, Y: program.Const(4)}})
			}
			part, whole := compareAlike(t, p, test.first, 4, Options{Model: m})
			if whole == nil {
				t.Fatalf("%s, %s: not explored", test.name, m)
			}
			if n := part.Stat("executions"); test.want > 0 && n != test.want || strings.Contains(strings.Join(part.Notes, " "), "no use") != (test.name == "asked") {
				t.Errorf("%s, %s: %d executions, of %d: %v", test.name, m, n, whole.Stat("executions"), part.Notes)
			}
		}
	}
}

// cellNamed is the index of a cell of p.
func cellNamed(p *program.Program, name string) int {
	return slices.IndexFunc(p.Memory, func(c program.Cell) bool { return c.Name == name })
}
