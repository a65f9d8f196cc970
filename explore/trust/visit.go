package trust

import (
	"fmt"
	"math"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/program"
)

// tour explores all that the graph can grow into, and what comes of that by load buffering.
func (x *explorer) tour() {
	x.visit()
	if x.weak != nil {
		x.weak.rest()
	}
}

// visit explores all that the graph can grow into (Kokologiannakis, Marmanis, Gladstein
// and Vafeiadis, "Truly stateless, optimal dynamic partial order reduction", POPL 2022).
func (x *explorer) visit() {
	if !x.tree.guided {
		x.visits++
	}
	if x.work(len(x.g.events)); x.halted() {
		return
	}
	t := none
	if !x.ending {
		t = x.next()
	}
	x.ending = false
	if t >= 0 || t == waiting {
		x.split(t)
		return
	}
	if t == midway {
		x.midway = true
	} else {
		x.leaf()
	}
	if w := x.tree.weight; w >= leastWeight {
		x.crew.Done(w)
	}
}

// expand visits what comes of the next event of thread t, or, where graphs are built forwards, of that of those after it, too.
func (x *explorer) expand(t int32) {
	if t == waiting {
		x.standing()
	} else if x.blocks && x.at(t).stop.Kind != threads.Failed {
		x.spread(t)
	} else {
		x.extend(t)
	}
}

// extend visits what comes of the next event of thread t.
func (x *explorer) extend(t int32) {
	events, points, regs, clocks, seen := len(x.g.events), x.points.at, x.regs.at, x.clocks.at, x.seen.at
	stop := &x.at(t).stop
	if (stop.Kind == threads.Load || stop.Kind == threads.Store) && stop.Cell < 0 {
		x.err = fmt.Errorf("internal error: thread %s accesses an address that the analysis ruled out: %s", x.p.Threads[t].Name, stop.Cmd.Format(x.p, x.p.Threads[t]))
		return
	}
	if x.locks(t, stop) {
		x.lock(t, stop)
		return
	}
	switch stop.Kind {
	case threads.Failed:
		x.failed(t)
	case threads.Load:
		x.read(t, stop)
	case threads.Store:
		x.write(t, stop)
	case threads.Fence, threads.Lock, threads.Unlock:
		e := x.add(t, fence, stop)
		x.settle(e)
		x.check.added(x.g, e)
		if x.check.holds(x.g, e, none) {
			x.child()
		} else {
			x.wasted(true)
		}
		x.g.drop()
	case threads.Choice:
		// The children are the ways, of which there may be very many.
		first, last, usual := int64(0), stop.Ways, x.usual(t, stop)
		switch n := &x.tree; {
		case x.blocks && !stop.Inside && !x.inOrder(t, x.g.threads[t], nil):
			last = 0
		case n.only == nobody:
			n.next, last = n.next+int32(min(stop.Ways, math.MaxInt32-int64(n.next))), 0
		case n.only != every:
			first = max(0, int64(n.only-n.next))
			n.next += int32(min(first, stop.Ways))
			last = min(first+1, stop.Ways)
		}
		for way := first; way < last; way++ {
			e := x.add(t, choice, stop)
			ev := &x.g.events[e]
			ev.value, ev.ways, ev.usual = way, stop.Ways, usual
			x.settle(e)
			x.check.added(x.g, e)
			x.child()
			x.g.drop()
			if x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen; x.halted() {
				break
			}
		}
	default:
		x.err = fmt.Errorf("internal error: a thread stops for %d", stop.Kind)
	}
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
	if !x.halted() && len(x.g.events) != events {
		panic("trust: an event is left behind")
	}
}

// wasted takes note of a graph that is not consistent. last is true where it reads from, or
// writes after, the last write in coherence.
func (x *explorer) wasted(last bool) {
	x.drop()
	if last && !x.blocks && x.inextensible == "" {
		x.inextensible = "an event can neither read from the last store to its cell nor store after it"
	}
}

// drop counts a graph that is not consistent.
func (x *explorer) drop() {
	if x.counted() {
		x.dropped++
	}
}

// read adds a read, with every write that it can read from.
func (x *explorer) read(t int32, stop *threads.Stop) {
	g := x.g
	e := x.add(t, read, stop)
	if x.opts.AnyCoherence {
		x.readAny(e)
		return
	}
	cell := g.events[e].cell
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	floor, first := 0, 0
	if g.events[e].after.late { // as its thread stands before it
		first = 1
	}
	n := len(g.co[cell])
	for k := n - 1; k >= max(floor, first) && !x.halted(); k-- {
		if k == n-2 {
			if floor = x.check.floor(g, e, none); floor > k {
				break
			}
		}
		x.pieced(1)
		g.readFrom(e, g.co[cell][k])
		x.settle(e)
		x.check.added(g, e)
		if !x.check.holds(g, e, none) {
			x.wasted(k == n-1)
		} else if !x.sorted(e) {
			// With a later write it is.
		} else if !x.race(e) && !x.hopeless(e) && !x.futile(e) {
			x.child()
		}
		g.unread(e)
		x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
	}
	g.drop()
}

// write adds a write, at every place in coherence that there is for it, and lets reads
// that were there before read from it.
func (x *explorer) write(t int32, stop *threads.Stop) {
	g := x.g
	a := x.add(t, write, stop)
	x.settle(a)
	x.check.added(g, a)
	if x.opts.AnyCoherence {
		x.writeAny(a)
		return
	}
	if x.blocks || x.mutex != nil && x.mutex[stop.Cell] {
		x.place(a, none)
		g.drop()
		return
	}
	x.mustSucceed(a)
	before := x.visits
	x.place(a, none)
	placed := x.visits > before
	if x.rules&onlyPlaced != 0 && !placed {
		g.drop()
		return
	}
	taker := x.taker(a)
	for e := a - 1; e >= int32(len(g.co)) && !x.halted(); e-- {
		ev := &g.events[e]
		if g.events[a].clock.has(ev) {
			continue
		}
		x.pieced(1 + len(g.events)>>10)
		maximal := x.maximal(e, a)
		if ev.kind == read && ev.cell == g.events[a].cell && (maximal || x.rules&anyRead != 0) && (taker == none || e < taker) {
			x.revisit(e, a)
		}
		if !maximal {
			break // nor can an older read be changed, that this one would have to go for
		}
	}
	if x.weak != nil && placed && !x.halted() {
		x.weak.races(a)
	}
	g.drop()
}

// place puts the new write a at every place in coherence that there is for it. r, where not
// none, reads from it, and is new as well.
func (x *explorer) place(a, r int32) {
	g := x.g
	cell := g.events[a].cell
	n := len(g.co[cell])
	last, floor := n, 0
	fits := false
	half := x.tied(&g.events[a])
	if half { // right after what its read reads from
		last = g.behind(&g.events[a])
		floor = last - 1
	}
	for k := last; k > floor && !x.halted(); k-- {
		if k < n && (k == last || k == n-1) {
			floor = max(floor, x.check.floor(g, a, r))
			if floor >= k {
				if half {
					x.drop()
				}
				break
			}
		}
		if k < n && x.divides(g, a, k) {
			if half {
				x.drop()
			}
			continue
		}
		if x.rules&onlyLast != 0 && r != none && k < last {
			break
		}
		g.insert(a, k)
		if r != none {
			g.readFrom(r, a)
		}
		if !x.check.holds(g, a, r) {
			x.wasted(k == n && x.extends(a))
		} else if !x.sorted(a) || !x.sorted(r) {
			// There is a graph in which threads that are alike are in their order.
		} else if !x.race(a) && (r == none || !x.race(r) && !x.hopeless(r)) {
			if x.lb != nil && !fits {
				x.watch(a)
			}
			fits = true
			x.child()
		}
		if r != none {
			g.unread(r)
		}
		g.remove(a)
	}
}

// maximal is true of an event that is exactly what would be added where e is not there, nor
// what was added after it, but what is before a: the graph without it leads to the graph
// with it by always reading from and writing after the last write in coherence.
func (x *explorer) maximal(e, a int32) bool {
	g := x.g
	ev := &g.events[e]
	w := e
	switch ev.kind {
	case choice:
		return ev.value == ev.usual || x.rules&anyChoice != 0
	case fence:
		return true
	case read:
		if ev.ahead {
			return false
		}
		w = ev.rf
		if !x.stays(w, e, a) && x.rules&anySource == 0 {
			return false
		}
	case write:
		for r := ev.readers; r != none; r = g.events[r].next {
			if r < e && x.rules&anyReaders == 0 {
				return false // e has changed an older read that stays
			}
		}
	}
	co := g.co[ev.cell]
	for _, other := range co[g.events[w].place+1:] {
		// After a certification a is in coherence, too, but it is not there when e is added.
		if other != a && x.stays(other, e, a) && x.rules&anyPlace == 0 {
			return false
		}
	}
	return true
}

// stays is true of an event that is there when e is added.
func (x *explorer) stays(o, e, a int32) bool {
	return o <= e || x.rules&noPrefix == 0 && x.g.events[a].clock.has(&x.g.events[o])
}

// revisit makes the older read r read from the new write a. What was added after r goes,
// except for what is before a.
func (x *explorer) revisit(r, a int32) {
	if x.counted() {
		x.revisits++
	}
	old := x.g
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	before := old.events[a].clock
	g := x.remaining(func(e int32, ev *event) bool { return e <= r || e == a || before.has(ev) }, r)
	a = x.renamed[a]
	x.g = g
	ev := &g.events[r]
	ev.rf, ev.value = a, g.events[a].value
	x.settle(r)
	x.check.added(g, r)
	ev = &g.events[r]
	ev.rf = none
	visits := x.visits
	x.place(a, r)
	if x.weak != nil && x.visits > visits && !x.halted() {
		// What races with a where r does not read from it, was changed in graphs in which r cannot be
		// changed any more.
		g.readFrom(r, a)
		x.weak.races(a)
		g.unread(r)
	}
	x.g = old
	x.copies.put(g)
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
}

// remaining is a copy of the graph with those events that keep is true of, and the initial writes. The new
// numbers are left in renamed. The read but is left without what it reads from.
func (x *explorer) remaining(keep func(e int32, ev *event) bool, but int32) *graph {
	old := x.g
	g := x.copies.get(old)
	renamed := x.renamed[:0]
	for e := range old.events {
		ev := &old.events[e]
		if ev.thread != none && !keep(int32(e), ev) {
			renamed = append(renamed, none)
			continue
		}
		renamed = append(renamed, int32(len(g.events)))
		g.events = append(g.events, *ev)
	}
	x.renamed = renamed
	for e := range g.events {
		g.events[e].readers, g.events[e].next = none, none
	}
	for e := range g.events {
		ev := &g.events[e]
		if ev.thread != none {
			g.threads[ev.thread] = append(g.threads[ev.thread], int32(e))
			if int(ev.index) != len(g.threads[ev.thread])-1 {
				panic("trust: an event has lost those before it")
			}
		}
		if ev.kind == read && int32(e) != but && ev.rf != none {
			w := renamed[ev.rf]
			if w == none {
				panic("trust: a read has lost its write")
			}
			ev.rf, ev.next, g.events[w].readers = w, g.events[w].readers, int32(e)
		}
	}
	for c, ws := range old.co {
		for _, w := range ws {
			if to := renamed[w]; to != none {
				g.events[to].place = int32(len(g.co[c]))
				g.co[c] = append(g.co[c], to)
			}
		}
	}
	return g
}

// add puts the event that thread t is about to do into the graph.
func (x *explorer) add(t int32, k kind, stop *threads.Stop) int32 {
	section := stop.Block || stop.Kind == threads.Lock
	if last := x.g.last(t); last != none && stop.Inside {
		section = section || x.g.events[last].section
	}
	return x.g.add(t, event{kind: k, half: stop.Half, inside: stop.Inside, section: section, cell: stop.Cell, value: stop.Value, cmd: stop.Cmd,
		class: x.classes[classKey{stop.Cmd, stop.Atomic}], after: x.at(t)})
}

// settle finds where the thread of e stands after e, and what is before e.
func (x *explorer) settle(e int32) {
	g := x.g
	ev := &g.events[e]
	th := x.threads[ev.thread]
	from := &x.begin[ev.thread]
	c := clock(x.clocks.take(len(g.threads)))
	if ev.index > 0 {
		before := &g.events[g.threads[ev.thread][ev.index-1]]
		from = before.after
		copy(c, before.clock)
	} else {
		clear(c)
	}
	if ev.kind == read && ev.rf != none {
		if src := &g.events[ev.rf]; src.thread != none {
			c.join(src.clock)
		}
	}
	c[ev.thread] = ev.index + 1
	ev.clock, ev.cause = c, c
	if x.alike != nil {
		x.after(ev)
	}

	p := &x.points.take(1)[0]
	p.state.Regs = x.regs.take(len(from.state.Regs))
	p.state.Copy(&from.state)
	switch ev.kind {
	case read:
		if cmd := th.Read(&p.state, &from.stop, ev.value, x.scratch); cmd != ev.cmd {
			ev.cmd, ev.class = cmd, x.classes[classKey{cmd, from.stop.Atomic}]
		}
	case choice:
		th.Choose(&p.state, ev.value)
	default:
		th.Pass(&p.state, &from.stop, x.scratch)
	}
	p.stop = th.Run(&p.state, x.scratch)
	p.late = x.late(th, p)
	ev.after = p
}

// at is where thread t stands.
func (x *explorer) at(t int32) *point {
	if e := x.g.last(t); e != none {
		return x.g.events[e].after
	}
	return &x.begin[t]
}

// late is whether a thread at p is about to read a cell that is written once, if at all, and
// goes on only once it has been: then it need not read before that. What it has begun with it goes on with at once.
func (x *explorer) late(th *threads.Thread, p *point) bool {
	if p.stop.Kind != threads.Load || !p.stop.Atomic || p.stop.Inside || p.stop.Cell < 0 || !x.once[p.stop.Cell] {
		return false
	}
	s := &x.trial
	s.Copy(&p.state)
	th.Read(s, &p.stop, x.ranges.Cells[p.stop.Cell].Init, x.scratch)
	k := th.Run(s, x.scratch).Kind
	return k == threads.Stuck && s.PC == p.state.PC
}

// midway is in the place of a thread where one stands in the middle of what happens at once. Such a graph is not followed: whatever
// else happens may have to come before what is there of that, and what does so without it is in other graphs.
const midway int32 = -2

// next is the thread that goes on, -1 where there is none, or midway. It need not be a function of the set of events and of what they are related to, as the papers ask
// for: the order in which they were added may count, too, or lots, but for workers, who have to find their way. For whoever goes on, one child at most
// leads to a graph G, and one does where this one leads to it. Let r be the oldest read that reads from something else than in G, where it is a that it reads from. What
// is before a in G is added as it is there; of the rest of G, or of what comes of r, only what is maximal goes with r when a comes.
func (x *explorer) next() int32 {
	if x.blocks {
		if t := x.amid(); t != none {
			return t
		}
	}
	first, write, stands := int32(-1), int32(-1), int32(-1)
	for t := range x.threads {
		t := int32(t)
		p := x.at(t)
		switch k := p.stop.Kind; {
		case k == threads.Failed && x.counts(p.stop.Cmd):
			return t
		case k.Stands():
			if x.blocks && p.state.Open() {
				return midway
			}
			continue
		case k == threads.Store && p.stop.Half:
			return t // nothing comes in between
		case k == threads.Store && x.exclusives && !x.blocks && x.exclusive(&p.stop):
			return t // so that it succeeds, or fails, at once
		case p.late && len(x.g.co[p.stop.Cell]) == 1:
			continue
		case x.held(t):
			continue
		case x.locks(t, &p.stop) && !x.g.free(p.stop.Cell):
			stands = waiting
			continue
		case k != threads.Load && write < 0:
			write = t
		}
		if first < 0 {
			first = t
		}
	}
	if x.opts.WritesFirst && write >= 0 {
		return write
	}
	if first < 0 {
		return stands
	}
	return first
}

// counts is whether it matters that the assertion has failed.
func (x *explorer) counts(c *program.Command) bool {
	return !x.judge.Lists() || c.Kind != program.Assertion
}

// pool keeps graphs that are of use again.
type pool []*graph

// get is an empty graph for as many threads and cells as g has.
func (p *pool) get(g *graph) *graph {
	if k := len(*p) - 1; k >= 0 {
		c := (*p)[k]
		*p = (*p)[:k]
		c.events = c.events[:0]
		for t := range c.threads {
			c.threads[t] = c.threads[t][:0]
		}
		for i := range c.co {
			c.co[i] = c.co[i][:0]
		}
		return c
	}
	return &graph{threads: make([][]int32, len(g.threads)), co: make([][]int32, len(g.co))}
}

func (p *pool) put(g *graph) { *p = append(*p, g) }
