package trust

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Weakestmo2, by WMC (Moiseenko, Kokologiannakis and Vafeiadis, "Model checking on
// multi-execution memory models", OOPSLA 2022). Executions are those of RC11, and others in
// which program order and reads-from have cycles, each justified: a write on the cycle is issued
// by a run of its thread in which the read before it reads what the thread knows anyway, and the
// thread issues the same write once it reads what comes of that.
//
// So graphs are explored as under RC11. Where a write w is added that a race of load
// buffering (lbrace.go) would let an earlier read r see, r is made to read from w; what comes
// after r in its thread goes, and the writes of it that others read from are promised. Now
// that thread runs alone, and reads nothing that it did not know when it made the promise,
// until all promises are met: that certifies the cycle. What it could have read else, and who
// could have read from it, is tried after that.
//
// The algorithm is that of the paper with these corrections. The read must read locally, as
// otherwise what is found is none of the model. A pair of a read and a write that it reads from
// already is no race, and every place in coherence is tried again: executions are lost or the
// exploration has no end otherwise. For the same reason the table of certified graphs is not an
// optimisation. A promise is met by any write of the same value to the same cell, wherever it
// stands in its thread. And of the reads that can be changed, those are that TruSt would
// change. There is no proof that all executions with cycles are found; the tests compare with
// all event structures of small programs.

// weak is what the exploration has beside that under RC11.
type weak struct {
	x         *explorer
	certified map[digest]bool   // graphs at the end of a certification
	ended     map[digest]bool   // graphs with cycles that nothing is to be added to
	open      map[digest]string // those of which it is not known whether they are executions, and why
	postponed postponed
	events    structure
	unsure    string // why there may be executions that are not found
	apart     bool   // whether read-modify-writes are parted (apart.go)
	parts     bool   // whether they would have to be

	cycles, duplicates                       int64
	certifications, succeeded, failed, known int64

	visiting func(p *pact, chain *link) // for tests: is told every graph that is visited
}

func newWeak(x *explorer) *weak {
	w := &weak{x: x, certified: map[digest]bool{}, ended: map[digest]bool{}, open: map[digest]string{}}
	w.postponed.seen = map[digest]bool{}
	w.events = newStructure()
	return w
}

// A pact is what a thread has promised and not yet done.
type pact struct {
	thread   int32
	changed  int32 // the read that is changed, by its place in the thread
	promises []promise
	left     int  // how many are not met
	forgets  bool // whether the changed read was not local, and is ([weak.forgets])
	choices  []event
	// as is, by the writes that the thread has read from before its promises, what has
	// justified that.
	as map[placed]int32
}

// A promise is a write that others have read from.
type promise struct {
	met   bool
	cell  int32
	value int64
	node  int32    // that was read from
	local []placed // the writes of other threads that it may come of
	// What justifies the reads before it in its thread; and those that are after the read that
	// is changed, and read what the thread knows only by them.
	reads, external []int32
	acquired        []int32 // what acquires before it have taken from other threads
}

// placed is an event of a graph, by its place in its thread.
type placed struct{ thread, index int32 }

// meet is the pact with promise i met, if i is not negative.
func (p *pact) meet(i int) *pact {
	if i < 0 {
		return p
	}
	q := *p
	q.promises = slices.Clone(p.promises)
	q.promises[i].met = true
	q.left--
	return &q
}

// try visits the graph where it is consistent.
func (w *weak) try(g *graph, p *pact, chain *link) {
	x := w.x
	old := x.g
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	x.refresh(g)
	if x.coherent(g) {
		x.g = g
		w.visit(p, chain)
		x.g = old
	} else {
		x.dropped++
	}
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
}

// visit explores all that the graph can grow into. Where there is a pact, its thread runs alone.
func (w *weak) visit(p *pact, chain *link) {
	x := w.x
	x.visits++
	if x.work(len(x.g.events)); x.halted() {
		return
	}
	if w.visiting != nil {
		w.visiting(p, chain)
	}
	var t int32
	if p != nil {
		t = p.thread
	} else if t = x.next(); t < 0 {
		w.leaf(chain)
		return
	}
	stop := &x.at(t).stop
	switch k := stop.Kind; {
	case p != nil && k.Stands():
		w.fails(p)
		return
	case (k == threads.Load || k == threads.Store) && stop.Cell < 0:
		x.err = fmt.Errorf("internal error: thread %s accesses an address that the analysis ruled out: %s", x.p.Threads[t].Name, stop.Cmd.Format(x.p, x.p.Threads[t]))
	case k == threads.Failed:
		x.failed(t)
		if x.found != nil {
			x.found.chain = chain
		}
	case k == threads.Load:
		w.read(t, stop, p, chain)
	case k == threads.Store:
		w.write(t, stop, p, chain)
	case k == threads.Fence:
		w.extend(t, fence, stop, func(g *graph, e int32) { w.try(g, p, chain) })
	case k == threads.Choice:
		w.choose(t, stop, p, chain)
	default:
		x.err = fmt.Errorf("internal error: a thread stops for %d", k)
	}
}

// extend calls f with a copy of the graph to which the event is added that thread t is about
// to do.
func (w *weak) extend(t int32, k kind, stop *threads.Stop, f func(g *graph, e int32)) {
	x := w.x
	old := x.g
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	s := *stop
	g := x.copied(old)
	x.g = g
	e := x.add(t, k, &s)
	if k != read && k != choice {
		x.settle(e)
		w.events.name(g, e)
	}
	f(g, e)
	x.g = old
	x.copies.put(g)
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
}

// choose takes every way of a choice. Choices are what comes from outside: a run that
// certifies has those of the run that has promised.
func (w *weak) choose(t int32, stop *threads.Stop, p *pact, chain *link) {
	x := w.x
	from, to := int64(0), stop.Ways
	if p != nil {
		n := 0
		for _, e := range x.g.threads[t] {
			if x.g.events[e].kind == choice {
				n++
			}
		}
		if n < len(p.choices) {
			if p.choices[n].ways != stop.Ways {
				w.doubt("a thread takes other choices where it keeps a promise")
				w.fails(p)
				return
			}
			from, to = p.choices[n].value, p.choices[n].value+1
		}
	}
	for way := from; way < to && !x.halted(); way++ {
		w.extend(t, choice, stop, func(g *graph, e int32) {
			ev := &g.events[e]
			ev.value, ev.ways = way, stop.Ways
			x.settle(e)
			w.events.name(g, e)
			w.try(g, p, chain)
		})
	}
}

// fails takes note of a run that does not keep its promises.
func (w *weak) fails(p *pact) {
	if !p.forgets {
		w.failed++
	}
}

// doubt takes note of why there may be executions that are not found.
func (w *weak) doubt(why string) {
	if w.unsure == "" {
		w.unsure = why
	}
}

// read adds a read, with every write that it can read from; under a pact, those that the
// thread knows, or knew when it promised.
func (w *weak) read(t int32, stop *threads.Stop, p *pact, chain *link) {
	x := w.x
	g := x.g
	var now clock
	if e := g.last(t); e != none {
		now = g.events[e].views.happened
	}
	first := 0
	if x.at(t).late {
		first = 1
	}
	for k := len(g.co[stop.Cell]) - 1; k >= first && !x.halted(); k-- {
		src := g.co[stop.Cell][k]
		if p != nil && x.rules&anyCertified == 0 && !g.local(src, none, now) && !p.knew(g, src) {
			continue
		}
		w.extend(t, read, stop, func(g *graph, e int32) {
			g.readFrom(e, src)
			x.settle(e)
			w.events.name(g, e)
			if p != nil {
				w.events.rename(g, e, p.as[placed{g.events[src].thread, g.events[src].index}])
			}
			w.try(g, p, chain)
		})
	}
}

// knew is whether the write may be read while promises are kept: they may come of it.
func (p *pact) knew(g *graph, w int32) bool {
	e := &g.events[w]
	for i := range p.promises {
		if pr := &p.promises[i]; !pr.met && slices.Contains(pr.local, placed{e.thread, e.index}) {
			return true
		}
	}
	return false
}

// write adds a write at every place in coherence, be it one that was promised or not. At the
// end of a certification, and where there is none, reads are changed that may read from it.
func (w *weak) write(t int32, stop *threads.Stop, p *pact, chain *link) {
	x := w.x
	w.extend(t, write, stop, func(g *graph, a int32) {
		met := -1
		if ev := &g.events[a]; p != nil && ev.class.order == relaxed {
			// Coherence wants those of one cell in their order.
			i := slices.IndexFunc(p.promises, func(pr promise) bool { return !pr.met && pr.cell == ev.cell })
			switch {
			case i < 0 || p.promises[i].value != ev.value:
			case ev.half && !w.apart: // would it do?
				w.part()
			case w.keeps(g, a, p, &p.promises[i]):
				met = i
				c := x.copied(g)
				x.g = c
				c.deliver(a, int32(i)+1)
				w.place(c, a, p, p.meet(i), i, chain)
				x.g = g
				x.copies.put(c)
			}
		}
		if met < 0 || w.again(g, a) {
			w.place(g, a, p, p, -1, chain)
		}
	})
}

// keeps is whether the promise is kept by the write a: what the run that made it has read
// without knowing it before is read here, too, and the other way round, but for the read that
// parts the two (no-bait-and-switch).
func (w *weak) keeps(g *graph, a int32, p *pact, pr *promise) bool {
	ev := &g.events[a]
	if !w.reorderable(g, ev.thread, p.changed, ev.index) ||
		w.x.rules&unsynchronised == 0 && !slices.Equal(w.acquired(g, ev.thread, ev.index), pr.acquired) {
		return false // well-fenced
	}
	if w.x.rules&(anyCertified|baited) != 0 {
		return true
	}
	var reads []int32
	for i, e := range g.threads[ev.thread][:ev.index] {
		o := &g.events[e]
		if o.kind != read {
			continue
		}
		justified := w.events.nodes[o.node].justified
		reads = append(reads, justified)
		if int32(i) > p.changed && !g.readsLocally(e) && !slices.Contains(pr.reads, justified) {
			return false
		}
	}
	return !slices.ContainsFunc(pr.external, func(n int32) bool { return !slices.Contains(reads, n) })
}

// reorderable is whether no fence stands between events from and to of a thread.
func (w *weak) reorderable(g *graph, t, from, to int32) bool {
	return w.x.rules&unsynchronised != 0 || !slices.ContainsFunc(g.threads[t][from+1:to], func(e int32) bool {
		return g.events[e].kind == fence && g.events[e].class.order&orders != 0
	})
}

// acquired is what justifies the acquires, from other threads, before event to of a thread.
func (w *weak) acquired(g *graph, t, to int32) (all []int32) {
	for _, e := range g.threads[t][:to] {
		ev := &g.events[e]
		if ev.kind == read && ev.class.order&acquire != 0 && ev.rf != none && g.events[ev.rf].thread != none && g.events[ev.rf].thread != t {
			all = append(all, w.events.nodes[ev.node].justified)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// again is whether the thread of the write a may write to that cell once more.
func (w *weak) again(g *graph, a int32) bool {
	ev := &g.events[a]
	return !w.x.onceIn[ev.thread][ev.cell]
}

// deliver lets the reads that are owed promise n read from a.
func (g *graph) deliver(a, n int32) {
	for e := range g.events {
		ev := &g.events[e]
		if ev.kind == read && ev.owed == n {
			ev.owed, ev.rf = 0, a
			ev.next, g.events[a].readers = g.events[a].readers, int32(e)
		}
	}
}

// place puts the new write a at every place, and changes reads. before and after are what is
// promised without it and with it, which meets promise n.
func (w *weak) place(g *graph, a int32, before, after *pact, n int, chain *link) {
	x := w.x
	if after != nil && after.left == 0 {
		after = nil
	}
	on := added
	if before != nil && after == nil {
		on = ended
		if before.forgets {
			on = forgetting
		}
	}
	if n >= 0 {
		chain = chain.and(before.promises[n].node, g.events[a].node, on == ended)
	}
	fits, fresh := false, false
	w.places(g, a, func(c *graph) {
		points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
		x.refresh(c)
		switch {
		case !x.coherent(c):
			x.dropped++
		case on == forgetting:
			fits = true
			fresh = w.postponed.novel(w, c, chain) || fresh
		case on == ended && !w.novel(c, w.x.opts.Again):
			fits = true
			w.succeeded++
			w.known++
		default:
			fits, fresh = true, true
			if on == ended {
				w.succeeded++
			}
			x.g = c
			w.visit(after, chain)
			x.g = g
		}
		x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
	})
	switch {
	case after != nil:
	case on == ended && !fits:
		w.fails(before)
	case on != added && !fresh, x.halted():
	case on == forgetting:
		w.postponed.later(g, a, chain)
	default:
		x.refresh(g)
		w.revisits(g, a, on, fits, chain)
	}
}

// places calls f with copies of g in which a, which has no place in coherence, has one.
func (w *weak) places(g *graph, a int32, f func(c *graph)) {
	x := w.x
	cell := g.events[a].cell
	last, floor := len(g.co[cell]), 0
	if ev := &g.events[a]; ev.half && !w.apart {
		rf := g.events[g.threads[ev.thread][ev.index-1]].rf
		if rf == none { // it is not known yet where that is
			w.part()
			return
		}
		last = int(g.events[rf].place) + 1
		floor = last - 1
	}
	for k := last; k > floor && !x.halted(); k-- {
		if x.rules&lastPlace != 0 && k < last {
			break
		}
		c := x.copied(g)
		c.insert(a, k)
		f(c)
		x.copies.put(c)
	}
}

// A digest stands for a graph.
type digest [16]byte

// digest is different for different graphs, whatever the order in which they were built; for
// the parts of them that has is true of, if it is not nil.
func (g *graph) digest(has func(e *event) bool) digest {
	var b []byte
	id := func(e int32) { // of initial writes, the cell says which
		b = binary.AppendVarint(b, int64(g.events[e].thread))
		b = binary.AppendVarint(b, int64(g.events[e].index))
	}
	for _, es := range g.threads {
		for _, e := range es {
			ev := &g.events[e]
			if has != nil && !has(ev) {
				break
			}
			b = append(b, byte(ev.kind))
			b = binary.AppendVarint(b, int64(ev.cell))
			b = binary.AppendVarint(b, ev.value)
			if ev.rf != none {
				id(ev.rf)
			}
		}
		b = append(b, 0xff)
	}
	for _, ws := range g.co {
		for _, w := range ws[1:] {
			if has == nil || has(&g.events[w]) {
				id(w)
			}
		}
		b = append(b, 0xff)
	}
	h := sha256.Sum256(b)
	return digest(h[:16])
}

// novel is whether no certification has ended with that graph before.
func (w *weak) novel(g *graph, again bool) bool {
	d := g.digest(nil)
	if w.x.rules&byCycle != 0 {
		cycle := make(clock, len(g.threads))
		for e := range g.events {
			if g.cyclic(int32(e)) {
				cycle.join(g.events[e].clock)
			}
		}
		d = g.digest(cycle.has)
	}
	old := w.certified[d]
	w.certified[d] = true
	return !old || again
}

// leaf judges a graph to which nothing is to be added. Those without cycles are those of RC11,
// which are explored in any case.
func (w *weak) leaf(chain *link) {
	x := w.x
	if !x.g.hasCycle() {
		w.duplicates++
		return
	}
	d := x.g.digest(nil)
	if w.ended[d] {
		w.duplicates++
		return
	}
	if why := w.events.justify(x.g, chain); why != "" && x.rules == 0 {
		w.open[d] = why
		return
	}
	w.ended[d] = true
	delete(w.open, d)
	n := x.executions
	w.plainly(x.g)
	x.leaf()
	w.cycles += x.executions - n
	if x.found != nil {
		x.found.chain = chain
	}
}

// plainly is whether a graph is coherent whatever has justified its reads. What happens before what is
// known by that from then on.
func (w *weak) plainly(g *graph) bool {
	c := w.x.check.(*rc11)
	c.graph = true
	w.x.refresh(g)
	c.graph = false
	return w.x.coherent(g)
}

// orderly is whether what is sequentially consistent has an order in a graph, and read-modify-writes are atomic. It is asked
// for at the end: graphs that justify others need not have that.
func (w *weak) orderly(g *graph) bool {
	if w.apart && !g.atomic() {
		return false
	}
	c := &w.x.check.(*rc11).sequential
	c.order = c.order[:0]
	for id := len(g.co); id < len(g.events); id++ {
		if c.takesPart(&g.events[id]) {
			c.order = append(c.order, int32(id))
		}
	}
	return len(c.order) < 2 || c.acyclic(g)
}

// safe is the answer where nothing was found.
func (w *weak) safe() *verdict.Result {
	x := w.x
	switch {
	case w.unsure != "":
		return verdict.Unknown(x.p, x.opts.Model, "no violation; there may be executions that were not found: "+w.unsure)
	case len(x.lb.pairs) == 0:
		r := verdict.Safe(x.p, x.opts.Model, verdict.Exhaustive, nil)
		r.Notes = []string{"there is no race of load buffering, so that the executions are those under rc11"}
		return r
	}
	r := verdict.Safe(x.p, x.opts.Model, verdict.Certified, nil)
	r.Notes = []string{"that all executions with cycles are found rests on tests (docs/weakestmo2.md), not on a theorem"}
	return r
}

func (w *weak) stats() []verdict.Stat {
	return []verdict.Stat{{Name: "cyclic", Value: w.cycles}, {Name: "duplicates", Value: w.duplicates}, {Name: "certifications", Value: w.certifications},
		{Name: "certified", Value: w.succeeded}, {Name: "failed", Value: w.failed}, {Name: "known", Value: w.known}}
}

// bytes is about what the tables hold.
func (w *weak) bytes() int64 {
	const perDigest, perNode = 40, 120
	if w == nil {
		return 0
	}
	return int64(len(w.certified)+len(w.ended)+len(w.open)+len(w.postponed.seen))*perDigest + w.postponed.bytes() + int64(len(w.events.nodes))*perNode
}

// convict is the answer that a graph with a cycle is the evidence for, with what justifies it.
func (w *weak) convict(f *found) *verdict.Result {
	x := w.x
	if why := w.events.justify(f.graph, f.chain); why != "" {
		r := verdict.Unknown(x.p, x.opts.Model, fmt.Sprintf("a violation was found (%s), but no justification for its execution: the axiom %s does not hold", f.violation.Text, why))
		return r
	}
	e := x.execution(f)
	e.Certificates = w.certificates(f.chain)
	return verdict.ConvictExecution(e)
}
