package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A RobustProperty is what a [refine.RobustResult] is about.
type RobustProperty string

// The properties.
const (
	Robustness             RobustProperty = "robustness"
	TriangularRaceFreedom  RobustProperty = "trf"
	triangularRaceFreeWord                = "TRIANGULAR-RACE FREE"
)

// word is the verdict in the words of the property.
func (p RobustProperty) word(v refine.Robustness) string {
	if p == TriangularRaceFreedom && v != refine.RobustnessUnknown {
		return strings.Replace(v.String(), refine.IsRobust.String(), triangularRaceFreeWord, 1)
	}
	return v.String()
}

// Robust writes whether a program is robust, or free of triangular races, with
// the run and the happens-before cycle that show that it is not.
func Robust(w io.Writer, r *refine.RobustResult, about RobustProperty, opts Options) error {
	if opts.Width <= 0 {
		opts.Width = defaultWidth
	}
	var b strings.Builder
	word := about.word(r.Verdict)
	if opts.Colour {
		code := map[refine.Robustness]string{refine.IsRobust: "32", refine.NotRobust: "31", refine.RobustnessUnknown: "33"}[r.Verdict]
		word = "\x1b[1;" + code + "m" + word + "\x1b[0m"
	}
	fmt.Fprintf(&b, "%s  %s  under %s (%s)\n", word, oneLine(fileName(r.Program)), modelName(memory.TSO), "attacks, "+duration(r.Elapsed))
	if !opts.Quiet {
		writeRobustEvidence(&b, r, about, opts.Width)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRobustEvidence(b *strings.Builder, r *refine.RobustResult, about RobustProperty, width int) {
	var items [][2]string
	add := func(label, text string) {
		if text != "" {
			items = append(items, [2]string{label, text})
		}
	}
	switch r.Verdict {
	case refine.IsRobust:
		if about == TriangularRaceFreedom {
			add("because", "exhaustive search for races: there is none, so the program is robust as well")
		} else {
			add("because", "exhaustive search for attacks: every computation under TSO has the happens-before relation of one under SC")
		}
	case refine.NotRobust:
		label := "attack"
		if about == TriangularRaceFreedom {
			label = "race"
		}
		add(label, attack(r))
	default:
		add("reason", oneLine(r.Reason))
	}
	stats := r.Stats
	if about == TriangularRaceFreedom {
		// Attacks are not what it looks for.
		stats = slices.DeleteFunc(slices.Clone(stats), func(s verdict.Stat) bool { return strings.HasPrefix(s.Name, "attacks") })
	}
	add("effort", effort(stats))
	if r.Verdict == refine.RobustnessUnknown {
		add("next", oneLine(r.Advice))
	}
	b.WriteByte('\n')
	writeItems(b, items, width)
	if r.Verdict != refine.NotRobust || r.Run == nil {
		return
	}
	b.WriteByte('\n')
	writeRun(b, r.Run, width)
	if len(r.Cycle) > 0 {
		b.WriteByte('\n')
		writeItems(b, [][2]string{{"cycle", cycle(r)}}, width)
	}
}

// attack says which thread overtakes which of its stores with which load.
func attack(r *refine.RobustResult) string {
	if r.Attack == nil {
		return ""
	}
	t := r.Program.Threads[r.Attack.Thread]
	command := func(edge int) string {
		e := &t.Edges[edge]
		s := oneLine(e.Cmd.Format(r.Program, t))
		if e.Pos.IsValid() {
			s += fmt.Sprintf(" (line %d)", e.Pos.Line)
		}
		return s
	}
	return fmt.Sprintf("%s delays %s past %s", threadName(r.Program, r.Attack.Thread), command(r.Attack.Store), command(r.Attack.Load))
}

// cycle goes from event to event, each with its step, and back to the first.
// Lines break at the arrows.
func cycle(r *refine.RobustResult) string {
	var parts []string
	event := func(a refine.Access) string {
		return strings.ReplaceAll(fmt.Sprintf("%s %s (%d)", threadName(r.Program, a.Thread), accessText(r.Run, a), a.Step+1), " ", glue)
	}
	for _, e := range r.Cycle {
		parts = append(parts, event(e.From)+glue+"-"+e.Kind+"->")
	}
	return strings.Join(append(parts, event(r.Cycle[0].From)), " ")
}

// accessText is an access as the literature writes it, such as "W x=1".
func accessText(run *verdict.Run, a refine.Access) string {
	kind := 'R'
	if a.Write {
		kind = 'W'
	}
	return fmt.Sprintf("%c %s", kind, value(run, a.Cell, a.Value))
}

// CycleDrawing is the execution of a witness with its happens-before cycle, to be
// drawn; nil where there is none.
func CycleDrawing(r *refine.RobustResult) *Drawing {
	if len(r.Cycle) == 0 {
		return nil
	}
	d := &Drawing{Program: r.Program, Graph: r.Execution, Title: r.Program.Name + ": not robust against TSO"}
	for _, e := range r.Cycle {
		d.Cycle = append(d.Cycle, memory.Step{
			From: slices.Index(r.Accesses, e.From), Relation: e.Kind, To: slices.Index(r.Accesses, e.To)})
	}
	return d
}

type jsonRobust struct {
	File     string           `json:"file"`
	Property string           `json:"property"` // robustness, trf
	Verdict  string           `json:"verdict"`
	Seconds  float64          `json:"seconds"`
	Reason   string           `json:"reason,omitempty"`
	Advice   string           `json:"advice,omitempty"`
	Witness  *jsonWitness     `json:"witness,omitempty"`
	Stats    map[string]int64 `json:"stats,omitempty"`
}

type jsonWitness struct {
	Initial map[string]int64 `json:"initial"`
	Run     []jsonStep       `json:"run"`
	Cycle   []jsonCycleEdge  `json:"cycle,omitempty"`
	Attack  *jsonAttack      `json:"attack,omitempty"`
}

type jsonCycleEdge struct {
	From     jsonAccess `json:"from"`
	Relation string     `json:"relation"` // po, rf, co, fr, block
	To       jsonAccess `json:"to"`
}

type jsonAccess struct {
	Thread string `json:"thread"`
	Step   int    `json:"step"` // of the run, from 1
	Event  string `json:"event"`
}

type jsonAttack struct {
	Thread    string `json:"thread"`
	Store     string `json:"store"`
	StoreLine int    `json:"store_line,omitempty"`
	Load      string `json:"load"`
	LoadLine  int    `json:"load_line,omitempty"`
}

// JSONRobust writes r as one object on one line.
func JSONRobust(w io.Writer, r *refine.RobustResult, about RobustProperty, file string) error {
	o := jsonRobust{
		File: file, Property: string(about), Verdict: about.word(r.Verdict), Seconds: r.Elapsed.Seconds(),
		Reason: r.Reason, Advice: r.Advice, Stats: statsObject(r.Stats),
	}
	if r.Verdict == refine.NotRobust && r.Run != nil {
		o.Witness = witnessObject(r)
	}
	return writeObject(w, o)
}

func witnessObject(r *refine.RobustResult) *jsonWitness {
	o := &jsonWitness{}
	o.Initial, o.Run = runObject(r.Run)
	access := func(a refine.Access) jsonAccess {
		return jsonAccess{threadName(r.Program, a.Thread), a.Step + 1, accessText(r.Run, a)}
	}
	for _, e := range r.Cycle {
		o.Cycle = append(o.Cycle, jsonCycleEdge{access(e.From), e.Kind, access(e.To)})
	}
	if a := r.Attack; a != nil {
		t := r.Program.Threads[a.Thread]
		edge := func(i int) (string, int) {
			e := &t.Edges[i]
			return oneLine(e.Cmd.Format(r.Program, t)), e.Pos.Line
		}
		o.Attack = &jsonAttack{Thread: threadName(r.Program, a.Thread)}
		o.Attack.Store, o.Attack.StoreLine = edge(a.Store)
		o.Attack.Load, o.Attack.LoadLine = edge(a.Load)
	}
	return o
}
