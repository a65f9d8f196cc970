package encode

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Models as their users might write them.
const (
	coherence = "acyclic po-loc | rf | co | fr\n"
	atomicity = "empty rmw & (fre; coe)\n"
	// ghb is TSO's order, in the manner of herd's models.
	ghb = `let implied = po & W*R & (M*X | X*M)
		let ghb = po; [MFENCE]; po | implied | po & (W*W | R*M) | rfe | fr | co
		acyclic ghb
		`
	// ob is the same in the manner of Arm's.
	ob = `let fr = (rf^-1; co) \ id
		let coi = co & int
		let fri = fr & int
		let obs = rfe | fr \ fri | co \ coi
		let rec lob = po \ ([W]; po; [R]) | [W]; po; [MFENCE]; po; [R] | [W]; po; [R & X] | [W & X]; po; [R] | lob; lob
		let rec ob = obs; si | lob | ob; ob
		irreflexive ob
		`
	together = "let together(r) = block?; (r \\ block); block?\n"
)

var (
	plain   = Class{}
	fences  = Class{Fences: program.NewTags(program.TagMFence)}
	kinds   = Class{Fences: program.NewTags(program.TagMFence, program.TagSFence, program.TagLFence)}
	swaps   = Class{Fences: fences.Fences, Locked: true}
	swapsSL = Class{Fences: kinds.Fences, Locked: true}
	blocks  = Class{Fences: fences.Fences, Locked: true, Blocks: true}
)

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		name, text string
		is         map[memory.Model][]Class
		isNot      []Class
	}{
		{"ghb", coherence + atomicity + ghb, map[memory.Model][]Class{memory.TSO: {plain, fences, kinds, swaps, swapsSL}}, []Class{blocks}},
		{"ghb with blocks", coherence + atomicity + together + strings.Replace(ghb, "acyclic ghb", "acyclic together(ghb)", 1),
			map[memory.Model][]Class{memory.TSO: {swaps, swapsSL, blocks}}, nil},
		{"ob", coherence + atomicity + ob, map[memory.Model][]Class{memory.TSO: {plain, fences, swaps}}, []Class{kinds, swapsSL, blocks}},
		{"all in one", atomicity + "acyclic po | rf | co | fr", map[memory.Model][]Class{memory.SC: {plain, fences, kinds, swaps, swapsSL}}, []Class{blocks}},
		{"a closure", atomicity + "irreflexive (po | (rf | co | fr)+)+", map[memory.Model][]Class{memory.SC: {plain, kinds, swapsSL}}, nil},
		{"a closure beside", atomicity + coherence + "let com = (rf | co | rf^-1; co)+\nacyclic [M]; po | po; [M] | com", map[memory.Model][]Class{memory.SC: {plain, kinds, swapsSL}}, nil},
		{"writes and reads in order", coherence + atomicity + ghb + "acyclic po & W*R | ghb", map[memory.Model][]Class{memory.SC: {plain, fences, swaps}}, nil},
		{"pso", coherence + atomicity + `let ppo = [R]; po; [M] | [W]; po-loc; [W]
			let fence = po; [MFENCE]; po | [W]; po; [SFENCE]; po; [W] | po; [X] | [X]; po
			acyclic ppo | fence | rfe | fre | coe | (fr | co) & int`,
			map[memory.Model][]Class{memory.PSO: {plain, fences, kinds, swaps, swapsSL}}, []Class{blocks}},
		{"no atomicity", coherence + ghb, map[memory.Model][]Class{memory.TSO: {plain, kinds}}, []Class{swaps}},
		{"no coherence", atomicity + ghb, nil, []Class{plain, swaps}},
		{"coherence of writes", atomicity + ghb + "acyclic po-loc | co", nil, []Class{plain, swaps}},
		{"reads from its own", coherence + atomicity + ghb + "acyclic ghb | rf", nil, []Class{plain, swaps}},
		{"no fence", coherence + atomicity + strings.Replace(ghb, "po; [MFENCE]; po |", "", 1), map[memory.Model][]Class{memory.TSO: {plain}}, []Class{fences, swaps}},
		{"any fence", coherence + atomicity + strings.Replace(ghb, "[MFENCE]", "[F]", 1), map[memory.Model][]Class{memory.TSO: {plain, fences, swaps}}, []Class{kinds}},
		{"before a swap", coherence + atomicity + strings.Replace(ghb, "M*X | X*M", "X*M", 1), map[memory.Model][]Class{memory.TSO: {plain, kinds}}, []Class{swaps}},
		{"behind a swap", coherence + atomicity + strings.Replace(ghb, "M*X | X*M", "M*X", 1), map[memory.Model][]Class{memory.TSO: {plain, kinds}}, []Class{swaps}},
		{"fre", coherence + atomicity + strings.Replace(ghb, "| fr ", "| fre ", 1), map[memory.Model][]Class{memory.TSO: {plain, kinds, swaps}}, nil},
		{"no fr", coherence + atomicity + strings.Replace(ghb, "| fr ", "", 1), nil, []Class{plain, kinds, swaps}},
		{"no co", coherence + atomicity + strings.Replace(ghb, "| co", "", 1), nil, []Class{plain, swaps}},
		{"writes in any order", coherence + atomicity + strings.Replace(ghb, "W*W | ", "", 1), map[memory.Model][]Class{memory.PSO: {plain, fences}}, []Class{kinds, swaps}},
		{"something else, too", coherence + atomicity + ghb + "empty rfi", nil, []Class{plain, swaps}},
		{"not monotone", coherence + atomicity + ghb + "~empty rf", nil, []Class{plain, swaps}},
		{"a flag", coherence + atomicity + ghb + "flag ~empty rfi as race", map[memory.Model][]Class{memory.TSO: {plain, swaps}}, nil},
		{"everything", "acyclic 0", nil, []Class{plain, swaps}},
		{"nothing", "empty _", nil, []Class{plain, swaps}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := memory.Define("my.cat", c.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			ask := func(class Class, want memory.Model) {
				if got := equal(context.Background(), d, class); got != want {
					t.Errorf("of programs %+v it is %q, not %q", class, got, want)
				}
			}
			tso, err := memory.Load(memory.TSO)
			if err != nil {
				t.Fatal(err)
			}
			for _, class := range c.isNot {
				ask(class, "")
				if same(&patience{context.Background(), maxLooks}, d.Cat, tso.Cat, class) { // whatever small executions say
					t.Errorf("of programs %+v it is proved to be tso", class)
				}
			}
			for m, classes := range c.is {
				for _, class := range classes {
					ask(class, m)
				}
			}
		})
	}
}

// bases is a model that admits every execution, with a name for every predefined set and relation.
func bases(t *testing.T) (d *memory.Definition, sets, rels []string) {
	sets = append(slices.DeleteFunc(cat.Sets(), func(s string) bool { return s == "_" }), "X", "MFENCE", "SFENCE", "LFENCE")
	rels = slices.DeleteFunc(cat.Relations(), func(r string) bool { return strings.HasPrefix(r, "pick") || r == "rcu-rscs" })
	text := "acyclic 0\nempty block & 0\n"
	for _, n := range append(slices.Clone(sets), rels...) {
		if slices.Contains(sets, n) {
			text += fmt.Sprintf("let its-%s = [%s]\n", n, n)
			continue
		}
		text += fmt.Sprintf("let its-%s = %s\n", n, n)
	}
	d, err := memory.Define("any.cat", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d, sets, rels
}

// TestGeneric: what is said of a part of any execution is so of parts of executions of random programs.
func TestGeneric(t *testing.T) {
	d, sets, rels := bases(t)
	opt := randprog.Options{Lock: -1, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 1, Max: 4}, RMW: 4, Atomic: 2, Fence: 3, AddrDep: 30}
	parts, classes := 0, map[Class]int{}
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 23))
		p := mixFences(randprog.New(rng, opt), rng)
		p.Properties = nil
		class, ok := classOf(p)
		if !ok {
			t.Fatalf("seed %d: no class", seed)
		}
		classes[class]++
		seen := 0
		err := graphs.Enumerate(context.Background(), p, d, graphs.Options{}, func(g *memory.Graph, _ verdict.FinalState) bool {
			if rng.IntN(4) > 0 {
				return true
			}
			chosen := rng.Perm(len(g.Events))
			chosen = chosen[:min(len(chosen), 1+rng.IntN(5))]
			parts++
			if !isPart(t, d, g, class, chosen, sets, rels) {
				t.Errorf("seed %d: what is said of every execution is not so of %v\n%s", seed, chosen, text(p))
			}
			seen++
			return seen < 6 && !t.Failed()
		})
		if err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	if t.Log(parts, classes); parts < 200 {
		t.Errorf("only %d parts", parts)
	}
}

// isPart is whether events of a graph are a part of an execution, with the sources of those that are reads.
func isPart(t *testing.T, d *memory.Definition, g *memory.Graph, class Class, chosen []int, sets, rels []string) bool {
	s, err := solver.New("")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	base := len(chosen)
	gen := newGeneric(s, class, base, true)
	at := slices.Clone(chosen) // by point; -1: nothing
	for i, e := range chosen {
		at = append(at, -1)
		if w := g.Source(e); g.Events[e].Kind == memory.Read && !slices.Contains(at, w) {
			at[base+i] = w
		}
	}
	var lits []solver.Lit
	say := func(l solver.Lit, is bool) {
		if !is {
			l = -l
		}
		lits = append(lits, l)
	}
	for i, e := range at {
		say(gen.points[i].guard, e >= 0)
	}
	value := func(name string) func(i, j int) bool {
		r, ok := d.Relation(g, "its-"+name)
		if !ok {
			t.Fatal(name)
		}
		return func(i, j int) bool { return at[i] >= 0 && at[j] >= 0 && r.Has(at[i], at[j]) }
	}
	for _, n := range sets {
		is := value(n)
		for i, l := range gen.Set(n) {
			say(l, is(i, i))
		}
	}
	for _, n := range rels {
		is := value(n)
		for k, l := range gen.Relation(n) {
			say(l, is(k/len(at), k%len(at)))
		}
	}
	st, err := s.Solve(context.Background(), lits...)
	if err != nil {
		t.Fatal(err)
	}
	return st == solver.Sat
}

// BenchmarkEqual measures how long it takes to find out what a model is equal to, that it is read included.
func BenchmarkEqual(b *testing.B) {
	for name, class := range map[string]Class{"fences": fences, "swaps": swaps} {
		for model, text := range map[string]string{"tso": coherence + atomicity + ghb, "sc": coherence + atomicity + "acyclic po | rf | co | fr", "other": coherence + atomicity + "acyclic rfe | po"} {
			b.Run(name+"/"+model, func(b *testing.B) {
				for range b.N {
					d, err := memory.Define("my.cat", text, nil)
					if err != nil {
						b.Fatal(err)
					}
					equal(context.Background(), d, class)
				}
			})
		}
	}
}
