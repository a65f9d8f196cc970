package trust

// Blocks are events that happen at once: the accesses of an atomic block, and all that a
// thread does from when it takes the lock until it gives it back. They are added one by one, and nothing
// else in between (forward.go), and models see to it that nothing comes between them.

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
