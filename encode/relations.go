package encode

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/solver"
)

// exclusive is true of two events that no execution has both.
func (f *Formula) exclusive(a, b *event) bool {
	if a.item == b.item {
		return a.branch != b.branch && a.branch != 0 && b.branch != 0
	}
	return !f.related(a.item, b.item)
}

// poBefore is true where a comes before b in the program order of one thread.
func poBefore(a, b *event) bool {
	if a.item == b.item {
		return a.index < b.index
	}
	return a.item.thread == b.item.thread && b.item.past.has(a.item.id)
}

// eventBefore is the literal that a is before b; events of one item are in the
// order of their commands.
func (f *Formula) eventBefore(a, b *event) solver.Lit {
	if a.item == b.item {
		return f.Constant(a.index < b.index)
	}
	return f.before(a.item, b.item)
}

// mayAlias is true where a and b may access the same cell.
func mayAlias(a, b *event) bool {
	for i, j := 0, 0; i < len(a.cells) && j < len(b.cells); {
		switch {
		case a.cells[i] == b.cells[j]:
			return true
		case a.cells[i] < b.cells[j]:
			i++
		default:
			j++
		}
	}
	return false
}

// sameAddress is the literal that a and b access the same cell.
func (f *Formula) sameAddress(a, b *event) solver.Lit {
	if len(a.cells) == 1 && len(b.cells) == 1 && !a.stray && !b.stray {
		return f.Constant(a.cells[0] == b.cells[0])
	}
	return f.EqVec(a.addr, b.addr)
}

// connectEvents gives the new reads their sources, the old reads the new writes,
// and forbids every read to overlook a write.
func (f *Formula) connectEvents() {
	if f.relational() {
		f.connectCoherence()
	}
	fresh := map[*event]bool{}
	for _, e := range f.events[f.doneEv:] {
		fresh[e] = true
		for _, c := range e.cells {
			if e.write {
				f.byCell[c] = append(f.byCell[c], e)
			}
		}
	}
	for _, r := range f.reads {
		if !f.relational() {
			f.connectRead(r, fresh)
			continue
		}
		writes := f.writesFor(r)
		old := len(r.rf)
		if fresh[r] {
			f.addInitial(r, writes)
		}
		for _, w := range writes {
			f.poll()
			if fresh[r] || fresh[w] {
				f.addSource(r, w)
			}
		}
		for k := range r.rf { // one source; the rest is for the axioms
			f.poll()
			for j := max(old, k+1); j < len(r.rf); j++ {
				f.Clause(-r.rf[k].lit, -r.rf[j].lit)
			}
		}
	}
	f.doneEv = len(f.events)
}

// writesFor lists the writes that may be to the address of r, but for those that
// exclude r or come after it in its own thread.
func (f *Formula) writesFor(r *event) []*event {
	var ws []*event
	for _, c := range r.cells {
		f.poll()
		for _, w := range f.byCell[c] {
			if len(w.cells) > 1 && c != firstCommon(r, w) || f.exclusive(r, w) || poBefore(r, w) && !f.relational() {
				continue
			}
			ws = append(ws, w)
		}
	}
	return ws
}

// firstCommon is the first cell that both may access, so that a pair that has
// several is met once.
func firstCommon(a, b *event) int {
	for _, c := range a.cells {
		for _, d := range b.cells {
			if c == d {
				return c
			}
		}
	}
	return -1
}

// certain is true of a write of the thread of r, before r, that is executed wherever r is and goes to the same cell.
func (f *Formula) certain(w, r *event) bool {
	if !r.written.has(w.id) || r.stray {
		return false
	}
	return len(w.cells) == 1 && len(r.cells) == 1 && w.cells[0] == r.cells[0] || len(r.cells) > 1 && slices.Equal(w.addr, r.addr)
}

// notOverwritten is writes without those that the thread of r certainly overwrites itself before r. They can be no
// source of r, and that they are not overlooked follows from the order: the write that overwrites them is not.
func (f *Formula) notOverwritten(r *event, writes []*event) []*event {
	var last *event
	for _, w := range writes {
		if f.certain(w, r) && (last == nil || poBefore(last, w)) {
			last = w
		}
	}
	if last == nil {
		return writes
	}
	return slices.DeleteFunc(writes, func(w *event) bool { return poBefore(w, last) })
}

// addInitial lets r read the initial value, unless its thread has certainly
// overwritten it.
func (f *Formula) addInitial(r *event, writes []*event) {
	for _, x := range writes {
		if f.certain(x, r) {
			return
		}
	}
	lit := f.choice()
	nowhere := []solver.Lit{-lit}
	for _, c := range r.cells {
		f.poll()
		at := f.True
		if len(r.cells) > 1 || r.stray {
			at = f.atCell(r.addr, c)
			nowhere = append(nowhere, at)
		}
		f.equal(r.value, f.Vec(f.ranges.Cells[c].Init), -lit, -at)
	}
	if r.stray {
		f.equal(r.value, f.Vec(0), nowhere...)
	}
	r.rf = append(r.rf, source{nil, lit})
}

// addSource lets r read from w. A write of another thread must have reached
// memory; one of its own may still be in the buffer under TSO.
func (f *Formula) addSource(r, w *event) solver.Lit {
	lit := f.choice()
	f.Clause(-lit, w.guard)
	f.Clause(-lit, f.sameAddress(r, w))
	f.equal(r.value, w.value, -lit)
	if !poBefore(w, r) && !f.relational() {
		f.Clause(-lit, f.eventBefore(w, r))
	}
	r.rf = append(r.rf, source{w, lit})
	return lit
}

// choice is a new literal that a read has a certain source. To decide that it has not
// teaches little: such clauses list all that a read has not read.
func (f *Formula) choice() solver.Lit {
	l := f.Fresh()
	solver.Prefer(f.s, l)
	return l
}

// gives is the value that a read has from src, where that is known.
func (f *Formula) gives(r *event, src source) (int64, bool) {
	switch {
	case src.w != nil:
		return f.Known(src.w.value)
	case len(r.cells) > 1 || r.stray:
		return 0, false
	}
	return f.ranges.Cells[r.cells[0]].Init, true
}

// equal makes x and y equal where all conds are false.
func (f *Formula) equal(x, y circuit.Vector, conds ...solver.Lit) {
	for i := range max(len(x), len(y)) {
		a, b := x.Bit(i), y.Bit(i)
		if a == b {
			continue
		}
		f.Clause(append([]solver.Lit{-a, b}, conds...)...)
		f.Clause(append([]solver.Lit{a, -b}, conds...)...)
	}
}

// notOverlooked says that where r reads from src, which is of another thread than the write w to the same address or the initial
// value, w is before src in coherence, or else r is before w (from-reads). See also notPassed.
func (f *Formula) notOverlooked(r *event, src source, w *event) {
	earlier := f.False() // nothing is before the initial value
	if src.w != nil {
		earlier = f.eventBefore(w, src.w)
	}
	f.Clause(-src.lit, -w.guard, -f.sameAddress(r, w), earlier, f.readsBefore(r, w))
}

// close ends the bound, if that was not done: every executed read has a source among those known now,
// every locked section its unlock, and the axioms of a text hold, as long as the literal open is assumed to
// be false. It is for bounds that something is asked about.
func (f *Formula) close() {
	if f.closed == f.bound {
		return
	}
	f.closed = f.bound
	if f.open != 0 { // what was said of the bound before is said anew
		f.Clause(f.open)
	}
	f.open = f.Fresh()
	for _, r := range f.reads {
		if f.relational() { // the axioms are said anew, and nothing that was learnt outlives them
			f.mustRead(r, f.open)
			continue
		}
		for _, c := range r.chains {
			if c.thread != r.item.thread {
				f.Clause(-c.top, f.open)
			}
		}
		f.mustGive(r)
	}
	if f.hasLock {
		f.closeSections()
	}
	if f.relational() {
		f.axioms()
	}
}

// mustRead gives r a source if it is executed, or else makes one of the others
// true.
func (f *Formula) mustRead(r *event, others ...solver.Lit) {
	lits := append([]solver.Lit{-r.guard}, others...)
	for _, s := range r.rf {
		lits = append(lits, s.lit)
	}
	f.Clause(lits...)
}
