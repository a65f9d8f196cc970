package memory

import (
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestMachine holds the machine against the interpreter: on graphs that grow and change as those
// of an enumeration do, and on ones that have nothing to do with the one before, every axiom and
// flag of every model comes out the same.
func TestMachine(t *testing.T) {
	texts := map[string]string{
		"loops": `let rec a = po | b; rf and b = [W]; a^-1 | co
let rec s = domain(a) | range([s]; rf)
acyclic a as one
irreflexive b; a as two
flag ~empty s & R as three
~empty a \ b^+ as four`,
		"exchanged": `let rec a = b | po and b = a | rf; a
acyclic a; b
empty (a \ b) | (b \ a)
empty a; rf`,
		"before": `empty rf; co; rf as one
let rec x = rf and y = x | po
empty y \ po as two
let rec s = domain(co^-1) and u = s | range([s]; po)
empty u & W as three`,
		"within": `let f(r) = let rec x = r | x; co; x in x^*
let rec y = f(rf) | y; po
acyclic y \ id
irreflexive (f(y) & ~id); f(rf)`,
		"ordered": `with S from linearisations(W, co)
with T from generate_orders(R, S)
irreflexive S; (fr; rf)^-1
empty (T \ po) & (S; rf)`,
	}
	rng := rand.New(rand.NewPCG(1, 7))
	for _, m := range Models() {
		a, _ := m.Arch()
		d, err := LoadFor(m, a)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(string(m), func(t *testing.T) { compareMachine(t, rng, d) })
	}
	for name, text := range texts {
		d, err := Define(Model(name), text, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(name, func(t *testing.T) { compareMachine(t, rng, d) })
	}
}

func compareMachine(t *testing.T, rng *rand.Rand, d *Definition) {
	j := d.judge()
	outcomes := map[bool]int{}
	j.judge(&Graph{Picks: d.Arch.Picks()}, func(j *judge) {
		for k, a := range d.Cat.Axioms {
			if j.holds(k) == a.Negated {
				t.Fatalf("%s: without events", a.Name)
			}
		}
	})
	for round := range 120 {
		g := taggedGraph(rng, d.Arch, 1+rng.IntN(12+60*(round%10/9)))
		for range 4 {
			j.judge(g, func(j *judge) {
				in := j.interpreter()
				order := rng.Perm(len(d.Cat.Axioms))
				for _, k := range order {
					a := d.Cat.Axioms[k]
					var want bool
					switch {
					case a.Term.Type() == cat.Set:
						want = len(in.Set(a.Term).Events()) == 0
					case a.Test == cat.Acyclic:
						want = in.Relation(a.Term).Acyclic()
					case a.Test == cat.Irreflexive:
						want = in.Relation(a.Term).Irreflexive()
					default:
						want = in.Relation(a.Term).Empty()
					}
					if want = want != a.Negated; j.holds(k) != want {
						t.Fatalf("%s: %v, want %v\n%s", a.Name, !want, want, g)
					}
					outcomes[want]++
				}
			})
			g = g.Clone()
			change(rng, d.Arch, g)
		}
	}
	if outcomes[true] == 0 || outcomes[false] == 0 {
		t.Errorf("all axioms come out the same: %v", outcomes)
	}
}

// taggedGraph is a graph of so many events of three threads.
func taggedGraph(rng *rand.Rand, a program.Arch, n int) *Graph {
	g := &Graph{Picks: a.Picks()}
	for x := range 2 {
		g.Add(Event{Thread: InitialThread, Kind: Write, Addr: int64(x)})
	}
	for range n {
		grow(rng, a, g)
	}
	return g
}

// grow adds an event, with what it depends on, reads from and is after in coherence.
func grow(rng *rand.Rand, a program.Arch, g *Graph) {
	e := Event{Thread: rng.IntN(3), Kind: Kind(rng.IntN(3)), Addr: int64(rng.IntN(2)), Block: max(0, rng.IntN(6)-3)}
	known := cat.For(a).AccessTags()
	if e.Kind == Fence {
		known = []string{"MFENCE", "SFENCE", "SC", "DMB.SY", "DMB.LD", "DMB.ST", "ISB", "SYNC", "LWSYNC", "ISYNC", "Fence.rw.rw", "Fence.tso",
			"Mb", "Wmb", "Rmb", "Sync-rcu", "Rcu-lock", "Rcu-unlock", "Before-atomic"}
	}
	if len(known) > 0 && (e.Kind == Fence || rng.IntN(2) == 0) {
		e.Tags = program.NewTags(known[rng.IntN(len(known))])
	}
	e.Part = e.Kind != Fence && rng.IntN(8) == 0
	n := g.Add(e)
	if e.Kind == Fence {
		return
	}
	for k, r := range g.relations() {
		if k >= 3 && rng.IntN(4) == 0 { // but for po, rf and co
			if from := rng.IntN(n); g.PO.Has(from, n) && g.Events[from].Kind == Read {
				r.Add(from, n)
			}
		}
	}
	for w := range n {
		if g.Events[w].Kind != Write || g.Events[w].Addr != e.Addr {
			continue
		}
		if e.Kind == Write {
			g.CO.Add(w, n)
		} else if rng.IntN(3) == 0 {
			g.RF.Add(w, n)
			return
		}
	}
}

// change changes the graph in one thing, which models see or do not.
func change(rng *rand.Rand, a program.Arch, g *Graph) {
	e := rng.IntN(len(g.Events))
	switch rng.IntN(5) {
	case 0:
		grow(rng, a, g)
	case 1:
		for w := range g.Events {
			if g.RF.Has(w, e) {
				g.RF.Remove(w, e)
			}
		}
	case 2:
		for w := range g.Events {
			if g.CO.Has(w, e) {
				g.CO.Remove(w, e)
				g.CO.Add(e, w)
				return
			}
		}
	case 3:
		for r := range g.Events {
			if g.PO.Has(r, e) && g.Events[r].Kind == Read {
				g.Data.Add(r, e)
				return
			}
		}
	case 4:
		own := append([]Event{}, g.Events...)
		own[e].Value++
		if rng.IntN(2) == 0 {
			own[e].Tags = program.Tags{}
		}
		g.Events = own
	}
}
