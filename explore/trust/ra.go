package trust

// causal checks RA: what comes before an event in program order and reads-from has been
// seen there, and must not be passed over in coherence. A new event that comes last in its
// thread can be read by none, so that it is enough to look at what it has seen.
//
// Full fences are updates of a location that they share, in an order of their own.
type causal struct{ sequential }

func newCausal(x *explorer) *causal {
	return &causal{sequential{
		x:         x,
		happened:  func(e *event) clock { return e.cause },
		takesPart: func(e *event) bool { return e.class.updates },
	}}
}

func (*causal) added(*graph, int32) {}

func (*causal) floor(g *graph, a, r int32) int {
	k := lastSeen(g, g.events[a].cell, before(g, a), 0)
	if r != none {
		k = lastSeen(g, g.events[a].cell, before(g, r), k)
	}
	return k
}

// before is the clock of what is before e in its thread; nil where there is nothing.
func before(g *graph, e int32) clock {
	if ev := &g.events[e]; ev.index > 0 {
		return g.events[g.threads[ev.thread][ev.index-1]].cause
	}
	return nil
}

// lastSeen is the place of the last write to the cell that is among seen, or is read from by
// an event among seen; at least floor.
func lastSeen(g *graph, cell int32, seen clock, floor int) int {
	if seen == nil {
		return floor
	}
	co := g.co[cell]
	for k := len(co) - 1; k > floor; k-- {
		w := &g.events[co[k]]
		if seen.has(w) {
			return k
		}
		for r := w.readers; r != none; r = g.events[r].next {
			if seen.has(&g.events[r]) {
				return k
			}
		}
	}
	return floor
}
