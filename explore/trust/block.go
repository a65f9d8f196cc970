package trust

// Blocks are events that happen at once: the accesses of an atomic block, and all that a
// thread does from when it takes the lock until it gives it back. They are added one by one, and nothing
// else in between, and models see to it that nothing comes between them.
//
// What has been said of maximal events (visit.go) holds of blocks with two changes. All of a
// block is before what reads from a part of it (whole). And when it has begun, the last write in coherence need
// not be what it can read from: it is the last of those that it can read from that stands in
// its place (lazily); there is one, since the block can be where it began.

// block is the first and the last event, by index, of what e happens at once with.
func block(g *graph, e *event) (first, last int32) {
	es := g.threads[e.thread]
	for first = e.index; first > 0 && g.events[es[first]].inside; first-- {
	}
	for last = e.index; int(last)+1 < len(es) && g.events[es[last+1]].inside; last++ {
	}
	return first, last
}

// whole adds to c the rest of the blocks of which a part is in it, with what is before that.
func (x *explorer) whole(c []int32) {
	if !x.blocks {
		return
	}
	g := x.g
	for again := true; again; {
		again = false
		for t, es := range g.threads {
			for n := c[t]; n > 0 && int(n) < len(es) && g.events[es[n]].inside; n++ {
				for u, m := range g.events[es[n]].clock {
					c[u] = max(c[u], m)
				}
				again = true
			}
		}
	}
}

// unfinished is the thread that has a block to finish, or -1. Of two such it is the one of which
// the other has read.
func (x *explorer) unfinished() int32 {
	open := func(t int) bool {
		s := &x.at(int32(t)).stop
		return s.Inside && !s.Kind.Stands()
	}
	for t := range x.threads {
		if !open(t) {
			continue
		}
		first := true
		c := x.g.events[x.g.last(int32(t))].clock
		for u := range x.threads {
			if u != t && open(u) {
				from, _ := block(x.g, &x.g.events[x.g.last(int32(u))])
				first = first && c[u] <= from
			}
		}
		if first {
			return int32(t)
		}
	}
	return -1
}

// lazily is maximal of an event inside a block.
func (x *explorer) lazily(e, a int32) bool {
	old := x.g
	before := old.events[a].clock
	source := old.events[e].rf
	g := x.remaining(func(o int32, ev *event) bool { return o <= e || o != a && before.has(ev) }, e)
	e = x.renamed[e]
	if source != none {
		source = x.renamed[source]
	}
	x.g = g
	later := source == none && g.events[e].kind == read || x.later(e, source)
	x.g = old
	x.copies.put(g)
	return !later
}

// later is whether the event e, the last of its thread, a write or a read from source, could also write at a later place
// in coherence, or read from a later write. A write that has changed an older read could not but be there.
func (x *explorer) later(e, source int32) bool {
	g := x.g
	ev := &g.events[e]
	co := len(g.co[ev.cell])
	if ev.kind == read {
		ev.rf = none
		for k := co - 1; k > int(g.events[source].place); k-- {
			g.readFrom(e, g.co[ev.cell][k])
			if x.check.holds(g, e, none) {
				return true
			}
			g.unread(e)
		}
		return false
	}
	if ev.readers != none {
		return true
	}
	place := int(ev.place)
	g.remove(e)
	for k := co - 1; k > place; k-- {
		g.insert(e, k)
		if x.check.holds(g, e, none) {
			return true
		}
		g.remove(e)
	}
	return false
}
