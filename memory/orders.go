package memory

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/memory/cat"
)

// Where a model takes orders of events (see [cat.Order]), a graph satisfies its axioms if there
// are orders with which it does. They are searched for event by event: as soon as an axiom that
// only forbids more with more of the order fails, what has been placed so far is given up.

// orders is what a machine knows of the orders that a model takes.
type orders struct {
	axioms []*cat.Axiom
	// rest are the axioms that depend on an order, flags aside, by their indices; early are those
	// of them that can be asked when only a part of an order is there, by the last order that
	// they depend on.
	rest  []int
	early [][]int
	ctx   context.Context // of the search; may be nil
	tried int
}

// newOrders finds out what depends on which order, and how.
func newOrders(v *machine, axioms []*cat.Axiom) *orders {
	o := &orders{axioms: axioms, early: make([][]int, len(v.code.Orders))}
	last := make([]int, len(v.code.Steps)) // by step: the last order that it depends on, or -1
	grows := make([]bool, len(v.code.Steps))
	for i, s := range v.code.Steps {
		last[i], grows[i] = -1, s.Loop < 0 // of recursions, orders that are complete are enough
		for _, x := range []int{s.X, s.Y} {
			if x >= 0 {
				last[i] = max(last[i], last[x])
				grows[i] = grows[i] && grows[x]
			}
		}
		switch s.Op {
		case cat.Order: // of pairs that may change with another order, more is not always more
			grows[i] = last[i] < 0
			last[i] = slices.Index(v.code.Orders, i)
		case cat.Complement:
			grows[i] = last[i] < 0
		case cat.Difference:
			grows[i] = grows[s.X] && last[s.Y] < 0
		}
	}
	for k, a := range axioms {
		t := v.code.Axioms[k]
		if a.Flag || v.needs[t]&onOrder == 0 {
			continue
		}
		o.rest = append(o.rest, k)
		if grows[t] && last[t] >= 0 && !a.Negated {
			o.early[last[t]] = append(o.early[last[t]], k)
		}
	}
	return o
}

// settle chooses orders for the graph of the frame with which it satisfies the axioms and, unless
// flag is -1, raises that flag. Where there are none, it is left with some or other.
func (v *machine) settle(f *frame, flag int) {
	if f.settled && (f.flag == flag || flag < 0 && f.found) {
		return
	}
	f.chosen = f.chosen[:0]
	for range v.code.Orders {
		f.chosen = append(f.chosen, NewRelation(f.n))
	}
	v.orders.tried = 0
	f.settled, f.flag = true, flag
	if f.found = v.choose(f, 0); !f.found {
		for k, t := range v.code.Orders {
			pairs, base := v.operands(f, t)
			f.chosen[k] = NewRelation(f.n)
			l := &linearisation{v: v, f: f, k: k, pairs: pairs, base: base}
			l.any()
			f.turn()
		}
	}
}

// raises is whether the graph of the frame raises a flag that depends on an order.
func (v *machine) raises(f *frame, k int) bool {
	v.settle(f, k)
	return f.found
}

// ordered is whether the k-th axiom depends on an order that the model takes.
func (v *machine) ordered(k int) bool { return v.needs[v.code.Axioms[k]]&onOrder != 0 }

// operands is the pairs of an order, and what it extends.
func (v *machine) operands(f *frame, t int) (pairs, base Relation) {
	value := func(x int) Relation {
		if v.empty(f, int32(x)) {
			return NewRelation(f.n)
		}
		return f.rels[x].Clone()
	}
	s := &v.code.Steps[t]
	return value(s.X), value(s.Y)
}

// choose finds orders from the k-th on.
func (v *machine) choose(f *frame, k int) bool {
	o := v.orders
	if k == len(v.code.Orders) {
		for _, a := range o.rest {
			if !v.test(f, o.axioms[a], v.code.Axioms[a]) {
				return false
			}
		}
		return f.flag < 0 || v.test(f, o.axioms[f.flag], v.code.Axioms[f.flag])
	}
	pairs, base := v.operands(f, v.code.Orders[k])
	l := &linearisation{v: v, f: f, k: k, pairs: pairs, base: base}
	for e := range f.n {
		l.todo = append(l.todo, pairs.any(e))
	}
	return l.place()
}

// any is whether e is related to anything.
func (r Relation) any(e int) bool {
	return slices.ContainsFunc(r.row(e), func(w uint64) bool { return w != 0 })
}

// A linearisation places events in an order, the first ones first. Events that have the same
// pairs, and are no pair, are placed together: they count as one.
type linearisation struct {
	v           *machine
	f           *frame
	k           int // the order
	pairs, base Relation
	todo        []bool // by event
}

// place places what comes next.
func (l *linearisation) place() bool {
	v, f := l.v, l.f
	if v.orders.tried++; v.orders.tried%1024 == 0 && v.orders.ctx != nil && v.orders.ctx.Err() != nil {
		panic(errStopped)
	}
	first := slices.Index(l.todo, true)
	if first < 0 {
		return v.choose(f, l.k+1)
	}
	// The classes of pairs are independent: that of the first event comes first.
	for e := first; e < f.n; e++ {
		if !l.todo[e] || e != first && !l.pairs.Has(first, e) || l.earlier(e) || l.blocked(e) {
			continue
		}
		before := f.chosen[l.k].Clone()
		together := l.put(e)
		f.turn()
		if !v.refutes(f, l.k) && l.place() {
			return true
		}
		copy(f.chosen[l.k].bits, before.bits)
		f.turn()
		for _, x := range together {
			l.todo[x] = true
		}
	}
	return false
}

// twins is whether two events count as one.
func (l *linearisation) twins(e, g int) bool {
	return e == g || !l.pairs.Has(e, g) && slices.Equal(l.pairs.row(e), l.pairs.row(g))
}

// earlier is whether e counts as one with an event that has been tried in its place.
func (l *linearisation) earlier(e int) bool {
	for g := range e {
		if l.todo[g] && l.twins(e, g) {
			return true
		}
	}
	return false
}

// blocked is whether something that has to come before e is still to be placed.
func (l *linearisation) blocked(e int) bool {
	for g := range l.f.n {
		if !l.todo[g] || !l.pairs.Has(e, g) {
			continue
		}
		for h := range l.f.n {
			if l.base.Has(g, h) && l.twins(e, h) {
				return true
			}
		}
	}
	return false
}

// put places e, and what counts as one with it, before all that is still to be placed.
func (l *linearisation) put(e int) (together []int) {
	for g := range l.f.n {
		if l.todo[g] && l.twins(e, g) {
			together = append(together, g)
			l.todo[g] = false
		}
	}
	for _, g := range together {
		for h := range l.f.n {
			if l.todo[h] && l.pairs.Has(g, h) {
				l.f.chosen[l.k].Add(g, h)
			}
		}
	}
	return together
}

// any places the events in some order, that of the base as far as it is one.
func (l *linearisation) any() {
	l.todo = nil
	for e := range l.f.n {
		l.todo = append(l.todo, l.pairs.any(e))
	}
	for slices.Contains(l.todo, true) {
		next := slices.Index(l.todo, true)
		for e := range l.f.n {
			if l.todo[e] && !l.blocked(e) {
				next = e
				break
			}
		}
		l.put(next)
	}
}

// refutes is whether an axiom fails whatever else comes into the k-th order.
func (v *machine) refutes(f *frame, k int) bool {
	o := v.orders
	for _, a := range o.early[k] {
		if !v.test(f, o.axioms[a], v.code.Axioms[a]) {
			return true
		}
	}
	return false
}
