package trust

import "github.com/fencepost-verifier/fencepost/explore/threads"

// Where accesses happen at once, what a read could read from when it was added may not fit any more what happens at
// once with it, once the read is changed; and of two sections one of which has begun it is not decided which comes
// first. So such programs are explored without changing older reads: every read is added when what it reads from is
// there, and threads go on in any order in which that is so.
//
// Of the orders in which one graph can be built, one is taken: that in which, at every step, it is the first thread that goes on of
// those that can, as far as that graph goes (the lexicographic normal form of traces; Anisimov and Knuth,
// "Inhomogeneous sorting", 1979). A step is all that happens at once. It is the normal form if and only if no
// step could come before one of a later thread. So each graph is built once, without a table; every part of that order is
// the normal form of a part of the graph. What is in vain are graphs in which a thread was passed over, and nothing
// comes that it could wait for.

// joined is true of an event that is part of the step of the one before it in its thread.
func joined(ev *event) bool { return ev.inside || ev.half && ev.kind == write }

// amid is the thread that has begun with a step that goes on, or none.
func (x *explorer) amid() int32 {
	for t := range x.threads {
		if x.at(int32(t)).amid() {
			return int32(t)
		}
	}
	return none
}

// amid is whether a thread that stands there has begun with a step that goes on.
func (p *point) amid() bool {
	s := &p.stop
	return !s.Kind.Stands() && (s.Inside || s.Kind == threads.Store && s.Half)
}

// spread visits what comes of the next step of each thread that can go on. t is one of them, and the only one where it is amid a step.
func (x *explorer) spread(t int32) {
	if x.at(t).amid() {
		x.extend(t)
		return
	}
	for u := int32(0); int(u) < len(x.threads) && !x.halted(); u++ {
		p := x.at(u)
		if p.stop.Kind.Stands() || p.late && len(x.g.co[p.stop.Cell]) == 1 {
			continue
		}
		x.extend(u)
		if !x.awaits(u, &p.stop) {
			return
		}
	}
}

// awaits is whether thread u, which stands at stop, may yet read what is not there: else it is its turn.
func (x *explorer) awaits(u int32, stop *threads.Stop) bool {
	switch {
	case stop.Block || stop.Kind == threads.Lock || x.wide && stop.Kind == threads.Load:
		return true
	case stop.Kind != threads.Load:
		return false
	}
	for t, ws := range x.writes {
		if int32(t) != u && ws[stop.Cell] && !x.at(int32(t)).stop.Kind.Stands() {
			return true
		}
	}
	return false
}

// normal is whether the graph, to which the last event was added, is built in the order that is taken.
func (x *explorer) normal() bool {
	g := x.g
	last := &g.events[len(g.events)-1]
	if last.after.amid() {
		return true // it will be seen when all of the step is there
	}
	es := g.threads[last.thread]
	i := len(es) - 1
	for i > 0 && joined(&g.events[es[i]]) {
		i--
	}
	return x.inOrder(last.thread, es[:i], es[i:])
}

// inOrder is whether the step of thread t, which has done what was before, could not come before one of a later thread.
func (x *explorer) inOrder(t int32, before, step []int32) bool {
	g := x.g
	needs, first := int32(len(g.co)-1), int32(len(g.events))
	if len(step) > 0 {
		first = step[0]
	}
	if len(before) > 0 {
		needs = before[len(before)-1]
	}
	for _, e := range step {
		if rf := g.events[e].rf; rf != none && rf < first {
			needs = max(needs, rf)
		}
	}
	// The step of which something is needed is needed as a whole.
	for e := needs + 1; e < first && (joined(&g.events[e]) && g.events[e].thread == g.events[needs].thread); e++ {
		needs = e
	}
	for e := needs + 1; e < first; e++ {
		if g.events[e].thread > t {
			return false
		}
	}
	return true
}
