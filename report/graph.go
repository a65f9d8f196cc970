package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Drawing is an execution graph to be drawn, by [DOT] or [SVG]. Initial writes
// are left out, as herd7 does it; an arrow out of nowhere marks what reads from
// them.
type Drawing struct {
	Program *program.Program // for the names of threads; may be nil
	Graph   *memory.Graph
	Title   string
	// Cycle is steps to stand out, such as those of a violation.
	Cycle []memory.Step
}

// A drawnEdge is a pair of a relation that is drawn.
type drawnEdge struct {
	from, to int // from is -1 for an initial write
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

// edges lists what is drawn: of the transitive relations what the rest follows
// from, and of the others everything. A step of the cycle that is not among
// these is drawn as well.
func (d *Drawing) edges() []drawnEdge {
	g := d.Graph
	var es []drawnEdge
	add := func(relation string, r memory.Relation) {
		for _, p := range r.Pairs() {
			if p[0] == p[1] || g.Events[p[1]].Initial() {
				continue
			}
			e := drawnEdge{from: p[0], to: p[1], relation: relation}
			if g.Events[p[0]].Initial() {
				if relation != "rf" {
					continue
				}
				e.from = -1
			}
			es = append(es, e)
		}
	}
	co := immediate(g.CO)
	add("po", immediate(g.PO))
	add("rf", g.RF)
	add("co", co)
	add("fr", g.RF.Inverse().Sequence(co))
	add("rmw", g.RMW)
	for _, s := range d.Cycle {
		if r, ok := strings.CutSuffix(s.Relation, "^-1"); ok {
			s = memory.Step{From: s.To, To: s.From, Relation: r}
		}
		if s.From == s.To || g.Events[s.From].Initial() || g.Events[s.To].Initial() {
			continue
		}
		at := slices.IndexFunc(es, func(e drawnEdge) bool {
			return e.from == s.From && e.to == s.To && e.relation == s.Relation
		})
		if at < 0 {
			at = len(es)
			es = append(es, drawnEdge{from: s.From, to: s.To, relation: s.Relation})
		}
		es[at].bold = true
	}
	return es
}

// immediate is the pairs of a transitive relation that do not follow from
// others.
func immediate(r memory.Relation) memory.Relation { return r.Difference(r.Sequence(r)) }

// threads lists the numbers of the threads that have events.
func (d *Drawing) threads() []int {
	var ts []int
	for i := range d.Graph.Events {
		if e := &d.Graph.Events[i]; !e.Initial() && !slices.Contains(ts, e.Thread) {
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

// label is an event with its letter, as it is drawn: "a: W x=1".
func label(g *memory.Graph, names []string, i int) string {
	if names[i] == "" {
		return oneLine(g.Events[i].String())
	}
	return names[i] + ": " + oneLine(g.Events[i].String())
}
