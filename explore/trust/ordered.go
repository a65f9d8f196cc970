package trust

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// apartFrom is false where some access to a sum is not apart from the additions in the graph: a read that does not come after all, or a store
// that does not come before.
func (x *explorer) apartFrom() bool {
	if x.sums == nil {
		return true
	}
	for _, s := range x.sums.all {
		if !x.separate(s) {
			x.err = &ordered{s}
			return false
		}
	}
	return true
}

func (x *explorer) separate(s *sum) bool {
	g := x.g
	each := func(cells []int32, f func(e *event) bool) bool {
		for _, c := range cells {
			for _, w := range g.co[c] {
				if !f(&g.events[w]) {
					return false
				}
			}
		}
		return true
	}
	first := s.indices[:1]
	return each(first, func(w *event) bool {
		if w.thread != none && !w.half {
			// A store comes before all additions.
			if !each(s.indices, func(a *event) bool { return a.thread == none || !a.half || x.ahead(a).has(w) }) {
				return false
			}
		}
		for r := w.readers; r != none; r = g.events[r].next {
			ev := &g.events[r]
			if ev.half {
				continue
			}
			// A read comes after all, by what comes before it in its thread.
			var seen clock
			if ev.index > 0 {
				seen = x.ahead(&g.events[g.threads[ev.thread][ev.index-1]])
			}
			if !each(s.indices, func(a *event) bool { return a.thread == none || !a.half || seen != nil && seen.has(a) }) {
				return false
			}
		}
		return true
	})
}

// ahead is what is before e whatever the order of additions, and e.
func (x *explorer) ahead(e *event) clock {
	if x.opts.Model.Operational() {
		return e.clock
	}
	return e.views.happened
}

// ordering takes the violation, found in the program that was made, to an explorer of the other: with the additions in an
// order in which they may come.
func (x *explorer) ordering(f *found) (*explorer, error) {
	y, err := newExplorer(x.ctx, x.sums.of, x.def, x.opts, nil)
	if err != nil {
		return nil, err
	}
	o := &ordinary{x: x, y: y, f: f, renamed: make([]int32, len(f.graph.events)), done: make([]int32, len(x.threads))}
	for e := range o.renamed {
		o.renamed[e] = none
		if f.graph.events[e].thread == none && e < len(y.g.co) {
			o.renamed[e] = int32(e)
		}
	}
	if x.opts.Model.Operational() {
		if o.turns, err = o.additions(); err != nil {
			return nil, err
		}
	}
	if err := o.build(); err != nil {
		return nil, err
	}
	v := *f.violation
	for i := range x.p.Properties {
		if v.Property == &x.p.Properties[i] {
			v.Property = &y.p.Properties[i]
		}
	}
	y.found = &found{violation: &v, graph: y.g, events: y.all(), steps: f.steps, final: f.final}
	return y, nil
}

// ordinary is a graph of the program that additions were taken apart in, as one of the other.
type ordinary struct {
	x, y    *explorer
	f       *found
	renamed []int32 // by event, what it is in the graph of y
	done    []int32 // by thread, how many events are there
	turns   []int32 // the additions in their order; nil: any
}

// additions are the writes of the additions in an order in which a run can have them.
func (o *ordinary) additions() ([]int32, error) {
	l := &linear{x: o.x, g: o.f.graph, events: o.f.events}
	order, err := l.order()
	if err != nil {
		return nil, err
	}
	turns := []int32{}
	for _, last := range order {
		ev := &l.g.events[last]
		if ev.thread == none {
			continue
		}
		first, _ := block(l.g, ev)
		for _, e := range l.g.threads[ev.thread][first : ev.index+1] {
			if w := &l.g.events[e]; o.adds(w) && w.kind == write {
				turns = append(turns, e)
			}
		}
	}
	return turns, nil
}

func (o *ordinary) adds(e *event) bool {
	return access(e) && e.half && e.thread != none && o.x.sums.in[e.cell] != nil
}

// build adds the events one by one, each after what it reads from.
func (o *ordinary) build() error {
	for again := true; again; {
		again = false
		for t := range o.done {
			for o.done[t] < o.f.events[t] && o.ready(o.f.graph.threads[t][o.done[t]]) {
				if err := o.add(o.f.graph.threads[t][o.done[t]]); err != nil {
					return err
				}
				o.done[t]++
				again = true
			}
		}
	}
	if !slices.Equal(o.done, o.f.events) {
		return fmt.Errorf("internal error: additions have no order:\n%v", o.x.graph(o.f.graph, o.f.events, false))
	}
	return nil
}

// ready is whether it is the turn of event e.
func (o *ordinary) ready(e int32) bool {
	g := o.f.graph
	ev := &g.events[e]
	switch {
	case ev.kind != read:
		return true
	case o.adds(ev):
		return o.turns == nil || len(o.turns) > 0 && o.turns[0] == g.threads[ev.thread][ev.index+1]
	case o.x.sums.in[ev.cell] != nil:
		return true // all that it reads is before it
	}
	return o.renamed[ev.rf] != none
}

func (o *ordinary) add(e int32) error {
	ev := &o.f.graph.events[e]
	y := o.y
	s := o.x.sums.in[ev.cell]
	of := access(ev) && s != nil
	if of && ev.kind == read && !ev.half && ev.cell != s.indices[0] {
		return nil // the first part has read all
	}
	t := ev.thread
	stop := y.at(t).stop
	if stop.Kind.Stands() {
		return fmt.Errorf("internal error: thread %s stands where it has had additions apart", y.p.Threads[t].Name)
	}
	n := y.add(t, ev.kind, &stop)
	g := y.g
	o.renamed[e] = n
	cell := ev.cell
	if of {
		cell = int32(s.cell)
	}
	if access(ev) && stop.Cell != cell {
		return fmt.Errorf("internal error: thread %s accesses another cell where it has had additions apart", y.p.Threads[t].Name)
	}
	switch ev.kind {
	case read:
		from := none
		if of {
			from = g.co[cell][len(g.co[cell])-1]
		} else {
			from = o.renamed[ev.rf]
		}
		g.readFrom(n, from)
	case write:
		k := len(g.co[cell])
		if !o.adds(ev) {
			k = 1
			for _, w := range o.f.graph.co[ev.cell][1:ev.place] {
				if o.renamed[w] != none {
					k++
				}
			}
		} else if o.turns != nil {
			o.turns = o.turns[1:]
		}
		g.insert(n, k)
	case choice:
		v := &g.events[n]
		v.value, v.ways, v.usual = ev.value, ev.ways, ev.usual
	}
	y.settle(n)
	y.check.added(g, n)
	return nil
}

// convictFound is convict, with the additions in an order.
func (x *explorer) convictFound() (*verdict.Result, error) {
	if x.sums == nil {
		return x.convict()
	}
	y, err := x.ordering(x.found)
	if err != nil {
		return nil, err
	}
	defer y.total.Close()
	return y.convict()
}

// subject is the program that was to be explored.
func (x *explorer) subject() *program.Program {
	if x.sums != nil {
		return x.sums.of
	}
	return x.p
}
