package trust

import "slices"

// rc11 checks RC11 (Lahav, Vafeiadis, Kang, Hur and Dreyer, "Repairing sequential
// consistency in C/C++11", 2017). Coherence is as under RA, with happens-before in the place
// of all that comes before. What is sequentially consistent has an order of its own, which
// is computed anew where a new event may have closed a cycle.
type rc11 struct {
	sequential
	graph bool // under Weakestmo2: what has justified reads does not matter, but what they read from
}

func newRC11(x *explorer) *rc11 {
	return &rc11{sequential: sequential{
		x:         x,
		happened:  func(e *event) clock { return e.views.happened },
		takesPart: func(e *event) bool { return e.class.order&seqCst != 0 },
		accesses:  true,
	}}
}

// holds is true under Weakestmo2, where the order of what is sequentially consistent is asked for
// at the end of an execution: what justifies it need not have one.
func (c *rc11) holds(g *graph, a, r int32) bool {
	return c.x.weak != nil || c.sequential.holds(g, a, r)
}

func (c *rc11) clock(n int) clock { return clock(c.x.clocks.take(n)) }

func (c *rc11) joined(a, b clock) clock {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	j := c.clock(len(a))
	copy(j, a)
	j.join(b)
	return j
}

func (c *rc11) added(g *graph, id int32) {
	e := &g.events[id]
	v := &c.x.seen.take(1)[0]
	*v = views{}
	now := c.clock(len(g.threads))
	if e.index > 0 {
		last := g.events[g.threads[e.thread][e.index-1]].views
		v.fence, v.acquired = last.fence, last.acquired
		copy(now, last.happened)
	} else {
		clear(now)
	}
	now[e.thread] = e.index + 1
	v.happened = now
	o := e.class.order
	switch e.kind {
	case read:
		if e.rf == none { // what it reads from is only promised
			break
		}
		released := c.released(g, e)
		if o&relaxed == 0 || released == nil {
			break
		}
		v.acquired = c.joined(v.acquired, released)
		if o&acquire != 0 {
			now.join(released)
		}
	case fence:
		if o&acquire != 0 && v.acquired != nil {
			now.join(v.acquired)
		}
		if o&release != 0 {
			v.fence = now
		}
	case write:
		if o&relaxed != 0 {
			v.released = c.joined(v.released, v.fence)
			if o&release != 0 {
				v.released = c.joined(v.released, now)
			}
		}
		if e.half { // the read that it belongs to may have read from a release sequence
			v.released = c.joined(v.released, c.released(g, &g.events[g.threads[e.thread][e.index-1]]))
		}
	}
	e.views = v
}

// released is what has happened before a release that the read e reads from, or from whose release sequence; nil where there is nothing. Under
// Weakestmo2 that is asked of the write that has justified the read. Another run of the thread may have done that, with a
// read-modify-write that has read something else. Of its release sequence only what is in the graph is known here: that
// is little rather than much, and the axioms are tested in the end.
func (c *rc11) released(g *graph, e *event) clock {
	if e.rf == none {
		return nil
	}
	src := &g.events[e.rf]
	w := c.x.weak
	if w == nil || !w.apart || c.graph || e.node == 0 {
		return src.views.releases()
	}
	n := w.events.nodes[e.node].justified
	if n == 0 || n == src.node || !src.half && !w.events.nodes[n].half {
		return src.views.releases()
	}
	var all clock
	if src.views != nil {
		all = src.views.fence // no fence is between a read and a promise
	}
	for w.events.nodes[n].half {
		n = w.events.nodes[w.events.nodes[n].before].justified
		if i := slices.IndexFunc(g.events, func(e event) bool { return e.kind == write && e.node == n }); i >= 0 {
			return c.joined(all, g.events[i].views.releases())
		}
	}
	return all
}

func (c *rc11) floor(g *graph, a, r int32) int {
	k := lastSeen(g, g.events[a].cell, happened(g, a), 0)
	if r != none {
		k = lastSeen(g, g.events[a].cell, happened(g, r), k)
	}
	return k
}

// happened is what happens before e because it comes before it in its thread; nil where
// there is nothing.
func happened(g *graph, e int32) clock {
	if ev := &g.events[e]; ev.index > 0 {
		return g.events[g.threads[ev.thread][ev.index-1]].views.happened
	}
	return nil
}
