package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Document is a result with its evidence, for a page to look at (package report/page) and for
// the playground. Numbers of programs are strings, since those of 64 bits are none in JavaScript.
type Document struct {
	Word   string      `json:"word"` // "UNSAFE", "4 FENCES"
	Tone   string      `json:"tone"` // good, bad, open
	File   string      `json:"file"`
	Under  string      `json:"under"`
	How    string      `json:"how"`
	Facts  [][2]string `json:"facts"` // labels and texts
	Source *SourceView `json:"source,omitempty"`
	Runs   []RunView   `json:"runs,omitempty"`
	Graph  *GraphView  `json:"graph,omitempty"` // where there is no run that it is the graph of
	Fences *FenceView  `json:"fences,omitempty"`
	Tables []TableView `json:"tables,omitempty"`
}

// A SourceView is a source.
type SourceView struct {
	Name     string       `json:"name"`
	Text     string       `json:"text"`
	Included []SourceView `json:"included,omitempty"` // where a run has steps
}

// A RunView is a run.
type RunView struct {
	Title   string      `json:"title"`
	Model   string      `json:"model"`
	Threads []string    `json:"threads"`
	Cells   []string    `json:"cells"` // those that the run has to do with
	Regs    [][]string  `json:"regs"`  // by thread
	Init    []string    `json:"init"`
	Steps   []StepView  `json:"steps"`
	Folds   [][2]int    `json:"folds"` // steps from and to, of a thread alone
	Ends    []int       `json:"ends"`  // by thread: the step with which it has ended, or -1
	Parts   int         `json:"parts"` // the step that no run under SC does, or -1
	Cycle   string      `json:"cycle,omitempty"`
	After   [][2]string `json:"after,omitempty"` // what there is to say at the end
	Graph   *GraphView  `json:"graph,omitempty"`
}

// A StepView is a step, and the state after it.
type StepView struct {
	Thread  int          `json:"thread"`
	Text    string       `json:"text"`
	Line    int          `json:"line,omitempty"` // of the source
	File    string       `json:"file,omitempty"` // that the line is of, where it is an included one
	Place   string       `json:"place,omitempty"`
	Flush   bool         `json:"flush,omitempty"`
	Pair    int          `json:"pair"` // the flush of a store, or the store of a flush; -1
	Memory  []string     `json:"memory"`
	Buffers [][]SlotView `json:"buffers"` // by thread, oldest first
	Regs    [][]string   `json:"regs"`
}

// A SlotView is a store in a buffer.
type SlotView struct {
	Text string `json:"text"`
	Step int    `json:"step"` // of the store, or -1
}

// A GraphView is an execution graph.
type GraphView struct {
	*Layout
	Steps  []int       `json:"steps,omitempty"`  // by event: its step, or -1
	Axioms [][2]string `json:"axioms,omitempty"` // that are violated, with the cycle
}

// A FenceView is fences: the change to the source, and what each is for.
type FenceView struct {
	New    string      `json:"new"`
	Lines  []LineView  `json:"lines"`
	Fences []FenceLine `json:"fences"`
}

// A LineView is a line of the old text, the new, or both.
type LineView struct {
	Op    string `json:"op"` // " ", "-" or "+"
	Text  string `json:"text"`
	Group int    `json:"group"` // changes that are one, from 1; 0: none
}

// A FenceLine is a fence.
type FenceLine struct {
	Place   string `json:"place"`
	Without string `json:"without,omitempty"`
	Run     int    `json:"run"` // without it, among the runs of the document; -1
}

// A TableView is a table.
type TableView struct {
	Title string     `json:"title"`
	Head  []string   `json:"head"`
	Rows  [][]string `json:"rows"`
}

// tone is how a verdict looks.
func tone(v verdict.Verdict) string {
	return map[verdict.Verdict]string{verdict.IsSafe: "good", verdict.IsUnsafe: "bad", verdict.IsUnknown: "open"}[v]
}

func sourceText(p *program.Program) *SourceView {
	if p.Source == nil || p.Source.Text == "" {
		return nil
	}
	return &SourceView{Name: p.Source.Name, Text: p.Source.Text}
}

// include adds the files that steps of the run stand in.
func (v *SourceView) include(r *verdict.Run) {
	if v == nil || r == nil {
		return
	}
	for i := range r.Steps {
		pos := r.Steps[i].Pos
		src := r.Program.Source.File(pos)
		if src == nil || pos.File == "" || slices.ContainsFunc(v.Included, func(in SourceView) bool { return in.Name == src.Name }) {
			continue
		}
		v.Included = append(v.Included, SourceView{Name: src.Name, Text: src.Text})
	}
}

// CheckDocument is the document of an answer. all draws all events of graphs.
func CheckDocument(r *verdict.Result, file string, all bool) *Document {
	d := &Document{Word: r.Verdict().String(), Tone: tone(r.Verdict()), File: file,
		Under: under(r), How: how(r), Facts: claims(r), Source: sourceText(r.Program())}
	if fault := Fault(r); fault != nil {
		d.Word, d.Facts = "FAULT", [][2]string{{"reason", fault.Error()}}
	}
	if r.Run() != nil {
		d.Source.include(r.Run())
		v := runView(r.Run(), "The run that breaks it", all)
		v.After = consequences(r)
		d.Runs = append(d.Runs, v)
	} else if g := Convicted(r); g != nil {
		d.Graph = graphView(g, all)
	}
	return d
}

// ExplorationDocument is the document of an exploration.
func ExplorationDocument(x *Exploration, file string, all bool) *Document {
	d := CheckDocument(x.Result, file, all)
	d.Facts = slices.DeleteFunc(d.Facts, func(f [2]string) bool { return f[0] == "effort" }) // which says the same
	d.Facts = append(d.Facts, x.facts()...)
	return d
}

// RobustDocument is the document of an answer about robustness.
func RobustDocument(r *verdict.RobustResult, file string, all bool) *Document {
	d := &Document{Word: r.Word(), Tone: tone(r.Verdict()), File: file, Under: "under " + modelName(memory.TSO),
		How: "attacks, " + duration(r.Elapsed), Facts: robustClaims(r), Source: sourceText(r.Program())}
	if e := r.Evidence(); e != nil {
		d.Source.include(e.Run)
		d.Runs = append(d.Runs, runView(e.Run, "The run", all))
	}
	return d
}

// ExplanationDocument is the document of an explanation.
func ExplanationDocument(e *verdict.Explanation, file string, all bool) *Document {
	d := &Document{Word: answers[e.Verdict], Tone: tone(e.Verdict), File: file, Under: "under " + modelName(e.Model),
		How: duration(e.Elapsed), Facts: explanationClaims(e), Source: sourceText(e.Program)}
	if e.Result != nil && e.Result.Run() != nil {
		d.Source.include(e.Result.Run())
		v := runView(e.Result.Run(), "A run that ends so", all)
		v.After = [][2]string{{"in the end", lastState(e.Result.Run())}}
		d.Runs = append(d.Runs, v)
		if v.Graph != nil {
			return d
		}
	}
	if g := Explained(e); g != nil {
		d.Graph = graphView(g, all)
		names := letters(e.Graph)
		for i := range e.Violations {
			v := &e.Violations[i]
			d.Graph.Axioms = append(d.Graph.Axioms, [2]string{axiomText(v.Axiom), wayText(e, names, v)})
		}
	}
	return d
}

// wayText goes round a cycle on one line.
func wayText(e *verdict.Explanation, names []string, v *memory.Violation) string {
	var b strings.Builder
	at := -1
	for _, s := range flat(v) {
		if s.From != at {
			b.WriteString(" " + placed(e.Program, e.Graph, names, s.From))
		}
		b.WriteString(" -" + s.Relation + "-> " + placed(e.Program, e.Graph, names, s.To))
		at = s.To
	}
	return strings.TrimSpace(b.String())
}

// FenceDocument is the document of an answer about fences.
func FenceDocument(r *verdict.FenceResult, file string, all bool) *Document {
	word, _ := fenceVerdict(r)
	d := &Document{Word: word, Tone: "good", File: file, Under: "for " + r.Goal.Goal() + " under " + modelName(cmp.Or(r.Model, memory.TSO)),
		How: duration(r.Elapsed), Facts: fenceClaims(r), Source: sourceText(r.Program)}
	switch {
	case r.Wrong != nil || r.Impossible || r.Insufficient:
		d.Tone = "bad"
	case !r.Verified():
		d.Tone = "open"
	}
	if r.Wrong != nil && r.Wrong.Run() != nil {
		d.Source.include(r.Wrong.Run())
		d.Runs = append(d.Runs, runView(r.Wrong.Run(), "A run under SC that breaks it", all))
	}
	if len(r.Sets) == 0 {
		return d
	}
	f := &FenceView{New: r.Text}
	if src := r.Program.Source; src != nil && r.Text != "" {
		f.Lines = lineViews(src.Text, r.Text)
	}
	for i := range r.Sets[0].Fences {
		fence := &r.Sets[0].Fences[i]
		line := FenceLine{Place: fencePlace(r, fence), Run: -1}
		var run *verdict.Run
		if line.Without, run = without(fence); run != nil {
			line.Run = len(d.Runs)
			d.Source.include(run)
			d.Runs = append(d.Runs, runView(run, "Without the fence of "+line.Place, all))
		}
		f.Fences = append(f.Fences, line)
	}
	d.Fences = f
	return d
}

// lineViews is the change from one text to another.
func lineViews(before, after string) (all []LineView) {
	group, changed := 0, false
	for _, c := range changes(lines(before), lines(after)) {
		l := LineView{Op: string(c.kind), Text: strings.TrimRight(c.text, "\r\n")}
		if c.kind != ' ' {
			if !changed {
				group++
			}
			l.Group = group
		}
		changed = c.kind != ' '
		all = append(all, l)
	}
	return all
}

// CompareDocument is the document of a comparison.
func CompareDocument(c *verdict.Comparison, file string) *Document {
	d := &Document{Word: "NO CONTRADICTION", Tone: "good", File: file, Under: agreement(c), Source: sourceText(c.Program)}
	if len(c.Contradictions) > 0 {
		d.Word, d.Tone = "CONTRADICTION", "bad"
	}
	for _, x := range c.Contradictions {
		d.Facts = append(d.Facts, [2]string{"contradiction", oneLine(x.Text)})
	}
	d.Tables = []TableView{tableView("Answers by model and engine", comparedColumns(c))}
	return d
}

func tableView(title string, cols []*column) TableView {
	t := TableView{Title: title}
	for _, c := range cols {
		t.Head = append(t.Head, strings.ToLower(c.title))
		for i, cell := range c.cells {
			if i == len(t.Rows) {
				t.Rows = append(t.Rows, nil)
			}
			t.Rows[i] = append(t.Rows[i], strings.ReplaceAll(cell, glue, " "))
		}
	}
	return t
}

// LitmusDocument is the document of a litmus test.
func LitmusDocument(l *verdict.Litmus) *Document {
	if l.Err != nil {
		return &Document{Word: "ERROR", Tone: "open", File: l.File, Facts: [][2]string{{"reason", l.Err.Error()}}}
	}
	d := &Document{Word: l.Observation, Tone: map[string]string{"Ok": "good", "No": "bad"}[l.Verdict()], File: l.File,
		Under: "under " + modelName(l.Model), How: l.Engine + ", " + duration(l.Elapsed)}
	if d.Tone == "" {
		d.Tone = "open"
	}
	var facts items
	facts.add("test", l.Name+" "+l.Kind+": "+l.Verdict())
	facts.add("condition", l.Condition)
	facts.add("witnesses", "positive "+strconv.Itoa(l.Positive)+", negative "+strconv.Itoa(l.Negative))
	facts.add("incomplete", l.Incomplete)
	for _, n := range slices.Concat(l.Notes, l.Flags, l.Differences) {
		facts.add("note", n)
	}
	d.Facts = facts
	t := TableView{Title: "Final states", Head: []string{"state"}}
	for _, s := range l.States {
		t.Rows = append(t.Rows, []string{s})
	}
	d.Tables = []TableView{t}
	if g := Witnessed(l); g != nil {
		d.Graph = graphView(g, false)
	}
	return d
}

func graphView(g *Drawing, all bool) *GraphView {
	g.All = all
	return &GraphView{Layout: Lay(g)}
}

// runView is a run with its history, where it has one.
func runView(r *verdict.Run, title string, all bool) RunView {
	v := RunView{Title: title, Model: modelName(r.Model), Parts: -1, Folds: [][2]int{}, Steps: []StepView{}}
	pair := slices.Repeat([]int{-1}, len(r.Steps))
	if h := r.History; h != nil {
		v.Parts = h.Parts
		if len(h.Cycle) > 0 {
			v.Cycle = strings.ReplaceAll(cycleText(r), glue, " ")
		}
		v.Graph = graphView(RunDrawing(r, ""), all)
		v.Graph.Steps = h.Step
		for e, f := range h.Flush {
			if s := h.Step[e]; f > s && s >= 0 {
				pair[s], pair[f] = f, s
			}
		}
	}
	if !all {
		for _, row := range fold(r, rows(r)) {
			if row.folded {
				v.Folds = append(v.Folds, [2]int{row.first - 1, row.last - 1})
			}
		}
	}
	cells := concerned(r)
	for _, c := range cells {
		v.Cells = append(v.Cells, cellName(r.Cells[c]))
	}
	mark := func(i int) int64 { return r.Cells[i].Mark }
	v.Init = numbers(r.Init, cells, mark)
	regs := make([][]int, len(r.Program.Threads))
	for t, th := range r.Program.Threads {
		v.Threads = append(v.Threads, threadName(r.Program, t))
		names := []string{}
		for i := range th.Regs {
			if !th.Regs[i].Temp {
				regs[t] = append(regs[t], i)
				names = append(names, oneLine(th.Regs[i].Name))
			}
		}
		v.Regs = append(v.Regs, names)
	}
	v.Ends = ends(r)
	stores := make([][]int, len(regs)) // the steps of those that are in the buffers
	for i := range r.Steps {
		s := &r.Steps[i]
		o := StepView{Thread: s.Thread, Text: oneLine(s.Text), Flush: s.Edge < 0, Pair: pair[i], Memory: numbers(s.Memory, cells, mark)}
		if s.Pos.IsValid() {
			o.Place = s.Pos.Where()
			if r.Program.Source.File(s.Pos) != nil {
				o.Line, o.File = s.Pos.Line, s.Pos.File
			}
		}
		o.Buffers = slotViews(r, stores, i, pair[i])
		for t := range regs {
			o.Regs = append(o.Regs, numbers(s.Regs[t], regs[t], func(i int) int64 { return r.Program.Threads[t].Regs[i].Mark }))
		}
		v.Steps = append(v.Steps, o)
	}
	return v
}

// ends is, by thread, the step with which it comes to where no edge leads away from, or -1.
func ends(r *verdict.Run) []int {
	at := slices.Repeat([]int{-1}, len(r.Program.Threads))
	for t, th := range r.Program.Threads {
		out := th.Out()
		for i := range r.Steps {
			s := &r.Steps[i]
			if s.Thread == t && s.Edge >= 0 && len(out[s.PC[t]]) == 0 && th.States[s.PC[t]].Kind == program.Plain {
				at[t] = i
			}
		}
	}
	return at
}

// slotViews is the buffers after step i, given the steps of the stores that were in them before.
func slotViews(r *verdict.Run, stores [][]int, i, pair int) [][]SlotView {
	s := &r.Steps[i]
	t := s.Thread
	if s.Edge < 0 {
		if at := slices.Index(stores[t], pair); at >= 0 {
			stores[t] = slices.Delete(stores[t], at, at+1)
		} else if len(stores[t]) > 0 {
			stores[t] = stores[t][1:]
		}
	} else if len(s.Buffers[t]) > len(stores[t]) {
		stores[t] = append(stores[t], i)
	}
	all := make([][]SlotView, len(s.Buffers))
	for u, pairs := range s.Buffers {
		all[u] = []SlotView{}
		for _, p := range pairs {
			name, value := cellName(r.Cells[p.Cell]), strconv.FormatInt(p.Value, 10)
			slot := SlotView{name + ":=" + value, -1}
			for _, st := range stores[u] { // buffers need not be in the order of the stores
				taken := slices.ContainsFunc(all[u], func(o SlotView) bool { return o.Step == st })
				if !taken && strings.HasPrefix(oneLine(r.Steps[st].Text), name+" := "+value) {
					slot.Step = st
					break
				}
			}
			all[u] = append(all[u], slot)
		}
	}
	return all
}

// concerned is the cells that a run changes or, where that is known, has to do with.
func concerned(r *verdict.Run) (cells []int) {
	named := map[int64]bool{}
	if r.History != nil {
		for i := range r.History.Graph.Events {
			if e := &r.History.Graph.Events[i]; e.Kind != memory.Fence {
				named[e.Addr] = true
			}
		}
	}
	for c, v := range r.Init {
		if named[r.Cells[c].Addr] || slices.ContainsFunc(r.Steps, func(s verdict.Step) bool { return s.Memory[c] != v }) {
			cells = append(cells, c)
		}
	}
	return cells
}

// numbers is the values of those that are listed; marks, by the same, are the ones that stand for none.
func numbers(values []int64, which []int, marks func(i int) int64) []string {
	all := make([]string, len(which))
	for i, w := range which {
		if all[i] = strconv.FormatInt(values[w], 10); marks(w) != 0 && marks(w) == values[w] {
			all[i] = program.Unwritten
		}
	}
	return all
}
