package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Format is a form of output.
type Format string

// The formats.
const (
	TextFormat Format = "text"
	JSONFormat Format = "json"
)

type jsonStates struct {
	File     string           `json:"file"`
	Model    string           `json:"model"`
	Complete bool             `json:"complete"`
	Engine   string           `json:"engine,omitempty"`
	Seconds  float64          `json:"seconds"`
	Reason   string           `json:"reason,omitempty"` // why not complete
	Advice   string           `json:"advice,omitempty"`
	States   []jsonState      `json:"states"`
	Stats    map[string]int64 `json:"stats,omitempty"`
}

type jsonState struct {
	Registers map[string]map[string]int64 `json:"registers"` // by thread
	Memory    map[string]int64            `json:"memory"`
}

// States writes the final states of p that r speaks of: as text one line each,
// after a line with their number, in ascending order of the values; as JSON
// one object on one line. Registers that a front end invented are left out.
//
// A result with a [Fault] is written as [Text] and [JSON] write it.
func States(w io.Writer, p *program.Program, states []verdict.FinalState, r *verdict.Result, format Format) error {
	if r.Fault() {
		if format == JSONFormat {
			return JSON(w, r, fileName(p))
		}
		return Text(w, r, Options{})
	}
	l := &lister{p: p, cells: p.Memory}
	// A program may use cells that it does not declare.
	if ranges, err := program.Analyse(p); err == nil {
		l.cells = ranges.Cells
	}
	states = l.distinct(states)
	if format == JSONFormat {
		return l.json(w, states, r)
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "States %d\n", len(states))
	for i := range states {
		fmt.Fprintln(b, l.line(&states[i]))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "Note: %s\n", oneLine(n))
	}
	if !r.Safe() {
		reason := oneLine(r.Reason())
		if reason == "" {
			reason = "the engine gave no reason"
		}
		fmt.Fprintf(b, "Incomplete: %s\n", reason)
		if next := r.Next(); next != "" {
			fmt.Fprintf(b, "Next: %s\n", oneLine(next))
		}
	}
	return b.Flush()
}

// A lister knows what of a final state is shown.
type lister struct {
	p     *program.Program
	cells []program.Cell
}

// A formatter is how values of a register or a cell are shown.
type formatter = func(v int64) string

// each calls reg and cell for the registers and then the cells of a state that are shown.
func (l *lister) each(s *verdict.FinalState, reg func(thread int, name string, format formatter, v int64), cell func(name string, format formatter, v int64)) {
	for i, t := range l.p.Threads {
		for j := range t.Regs {
			if !t.Regs[j].Temp && i < len(s.Regs) && j < len(s.Regs[i]) {
				reg(i, t.Regs[j].Name, t.Regs[j].Format, s.Regs[i][j])
			}
		}
	}
	for i, c := range l.cells {
		if i < len(s.Memory) {
			cell(cellName(c), c.Format, s.Memory[i])
		}
	}
}

// distinct sorts by the values that are shown and drops repetitions.
func (l *lister) distinct(states []verdict.FinalState) []verdict.FinalState {
	type keyed struct {
		key   []int64
		state verdict.FinalState
	}
	ks := make([]keyed, len(states))
	for i := range states {
		ks[i].state = states[i]
		l.each(&states[i],
			func(_ int, _ string, _ formatter, v int64) { ks[i].key = append(ks[i].key, v) },
			func(_ string, _ formatter, v int64) { ks[i].key = append(ks[i].key, v) })
	}
	slices.SortStableFunc(ks, func(a, b keyed) int { return slices.Compare(a.key, b.key) })
	ks = slices.CompactFunc(ks, func(a, b keyed) bool { return slices.Equal(a.key, b.key) })
	out := make([]verdict.FinalState, len(ks))
	for i := range ks {
		out[i] = ks[i].state
	}
	return out
}

func (l *lister) line(s *verdict.FinalState) string {
	var parts []string
	l.each(s,
		func(t int, name string, format formatter, v int64) {
			parts = append(parts, fmt.Sprintf("%s.%s=%s;", threadName(l.p, t), name, format(v)))
		},
		func(name string, format formatter, v int64) {
			parts = append(parts, fmt.Sprintf("%s=%s;", name, format(v)))
		})
	return cmp.Or(strings.Join(parts, " "), "(nothing to show)")
}

func (l *lister) json(w io.Writer, states []verdict.FinalState, r *verdict.Result) error {
	o := jsonStates{
		File:     fileName(l.p),
		Model:    string(r.Model()),
		Complete: r.Safe(),
		Engine:   r.Engine,
		Seconds:  r.Elapsed.Seconds(),
		Reason:   r.Reason(),
		Advice:   r.Next(),
		States:   []jsonState{},
		Stats:    statsObject(r.Stats),
	}
	for i := range states {
		s := jsonState{Registers: map[string]map[string]int64{}, Memory: map[string]int64{}}
		l.each(&states[i],
			func(t int, name string, _ formatter, v int64) {
				th := threadName(l.p, t)
				if s.Registers[th] == nil {
					s.Registers[th] = map[string]int64{}
				}
				s.Registers[th][name] = v
			},
			func(name string, format formatter, v int64) {
				if format(v) != program.Unwritten {
					s.Memory[name] = v
				}
			})
		o.States = append(o.States, s)
	}
	return writeObject(w, o)
}
