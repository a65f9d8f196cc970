package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A LitmusTable is the results of tests under several models, a row for each test.
type LitmusTable struct {
	Models []memory.Model
	rows   int
	differ int
	count  map[memory.Model]map[string]int
}

// cell is what a table says of a test under a model.
func cell(l *verdict.Litmus) string {
	switch {
	case l.Foreign:
		return "-"
	case l.Err != nil:
		return "error"
	}
	return observation(l)
}

// observation is what was seen, with a question mark where that is not all.
func observation(l *verdict.Litmus) string {
	if l.Incomplete != "" {
		return l.Observation + "?"
	}
	return l.Observation
}

func (t *LitmusTable) width(m memory.Model) int { return max(len(m), len("Sometimes?")) }

// Head writes the titles.
func (t *LitmusTable) Head(w io.Writer, format Format) error {
	if format == CSVFormat {
		fields := []string{"file", "name", "kind"}
		for _, m := range t.Models {
			fields = append(fields, string(m))
		}
		return writeRecord(w, fields...)
	}
	if format == JSONFormat {
		return nil
	}
	var b strings.Builder
	for _, m := range t.Models {
		fmt.Fprintf(&b, "%-*s  ", t.width(m), m)
	}
	_, err := io.WriteString(w, b.String()+"test\n")
	return err
}

type jsonRow struct {
	File      string            `json:"file"`
	Name      string            `json:"name"`
	Kind      string            `json:"kind"`
	Condition string            `json:"condition"`
	Models    map[string]string `json:"models"` // the observation by model; - where it is about another architecture
	Verdicts  map[string]string `json:"verdicts"`
	Differ    bool              `json:"differ"` // the models do
}

// Row writes a row: what was observed of a test under each model.
func (t *LitmusTable) Row(w io.Writer, file string, ls []*verdict.Litmus, format Format) error {
	name, kind, condition := "", "", ""
	seen := map[string]bool{}
	for i, l := range ls {
		if l.Err == nil {
			name, kind, condition = l.Name, l.Kind, l.Condition
			if l.Incomplete == "" {
				seen[l.Observation] = true
			}
		}
		if t.count == nil {
			t.count = map[memory.Model]map[string]int{}
		}
		if t.count[t.Models[i]] == nil {
			t.count[t.Models[i]] = map[string]int{}
		}
		t.count[t.Models[i]][cell(l)]++
	}
	t.rows++
	if len(seen) > 1 {
		t.differ++
	}
	switch format {
	case CSVFormat:
		fields := []string{file, name, kind}
		for _, l := range ls {
			fields = append(fields, cell(l))
		}
		return writeRecord(w, fields...)
	case JSONFormat:
		o := jsonRow{File: file, Name: name, Kind: kind, Condition: condition, Models: map[string]string{}, Verdicts: map[string]string{}, Differ: len(seen) > 1}
		for i, l := range ls {
			o.Models[string(t.Models[i])], o.Verdicts[string(t.Models[i])] = cell(l), l.Verdict()
		}
		return writeObject(w, o)
	}
	var b strings.Builder
	for i, l := range ls {
		fmt.Fprintf(&b, "%-*s  ", t.width(t.Models[i]), cell(l))
	}
	_, err := io.WriteString(w, b.String()+oneLine(file)+"\n")
	return err
}

// Foot writes how often each model shows what is asked about.
func (t *LitmusTable) Foot(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s, %d on which models differ\n", many(t.rows, "test"), t.differ)
	for _, m := range t.Models {
		fmt.Fprintf(&b, "  %-*s ", t.width(m), m)
		sep := " "
		for _, o := range []string{"Never", "Sometimes", "Always", "Never?", "Sometimes?", "Always?", "error", "-"} {
			if n := t.count[m][o]; n > 0 {
				fmt.Fprintf(&b, "%s%d %s", sep, n, map[bool]string{true: "not about these", false: o}[o == "-"])
				sep = ", "
			}
		}
		b.WriteByte('\n')
	}
	return write(w, &b)
}
