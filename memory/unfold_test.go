package memory

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// relations and sets that the texts of the tests take apart.
var (
	someRelations = []string{"po", "rf", "co", "fr", "po-loc", "addr | data", "rf; po", "co^-1; rf", "ext & loc", "[A]; po", "(po | rf)^-1", "po^-1 | co", "rf; rf^-1", "0 & po"}
	someSets      = []string{"R", "W", "M", "A | L", "domain(rf)", "W \\ I", "range(po & loc)", "F", "R & W"}
)

// TestUnfolds: a model that takes sets apart says what the same does that speaks of all of their members at once.
func TestUnfolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	// S, T are sets, P, Q are relations.
	for _, k := range []struct{ name, text, plain string }{
		{"events of a relation", "let rec f s = match s with || {} -> 0 || e ++ s -> ([e]; P) | f s end\nacyclic f(S) | Q", "acyclic [S]; P | Q"},
		{"pairs of a relation", "let rec f r = match r with || {} -> 0 || p ++ r -> (p; Q) | f r end\nirreflexive f(P)", "irreflexive P; Q"},
		{"inverted pairs", "forall p in P do irreflexive p^-1; Q end", "irreflexive P^-1; Q"},
		{"the events of a pair", "let g(a, b) = {b} * {a} forall p in P do let (a, b) = p empty ({a} * {b}) & Q irreflexive g p; Q end", "empty P & Q irreflexive P^-1; Q"},
		{"pairs to a relation", "let rec f r = match r with || {} -> Q || p ++ r -> p ++ f r end\nacyclic f(P)", "acyclic P | Q"},
		{"events to a set", "let rec f s = match s with || {} -> T || e ++ s -> e ++ f s end\nempty [f(S)]; P", "empty [S | T]; P"},
		{"two at a time", "let rec f s = match s with || {} -> 0 || e ++ s -> match s with || {} -> [e]; P || g ++ s -> [{e, g}]; P | f s end end\nacyclic f(S) | Q", "acyclic [S]; P | Q"},
		{"tuples of events", "forall e in S do forall g in T do empty ((e, g) ++ 0) & P end end", "empty (S * T) & P"},
		{"sets of tuples", "forall e in S do forall g in T do empty {(e, g), (g, e)} & P end end", "empty (S * T | T * S) & P"},
		{"nested", "forall e in S do forall g in range([e]; P) do empty [g]; Q; [e] end end", "irreflexive [S]; P; Q"},
		{"locations", "forall c in classes-loc(M) do acyclic (P | Q) & (c * c) end", "acyclic (P | Q) & loc"},
		{"classes", "forall c in classes(P) do empty (c * c) & Q end", "let e = (P | P^-1)^+ empty e & Q"},
		{"a map", "forall r in map (fun e -> [e]; P) S do irreflexive r; Q end", "irreflexive [S]; P; Q"},
		{"a map of pairs", "forall r in map (fun p -> p | P) Q do empty r \\ (P | Q) end\nacyclic Q", "acyclic Q"},
		{"a fold", "acyclic fold (fun (e, r) -> ([e]; P) | r) (S, Q)", "acyclic [S]; P | Q"},
		{"a procedure", "procedure p(e, r) = empty [e]; r; [e] end forall e in S do call p(e, P) end", "irreflexive [S]; P"},
		{"negated", "forall e in S do ~empty [e]; P end", "empty S \\ domain(P)"},
		{"a fixpoint", "let rec x = P | x; Q\nforall e in domain(x & id) do empty [e] end", "let rec x = P | x; Q\nirreflexive x"},
		{"conditions", "forall e in S do empty if {e} subset T then [e]; P else [e]; Q end", "empty [S & T]; P | [S \\ T]; Q"},
		{"membership", "forall e in S do empty if e in T then [e]; P else [e]; Q end", "empty [S & T]; P | [S \\ T]; Q"},
		{"equal sets", "forall c in classes-loc(S) do forall d in classes-loc(S) do empty (if c = d then P else Q) & (c * d) end end", "let N = S & M empty (P & loc | Q \\ loc) & (N * N)"},
		{"lists", "let rec both s = match s with || {} -> {Q} || p ++ s -> map (fun r -> r | p) (both s) | map (fun r -> r | p^-1) (both s) end\nforall r in both(P & po-loc) do acyclic r | co end",
			""},
		{"a statement", "match P with || {} -> acyclic Q || p ++ rest -> irreflexive p; Q irreflexive rest; Q end", ""},
		{"what the first is", "empty match S with || {} -> 0 || e ++ rest -> [e] & [rest] end", "empty 0 & po"},
		{"an order", "forall e in S do empty [e]; P; [e] end with o from linearisations(W, co) irreflexive o; Q", "irreflexive [S]; P with o from linearisations(W, co) irreflexive o; Q"},
	} {
		outcomes := map[bool]int{}
		for range 30 {
			pick := func(from []string) string { return "(" + from[rng.IntN(len(from))] + ")" }
			lets := "let S = " + pick(someSets) + " let T = " + pick(someSets) + " let P = " + pick(someRelations) + " let Q = " + pick(someRelations) + "\n"
			define := func(text string) *Definition {
				d, err := DefineFor("m.cat", program.AArch64, lets+text+"\nflag ~empty P & Q as raised\n", nil)
				if err != nil {
					t.Fatalf("%s: %v", k.name, err)
				}
				return d
			}
			d := define(k.text)
			plain, none := define("empty 0 & po"), define("acyclic Q")
			if k.plain != "" {
				plain = define(k.plain)
			}
			inverse := define("irreflexive P; Q")
			for range 10 {
				g := taggedGraph(rng, program.AArch64, 1+rng.IntN(6))
				var want bool
				p, _ := plain.Relation(g, "P")
				switch k.name {
				case "lists": // one of the two ways of each pair
					want = everyWay(g, define("acyclic casdep | Q | co"), plain)
				case "a statement":
					if want = inverse.Consistent(g); p.Empty() {
						want = none.Consistent(g)
					}
				default:
					want = plain.Consistent(g)
				}
				got, err := d.ConsistentContext(context.Background(), g)
				if err != nil {
					t.Fatalf("%s: %v\n%s", k.name, err, g)
				}
				if got != want || d.Consistent(g) != want || len(d.Check(g)) == 0 != want {
					t.Fatalf("%s: consistent is %v, want %v, of\n%s%s\nin\n%s", k.name, got, want, lets, k.text, g)
				}
				if len(d.Flags(g)) != len(plain.Flags(g)) {
					t.Fatalf("%s: other flags of\n%s", k.name, g)
				}
				outcomes[want]++
			}
		}
		if outcomes[true] == 0 || outcomes[false] == 0 && k.plain != "empty 0 & po" {
			t.Errorf("%s: outcomes are %v", k.name, outcomes)
		}
	}
}

// everyWay is whether d is content with all relations that have each pair of P & po-loc one way round, as casdep.
func everyWay(g *Graph, d, values *Definition) bool {
	p, _ := values.Relation(g, "P")
	loc := g.Clone()
	var pairs [][2]int
	for _, q := range p.Pairs() {
		if e, f := &loc.Events[q[0]], &loc.Events[q[1]]; loc.PO.Has(q[0], q[1]) && e.Kind != Fence && f.Kind != Fence && e.Addr == f.Addr {
			pairs = append(pairs, q)
		}
	}
	for ways := range 1 << len(pairs) {
		r := NewRelation(len(g.Events))
		for i, q := range pairs {
			if ways>>i&1 == 0 {
				r.Add(q[0], q[1])
			} else {
				r.Add(q[1], q[0])
			}
		}
		if loc.CasDep = r; !d.Consistent(loc) {
			return false
		}
	}
	return true
}

// TestUnfolded has what a model that takes sets apart says of itself.
func TestUnfolded(t *testing.T) {
	d, err := Define("m.cat", "acyclic po | rf\nforall e in W do empty [e]; po; [e] end", nil)
	if err != nil {
		t.Fatal(err)
	}
	what := d.Cat.Unfolds()
	if what == nil || what.Pos.Line != 2 || !strings.Contains(what.Msg, "'W'") {
		t.Errorf("what unfolds is %v", what)
	}
	if d.OrdersReads() || d.Cat.Monotone() || d.Cat.SkipsWaits() || d.Excludes() || d.KeepsBlocks() || d.RefutesOwnFuture() {
		t.Error("something is claimed of axioms that are not known yet")
	}
	if def, err := Define("m.cat", "forall t in {po, rf} do acyclic t end", nil); err != nil || def.Cat.Unfolds() != nil {
		t.Errorf("what is known when a model is read is not: %v", err)
	}
	for _, text := range []string{"let u = R & W\nforall e in W do empty [e]; po; [e] end", "forall e in W do empty 0 end\nlet u = R & W\nempty u"} {
		if _, err := DefineFor("m.cat", program.C11, text, nil); err == nil || !strings.Contains(err.Error(), "mentions R & W") {
			t.Errorf("%s: %v", text, err)
		}
	}
	// What is wrong only where there are events is said when there are.
	d, err = Define("m.cat", "forall e in W do empty [e] & e end", nil)
	if err != nil {
		t.Fatal(err)
	}
	g := &Graph{}
	if ok, err := d.ConsistentContext(context.Background(), g); !ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	g.Add(Event{Thread: InitialThread, Kind: Write})
	if _, err := d.ConsistentContext(context.Background(), g); err == nil || !strings.Contains(err.Error(), "m.cat:1:30") {
		t.Errorf("the error is %v", err)
	}
}

// TestUnfoldedFirst: which member comes first does not depend on how the graph was found.
func TestUnfoldedFirst(t *testing.T) {
	d, err := Define("m.cat", "match W \\ I with || {} -> empty 0 || e ++ _ -> empty [e]; po; [W] end", nil)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		g := taggedGraph(rng, program.X86, 2+rng.IntN(6))
		if d.Consistent(g) != d.Consistent(g.Sorted()) {
			t.Fatalf("it depends on the order of\n%s", g)
		}
	}
}

// TestUnfoldedAtOnce: one definition serves many at a time.
func TestUnfoldedAtOnce(t *testing.T) {
	d, err := Define("m.cat", "forall e in W do irreflexive [e]; po; rf end", nil)
	if err != nil {
		t.Fatal(err)
	}
	plain, _ := Define("m.cat", "irreflexive po; rf", nil)
	var wait sync.WaitGroup
	for k := range 4 {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(k), 1))
			for range 300 {
				g := taggedGraph(rng, program.X86, 2+rng.IntN(8))
				if want := plain.Consistent(g); d.Consistent(g) != want {
					t.Errorf("want %v of\n%s", want, g)
				}
			}
		})
	}
	wait.Wait()
	if n := len(d.unfolded.by); n == 0 || n > maxUnfolded {
		t.Errorf("%d models are kept", n)
	}
	if len(d.Cat.Axioms) > 0 {
		t.Error("the model itself has axioms")
	}
}
