package promela

import (
	"errors"
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A thread is what the writer knows of a thread.
type thread struct {
	prog   *program.Thread
	index  int
	name   string
	regs   []register
	out    [][]int
	labels []string // by control state; "": cannot be reached
	// waiting are the labels of the ends of the thread at which its buffer is
	// not empty, where they are labels of their own; by control state.
	waiting []string

	// The store buffer; see layOutBuffer.
	held                         []int // by control state: how many pairs at most
	size                         int   // the most anywhere
	capped                       bool  // the capacity may disable a store
	written                      []bool
	stored                       program.ValueSet
	cells, values, length, flush string

	ended string // the bit that says that the thread is at an end; "": nobody asks
}

// A register is a variable for a register.
type register struct {
	name string // "": the register is constant
	set  program.ValueSet
	seen bool // by a property
}

// layOutThreads names what belongs to the threads.
func (w *writer) layOutThreads() error {
	for ti, prog := range w.p.Threads {
		t := &thread{prog: prog, index: ti, out: prog.Out(), regs: make([]register, len(prog.Regs))}
		name := prog.Name
		if name == "" {
			name = fmt.Sprintf("thread%d", ti)
		}
		t.name = w.used.identifier(name)
		for i := range t.regs {
			r := &t.regs[i]
			r.set = w.r.Reg[ti][i]
			if w.rewritten(ti, i) {
				// The analysis does not keep what the register holds in between.
				r.set = program.Interval(prog.Regs[i].Type.Min(), prog.Regs[i].Type.Max())
			}
			if r.set.Min() != r.set.Max() {
				name := prog.Regs[i].Name
				if prog.Regs[i].Temp {
					name = "tmp" + strings.TrimLeft(name, "_$")
				}
				r.name = w.used.variable(t.name + "_" + name)
			}
			if !fits(r.set) {
				return w.p.Diagnose(w.writes(t, i), fmt.Sprintf("register %s of thread %s may hold values in %s, and those of Promela have 32 bits",
					prog.Regs[i].Name, prog.Name, r.set), "")
			}
		}
		for i := range prog.Edges {
			if prog.Edges[i].Cmd.Op == program.Lock && w.lock == "" {
				w.lock = w.used.variable("lock")
			}
		}
		if err := w.layOutBuffer(t); err != nil {
			return err
		}
		w.threads = append(w.threads, t)
	}
	for i := range w.places {
		if pl := &w.places[i]; !fits(pl.set) {
			return w.p.Diagnose(program.Position{}, fmt.Sprintf("cell %s may hold values in %s, and those of Promela have 32 bits",
				w.r.Cells[pl.first].Name, pl.set), "")
		}
	}
	return nil
}

// rewritten is true of a register that some atomic block writes more than once.
func (w *writer) rewritten(ti, reg int) bool {
	for i := range w.p.Threads[ti].Edges {
		e := &w.p.Threads[ti].Edges[i]
		n := 0
		if w.r.Reachable[ti][e.From] {
			e.Cmd.Writes(func(r int) {
				if r == reg {
					n++
				}
			})
		}
		if n > 1 {
			return true
		}
	}
	return false
}

// writes is where the source writes the register first.
func (w *writer) writes(t *thread, reg int) program.Position {
	for i := range t.prog.Edges {
		e := &t.prog.Edges[i]
		found := false
		e.Cmd.Writes(func(r int) { found = found || r == reg })
		if found {
			return position(e)
		}
	}
	return program.Position{}
}

func position(e *program.Edge) program.Position {
	if e.Pos.IsValid() {
		return e.Pos
	}
	return e.Cmd.Pos
}

// refuse is an error about an edge of t.
func (w *writer) refuse(t *thread, e *program.Edge, err error) error {
	var d *program.Diagnostic
	if errors.As(err, &d) {
		return err
	}
	return w.p.Diagnose(position(e), fmt.Sprintf("thread %s, %s: %v", t.prog.Name, e.Cmd.Format(w.p, t.prog), err), "")
}

// register is register r of t.
func (t *thread) register(r int) term {
	if t.regs[r].name == "" {
		return constant(t.regs[r].set.Min())
	}
	return term{text: t.regs[r].name, set: t.regs[r].set}
}

// value translates an expression over the registers of t.
func (w *writer) value(t *thread, e program.Expr) (term, error) {
	return expr(e, func(e program.Expr) (term, error) { return t.register(int(e.(program.Reg))), nil })
}

// A step is one option of a process: it waits for the guards, performs the
// statements and goes to a label.
type step struct {
	guards []string
	do     []string
}

func (s *step) wait(guards ...string) {
	for _, g := range guards {
		if g != "" {
			s.guards = append(s.guards, g)
		}
	}
}

func (w *writer) option(s *step, label string) {
	var parts []string
	switch len(s.guards) {
	case 0:
	case 1:
		parts = append(parts, "("+strip(s.guards[0])+") ->")
	default:
		parts = append(parts, "("+strings.Join(s.guards, " && ")+") ->")
	}
	do := strings.Join(s.do, "; ")
	if do == "" {
		do = "skip"
	}
	parts = append(parts, do)
	w.printf("\t:: d_step { %s } goto %s\n", strings.Join(parts, " "), label)
}

// The conditions on lock and buffer of package abstract; "" holds always.

func (w *writer) lockFree() string {
	if w.lock == "" {
		return ""
	}
	return w.lock + " == 0"
}

func (w *writer) lockMine(t *thread) string { return fmt.Sprintf("%s == %d", w.lock, t.index+1) }

func (w *writer) lockNotOthers(t *thread) string {
	if w.lock == "" {
		return ""
	}
	return "(" + w.lockFree() + " || " + w.lockMine(t) + ")"
}

func (t *thread) empty(q program.StateID) string {
	if t.held[q] == 0 {
		return ""
	}
	return t.length + " == 0"
}

// nameStates gives the control states of t their labels.
func (w *writer) nameStates(t *thread) {
	labels := names{}
	for k := range w.used {
		labels[k] = true
	}
	t.labels = make([]string, len(t.prog.States))
	t.waiting = make([]string, len(t.prog.States))
	for q := range t.prog.States {
		if !w.r.Reachable[t.index][q] {
			continue
		}
		name, end := t.prog.States[q].Name, len(t.out[q]) == 0
		if end && w.deadlock && w.lock != "" && t.held[q] > 0 {
			// A thread at its end is stuck where its buffer cannot be flushed.
			t.waiting[q] = labels.label(name, false)
		}
		t.labels[q] = labels.label(name, end || !w.deadlock)
	}
}

// thread writes the process of t.
func (w *writer) thread(t *thread) error {
	w.nameStates(t)
	w.printf("\nactive proctype %s() {\n", t.name)
	if err := w.state(t, t.prog.Initial); err != nil {
		return err
	}
	for q := range t.prog.States {
		if id := program.StateID(q); t.labels[q] != "" && id != t.prog.Initial {
			if err := w.state(t, id); err != nil {
				return err
			}
		}
	}
	w.printf("}\n")
	return nil
}

// state writes control state q.
func (w *writer) state(t *thread, q program.StateID) error {
	if l := t.prog.States[q].Labels; len(l) > 0 {
		w.printf("\t/* %s: */\n", comment(strings.Join(l, ": ")))
	}
	for _, e := range t.out[q] {
		w.sourceLine(position(&t.prog.Edges[e]))
	}
	if t.waiting[q] != "" {
		w.printf("%s:\tif\n", t.waiting[q])
		w.flushes(t, q)
		w.printf("\tfi;\n%s:\tfalse;\n", t.labels[q])
		return nil
	}
	mark := w.buf.Len()
	w.printf("%s:\tif\n", t.labels[q])
	empty := w.buf.Len()
	if t.index == 0 && q == t.prog.Initial && w.initially {
		w.printf("\t:: d_step { assert(false) } goto %s /* the initial state violates a property */\n", t.labels[q])
	}
	for _, i := range t.out[q] {
		e := &t.prog.Edges[i]
		if err := w.edge(t, e); err != nil {
			return w.refuse(t, e, err)
		}
	}
	w.flushes(t, q)
	if w.buf.Len() == empty {
		w.buf.Truncate(mark)
		w.printf("%s:\tfalse;\n", t.labels[q])
		return nil
	}
	w.printf("\tfi;\n")
	return nil
}

// sourceLine shows a line of the source, unless it was the last one shown.
func (w *writer) sourceLine(pos program.Position) {
	if !pos.IsValid() || pos.Line == w.lastLine {
		return
	}
	w.lastLine = pos.Line
	if line := strings.TrimSpace(w.p.Source.Line(pos.Line)); line != "" {
		w.printf("\t/* %d: %s */\n", pos.Line, comment(line))
	}
}

// flushes writes the option to flush at q.
func (w *writer) flushes(t *thread, q program.StateID) {
	if t.held[q] == 0 {
		return
	}
	written := func(c int) bool { return t.written[c] }
	split := t.waiting[q] != ""
	for i, length := range []string{" == 1", " > 1"} {
		if !split && i > 0 {
			return
		}
		s := &step{}
		label := t.labels[q]
		switch {
		case !split:
			length = " > 0"
		case i > 0:
			label = t.waiting[q]
		}
		s.wait(t.length+length, w.lockNotOthers(t))
		s.do = append(s.do, t.flush+"()")
		s.do = append(s.do, w.judge(t, q, q, written, nil)...)
		w.option(s, label)
	}
}

// maxChoices is how many options the choices of an edge may become.
const maxChoices = 1 << 10

// edge writes the options of e.
func (w *writer) edge(t *thread, e *program.Edge) error {
	c := &e.Cmd
	if c.Op == program.Havoc {
		return w.havoc(t, e)
	}
	if c.Op == program.Atomic {
		return w.atomics(t, e)
	}
	s := &step{}
	cell := func(int) bool { return false }
	switch c.Op {
	case program.Check:
		v, err := w.value(t, c.Value)
		if err == nil {
			v, err = truth(v)
		}
		if err != nil {
			return err
		}
		switch k, ok := v.known(); {
		case ok && k == 0:
			return nil // never
		case !ok:
			s.wait(v.text)
		}
	case program.Assign:
		v, err := w.value(t, c.Value)
		if err == nil {
			err = w.assign(t, s, c.Reg, v)
		}
		if err != nil {
			return err
		}
	case program.Load:
		a, err := w.accessed(t, c)
		if err != nil {
			return err
		}
		v, err := w.read(t, a, t.held[e.From])
		if err == nil {
			err = w.assign(t, s, c.Reg, v)
		}
		if err != nil {
			return err
		}
		s.wait(w.lockNotOthers(t))
	case program.Store:
		a, err := w.accessed(t, c)
		if err != nil {
			return err
		}
		v, err := w.value(t, c.Value)
		if err != nil {
			return err
		}
		if w.opts.Model == memory.SC {
			s.wait(w.lockNotOthers(t))
			if s.do, err = w.toMemory(a, v); err != nil {
				return err
			}
			cell = a.has
			break
		}
		if t.capped && t.held[e.From] >= w.opts.Buffer {
			s.wait(fmt.Sprintf("%s < %d", t.length, w.opts.Buffer))
		}
		if s.do, err = w.push(t, a, v, t.held[e.From]); err != nil {
			return err
		}
	case program.Fence:
		if c.FullFence() {
			s.wait(t.empty(e.From))
		}
	case program.Assert:
		v, err := w.value(t, c.Value)
		if err == nil {
			v, err = truth(v)
		}
		if err != nil {
			return err
		}
		if !v.is(1) {
			s.do = append(s.do, "assert("+strip(v.text)+")")
		}
	case program.Lock:
		s.wait(t.empty(e.From), w.lockFree())
		s.do = append(s.do, fmt.Sprintf("%s = %d", w.lock, t.index+1))
	case program.Unlock:
		if w.lock == "" {
			return nil // nobody ever holds it
		}
		s.wait(t.empty(e.From), w.lockMine(t))
		s.do = append(s.do, w.lock+" = 0")
	}
	w.arrive(t, e, s, cell)
	if w.deadlock && w.lock != "" && c.Op == program.Store && t.capped && t.held[e.From] >= w.opts.Buffer {
		// A store that only the capacity disables is no deadlock.
		full := &step{guards: []string{fmt.Sprintf("%s == %d", t.length, w.opts.Buffer)}}
		w.option(full, t.labels[e.From])
	}
	return nil
}

func (a address) has(cell int) bool {
	for _, c := range a.cells {
		if c == cell {
			return true
		}
	}
	return false
}

// accessed is the address of a load or a store of t.
func (w *writer) accessed(t *thread, c *program.Command) (address, error) {
	v, err := w.value(t, c.Addr)
	return w.address(c, v, false), err
}

// assign adds that register reg becomes v.
func (w *writer) assign(t *thread, s *step, reg int, v term) error {
	v, err := wrap(t.prog.Regs[reg].Type, v)
	if err != nil {
		return err
	}
	if r := &t.regs[reg]; r.name != "" && r.name != v.text {
		s.do = append(s.do, r.name+" = "+strip(v.text))
	}
	return nil
}

// arrive writes the option for s, a way to take e in which the cells for which
// cell is true may be written.
func (w *writer) arrive(t *thread, e *program.Edge, s *step, cell func(int) bool) {
	written := map[int]bool{}
	e.Cmd.Writes(func(r int) { written[r] = true })
	s.do = append(s.do, w.judge(t, e.From, e.To, cell, written)...)
	switch {
	case t.labels[e.To] == "":
		// The analysis rules out that e leads there: it never happens, or
		// only to end in an assertion that fails.
		w.option(s, t.labels[e.From])
	case t.waiting[e.To] == "" || t.held[e.From] == 0 && e.Cmd.Op != program.Store || waitsForFlushes(&e.Cmd):
		w.option(s, t.labels[e.To])
	case e.Cmd.Op == program.Store && w.opts.Model == memory.TSO:
		w.option(s, t.waiting[e.To])
	default:
		empty := &step{guards: append([]string{t.length + " == 0"}, s.guards...), do: s.do}
		w.option(empty, t.labels[e.To])
		s.guards = append([]string{t.length + " > 0"}, s.guards...)
		w.option(s, t.waiting[e.To])
	}
}

// havoc writes one option for each value.
func (w *writer) havoc(t *thread, e *program.Edge) error {
	c := &e.Cmd
	if uint64(c.Hi)-uint64(c.Lo) >= maxChoices {
		return fmt.Errorf("a choice among more than %d values is too much for options", maxChoices)
	}
	typ := t.prog.Regs[c.Reg].Type
	done := map[int64]bool{}
	for v := c.Lo; ; v++ {
		if k := typ.Wrap(v); !done[k] {
			done[k] = true
			s := &step{}
			if err := w.assign(t, s, c.Reg, constant(k)); err != nil {
				return err
			}
			w.arrive(t, e, s, func(int) bool { return false })
		}
		if v == c.Hi {
			return nil
		}
	}
}
