package trust

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/threads"
)

// Graphs without coherence: two are the same that have the same events and reads-from, and a
// graph is consistent if there is an order of the writes to each cell with which it is. Each is
// explored once, in the way of visit.go, with another notion of what would be added where something
// is not there (maximal): a read reads from the last write, by thread and place in it, that it can consistently read
// from; if a write may follow that belongs to it, together with that. That this finds each once is
// not proven; tests compare it with graphs that have coherence.
//
// Every graph has a coherence order that it is consistent with, a witness, so that
// evidence can be shown. It is no part of the graph.

// readAny adds a read, with every write that it can read from in some coherence order.
func (x *explorer) readAny(e int32) {
	g := x.g
	cell := g.events[e].cell
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	late := g.events[e].after.late
	for _, w := range x.sources(cell) {
		if late && g.events[w].thread == none || x.halted() {
			continue
		}
		g.readFrom(e, w)
		x.settle(e)
		x.check.added(g, e)
		if old := g.co; x.witnessed() {
			x.child()
			g.co = old
			x.places()
		} else {
			x.drop()
		}
		g.unread(e)
		x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
	}
	g.drop()
}

// sources are the writes to a cell in an order of their own, the last first.
func (x *explorer) sources(cell int32) []int32 {
	ws := slices.Clone(x.g.co[cell])
	slices.SortFunc(ws, func(v, w int32) int { return -x.order(v, w) })
	return ws
}

// order is that of threads and of places in them.
func (x *explorer) order(v, w int32) int {
	a, b := &x.g.events[v], &x.g.events[w]
	if a.thread != b.thread {
		return int(a.thread - b.thread)
	}
	return int(a.index - b.index)
}

// writeAny adds the write a, and lets reads that were there before read from it.
func (x *explorer) writeAny(a int32) {
	g := x.g
	g.insert(a, len(g.co[g.events[a].cell]))
	if old := g.co; x.witnessed() {
		x.child()
		g.co = old
		x.places()
	} else {
		x.drop()
	}
	g.remove(a)
	for e := a - 1; e >= int32(len(g.co)) && !x.halted(); e-- {
		ev := &g.events[e]
		if g.events[a].clock.has(ev) {
			continue
		}
		if !x.chosen(e, a) {
			break
		}
		if ev.kind == read && ev.cell == g.events[a].cell {
			x.revisitAny(e, a)
		}
	}
	g.drop()
}

// revisitAny is revisit.
func (x *explorer) revisitAny(r, a int32) {
	if x.counted() {
		x.revisits++
	}
	old := x.g
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	before := old.events[a].clock
	g := x.remaining(func(e int32, ev *event) bool { return e <= r || e == a || before.has(ev) }, r)
	a = x.renamed[a]
	x.g = g
	g.insert(a, len(g.co[g.events[a].cell]))
	g.readFrom(r, a)
	x.settle(r)
	x.check.added(g, r)
	if x.witnessed() {
		x.child()
	} else {
		x.drop()
	}
	x.g = old
	x.copies.put(g)
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
}

// chosen is maximal.
func (x *explorer) chosen(e, a int32) bool {
	old := x.g
	ev := &old.events[e]
	switch ev.kind {
	case choice:
		return ev.value == ev.usual
	case fence:
		return true
	case write:
		for r := ev.readers; r != none; r = old.events[r].next {
			if r < e {
				return false
			}
		}
		return true
	}
	if !x.stays(ev.rf, e, a) {
		return false
	}
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	before := old.events[a].clock
	source := ev.rf
	g := x.remaining(func(o int32, ev *event) bool { return o <= e || o != a && before.has(ev) }, e)
	e, source = x.renamed[e], x.renamed[source]
	x.g = g
	first := none
	g.events[e].rf = none
	late := x.before(e).late
	for _, w := range x.sources(g.events[e].cell) {
		if late && g.events[w].thread == none {
			continue
		}
		if x.possible(e, w) {
			first = w
			break
		}
	}
	x.g = old
	x.copies.put(g)
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
	return first == source
}

// before is where the thread of e stands before it.
func (x *explorer) before(e int32) *point {
	ev := &x.g.events[e]
	if ev.index > 0 {
		return x.g.events[x.g.threads[ev.thread][ev.index-1]].after
	}
	return &x.begin[ev.thread]
}

// possible is whether the read e, the last event of its thread, can read from w, together with the
// write that follows, if one does.
func (x *explorer) possible(e, w int32) bool {
	g := x.g
	g.readFrom(e, w)
	x.settle(e)
	x.check.added(g, e)
	t := g.events[e].thread
	ok := false
	if stop := &x.at(t).stop; stop.Half && stop.Kind == threads.Store {
		a := x.add(t, write, stop)
		x.settle(a)
		x.check.added(g, a)
		g.insert(a, len(g.co[g.events[a].cell]))
		ok = x.witness() != nil
		g.remove(a)
		g.drop()
	} else {
		ok = x.witness() != nil
	}
	g.unread(e)
	return ok
}

// witnessed makes the coherence order one with which the graph is consistent, where there is one.
func (x *explorer) witnessed() bool {
	co := x.witness()
	if co == nil {
		return false
	}
	x.g.co = co
	x.places()
	return true
}

// places numbers the writes anew.
func (x *explorer) places() {
	for c := range x.g.co {
		x.g.renumber(int32(c), 0)
	}
}

// witness is a coherence order with which the graph is consistent, or nil: the graph is built anew,
// in the order of causes, with every place for every write, the one that it has now first.
func (x *explorer) witness() [][]int32 {
	g := x.g
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	b := &builder{x: x, old: g, h: x.copies.get(g), to: make([]int32, len(g.events))}
	for c := range g.co {
		b.h.events = append(b.h.events, g.events[c])
		b.h.events[c].readers, b.h.events[c].next = none, none
		b.h.co[c] = append(b.h.co[c], int32(c))
		b.h.events[c].place = 0
		b.to[c] = int32(c)
	}
	var co [][]int32
	x.g = b.h
	if b.build() {
		from := make([]int32, len(b.h.events))
		for e, n := range b.to {
			from[n] = int32(e)
		}
		for _, ws := range b.h.co {
			order := make([]int32, 0, len(ws)+1)
			for _, w := range ws {
				order = append(order, from[w])
			}
			co = append(co, order)
		}
	}
	x.g = g
	x.copies.put(b.h)
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
	return co
}

// A builder builds a graph anew.
type builder struct {
	x   *explorer
	old *graph
	h   *graph
	to  []int32 // by event: its number in h
}

// next is an event that all that is before it is there for, or none.
func (b *builder) next() int32 {
	for t, es := range b.old.threads {
		n := len(b.h.threads[t])
		if n == len(es) {
			continue
		}
		e := &b.old.events[es[n]]
		if e.kind == read && e.rf != none {
			if w := &b.old.events[e.rf]; w.thread != none && int(w.index) >= len(b.h.threads[w.thread]) {
				continue
			}
		}
		return es[n]
	}
	return none
}

// build adds the rest, and leaves it there where that can be.
func (b *builder) build() bool {
	id := b.next()
	if id == none {
		return true
	}
	x, h := b.x, b.h
	if x.work(1); x.halted() {
		return false // nothing is made of it any more
	}
	old := &b.old.events[id]
	n := h.add(old.thread, *old)
	e := &h.events[n]
	e.kind, e.clock, e.after, e.value, e.views = old.kind, old.clock, old.after, old.value, nil
	b.to[id] = n
	switch {
	case e.kind == read && old.rf != none:
		h.readFrom(n, b.to[old.rf])
		x.check.added(h, n)
		w := &h.events[h.events[n].rf]
		last := int(w.place) == len(h.co[w.cell])-1
		if (last || int(w.place) >= x.check.floor(h, n, none)) && x.check.holds(h, n, none) && b.build() {
			return true
		}
		h.unread(n)
	case e.kind == write:
		x.check.added(h, n)
		if b.place(n) {
			return true
		}
	default:
		x.check.added(h, n)
		if (e.kind == choice || x.check.holds(h, n, none)) && b.build() {
			return true
		}
	}
	h.drop()
	return false
}

// place puts the new write n at every place.
func (b *builder) place(n int32) bool {
	x, h := b.x, b.h
	e := &h.events[n]
	cell := e.cell
	last, floor := len(h.co[cell]), -1
	tied := x.tied(e)
	if tied {
		last = h.behind(e)
	}
	for k := last; k > 0 && !x.halted(); k-- {
		if k < len(h.co[cell]) {
			if floor < 0 {
				floor = x.check.floor(h, n, none)
			}
			if k <= floor {
				return false
			}
		}
		if k < len(h.co[cell]) && x.divides(h, n, k) {
			if tied {
				return false
			}
			continue
		}
		h.insert(n, k)
		if (e.kind == choice || x.check.holds(h, n, none)) && b.build() {
			return true
		}
		h.remove(n)
		if tied {
			return false
		}
	}
	return false
}
