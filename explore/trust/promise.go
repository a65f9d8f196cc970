package trust

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A link is a promise that was met on the way to a graph, and those before it.
type link struct {
	prev        *link
	issued, met int32 // of the event structure
	deep        int   // how many certifications there were
}

func (l *link) and(issued, met int32, certified bool) *link {
	n := &link{prev: l, issued: issued, met: met, deep: l.depth()}
	if certified {
		n.deep++
	}
	return n
}

func (l *link) depth() int {
	if l == nil {
		return 0
	}
	return l.deep
}

// An occasion is why a read is changed.
type occasion uint8

const (
	added      occasion = iota // a write has been added
	ended                      // promises have been kept: what was not tried while they were open is tried now
	forgetting                 // likewise, and the read is to read what its thread knows without it
)

// races lets reads read, by load buffering, from the new write a, which has been placed in a
// graph of RC11 and is not in it now.
func (w *weak) races(a int32) {
	x := w.x
	old := x.g
	reads := w.racing(old, a)
	if len(reads) == 0 {
		return
	}
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	g := x.copied(old)
	w.events.all(g)
	for _, r := range reads {
		w.revisit(g, a, r, a, added, nil)
	}
	x.g = old
	x.copies.put(g)
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
}

// racing is the reads that race with the write and may be changed: they read locally, and are
// none of read-modify-writes.
func (w *weak) racing(g *graph, wr int32) (reads []int32) {
	g.buffered(wr, func(r, _, _ int32) bool {
		switch {
		case g.events[r].half && !w.apart:
			w.part()
		case w.x.rules&anyRacy != 0 || g.readsLocally(r):
			reads = append(reads, r)
		}
		return true
	})
	return reads
}

// revisits changes reads that can be changed once the write a is there, on that occasion. fits is whether a has
// a place.
func (w *weak) revisits(g *graph, a int32, on occasion, fits bool, chain *link) {
	x := w.x
	x.g = g
	if on == added {
		w.ordinary(g, a, a, on, chain)
		if fits {
			for _, r := range w.racing(g, a) {
				w.revisit(g, a, r, a, on, chain)
			}
		}
		return
	}
	if x.rules&noMore != 0 {
		return
	}
	ev := g.events[a]
	for i := range ev.index {
		e := g.threads[ev.thread][i]
		switch o := &g.events[e]; o.kind {
		case read:
			rf := o.rf
			if !g.readsLocally(e) {
				w.others(g, rf, a, chain)
				w.forget(g, e, a, chain)
				continue
			}
			for _, wr := range slices.Concat(g.co[o.cell], []int32{a}) {
				if wr != rf && g.events[wr].cell == g.events[e].cell {
					w.revisit(g, wr, e, a, on, chain)
				}
			}
		case write:
			w.ordinary(g, e, a, on, chain)
			for _, r := range w.racing(g, e) {
				w.revisit(g, e, r, a, on, chain)
			}
		}
	}
}

// others changes reads of other threads that race with the write wr, which the thread that has certified a reads
// from now: it may close a cycle for each of them, and each wants to be certified by itself.
func (w *weak) others(g *graph, wr, a int32, chain *link) {
	if wr == none || w.x.rules&noOthers != 0 {
		return
	}
	for _, r := range w.racing(g, wr) {
		if g.events[r].thread != g.events[a].thread {
			w.revisit(g, wr, r, a, ended, chain)
		}
	}
}

// ordinary changes reads to read from the write wr as TruSt does.
func (w *weak) ordinary(g *graph, wr, a int32, on occasion, chain *link) {
	x := w.x
	for e := int32(len(g.events)) - 1; e >= int32(len(g.co)) && !x.halted(); e-- {
		ev := &g.events[e]
		if e == wr || g.events[wr].clock.has(ev) {
			continue
		}
		// Of a certified write it is not known yet where it is in coherence.
		maximal := !(on != added && (e == a || ev.kind == read && ev.rf == a)) && x.maximal(e, wr)
		if ev.kind == read && ev.cell == g.events[wr].cell && maximal {
			w.revisit(g, wr, e, a, on, chain)
		}
		if !maximal {
			break
		}
	}
}

// revisit makes the read r read from the write wr, and keeps, beside that, what was added before
// r, and what is before wr. Where the end of a certification has led to it, with the write a,
// the cycle is kept as well. Writes after r that others read from, and that what is kept comes
// of, are promised.
func (w *weak) revisit(g *graph, wr, r, a int32, on occasion, chain *link) {
	x := w.x
	x.g = g
	er := &g.events[r]
	if o := &g.events[wr]; x.halted() || o.thread == er.thread && o.index > er.index {
		return
	}
	own := g.events[wr].clock
	if own == nil { // of an initial write
		own = make(clock, len(g.threads))
	}
	before := slices.Clone(own)
	if on != added && x.rules&noCycle == 0 {
		before.join(g.events[a].clock)
		if g.readsLocally(r) {
			for _, e := range g.threads[er.thread][er.index+1:] {
				if g.events[e].kind == write && g.cyclic(e) {
					before.join(g.events[e].clock)
				}
			}
		}
	}
	with := func(before clock) func(e int32) bool {
		return func(e int32) bool {
			ev := &g.events[e]
			return (e <= r || e == wr || before.has(ev)) && (ev.thread != er.thread || ev.index <= er.index)
		}
	}
	stays := with(before)
	promised := g.promised(r, before, stays)
	if len(promised) == 0 {
		stays = with(own)
	}
	if !stays(wr) {
		return
	}
	var p *pact
	if len(promised) > 0 {
		if p = w.promise(g, r, promised, on, chain); p == nil {
			return
		}
	}
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	c, renamed, ok := x.restricted(g, r, stays, promised)
	if ok {
		x.revisits++
		if p != nil && !p.forgets {
			w.certifications++
		}
		r, to := renamed[r], renamed[wr]
		c.readFrom(r, to)
		x.g = c
		x.settle(r)
		c.events[r].node = 0
		w.events.name(c, r)
		if k := renamed[a]; k != none && !placedIn(c, k) {
			w.places(c, k, func(d *graph) { w.try(d, p, chain) })
		} else {
			w.try(c, p, chain)
		}
		x.g = g
	}
	x.copies.put(c)
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
}

// placedIn is whether a write has a place in coherence.
func placedIn(g *graph, w int32) bool {
	e := &g.events[w]
	return slices.Contains(g.co[e.cell], w)
}

// promised is the writes after r in its thread that are in before, and that another thread reads
// from in what stays.
func (g *graph) promised(r int32, before clock, stays func(e int32) bool) (writes []int32) {
	er := &g.events[r]
	for _, e := range g.threads[er.thread][er.index+1:] {
		ev := &g.events[e]
		if ev.kind != write || !before.has(ev) {
			continue
		}
		for rd := ev.readers; rd != none; rd = g.events[rd].next {
			if o := &g.events[rd]; o.thread != er.thread && stays(rd) {
				writes = append(writes, e)
				break
			}
		}
	}
	return writes
}

// promise is the pact about writes after the read r; nil where they cannot be promised: only
// relaxed writes can be, and no fence may stand between.
func (w *weak) promise(g *graph, r int32, writes []int32, on occasion, chain *link) *pact {
	er := &g.events[r]
	if er.half && !w.apart {
		w.part()
		return nil
	}
	if er.class.order != relaxed {
		return nil
	}
	if !w.reorderable(g, er.thread, er.index, g.events[writes[len(writes)-1]].index) {
		return nil
	}
	p := &pact{thread: er.thread, changed: er.index, left: len(writes), forgets: on == forgetting, as: map[placed]int32{}}
	for _, q := range writes {
		ev := &g.events[q]
		if ev.half && !w.apart {
			w.part()
			return nil
		}
		if ev.class.order != relaxed {
			return nil
		}
		pr := promise{cell: ev.cell, value: ev.value, node: ev.node, local: g.known(q), acquired: w.acquired(g, er.thread, ev.index)}
		for i, e := range g.threads[er.thread][:ev.index] {
			o := &g.events[e]
			if o.kind != read {
				continue
			}
			src, n := &g.events[o.rf], w.events.nodes[o.node].justified
			if src.thread != none && src.thread != er.thread { // its own writes it does again
				p.as[placed{src.thread, src.index}] = n
			}
			pr.reads = append(pr.reads, n)
			if int32(i) > er.index && !g.readsLocally(e) {
				pr.external = append(pr.external, n)
			}
		}
		p.promises = append(p.promises, pr)
	}
	if reads := g.reads(); on != forgetting && chain.depth() >= reads {
		w.doubt("certifications were needed one after the other, more than there are reads")
		return nil
	}
	for _, e := range g.threads[er.thread] {
		if g.events[e].kind == choice {
			p.choices = append(p.choices, event{value: g.events[e].value, ways: g.events[e].ways})
		}
	}
	return p
}

// updates finds out whether a relaxed read-modify-write races with a relaxed write, or
// another, that a path leads from to it (definition E.2 of the paper): without such races it
// is said to be proved that what has no load buffering has the executions of RC11. For those that acquire, or release,
// that is not so: in P0: cas(y, 0, 1); x := 1 and P1: r := x; xchg(y, 2), where P1 acquires and the cas releases, nothing
// races, but P0 may promise x = 1 in a run in which both read the initial y. So the same is asked where a
// write to the cell is behind a read that can part two runs, in front of a promise that the read-modify-write comes of.
func (w *weak) updates(g *graph) {
	if w.parts || w.apart {
		return
	}
	for id := len(g.co); id < len(g.events); id++ {
		e := &g.events[id]
		if e.kind != read || !e.half {
			continue
		}
		for t := range g.threads {
			if int32(t) != e.thread && g.promises(int32(t), e) {
				w.part()
				return
			}
		}
		if e.class.order != relaxed {
			continue
		}
		for o := len(g.co); o < len(g.events); o++ {
			ev := &g.events[o]
			if o != id && ev.cell == e.cell && (ev.kind == write || ev.kind == read && ev.half) && ev.class.order == relaxed &&
				ev.thread != e.thread && int32(o) != e.rf && e.clock.has(ev) && !e.views.happened.has(ev) {
				w.part()
				return
			}
		}
	}
}

// promises is whether thread t could promise, in a run that writes to the cell of e, what e comes of.
func (g *graph) promises(t int32, e *event) bool {
	parts, writes := false, false
	for _, id := range g.threads[t] {
		ev := &g.events[id]
		switch {
		case ev.kind == fence && ev.class.order&orders != 0:
			parts, writes = false, false
		case ev.kind == read:
			parts = parts || ev.class.order == relaxed
		case ev.kind == write && parts:
			writes = writes || ev.cell == e.cell
			for rd := ev.readers; writes && ev.class.order == relaxed && rd != none; rd = g.events[rd].next {
				if o := &g.events[rd]; o.thread != t && e.clock.has(o) {
					return true
				}
			}
		}
	}
	return false
}

func (g *graph) reads() int {
	n := 0
	for e := range g.events {
		n += int(program.Bool(g.events[e].kind == read))
	}
	return n
}

// known is the writes that happen before q, or are read by what does.
func (g *graph) known(q int32) (all []placed) {
	now := g.events[q].views.happened
	for e := int32(len(g.co)); e < int32(len(g.events)); e++ {
		if ev := &g.events[e]; e != q && ev.kind == write && g.local(e, none, now) {
			all = append(all, placed{ev.thread, ev.index})
		}
	}
	return all
}
