package memory

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
)

// takes is a model with orders, and how to say of given relations that they are such: S is
// casdep, T is pick-ctrl.
type takes struct {
	name, with, axioms string
	given              []givenOrder
}

// givenOrder is of which events, by location or not, and what it extends, also by way of other events; over an earlier S.
type givenOrder struct {
	relation, of, base string
	local              bool
}

var orderTexts = []takes{
	{"total", "with S from linearisations(M, po & M * M)", "irreflexive S; (rf | co | fr)^-1",
		[]givenOrder{{"casdep", "M", "po & M * M", false}}},
	{"cyclic base", "with S from linearisations(W, co | po-loc)", "empty 0",
		[]givenOrder{{"casdep", "W", "co | po-loc", false}}},
	{"by location", "with S from generate_orders(R, 0)", "irreflexive S; po \n irreflexive S; (po | [A | X]; ext)^-1",
		[]givenOrder{{"casdep", "R", "0", true}}},
	{"crossed", "with S from cross(co_locs(rf, classes-loc(M)))", "irreflexive S; po \n irreflexive S; co^-1",
		[]givenOrder{{"casdep", "M", "rf", true}}},
	{"not monotone", "with S from linearisations(W, 0)", "let next = S \\ (S; S) \n empty next & (int | [L]; ext) \n ~empty (S \\ co) | (W * R & po)",
		[]givenOrder{{"casdep", "W", "0", false}}},
	{"two", "with S from linearisations(W, 0) with T from linearisations(R, [R]; po; S; rf; [R])", "irreflexive S; po \n irreflexive T; po \n empty [A | X]; (T & int) \n acyclic S | rf | T",
		[]givenOrder{{"casdep", "W", "0", false}, {"pick-ctrl", "R", "[R]; po; casdep; rf; [R]", false}}},
	{"by way of others", "with S from linearisations(W, po \\ (po; po) | rf)", "irreflexive S; co^-1",
		[]givenOrder{{"casdep", "W", "po \\ (po; po) | rf", false}}},
	{"by way of other locations", "with S from generate_orders(W & _, po | rf)", "empty S & (int | W * W \\ int & loc)",
		[]givenOrder{{"casdep", "W", "po | rf", true}}},
	{"by way of writes", "with S from linearisations(R, fr | rf)", "irreflexive S; po^-1",
		[]givenOrder{{"casdep", "R", "fr | rf", false}}},
	{"in a recursion", "with S from linearisations(W, 0)", "let rec r = S | r; rf; po \n irreflexive r; (po | fr | [L]; ext)",
		[]givenOrder{{"casdep", "W", "0", false}}},
}

// instead is the text with relations of the graph in place of the orders.
func (k *takes) instead() string {
	axioms := k.axioms
	for name, o := range map[string]int{"S": 0, "T": 1} {
		if o < len(k.given) {
			axioms = "let " + name + " = " + k.given[o].relation + "\n" + axioms
		}
	}
	return axioms
}

// TestOrders: a graph satisfies a model with orders if, and only if, it does with one of all the
// permutations there are, and raises a flag if it does with one with which it satisfies the axioms.
func TestOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 9))
	const flag = "\nflag ~empty (S | rf; S) & (ext & R * R | loc & (W * W) \\ co) as odd\n"
	for _, k := range orderTexts {
		t.Run(k.name, func(t *testing.T) {
			d, err := DefineFor("m.cat", program.AArch64, k.with+"\n"+k.axioms+flag, nil)
			if err != nil {
				t.Fatal(err)
			}
			plain, err := DefineFor("m.cat", program.AArch64, k.instead()+flag, nil)
			if err != nil {
				t.Fatal(err)
			}
			var sets, pairs, bases []*Definition
			for _, o := range k.given {
				local := ""
				if o.local {
					local = " & loc"
				}
				for list, text := range map[*[]*Definition]string{&sets: o.of, &pairs: "((" + o.of + ") * (" + o.of + ")" + local + ")", &bases: "(" + o.base + ")^+"} {
					e, err := DefineFor("m.cat", program.AArch64, "let value = "+text+"\nempty 0", nil)
					if err != nil {
						t.Fatal(err)
					}
					*list = append(*list, e)
				}
			}
			outcomes, raised := map[bool]int{}, map[bool]int{}
			for range 150 {
				g := taggedGraph(rng, program.AArch64, 2+rng.IntN(6))
				if slices.ContainsFunc(sets, func(d *Definition) bool { return len(valueOf(g, d)) > 5 }) {
					continue
				}
				g.CasDep, g.PickCtrl = NewRelation(len(g.Events)), NewRelation(len(g.Events))
				want, flagged := false, false
				var all func(n int)
				all = func(n int) {
					if n == len(k.given) {
						if plain.Consistent(g) {
							want = true
							flagged = flagged || len(plain.Flags(g)) > 0
						}
						return
					}
					of, _ := pairs[n].Relation(g, "value")
					base, _ := bases[n].Relation(g, "value")
					for _, order := range permuted(g, sets[n]) {
						r := NewRelation(len(g.Events))
						for i := range order {
							for j := range i {
								if of.Has(order[j], order[i]) {
									r.Add(order[j], order[i])
								}
							}
						}
						fits := true
						for _, p := range base.Pairs() {
							fits = fits && (!of.Has(p[0], p[1]) || r.Has(p[0], p[1]))
						}
						if fits {
							*map[string]*Relation{"casdep": &g.CasDep, "pick-ctrl": &g.PickCtrl}[k.given[n].relation] = r
							all(n + 1)
						}
					}
				}
				all(0)
				g.CasDep, g.PickCtrl = NewRelation(len(g.Events)), NewRelation(len(g.Events))
				if got := d.Consistent(g); got != want {
					t.Fatalf("consistent is %v, want %v\n%s", got, want, g)
				}
				if got, err := d.ConsistentContext(context.Background(), g); got != want || err != nil {
					t.Fatalf("consistent is %v (%v), want %v\n%s", got, err, want, g)
				}
				if got := len(d.Flags(g)) > 0; want && got != flagged {
					t.Fatalf("flagged is %v, want %v\n%s", got, flagged, g)
				}
				if got := len(d.Check(g)) == 0; got != want {
					t.Fatalf("violations: %v, want %v\n%s", !got, !want, g)
				}
				outcomes[want]++
				raised[flagged]++
			}
			if outcomes[true] == 0 || outcomes[false] == 0 && k.axioms != "empty 0" || k.given[0].of == "M" && raised[true] == 0 {
				t.Errorf("outcomes are %v, flags %v", outcomes, raised)
			}
		})
	}
}

// permuted lists the events of the set that d calls value, in every order.
func permuted(g *Graph, d *Definition) (all [][]int) {
	events := valueOf(g, d)
	var permute func(k int)
	permute = func(k int) {
		if k == len(events) {
			all = append(all, slices.Clone(events))
		}
		for i := k; i < len(events); i++ {
			events[k], events[i] = events[i], events[k]
			permute(k + 1)
			events[k], events[i] = events[i], events[k]
		}
	}
	permute(0)
	return all
}

// valueOf is the events of that set.
func valueOf(g *Graph, d *Definition) (events []int) {
	d.judged(g, func(j *judge) { events = j.interpreter().Set(d.Cat.Def("value")).Events() })
	return events
}

// TestOrderOfOne: in models of C11 in which a read-modify-write is one event, its two halves have
// one place in an order.
func TestOrderOfOne(t *testing.T) {
	g := &Graph{}
	tags := program.NewTags("SC", "RMW")
	i := g.Add(Event{Thread: InitialThread, Kind: Write, Loc: "x"})
	r := g.Add(Event{Kind: Read, Tags: tags, Loc: "x", Block: 1})
	w := g.Add(Event{Kind: Write, Tags: tags, Value: 1, Loc: "x", Block: 1})
	n := g.Add(Event{Thread: 1, Kind: Write, Tags: program.NewTags("SC"), Value: 2, Loc: "x"})
	g.RMW.Add(r, w)
	g.RF.Add(i, r)
	g.Order(i, w, n)
	const single = "let u = R & W\n"
	for _, tt := range []struct {
		text string
		ok   bool
	}{
		{"empty S & (W \\ u) * u", true},
		{"empty S & u * (W \\ u)", true},
		{"empty S & ((W \\ u) * u | u * (W \\ u))", false},
		{"empty ([u]; S; [W \\ u]) & ([u]; S^-1; [W \\ u])", true},
		{"irreflexive S\nempty S & u * u", true},
		{"irreflexive S; co", true},
		{"irreflexive S; co^-1", true},
		{"irreflexive S; (co | co^-1)", false},
	} {
		d, err := DefineFor("m.cat", program.C11, single+"with S from linearisations(SC, 0)\n"+tt.text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Consistent(g); got != tt.ok {
			t.Errorf("%s: consistent is %v", tt.text, got)
		}
	}
}

// TestManyOrders: the search for an order ends when its context does, and what is found out about
// one graph is not said of the next.
func TestManyOrders(t *testing.T) {
	g := &Graph{}
	for range 40 {
		g.Add(Event{Thread: InitialThread, Kind: Write})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d, err := Define("m.cat", "with S from linearisations(W, 0)\n~empty S & id", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.ConsistentContext(ctx, g); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	small := &Graph{}
	small.Add(Event{Thread: InitialThread, Kind: Write})
	if ok, err := d.ConsistentContext(context.Background(), small); ok || err != nil {
		t.Errorf("consistent is %v (%v)", ok, err)
	}
}

// TestOrderShown: a violation is told by the name that the model gives the order.
func TestOrderShown(t *testing.T) {
	d, err := Define("m.cat", "with order from linearisations(W, co)\nirreflexive order; co^-1 as both", nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &Graph{}
	g.Order(g.Add(Event{Thread: InitialThread, Kind: Write}), g.Add(Event{Kind: Write, Value: 1}))
	vs := d.Check(g)
	if len(vs) != 1 || !strings.Contains(vs[0].Format(g), "-order->") {
		t.Errorf("violations: %v", vs)
	}
	if !d.Cat.Ordered() || slices.ContainsFunc(d.Cat.Axioms, func(a *cat.Axiom) bool { return a.Name == "both" && a.Extends() }) {
		t.Error("an axiom with an order is judged on a part of an execution")
	}
}
