package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/verdict"
)

type jsonApart struct {
	A          string         `json:"a"`
	B          string         `json:"b"`
	Arch       string         `json:"arch"`
	Apart      bool           `json:"apart"`
	Test       *jsonApartTest `json:"test,omitempty"`
	Done       int            `json:"done"` // no test up to this size tells them apart
	Tests      int            `json:"tests"`
	Incomplete string         `json:"incomplete,omitempty"`
	Seconds    float64        `json:"seconds"`
}

type jsonApartTest struct {
	Name    string `json:"name"`
	Cycle   string `json:"cycle"`
	Size    int    `json:"size"`
	Threads int    `json:"threads"`
	Outcome string `json:"outcome"`
	Allows  string `json:"allows"`
	Forbids string `json:"forbids"`
	Text    string `json:"text"`
}

// Apart writes how two models differ: as text, an answer and the test; where quiet, the test
// alone.
func Apart(w io.Writer, r *verdict.Apart, opts Options, format Format) error {
	if format == JSONFormat {
		o := jsonApart{A: string(r.A), B: string(r.B), Arch: r.Arch.String(), Apart: r.Test != nil, Done: r.Done, Tests: r.Tests,
			Incomplete: r.Incomplete, Seconds: r.Elapsed.Seconds()}
		if t := r.Test; t != nil {
			o.Test = &jsonApartTest{t.Name, t.Cycle, t.Size, t.Threads, t.Outcome, string(t.Allows), string(t.Forbids), t.Text}
		}
		return writeObject(w, o)
	}
	var b strings.Builder
	t := r.Test
	word := opts.coloured("NO DIFFERENCE", green)
	switch {
	case t != nil:
		word = opts.coloured("APART", red)
	case r.Incomplete != "":
		word = opts.coloured("UNKNOWN", yellow)
	}
	if t != nil && opts.Quiet {
		_, err := io.WriteString(w, t.Text)
		return err
	}
	fmt.Fprintf(&b, "%s  %s and %s  (%s, %s)\n", word, r.A, r.B, r.Arch, duration(r.Elapsed))
	if !opts.Quiet {
		b.WriteByte('\n')
		var items [][2]string
		add := func(label, text string) { items = append(items, [2]string{label, text}) }
		if t != nil {
			add(string(t.Allows), "allows "+t.Outcome)
			add(string(t.Forbids), "forbids it")
			add("test", fmt.Sprintf("%s, %s, size %d", t.Name, many(t.Threads, "thread"), t.Size))
		}
		if r.Incomplete != "" {
			add("reason", fmt.Sprintf("%s at size %d", r.Incomplete, r.Size))
		}
		searched := "nothing was looked at completely"
		if r.Done > 0 {
			searched = fmt.Sprintf("no test up to size %d tells them apart", r.Done)
		}
		add("searched", fmt.Sprintf("%s; %s in all", searched, many(r.Tests, "test")))
		writeItems(&b, items, max(opts.Width, defaultWidth))
		if t != nil {
			b.WriteString("\n" + t.Text)
		}
	}
	return write(w, &b)
}
