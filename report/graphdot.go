package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// DOT writes a drawing for Graphviz: a column for every thread. dot lays it out;
// neato -n takes the places that are given.
func DOT(w io.Writer, d *Drawing) error {
	b := bufio.NewWriter(w)
	g := d.Graph
	names := letters(g)
	fmt.Fprintf(b, "digraph %s {\n", quoteDOT(d.Title))
	fmt.Fprintf(b, "\tlabel=%s;\n\tlabelloc=t;\n\tsplines=true;\n\tnode [shape=box, style=rounded, fontname=\"monospace\"];\n\tedge [fontname=\"sans-serif\", fontsize=11];\n", quoteDOT(d.Title))
	for col, t := range d.threads() {
		fmt.Fprintf(b, "\tsubgraph cluster_%d {\n\t\tlabel=%s;\n\t\tcolor=\"#dddddd\";\n", col, quoteDOT(d.threadName(t)))
		for i := range g.Events {
			if e := &g.Events[i]; e.Thread == t {
				fmt.Fprintf(b, "\t\te%d [label=%s, pos=\"%d,%d!\"];\n", i, quoteDOT(label(g, names, i)), 200*col, -90*e.Index)
			}
		}
		fmt.Fprintln(b, "\t}")
	}
	for i, e := range d.edges() {
		from := fmt.Sprintf("e%d", e.from)
		if e.from < 0 {
			from = fmt.Sprintf("i%d", i)
			fmt.Fprintf(b, "\t%s [shape=none, label=\"\", width=0, height=0];\n", from)
		}
		style := ""
		if e.bold {
			style = ", penwidth=2.5"
		}
		if e.relation != "po" {
			style += ", constraint=false"
		}
		fmt.Fprintf(b, "\t%s -> e%d [label=%s, color=%q, fontcolor=%q%s];\n",
			from, e.to, quoteDOT(e.relation), edgeColour(e.relation), edgeColour(e.relation), style)
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}

// quoteDOT quotes s so that Graphviz shows exactly s. In a label a backslash
// begins an escape sequence and an ampersand an HTML entity.
func quoteDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(oneLine(s)) + `"`
}
