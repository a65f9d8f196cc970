package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Drawing is an execution graph to be drawn, by [DOT] or [SVG]. The read and the write of a
// read-modify-write are one node. An initial write is a node where something reads from it, or
// the cycle goes through it.
type Drawing struct {
	Program *program.Program // for the names of threads; may be nil
	Graph   *memory.Graph
	Title   string
	// Cycle is steps to stand out, such as those of a violation.
	Cycle []memory.Step
	// All draws all events, also of a graph with more than manyEvents.
	All bool
}

// manyEvents is from how many events on those are left out that have nothing to do with other
// threads.
const manyEvents = 30

// RunDrawing is the execution of a run with a history, to be drawn; nil where there is none.
func RunDrawing(run *verdict.Run, title string) *Drawing {
	if run == nil || run.History == nil {
		return nil
	}
	return &Drawing{Program: run.Program, Graph: run.History.Graph, Title: title, Cycle: run.History.Cycle}
}

// Convicted is the execution that shows that a program is unsafe, to be drawn; nil where there
// is none.
func Convicted(r *verdict.Result) *Drawing {
	switch x := r.Execution(); {
	case x != nil:
		return &Drawing{Program: x.Program, Graph: x.Graph, Title: fmt.Sprintf("%s: %s", x.Program.Name, oneLine(x.Violation.Text))}
	case r.Run() != nil && r.Violation() != nil:
		return RunDrawing(r.Run(), fmt.Sprintf("%s: %s", r.Program().Name, oneLine(r.Violation().Text)))
	}
	return nil
}

// A drawnEdge is a pair of a relation that is drawn.
type drawnEdge struct {
	from, to int // events
	relation string
	bold     bool
}

// colours of relations are those of herd7.
var colours = map[string]string{
	"po": "#333333", "rf": "#d62728", "co": "#1f4fd8", "fr": "#e08000", "rmw": "#7a7a7a",
}

func edgeColour(relation string) string {
	if c := colours[relation]; c != "" {
		return c
	}
	return "#7030a0"
}

// A figure is what of a drawing is drawn: nodes, of one event or two, and edges.
type figure struct {
	*Drawing
	names []string // by event: the letter
	nodes [][]int  // events, ascending
	node  []int    // by event: its node, or -1
	edges []drawnEdge
	left  int // events that are left out
}

func newFigure(d *Drawing) *figure {
	f := &figure{Drawing: d, names: letters(d.Graph), node: slices.Repeat([]int{-1}, len(d.Graph.Events))}
	shown := f.shown()
	writes := map[int]int{} // by the read of a read-modify-write
	for _, p := range d.Graph.RMW.Pairs() {
		writes[p[0]] = p[1]
	}
	for i := range d.Graph.Events {
		if !shown[i] {
			if !d.Graph.Events[i].Initial() {
				f.left++
			}
			continue
		}
		if f.node[i] >= 0 {
			continue
		}
		f.node[i] = len(f.nodes)
		events := []int{i}
		if w, ok := writes[i]; ok && shown[w] && f.node[w] < 0 && d.Graph.Events[w].Index == d.Graph.Events[i].Index+1 {
			events, f.node[w] = append(events, w), f.node[i]
		}
		f.nodes = append(f.nodes, events)
	}
	f.connect(shown)
	return f
}

// shown is the events that are drawn.
func (d *Drawing) shown() []bool {
	g := d.Graph
	shown := make([]bool, len(g.Events))
	events := 0
	for i := range g.Events {
		if !g.Events[i].Initial() {
			shown[i] = true
			events++
		}
	}
	if events > manyEvents && !d.All {
		external := d.external()
		for i := range g.Events {
			shown[i] = shown[i] && (g.Events[i].Kind == memory.Fence || external[i])
		}
	}
	for _, s := range d.Cycle {
		shown[s.From], shown[s.To] = true, true
	}
	for _, p := range g.RMW.Pairs() {
		both := shown[p[0]] || shown[p[1]]
		shown[p[0]], shown[p[1]] = both, both
	}
	for _, p := range g.RF.Pairs() {
		if shown[p[1]] && g.Events[p[0]].Initial() {
			shown[p[0]] = true
		}
	}
	return shown
}

// external is whether another thread has to do with an event: it reads from it, is read from,
// or comes right before or after it in coherence, or from-reads.
func (d *Drawing) external() []bool {
	g := d.Graph
	is := make([]bool, len(g.Events))
	co := immediate(g.CO)
	for _, r := range []memory.Relation{g.RF, co, g.RF.Inverse().Sequence(co)} {
		for _, p := range r.Pairs() {
			if a, b := &g.Events[p[0]], &g.Events[p[1]]; !a.Initial() && !b.Initial() && a.Thread != b.Thread {
				is[p[0]], is[p[1]] = true, true
			}
		}
	}
	return is
}

// connect lists the edges that are drawn: of the transitive relations what the rest follows
// from, and of the others everything. A step of the cycle that is not among
// these is drawn as well.
func (f *figure) connect(shown []bool) {
	g := f.Graph
	add := func(relation string, r memory.Relation) {
		for _, p := range r.Pairs() {
			if !shown[p[0]] || !shown[p[1]] || f.node[p[0]] == f.node[p[1]] {
				continue
			}
			if g.Events[p[0]].Initial() && relation != "rf" || g.Events[p[1]].Initial() {
				continue
			}
			if e := (drawnEdge{from: p[0], to: p[1], relation: relation}); !slices.ContainsFunc(f.edges, f.like(e)) {
				f.edges = append(f.edges, e)
			}
		}
	}
	co := immediate(g.CO)
	add("po", immediate(among(g.PO, shown)))
	add("rf", g.RF)
	add("co", co)
	add("fr", g.RF.Inverse().Sequence(co))
	add("rmw", g.RMW)
	for _, s := range f.Cycle {
		if r, ok := strings.CutSuffix(s.Relation, "^-1"); ok {
			s = memory.Step{From: s.To, To: s.From, Relation: r}
		}
		e := drawnEdge{from: s.From, to: s.To, relation: s.Relation}
		if f.node[s.From] == f.node[s.To] {
			continue
		}
		at := slices.IndexFunc(f.edges, f.like(e))
		if at < 0 {
			at = len(f.edges)
			f.edges = append(f.edges, e)
		}
		f.edges[at].bold = true
	}
}

// like is true of edges of the same relation between the same nodes.
func (f *figure) like(e drawnEdge) func(drawnEdge) bool {
	return func(o drawnEdge) bool {
		return o.relation == e.relation && f.node[o.from] == f.node[e.from] && f.node[o.to] == f.node[e.to]
	}
}

// immediate is the pairs of a transitive relation that do not follow from
// others.
func immediate(r memory.Relation) memory.Relation { return r.Difference(r.Sequence(r)) }

// among is the pairs of events that are shown.
func among(r memory.Relation, shown []bool) memory.Relation {
	some := memory.NewRelation(r.Len())
	for _, p := range r.Pairs() {
		if shown[p[0]] && shown[p[1]] {
			some.Add(p[0], p[1])
		}
	}
	return some
}

// threads lists the numbers of the threads that have events.
func (f *figure) threads() []int {
	var ts []int
	for _, events := range f.nodes {
		if e := &f.Graph.Events[events[0]]; !e.Initial() && !slices.Contains(ts, e.Thread) {
			ts = append(ts, e.Thread)
		}
	}
	slices.Sort(ts)
	return ts
}

func (d *Drawing) threadName(t int) string {
	if d.Program == nil {
		return fmt.Sprintf("P%d", t)
	}
	return threadName(d.Program, t)
}

// title says also what is left out.
func (f *figure) title() string {
	if f.left == 0 {
		return f.Title
	}
	return fmt.Sprintf("%s (%s that no other thread has to do with left out)", f.Title, many(f.left, "event"))
}

// letters names the events as the literature does: a, b, c. Initial writes have
// no letter.
func letters(g *memory.Graph) []string {
	names := make([]string, len(g.Events))
	n := 0
	for i := range g.Events {
		if g.Events[i].Initial() {
			continue
		}
		names[i] = letter(n)
		n++
	}
	return names
}

func letter(n int) string {
	if n < 26 {
		return string(rune('a' + n))
	}
	return letter(n/26-1) + letter(n%26)
}

// label is a node with its letters, as it is drawn: "a: W x=1", or "c-d: RMW x=0→1".
func (f *figure) label(n int) string {
	events := f.nodes[n]
	first := &f.Graph.Events[events[0]]
	text := oneLine(first.String())
	if first.Initial() {
		return "init " + text[2:]
	}
	if len(events) == 1 {
		return f.names[events[0]] + ": " + text
	}
	return fmt.Sprintf("%s-%s: RMW %s→%d", f.names[events[0]], f.names[events[1]], text[2:], f.Graph.Events[events[1]].Value)
}

// place is where a node is in the source, as it is drawn.
func (f *figure) place(n int) string {
	p := f.Graph.Events[f.nodes[n][0]].Pos
	if !p.IsValid() {
		return ""
	}
	return oneLine(p.Where())
}

// onCycle is, by node, whether the cycle goes through it.
func (f *figure) onCycle() []bool {
	on := make([]bool, len(f.nodes))
	for _, s := range f.Cycle {
		on[f.node[s.From]], on[f.node[s.To]] = true, true
	}
	return on
}
