package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Explanation writes why a model allows or forbids what a program asks about:
// the axioms that are violated with their cycles, or a run, or an execution.
func Explanation(w io.Writer, e *verdict.Explanation, opts Options) error {
	var b strings.Builder
	opts.begin(&b, answers[e.Verdict], verdictColours[e.Verdict], e.Program, "under "+modelName(e.Model), duration(e.Elapsed))
	if opts.Quiet {
		return write(w, &b)
	}
	b.WriteByte('\n')
	writeItems(&b, explanationClaims(e), opts.Width)
	if e.Graph != nil {
		names := letters(e.Graph)
		b.WriteByte('\n')
		for i := range e.Violations {
			writeViolation(&b, e, names, &e.Violations[i])
			b.WriteByte('\n')
		}
		if e.Verdict == verdict.IsSafe {
			b.WriteString("The execution:\n\n")
		} else {
			b.WriteString("An execution that ends so:\n\n")
		}
		writeExecution(&b, e.Program, e.Graph, opts.Width)
	}
	if e.Result != nil && e.Result.Run() != nil {
		b.WriteString("\nA run that ends so:\n\n")
		writeRun(&b, e.Result.Run(), opts)
		if last := lastState(e.Result.Run()); last != "" {
			b.WriteByte('\n')
			writeItems(&b, [][2]string{{"in the end", last}}, opts.Width)
		}
	}
	return write(w, &b)
}

// answers is what an explanation says, by what it found.
var answers = map[verdict.Verdict]string{verdict.IsUnsafe: "ALLOWED", verdict.IsSafe: "FORBIDDEN", verdict.IsUnknown: "UNKNOWN"}

// explanationClaims is what was asked, and the answer in words.
func explanationClaims(e *verdict.Explanation) [][2]string {
	items := [][2]string{{"asked", asked(e)}}
	switch {
	case e.Verdict == verdict.IsUnknown:
		items = append(items, [2]string{"reason", oneLine(e.Reason)})
	case e.Verdict == verdict.IsSafe && e.Graph == nil && e.Reason != "":
		items = append(items, [2]string{"because", "no execution ends so; " + oneLine(e.Reason)})
	case e.Verdict == verdict.IsSafe && e.Graph == nil:
		items = append(items, [2]string{"because", "no choice of what reads read ends so, whatever the memory model"})
	case e.Verdict == verdict.IsSafe:
		items = append(items, [2]string{"because", "every execution that ends so violates an axiom; the one below violates " + axiomList(e.Violations)})
	}
	return items
}

func asked(e *verdict.Explanation) string {
	text := oneLine(e.Property.Text)
	if text == "" {
		text = e.Property.Kind.String()
	}
	if e.Property.Kind == program.Forall {
		text = "a violation of " + text
	}
	if e.Property.Pos.IsValid() {
		text += fmt.Sprintf("  (%s)", oneLine(e.Property.Pos.Where()))
	}
	return text
}

func axiomList(vs []memory.Violation) string {
	names := make([]string, len(vs))
	for i := range vs {
		names[i] = oneLine(vs[i].Axiom.Name)
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// writeViolation tells the way of a cycle from event to event.
func writeViolation(b *strings.Builder, e *verdict.Explanation, names []string, v *memory.Violation) {
	g := e.Graph
	b.WriteString(axiomText(v.Axiom))
	if v.Axiom.Source != nil {
		fmt.Fprintf(b, "  (%s, line %d)", oneLine(v.Axiom.Source.Name), v.Axiom.Pos.Line)
	}
	b.WriteString("\n\n")
	width := 0
	for i := range g.Events {
		width = max(width, length(placed(e.Program, e.Graph, names, i)))
	}
	event := func(i int) {
		line := "    " + pad(placed(e.Program, e.Graph, names, i), width)
		if p := g.Events[i].Pos; p.IsValid() {
			line += "  " + oneLine(p.Where())
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	steps := flat(v)
	if len(steps) == 0 {
		for _, i := range v.Events {
			event(i)
		}
		if len(v.Events) == 0 {
			b.WriteString("    nothing is there\n")
		}
		return
	}
	at := -1
	for _, s := range steps {
		if s.From != at {
			event(s.From)
		}
		fmt.Fprintf(b, "      %s\n", s.Relation)
		event(s.To)
		at = s.To
	}
}

func flat(v *memory.Violation) []memory.Step {
	var steps []memory.Step
	for _, path := range v.Paths {
		steps = append(steps, path...)
	}
	return steps
}

// placed is an event with its letter and its thread: "a: P0 W x=1".
func placed(p *program.Program, g *memory.Graph, names []string, i int) string {
	ev := &g.Events[i]
	if ev.Initial() {
		return "initially " + oneLine(ev.String())
	}
	return names[i] + ": " + threadName(p, ev.Thread) + " " + oneLine(ev.String())
}

// writeExecution lists the events, and what reads read from.
func writeExecution(b *strings.Builder, p *program.Program, g *memory.Graph, width int) {
	names := letters(g)
	cols := []*column{{title: "event"}, {title: "line", right: true}, {title: "command", steps: true, min: 12}, {title: "reads from"}, {title: "overwritten by"}}
	co := immediate(g.CO)
	for i := range g.Events {
		ev := &g.Events[i]
		if ev.Initial() {
			continue
		}
		line, from, next := "", "", ""
		if ev.Pos.IsValid() {
			line = fmt.Sprint(ev.Pos.Line)
		}
		if ev.Kind == memory.Read {
			if w := g.Source(i); w >= 0 {
				from = names[w]
				if from == "" {
					from = "initial " + oneLine(g.Events[w].String()[2:])
				}
			}
		}
		for w := range g.Events {
			if ev.Kind == memory.Write && co.Has(i, w) {
				next = names[w]
			}
		}
		for k, s := range []string{placed(p, g, names, i), line, oneLine(ev.Text), from, next} {
			cols[k].cells = append(cols[k].cells, s)
		}
	}
	writeUsed(b, cols, width)
}

type jsonExplanation struct {
	File       string           `json:"file"`
	Model      string           `json:"model"`
	Asked      string           `json:"asked"`
	Answer     string           `json:"answer"` // ALLOWED, FORBIDDEN, UNKNOWN
	Reason     string           `json:"reason,omitempty"`
	Candidates int              `json:"candidates"`
	Seconds    float64          `json:"seconds"`
	Violations []jsonAxiom      `json:"violations,omitempty"`
	Execution  *jsonExecution   `json:"execution,omitempty"`
	Initial    map[string]int64 `json:"initial,omitempty"`
	Run        []jsonStep       `json:"run,omitempty"`
}

type jsonAxiom struct {
	Name   string     `json:"name"`
	Text   string     `json:"text"`
	Source string     `json:"source,omitempty"`
	Line   int        `json:"line,omitempty"`
	Events []int      `json:"events"`
	Steps  []jsonEdge `json:"steps"`
}

type jsonEdge struct {
	From     int    `json:"from"`
	Relation string `json:"relation"`
	To       int    `json:"to"`
}

type jsonExecution struct {
	Events []jsonEvent `json:"events"`
	PO     [][2]int    `json:"po"`
	RF     [][2]int    `json:"rf"`
	CO     [][2]int    `json:"co"`
}

type jsonEvent struct {
	Name   string `json:"name,omitempty"`   // the letter
	Thread string `json:"thread,omitempty"` // none for an initial write
	Event  string `json:"event"`
	Text   string `json:"text,omitempty"`
	Line   int    `json:"line,omitempty"`
}

// JSONExplanation writes e as one object on one line. Events are numbered by
// their place in the list of the execution.
func JSONExplanation(w io.Writer, e *verdict.Explanation, file string) error {
	o := jsonExplanation{
		File: file, Model: string(e.Model), Asked: oneLine(e.Property.Text), Reason: e.Reason,
		Candidates: e.Candidates, Seconds: e.Elapsed.Seconds(),
		Answer: answers[e.Verdict],
	}
	for i := range e.Violations {
		v := &e.Violations[i]
		a := jsonAxiom{Name: v.Axiom.Name, Text: v.Axiom.Text, Line: v.Axiom.Pos.Line, Events: v.Events, Steps: []jsonEdge{}}
		if a.Events == nil {
			a.Events = []int{}
		}
		if v.Axiom.Source != nil {
			a.Source = v.Axiom.Source.Name
		}
		for _, s := range flat(v) {
			a.Steps = append(a.Steps, jsonEdge{s.From, s.Relation, s.To})
		}
		o.Violations = append(o.Violations, a)
	}
	if e.Graph != nil {
		o.Execution = executionObject(e.Program, e.Graph)
	}
	if r := e.Result; r != nil && r.Run() != nil {
		o.Initial, o.Run = runObject(r.Run())
	}
	return writeObject(w, o)
}

func executionObject(p *program.Program, g *memory.Graph) *jsonExecution {
	x := &jsonExecution{PO: pairs(immediate(g.PO)), RF: pairs(g.RF), CO: pairs(immediate(g.CO))}
	names := letters(g)
	for i := range g.Events {
		ev := &g.Events[i]
		j := jsonEvent{Name: names[i], Event: ev.String(), Text: ev.Text, Line: ev.Pos.Line}
		if !ev.Initial() {
			j.Thread = threadName(p, ev.Thread)
		}
		x.Events = append(x.Events, j)
	}
	return x
}

func pairs(r memory.Relation) [][2]int {
	if ps := r.Pairs(); ps != nil {
		return ps
	}
	return [][2]int{}
}

// Explained is the drawing of an explanation, whose cycle stands out. There is
// none where there is no execution.
func Explained(e *verdict.Explanation) *Drawing {
	if e.Graph == nil {
		return nil
	}
	d := &Drawing{Program: e.Program, Graph: e.Graph}
	d.Title = fmt.Sprintf("%s: allowed under %s", e.Program.Name, modelName(e.Model))
	if len(e.Violations) > 0 {
		v := &e.Violations[0]
		d.Title = fmt.Sprintf("%s: forbidden under %s by %s", e.Program.Name, modelName(e.Model), v.Axiom.Name)
		d.Cycle = flat(v)
	}
	return d
}
