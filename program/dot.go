package program

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// WriteDOT draws the threads side by side, in the language of Graphviz. An
// arrow from a dot leads to each initial state; states with labels are filled
// and show them.
func WriteDOT(w io.Writer, p *Program) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "digraph %s {\n", dotString(p.Name))
	b.WriteString("\tnode [shape=ellipse];\n")
	for ti, t := range p.Threads {
		fmt.Fprintf(&b, "\tsubgraph cluster_%d {\n", ti)
		fmt.Fprintf(&b, "\t\tlabel=%s;\n", dotString(t.Name))
		fmt.Fprintf(&b, "\t\tt%d [shape=point];\n", ti)
		for q := range t.States {
			s := &t.States[q]
			style := ""
			if len(s.Labels) > 0 {
				style = ", style=filled"
			}
			text := strings.Join(append([]string{s.Name}, s.Labels...), "\n")
			fmt.Fprintf(&b, "\t\tt%d_%d [label=%s%s];\n", ti, q, dotString(text), style)
		}
		fmt.Fprintf(&b, "\t\tt%d -> t%d_%d;\n", ti, ti, t.Initial)
		for i := range t.Edges {
			e := &t.Edges[i]
			text := e.Cmd.Format(p, t)
			if e.Cmd.Op == Atomic {
				text = strings.ReplaceAll(text, "; ", ";\n")
			}
			fmt.Fprintf(&b, "\t\tt%d_%d -> t%d_%d [label=%s];\n", ti, e.From, ti, e.To, dotString(text))
		}
		b.WriteString("\t}\n")
	}
	b.WriteString("}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// dotString quotes s so that Graphviz shows exactly s. In a label a backslash
// begins an escape sequence and an ampersand an HTML entity.
func dotString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '&':
			b.WriteString("&amp;")
		case !unicode.IsPrint(r):
			b.WriteRune(unicode.ReplacementChar)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
