package memory

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// classTexts are what holds events together, a relation between them, and axioms about an order S of the classes that
// extends it.
var classTexts = []struct{ held, extends, axioms string }{
	{"id & (M * M)", "po", "irreflexive S; (rf | co | fr)^-1"},
	{"[M]; (rf | id); [M]", "po-loc", "irreflexive S; (co | fr)^-1"},
	{"rf", "co", "irreflexive S; po"},
	{"po-loc & (W * W) | [W]", "rf", "irreflexive S; co^-1 \n empty S & (R * R)"},
	{"int & (R * R) & loc", "po & (W * W)", "~empty S & ext \n irreflexive S; rf^-1; rf"},
	{"[W]; po; [W]", "co; rf; rf^-1", "irreflexive S; co^-1"},
	{"po & (M * M)", "rfe", "irreflexive S; (co | fr)^-1"},
}

// TestClasses: a graph satisfies a model with an order of classes if, and only if, it does with one of all the permutations of
// what a relation connects.
func TestClasses(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for _, k := range classTexts {
		of := "let c = classes(" + k.held + ")\nlet l = lift(c, " + k.extends + ")\n"
		define := func(text string) *Definition {
			d, err := DefineFor("m.cat", program.AArch64, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		d := define(of + "with o from linearisations(c, l)\nlet S = delift(o)\n" + k.axioms)
		plain := define("let S = casdep\n" + k.axioms)
		values := define("let held = " + k.held + "\nlet base = " + k.extends + "\nempty 0")
		tests := map[string]*Definition{"empty": define(of + "empty l"), "acyclic": define(of + "acyclic l"), "irreflexive": define(of + "irreflexive l")}
		outcomes := map[bool]int{}
		for range 400 {
			g := taggedGraph(rng, program.AArch64, 2+rng.IntN(6))
			n := len(g.Events)
			g.CasDep = NewRelation(n)
			held, _ := values.Relation(g, "held")
			base, _ := values.Relation(g, "base")
			classes := connected(held)
			if len(classes) > 6 {
				continue
			}
			want := false
			m := make([][]bool, len(classes)) // between classes
			for i := range m {
				m[i] = make([]bool, len(classes))
				for j := range m {
					m[i][j] = slices.ContainsFunc(classes[i], func(e int) bool {
						return slices.ContainsFunc(classes[j], func(f int) bool { return base.Has(e, f) })
					})
				}
			}
			for _, order := range orderings(len(classes)) {
				place := make([]int, len(classes))
				for i, c := range order {
					place[c] = i
				}
				fits := true
				r := NewRelation(n)
				for i := range m {
					for j := range m {
						fits = fits && (!m[i][j] || place[i] < place[j])
						if place[i] < place[j] {
							for _, e := range classes[i] {
								for _, f := range classes[j] {
									r.Add(e, f)
								}
							}
						}
					}
				}
				if g.CasDep = r; fits && plain.Consistent(g) {
					want = true
				}
			}
			g.CasDep = NewRelation(n)
			if got := d.Consistent(g); got != want {
				t.Fatalf("%s: consistent is %v, want %v\n%s", k.held, got, want, g)
			}
			outcomes[want]++
			lifted := NewRelation(len(classes))
			for i := range m {
				for j := range m {
					if m[i][j] {
						lifted.Add(i, j)
					}
				}
			}
			for test, want := range map[string]bool{"empty": lifted.Empty(), "acyclic": lifted.Acyclic(), "irreflexive": lifted.Irreflexive()} {
				if got := tests[test].Consistent(g); got != want {
					t.Fatalf("%s: %s is %v, want %v\n%s", k.held, test, got, want, g)
				}
			}
		}
		if outcomes[true] == 0 || outcomes[false] == 0 {
			t.Errorf("%s: outcomes are %v", k.held, outcomes)
		}
	}
}

// connected lists the events that are related to any, with those that they are connected with.
func connected(r Relation) (classes [][]int) {
	of := make([]int, r.n)
	for e := range of {
		of[e] = e
	}
	there := make([]bool, r.n)
	for range r.n {
		for _, p := range r.Pairs() {
			there[p[0]], there[p[1]] = true, true
			low := min(of[p[0]], of[p[1]])
			of[p[0]], of[p[1]] = low, low
		}
	}
	for e := range of {
		var class []int
		for f := range of {
			if there[f] && of[f] == e {
				class = append(class, f)
			}
		}
		if len(class) > 0 {
			classes = append(classes, class)
		}
	}
	return classes
}

// orderings lists the permutations of the numbers below n.
func orderings(n int) (all [][]int) {
	if n == 0 {
		return [][]int{{}}
	}
	for _, o := range orderings(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(o), i, n-1))
		}
	}
	return all
}
