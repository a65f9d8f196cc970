package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Moment writes where a run that is stepped through stands, and what can be done next.
func Moment(w io.Writer, m *verdict.Moment) error {
	var b strings.Builder
	switch {
	case m.Done < 0:
		b.WriteString("beside the saved run\n")
	default:
		fmt.Fprintf(&b, "after step %d of %d\n", m.Done, m.Of)
	}
	fmt.Fprintf(&b, "  memory  %s\n", named(m.Memory))
	width := len("memory")
	for _, t := range m.Threads {
		width = max(width, length(t.Name))
	}
	for i := range m.Threads {
		t := &m.Threads[i]
		fmt.Fprintf(&b, "  %s  at %s", pad(t.Name, width), t.At)
		if len(t.Regs) > 0 {
			fmt.Fprintf(&b, "; %s", named(t.Regs))
		}
		if len(t.Buffer) > 0 {
			fmt.Fprintf(&b, "; buffer, oldest first: %s", named(t.Buffer))
		}
		b.WriteString("\n")
		if t.Values != nil {
			fmt.Fprintf(&b, "  %s  can read next, after the same steps: %s\n", pad("", width), readable(m.Memory[t.Next].Name, t.Values))
		}
	}
	if m.Ends != "" {
		fmt.Fprintf(&b, "  violated here: %s\n", m.Ends)
	}
	for i, s := range m.Steps {
		mark := " "
		if s.Saved {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %2d  %s  %s\n", mark, i+1, pad(s.Thread, width), s.Text)
	}
	if len(m.Steps) == 0 {
		b.WriteString("  no step is possible\n")
	}
	return write(w, &b)
}

func named(all []verdict.Named) string {
	var parts []string
	for _, n := range all {
		parts = append(parts, fmt.Sprintf("%s=%d", n.Name, n.Value))
	}
	return strings.Join(parts, " ")
}

// readable is "x=0 under sc, x=0 or 1 under tso".
func readable(cell string, values map[memory.Model][]int64) string {
	var parts []string
	for _, m := range memory.Operational() {
		vs, ok := values[m]
		if !ok {
			continue
		}
		text := "nothing: it does not allow them"
		if len(vs) > 0 {
			text = cell + " = " + strings.ReplaceAll(strings.Trim(fmt.Sprint(vs), "[]"), " ", " or ")
		}
		parts = append(parts, fmt.Sprintf("%s: %s", m, text))
	}
	return strings.Join(parts, "; ")
}
