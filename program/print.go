package program

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// String is the type as C programmers abbreviate it: int32, uint8; one unsigned
// bit is a bool.
func (t Type) String() string {
	switch {
	case t == BoolType:
		return "bool"
	case t.Signed:
		return fmt.Sprintf("int%d", t.Bits)
	}
	return fmt.Sprintf("uint%d", t.Bits)
}

// Print writes the whole model for people to read: memory and registers with
// their types and initial values, every control state with the edges that leave
// it, and the properties.
func Print(w io.Writer, p *Program) error {
	var buf bytes.Buffer
	tw := tabwriter.NewWriter(&buf, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "program %s\n", p.Name)

	fmt.Fprintf(tw, "\nmemory\n")
	for _, c := range p.Memory {
		fmt.Fprintf(tw, "  [%d]\t%s\t%v\t%s\n", c.Addr, c.Name, c.Type, c.Type.Format(c.Init))
	}
	tw.Flush()
	fmt.Fprintf(tw, "  other cells are %v\n", p.Default)

	for _, t := range p.Threads {
		fmt.Fprintf(tw, "\nthread %s\n", t.Name)
		for _, r := range t.Regs {
			temp := ""
			if r.Temp {
				temp = "temporary"
			}
			fmt.Fprintf(tw, "  %s\t%v\t%s\t%s\n", r.Name, r.Type, r.Type.Format(r.Init), temp)
		}
		tw.Flush()
		if len(t.Regs) > 0 {
			fmt.Fprintln(tw)
		}
		for q, out := range t.Out() {
			printState(tw, p, t, StateID(q), out)
		}
		tw.Flush()
	}

	if len(p.Properties) > 0 || p.NoHang {
		fmt.Fprintln(tw)
	}
	for i := range p.Properties {
		pr := &p.Properties[i]
		fmt.Fprintf(tw, "%s\t%s\n", propertyText(pr), lineText(pr.Pos))
	}
	if p.NoHang {
		fmt.Fprintln(tw, "forbid hang")
	}
	tw.Flush()

	// Cells that stay empty at the end of a row leave their padding behind.
	for line := range bytes.Lines(buf.Bytes()) {
		if _, err := w.Write(append(bytes.TrimRight(line, " \n"), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// longCommand is how long a command may be for the others to make room for it: what comes after one that
// is longer does not stand in its column.
const longCommand = 200

// printState writes a row for every edge that leaves q, or one that says that
// there is none.
func printState(w io.Writer, p *Program, t *Thread, q StateID, out []int) {
	s := &t.States[q]
	var notes []string
	if q == t.Initial {
		notes = append(notes, "(initial)")
	}
	if s.Kind != Plain {
		notes = append(notes, "("+s.Kind.String()+")")
	}
	for _, l := range s.Labels {
		notes = append(notes, "(label "+l+")")
	}
	note := strings.Join(notes, " ")
	if len(out) == 0 {
		fmt.Fprintf(w, "  %s\t\t\t%s\t%s\n", s.Name, lineText(s.Pos), note)
	}
	for _, i := range out {
		e := &t.Edges[i]
		layout := "  %s\t%s\t-> %s\t%s\t%s\n"
		cmd := e.Cmd.Format(p, t)
		if len(cmd) > longCommand {
			layout = "  %s\t%s  -> %s  %s  %s\n"
		}
		fmt.Fprintf(w, layout, s.Name, cmd, t.States[e.To].Name, lineText(e.Pos), note)
		note = "" // once a state is enough
	}
}

func propertyText(pr *Property) string {
	if pr.Cond == nil {
		return pr.Kind.String()
	}
	return pr.Kind.String() + " " + pr.Cond.String()
}

func lineText(pos Position) string {
	if !pos.IsValid() {
		return ""
	}
	return pos.Where()
}

// Fingerprint tells programs apart: it is a hash of what [Print] prints.
func Fingerprint(p *Program) string {
	h := sha256.New()
	Print(h, p) // a hash does not fail
	return fmt.Sprintf("%x", h.Sum(nil))
}
