package report

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// CSVFormat is for [Litmus] only.
const CSVFormat Format = "csv"

type jsonLitmus struct {
	File        string           `json:"file"`
	Name        string           `json:"name"`
	Kind        string           `json:"kind"`
	Condition   string           `json:"condition"`
	Model       string           `json:"model"`
	Engine      string           `json:"engine"`
	States      []map[string]any `json:"states"`  // a number for what is one
	Counted     string           `json:"counted"` // states or executions
	Positive    int              `json:"positive"`
	Negative    int              `json:"negative"`
	Observation string           `json:"observation"`
	Verdict     string           `json:"verdict"`
	Seconds     float64          `json:"seconds"`
	Reason      string           `json:"reason,omitempty"` // of Unknown
	Differences []string         `json:"differences,omitempty"`
	Flags       []string         `json:"flags,omitempty"`
	Notes       []string         `json:"notes,omitempty"`
}

// LitmusHead writes what comes before the results of tests.
func LitmusHead(w io.Writer, format Format) error {
	if format != CSVFormat {
		return nil
	}
	return writeRecord(w, "file", "name", "kind", "model", "engine", "states", "positive", "negative",
		"observation", "verdict", "condition", "seconds", "reason", "differences")
}

// litmusStates are states such as "0:rax=1; x=2;" as objects.
func litmusStates(states []string) []map[string]any {
	all := []map[string]any{}
	for _, s := range states {
		all = append(all, litmusState(s))
	}
	return all
}

func litmusState(s string) map[string]any {
	o := map[string]any{}
	for part := range strings.SplitSeq(s, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok {
			continue
		}
		o[name] = value
		if v, err := strconv.ParseInt(value, 10, 64); err == nil {
			o[name] = v
		}
	}
	return o
}

// Litmus writes the result of a litmus test: as text the block that herd7 writes,
// as JSON an object on a line, as CSV a line. A test that did not run has no
// block.
func Litmus(w io.Writer, l *verdict.Litmus, format Format) error {
	switch {
	case format == CSVFormat:
		return litmusRecord(w, l)
	case l.Err != nil && format == JSONFormat:
		o := errorObject(l.File, l.Err)
		o.Foreign = l.Foreign
		return writeObject(w, o)
	case l.Err != nil:
		return nil
	case format == JSONFormat:
		o := jsonLitmus{
			File: l.File, Name: l.Name, Kind: l.Kind, Condition: l.Condition, Model: string(l.Model), Engine: l.Engine,
			States: litmusStates(l.States), Counted: whatIsCounted(l), Positive: l.Positive, Negative: l.Negative, Observation: observation(l),
			Verdict: l.Verdict(), Seconds: l.Elapsed.Seconds(), Reason: l.Incomplete, Differences: l.Differences, Flags: l.Flags, Notes: l.Notes,
		}
		return writeObject(w, o)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Test %s %s\nStates %d\n", l.Name, l.Kind, len(l.States))
	for _, s := range l.States {
		fmt.Fprintln(&b, s)
	}
	fmt.Fprintf(&b, "%s\n", l.Verdict())
	if l.Incomplete != "" {
		fmt.Fprintf(&b, "Incomplete: %s\n", oneLine(l.Incomplete))
	}
	for _, f := range l.Flags {
		fmt.Fprintf(&b, "Flag %s\n", f)
	}
	for _, n := range l.Notes {
		fmt.Fprintf(&b, "Note: %s\n", oneLine(n))
	}
	// What is positive is what is wanted.
	positive, negative := l.Positive, l.Negative
	if l.Kind == "Forbidden" {
		positive, negative = negative, positive
	}
	fmt.Fprintf(&b, "Witnesses\nPositive: %d Negative: %d\n", positive, negative)
	fmt.Fprintf(&b, "Condition %s\n", l.Condition)
	fmt.Fprintf(&b, "Observation %s %s %d %d\n", l.Name, observation(l), l.Positive, l.Negative)
	fmt.Fprintf(&b, "Time %s %.2f\n\n", l.Name, l.Elapsed.Seconds())
	return write(w, &b)
}

func whatIsCounted(l *verdict.Litmus) string {
	if l.Executions {
		return "executions"
	}
	return "states"
}

// LitmusDifferences writes in what a test differs from what was expected.
func LitmusDifferences(w io.Writer, l *verdict.Litmus) error {
	var b strings.Builder
	for _, d := range l.Differences {
		fmt.Fprintf(&b, "%s: %s\n", l.File, d)
	}
	return write(w, &b)
}

// Witnessed is the drawing of the witness of a test, or nil where it has none.
func Witnessed(l *verdict.Litmus) *Drawing {
	if l.Witness == nil {
		return nil
	}
	holds := "holds"
	if l.Asked == (l.Kind == "Required") {
		holds = "does not hold"
	}
	return &Drawing{Graph: l.Witness, Title: fmt.Sprintf("%s under %s: the condition %s", l.Name, modelName(l.Model), holds)}
}

func litmusRecord(w io.Writer, l *verdict.Litmus) error {
	if l.Err != nil {
		return writeRecord(w, l.File, "", "", "", "", "", "", "", "", "ERROR", "", "", oneLine(l.Err.Error()), "")
	}
	return writeRecord(w, l.File, l.Name, l.Kind, string(l.Model), l.Engine, strconv.Itoa(len(l.States)),
		strconv.Itoa(l.Positive), strconv.Itoa(l.Negative), observation(l), l.Verdict(), l.Condition,
		strconv.FormatFloat(l.Elapsed.Seconds(), 'f', 6, 64), l.Incomplete, strings.Join(l.Differences, "; "))
}

func writeRecord(w io.Writer, fields ...string) error {
	var b bytes.Buffer
	c := csv.NewWriter(&b)
	c.Write(fields)
	c.Flush()
	_, err := w.Write(b.Bytes())
	return err
}

// A LitmusSummary counts tests.
type LitmusSummary struct {
	Tests, Ok, No, Incomplete, Errors int
	Different                         int
	// Compared is set where the tests were compared with what was expected.
	Compared bool
}

// Add counts a test.
func (s *LitmusSummary) Add(l *verdict.Litmus) {
	s.Tests++
	if len(l.Differences) > 0 {
		s.Different++
	}
	switch {
	case l.Err != nil:
		s.Errors++
	case l.Incomplete != "":
		s.Incomplete++
	case l.Ok:
		s.Ok++
	default:
		s.No++
	}
}

// Write writes the counts on one line.
func (s *LitmusSummary) Write(w io.Writer, elapsed time.Duration) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Tests %d: %d Ok, %d No, %d incomplete, ", s.Tests, s.Ok, s.No, s.Incomplete)
	fmt.Fprintf(&b, "%d %s", s.Errors, plural(s.Errors, "error"))
	if s.Compared {
		fmt.Fprintf(&b, ", %d different from what is expected", s.Different)
	}
	fmt.Fprintf(&b, "; %s", duration(elapsed))
	if elapsed > 0 {
		fmt.Fprintf(&b, ", %.0f tests/s", float64(s.Tests)/elapsed.Seconds())
	}
	b.WriteByte('\n')
	return write(w, &b)
}

func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
