package encode

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/solver"
)

// This file makes the order of the items a matter of a solver that knows orders:
// items are nodes, and literals stand for edges. Where before(a, b) is true, a is
// before b. Where it is false, b is before a if that is asked for, too, and nothing is
// said otherwise. All that the formula asks for is
// that some item is before another one, never that it is not, so that any order
// that contains the edges will do, and one of them is read from the model. There are
// literals only for the pairs that are asked for, and no clauses for triples.

// precedence is the graph of the items.
type precedence struct {
	theory solver.Order
	nodes  []int // by item
	// above holds the items from which fixed edges lead to an item.
	above []bitset
	lits  map[[2]int]solver.Lit // by item
	arcs  []arc
	// to and from list, by item and thread, the items that have a literal with it.
	to, from map[[2]int][]int
}

// arc is an edge of the graph.
type arc struct {
	from, to int // items
	lit      solver.Lit
}

// newPrecedence is nil where s knows no orders.
func newPrecedence(s solver.Solver) *precedence {
	theory := solver.OrderOf(s)
	if theory == nil {
		return nil
	}
	return &precedence{theory: theory, lits: map[[2]int]solver.Lit{}, to: map[[2]int][]int{}, from: map[[2]int][]int{}}
}

func (g *precedence) edge(from, to int, lit solver.Lit) {
	g.theory.AddEdge(g.nodes[from], g.nodes[to], lit)
	g.arcs = append(g.arcs, arc{from, to, lit})
}

// fix adds an edge for ever, unless others lead from one item to the other.
func (g *precedence) fix(from, to int, always solver.Lit) {
	if !g.above[to].has(from) {
		g.edge(from, to, always)
		g.above[to] = g.above[to].union(g.above[from]).with(from)
	}
}

// askedBefore is before for a solver that knows orders.
func (f *Formula) askedBefore(a, b *item) solver.Lit {
	g := f.graph
	switch {
	case a == b:
		return f.False()
	case !f.related(a, b):
		panic(fmt.Sprintf("encode: items %d and %d are not related", a.id, b.id))
	case f.rank != nil && f.rank[a.id] != f.rank[b.id]:
		return f.Constant(f.rank[a.id] < f.rank[b.id])
	case g.above[b.id].has(a.id):
		return f.True
	case g.above[a.id].has(b.id):
		return f.False()
	}
	l, ok := g.lits[[2]int{a.id, b.id}]
	if !ok {
		if opposite, ok := g.lits[[2]int{b.id, a.id}]; ok {
			l = -opposite // any order has one of the two
		} else {
			l = f.Fresh()
		}
		f.label(a, b, l)
	}
	return l
}

// label makes l the literal that a is before b.
func (f *Formula) label(a, b *item, l solver.Lit) {
	g := f.graph
	g.edge(a.id, b.id, l)
	g.lits[[2]int{a.id, b.id}] = l
	f.ladder(a, b, l)
}

// ladder says of the literal that a is before b what it implies for others, so that it
// is seen before the theory sees it: a is before what is behind b for ever, too, and
// what is before a for ever is before b. Clauses lead to the nearest only.
func (f *Formula) ladder(a, b *item, l solver.Lit) {
	g := f.graph
	key := [2]int{a.id, b.thread}
	for _, x := range g.nearest(b.id, g.to[key], true) {
		f.Clause(-l, g.lits[[2]int{a.id, x}])
	}
	for _, x := range g.nearest(b.id, g.to[key], false) {
		f.Clause(-g.lits[[2]int{a.id, x}], l)
	}
	g.to[key] = append(g.to[key], b.id)
	key = [2]int{b.id, a.thread}
	for _, x := range g.nearest(a.id, g.from[key], true) {
		f.Clause(-g.lits[[2]int{x, b.id}], l)
	}
	for _, x := range g.nearest(a.id, g.from[key], false) {
		f.Clause(-l, g.lits[[2]int{x, b.id}])
	}
	g.from[key] = append(g.from[key], a.id)
}

// nearest lists those of the items that are behind i for ever, or before it, with none of
// the others between.
func (g *precedence) nearest(i int, items []int, behind bool) (near []int) {
	less := func(x, y int) bool {
		if !behind {
			x, y = y, x
		}
		return g.above[y].has(x)
	}
	for _, x := range items {
		if less(i, x) && !slices.ContainsFunc(items, func(y int) bool { return less(i, y) && less(y, x) }) {
			near = append(near, x)
		}
	}
	return near
}

// connectGraph gives the new items their nodes and what the memory model
// preserves of program order; see connectOrder.
//
// A fence is a node, too. The edges from the stores before it are there if it is
// executed, those to what comes after it always: nothing but a store leads to it,
// and only if it counts. So is an atomic block, a lock and an unlock, which are
// more than that: what leads from a store to them depends on their execution, too.
func (f *Formula) connectGraph() {
	g := f.graph
	for ; f.done < len(f.items); f.done++ {
		f.poll()
		b := f.items[f.done]
		g.nodes = append(g.nodes, g.theory.NewNode())
		g.above = append(g.above, nil)
		if f.relational() || b.kind.isFence() && f.opts.Model == memory.SC {
			continue
		}
		var past []int
		b.past.each(func(i int) { past = append(past, i) })
		slices.Reverse(past)
		var drained bitset // stores before those that have an edge to b already
		for _, i := range past {
			switch a := f.items[i]; {
			case f.fixedOrder(a, b):
				g.fix(a.id, b.id, f.True)
			case a.kind != storeItem || b.kind != storeItem && !b.unfenced.has(a.id):
				// Another fence is between them, on every path.
			case b.kind.drains() || b.kind == storeFenceItem:
				switch {
				case drained.has(a.id):
				case f.IsTrue(b.guard):
					g.fix(a.id, b.id, f.True)
				default:
					g.edge(a.id, b.id, b.guard)
				}
				drained = drained.union(g.above[a.id])
			case b.kind == storeItem && mayAlias(a.store, b.store): // under PSO
				if same := f.sameAddress(a.store, b.store); f.IsTrue(same) {
					g.fix(a.id, b.id, f.True)
				} else if !f.IsFalse(same) {
					v := f.Fresh()
					f.Clause(-a.guard, -b.guard, -same, v)
					f.label(a, b, v)
				}
			}
		}
		if f.hasLock && !b.kind.isFence() {
			f.exclude(b)
		}
	}
}

// fixedOrder is whether a, which is in the past of b, is before it whatever is executed.
func (f *Formula) fixedOrder(a, b *item) bool {
	switch a.kind {
	case fenceItem:
		return f.opts.Model != memory.SC
	case storeFenceItem:
		return b.kind == storeItem
	case otherFenceItem:
		return false
	case storeItem:
		return f.opts.Model == memory.SC && !b.kind.isFence() || f.opts.Model == memory.TSO && b.kind == storeItem
	}
	return !b.kind.isFence()
}

// places orders the items, all that are executed and others, as the model has
// it: the place of each by its number. It is for a solver that knows orders.
func (f *Formula) places() ([]int, error) {
	n := len(f.items)
	out := make([][]int, n)
	in := make([]int, n)
	for _, e := range f.graph.arcs {
		if f.s.Value(e.lit) {
			out[e.from] = append(out[e.from], e.to)
			in[e.to]++
		}
	}
	var list []int
	for i := range n {
		if in[i] == 0 {
			list = append(list, i)
		}
	}
	for k := 0; k < len(list); k++ {
		for _, i := range out[list[k]] {
			if in[i]--; in[i] == 0 {
				list = append(list, i)
			}
		}
	}
	if len(list) < n {
		return nil, fmt.Errorf("encode: the order of the model has a cycle")
	}
	if f.rank != nil { // that fences have none is no matter: nobody asks where they are
		slices.SortStableFunc(list, func(a, b int) int { return f.rank[a] - f.rank[b] })
	}
	place := make([]int, n)
	for k, i := range list {
		place[i] = k
	}
	return place, nil
}
