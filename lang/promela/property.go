package promela

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Properties are assertions at the end of the steps that may change what they
// say, so that they add no states. What the initial state violates is found here.

// An atBit is a variable that is 1 while a thread is at one of some control
// states.
type atBit struct {
	name   string
	thread int
	states []program.StateID
	init   int64
}

func (b *atBit) at(q program.StateID) bool { return slices.Contains(b.states, q) }

// A forbidden condition is one of a property of kind Forbid.
type forbidden struct {
	macro, text string
	source      string
	cells       map[int]bool
	regs        map[[2]int]bool // thread, register
	ats         map[*atBit]bool
}

// condition translates the condition of a property and notes in f what it reads.
func (w *writer) condition(pr program.Expr, pos program.Position, f *forbidden) (term, error) {
	v, err := expr(program.Fold(pr), func(e program.Expr) (term, error) {
		switch e := e.(type) {
		case program.Mem:
			c := w.r.CellIndex(e.Addr)
			f.cells[c] = true
			w.places[w.placeOf[c]].seen = true
			return w.fromMemory(address{constant(e.Addr), []int{c}, false})
		case program.ThreadReg:
			f.regs[[2]int{e.Thread, e.Reg}] = true
			w.threads[e.Thread].regs[e.Reg].seen = true
			return w.threads[e.Thread].register(e.Reg), nil
		case program.At:
			b := w.atBit(e)
			f.ats[b] = true
			return term{text: b.name, set: program.Values(0, 1)}, nil
		}
		panic(fmt.Sprintf("promela: %T in a property", e))
	})
	if err == nil {
		v, err = truth(v)
	}
	if err != nil {
		return v, w.p.Diagnose(pos, "this property: "+err.Error(), "")
	}
	return v, nil
}

func (w *writer) atBit(e program.At) *atBit {
	for _, b := range w.ats {
		if b.thread == e.Thread && slices.Equal(b.states, e.States) {
			return b
		}
	}
	t := w.threads[e.Thread]
	name := t.name + "_at"
	if _, label, ok := strings.Cut(e.Name, "@"); ok {
		name += "_" + label
	}
	b := &atBit{name: w.used.variable(name), thread: e.Thread, states: e.States}
	b.init = program.Bool(b.at(t.prog.Initial))
	w.ats = append(w.ats, b)
	return b
}

// properties translates the properties.
func (w *writer) properties() error {
	env := &program.Env{
		Mem:       func(addr int64) int64 { return w.r.Cells[w.r.CellIndex(addr)].Init },
		ThreadReg: func(t, r int) int64 { return w.p.Threads[t].Regs[r].Init },
		At:        func(t int) program.StateID { return w.p.Threads[t].Initial },
	}
	ended := true
	for _, t := range w.threads {
		ended = ended && len(t.out[t.prog.Initial]) == 0
	}
	var final []string
	for i := range w.p.Properties {
		pr := &w.p.Properties[i]
		if pr.Kind == program.Deadlock {
			w.deadlock = true
			continue
		}
		f := forbidden{source: pr.Text, cells: map[int]bool{}, regs: map[[2]int]bool{}, ats: map[*atBit]bool{}}
		v, err := w.condition(pr.Cond, pr.Pos, &f)
		if err != nil {
			return err
		}
		violated := pr.Violated(program.Eval(pr.Cond, env))
		if pr.Final() {
			violated = violated && ended && (w.p.Filter == nil || program.Eval(w.p.Filter, env) != 0)
			text := v.text
			if pr.Kind == program.Forall {
				text = "(!" + text + ")"
			}
			final = append(final, text)
		} else if !v.is(0) {
			f.text = v.text
			f.macro = w.used.variable(fmt.Sprintf("violated_%d", i+1))
			w.forbidden = append(w.forbidden, f)
		}
		w.initially = w.initially || violated
	}
	if len(final) == 0 {
		return nil
	}
	text := strings.Join(final, " || ")
	if w.p.Filter != nil {
		f := forbidden{cells: map[int]bool{}, regs: map[[2]int]bool{}, ats: map[*atBit]bool{}}
		v, err := w.condition(w.p.Filter, program.Position{}, &f)
		if err != nil {
			return err
		}
		text = v.text + " && (" + text + ")"
	}
	parts := []string{}
	for _, t := range w.threads {
		t.ended = w.used.variable(t.name + "_ended")
		parts = append(parts, t.ended)
		if w.finalsSee(t) {
			parts = append(parts, t.length+" == 0")
		}
	}
	w.finals = w.used.variable("violated_at_end")
	w.finalText = strings.Join(append(parts, "("+strip(text)+")"), " && ")
	return nil
}

// finalsSee is true where it takes the length of t's buffer to know whether a
// state is final.
func (w *writer) finalsSee(t *thread) bool {
	if t.ended == "" {
		return false
	}
	for q := range t.held {
		if t.held[q] > 0 && len(t.out[q]) == 0 {
			return true
		}
	}
	return false
}

// declareProperties declares what the properties read beside the state, and the
// conditions.
func (w *writer) declareProperties() {
	for _, b := range w.ats {
		w.declare(false, program.Values(0, 1), b.name, b.init)
	}
	for _, t := range w.threads {
		if t.ended != "" {
			w.declare(false, program.Values(0, 1), t.ended, program.Bool(len(t.out[t.prog.Initial]) == 0))
		}
	}
	for i := range w.forbidden {
		f := &w.forbidden[i]
		if f.source != "" {
			w.printf("/* %s */\n", comment(f.source))
		}
		w.printf("#define %s (%s)\n", f.macro, strip(f.text))
	}
	if w.finals != "" {
		for i := range w.p.Properties {
			if pr := &w.p.Properties[i]; pr.Final() && pr.Text != "" {
				w.printf("/* %s */\n", comment(pr.Text))
			}
		}
		w.printf("#define %s (%s)\n", w.finals, w.finalText)
	}
}

// judge is the statements that end a step of t from one control state to
// another, in which the cells for which cell is true and the registers may be
// written.
func (w *writer) judge(t *thread, from, to program.StateID, cell func(int) bool, regs map[int]bool) []string {
	var do []string
	changed := map[*atBit]bool{}
	for _, b := range w.ats {
		if b.thread == t.index && b.at(from) != b.at(to) {
			changed[b] = true
			do = append(do, fmt.Sprintf("%s = %d", b.name, program.Bool(b.at(to))))
		}
	}
	if t.ended != "" && len(t.out[from]) > 0 && len(t.out[to]) == 0 {
		do = append(do, t.ended+" = 1")
	}
	for i := range w.forbidden {
		f := &w.forbidden[i]
		touched := false
		for b := range changed {
			touched = touched || f.ats[b]
		}
		for r := range regs {
			touched = touched || f.regs[[2]int{t.index, r}]
		}
		for c := range f.cells {
			touched = touched || cell(c)
		}
		if touched {
			do = append(do, "assert(!"+f.macro+")")
		}
	}
	if w.finals != "" && len(t.out[to]) == 0 {
		do = append(do, "assert(!"+w.finals+")")
	}
	return do
}
