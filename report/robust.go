package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Robust writes whether a program is robust, or free of triangular races, with
// the run and the happens-before cycle that show that it is not.
func Robust(w io.Writer, r *verdict.RobustResult, opts Options) error {
	var b strings.Builder
	opts.begin(&b, r.Word(), verdictColours[r.Verdict()], r.Program(), "under "+modelName(memory.TSO), "attacks, "+duration(r.Elapsed))
	if !opts.Quiet {
		writeRobustEvidence(&b, r, opts.Width)
	}
	return write(w, &b)
}

func writeRobustEvidence(b *strings.Builder, r *verdict.RobustResult, width int) {
	b.WriteByte('\n')
	writeItems(b, robustClaims(r), width)
	e := r.Evidence()
	if e == nil {
		return
	}
	b.WriteByte('\n')
	writeRun(b, e.Run, Options{Width: width})
	if len(e.Cycle) > 0 {
		b.WriteByte('\n')
		writeItems(b, [][2]string{{"cycle", cycle(e)}}, width)
	}
}

// robustClaims is what an answer says, and how it came to it.
func robustClaims(r *verdict.RobustResult) (all items) {
	add := all.add
	switch r.Verdict() {
	case verdict.IsSafe:
		if r.About() == verdict.RaceFreedom {
			add("because", "exhaustive search for races: there is none, so the program is robust as well")
		} else {
			add("because", "exhaustive search for attacks: every computation under TSO has the happens-before relation of one under SC")
		}
	case verdict.IsUnsafe:
		label := "attack"
		if r.About() == verdict.RaceFreedom {
			label = "race"
		}
		add(label, attack(r))
	default:
		add("reason", oneLine(r.Reason()))
	}
	stats := r.Stats
	if r.About() == verdict.RaceFreedom {
		// Attacks are not what it looks for.
		stats = slices.DeleteFunc(slices.Clone(stats), func(s verdict.Stat) bool { return strings.HasPrefix(s.Name, "attacks") })
	}
	add("effort", effort(stats))
	if r.Verdict() == verdict.IsUnknown {
		add("next", oneLine(r.Next()))
	}
	return all
}

// attack says which thread overtakes which of its stores with which load.
func attack(r *verdict.RobustResult) string {
	e := r.Evidence()
	if e == nil || e.Attack == nil {
		return ""
	}
	p := r.Program()
	t := p.Threads[e.Attack.Thread]
	command := func(edge int) string {
		c := &t.Edges[edge]
		s := oneLine(c.Cmd.Format(p, t))
		if c.Pos.IsValid() {
			s += fmt.Sprintf(" (%s)", oneLine(c.Pos.Where()))
		}
		return s
	}
	return fmt.Sprintf("%s delays %s past %s", threadName(p, e.Attack.Thread), command(e.Attack.Store), command(e.Attack.Load))
}

// cycle goes from event to event, each with its step, and back to the first.
// Lines break at the arrows.
func cycle(e *verdict.RobustEvidence) string {
	var parts []string
	event := func(a verdict.Access) string {
		return strings.ReplaceAll(fmt.Sprintf("%s %s (%d)", threadName(e.Run.Program, a.Thread), accessText(e.Run, a), a.Step+1), " ", glue)
	}
	for _, c := range e.Cycle {
		parts = append(parts, event(c.From)+glue+"-"+c.Kind+"->")
	}
	return strings.Join(append(parts, event(e.Cycle[0].From)), " ")
}

// accessText is an access as the literature writes it, such as "W x=1".
func accessText(run *verdict.Run, a verdict.Access) string {
	kind := 'R'
	if a.Write {
		kind = 'W'
	}
	return fmt.Sprintf("%c %s", kind, value(run, a.Cell, a.Value))
}

// CycleDrawing is the execution of a witness with its happens-before cycle, to be
// drawn; nil where there is none.
func CycleDrawing(r *verdict.RobustResult) *Drawing {
	e := r.Evidence()
	if e == nil || len(e.Cycle) == 0 {
		return nil
	}
	d := &Drawing{Program: r.Program(), Graph: e.Execution, Title: r.Program().Name + ": not robust against TSO"}
	for _, c := range e.Cycle {
		d.Cycle = append(d.Cycle, memory.Step{
			From: slices.Index(e.Accesses, c.From), Relation: c.Kind, To: slices.Index(e.Accesses, c.To)})
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
func JSONRobust(w io.Writer, r *verdict.RobustResult, file string) error {
	o := jsonRobust{
		File: file, Property: string(r.About()), Verdict: r.Word(), Seconds: r.Elapsed.Seconds(),
		Reason: r.Reason(), Advice: r.Next(), Stats: statsObject(r.Stats),
	}
	if e := r.Evidence(); e != nil {
		o.Witness = witnessObject(r.Program(), e)
	}
	return writeObject(w, o)
}

func witnessObject(p *program.Program, e *verdict.RobustEvidence) *jsonWitness {
	o := &jsonWitness{}
	o.Initial, o.Run = runObject(e.Run)
	access := func(a verdict.Access) jsonAccess {
		return jsonAccess{threadName(p, a.Thread), a.Step + 1, accessText(e.Run, a)}
	}
	for _, c := range e.Cycle {
		o.Cycle = append(o.Cycle, jsonCycleEdge{access(c.From), c.Kind, access(c.To)})
	}
	if a := e.Attack; a != nil {
		t := p.Threads[a.Thread]
		edge := func(i int) (string, int) {
			e := &t.Edges[i]
			return oneLine(e.Cmd.Format(p, t)), e.Pos.Line
		}
		o.Attack = &jsonAttack{Thread: threadName(p, a.Thread)}
		o.Attack.Store, o.Attack.StoreLine = edge(a.Store)
		o.Attack.Load, o.Attack.LoadLine = edge(a.Load)
	}
	return o
}
