package memory

import (
	"slices"
	"sync"

	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
)

// causal is what is found out once of a definition.
type causal struct {
	once                   sync.Once
	ownFuture, ordersReads bool
	keepsBlocks            bool

	exclusion sync.Once
	excludes  bool
}

// RefutesOwnFuture is true of a model under which no read can read from a later write of
// its own thread, whatever else the two have to do with each other.
func (d *Definition) RefutesOwnFuture() bool {
	d.causal.once.Do(d.findCausal)
	return d.causal.ownFuture
}

// Excludes is true of a model that keeps read-modify-writes in one block whole, and coherence
// orders such as program order has them, whatever else there is: no write comes between the two
// halves of a read-modify-write, none comes in coherence order before an earlier one of its
// thread, and no read is from a write before that of its own thread.
func (d *Definition) Excludes() bool {
	d.causal.exclusion.Do(func() {
		if d.Model.Operational() {
			d.causal.excludes = true
			return
		}
		var whole, ordered, recent bool
		for _, a := range d.Cat.Axioms {
			if a.Flag || a.Negated || !a.Monotone() {
				continue
			}
			whole = whole || d.tears(a)
			ordered, recent = ordered || d.turns(a), recent || d.forgets(a)
		}
		d.causal.excludes = whole && ordered && recent
	})
	return d.causal.excludes
}

// tears is whether a monotone axiom does without a graph of nothing but a read-modify-write and
// a write of another thread between its halves; turns whether it does without two writes of a
// thread in the other order, and forgets without a read from before a write of its thread. What
// is added to these graphs changes nothing about that, as the axiom is monotone.
func (d *Definition) tears(a *cat.Axiom) bool {
	for _, from := range []int{InitialThread, 2} {
		g := &Graph{}
		source := g.Add(Event{Thread: from, Kind: Write})
		other := g.Add(Event{Thread: 1, Kind: Write, Value: 1})
		r := g.Add(Event{Kind: Read, Block: 1})
		w := g.Add(Event{Kind: Write, Value: 1, Block: 1})
		g.RF.Add(source, r)
		g.RMW.Add(r, w)
		g.Order(source, other, w)
		if !d.violates(a, g) {
			return false
		}
	}
	return true
}

func (d *Definition) turns(a *cat.Axiom) bool {
	g := &Graph{}
	init := g.Add(Event{Thread: InitialThread, Kind: Write})
	first := g.Add(Event{Kind: Write, Value: 1})
	second := g.Add(Event{Kind: Write, Value: 2})
	g.Order(init, second, first)
	return d.violates(a, g)
}

func (d *Definition) forgets(a *cat.Axiom) bool {
	for _, from := range []int{InitialThread, 1} {
		g := &Graph{}
		source := g.Add(Event{Thread: from, Kind: Write})
		w := g.Add(Event{Kind: Write, Value: 1})
		r := g.Add(Event{Kind: Read})
		g.RF.Add(source, r)
		g.Order(source, w)
		if !d.violates(a, g) {
			return false
		}
	}
	return true
}

// violates is whether the graph does, and the axiom does not ask for the tags of accesses.
func (d *Definition) violates(a *cat.Axiom, g *Graph) bool {
	for _, t := range cat.For(d.Arch).AccessTags() {
		if a.Mentions(t) {
			return false
		}
	}
	no := false
	d.judged(g, func(j *judge) { no = !j.satisfies(a) })
	return no
}

// OrdersReads is true of a model that can be seen to keep program order and reads-from
// together acyclic: nothing is seen before what comes before it, there is no load
// buffering. Then an execution has a first event that is not in a part of it, and what
// comes before that event is an execution, too, if the model is monotone.
func (d *Definition) OrdersReads() bool {
	d.causal.once.Do(d.findCausal)
	return d.causal.ordersReads
}

// KeepsBlocks is true of a model that can be seen to keep program order and reads-from
// together acyclic where all events of a block count as one: what a block has read was there before
// anything that the block writes, be it earlier in the block.
func (d *Definition) KeepsBlocks() bool {
	d.causal.once.Do(d.findCausal)
	return d.causal.keepsBlocks
}

// findCausal looks for an axiom, acyclic r, with a monotone r that leads from every read
// that reads from another thread on to every later write of its thread, and to that read
// from the write that it reads from: such an r has a cycle where program order and
// reads-from have one. What is in a block may count as one event, so that r need only
// lead past it. As r is monotone, it is enough to look at the three events alone, with
// all that they can have to do with each other.
func (d *Definition) findCausal() {
	c := &d.causal
	c.ownFuture = true
	if d.Model.Operational() { // it is known
		c.ordersReads, c.keepsBlocks = true, true
		return
	}
	// An axiom that speaks of more tags of accesses than this has too many cases.
	tag := ""
	if d.Arch == program.X86 {
		tag = program.TagLocked
	}
	var axioms []*cat.Axiom
	for _, a := range d.Cat.Axioms {
		speaks := func(t string) bool { return t != tag && a.Mentions(t) }
		if a.Monotone() && !slices.ContainsFunc(cat.For(d.Arch).AccessTags(), speaks) {
			axioms = append(axioms, a)
		}
	}
	eachRead(tag, func(g *Graph, source, r, w int) bool {
		if g.Events[r].Addr == g.Events[w].Addr {
			g.RF.Remove(source, r)
			g.RF.Add(w, r)
			d.judged(g, func(j *judge) {
				c.ownFuture = slices.ContainsFunc(axioms, func(a *cat.Axiom) bool { return !j.satisfies(a) })
			})
		}
		return c.ownFuture
	})
	if !c.ownFuture {
		return
	}
	for _, a := range axioms {
		if a.Test != cat.Acyclic {
			continue
		}
		all := true
		eachRead(tag, func(g *Graph, source, r, w int) bool {
			d.judged(g, func(j *judge) {
				rel := j.interpreter().Relation(a.Term)
				all = rel.Has(source, r) && rel.Has(r, w)
				if b := g.Events[r].Block; b != 0 && b == g.Events[w].Block {
					all = all || rel.Has(source, w)
				}
			})
			return all
		})
		c.ordersReads = c.ordersReads || all
		if !all {
			continue
		}
		// A way through a block leads from where its read reads from to each of its writes: then
		// ways through blocks and threads are a cycle of this axiom where they are one.
		eachBlock(tag, func(g *Graph, source, w int) bool {
			d.judged(g, func(j *judge) { all = j.interpreter().Relation(a.Term).Has(source, w) })
			return all
		})
		c.keepsBlocks = c.keepsBlocks || all
	}
}

// eachBlock calls f for all graphs of a write, and a write and a later read from the first one in a block of
// another thread, which bear the tag or not, as long as f returns true.
func eachBlock(tag string, f func(g *Graph, source, w int) bool) {
	g := &Graph{}
	x := g.Add(Event{Thread: InitialThread, Kind: Write})
	y := g.Add(Event{Thread: InitialThread, Kind: Write, Addr: 1})
	source := g.Add(Event{Thread: 1, Kind: Write, Value: 1})
	w := g.Add(Event{Kind: Write, Value: 1, Block: 1})
	r := g.Add(Event{Kind: Read, Value: 1, Block: 1})
	var tags [2]program.Tags
	if tag != "" {
		tags[1] = program.NewTags(tag)
	}
	for how := range 1 << 4 {
		bit := func(n int) int { return how >> n & 1 }
		g.Events[source].Tags, g.Events[w].Tags, g.Events[r].Tags = tags[bit(0)], tags[bit(1)], tags[bit(2)]
		if g.Events[source].Block = 3 * bit(3); bit(0) > bit(3) {
			continue // only what is in a block bears the tag
		}
		for where := range 3 { // another location, or one of the two places in coherence
			clear(g.RF.bits)
			clear(g.CO.bits)
			g.RF.Add(source, r)
			g.place(w, source, x, y, where)
			if !f(g, source, w) {
				return
			}
		}
	}
}

// place puts the write w, by the number where, at the location 1, which y is the first write to, or behind or before source at
// the location 0 of x, and orders the writes.
func (g *Graph) place(w, source, x, y, where int) {
	g.Events[w].Addr = 0
	switch where {
	case 0:
		g.Events[w].Addr = 1
		g.Order(x, source)
		g.Order(y, w)
	case 1:
		g.Order(x, source, w)
	case 2:
		g.Order(x, w, source)
	}
}

// eachRead calls f for all graphs of a write, a read of another thread that reads from it,
// and a later write of that thread, which bear the tag or not, as long as f returns true.
// f may change the relations of its graph.
func eachRead(tag string, f func(g *Graph, source, r, w int) bool) {
	g := &Graph{}
	x := g.Add(Event{Thread: InitialThread, Kind: Write})
	y := g.Add(Event{Thread: InitialThread, Kind: Write, Addr: 1})
	source := g.Add(Event{Thread: 1, Kind: Write, Value: 1})
	r := g.Add(Event{Kind: Read, Value: 1})
	w := g.Add(Event{Kind: Write, Value: 1})
	var tags [2]program.Tags
	if tag != "" {
		tags[1] = program.NewTags(tag)
	}
	for how := range 1 << 7 {
		bit := func(n int) int { return how >> n & 1 }
		for _, blocks := range [][3]int{
			{0, 0, 0}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}, {0, 1, 2},
			{3, 0, 0}, {3, 0, 1}, {3, 1, 0}, {3, 1, 1}, {3, 1, 2},
		} {
			// Only what is in a block bears the tag, and only in one block there are
			// read-modify-writes, unless accesses can be exclusive.
			if blocks[0] < bit(0) || blocks[1] < bit(1) || blocks[2] < bit(2) || bit(3) != 0 && blocks[1]*blocks[2] != 1 && (tag != "" || blocks[1]+blocks[2] != 0) {
				continue
			}
			for k, e := range []int{source, r, w} {
				g.Events[e].Block, g.Events[e].Tags = blocks[k], tags[bit(k)]
			}
			for where := range 3 { // another location, or one of the two places in coherence
				for _, rel := range []Relation{g.RF, g.CO, g.RMW, g.Addr, g.Data, g.Ctrl} {
					clear(rel.bits)
				}
				g.RF.Add(source, r)
				g.place(w, source, x, y, where)
				for n, rel := range []Relation{g.RMW, g.Addr, g.Data, g.Ctrl} {
					if bit(3+n) != 0 && (n > 0 || where > 0) {
						rel.Add(r, w)
					}
				}
				if !f(g, source, r, w) {
					return
				}
			}
		}
	}
}
