package memory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// litmus is the graph that a text describes: threads with ||, writes as Wx1,
// reads as Rx1, exchanges as Ux0,1 (read 0, write 1), atomic reads and writes as
// Ax0 and Bx1, the fences mf, sf and lf, and blocks in braces. A location's values are its coherence order, from 0 on,
// unless co says otherwise, as in "x:2,1". So they say what each read reads from.
func litmus(t *testing.T, text string, co ...string) *Graph {
	t.Helper()
	g := &Graph{}
	writes := map[string][]int{} // by location, the initial write first
	number := func(s string) int64 {
		v, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	locked := program.NewTags(program.TagLocked)
	access := func(e Event, loc string) Event {
		e.Loc, e.Addr = loc, int64(loc[0])
		if writes[loc] == nil {
			writes[loc] = []int{g.Add(Event{Thread: InitialThread, Kind: Write, Loc: loc, Addr: int64(loc[0])})}
		}
		return e
	}
	blocks := 0
	for thread, part := range strings.Split(text, "||") {
		block := 0
		for _, word := range strings.Fields(part) {
			e := Event{Thread: thread, Block: block}
			switch {
			case word == "{":
				blocks++
				block = blocks
			case word == "}":
				block = 0
			case word == "mf" || word == "sf" || word == "lf":
				e.Kind = Fence
				e.Tags = program.NewTags(strings.ToUpper(word[:1]) + "FENCE")
				g.Add(e)
			default:
				loc := word[1:2]
				switch word[0] {
				case 'R':
					e.Kind, e.Value = Read, number(word[2:])
					g.Add(access(e, loc))
				case 'W':
					e.Kind, e.Value = Write, number(word[2:])
					writes[loc] = append(writes[loc], g.Add(access(e, loc)))
				case 'A', 'B': // of an atomic command that does no more
					blocks++
					e.Tags, e.Block, e.Value = locked, blocks, number(word[2:])
					if word[0] == 'B' {
						e.Kind = Write
					}
					n := g.Add(access(e, loc))
					if e.Kind == Write {
						writes[loc] = append(writes[loc], n)
					}
				case 'U':
					old, value, _ := strings.Cut(word[2:], ",")
					blocks++
					e.Tags, e.Block = locked, blocks
					e = access(e, loc)
					e.Kind, e.Value = Read, number(old)
					r := g.Add(e)
					e.Kind, e.Value = Write, number(value)
					w := g.Add(e)
					writes[loc] = append(writes[loc], w)
					g.RMW.Add(r, w)
				default:
					t.Fatalf("%s: what is %q?", text, word)
				}
			}
		}
	}
	for loc, ws := range writes {
		rank := func(w int) int64 { return g.Events[w].Value }
		for _, order := range co {
			if l, values, _ := strings.Cut(order, ":"); l == loc {
				vs := strings.Split("0,"+values, ",")
				rank = func(w int) int64 { return int64(slices.Index(vs, strconv.FormatInt(g.Events[w].Value, 10))) }
			}
		}
		slices.SortFunc(ws, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
		g.Order(ws...)
	}
	for r := range g.Events {
		if g.Events[r].Kind != Read {
			continue
		}
		for _, w := range writes[g.Events[r].Loc] {
			if g.Events[w].Value == g.Events[r].Value {
				g.RF.Add(w, r)
			}
		}
		if g.Source(r) < 0 {
			t.Fatalf("%s: nothing for %v to read", text, &g.Events[r])
		}
	}
	return g
}

func load(t *testing.T, m Model) *Definition {
	t.Helper()
	d, err := Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func violated(d *Definition, g *Graph) string {
	var names []string
	for _, v := range d.Check(g) {
		names = append(names, v.Axiom.Name)
	}
	return strings.Join(names, " ")
}

// TestLitmus says which axioms the well-known shapes violate under each model;
// nothing where they are allowed.
func TestLitmus(t *testing.T) {
	const hb, co, both = "happens-before", "coherence", "coherence happens-before"
	for _, c := range []struct {
		name, text   string
		co           []string
		sc, tso, pso string
	}{
		{"SB", "Wx1 Ry0 || Wy1 Rx0", nil, hb, "", ""},
		{"SB+mfences", "Wx1 mf Ry0 || Wy1 mf Rx0", nil, hb, hb, hb},
		{"SB+mfence+po", "Wx1 mf Ry0 || Wy1 Rx0", nil, hb, "", ""},
		{"SB+sfences", "Wx1 sf Ry0 || Wy1 sf Rx0", nil, hb, "", ""},
		{"SB+lfences", "Wx1 lf Ry0 || Wy1 lf Rx0", nil, hb, "", ""},
		{"SB+sfence+lfence", "Wx1 sf lf Ry0 || Wy1 lf sf Rx0", nil, hb, "", ""},
		{"SB with exchanges for the writes", "Ux0,1 Ry0 || Uy0,1 Rx0", nil, hb, hb, hb},
		{"SB with one", "Ux0,1 Ry0 || Wy1 Rx0", nil, hb, "", ""},
		{"SB with exchanges for the reads", "Wx1 Uy0,2 || Wy1 Ux0,2", []string{"x:2,1", "y:2,1"}, hb, hb, hb},
		{"SB with exchanges in between", "Wx1 Uz0,1 Ry0 || Wy1 Uv0,1 Rx0", nil, hb, hb, hb},
		{"SB with failed exchanges in between", "Wx1 Az0 Ry0 || Wy1 Av0 Rx0", nil, hb, hb, hb},
		{"SB with one failed exchange in between", "Wx1 Az0 Ry0 || Wy1 Rx0", nil, hb, "", ""},
		{"SB with atomic writes in between", "Wx1 Bz1 Ry0 || Wy1 Bv1 Rx0", nil, hb, hb, hb},
		{"MP with a failed exchange in between", "Wx1 Az0 Wy1 || Ry1 Rx0", nil, hb, hb, hb},
		{"SB with a block in between", "Wx1 { Rz0 mf } Ry0 || Wy1 { mf Rv0 } Rx0", nil, hb, hb, hb},
		{"SB with early reads", "Wx1 Rx1 Ry0 || Wy1 Ry1 Rx0", nil, hb, "", ""},
		{"n5", "Wx1 Rx2 || Wx2 Rx1", nil, both, co, co},
		{"n6", "Wx1 Rx1 Ry0 || Wy1 Wx2", []string{"x:2,1"}, hb, "", ""},
		{"MP", "Wx1 Wy1 || Ry1 Rx0", nil, hb, hb, ""},
		{"MP+sfence", "Wx1 sf Wy1 || Ry1 Rx0", nil, hb, hb, hb},
		{"MP+lfence", "Wx1 lf Wy1 || Ry1 Rx0", nil, hb, hb, ""},
		{"MP+mfence", "Wx1 mf Wy1 || Ry1 Rx0", nil, hb, hb, hb},
		{"MP with an exchange", "Wx1 Uy0,1 || Ry1 Rx0", nil, hb, hb, hb},
		{"MP with an exchange in between", "Wx1 Uz0,1 Wy1 || Ry1 Rx0", nil, hb, hb, hb},
		{"MP+sfence before", "sf Wx1 Wy1 sf || Ry1 Rx0", nil, hb, hb, ""},
		{"LB", "Rx1 Wy1 || Ry1 Wx1", nil, hb, hb, hb},
		{"S", "Wx2 Wy1 || Ry1 Wx1", nil, hb, hb, ""},
		{"S+sfence", "Wx2 sf Wy1 || Ry1 Wx1", nil, hb, hb, hb},
		{"R", "Wx1 Wy1 || Wy2 Rx0", nil, hb, "", ""},
		{"R+mfence", "Wx1 Wy1 || Wy2 mf Rx0", nil, hb, hb, ""},
		{"R+mfences", "Wx1 mf Wy1 || Wy2 mf Rx0", nil, hb, hb, hb},
		{"2+2W", "Wx1 Wy2 || Wy1 Wx2", []string{"x:2,1", "y:2,1"}, hb, hb, ""},
		{"2+2W+sfences", "Wx1 sf Wy2 || Wy1 sf Wx2", []string{"x:2,1", "y:2,1"}, hb, hb, hb},
		{"2+2W+sfence+lfence", "Wx1 sf Wy2 || Wy1 lf Wx2", []string{"x:2,1", "y:2,1"}, hb, hb, ""},
		{"IRIW", "Wx1 || Wy1 || Rx1 Ry0 || Ry1 Rx0", nil, hb, hb, hb},
		{"WRC", "Wx1 || Rx1 Wy1 || Ry1 Rx0", nil, hb, hb, hb},
		{"WWC", "Wx2 || Rx2 Wy1 || Ry1 Wx1", nil, hb, hb, hb},
		{"RWC", "Wx1 || Rx1 Ry0 || Wy1 Rx0", nil, hb, "", ""},
		{"RWC+mfence", "Wx1 || Rx1 Ry0 || Wy1 mf Rx0", nil, hb, hb, hb},
		{"ISA2", "Wx1 Wy1 || Ry1 Wz1 || Rz1 Rx0", nil, hb, hb, ""},

		{"CoRR", "Wx1 || Rx1 Rx0", nil, both, both, both},
		{"CoRR in order", "Wx1 || Rx0 Rx1", nil, "", "", ""},
		{"CoWW", "Wx1 Wx2", []string{"x:2,1"}, both, both, both},
		{"CoWR", "Wx1 Rx0", nil, both, co, co},
		{"CoWR of another", "Wx1 Rx2 || Wx2", []string{"x:2,1"}, both, co, co},
		{"CoRW1", "Rx1 Wx1", nil, both, co, co},
		{"CoRW2", "Rx2 Wx1 || Wx2", nil, both, both, both},
		{"a read of its own write, later overwritten", "Wx1 Rx1 || Wx2", nil, "", "", ""},

		{"two exchanges take turns", "Ux0,1 || Ux1,2", nil, "", "", ""},
		{"two exchanges read one value", "Ux0,1 || Ux0,2", nil, "atomicity " + hb, "atomicity " + hb, "atomicity " + hb},
		{"a write comes between", "Ux0,2 || Wx1", nil, "atomicity " + hb, "atomicity " + hb, "atomicity " + hb},
		{"an exchange reads what overwrites it", "Ux2,1 || Wx2", nil, both, both, both},
		{"an exchange reads itself", "Ux1,1", nil, co, co, co},

		{"a block is seen whole", "{ Wx1 Wy1 } || Ry1 Rx0", nil, hb, hb, hb},
		{"a block is not seen half", "{ Wx1 Wy1 } || Rx1 Ry0", nil, hb, hb, hb},
		{"without the block it is", "Wx1 Wy1 || Rx1 Ry0", nil, "", "", ""},
		{"a block sees all at once", "Wx1 Wy1 || { Rx0 Ry1 }", nil, hb, hb, ""},
		{"without the block it need not", "Wx1 Wy1 || Rx0 Ry1", nil, "", "", ""},
		{"two blocks add up", "{ Rx0 Wx1 } || { Rx0 Wx2 }", nil, hb, hb, hb},
	} {
		g := litmus(t, c.text, c.co...)
		for m, want := range map[Model]string{SC: c.sc, TSO: c.tso, PSO: c.pso} {
			d := load(t, m)
			if got := violated(d, g); got != want {
				t.Errorf("%s, %s: violates %q, want %q\n%v", c.name, m, got, want, g)
			}
			if d.Consistent(g) != (want == "") || d.Refutes(g) != (want != "") {
				t.Errorf("%s, %s: consistent %v, refuted %v", c.name, m, d.Consistent(g), d.Refutes(g))
			}
			if got := violated(d, g.Sorted()); got != want {
				t.Errorf("%s, %s: sorted, it violates %q", c.name, m, got)
			}
		}
	}
}

// TestWitness looks at the words in which violations are told.
func TestWitness(t *testing.T) {
	for _, c := range []struct {
		name, text string
		model      Model
		want       []string
	}{
		{"SB", "Wx1 Ry0 || Wy1 Rx0", SC, []string{
			"happens-before (acyclic together(hb)): P0: W x=1 -po-> P0: R y=0 -fr-> P1: W y=1 -po-> P1: R x=0 -fr-> P0: W x=1"}},
		{"SB+mfences", "Wx1 mf Ry0 || Wy1 mf Rx0", TSO, []string{
			"happens-before (acyclic together(ghb)): P0: W x=1 -po-> P0: mfence -po-> P0: R y=0 -fr-> P1: W y=1 -po-> P1: mfence -po-> P1: R x=0 -fr-> P0: W x=1"}},
		{"MP", "Wx1 Wy1 || Ry1 Rx0", TSO, []string{
			"happens-before (acyclic together(ghb)): P0: W x=1 -po-> P0: W y=1 -rf-> P1: R y=1 -po-> P1: R x=0 -fr-> P0: W x=1"}},
		{"CoRR", "Wx1 || Rx1 Rx0", TSO, []string{
			"coherence (acyclic po-loc | com): P0: W x=1 -rf-> P1: R x=1 -po-> P1: R x=0 -fr-> P0: W x=1",
			"happens-before (acyclic together(ghb)): P0: W x=1 -rf-> P1: R x=1 -po-> P1: R x=0 -fr-> P0: W x=1"}},
		{"exchanges", "Ux0,1 || Ux0,2", TSO, []string{
			"atomicity (empty rmw & (fre; coe)): P1: R x=0 -rmw-> P1: W x=2, P1: R x=0 -fr-> P0: W x=1 -co-> P1: W x=2",
			"happens-before (acyclic together(ghb)): P0: W x=1 -co-> P1: W x=2 -block-> P1: R x=0 -fr-> P0: W x=1"}},
	} {
		g := litmus(t, c.text).Sorted()
		vs := load(t, c.model).Check(g)
		for i := range max(len(vs), len(c.want)) {
			got, want := "", ""
			if i < len(vs) {
				got = vs[i].Format(g)
			}
			if i < len(c.want) {
				want = c.want[i]
			}
			if got != want {
				t.Errorf("%s, %s:\n got %s\nwant %s", c.name, c.model, got, want)
			}
		}
	}
}
