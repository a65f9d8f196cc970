package encode

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// randomTerm is the text of a random cat expression: a set or a relation. vars
// are names of relations that it may use.
func randomTerm(rng *rand.Rand, depth int, set bool, vars []string) string {
	sub := func(set bool) string { return randomTerm(rng, depth-1, set, vars) }
	pick := func(names ...string) string { return names[rng.IntN(len(names))] }
	if set {
		if depth <= 0 {
			return pick("R", "W", "M", "F", "I", "X", "MFENCE", "_")
		}
		switch rng.IntN(6) {
		case 0:
			return "~" + sub(true)
		case 1:
			return "domain(" + sub(false) + ")"
		case 2:
			return "range(" + sub(false) + ")"
		default:
			return "(" + sub(true) + pick(" | ", " & ", " \\ ") + sub(true) + ")"
		}
	}
	if depth <= 0 {
		return pick(append(vars, "po", "rf", "co", "fr", "loc", "int", "ext", "rmw", "po-loc", "rfe", "addr", "data", "ctrl", "block", "id")...)
	}
	switch rng.IntN(10) {
	case 0:
		return "[" + sub(true) + "]"
	case 1:
		return "(" + sub(true) + " * " + sub(true) + ")"
	case 2:
		return "(" + sub(false) + ")" + pick("^-1", "^+", "^*", "?")
	case 3:
		if len(vars) > 0 { // recursion must be monotone
			return sub(false)
		}
		return "~(" + sub(false) + ")"
	case 4:
		if len(vars) > 0 {
			return sub(false)
		}
		return "(" + sub(false) + " \\ " + sub(false) + ")"
	default:
		return "(" + sub(false) + pick(" | ", " & ", " ; ") + sub(false) + ")"
	}
}

// TestTermsAgainstEvaluator takes executions of random programs out of the
// solver and compares, for random cat expressions, the literals that stand for
// the relation, and its bounds, with what the evaluator says of the concrete graph.
func TestTermsAgainstEvaluator(t *testing.T) {
	ctx := context.Background()
	opt := randprog.Options{Lock: -1, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3}, RMW: 4, AddrDep: 50}
	compared, tight, loose := 0, int64(0), int64(0)
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 19))
		p := mixFences(randprog.New(rng, opt), rng)
		p.Properties = nil
		var b strings.Builder
		b.WriteString("acyclic 0\n")
		var names []string
		for i := range 4 {
			names = append(names, fmt.Sprint("d", i))
			fmt.Fprintf(&b, "let d%d = %s\n", i, randomTerm(rng, 3, false, nil))
		}
		names = append(names, "rec1", "rec2")
		fmt.Fprintf(&b, "let rec rec1 = %s and rec2 = %s\n",
			randomTerm(rng, 2, false, []string{"rec1", "rec2"}), randomTerm(rng, 2, false, []string{"rec1", "rec2"}))
		def, err := memory.Define("random.cat", b.String(), nil)
		if err != nil {
			if strings.Contains(err.Error(), "shrink") || strings.Contains(err.Error(), "recursi") {
				continue // not monotone: refused
			}
			t.Fatalf("seed %d: %v", seed, err)
		}
		f := newFormula(t, p, Options{Model: "random.cat", Definition: def, Finals: true})
		if err := f.Extend(ctx); err != nil {
			t.Fatal(err)
		}
		a := f.newRelational()
		in := cat.NewInterpreter(def.Cat, cat.Algebra[litSet, litRelation](exactly{a}))
		rels := map[string]litRelation{}
		for _, n := range names {
			rels[n] = in.Relation(def.Cat.Def(n))
		}
		limits := cat.NewInterpreter(def.Cat, cat.Algebra[setBounds, relationBounds](newBetween(a)))
		q, err := f.Finals(ctx, false)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_, st, err := q.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if st != solver.Sat {
				break
			}
			g, number, err := a.graph()
			if err != nil {
				t.Fatal(err)
			}
			for n, lits := range rels {
				want, ok := def.Relation(g, n)
				if !ok {
					t.Fatal(n)
				}
				for i := range a.points {
					for j := range a.points {
						got := f.s.Value(lits[i*len(a.points)+j])
						both := number[i] >= 0 && number[j] >= 0
						want := both && want.Has(number[i], number[j])
						if got != want {
							t.Fatalf("seed %d: (%d, %d) in %s: formula %v, evaluator %v\n%s\n%s", seed, i, j, n, got, want, b.String(), text(p))
						}
						if limit := limits.Relation(def.Cat.Def(n)); want && !limit.may.Has(i, j) || both && !want && limit.must.Has(i, j) {
							t.Fatalf("seed %d: (%d, %d) in %s: %v, against the bounds\n%s\n%s", seed, i, j, n, want, b.String(), text(p))
						}
						tight += program.Bool(both && !want && !limits.Relation(def.Cat.Def(n)).may.Has(i, j))
						loose += program.Bool(both && !want && limits.Relation(def.Cat.Def(n)).may.Has(i, j))
					}
				}
				compared++
			}
		}
	}
	t.Logf("%d relations; of pairs that are not in them bounds exclude %d and leave %d", compared, tight, loose)
	if compared < 300 || tight < loose {
		t.Errorf("%d relations were compared, bounds exclude %d pairs and leave %d", compared, tight, loose)
	}
}

// TestOneSided compares the final states under random models in which terms may have
// more than their values with those under the same models where they must not.
func TestOneSided(t *testing.T) {
	ctx := context.Background()
	opt := randprog.Options{Lock: -1, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3}, RMW: 4, AddrDep: 50}
	compared, states, forbidden := 0, 0, 0
	n := uint64(180)
	if testing.Short() {
		n = 120
	}
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 23))
		p := mixFences(randprog.New(rng, opt), rng)
		p.Properties = nil
		var b strings.Builder
		fmt.Fprintf(&b, "let rec rec1 = %s and rec2 = %s\n",
			randomTerm(rng, 2, false, []string{"rec1", "rec2"}), randomTerm(rng, 2, false, []string{"rec1", "rec2"}))
		b.WriteString("acyclic po-loc | rf | co | fr\n")
		term := randomTerm(rng, 3, false, nil)
		switch rng.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "acyclic ((%s) & (po | rf | co | fr)) | ((rec1 | rec2) & (po | fr))\n", term)
		case 1:
			fmt.Fprintf(&b, "irreflexive ((%s) ; rec1 ; (fr | co)) \\ rec2\n", term)
		case 2:
			fmt.Fprintf(&b, "empty ((%s) & (rec1^+)) & (rf ; rec2)\n", term)
		case 3:
			fmt.Fprintf(&b, "acyclic ((%s)^+ | rec1) & ext\nempty rec2 & rmw & (fr ; co)\n", term)
		}
		def, err := memory.Define("random.cat", b.String(), nil)
		if err != nil {
			if strings.Contains(err.Error(), "shrink") || strings.Contains(err.Error(), "recursi") {
				continue // not monotone: refused
			}
			t.Fatalf("seed %d: %v", seed, err)
		}
		var finals [3][]string
		for k := range finals {
			f := newFormulaIn(t, backends[k%2], p, Options{Model: "random.cat", Definition: def, Finals: true})
			f.twoSided = k == 2
			if err := f.Extend(ctx); err != nil {
				t.Fatal(err)
			}
			q, err := f.Finals(ctx, false)
			if err != nil {
				t.Fatal(err)
			}
			for {
				s, st, err := q.Next(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if st == solver.Unsat {
					break
				}
				finals[k] = append(finals[k], finalText(p, s))
			}
			slices.Sort(finals[k])
		}
		if !slices.Equal(finals[0], finals[2]) || !slices.Equal(finals[1], finals[2]) {
			t.Fatalf("seed %d: one-sided %v, with an order %v, two-sided %v\n%s\n%s", seed, finals[0], finals[1], finals[2], b.String(), text(p))
		}
		compared++
		states += len(finals[2])
		if len(finals[2]) == 0 {
			forbidden++
		}
	}
	t.Logf("%d models, %d states, %d without one", compared, states, forbidden)
	if compared < int(n)/2 || states < compared || forbidden > compared*3/4 {
		t.Errorf("hardly anything is compared: %d models, %d states, %d without one", compared, states, forbidden)
	}
}
