package encode

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// A chain is the writes of one thread that a read may take its value from, in the order of the thread. There is a literal
// for each that the read takes it from there or above (the order encoding of Tamura, Taga, Kitagawa and Banbara,
// "Compiling Finite Linear CSP into SAT"). That a read reads nothing of a thread from some point on is one
// literal, then, also in what the solver learns; that it does not overlook a write is one clause for all
// that its thread has written before; and a read of which more sources become known with each bound is said to have one
// only once.
type chain struct {
	thread int
	rungs  []rung
	any    solver.Lit // the read takes its value from this thread
	top    solver.Lit // from above the rungs: from a write that only a later bound has
}

type rung struct {
	w  *event
	at solver.Lit // the value comes from here or above
}

// from is the literal that the value comes from rung k or above.
func (c *chain) from(k int) solver.Lit {
	if k < len(c.rungs) {
		return c.rungs[k].at
	}
	return c.top
}

// place is the first rung that is not below w, which is of the same thread.
func (c *chain) place(w *event) int {
	k, _ := slices.BinarySearchFunc(c.rungs, w, func(r rung, w *event) int { return byCommand(r.w, w) })
	return k
}

// byCommand compares events by when they were made: in the order of their thread, where they are of one and both can happen.
func byCommand(a, b *event) int {
	if a.item != b.item {
		return a.item.id - b.item.id
	}
	return a.index - b.index
}

// chain is that of thread t, or nil.
func (r *event) chain(t int) *chain {
	for _, c := range r.chains {
		if c.thread == t {
			return c
		}
	}
	return nil
}

// connectRead gives r its sources among the writes that are fresh, or among all if r is fresh, and forbids
// it to overlook a write.
func (f *Formula) connectRead(r *event, fresh map[*event]bool) {
	writes := f.notOverwritten(r, f.writesFor(r))
	slices.SortStableFunc(writes, byCommand)
	old := len(r.rf)
	if fresh[r] {
		f.addInitial(r, writes)
		f.makeChains(r)
	}
	for _, w := range writes {
		f.poll()
		if fresh[r] || fresh[w] {
			f.addRung(r, w)
		}
	}
	if own := r.chain(r.item.thread); own != nil && fresh[r] {
		f.Clause(-own.top) // what comes later in its own thread is no source
	}
	for _, w := range writes {
		f.poll()
		if fresh[r] || fresh[w] {
			f.notPassed(r, w)
		}
	}
	for k, src := range r.rf {
		f.poll()
		for _, w := range writes {
			if (src.w == nil || w.item.thread != src.w.item.thread) && (k >= old || fresh[w]) {
				f.notOverlooked(r, src, w)
			}
		}
	}
}

// makeChains makes the chains of r, one for each thread that may ever write what it reads, and says
// that it has one source if it is executed. The order says so of two sources, too, but this is seen at once.
func (f *Formula) makeChains(r *event) {
	some := []solver.Lit{-r.guard}
	for _, src := range r.rf { // the initial value
		some = append(some, src.lit)
	}
	for t := range f.threads {
		if !slices.ContainsFunc(r.cells, func(c int) bool { return f.writers[c][t] }) {
			continue
		}
		any := f.choice()
		for _, l := range some[1:] {
			f.Clause(-l, -any)
		}
		some = append(some, any)
		r.chains = append(r.chains, &chain{thread: t, any: any, top: any})
	}
	f.Clause(some...)
}

// addRung lets r read from w, which is above all rungs of its chain.
func (f *Formula) addRung(r, w *event) {
	lit := f.addSource(r, w)
	c := r.chain(w.item.thread)
	at := c.top
	c.top = f.Fresh()
	c.rungs = append(c.rungs, rung{w, at})
	f.Clause(-at, lit, c.top)
	f.Clause(-lit, at)
	f.Clause(-c.top, at)
	f.Clause(-lit, -c.top)
}

// notPassed says that where r reads from the thread of w, and w is executed and to the same address, r reads from
// w or above, or is before w (from-reads). The stores of a thread to one address reach memory in their order. If the
// thread is that of r itself, r cannot be before w: each address is coherent.
func (f *Formula) notPassed(r, w *event) {
	c := r.chain(w.item.thread)
	if k := c.place(w); k > 0 {
		f.Clause(-c.any, c.from(k), -w.guard, -f.sameAddress(r, w), f.readsBefore(r, w))
	}
}

// readsBefore is the literal that r is before w, and false where w precedes r in its own thread: it cannot be
// read past, in the buffer or in memory.
func (f *Formula) readsBefore(r, w *event) solver.Lit {
	if poBefore(w, r) {
		return f.False()
	}
	return f.eventBefore(r, w)
}

// findWriters finds out which threads may ever write to a cell.
func (f *Formula) findWriters() {
	f.writers = make([][]bool, len(f.ranges.Cells))
	for c := range f.writers {
		f.writers[c] = make([]bool, len(f.p.Threads))
	}
	note := func(thread int, c *program.Command) {
		if c.Op == program.Store {
			for _, cell := range f.ranges.Access[c] {
				f.writers[cell][thread] = true
			}
		}
	}
	for i, t := range f.p.Threads {
		for e := range t.Edges {
			c := &t.Edges[e].Cmd
			note(i, c)
			for k := range c.Body {
				note(i, &c.Body[k])
			}
		}
	}
}
