package report

import (
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// ring is a graph in which each of n threads writes a location and then reads
// that of the next, from the initial write.
func ring(n int) (*memory.Graph, []memory.Step) {
	g := &memory.Graph{}
	inits, writes, reads := make([]int, n), make([]int, n), make([]int, n)
	names := strings.Split("x y z <&\"> \x01e", " ")
	for i := range n {
		inits[i] = g.Add(memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Addr: int64(i), Loc: names[i%5]})
	}
	for i := range n {
		next := (i + 1) % n
		writes[i] = g.Add(memory.Event{Thread: i, Kind: memory.Write, Addr: int64(i), Value: 1, Loc: names[i%5], Text: "store <&>"})
		g.Add(memory.Event{Thread: i, Kind: memory.Fence, Tags: program.NewTags(program.TagSFence)})
		reads[i] = g.Add(memory.Event{Thread: i, Kind: memory.Read, Addr: int64(next), Loc: names[next%5]})
	}
	var cycle []memory.Step
	for i := range n {
		next := (i + 1) % n
		g.Order(inits[i], writes[i])
		g.RF.Add(inits[next], reads[i])
		cycle = append(cycle, memory.Step{From: writes[i], To: reads[i], Relation: "po"}, memory.Step{From: reads[i], To: writes[next], Relation: "fr"})
	}
	return g, cycle
}

func TestSVG(t *testing.T) {
	for _, n := range []int{0, 1, 2, 5, 9} {
		g, cycle := ring(n)
		var b strings.Builder
		if err := SVG(&b, &Drawing{Graph: g, Title: "a <ring> & \"more\" \x02", Cycle: cycle}); err != nil {
			t.Fatal(err)
		}
		// Well-formed, and without numbers that are none.
		d := xml.NewDecoder(strings.NewReader(b.String()))
		count := map[string]int{}
		for {
			tok, err := d.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%d threads: %v\n%s", n, err, b.String())
			}
			if e, ok := tok.(xml.StartElement); ok {
				count[e.Name.Local]++
			}
		}
		if strings.Contains(b.String(), "NaN") || strings.Contains(b.String(), "Inf") {
			t.Errorf("%d threads: %s", n, b.String())
		}
		if want := 4*n + 1; count["rect"] != want {
			t.Errorf("%d threads: %d rectangles, want %d", n, count["rect"], want)
		}
		// po, po, po of the cycle, rf, fr, and the heads of the arrows.
		if n > 1 && count["path"] != 5*n+3 {
			t.Errorf("%d threads: %d paths", n, count["path"])
		}
		var again strings.Builder
		SVG(&again, &Drawing{Graph: g, Title: "a <ring> & \"more\" \x02", Cycle: cycle})
		if again.String() != b.String() {
			t.Errorf("%d threads: another picture each time", n)
		}
	}
}

// Events do not lie on each other, nor labels on events.
func TestSVGOverlap(t *testing.T) {
	g, cycle := ring(6)
	s := newSheet(&Drawing{Graph: g, Title: "ring", Cycle: cycle})
	for i, r := range s.boxes {
		for k, q := range s.boxes[:i] {
			if r.overlap(q) > 0 {
				t.Errorf("events %d and %d overlap", i, k)
			}
		}
		for _, e := range s.paths {
			if r.overlap(e.label) > 0 {
				t.Errorf("the label of %+v lies on event %d", e.drawnEdge, i)
			}
		}
		if r.w > 0 && r.overlap(s.area) < r.w*r.h-1e-9 {
			t.Errorf("event %d lies outside of the picture", i)
		}
	}
}

// A read-modify-write is one node, and of many events those are drawn that have to do with others.
func TestFigure(t *testing.T) {
	g := &memory.Graph{}
	init := g.Add(memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Loc: "x"})
	last := init
	for i := range 40 { // 39 of one thread alone, of which nobody reads but the last
		w := g.Add(memory.Event{Kind: memory.Write, Loc: "x", Value: int64(i + 1), Pos: program.Position{Line: i + 1}})
		g.CO.Add(init, w)
		last = w
	}
	for v := 1; v < 40; v++ {
		g.Order(init+v, init+v+1)
	}
	for i := range 40 {
		for j := i + 1; j < 40; j++ {
			g.CO.Add(init+1+i, init+1+j)
		}
	}
	r := g.Add(memory.Event{Thread: 1, Loc: "x", Value: 40, Block: 1})
	w := g.Add(memory.Event{Thread: 1, Kind: memory.Write, Loc: "x", Value: 41, Block: 1})
	g.RF.Add(last, r)
	g.RMW.Add(r, w)
	for i := range w {
		if g.Events[i].Kind == memory.Write {
			g.CO.Add(i, w)
		}
	}
	f := newFigure(&Drawing{Graph: g})
	if f.left != 39 || len(f.nodes) != 2 || len(f.edges) != 2 {
		t.Errorf("%d left out, nodes %v, edges %v", f.left, f.nodes, f.edges)
	}
	if got := f.label(1); got != "ao-ap: RMW x=40→41" {
		t.Errorf("%s", got)
	}
	if f = newFigure(&Drawing{Graph: g, All: true}); f.left != 0 || len(f.nodes) != 41 {
		t.Errorf("%d left out, nodes %v", f.left, f.nodes)
	}
	rows := f.rows()
	for _, e := range f.edges {
		if from, to := rows[f.node[e.from]], rows[f.node[e.to]]; from > to || e.relation == "po" && from == to {
			t.Errorf("%v goes from row %d to %d", e, from, to)
		}
	}
}

func TestDOT(t *testing.T) {
	g, cycle := ring(2)
	var b strings.Builder
	if err := DOT(&b, &Drawing{Graph: g, Title: `a "ring" & \n`, Cycle: cycle}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`digraph "a \"ring\" &amp; \\n" {`, `label="P1"`, `label="a: W x=1"`, `label="b: sfence"`, `label="init x=0"`, `e4 -> e5 [label="fr", color="#e08000"`, "penwidth=2.5",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
	if n := len(regexp.MustCompile(`\[label="rf"`).FindAllString(b.String(), -1)); n != 2 {
		t.Errorf("%d rf", n)
	}
}

func TestLetters(t *testing.T) {
	for n, want := range map[int]string{0: "a", 25: "z", 26: "aa", 27: "ab", 52: "ba", 702: "aaa"} {
		if got := letter(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// TestLargeFigure: a graph of hundreds of events is drawn in a while, too.
func TestLargeFigure(t *testing.T) {
	g := &memory.Graph{}
	const threads, each = 4, 60
	for th := range threads {
		for i := range each {
			e := memory.Event{Thread: th, Loc: "x", Value: int64(i)}
			if i%2 == 0 {
				e.Kind = memory.Write
			}
			g.Add(e)
		}
	}
	var writes []int
	for i := range each {
		for th := range threads {
			e := th*each + i
			if g.Events[e].Kind == memory.Write {
				writes = append(writes, e)
			} else {
				g.RF.Add(writes[len(writes)-1-th%2], e)
			}
		}
	}
	g.Order(writes...)
	s := newSheet(&Drawing{Graph: g, All: true})
	if len(s.boxes) != threads*each || len(s.paths) != len(s.edges) {
		t.Errorf("%d boxes, %d of %d arrows", len(s.boxes), len(s.paths), len(s.edges))
	}
}
