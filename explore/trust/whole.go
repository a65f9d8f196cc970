package trust

import "slices"

// Where program order and reads-from have a cycle, what comes before an event is not known when
// it is added: so it is all found anew, and all is judged, graph by graph. Graphs are small.

// refresh finds what is before every event, in program order and reads-from, and what the
// checker knows of it. Reads whose writes are only promised see nothing.
func (x *explorer) refresh(g *graph) {
	first := int32(len(g.co))
	for id := first; id < int32(len(g.events)); id++ {
		e := &g.events[id]
		e.clock = clock(x.clocks.take(len(g.threads)))
		clear(e.clock)
		e.clock[e.thread] = e.index + 1
		e.views = nil
	}
	for changed := true; changed; {
		changed = false
		for id := first; id < int32(len(g.events)); id++ {
			e := &g.events[id]
			if e.index > 0 {
				changed = e.clock.joins(g.events[g.threads[e.thread][e.index-1]].clock) || changed
			}
			if e.kind == read && e.rf != none {
				changed = e.clock.joins(g.events[e.rf].clock) || changed
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for id := first; id < int32(len(g.events)); id++ {
			old := g.events[id].views
			x.check.added(g, id)
			changed = changed || old == nil || !old.same(g.events[id].views)
		}
	}
}

// joins is join, and whether it has made a difference.
func (c clock) joins(d clock) bool {
	more := false
	for t, n := range d {
		if n > c[t] {
			c[t], more = n, true
		}
	}
	return more
}

func (v *views) same(o *views) bool {
	return slices.Equal(v.happened, o.happened) && slices.Equal(v.released, o.released) &&
		slices.Equal(v.fence, o.fence) && slices.Equal(v.acquired, o.acquired)
}

// coherent is whether a graph that is refreshed is consistent with RC11 but for cycles of
// program order and reads-from, and but for the order of what is sequentially consistent. Reads
// whose writes are only promised are left out of coherence.
func (x *explorer) coherent(g *graph) bool {
	for id := len(g.co); id < len(g.events); id++ {
		e := &g.events[id]
		if e.views.happened[e.thread] != e.index+1 {
			return false // it happens before itself
		}
		if e.kind == write && e.half && !x.weak.apart {
			if src := g.events[g.threads[e.thread][e.index-1]].rf; src != none && g.events[src].place != e.place-1 {
				return false
			}
		}
	}
	for i := len(g.co); i < len(g.events); i++ {
		a := &g.events[i]
		if !access(a) || a.kind == read && a.rf == none {
			continue
		}
		for j := range g.events {
			b := &g.events[j]
			if i == j || b.cell != a.cell || !access(b) || b.kind == read && b.rf == none {
				continue
			}
			if a.views.happened.has(b) && communicates(g, int32(i), int32(j)) {
				return false
			}
		}
	}
	return true
}

// cyclic is whether an event is on a cycle of program order and reads-from, in a graph that is
// refreshed.
func (g *graph) cyclic(e int32) bool {
	ev := &g.events[e]
	if ev.thread == none {
		return false
	}
	if ev.index > 0 && g.events[g.threads[ev.thread][ev.index-1]].clock.has(ev) {
		return true
	}
	if ev.kind != read || ev.rf == none {
		return false
	}
	src := &g.events[ev.rf]
	return src.thread != none && src.clock.has(ev)
}

// hasCycle is whether any event is.
func (g *graph) hasCycle() bool {
	for e := range g.events {
		if g.cyclic(int32(e)) {
			return true
		}
	}
	return false
}

// local is whether write w happens before what has happened in now, or is read there, but not
// by the event but; the initial writes always are.
func (g *graph) local(w, but int32, now clock) bool {
	e := &g.events[w]
	switch {
	case e.thread == none:
		return true
	case now == nil:
		return false
	case now.has(e):
		return true
	}
	for r := e.readers; r != none; r = g.events[r].next {
		if r != but && now.has(&g.events[r]) {
			return true
		}
	}
	return false
}

// readsLocally is whether the read r reads what its thread knows without it: what happens
// before it, or is read there.
func (g *graph) readsLocally(r int32) bool {
	e := &g.events[r]
	return e.rf != none && g.local(e.rf, r, e.views.happened)
}

// copied is a copy of g from the pool.
func (x *explorer) copied(g *graph) *graph {
	c := x.copies.get(g)
	c.events = append(c.events, g.events...)
	for t, es := range g.threads {
		c.threads[t] = append(c.threads[t], es...)
	}
	for i, ws := range g.co {
		c.co[i] = append(c.co[i], ws...)
	}
	return c
}

// restricted is the events of g that stay, from the pool, and their new numbers. The read r is to
// be changed, and reads from nothing. Another read whose
// write does not stay owes it to promises, by number; ok is false where one has lost it.
func (x *explorer) restricted(g *graph, r int32, stays func(e int32) bool, promises []int32) (c *graph, renamed []int32, ok bool) {
	c = x.copies.get(g)
	renamed = make([]int32, len(g.events))
	for e := range g.events {
		renamed[e] = none
		if ev := &g.events[e]; ev.thread == none || stays(int32(e)) {
			renamed[e] = int32(len(c.events))
			c.events = append(c.events, *ev)
		}
	}
	for e := range c.events {
		c.events[e].readers, c.events[e].next = none, none
	}
	ok = true
	for e := range c.events {
		ev := &c.events[e]
		if ev.thread != none {
			c.threads[ev.thread] = append(c.threads[ev.thread], int32(e))
			if int(ev.index) != len(c.threads[ev.thread])-1 {
				panic("trust: an event has lost those before it")
			}
		}
		if ev.kind != read || ev.rf == none {
			continue
		}
		w := renamed[ev.rf]
		switch {
		case int32(e) == renamed[r]:
			ev.rf, ev.owed = none, 0
			continue
		case w != none:
			ev.rf, ev.next, c.events[w].readers = w, c.events[w].readers, int32(e)
			continue
		}
		ev.owed = int32(slices.Index(promises, ev.rf)) + 1
		ev.rf = none
		ok = ok && ev.owed > 0
	}
	for i, ws := range g.co {
		for _, w := range ws {
			if to := renamed[w]; to != none {
				c.events[to].place = int32(len(c.co[i]))
				c.co[i] = append(c.co[i], to)
			}
		}
	}
	return c, renamed, ok
}
