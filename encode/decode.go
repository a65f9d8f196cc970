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
			d := &decoder{f: q.f, target: t}
			return d.schedule()
		}
	}
	return nil, fmt.Errorf("encode: the model has nothing that was asked for")
}

// decoder rebuilds a run from an execution.
type decoder struct {
	f      *Formula
	target *target
	walks  []walk
	items  []*item // of the execution, in its order
	events map[*item][]*event
	keep   map[*item]bool
	out    []abstract.Event
}

// walk is the way of a thread through its unrolling.
type walk struct {
	moves []move
	next  int   // the first move that is not done
	queue []int // TSO: moves whose stores are in the buffer, oldest first
}

// move is a step on a walk.
type move struct {
	event abstract.Event
	cmd   *program.Command
	item  *item // nil for what takes no part in the order
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
	slices.SortFunc(d.items, func(a, b *item) int {
		if a == b {
			return 0
		}
		if f.s.Value(f.before(a, b)) {
			return -1
		}
		return 1
	})
	d.slice(moveOf)
	for _, it := range d.items {
		if !d.keep[it] {
			continue
		}
		if d.target.snapshot != nil && it.kind == storeItem && f.s.Value(f.before(d.target.snapshot, it)) {
			continue // still in the buffer when the property looks at memory
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
		if it.kind == storeItem && f.opts.Model != memory.SC {
			for slices.Contains(w.queue, i) {
				d.flush(w)
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
			for len(d.walks[t].queue) > 0 {
				d.flush(&d.walks[t])
			}
		}
	}
	return d.out, nil
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
		if drains(m.cmd) {
			return true
		}
	}
	return false
}

// drains is true of a command that waits for the thread's buffer to be empty.
func drains(c *program.Command) bool {
	switch c.Op {
	case program.Lock, program.Unlock, program.Atomic:
		return true
	case program.Fence:
		return c.Fence == program.FullFence
	}
	return false
}

// mustPrecede is true where a, which the model puts before b, cannot come later.
func (d *decoder) mustPrecede(a, b *item, moveOf map[*item]int) bool {
	if a.thread == b.thread {
		return d.f.opts.Model == memory.SC || a.kind != storeItem || b.kind == storeItem ||
			d.drained(a, moveOf[a], moveOf[b]+1)
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
		case drains(m.cmd):
			for len(w.queue) > 0 {
				// What the order speaks of is flushed already; left are
				// stores to memory of the thread's own.
				if w.moves[w.queue[0]].item != nil {
					return fmt.Errorf("encode: a store passes a fence in the model")
				}
				d.flush(w)
			}
		case m.cmd.Op == program.Store:
			if d.f.opts.Model != memory.SC {
				w.queue = append(w.queue, w.next)
			}
		}
		d.out = append(d.out, m.event)
	}
	return nil
}

// settle lets every thread do what it does without taking part in the order,
// such as loads from memory of its own: once another thread holds the lock, it
// no longer could. A program with locks is not sliced.
func (d *decoder) settle() error {
	for t := range d.walks {
		w := &d.walks[t]
		for w.next < len(w.moves) {
			m := &w.moves[w.next]
			shared := slices.ContainsFunc(w.queue, func(i int) bool { return w.moves[i].item != nil })
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

// flush flushes the oldest store in the buffer.
func (d *decoder) flush(w *walk) {
	i := w.queue[0]
	w.queue = w.queue[1:]
	d.out = append(d.out, abstract.Event{Thread: w.moves[i].event.Thread, Edge: abstract.Flush})
}
