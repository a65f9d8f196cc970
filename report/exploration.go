package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Exploration is what one way to explore a program found: the result with
// the figures that its kind of exploration has, among "states", "transitions",
// "executions", "blocked" and "bytes".
type Exploration struct {
	*verdict.Result
	Reduction string
	Counts    string // "states" or "executions": what is met once
	Search    string // "dfs" or "bfs"; "" where there is no choice
	Live      bool   // whether dead registers were cleared in states
}

// figure is the figure of that name, where the exploration has one. Blocked are all
// explorations that came to no execution, those that sleep sets end included, which
// the statistics have as "redundant".
func (e *Exploration) figure(name string) (v int64, ok bool) {
	for _, s := range e.Stats {
		if s.Name == name || name == "blocked" && s.Name == "redundant" {
			v, ok = v+s.Value, true
		}
	}
	return v, ok
}

// perSecond is the speed of the exploration, in what it counts.
func (e *Exploration) perSecond() string {
	n, _ := e.figure(e.Counts)
	if s := e.Elapsed.Seconds(); s > 0 {
		return grouped(int64(float64(n) / s))
	}
	return ""
}

// label is the reduction, and what tells it from others of its name.
func (e *Exploration) label() string {
	switch {
	case e.Search != "":
		return e.Reduction + " (" + e.Search + ")"
	case e.Counts == "states":
		return e.Reduction + " (states)"
	}
	return e.Reduction
}

type jsonExploration struct {
	jsonResult
	Reduction string `json:"por"`
	Counts    string `json:"counts"`
	Search    string `json:"search,omitempty"`
	Live      *bool  `json:"live,omitempty"`
	// Null where the exploration does not count them.
	States      *int64 `json:"states"`
	Transitions *int64 `json:"transitions"`
	Executions  *int64 `json:"executions"`
	Blocked     *int64 `json:"blocked"`
	Bytes       *int64 `json:"bytes"`
}

// JSONExploration writes e as one object on one line: that of [JSON] with the
// figures as fields of their own.
func JSONExploration(w io.Writer, e *Exploration, file string) error {
	if d := Fault(e.Result); d != nil {
		return JSONError(w, file, d)
	}
	o := jsonExploration{jsonResult: resultObject(e.Result, file), Reduction: e.Reduction, Counts: e.Counts, Search: e.Search}
	if e.Counts == "states" {
		o.Live = &e.Live
	}
	for name, field := range map[string]**int64{
		"states": &o.States, "transitions": &o.Transitions, "executions": &o.Executions, "blocked": &o.Blocked, "bytes": &o.Bytes,
	} {
		if v, ok := e.figure(name); ok {
			*field = &v
		}
	}
	return writeObject(w, o)
}

// TextExploration writes e for people: the verdict, the figures one a line, and
// the evidence as [Text] has it.
func TextExploration(w io.Writer, e *Exploration, opts Options) error {
	opts.Width = cmp.Or(opts.Width, defaultWidth)
	if e.Fault() {
		return Text(w, e.Result, opts)
	}
	var b strings.Builder
	writeVerdict(&b, e.Result, &opts)
	if !opts.Quiet {
		if facts := e.facts(); len(facts) > 0 {
			b.WriteByte('\n')
			writeItems(&b, facts, opts.Width)
		}
		r := *e.Result
		r.Stats = nil
		writeEvidence(&b, &r, opts)
	}
	return write(w, &b)
}

// facts is the figures, with what they are of, and the speed.
func (e *Exploration) facts() (items [][2]string) {
	for _, s := range e.Stats {
		label, value := s.Name, grouped(s.Value)
		if s.Name == "bytes" {
			label, value = "memory", size(s.Value)
		}
		items = append(items, [2]string{label, value})
	}
	if speed := e.perSecond(); speed != "" {
		items = append(items, [2]string{"speed", counted(speed, e.Counts) + " a second"})
	}
	return items
}

// counted is a number with what it is of: "1 execution", "2,000 executions".
func counted(n, nouns string) string {
	if n == "1" {
		nouns = strings.TrimSuffix(nouns, "s")
	}
	return n + " " + nouns
}

// TableExplorations writes a row for each exploration of one program.
func TableExplorations(w io.Writer, es []*Exploration, opts Options) error {
	opts.Width = cmp.Or(opts.Width, defaultWidth)
	names := []string{"states", "transitions", "executions", "blocked"}
	cols := []*column{{title: "por"}, {title: "verdict"}}
	for i, n := range append(names, "memory", "time", "per second") {
		c := &column{title: n, right: true}
		if i >= len(names)-1 && n != "time" {
			c.spare = i // what is blocked goes last
		}
		cols = append(cols, c)
	}
	for _, e := range es {
		row := []string{e.label(), e.Verdict().String()}
		if e.Fault() {
			row[1] = "FAULT"
		}
		for _, n := range names {
			cell := "-"
			if v, ok := e.figure(n); ok {
				cell = grouped(v)
			}
			row = append(row, cell)
		}
		bytes, _ := e.figure("bytes")
		row = append(row, size(bytes), duration(e.Elapsed), e.perSecond())
		for i, c := range row {
			cols[i].cells = append(cols[i].cells, c)
		}
	}
	cols = spared(cols, opts.Width)
	fit(cols, opts.Width)
	var b strings.Builder
	if len(es) > 0 {
		fmt.Fprintf(&b, "%s  under %s\n\n", oneLine(fileName(es[0].Program())), modelName(es[0].Model()))
	}
	writeTable(&b, cols)
	return write(w, &b)
}
