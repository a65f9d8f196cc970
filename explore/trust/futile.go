package trust

import "github.com/fencepost-verifier/fencepost/explore/threads"

// futile is true where the read e of a read-modify-write, which reads from the same write as another, can come to
// nothing: the write that follows has no place in coherence, and an older read that is changed to read from it must
// make the other go. None does where something stays in the way that is not maximal, or where the other is before e. So
// what would be tried in vain when the write is added is not begun.
func (x *explorer) futile(e int32) bool {
	g := x.g
	ev := &g.events[e]
	if stop := &ev.after.stop; stop.Kind != threads.Store || !stop.Half || x.weak != nil || x.blocks || x.torn || x.rules != 0 || !g.taken(ev.rf) {
		return false
	}
	w := &g.events[g.co[ev.cell][g.events[ev.rf].place+1]]
	futile := ev.clock.has(w)
	for o := e - 1; o >= g.threads[w.thread][w.pair] && !futile && !x.halted(); o-- {
		x.pieced(1 + len(g.events)>>10)
		futile = !ev.clock.has(&g.events[o]) && !x.maximal(o, e)
	}
	if futile {
		x.drop()
	}
	return futile
}

// taker is the write of the other read-modify-write that reads from what that of the new write a has read from, or none: as
// long as it stays, a has no place.
func (x *explorer) taker(a int32) int32 {
	g := x.g
	ev := &g.events[a]
	if !ev.half || x.weak != nil || x.blocks || x.torn || x.rules != 0 {
		return none
	}
	if rf := g.events[g.threads[ev.thread][ev.pair]].rf; g.taken(rf) {
		if w := g.co[ev.cell][g.events[rf].place+1]; w != a {
			return w
		}
	}
	return none
}
