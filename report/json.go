package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// The JSON forms. Memory, registers and statistics are objects from names to
// numbers; what a result does not have is left out.

type jsonResult struct {
	File      string           `json:"file"`
	Model     string           `json:"model"`
	Property  string           `json:"property,omitempty"` // what was asked: "race", "lb-race", "liveness", "deadlock"
	Verdict   string           `json:"verdict"`            // SAFE, UNSAFE, UNKNOWN
	Engine    string           `json:"engine,omitempty"`
	Argument  string           `json:"argument,omitempty"`
	Bound     *int             `json:"bound,omitempty"`
	BoundUnit string           `json:"bound_unit,omitempty"`
	Seconds   float64          `json:"seconds"`
	Reason    string           `json:"reason,omitempty"`
	Advice    string           `json:"advice,omitempty"`
	Violation *jsonViolation   `json:"violation,omitempty"`
	Initial   map[string]int64 `json:"initial,omitempty"` // memory before the run
	Program   string           `json:"program,omitempty"` // a fingerprint, where there is a run
	Run       []jsonStep       `json:"run,omitempty"`
	Execution *jsonExecution   `json:"execution,omitempty"` // where the model has no runs
	// What justifies an execution with a cycle of program order and reads-from.
	Certificates []jsonCertificate `json:"certificates,omitempty"`
	Stats        map[string]int64  `json:"stats,omitempty"`
}

type jsonViolation struct {
	Kind   string      `json:"kind"` // of the property, "assert", "race", "lb-race" or "hang"
	Text   string      `json:"text"`
	Line   int         `json:"line,omitempty"`
	Column int         `json:"column,omitempty"`
	File   string      `json:"file,omitempty"` // where the line is in one that the program includes
	Race   *jsonRace   `json:"race,omitempty"`
	LBRace *jsonLBRace `json:"lbRace,omitempty"`
	Waits  []jsonWait  `json:"waits,omitempty"` // of kind "hang"
}

type jsonWait struct {
	Thread string           `json:"thread"`
	Reads  map[string]int64 `json:"reads,omitempty"` // cells and what is in them, again and again
	Stands bool             `json:"stands"`          // it has no step at all
	Line   int              `json:"line,omitempty"`
	Column int              `json:"column,omitempty"`
}

func waitObjects(p *program.Program, h *verdict.Hang) (all []jsonWait) {
	for _, w := range h.Waits {
		o := jsonWait{Thread: threadName(p, w.Thread), Stands: w.Stands, Line: w.Pos.Line, Column: w.Pos.Col, Reads: map[string]int64{}}
		for _, r := range w.Reads {
			o.Reads[cellName(h.Cells[r.Cell])] = r.Value
		}
		all = append(all, o)
	}
	return all
}

type jsonRace struct {
	Cell   string         `json:"cell"`
	First  jsonRaceAccess `json:"first"` // in the order of the run
	Second jsonRaceAccess `json:"second"`
	Why    []string       `json:"why"` // nothing orders them
	Advice string         `json:"advice,omitempty"`
}

type jsonRaceAccess struct {
	Thread string `json:"thread"`
	Step   int    `json:"step"`            // from 1
	Access string `json:"access"`          // "read", "write", "free", or "use" of what is freed
	Order  string `json:"order,omitempty"` // of an atomic access: "relaxed", ...
	Value  int64  `json:"value"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	File   string `json:"file,omitempty"` // where the line is in one that the program includes
}

func raceObject(run *verdict.Run, r *verdict.Race) *jsonRace {
	access := func(a *verdict.RaceAccess) jsonRaceAccess {
		what := "read"
		switch {
		case a.Free && a.Write:
			what = "free"
		case a.Free:
			what = "use"
		case a.Write:
			what = "write"
		}
		return jsonRaceAccess{threadName(run.Program, a.Thread), a.Step + 1, what, a.Order, a.Value, a.Pos.Line, a.Pos.Col, a.Pos.File}
	}
	return &jsonRace{cellName(run.Cells[r.First.Cell]), access(&r.First), access(&r.Second), r.Why, r.Advice}
}

type jsonStep struct {
	Step    int                   `json:"step"` // from 1
	Thread  string                `json:"thread"`
	Command string                `json:"command"`          // as the program model has it; "flush"
	Text    string                `json:"text"`             // the same with its values
	Edge    int                   `json:"edge"`             // of the thread, from 0; -1: it flushes
	Choice  int64                 `json:"choice,omitempty"` // which outcome of it
	Line    int                   `json:"line,omitempty"`
	File    string                `json:"file,omitempty"` // likewise
	Memory  map[string]int64      `json:"memory"`         // after the step
	Buffers map[string][]jsonPair `json:"buffers"`        // likewise, oldest pair first
}

type jsonPair struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

type jsonError struct {
	File    string `json:"file"`
	Verdict string `json:"verdict"` // ERROR, or UNKNOWN: see Reason
	Error   string `json:"error"`   // all of it, as people are told
	// Why there is no answer where nothing is wrong with the file.
	Reason string `json:"reason,omitempty"`
	// Where the input is at fault: the place, what is wrong there and what to do about it.
	Message string `json:"message,omitempty"`
	Hint    string `json:"hint,omitempty"`
	Include string `json:"include,omitempty"` // the file of the place, where it is not the one that was named
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"` // in bytes, from 1
	Length  int    `json:"length,omitempty"` // of the word there
	// The model is for programs of another architecture than that of the test.
	Foreign bool `json:"foreign,omitempty"`
}

// JSON writes r as one object on one line. file is how the user named the
// program.
//
// A result with a [Fault] is written as [JSONError] writes its diagnostic.
func JSON(w io.Writer, r *verdict.Result, file string) error {
	if d := Fault(r); d != nil {
		return JSONError(w, file, d)
	}
	return writeObject(w, resultObject(r, file))
}

func resultObject(r *verdict.Result, file string) jsonResult {
	o := jsonResult{
		File:      file,
		Model:     string(r.Model()),
		Verdict:   r.Verdict().String(),
		Engine:    r.Engine,
		Argument:  string(r.Argument()),
		BoundUnit: r.BoundUnit,
		Seconds:   r.Elapsed.Seconds(),
		Reason:    r.Reason(),
		Advice:    r.Next(),
		Stats:     statsObject(r.Stats),
	}
	if r.About() != verdict.Safety {
		o.Property = string(r.About())
	}
	if r.BoundUnit != "" {
		o.Bound = &r.Bound
	}
	if v := r.Violation(); v != nil {
		o.Violation = &jsonViolation{Kind: "assert", Text: v.Text, Line: v.Pos.Line, Column: v.Pos.Col, File: v.Pos.File}
		if v.Property != nil {
			o.Violation.Kind = v.Property.Kind.String()
		}
		if v.Race != nil {
			o.Violation.Kind, o.Violation.Race = "race", raceObject(r.Run(), v.Race)
		}
		if v.LBRace != nil {
			o.Violation.Kind, o.Violation.LBRace = "lb-race", lbRaceObject(v.LBRace)
		}
		if v.Hang != nil {
			o.Violation.Kind, o.Violation.Waits = "hang", waitObjects(r.Program(), v.Hang)
		}
	}
	if r.Run() != nil {
		o.Initial, o.Run = runObject(r.Run())
		o.Program = program.Fingerprint(r.Run().Program)
	}
	if x := r.Execution(); x != nil {
		o.Execution = executionObject(x.Program, x.Graph)
		o.Certificates = certificateObjects(x)
	}
	return o
}

// JSONError writes an error about a file as one object on one line, so that a
// reader of several results finds one for each file.
func JSONError(w io.Writer, file string, err error) error {
	return writeObject(w, errorObject(file, err))
}

func errorObject(file string, err error) jsonError {
	o := jsonError{File: file, Verdict: faultVerdict(err), Error: err.Error()}
	if o.Verdict == unknownVerdict {
		o.Reason = o.Error
	}
	var d *program.Diagnostic
	if errors.As(err, &d) {
		o.Message, o.Hint, o.Include, o.Line, o.Column = d.Msg, d.Hint, d.Pos.File, d.Pos.Line, d.Pos.Col
		if line := d.Source.Line(d.Pos.Line); 0 < d.Pos.Col && d.Pos.Col <= len(line) {
			rest := line[d.Pos.Col-1:]
			o.Length = len(rest) - len(strings.TrimLeftFunc(rest, func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }))
			o.Length = max(o.Length, 1)
		}
	}
	return o
}

// runObject is the memory at first and the steps.
func runObject(r *verdict.Run) (initial map[string]int64, steps []jsonStep) {
	for i := range r.Steps {
		steps = append(steps, stepObject(r, i))
	}
	return memoryObject(r.Cells, r.Init), steps
}

func stepObject(r *verdict.Run, i int) jsonStep {
	s := &r.Steps[i]
	o := jsonStep{
		Step:    i + 1,
		Thread:  threadName(r.Program, s.Thread),
		Command: stepCommand(r.Program, s),
		Text:    s.Text,
		Edge:    s.Edge,
		Choice:  s.Choice,
		Line:    s.Pos.Line,
		File:    s.Pos.File,
		Memory:  memoryObject(r.Cells, s.Memory),
		Buffers: map[string][]jsonPair{},
	}
	for t, pairs := range s.Buffers {
		ps := []jsonPair{} // an empty buffer is [], not null
		for _, p := range pairs {
			ps = append(ps, jsonPair{cellName(r.Cells[p.Cell]), p.Value})
		}
		o.Buffers[threadName(r.Program, t)] = ps
	}
	return o
}

// memoryObject is what is in memory, without what nothing has been written to.
func memoryObject(cells []program.Cell, values []int64) map[string]int64 {
	o := make(map[string]int64, len(values))
	for i, v := range values {
		if cells[i].Mark == 0 || v != cells[i].Mark {
			o[cellName(cells[i])] = v
		}
	}
	return o
}

func statsObject(stats []verdict.Stat) map[string]int64 {
	o := make(map[string]int64, len(stats))
	for _, s := range stats {
		o[s.Name] = s.Value
	}
	return o
}

// writeObject writes v, which is one of [objects], and a newline in one call.
func writeObject(w io.Writer, v any) error {
	kind, err := kindOf(v)
	if err != nil {
		return err
	}
	return encode(w, v, fmt.Sprintf(`"schema":%d,"type":%q,`, SchemaVersion, kind))
}

// encode writes v, which is an object, and a newline in one call, with fields before the others.
func encode(w io.Writer, v any, fields string) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // "<-" is not markup
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, "{"+fields+b.String()[1:])
	return err
}
