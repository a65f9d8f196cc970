package datarace

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Adjacency is a program that watches for accesses in conflict that two threads stand at. Where all that threads synchronise by are stores
// that release and loads that acquire, there is a data race just where a state is reached in which two threads stand at the accesses of one (Boehm and Adve,
// PLDI 2008: the two definitions of a race are one). Then happens-before need not be followed, which would multiply the states.
//
// A thread may stop at an access, mark the cell, and never go on; whoever comes to an access of the cell that is in conflict with that one fails an
// assertion.
//
// That is all that has to be watched. Take a run and the first access b in it that is in conflict with one before it, a, which does not happen before b.
// Let the thread of a stop at a, and leave out all steps that happen after a; of a thread these are the last ones. The others are a run. For
// let a load before b that is not left out read from a store that is. The store happens after a, and if it releases and the load acquires, so does the load. Else
// such a pair counts as a conflict: the two are not unordered, as none before b are, so that the store happens before the load, and again the load happens after a.
// So what counts as a conflict here is more than a race: any load that may read from a
// store without happening after it. That is why of accesses that are relaxed, and of those without an order that keep books, it is asked which values
// are stored and which the load would go on with: a lock is not taken by who reads that it is held. Pairs that are ordered in every run, and accesses of one
// thread, need not be asked about, for they are ordered in this one.
// At last the thread of b stands at b, for nothing before b in its thread happens after a. What its step does after b may read from
// what is left out, so that the step need not be possible, and is not asked about.
//
// A step happens after a as a whole, or not at all: what it releases before it acquires would tell others less than it knows in the end.
// So there must be no such step.
//
// A load need not stop if it is the first thing of its step to read what others store: the store stops in its place, and the
// load can be made there as well, for its thread has not moved.
type Adjacency struct {
	Program *program.Program // without races if no assertion fails under SC
	of      *program.Program
	origin  [][]stand
}

// A stand is what an edge of the program of an [Adjacency] is: the edge with that number of the program, or that the thread stops at an access of it.
type stand struct {
	edge  int
	stops bool
}

// Adjacency writes the program that watches for accesses in conflict that follow each other. It is nil where that does not tell whether there is a race: there is
// a global lock, a step acquires after it has released or reads what it has stored, or a thread may stand at its beginning.
func (m *Monitor) Adjacency() *Adjacency {
	w := &adjacent{p: m.of, r: m.ranges, known: m.known, a: &Adjacency{of: m.of}}
	if !w.look() {
		return nil
	}
	w.write()
	return w.a
}

// An adjacent writes an [Adjacency].
type adjacent struct {
	p     *program.Program
	r     *program.Ranges
	known *orderer
	a     *Adjacency
	// stores are the values of all stores, by cell.
	stores []numbers
	// against are the classes of stores and loads that an access may meet and looks for the marks of, as bits. Those in marking set marks.
	against map[*program.Command]uint
	marking map[*program.Command]bool
	foreign map[*program.Command]bool // loads of what other threads store
	toMark  int64                     // the marks of a cell lie that far from it
}

// marks are the cells' marks: 1 and the class of the access that a thread has come to its end at; 0: there is none.
func (w *adjacent) marks() (more []program.Cell) {
	need := make([]bool, len(w.r.Cells))
	for c := range w.against {
		for _, i := range w.r.Access[c] {
			need[i] = need[i] || w.against[c] != 0 || w.marking[c]
		}
	}
	top := int64(1)
	for _, c := range w.r.Cells {
		for top <= c.Addr+64 {
			top *= 2
		}
	}
	w.toMark = top
	for i, c := range w.r.Cells {
		if need[i] {
			more = append(more, program.Cell{Addr: c.Addr + w.toMark, Name: "about to access " + c.Name, Type: program.Type{Bits: 4}})
		}
	}
	return more
}

func (w *adjacent) write() {
	p := *w.p
	p.Arch, p.Properties, p.NoHang, p.Filter, p.Observe = program.X86, nil, false, nil, nil
	p.Memory = append(slices.Clone(w.r.Cells), w.marks()...)
	p.Threads = nil
	for ti := range w.p.Threads {
		p.Threads = append(p.Threads, w.thread(ti))
	}
	w.a.Program = &p
}

func (w *adjacent) thread(ti int) *program.Thread {
	of := w.p.Threads[ti]
	t := &program.Thread{Name: of.Name, Initial: of.Initial, Regs: slices.Clone(of.Regs), States: slices.Clone(of.States)}
	reg := func(name string, typ program.Type) program.Reg {
		t.Regs = append(t.Regs, program.Register{Name: "race: " + name, Type: typ, Temp: true})
		return program.Reg(len(t.Regs) - 1)
	}
	x := &meeting{adjacent: w, mark: reg("mark", program.Type{Bits: 4})}
	t.States = append(t.States, program.State{Name: "stands"})
	end := program.StateID(len(t.States) - 1)
	var origin []stand
	add := func(e program.Edge, o stand) {
		t.Edges = append(t.Edges, e)
		origin = append(origin, o)
	}
	for i := range of.Edges {
		e := of.Edges[i]
		c := e.Cmd
		switch {
		case of.States[e.From].Kind == program.Unstarted:
			e.Cmd.Body = untagged(c.Body)
		case c.Op == program.Fence:
			e.Cmd = program.Skip()
		case c.Op == program.Assert && c.Kind != program.Bound:
			e.Cmd = program.Command{Op: program.Check, Value: c.Value, Pos: c.Pos}
		case c.Op == program.Load || c.Op == program.Store || c.Op == program.Atomic:
			of := &of.Edges[i].Cmd
			e.Cmd = Plainly(c)
			of.Accesses(func(b *program.Command) {
				if w.marking[b] {
					add(program.Edge{From: e.From, To: end, Cmd: x.marksAt(of, b), Pos: e.Pos}, stand{i, true})
				}
				if w.against[b] != 0 {
					add(program.Edge{From: e.From, To: end, Cmd: x.looksAt(of, b), Pos: e.Pos}, stand{i, false})
				}
			})
		}
		add(e, stand{i, false})
	}
	w.a.origin = append(w.a.origin, origin)
	return t
}

// A meeting writes the commands of a thread.
type meeting struct {
	*adjacent
	mark program.Reg
}

// looksAt is the command of a thread that comes to an access of c and finds that another one stands at an access in conflict with it. What
// c does after the access is no matter, as what it reads there, and here, may be something else where the accesses meet.
func (x *meeting) looksAt(c, at *program.Command) program.Command {
	out := x.until(c, at)
	var found program.Expr
	for m := bookLoad; m <= syncStore; m++ {
		if x.against[at]>>m&1 != 0 {
			if is := eq(x.mark, int(m)+1); found == nil {
				found = is
			} else {
				found = or(found, is)
			}
		}
	}
	out = append(out, load(x.mark, at.Addr, x.toMark), check(found),
		program.Command{Op: program.Assert, Value: program.Const(0), Text: "no two accesses that conflict meet", Pos: c.Pos})
	return program.Command{Op: program.Atomic, Text: c.Text, Body: out, Pos: c.Pos}
}

// until is what c does before an access, but for its stores.
func (x *meeting) until(c, at *program.Command) (out []program.Command) {
	reached := false
	each(c, func(b *program.Command) {
		if reached = reached || b == at; !reached && b.Op != program.Store {
			out = append(out, Plainly(*b))
		}
	})
	return out
}

// each calls f for the commands that c executes in one step.
func each(c *program.Command, f func(c *program.Command)) {
	if c.Op != program.Atomic {
		f(c)
		return
	}
	for k := range c.Body {
		f(&c.Body[k])
	}
}

// marksAt is the command of a thread that stops at an access of c and marks its cell, if c can be taken as far as is known then.
func (x *meeting) marksAt(c, at *program.Command) program.Command {
	out := append(x.until(c, at), load(x.mark, at.Addr, x.toMark), check(eq(x.mark, 0)), store(at.Addr, x.toMark, program.Const(classOf(at)+1)))
	reached, cut := false, false
	each(c, func(b *program.Command) {
		cut = cut || reached && x.foreign[b] // what it reads may be something else by now
		if reached = reached || b == at; reached && !cut && b.Op != program.Store {
			out = append(out, Plainly(*b))
		}
	})
	return program.Command{Op: program.Atomic, Text: c.Text, Body: out, Pos: c.Pos}
}

// Convict is the answer that a run is the evidence for in which an assertion fails: a run of the program with a race, in which who has stopped goes on just
// before or after the other one, or when it has stopped. nil where
// there is none to be had from it: accesses met that keep books, or a store that cannot be made after all.
func (a *Adjacency) Convict(run *verdict.Run) (*verdict.Result, error) {
	r, err := replay.New(a.of, memory.SC, nil)
	if err != nil {
		return nil, err
	}
	var schedule, stands []abstract.Event
	var stopped []int // where in the schedule
	for _, s := range run.Steps {
		o := a.origin[s.Thread][s.Edge]
		ev := abstract.Event{Thread: s.Thread, Edge: o.edge, Choice: s.Choice}
		if o.stops {
			stands, stopped = append(stands, ev), append(stopped, len(schedule))
		} else {
			schedule = append(schedule, ev)
		}
	}
	last := len(schedule) - 1
	for i, ev := range stands {
		for _, place := range []int{last, last + 1, stopped[i]} {
			if found, err := judge(r, slices.Insert(slices.Clone(schedule), place, ev)); err == nil && found != nil {
				return verdict.Convict(shorten(r, found)), nil
			}
		}
	}
	return nil, nil
}
