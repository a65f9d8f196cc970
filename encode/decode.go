package encode

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// Schedule turns the model of the last Solve, which must have answered Sat, into
// the steps and flushes of a run that leads to what the query asked for. The
// run is for the operational semantics to judge; events that the violation does
// not depend on are left out of it.
func (q *Query) Schedule() ([]abstract.Event, error) {
	for i := range q.targets {
		if t := &q.targets[i]; q.f.s.Value(t.lit) {
			d := &decoder{f: q.f, target: t, buffer: buffers[q.f.opts.Model]}
			if d.buffer == nil {
				return nil, fmt.Errorf("encode: %s has no store buffers to run the execution with", q.f.opts.Model)
			}
			return d.schedule()
		}
	}
	return nil, fmt.Errorf("encode: the model has nothing that was asked for")
}

// buffers are the store buffers of the models.
var buffers = map[memory.Model]abstract.Buffer{
	memory.SC:  abstract.None{},
	memory.TSO: abstract.FIFO{},
	memory.PSO: abstract.PSO{},
}

// decoder rebuilds a run from an execution.
type decoder struct {
	f      *Formula
	target *target
	walks  []walk
	items  []*item // of the execution, in its order
	events map[*item][]*event
	keep   map[*item]bool
	buffer abstract.Buffer
	out    []abstract.Event
}

// walk is the way of a thread through its unrolling.
type walk struct {
	moves []move
	next  int // the first move that is not done
	// buffer is the thread's store buffer. The value of a pair is the index of
	// the move that stored it.
	buffer abstract.Contents
}

// move is a step on a walk.
type move struct {
	event abstract.Event
	cmd   *program.Command
	item  *item // nil for what takes no part in the order
	cell  int   // of a Store
}

func (d *decoder) schedule() ([]abstract.Event, error) {
	f := d.f
	moveOf := map[*item]int{}
	for _, t := range f.threads {
		w := d.walk(t)
		for i, m := range w.moves {
			if m.item != nil {
				moveOf[m.item] = i
				if !m.item.kind.isFence() {
					d.items = append(d.items, m.item)
				}
			}
		}
		d.walks = append(d.walks, w)
	}
	precedes, err := f.linear()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(d.items, func(a, b *item) int {
		switch {
		case a == b:
			return 0
		case precedes(a, b):
			return -1
		}
		return 1
	})
	d.slice(moveOf)
	for _, it := range d.items {
		if !d.keep[it] {
			continue
		}
		if d.target.snapshot != nil && it.kind == storeItem && precedes(d.target.snapshot, it) {
			continue // still in the buffer when the property looks at memory
		}
		if it.stuck != 0 && f.s.Value(it.stuck) {
			continue // for ever in the buffer
		}
		w, i := &d.walks[it.thread], moveOf[it]
		if it.kind == lockItem {
			if err := d.settle(); err != nil {
				return nil, err
			}
		}
		if err := d.advance(w, i+1); err != nil {
			return nil, err
		}
		if a := d.target.assertion; a != nil && a.step != nil && it.id == a.step.item {
			return d.out, nil // the run ends here
		}
		if it.kind == storeItem && !d.buffer.Immediate() {
			if err := d.flush(w, i); err != nil {
				return nil, err
			}
		}
	}
	for t := range d.walks {
		if d.wants(t) {
			w := &d.walks[t]
			if err := d.advance(w, len(w.moves)); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case d.target.assertion != nil:
		if a := d.target.assertion; a.step == nil {
			d.out = append(d.out, abstract.Event{Thread: d.target.thread.index, Edge: a.edge})
		}
	case d.target.property != nil && d.target.property.Final():
		for t := range d.walks {
			if err := d.drain(&d.walks[t]); err != nil {
				return nil, err
			}
		}
	}
	return d.out, nil
}

// linear is the order of the items in the solver's model: a total one on those that
// are executed.
func (f *Formula) linear() (precedes func(a, b *item) bool, err error) {
	if f.graph == nil {
		return func(a, b *item) bool { return f.s.Value(f.before(a, b)) }, nil
	}
	place, err := f.places()
	return func(a, b *item) bool { return place[a.id] < place[b.id] }, err
}

// walk follows the steps that the model takes, up to where the thread stops or
// the violation happens.
func (d *decoder) walk(t *thread) walk {
	type at struct {
		q     program.StateID
		layer int
	}
	nodes := map[at]*node{}
	for _, n := range t.nodes {
		nodes[at{n.state, n.layer}] = n
	}
	a := d.target.assertion
	var w walk
	for pos, n := (at{q: t.t.Initial}), nodes[at{q: t.t.Initial}]; n != nil; n = nodes[pos] {
		if a != nil && a.node == n && a.step == nil && d.target.thread == t {
			return w
		}
		var taken *step
		if a != nil && a.node == n && d.target.thread == t {
			taken = a.step // it may be the way round a loop that only waits
		}
		for _, s := range n.out {
			if d.f.s.Value(s.lit) {
				taken = s
			}
		}
		if taken == nil {
			return w
		}
		e := &t.t.Edges[taken.edge]
		m := move{cmd: &e.Cmd, event: abstract.Event{Thread: t.index, Edge: taken.edge}}
		radix := int64(1)
		for _, c := range taken.havoc {
			m.event.Choice += radix * (d.f.eval(c.value) - c.lo)
			radix *= c.hi - c.lo + 1
		}
		if taken.item >= 0 {
			m.item = d.f.items[taken.item]
		}
		if e.Cmd.Op == program.Store {
			m.cell = d.f.ranges.CellIndex(d.f.eval(taken.addr))
		}
		w.moves = append(w.moves, m)
		if a != nil && a.step == taken {
			return w
		}
		pos.q = e.To
		if t.loops.Back[taken.edge] {
			pos.layer++
		}
	}
	return w
}

// wants is true of a thread whose place the violation speaks of.
func (d *decoder) wants(t int) bool {
	if d.target.assertion != nil {
		return d.target.thread.index == t
	}
	if d.target.property == nil || d.target.property.Final() || d.target.snapshot != nil || d.f.hasLock {
		return true
	}
	found := false
	program.Walk(d.target.property.Cond, func(e program.Expr) {
		switch e := e.(type) {
		case program.At:
			found = found || e.Thread == t
		case program.ThreadReg:
			found = found || e.Thread == t
		}
	})
	return found
}

// slice keeps what the threads of interest do and all that has to come before
// it: program order as far as the model preserves it, reads-from, coherence and
// from-reads. What is left out comes before nothing that is kept. A store of a
// thread of interest may stay in the buffer, unless a fence follows.
func (d *decoder) slice(moveOf map[*item]int) {
	f := d.f
	d.keep = map[*item]bool{}
	d.events = map[*item][]*event{}
	for _, e := range f.events {
		if f.s.Value(e.guard) {
			d.events[e.item] = append(d.events[e.item], e)
		}
	}
	everything := f.hasLock || d.target.snapshot != nil ||
		d.target.property != nil && d.target.property.Final()
	var work []*item
	keep := func(it *item) {
		if !d.keep[it] {
			d.keep[it] = true
			work = append(work, it)
		}
	}
	for _, it := range d.items {
		if everything || d.wants(it.thread) &&
			(it.kind != storeItem || f.opts.Model == memory.SC || d.drained(it, moveOf[it], len(d.walks[it.thread].moves))) {
			keep(it)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		for _, a := range d.items {
			if a == b {
				break
			}
			if !d.keep[a] && d.mustPrecede(a, b, moveOf) {
				keep(a)
			}
		}
	}
}

// drained is true where the buffer is drained by one of the moves after from and
// before to.
func (d *decoder) drained(it *item, from, to int) bool {
	for _, m := range d.walks[it.thread].moves[from+1 : to] {
		if m.cmd.Drains() {
			return true
		}
	}
	return false
}

// mustPrecede is true where a, which the model puts before b, cannot come later.
func (d *decoder) mustPrecede(a, b *item, moveOf map[*item]int) bool {
	if a.thread == b.thread {
		if moveOf[a] > moveOf[b] {
			return false // a later load, before the store reaches memory
		}
		between := d.walks[a.thread].moves[moveOf[a]+1 : moveOf[b]+1]
		switch {
		case d.f.opts.Model == memory.SC || a.kind != storeItem:
			return true
		case b.kind != storeItem:
			return slices.ContainsFunc(between, func(m move) bool { return m.cmd.Drains() })
		case d.f.opts.Model == memory.TSO || d.walks[a.thread].moves[moveOf[a]].cell == between[len(between)-1].cell:
			return true
		}
		return slices.ContainsFunc(between, func(m move) bool {
			return m.cmd.Drains() || m.cmd.StoreFence()
		})
	}
	for _, x := range d.events[a] {
		for _, y := range d.events[b] {
			if (x.write || y.write) && mayAlias(x, y) && d.f.eval(x.addr) == d.f.eval(y.addr) {
				return true
			}
		}
	}
	return false
}

// advance does the moves of w before index end that are not done yet.
func (d *decoder) advance(w *walk, end int) error {
	for ; w.next < end; w.next++ {
		m := &w.moves[w.next]
		switch {
		case m.cmd.Drains():
			if err := d.drain(w); err != nil {
				return err
			}
		case d.buffer.Immediate():
		case m.cmd.Op == program.Store:
			d.buffer.Add(&w.buffer, abstract.Pair{Cell: m.cell, Value: int64(w.next)})
		case m.cmd.StoreFence():
			d.buffer.Barrier(&w.buffer)
		}
		d.out = append(d.out, m.event)
	}
	return nil
}

// drain empties the buffer. What the order speaks of is flushed already; left
// are stores to memory of the thread's own.
func (d *decoder) drain(w *walk) error {
	for !w.buffer.Empty() {
		if err := d.flushPrivate(w); err != nil {
			return err
		}
	}
	return nil
}

// flush flushes the store of move i, and before it what is in its way.
func (d *decoder) flush(w *walk, i int) error {
	for {
		for k := range d.buffer.Flushes(&w.buffer) {
			if d.buffer.Flushed(&w.buffer, k).Value == int64(i) {
				d.flushNumber(w, k)
				return nil
			}
		}
		if err := d.flushPrivate(w); err != nil {
			return err
		}
	}
}

// flushPrivate flushes a store to memory of the thread's own.
func (d *decoder) flushPrivate(w *walk) error {
	for k := range d.buffer.Flushes(&w.buffer) {
		if w.moves[d.buffer.Flushed(&w.buffer, k).Value].item == nil {
			d.flushNumber(w, k)
			return nil
		}
	}
	return fmt.Errorf("encode: a store passes a fence, or another store, in the model")
}

func (d *decoder) flushNumber(w *walk, k int) {
	thread := w.moves[d.buffer.Flushed(&w.buffer, k).Value].event.Thread
	d.buffer.Flush(&w.buffer, k)
	d.out = append(d.out, abstract.Event{Thread: thread, Edge: abstract.Flush, Choice: int64(k)})
}

// settle lets every thread do what it does without taking part in the order,
// such as loads from memory of its own: once another thread holds the lock, it
// no longer could. A program with locks is not sliced.
func (d *decoder) settle() error {
	for t := range d.walks {
		w := &d.walks[t]
		for w.next < len(w.moves) {
			m := &w.moves[w.next]
			shared := slices.ContainsFunc(w.buffer.Pairs, func(p abstract.Pair) bool {
				return p.Cell != abstract.Barrier && w.moves[p.Value].item != nil
			})
			if m.item != nil && (!m.item.kind.isFence() || shared) {
				break
			}
			if err := d.advance(w, w.next+1); err != nil {
				return err
			}
		}
	}
	return nil
}
