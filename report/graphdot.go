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
	f := newFigure(d)
	rows := f.rows()
	fmt.Fprintf(b, "digraph %s {\n", quoteDOT(f.title()))
	fmt.Fprintf(b, "\tlabel=%s;\n\tlabelloc=t;\n\tsplines=true;\n\tnode [shape=box, style=rounded, fontname=\"monospace\"];\n\tedge [fontname=\"sans-serif\", fontsize=11];\n", quoteDOT(f.title()))
	node := func(n, col int, indent string) {
		label := f.label(n)
		if place := f.place(n); place != "" {
			label += "\n" + place
		}
		fmt.Fprintf(b, "%se%d [label=%s, pos=\"%d,%d!\"];\n", indent, n, quoteDOT(label), 200*col, -90*rows[n])
	}
	for n, events := range f.nodes {
		if f.Graph.Events[events[0]].Initial() {
			node(n, n, "\t")
		}
	}
	for col, t := range f.threads() {
		fmt.Fprintf(b, "\tsubgraph cluster_%d {\n\t\tlabel=%s;\n\t\tcolor=\"#dddddd\";\n", col, quoteDOT(f.threadName(t)))
		for n, events := range f.nodes {
			if f.Graph.Events[events[0]].Thread == t {
				node(n, col, "\t\t")
			}
		}
		fmt.Fprintln(b, "\t}")
	}
	for _, e := range f.edges {
		style := ""
		if e.bold {
			style = ", penwidth=2.5"
		}
		if e.relation != "po" {
			style += ", constraint=false"
		}
		fmt.Fprintf(b, "\te%d -> e%d [label=%s, color=%q, fontcolor=%q%s];\n",
			f.node[e.from], f.node[e.to], quoteDOT(e.relation), edgeColour(e.relation), edgeColour(e.relation), style)
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}

// quoteDOT quotes s so that Graphviz shows exactly s. In a label a backslash
// begins an escape sequence and an ampersand an HTML entity.
func quoteDOT(s string) string {
	var lines []string
	for l := range strings.SplitSeq(s, "\n") {
		lines = append(lines, strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;").Replace(oneLine(l)))
	}
	return `"` + strings.Join(lines, `\n`) + `"`
}
