package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/memory/cat"
)

// Models lists models with the sentence with which the text of each begins.
func Models(w io.Writer, defs []*memory.Definition) error {
	width := 0
	for _, d := range defs {
		width = max(width, length(string(d.Model)))
	}
	var b strings.Builder
	for _, d := range defs {
		indent := strings.Repeat(" ", width+2)
		lines := wrap(summary(d.Source), defaultWidth-width-2, 0)
		fmt.Fprintln(&b, strings.TrimRight(pad(string(d.Model), width)+"  "+strings.Join(lines, "\n"+indent), " "))
	}
	return write(w, &b)
}

// summary is the first sentence of the first comment in a model.
func summary(source string) string {
	_, rest, _ := strings.Cut(source, "(*")
	comment, _, _ := strings.Cut(rest, "*)")
	sentence, _, _ := strings.Cut(oneLine(comment)+" ", ". ")
	return strings.TrimSuffix(strings.TrimSpace(sentence), ".")
}

// Model says what a model consists of.
func Model(w io.Writer, d *memory.Definition) error {
	var b strings.Builder
	fmt.Fprint(&b, oneLine(string(d.Model)))
	if d.Name != "" {
		fmt.Fprintf(&b, ": %s", oneLine(d.Name))
	}
	b.WriteByte('\n')
	for _, a := range d.Cat.Axioms {
		kind := "axiom"
		if a.Flag {
			kind = "flag"
		}
		fmt.Fprintf(&b, "  %-5s  %s", kind, axiomText(a))
		if a.Source != nil && a.Source.Name != string(d.Model) {
			fmt.Fprintf(&b, "  (%s, line %d)\n", oneLine(a.Source.Name), a.Pos.Line)
		} else {
			fmt.Fprintf(&b, "  (line %d)\n", a.Pos.Line)
		}
	}
	if what := d.Cat.Unfolds(); what != nil {
		fmt.Fprintf(&b, "  axioms that depend on the execution: %s (%s, line %d)\n", oneLine(what.Msg), oneLine(what.Source.Name), what.Pos.Line)
	} else if len(d.Cat.Axioms) == 0 {
		b.WriteString("  no axioms: every execution is allowed\n")
	}
	return write(w, &b)
}

// axiomText is the name of an axiom, and what it says unless the name is that.
func axiomText(a *cat.Axiom) string {
	if a.Name == a.Text {
		return oneLine(a.Text)
	}
	return oneLine(a.Name) + ": " + oneLine(a.Text)
}
