package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// MarkdownFormat is for [Compare] only.
const MarkdownFormat Format = "markdown"

type jsonComparison struct {
	File           string              `json:"file"`
	Rows           []jsonComparedRow   `json:"rows"`
	Contradictions []jsonContradiction `json:"contradictions"`
}

type jsonComparedRow struct {
	Model       string  `json:"model"`
	Engine      string  `json:"engine"`
	Kind        string  `json:"kind"`    // property, states, robustness
	Verdict     string  `json:"verdict"` // SAFE, UNSAFE, UNKNOWN, FAULT, COMPLETE, ROBUST, NOT ROBUST, ERROR
	Argument    string  `json:"argument,omitempty"`
	Reason      string  `json:"reason,omitempty"` // of UNKNOWN and ERROR
	FinalStates *int    `json:"final_states,omitempty"`
	States      *int64  `json:"states,omitempty"`
	Clauses     *int64  `json:"clauses,omitempty"`
	Executions  *int64  `json:"executions,omitempty"`
	Seconds     float64 `json:"seconds"`
	Bytes       *int64  `json:"bytes,omitempty"`
	// Agrees is null where there is nothing to agree with, and for the answer that
	// the others are held against.
	Agrees *bool `json:"agrees"`
}

type jsonContradiction struct {
	Text     string   `json:"text"`
	Commands []string `json:"commands"`
}

// CompareHead writes what comes before the comparisons.
func CompareHead(w io.Writer, format Format) error {
	if format != CSVFormat {
		return nil
	}
	return writeRecord(w, "file", "model", "engine", "kind", "verdict", "because", "final_states", "states", "clauses",
		"executions", "seconds", "bytes", "agreement")
}

// Compare writes the answers about one program: as text and in Markdown a table, as
// JSON an object on a line, as CSV a line for each answer. file is how the user
// named the program; command is the command line that runs the engine of a row by
// itself.
func Compare(w io.Writer, c *verdict.Comparison, file string, format Format, command func(*verdict.Row) string, opts Options) error {
	switch format {
	case JSONFormat:
		return jsonCompare(w, c, file, command)
	case CSVFormat:
		for i := range c.Rows {
			r := &c.Rows[i]
			o := comparedRow(r)
			count := func(n *int64) string {
				if n == nil {
					return ""
				}
				return strconv.FormatInt(*n, 10)
			}
			finals, agreement := "", r.Agrees.String()
			if r.Agrees == verdict.Nothing {
				agreement = ""
			}
			if o.FinalStates != nil {
				finals = strconv.Itoa(*o.FinalStates)
			}
			if err := writeRecord(w, file, o.Model, o.Engine, o.Kind, o.Verdict, because(r), finals, count(o.States), count(o.Clauses),
				count(o.Executions), strconv.FormatFloat(o.Seconds, 'f', 3, 64), count(o.Bytes), agreement); err != nil {
				return err
			}
		}
		return nil
	}
	var b strings.Builder
	if format == MarkdownFormat {
		markdownCompare(&b, c, file)
	} else {
		textCompare(&b, c, file, opts)
	}
	for _, x := range c.Contradictions {
		fmt.Fprintf(&b, "\nCONTRADICTION: %s\n", oneLine(x.Text))
		for _, i := range x.Rows {
			fmt.Fprintf(&b, "    %s\n", command(&c.Rows[i]))
		}
	}
	return write(w, &b)
}

func jsonCompare(w io.Writer, c *verdict.Comparison, file string, command func(*verdict.Row) string) error {
	o := jsonComparison{File: file, Rows: []jsonComparedRow{}, Contradictions: []jsonContradiction{}}
	for i := range c.Rows {
		o.Rows = append(o.Rows, comparedRow(&c.Rows[i]))
	}
	for _, x := range c.Contradictions {
		j := jsonContradiction{Text: x.Text}
		for _, i := range x.Rows {
			j.Commands = append(j.Commands, command(&c.Rows[i]))
		}
		o.Contradictions = append(o.Contradictions, j)
	}
	return writeObject(w, o)
}

func comparedRow(r *verdict.Row) jsonComparedRow {
	o := jsonComparedRow{
		Model: string(r.Model), Engine: r.Engine, Kind: string(r.Question), Verdict: string(r.Claim),
		Argument: r.Argument, Reason: r.Reason, Seconds: r.Elapsed.Seconds(),
	}
	if r.Err != nil {
		o.Verdict, o.Reason = "ERROR", r.Err.Error()
	}
	if r.Question == verdict.FinalStates && r.Err == nil {
		n := len(r.Finals)
		o.FinalStates = &n
	}
	figure := func(name string) *int64 {
		if n, ok := r.Stat(name); ok {
			return &n
		}
		return nil
	}
	o.States, o.Clauses, o.Executions, o.Bytes = figure("states"), figure("clauses"), figure("executions"), figure("bytes")
	if r.Agrees == verdict.Agrees || r.Agrees == verdict.Differs {
		agrees := r.Agrees == verdict.Agrees
		o.Agrees = &agrees
	}
	return o
}

// comparedVerdict is the claim as a table has it.
func comparedVerdict(r *verdict.Row) string {
	switch {
	case r.Err != nil:
		return "ERROR"
	case r.Claim == verdict.ClaimsComplete:
		return many(len(r.Finals), "final state")
	}
	return string(r.Claim)
}

// because is the argument, or the reason for want of an answer.
func because(r *verdict.Row) string {
	if r.Err != nil {
		line, _, _ := strings.Cut(r.Err.Error(), "\n")
		return oneLine(line)
	}
	return oneLine(cmp.Or(r.Argument, r.Reason))
}

// comparedColumns are the columns of a table. Those of figures that no row has are
// left out.
func comparedColumns(c *verdict.Comparison) []*column {
	model := &column{title: "MODEL"}
	engine := &column{title: "ENGINE"}
	said := &column{title: "VERDICT"}
	why := &column{title: "BECAUSE", min: 20, steps: true}
	sizes := &column{title: "SIZE", right: true, spare: 1}
	executions := &column{title: "EXECUTIONS", right: true, spare: 2}
	times := &column{title: "TIME", right: true}
	memory := &column{title: "MEMORY", right: true, spare: 3}
	agrees := &column{title: "AGREEMENT"}
	for i := range c.Rows {
		r := &c.Rows[i]
		add := func(col *column, s string) { col.cells = append(col.cells, cmp.Or(s, "–")) }
		figure := func(name string, f func(int64) string) string {
			if n, ok := r.Stat(name); ok {
				return f(n)
			}
			return ""
		}
		add(model, modelName(r.Model))
		switch {
		case r.Question == verdict.FinalStates:
			add(engine, "states: "+r.Engine)
		case r.Question == verdict.Robustness && r.Engine != "robust":
			add(engine, "robust: "+r.Engine)
		default:
			add(engine, r.Engine)
		}
		add(said, comparedVerdict(r))
		add(why, because(r))
		add(sizes, cmp.Or(
			figure("states", func(n int64) string { return grouped(n) + " " + plural(int(n), "state") }),
			figure("clauses", func(n int64) string { return grouped(n) + " " + plural(int(n), "clause") })))
		add(executions, figure("executions", grouped))
		add(times, duration(r.Elapsed))
		add(memory, figure("bytes", size))
		add(agrees, r.Agrees.String())
	}
	return slices.DeleteFunc([]*column{model, engine, said, why, sizes, executions, times, memory, agrees}, func(col *column) bool {
		return col == executions && !slices.ContainsFunc(col.cells, func(s string) bool { return s != "–" })
	})
}

func textCompare(b *strings.Builder, c *verdict.Comparison, file string, opts Options) {
	fmt.Fprintf(b, "%s  %s\n\n", oneLine(file), agreement(c))
	cols := comparedColumns(c)
	width := cmp.Or(opts.Width, comparedWidth)
	cols = spared(cols, width)
	fit(cols, width)
	writeTable(b, cols)
}

// comparedWidth is how wide a table of a comparison is unless one says otherwise: it
// has more columns than the other reports.
const comparedWidth = 132

// agreement says it in a few words.
func agreement(c *verdict.Comparison) string {
	agree := 0
	for i := range c.Rows {
		if a := c.Rows[i].Agrees; a == verdict.Agrees || a == verdict.Reference {
			agree++
		}
	}
	if n := len(c.Contradictions); n > 0 {
		return many(n, "contradiction") + " among " + many(len(c.Rows), "answer")
	}
	return fmt.Sprintf("no contradiction among %s; %d have one to agree with", many(len(c.Rows), "answer"), agree)
}

func markdownCompare(b *strings.Builder, c *verdict.Comparison, file string) {
	cell := strings.NewReplacer("|", "\\|", "<", "&lt;", "_", "\\_", "*", "\\*").Replace
	fmt.Fprintf(b, "## %s\n\n%s\n\n", cell(oneLine(file)), agreement(c))
	cols := comparedColumns(c)
	row := func(text func(*column) string) {
		for _, col := range cols {
			b.WriteString("| " + text(col) + " ")
		}
		b.WriteString("|\n")
	}
	row(func(col *column) string { return strings.ToLower(col.title) })
	row(func(col *column) string {
		if col.right {
			return "--:"
		}
		return "---"
	})
	for i := range c.Rows {
		row(func(col *column) string { return cell(col.cells[i]) })
	}
}
