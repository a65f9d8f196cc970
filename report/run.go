package report

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A row of the table of a run: a flush; or at most one memory event and the local
// steps of the same thread that come right after it.
type row struct {
	first, last int // steps, from 1
	thread      int
	what        []string
	places      []program.Position
	at          *verdict.Step
	folded      bool // it stands for rows of one thread that say little of what goes wrong
}

// local is true of a step that the other threads cannot see. Such steps fill
// most of a run and say little of what goes wrong between the threads, so they
// do not get rows of their own.
func local(p *program.Program, s *verdict.Step) bool {
	if s.Edge < 0 {
		return false
	}
	switch p.Threads[s.Thread].Edges[s.Edge].Cmd.Op {
	case program.Check, program.Assign, program.Havoc, program.Assert:
		return true
	}
	return false
}

// idle is true of a local step that is not worth a word: one that does nothing, what the program does not
// have, or the front end's test of an index or a divisor that passed.
func idle(p *program.Program, s *verdict.Step) bool {
	if s.Edge < 0 {
		return false
	}
	c := &p.Threads[s.Thread].Edges[s.Edge].Cmd
	return c.IsSkip() || c.Op == program.Check && c.Pick || c.Op == program.Assert && c.Kind != program.Assertion
}

func rows(r *verdict.Run) []row {
	var rs []row
	for i := range r.Steps {
		s := &r.Steps[i]
		// An assertion that fails is what the run is about.
		fails := i == len(r.Steps)-1 && r.Violation != nil && r.Violation.Property == nil
		n := len(rs)
		if n == 0 || rs[n-1].thread != s.Thread || rs[n-1].at.Edge < 0 || !local(r.Program, s) || fails {
			rs = append(rs, row{first: i + 1, thread: s.Thread})
			n++
		}
		cur := &rs[n-1]
		cur.last, cur.at = i+1, s
		if s.Pos.IsValid() {
			cur.places = append(cur.places, s.Pos)
		}
		if !idle(r.Program, s) {
			text := oneLine(s.Text)
			if text == "" {
				text = stepCommand(r.Program, s)
			}
			// Lines break between steps rather than in them.
			cur.what = append(cur.what, strings.ReplaceAll(text, " ", glue))
		}
	}
	return rs
}

// leastFold is how many rows there must be to be worth a fold.
const leastFold = 5

// fold puts rows of one thread that follow one another into one, where the run has a history
// and none of them is part of its cycle. The last row stays.
func fold(r *verdict.Run, rs []row) (folded []row) {
	if r.History == nil {
		return rs
	}
	part := make([]bool, len(r.Steps)+1) // by step, from 1
	for _, c := range r.History.Cycle {
		for _, at := range []int{r.History.Step[c.From], r.History.Step[c.To], r.History.Flush[c.From], r.History.Flush[c.To]} {
			part[at+1] = true
		}
	}
	part[0] = false
	for i := 0; i < len(rs); {
		n := i
		for n < len(rs)-1 && rs[n].thread == rs[i].thread && !slices.Contains(part[rs[n].first:rs[n].last+1], true) {
			n++
		}
		if n-i < leastFold {
			n = max(n, i+1)
			folded = append(folded, rs[i:n]...)
		} else {
			one := row{first: rs[i].first, last: rs[n-1].last, thread: rs[i].thread, at: rs[n-1].at, folded: true}
			for _, row := range rs[i:n] {
				one.places = append(one.places, row.places...)
			}
			one.what = []string{fmt.Sprintf("… %d steps of %s alone", one.last-one.first+1, threadName(r.Program, one.thread))}
			folded = append(folded, one)
		}
		i = n
	}
	return folded
}

func (r *row) text() string {
	if len(r.what) == 0 {
		return "skip"
	}
	return strings.Join(r.what, "; ")
}

// sourceLines is the first line and the last, with the file where that is another one.
func (r *row) sourceLines() string {
	if len(r.places) == 0 {
		return ""
	}
	file := r.places[0].File
	var lines []int
	for _, p := range r.places {
		if p.File == file {
			lines = append(lines, p.Line)
		}
	}
	text := interval(slices.Min(lines), slices.Max(lines))
	if file != "" {
		text = oneLine(path.Base(file)) + ":" + text
	}
	return text
}

// stepCommand is the command of a step as the program model prints it.
func stepCommand(p *program.Program, s *verdict.Step) string {
	if s.Edge < 0 {
		return "flush"
	}
	t := p.Threads[s.Thread]
	return oneLine(t.Edges[s.Edge].Cmd.Format(p, t))
}

// interval is "3" or "3-5".
func interval(first, last int) string {
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

const (
	minThread = 18 // columns below which a thread's steps cannot be read
	minMemory = 12
	minBuffer = 14
	// maxMemory is the width up to which memory is shown whole after every
	// step; above it, only what the step changes.
	maxMemory = 24
)

func writeRun(b *strings.Builder, r *verdict.Run, opts Options) {
	if len(r.Steps) == 0 {
		return
	}
	width, rs := opts.Width, rows(r)
	if !opts.Full {
		rs = fold(r, rs)
	}
	step := &column{title: "step", right: true}
	line := &column{title: "line", right: true}
	mem, changed := memoryColumn(r, rs)
	buf := &column{title: "buffers", min: minBuffer, lines: 2 * maxLines, ditto: true}
	buffered := false
	for _, row := range rs {
		step.cells = append(step.cells, interval(row.first, row.last))
		line.cells = append(line.cells, row.sourceLines())
		s := buffers(r, row.at)
		buffered = buffered || s != ""
		buf.cells = append(buf.cells, s)
	}
	var state []*column
	if changed {
		state = append(state, mem)
	}
	if buffered {
		state = append(state, buf)
	}
	fixed := []*column{step, line}
	for _, c := range fixed {
		c.min = len(c.title)
		for _, s := range c.cells {
			c.min = max(c.min, len(s))
		}
	}

	// One column for each thread shows the interleaving best; if that is too
	// wide, one for the names of the threads and one for what they do.
	wide := append([]*column{}, fixed...)
	for i := range r.Program.Threads {
		c := &column{title: threadName(r.Program, i), min: minThread, steps: true}
		for _, row := range rs {
			s := ""
			if row.thread == i {
				s = row.text()
			}
			c.cells = append(c.cells, s)
		}
		wide = append(wide, c)
	}
	cols := append(wide, state...)
	if !fit(cols, width) {
		who, what := &column{title: "thread", min: 8}, &column{title: "what", min: minThread, steps: true}
		for _, row := range rs {
			who.cells = append(who.cells, threadName(r.Program, row.thread))
			what.cells = append(what.cells, row.text())
		}
		cols = append(append(append([]*column{}, fixed...), who, what), state...)
		fit(cols, width)
	}
	for _, l := range wrap(initial(r, changed), max(width-2, 20), maxLines) {
		b.WriteString("  " + l + "\n")
	}
	b.WriteByte('\n')
	writeTable(b, cols)
	writeRemarks(b, r, rs, width)
}

// writeRemarks says what is left out, and where the run leaves what SC has.
func writeRemarks(b *strings.Builder, r *verdict.Run, rs []row, width int) {
	var items [][2]string
	if slices.ContainsFunc(rs, func(r row) bool { return r.folded }) {
		items = append(items, [2]string{"folded", "what a thread does alone, away from what is violated; --full shows it"})
	}
	if h := r.History; h != nil && h.Parts >= 0 {
		items = append(items, [2]string{"beyond SC", fmt.Sprintf("with step %d; up to there a run under SC does the same: %s", h.Parts+1, cycleText(r))})
	}
	if len(items) > 0 {
		b.WriteByte('\n')
		writeItems(b, items, width)
	}
}

// cycleText goes round the cycle of a history, from event to event, each with its step.
func cycleText(r *verdict.Run) string {
	h := r.History
	var parts []string
	event := func(i int) string {
		e := &h.Graph.Events[i]
		if e.Initial() {
			return strings.ReplaceAll(oneLine(e.String()), " ", glue)
		}
		return strings.ReplaceAll(fmt.Sprintf("%s %s (%d)", threadName(r.Program, e.Thread), oneLine(e.String()), h.Step[i]+1), " ", glue)
	}
	for _, c := range h.Cycle {
		parts = append(parts, event(c.From)+glue+"-"+c.Relation+"->")
	}
	return strings.Join(append(parts, event(h.Cycle[0].From)), " ")
}

// initial says what memory holds at first, without a long list of zeros.
func initial(run *verdict.Run, changed bool) string {
	var set []string
	for i, v := range run.Init {
		if v != 0 {
			set = append(set, value(run, i, v))
		}
	}
	s := "Memory is 0 at first"
	if len(set) > 0 {
		s = "Memory at first: " + strings.Join(set, " ")
		if len(set) < len(run.Init) {
			s += ", the rest 0"
		}
	}
	if !changed {
		s += "; no step changes it"
	}
	return s + "."
}

func value(run *verdict.Run, cell int, v int64) string {
	return cellName(run.Cells[cell]) + "=" + run.Cells[cell].Format(v)
}

// memoryColumn shows the cells that the run changes. It reports whether there
// are any.
func memoryColumn(run *verdict.Run, rs []row) (c *column, any bool) {
	changes := make([]bool, len(run.Init))
	for i := range run.Steps {
		for j, v := range run.Steps[i].Memory {
			if v != run.Init[j] {
				changes[j], any = true, true
			}
		}
	}
	whole := &column{title: "memory", min: minMemory}
	part := &column{title: "memory changes", min: minMemory, lines: 2 * maxLines}
	fits := true
	before := run.Init
	for _, row := range rs {
		var all, changed []string
		for j, v := range row.at.Memory {
			if changes[j] {
				all = append(all, value(run, j, v))
			}
			if v != before[j] {
				changed = append(changed, value(run, j, v))
			}
		}
		before = row.at.Memory
		s := strings.Join(all, " ")
		fits = fits && length(s) <= maxMemory
		whole.cells = append(whole.cells, s)
		part.cells = append(part.cells, strings.Join(changed, " "))
	}
	if fits {
		return whole, any
	}
	return part, any
}

// buffers shows the buffers that hold something, oldest pair first.
func buffers(r *verdict.Run, s *verdict.Step) string {
	var parts []string
	for t, pairs := range s.Buffers {
		if len(pairs) == 0 {
			continue
		}
		ps := make([]string, len(pairs))
		for i, p := range pairs {
			ps[i] = cellName(r.Cells[p.Cell]) + ":=" + r.Cells[p.Cell].Format(p.Value)
		}
		parts = append(parts, threadName(r.Program, t)+":"+glue+strings.Join(ps, " "))
	}
	return strings.Join(parts, "; ")
}
