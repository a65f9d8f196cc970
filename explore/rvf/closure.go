package rvf

import "slices"

// An order is a partial order of the events at hand which every witness keeps to. Of each
// event it has how many of the events of each thread are not after it, itself included:
// a before b means that of a's thread b counts more than a's index.
type order struct {
	clocks []int32 // a row for each event
	n      int     // of so many events
}

func (x *exploration) row(o *order, e int32) []int32 {
	k := int32(len(x.of))
	return o.clocks[e*k : (e+1)*k]
}

func (x *exploration) before(o *order, a, b int32) bool {
	e := &x.events[a]
	return a != b && x.row(o, b)[e.thread] > e.index
}

// closure extends the order at hand to all events by program order and by what the good
// writes of the reads imply, to a fixpoint: the weakest order that contains these. It is
// false where there can be no witness. Between reads only good writes count that no other
// write hides:
//
//   - one that is before all others comes before the read;
//   - bad writes before the read come before the one that is after all others;
//   - bad writes after all of them come after the read.
func (x *exploration) closure() (o order, ok bool) {
	k := len(x.of)
	o = order{clocks: make([]int32, len(x.events)*k), n: len(x.events)}
	copy(o.clocks, x.order.clocks)
	for id := x.order.n; id < o.n; id++ {
		e := &x.events[id]
		row := x.row(&o, int32(id))
		if e.index > 0 {
			copy(row, x.row(&o, x.of[e.thread][e.index-1]))
		} else if int(e.thread) == x.observer() {
			for u := range x.of {
				if u != x.observer() {
					row[u] = int32(len(x.of[u]))
				}
			}
		}
		row[e.thread] = e.index + 1
		if x.buffered() {
			x.afterFlushes(&o, int32(id))
		}
	}
	if x.opts.noClosure {
		return o, true
	}
	c := &x.closing
	c.x, c.o, c.reads = x, &o, c.reads[:0]
	if c.writes == nil {
		c.writes = make([][]int32, len(x.init))
	}
	for cell := range c.writes {
		c.writes[cell] = c.writes[cell][:0]
	}
	for id := range x.events {
		if e := &x.events[id]; e.write {
			c.writes[e.cell] = append(c.writes[e.cell], int32(id))
		} else if e.read {
			c.reads = append(c.reads, int32(id))
		}
	}
	if x.blocks && !c.together(int32(x.order.n)) {
		return o, false
	}
	for c.changed = true; c.changed; {
		c.changed = false
		for _, r := range c.reads {
			if x.work(); x.done() || !c.close(r) {
				return o, false
			}
		}
	}
	return o, true
}

// afterFlushes puts an event behind its store into the buffer, if it is a flush, and
// behind the flushes of its thread that it waits for.
func (x *exploration) afterFlushes(o *order, id int32) {
	e := &x.events[id]
	row := x.row(o, id)
	join := func(a int32) {
		for t, n := range x.row(o, a) {
			row[t] = max(row[t], n)
		}
	}
	if int(e.thread) > x.observer() {
		join(id - 1)
	}
	if e.after == 0 {
		return
	}
	for u := x.observer() + 1; u < len(x.of); u++ {
		if x.owner[u] != x.owner[e.thread] {
			continue
		}
		es := x.of[u]
		for i := len(es) - 1; i >= 0; i-- {
			if es[i] < e.after {
				join(es[i])
				break
			}
		}
	}
}

// endOf is the last event that happens at once with id.
func (x *exploration) endOf(id int32) int32 {
	for int(id)+1 < len(x.events) && x.events[id+1].unit == x.events[id].unit {
		id++
	}
	return id
}

// together puts events that have come to a unit since there were n events before what is
// after the others of it.
func (c *closing) together(n int32) bool {
	x := c.x
	for id := n; id < int32(c.o.n); id++ {
		head := x.events[id].unit - 1
		if head >= n {
			continue
		}
		for f := range n {
			if x.before(c.o, head, f) && x.events[f].unit != head+1 && !c.add(id, f) {
				return false
			}
		}
	}
	return true
}

// A closing is the computation of a closure.
type closing struct {
	x       *exploration
	o       *order
	reads   []int32
	writes  [][]int32 // by cell
	hiding  []int32   // the last write of each thread to the cell of a read before it
	visible []int32   // good writes that are not hidden
	changed bool
}

// add puts a before b; it is false where that makes a circle. Nothing comes between
// events that happen at once.
func (c *closing) add(a, b int32) bool {
	x := c.x
	if u := x.events[a].unit; u != x.events[b].unit {
		a, b = x.endOf(a), x.events[b].unit-1
	} else {
		return a < b
	}
	switch {
	case a == b || x.before(c.o, b, a):
		return false
	case x.before(c.o, a, b):
		return true
	}
	c.changed = true
	from := x.row(c.o, a)
	for e := range int32(c.o.n) {
		if e == b || x.before(c.o, b, e) {
			row := x.row(c.o, e)
			for t := range row {
				row[t] = max(row[t], from[t])
			}
		}
	}
	return true
}

// close applies the rules to one read.
func (c *closing) close(r int32) bool {
	x := c.x
	e := &x.events[r]
	row := x.row(c.o, r)
	writes := c.writes[e.cell]
	c.hiding = c.hiding[:0]
	for i := len(writes) - 1; i >= 0; i-- { // the last of each thread comes first
		w := &x.events[writes[i]]
		if w.index < row[w.thread] && !slices.ContainsFunc(c.hiding, func(h int32) bool { return x.events[h].thread == w.thread }) {
			c.hiding = append(c.hiding, writes[i])
		}
	}
	c.visible = c.visible[:0]
	for _, w := range e.good {
		switch {
		case w == initial:
			if len(c.hiding) == 0 && e.own < 0 {
				c.visible = append(c.visible, w)
			}
		case w == e.own: // it may still be in the buffer
			if !slices.ContainsFunc(c.hiding, func(h int32) bool { return x.before(c.o, w, h) }) {
				c.visible = append(c.visible, w)
			}
		case e.own >= 0 && (x.before(c.o, r, e.own) || x.before(c.o, w, e.own)):
		case !x.before(c.o, r, w) && !slices.ContainsFunc(c.hiding, func(h int32) bool { return x.before(c.o, w, h) }):
			c.visible = append(c.visible, w)
		}
	}
	if len(c.visible) == 0 {
		return false
	}
	if w := c.extreme(func(w, v int32) bool { return c.first(w, v) }); w != none && w != initial && w != e.own && !c.add(w, r) {
		return false
	}
	if e.own >= 0 && !slices.Contains(c.visible, e.own) && !c.add(e.own, r) {
		return false
	}
	greatest := c.extreme(func(w, v int32) bool { return c.first(v, w) })
	for _, b := range writes {
		if slices.Contains(e.good, b) {
			continue
		}
		if greatest >= 0 && x.before(c.o, b, r) && !c.add(b, greatest) {
			return false
		}
		after := true
		for _, w := range c.visible {
			after = after && c.first(w, b)
		}
		if after && !c.add(r, b) {
			return false
		}
	}
	return true
}

// first is true where w is before v; initial writes are before all others.
func (c *closing) first(w, v int32) bool {
	return w == initial || v != initial && c.x.before(c.o, w, v)
}

const none = -2

// extreme is the visible write that is in this relation to all others.
func (c *closing) extreme(is func(w, v int32) bool) int32 {
next:
	for _, w := range c.visible {
		for _, v := range c.visible {
			if v != w && !is(w, v) {
				continue next
			}
		}
		return w
	}
	return none
}
