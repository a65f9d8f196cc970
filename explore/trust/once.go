package trust

// atOnce checks SC, TSO and PSO where several events happen at once: a block is one in the order of all events. Graphs
// are built forwards (forward.go), so that what a new event happens at once with is what comes last, and leads on only to the writes that come
// next in coherence after what it has read and written. There is a cycle just if one of these leads to any of it. That has to be asked with
// what it reads from, and comes after in coherence, too: a write may come between two events of an older block.
type atOnce struct{ *buffered }

func (c *atOnce) holds(g *graph, a, _ int32) bool {
	e := &g.events[a]
	first, _ := block(g, e)
	c.reset(g)
	if first < e.index {
		c.all[e.thread] = e.index + 1
	} else {
		c.begin(g, e)
		c.into(g, a)
	}
	c.close(g)
	for _, id := range g.threads[e.thread][first:] {
		ev := &g.events[id]
		w := id
		switch ev.kind {
		case read:
			w = ev.rf
		case write:
		default:
			continue
		}
		for _, next := range g.co[ev.cell][g.events[w].place+1:] {
			if o := &g.events[next]; o.thread != e.thread || o.index < first {
				if c.has(o, next) {
					return false
				}
				break
			} // else it is of the block, and what comes after it is looked at from there
		}
	}
	return true
}
