package trust

import (
	"maps"
	"slices"
)

// The run that keeps promises may part from one that has kept them before at a read that neither
// the cycle nor what it knows comes of. So where promises have been kept, such a read is made to read
// what its thread knows without it, and they are kept once more: the thread forgets what it has read. That leads to
// what is met otherwise, too, by fewer runs, which are easier to justify. So all else is explored first, as if there
// was nothing to forget, and of what has been forgotten only what that has not led to.

// postponed is what is left to explore of that.
type postponed struct {
	seen map[digest]bool // graphs at the end of such a certification
	left []certification
	held int64 // events of left
}

// A certification is a graph in which all promises are kept, the last by the write a, which has
// no place in coherence yet.
type certification struct {
	graph *graph
	a     int32
	chain *link
}

// novel is whether no certification has ended with c, in which the write has a place, and an event
// structure justifies it: what two runs write may have a place in each of them, but none in both.
func (f *postponed) novel(w *weak, c *graph, chain *link) bool {
	d := c.digest(nil)
	if w.certified[d] || f.seen[d] || w.events.justify(c, chain) != "" {
		return false
	}
	f.seen[d] = true
	return true
}

// later takes note of a certification. Where threads stand in it is found out again.
func (f *postponed) later(g *graph, a int32, chain *link) {
	c := g.clone()
	for e := range c.events {
		if ev := &c.events[e]; ev.thread != none {
			ev.clock, ev.cause, ev.views, ev.after = nil, nil, nil, nil
		}
	}
	f.left = append(f.left, certification{c, a, chain})
	f.held += int64(len(c.events))
}

func (f *postponed) bytes() int64 {
	const perEvent = 200
	return f.held * perEvent
}

// forget makes the read e, which reads what its thread knows only by it and does not come of e, read what the thread
// knows without it, where a cycle by what comes after e stays.
func (w *weak) forget(g *graph, e, a int32, chain *link) {
	ev := &g.events[e]
	th := g.threads[ev.thread]
	if w.x.rules&noForgets != 0 || w.x.opts.Again || ev.rf == none || g.events[ev.rf].clock.has(ev) || !slices.ContainsFunc(th[ev.index+1:], g.cyclic) {
		return
	}
	var now clock
	if ev.index > 0 {
		now = g.events[th[ev.index-1]].views.happened
	}
	for _, wr := range slices.Clone(g.co[ev.cell]) {
		if wr != ev.rf && g.local(wr, e, now) {
			w.revisit(g, wr, e, a, forgetting, chain)
		}
	}
}

// rest explores what has been forgotten.
func (w *weak) rest() {
	x := w.x
	old := x.g
	for len(w.postponed.left) > 0 && !x.halted() {
		f := w.postponed.left[0]
		w.postponed.left = w.postponed.left[1:]
		w.postponed.held -= int64(len(f.graph.events))
		points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
		x.g = f.graph
		for _, es := range f.graph.threads {
			for _, e := range es {
				x.settle(e)
			}
		}
		w.remember(f)
		x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
	}
	x.g = old
	if len(w.open) > 0 && !x.halted() {
		w.doubt("an execution with a cycle was met, and no event structure was found that justifies it: " + slices.Min(slices.Collect(maps.Values(w.open))))
	}
}

// remember explores what comes of one certification, unless that is known by now.
func (w *weak) remember(f certification) {
	x := w.x
	g := f.graph
	fresh := false
	w.places(g, f.a, func(c *graph) {
		points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
		x.refresh(c)
		if x.coherent(c) && w.events.justify(c, f.chain) == "" && w.novel(c, false) {
			fresh = true
			x.g = c
			w.visit(nil, f.chain)
			x.g = g
		}
		x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
	})
	if fresh && !x.halted() {
		x.refresh(g)
		w.revisits(g, f.a, ended, true, f.chain)
	}
}
