// Package promela writes programs in Promela, the language of the model checker
// Spin (G. J. Holzmann, The SPIN Model Checker, 2003).
//
// The model has the transition system of package abstract, state for state: as
// many states are stored by the verifier that Spin makes of it, without
// partial-order reduction, as by an explicit search without any. So the one is a
// check of the other, and what they take can be compared.
//
// A thread is a process, a control state a label of it, an edge one option there:
// a d_step, which is one transition whatever it does. Its first statement is all
// that it may wait for. The flush of the thread's store buffer is one more option.
// Registers, cells and buffers are global, where Spin neither merges statements nor
// clears what is dead; those that nobody else sees are marked local, which tells
// the partial-order reduction so. A register or a cell that the analysis of the
// program has found to be constant is no variable.
package promela

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// Options say what to write.
type Options struct {
	// Model is SC or TSO.
	Model memory.Model
	// Buffer is how many pairs a store buffer holds before stores are disabled;
	// 0: as many as the thread can have buffered, which must have a bound.
	Buffer int
}

// Write writes p as a Promela model. Where Fencepost finds p UNSAFE or at fault,
// with the same model and the same capacity of the buffers, the verifier that Spin
// makes reports an error, and nowhere else.
//
// The error is a [program.Diagnostic] that names what the model cannot say: values
// that 32 bits do not hold, loops that store without end where there is no
// capacity, choices among too many values, and atomic blocks that compute too much
// for one expression.
func Write(w io.Writer, p *program.Program, opts Options) error {
	if opts.Model != memory.SC && opts.Model != memory.TSO {
		return p.Diagnose(program.Position{}, fmt.Sprintf("Promela models are written for sc and tso, not for %s", opts.Model), "")
	}
	if t, q := p.Special(); t >= 0 {
		st := p.Threads[t].States[q]
		return p.Diagnose(st.Pos, fmt.Sprintf("Promela models have no state that is %s, as in thread %s", st.Kind, p.Threads[t].Name), "")
	}
	if p.Wide() {
		joined, whole := p.Joined()
		if opts.Model != memory.SC || !whole {
			return p.Diagnose(program.Position{}, fmt.Sprintf("Promela models have no accesses of several cells under %s", opts.Model), "under sc they have")
		}
		p = joined
	}
	r, err := program.Analyse(p)
	if err != nil {
		return err
	}
	wr := &writer{p: p, r: r, opts: opts, used: names{}, lastLine: -1}
	if err := wr.program(); err != nil {
		return err
	}
	_, err = w.Write(wr.buf.Bytes())
	return err
}

type writer struct {
	p    *program.Program
	r    *program.Ranges
	opts Options
	buf  bytes.Buffer
	used names // of what is global

	places  []place
	placeOf []int // by cell
	threads []*thread
	lock    string // the variable of the global lock; "": nothing takes it

	forbidden []forbidden
	ats       []*atBit
	finals    string // the macro of a violated final state; "": there is none
	finalText string
	deadlock  bool // it is a property
	initially bool // the initial state violates a property

	lastLine int // of the source, that a comment has shown
}

// printf writes to the model.
func (w *writer) printf(format string, args ...any) { fmt.Fprintf(&w.buf, format, args...) }

// maxProcesses is how many processes Spin knows.
const maxProcesses = 255

func (w *writer) program() error {
	if len(w.p.Threads) > maxProcesses {
		return w.p.Diagnose(program.Position{}, fmt.Sprintf("Spin has at most %d processes, the program has %d", maxProcesses, len(w.p.Threads)), "")
	}
	w.layOut()
	if err := w.layOutThreads(); err != nil {
		return err
	}
	if err := w.properties(); err != nil {
		return err
	}
	// The threads first, to know what the head has to say.
	var body bytes.Buffer
	w.buf, body = body, w.buf
	for _, t := range w.threads {
		if err := w.thread(t); err != nil {
			return err
		}
	}
	w.buf, body = body, w.buf
	w.head()
	w.declarations()
	w.buf.Write(body.Bytes())
	w.keep()
	return nil
}

// keep reads every variable in a process that is never started. Spin leaves
// variables that nobody reads out of the states.
func (w *writer) keep() {
	var all []string
	for i := range w.places {
		if pl := &w.places[i]; pl.array && pl.name != "" {
			all = append(all, pl.name+"[0]")
		} else if pl.name != "" {
			all = append(all, pl.name)
		}
	}
	for _, t := range w.threads {
		for i := range t.regs {
			if name := t.regs[i].name; name != "" {
				all = append(all, name)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	w.printf("\n/* Never runs. Spin would leave variables that nobody reads out of the states. */\n")
	w.printf("proctype %s() {\n", w.used.identifier("unused"))
	for i, name := range all {
		if i > 0 {
			w.printf(";\n")
		}
		w.printf("\t%s == 0", name)
	}
	w.printf("\n}\n")
}

func (w *writer) head() {
	name := w.p.Name
	if w.p.Source != nil && w.p.Source.Name != "" && w.p.Source.Name != name {
		name = strings.TrimPrefix(name+", from "+w.p.Source.Name, ", from ")
	}
	model := "sequential consistency"
	if w.opts.Model == memory.TSO {
		model = "TSO"
	}
	w.printf("/* %s\n", comment(name))
	w.printf(" * under %s.", model)
	if w.capped() {
		w.printf(" A store waits while %d are buffered, which real hardware need not do.", w.opts.Buffer)
	}
	w.printf("\n *\n * To verify it:\n *   spin -a FILE && cc -O2 -fwrapv -DSAFETY -o pan pan.c && ./pan -m1000000\n")
	w.printf(" * Each control state is a label, each edge a d_step. Arithmetic may wrap around.\n */\n")
}

// capped is true where the capacity may disable a store.
func (w *writer) capped() bool {
	for _, t := range w.threads {
		if t.capped {
			return true
		}
	}
	return false
}

// declarations declares the variables, and what the properties ask for.
func (w *writer) declarations() {
	w.section(func() {
		if w.lock != "" {
			w.printf("byte %s; /* who holds the lock: 0 nobody, 1 %s, ... */\n", w.lock, comment(w.p.Threads[0].Name))
		}
		for i := range w.places {
			w.declarePlace(&w.places[i])
		}
	})
	for _, t := range w.threads {
		w.section(func() {
			for i := range t.regs {
				if r := &t.regs[i]; r.name != "" {
					w.declare(!r.seen, r.set, r.name, t.prog.Regs[i].Init)
				}
			}
			w.declareBuffer(t)
		})
	}
	w.section(w.declareProperties)
}

// section writes an empty line and then what f writes, if anything.
func (w *writer) section(f func()) {
	before := w.buf.Len()
	w.printf("\n")
	empty := w.buf.Len()
	if f(); w.buf.Len() == empty {
		w.buf.Truncate(before)
	}
}

// declare declares one variable.
func (w *writer) declare(local bool, set program.ValueSet, name string, init int64) {
	if local {
		w.printf("local ")
	}
	w.printf("%s %s", narrowest(set, false), name)
	if init != 0 {
		w.printf(" = %s", constant(init).text)
	}
	w.printf(";\n")
}

// narrowest is the smallest type that holds the set. Arrays of bits are arrays
// of bytes.
func narrowest(set program.ValueSet, array bool) string {
	switch {
	case set.Empty():
		return "bit"
	case set.Min() >= 0 && set.Max() <= 1 && !array:
		return "bit"
	case set.Min() >= 0 && set.Max() <= 255:
		return "byte"
	case set.Min() >= -1<<15 && set.Max() < 1<<15:
		return "short"
	}
	return "int"
}

// comment is text that cannot end the comment it stands in.
func comment(text string) string {
	text = strings.NewReplacer("*/", "* /", "/*", "/ *").Replace(text)
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if r < ' ' || r == '\\' || r >= 0x7f {
			return '?'
		}
		return r
	}, text)
}
