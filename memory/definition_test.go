package memory

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
)

// parted is, by model, the axiom that admits an execution for an event that stands between two others, so that it does not hold of
// all parts: a write of the own thread between the halves of an exclusive pair, as Arm has it. It holds of those that end early, and
// of those without some reads, which is what enumeration and waits need; graphs refuse the model for other reasons.
var parted = map[Model]string{ARMv8: "exclusivity"}

func TestLoad(t *testing.T) {
	for _, m := range Models() {
		d := load(t, m)
		if again := load(t, m); again != d {
			t.Errorf("%s is read twice", m)
		}
		if d.Model != m || !strings.EqualFold(d.Name, string(m)) || !strings.HasPrefix(d.Source, d.Name) {
			t.Errorf("%s calls itself %q", m, d.Name)
		}
		var axioms []string
		for _, a := range d.Cat.Axioms {
			axioms = append(axioms, a.Name)
			if !a.Flag && (!a.Extends() || !a.Monotone() && a.Name != parted[m]) {
				t.Errorf("%s: %s cannot be judged early", m, a.Name)
			}
		}
		if parted[m] != "" && (!d.Cat.SkipsWaits() || d.OrdersReads()) {
			t.Errorf("%s is judged by an axiom that does not hold of all parts", m)
		}
		if m.Operational() && !slices.Equal(axioms, []string{"coherence", "atomicity", "happens-before"}) {
			t.Errorf("%s has the axioms %v", m, axioms)
		}
	}
	dir := t.TempDir()
	write := func(name, text string) Model {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return Model(file)
	}
	write("sub/part.cat", "include \"deeper.cat\" let mine = po | deep")
	write("sub/deeper.cat", "let deep = rf")
	m := write("whole.cat", "include \"sub/part.cat\" include \"cos.cat\" include \"x86fences.cat\" include \"filters.cat\"\n"+
		"acyclic mine | ca | mfence | WR(po) as all")
	d := load(t, m)
	if d.Cat.Axioms[0].Name != "all" || d.Name != "" || !strings.Contains(d.Source, "sub/part.cat") {
		t.Errorf("%+v", d)
	}
	// What is nowhere else is looked for in the search path.
	elsewhere := filepath.Join(dir, "elsewhere")
	write("elsewhere/found.cat", "include \"beside.cat\" acyclic mine as found")
	write("elsewhere/beside.cat", "let mine = po | rf")
	Search(elsewhere)
	defer func() { searchPath.dirs = nil }()
	for _, name := range []Model{"found.cat", write("including.cat", "include \"found.cat\"")} {
		if d := load(t, name); d.Cat.Axioms[0].Name != "found" {
			t.Errorf("%s: %v", name, d.Cat.Axioms[0])
		}
	}
	// A file is read once, unless it or what it includes has changed.
	if load(t, m) != d {
		t.Error("whole.cat is read twice")
	}
	write("sub/deeper.cat", "let deep = co")
	if load(t, m) == d {
		t.Error("whole.cat is not read again")
	}
	write("sub/deeper.cat", "let deep = rf")
	// A file beside the model comes before the one that is built in.
	write("tso.cat", "let mine = rf")
	if d = load(t, write("own.cat", "include \"tso.cat\" acyclic mine")); len(d.Cat.Axioms) != 1 {
		t.Error("the wrong tso.cat")
	}
	stronger := load(t, write("sub/stronger.cat", "\"TSO and more\" include \"tso.cat\" acyclic po | rf as no-thin-air"))
	if len(stronger.Cat.Axioms) != 4 || stronger.Name != "TSO and more" {
		t.Error("not the tso.cat that is built in")
	}

	for _, c := range []struct {
		model Model
		want  string
	}{
		{"tsx", `unknown memory model "tsx" (known: sc, tso, pso, `},
		{".cat", `unknown memory model ".cat"`},
		{Model(filepath.Join(dir, "none.cat")), "none.cat"},
		{write("bad.cat", "acyclic p0"), "bad.cat:1:9: there is no 'p0'"},
		{write("lost.cat", "include \"gone.cat\""), "cannot include 'gone.cat': there is no such file; built in are "},
	} {
		if _, err := Load(c.model); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.model, err, c.want)
		}
	}
	for _, name := range []string{"sc", "tso", "pso", "a/b.cat"} {
		if m, err := Parse(name); err != nil || string(m) != name {
			t.Errorf("Parse(%q) = %q, %v", name, m, err)
		}
	}
}

func define(t *testing.T, text string) *Definition {
	t.Helper()
	d, err := Define("test.cat", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestTests checks every kind of axiom, violated and not, and every kind of flag.
func TestTests(t *testing.T) {
	g := litmus(t, "Wx1 Ry0 || Wy1 Rx0").Sorted()
	for _, c := range []struct{ axiom, want string }{
		{"acyclic po | co", ""},
		{"acyclic po | fr as a", "a (acyclic po | fr): P0: W x=1 -po-> P0: R y=0 -fr-> P1: W y=1 -po-> P1: R x=0 -fr-> P0: W x=1"},
		{"~acyclic po | fr", ""},
		{"~acyclic po", "~acyclic po: nothing is there"},
		{"irreflexive po; fr", ""},
		{"irreflexive po; fr; po; fr", "irreflexive po; fr; po; fr: P0: W x=1 -po-> P0: R y=0 -fr-> P1: W y=1 -po-> P1: R x=0 -fr-> P0: W x=1"},
		{"~irreflexive po", "~irreflexive po: nothing is there"},
		{"empty po; fr; po", "empty po; fr; po: P0: W x=1 -po-> P0: R y=0 -fr-> P1: W y=1 -po-> P1: R x=0"},
		{"empty po & loc", ""},
		{"~empty po & loc", "~empty po & loc: nothing is there"},
		{"empty R", "empty R: P0: R y=0"},
		{"empty R & W", ""},
		{"~empty F", "~empty F: nothing is there"},
		{"empty W * R & fr^-1", "empty W * R & fr^-1: P0: W x=1 -*-> P1: R x=0, P0: W x=1 -fr^-1-> P1: R x=0"},
		{"empty [W] & ~rf", "empty [W] & ~rf: init: W x=0 -~-> init: W x=0"},
		{"irreflexive id", "irreflexive id: init: W x=0"},
		{"flag ~empty fr", "flag: flag ~empty fr"},
		{"flag ~empty rmw", ""},
		{"flag empty rmw", "flag: flag empty rmw"},
		{"flag acyclic po", "flag: flag acyclic po"},
		{"flag ~acyclic po | fr as a", "flag: a"},
		// Shorter explanations are preferred, and those that lead somewhere.
		{"empty ((po; fr) | po) & W * R", "empty ((po; fr) | po) & W * R: P0: W x=1 -po-> P0: R y=0, P0: W x=1 -*-> P0: R y=0"},
		{"acyclic (int & po) | fre", "acyclic (int & po) | fre: P0: W x=1 -po-> P0: R y=0 -fr-> P1: W y=1 -po-> P1: R x=0 -fr-> P0: W x=1"},
		{"let rec r = po | fr | r; r irreflexive r", "irreflexive r: P0: W x=1 -po-> P0: R y=0 -fr-> P1: W y=1 -po-> P1: R x=0 -fr-> P0: W x=1"},
		{"acyclic (po | fr)^+", "acyclic (po | fr)^+: P0: W x=1 -po-> P0: R y=0 -fr-> P1: W y=1 -po-> P1: R x=0 -fr-> P0: W x=1"},
		{"irreflexive (po?; fr?)^* \\ id", ""},
		{"acyclic (fr^-1; po^-1)", "acyclic (fr^-1; po^-1): P0: W x=1 -fr^-1-> P1: R x=0 -po^-1-> P1: W y=1 -fr^-1-> P0: R y=0 -po^-1-> P0: W x=1"},
	} {
		d := define(t, c.axiom)
		var got []string
		for _, v := range d.Check(g) {
			got = append(got, v.Format(g))
		}
		if d.Consistent(g) != (len(got) == 0) {
			t.Errorf("%s: consistent %v", c.axiom, d.Consistent(g))
		}
		for _, a := range d.Flags(g) {
			got = append(got, "flag: "+a.Name)
		}
		if s := strings.Join(got, "\n"); s != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.axiom, s, c.want)
		}
	}
}

// randomGraph has events and relations at random. They need not make sense.
func randomGraph(rng *rand.Rand, n int) *Graph {
	g := &Graph{}
	for range n {
		e := Event{
			Thread: rng.IntN(4) - 1,
			Kind:   Kind(rng.IntN(3)),
			Addr:   int64(rng.IntN(2)),
			Value:  int64(rng.IntN(2)),
			Block:  rng.IntN(4),
		}
		switch {
		case e.Kind == Fence:
			e.Tags = program.NewTags([]string{program.TagMFence, program.TagSFence, program.TagLFence}[rng.IntN(3)])
		case rng.IntN(4) == 0:
			e.Tags = program.NewTags(program.TagLocked)
		}
		g.Add(e)
	}
	for _, r := range []Relation{g.RF, g.CO, g.RMW, g.Addr, g.Data, g.Ctrl} {
		for range rng.IntN(n + 1) {
			r.Add(rng.IntN(n), rng.IntN(n))
		}
	}
	return g
}

// everything is definitions with all that the language has.
const everything = `
let f(x, y) = (x | y^-1) & ~(y; x)
let a = f(po, rf) | [W & ~R]
let b = (co \ fr)^* | (M * F) & ext | block
let c = fencerel(MFENCE | SFENCE)? ; [range(rmw | ctrl)]
let rec p = po-loc | q; p and q = rfe | [domain(p)]; data and s = W | range([s]; addr)
let d = p; q | [s & LFENCE] | id & loc
let e = int^+ & ~(X * I) | 0
let g = a | b | c | d | e
let h = (po \ block)^+ \ (po; [_ \ F]; po)
empty g
`

// TestExplainer checks that the algebra of explanations relates the same events
// as the plain one, and that every explanation is a path over pairs of the
// predefined relations.
func TestExplainer(t *testing.T) {
	d := define(t, everything)
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		g := randomGraph(rng, 1+rng.IntN(9))
		x := newExplainer(t.Context(), d.Cat, g)
		plain := &concrete{g: g}
		for _, def := range d.Cat.Defs {
			if def.Term.Type() == cat.Set {
				continue
			}
			want, ok := d.Relation(g, def.Name)
			if !ok {
				t.Fatal(def.Name)
			}
			got := x.in.Relation(def.Term)
			if !support(got).Equal(want) {
				t.Fatalf("%s: %v, want %v in\n%v", def.Name, support(got).Pairs(), want.Pairs(), g)
			}
			for i, r := range got.at {
				if r == nil {
					continue
				}
				at := i / got.n
				for _, s := range r.steps(nil) {
					name, inverse := strings.CutSuffix(s.Relation, "^-1")
					from, to := s.From, s.To
					if inverse {
						from, to = to, from
					}
					if s.From != at || name != "~" && name != "*" && !plain.Relation(name).Has(from, to) {
						t.Fatalf("%s: %v explained by %v", def.Name, [2]int{i / got.n, i % got.n}, r.steps(nil))
					}
					at = s.To
				}
				if at != i%got.n {
					t.Fatalf("%s: %v explained by %v", def.Name, [2]int{i / got.n, i % got.n}, r.steps(nil))
				}
			}
		}
	}
}

// TestLongWay checks that an explanation does not grow beyond all bounds: the
// shortest way from event to event doubles with every line of the model.
func TestLongWay(t *testing.T) {
	var b strings.Builder
	b.WriteString("let r0 = ext; ext\n")
	for i := range 60 {
		fmt.Fprintf(&b, "let r%d = r%d; r%d\n", i+1, i, i)
	}
	b.WriteString("irreflexive r60 as far")
	g := litmus(t, "Wx1 || Rx1")
	vs := define(t, b.String()).Check(g)
	if got, want := vs[0].Format(g), "far (irreflexive r60): init: W x=0 -...-> init: W x=0"; got != want {
		t.Errorf("got %.1000s, want %s", got, want)
	}
}

// TestFixpoint compares recursive definitions with closed forms of them.
func TestFixpoint(t *testing.T) {
	d := define(t, `
let rec r1 = po | rf | r1; r1
let rec r3 = po | rf | r3; r3 | r3; r3; r3
let rec r4 = (rf | r4; r4)
let rec r5 = po | r4 | r5; r5
let r2 = (po | rf)^+
let rec odd = rf | even; rf and even = odd; rf
let odd2 = rf; (rf; rf)^*
let even2 = (rf; rf)^+
let rec s = W & X | range([s]; co)
let s1 = [s]
let s2 = [range([W & X]; co^*)]
let rec z = z; po
let z2 = 0 | (po \ po)
empty 0`)
	rng := rand.New(rand.NewPCG(7, 8))
	for range 300 {
		g := randomGraph(rng, 1+rng.IntN(70))
		for _, c := range [][2]string{{"r1", "r2"}, {"r3", "r2"}, {"r5", "r2"}, {"odd", "odd2"}, {"even", "even2"}, {"s1", "s2"}, {"z", "z2"}} {
			x, _ := d.Relation(g, c[0])
			y, _ := d.Relation(g, c[1])
			if !x.Equal(y) {
				t.Fatalf("%s is not %s", c[0], c[1])
			}
		}
	}
}

// TestMonotone checks what early judgement rests on: an axiom that is violated
// by a part of a graph is violated by the whole.
func TestMonotone(t *testing.T) {
	var ds []*Definition
	for _, m := range Models() {
		ds = append(ds, load(t, m))
	}
	ds = append(ds, define(t, "acyclic po \\ ([W]; po; [R]) | rf as a\nempty rmw & ~(loc & W * W) as b\nlet rec r = fr | r; [X]; po\nirreflexive r as c"))
	rng := rand.New(rand.NewPCG(9, 10))
	refuted := 0
	for range 2000 {
		g := randomGraph(rng, 2+rng.IntN(8))
		part := &Graph{Events: g.Events[:len(g.Events)-1]}
		for i, r := range g.relations() {
			*part.relations()[i] = NewRelation(len(part.Events))
			for _, p := range r.Pairs() {
				if max(p[0], p[1]) < len(part.Events) {
					part.relations()[i].Add(p[0], p[1])
				}
			}
		}
		for _, d := range ds {
			if d.Refutes(part) {
				refuted++
				if !d.Refutes(g) || d.Consistent(g) {
					t.Fatalf("%s: a part is refuted, the whole is not:\n%v", d.Model, g)
				}
			}
		}
	}
	if refuted == 0 {
		t.Error("nothing is refuted")
	}
}

func TestGraph(t *testing.T) {
	g := litmus(t, "Wx1 mf Ry0 || { Uy0,2 } sf lf")
	want := `0: init: W x=0 before 1
1: P0: W x=1
2: P0: mfence
3: init: W y=0 before 6
4: P0: R y=0 from 3
5: P1: R y=0 from 3
6: P1: W y=2
7: P1: sfence
8: P1: lfence
`
	if got := g.String(); got != want {
		t.Errorf("got\n%s", got)
	}
	s := g.Sorted()
	if got := s.String(); !strings.HasPrefix(got, "0: init: W x=0 before 2\n1: init: W y=0 before 6\n2: P0: W x=1\n") {
		t.Errorf("sorted:\n%s", got)
	}
	c := g.Clone()
	c.Add(Event{})
	c.RF.Add(0, 1)
	if len(g.Events) != 9 || g.RF.Has(0, 1) || g.PO.Len() != 9 || c.PO.Len() != 10 || c.Events[9].Index != 3 {
		t.Error("the clone shares something")
	}
	if e := (&Event{Kind: Write, Addr: 7, Value: -1}); e.String() != "W [7]=-1" {
		t.Error(e)
	}
}

// countdown is a context that ends after so many polls.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return c.Context.Err()
}

// TestCheckContext ends the search for a witness, wherever it is.
func TestCheckContext(t *testing.T) {
	d := load(t, SC)
	g := litmus(t, "Wx1 Ry0 || Wy1 Rx0").Sorted()
	all := &countdown{t.Context(), 1 << 40}
	want, err := d.CheckContext(all, g)
	if err != nil || len(want) != 1 {
		t.Fatal(want, err)
	}
	for n := range 1<<40 - all.left {
		ctx := &countdown{t.Context(), n}
		if vs, err := d.CheckContext(ctx, g); vs != nil || err != context.Canceled {
			t.Errorf("ends at poll %d: %v, %v", n, vs, err)
		}
	}
}

// FuzzDefine evaluates whatever text is a model on a few graphs.
func FuzzDefine(f *testing.F) {
	names, err := fs.Glob(embedded, "*.cat")
	if err != nil {
		f.Fatal(err)
	}
	for _, n := range names {
		text, err := embedded.ReadFile(n)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(everything)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		d, err := Define("fuzz.cat", text, nil)
		if err != nil {
			return
		}
		rng := rand.New(rand.NewPCG(1, 1))
		for n := range 6 {
			g := randomGraph(rng, n+1)
			vs := d.Check(g)
			if d.Consistent(g) != (len(vs) == 0) || d.Refutes(g) && len(vs) == 0 {
				t.Errorf("%d violations, consistent %v, refuted %v", len(vs), d.Consistent(g), d.Refutes(g))
			}
			for _, v := range vs {
				v.Format(g)
			}
			d.Flags(g)
		}
	})
}
