package encode

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// This file encodes a memory model as its cat text has it, whatever the model
// is: the interpreter of package cat computes every relation of the text as a
// matrix of literals, and an axiom becomes clauses over such a matrix.
//
// The bounds on a relation are in its literals. What cannot be in it is the
// constant false, what must be is the constant true, gates over constants
// simplify, and so only what is left between the two costs a variable.

// point is an event of the model: a read, a write, a fence or the initial write
// of a cell.
type point struct {
	guard  solver.Lit
	ev     *event // read or write
	item   *item  // of the event, or of the fence
	thread int    // -1: initial write
	cell   int    // initial write: its cell
}

func (p *point) initial() bool { return p.item == nil }
func (p *point) write() bool   { return p.initial() || p.ev != nil && p.ev.write }
func (p *point) read() bool    { return p.ev != nil && !p.ev.write }

// fence is true of a fence of that kind. An atomic block without accesses that
// others can see is a full fence and no more.
func (p *point) fence(kind itemKind) bool {
	return p.ev == nil && p.item != nil && (p.item.kind == kind || kind == fenceItem && p.item.kind == atomicItem)
}

// relational is the algebra in which a set is a literal for each point and a
// relation one for each pair: whether both are executed and related.
type relational struct {
	f      *Formula
	points []*point
	number map[*event]int
}

type (
	litSet      []solver.Lit
	litRelation []solver.Lit // row by row
)

// newRelational collects the points as far as the program is unrolled.
func (f *Formula) newRelational() *relational {
	a := &relational{f: f, number: map[*event]int{}}
	for c := range f.cells {
		if f.cells[c].kind == sharedCell {
			a.points = append(a.points, &point{guard: f.truth, thread: -1, cell: c})
		}
	}
	visible := map[*item]bool{}
	for _, e := range f.events {
		visible[e.item] = true
		a.number[e] = len(a.points)
		a.points = append(a.points, &point{guard: e.guard, ev: e, item: e.item, thread: e.item.thread})
	}
	for _, it := range f.items {
		if it.kind.isFence() || it.kind == atomicItem && !visible[it] {
			a.points = append(a.points, &point{guard: it.guard, item: it, thread: it.thread})
		}
	}
	return a
}

// both is whether both points are executed; false where no execution has both.
func (a *relational) both(x, y *point) solver.Lit {
	if x.ev != nil && y.ev != nil && a.f.exclusive(x.ev, y.ev) {
		return a.f.falsity()
	}
	if x.item != nil && y.item != nil && x.item != y.item && !a.f.related(x.item, y.item) {
		return a.f.falsity()
	}
	return a.f.And(x.guard, y.guard)
}

// sameCell is whether both access one cell.
func (a *relational) sameCell(x, y *point) solver.Lit {
	switch {
	case x.initial() && y.initial():
		return a.f.constant(x.cell == y.cell)
	case x.initial() && y.ev != nil:
		return a.f.inCell(y.ev, x.cell)
	case y.initial() && x.ev != nil:
		return a.f.inCell(x.ev, y.cell)
	case x.ev != nil && y.ev != nil && mayAlias(x.ev, y.ev):
		return a.f.sameAddress(x.ev, y.ev)
	}
	return a.f.falsity()
}

// inCell is whether e accesses cell c.
func (f *Formula) inCell(e *event, c int) solver.Lit {
	for _, d := range e.cells {
		if d == c {
			if len(e.cells) == 1 {
				return f.truth
			}
			return f.atCell(e.addr, c)
		}
	}
	return f.falsity()
}

// Set is a predefined set.
func (a *relational) Set(name string) litSet {
	in := map[string]func(p *point) bool{
		"_":      func(*point) bool { return true },
		"R":      (*point).read,
		"W":      (*point).write,
		"F":      func(p *point) bool { return !p.read() && !p.write() },
		"I":      (*point).initial,
		"X":      func(p *point) bool { return p.ev != nil && p.item.kind == atomicItem },
		"MFENCE": func(p *point) bool { return p.fence(fenceItem) },
		"SFENCE": func(p *point) bool { return p.fence(storeFenceItem) },
		"LFENCE": func(p *point) bool { return p.fence(loadFenceItem) },
	}[name]
	if in == nil {
		panic("encode: no set " + name)
	}
	s := a.noSet()
	for i, p := range a.points {
		if in(p) {
			s[i] = p.guard
		}
	}
	return s
}

// Relation is a predefined relation.
func (a *relational) Relation(name string) litRelation {
	f := a.f
	if name == "fr" {
		return a.Sequence(a.Inverse(a.Relation("rf")), a.Relation("co"))
	}
	lit := map[string]func(x, y *point) solver.Lit{
		"po": func(x, y *point) solver.Lit {
			if x.initial() || y.initial() {
				return f.falsity()
			}
			if x.item == y.item {
				return f.constant(x.ev != nil && y.ev != nil && x.ev.index < y.ev.index)
			}
			return f.constant(x.thread == y.thread && y.item.past.has(x.item.id))
		},
		"loc": a.sameCell,
		"int": func(x, y *point) solver.Lit {
			return f.constant(!x.initial() && x.thread == y.thread)
		},
		"ext": func(x, y *point) solver.Lit {
			return f.constant(x != y && (x.initial() || x.thread != y.thread))
		},
		"rf": a.readsFrom,
		"co": a.coherence,
		"rmw": func(x, y *point) solver.Lit {
			if !x.read() || y.ev == nil || !y.ev.write || x.item != y.item || x.item.kind != atomicItem || x.ev.index > y.ev.index {
				return f.falsity()
			}
			is := a.sameCell(x, y)
			for _, e := range f.events { // the first write after the read
				if e.item == x.item && e.write && e.index > x.ev.index && e.index < y.ev.index && !f.exclusive(e, y.ev) && mayAlias(e, y.ev) {
					is = f.And(is, -f.And(e.guard, f.sameAddress(e, y.ev)))
				}
			}
			return is
		},
		"block": func(x, y *point) solver.Lit {
			return f.constant(x.item != nil && x.item == y.item && x.item.kind == atomicItem)
		},
		"addr": func(x, y *point) solver.Lit { return a.dependency(x, y, func(d *dependencies) taint { return d.addr }) },
		"data": func(x, y *point) solver.Lit { return a.dependency(x, y, func(d *dependencies) taint { return d.data }) },
		"ctrl": func(x, y *point) solver.Lit { return a.dependency(x, y, func(d *dependencies) taint { return d.ctrl }) },
	}[name]
	if lit == nil {
		panic("encode: no relation " + name)
	}
	r := a.noRelation()
	for i, x := range a.points {
		for j, y := range a.points {
			if both := a.both(x, y); !f.isFalse(both) {
				r[i*len(a.points)+j] = f.And(lit(x, y), both)
			}
		}
	}
	return r
}

// readsFrom is the literal that y reads from x.
func (a *relational) readsFrom(x, y *point) solver.Lit {
	if !x.write() || !y.read() {
		return a.f.falsity()
	}
	for _, s := range y.ev.rf {
		if s.w == x.ev {
			if x.initial() {
				return a.f.And(s.lit, a.f.inCell(y.ev, x.cell))
			}
			return s.lit
		}
	}
	return a.f.falsity()
}

// coherence is the literal that write y comes after write x to the same cell.
func (a *relational) coherence(x, y *point) solver.Lit {
	if !x.write() || !y.write() || y.initial() || x == y {
		return a.f.falsity()
	}
	same := a.sameCell(x, y)
	if x.initial() || a.f.isFalse(same) {
		return same
	}
	return a.f.And(same, a.f.coBefore(x.ev, y.ev))
}

func (a *relational) noSet() litSet { return a.f.falsities(len(a.points)) }
func (a *relational) noRelation() litRelation {
	return a.f.falsities(len(a.points) * len(a.points))
}

func (f *Formula) falsities(n int) []solver.Lit {
	s := make([]solver.Lit, n)
	for i := range s {
		s[i] = f.falsity()
	}
	return s
}

// pointwise is the operators of sets and relations, literal by literal. all is
// the complement of nothing.
type pointwise struct {
	f   *Formula
	all []solver.Lit
}

func (a *relational) Sets() cat.Boolean[litSet] { return sets{pointwise{a.f, a.Set("_")}} }
func (a *relational) Relations() cat.Boolean[litRelation] {
	all := a.noRelation()
	for i, x := range a.points {
		for j, y := range a.points {
			all[i*len(a.points)+j] = a.both(x, y)
		}
	}
	return rels{pointwise{a.f, all}}
}

func (w pointwise) zip(x, y []solver.Lit, gate func(a, b solver.Lit) solver.Lit) []solver.Lit {
	z := make([]solver.Lit, len(x))
	for i := range z {
		z[i] = gate(x[i], y[i])
	}
	return z
}

func (w pointwise) without(x, y []solver.Lit) []solver.Lit {
	return w.zip(x, y, func(a, b solver.Lit) solver.Lit { return w.f.And(a, -b) })
}

type sets struct{ w pointwise }

func (s sets) Empty() litSet                   { return s.w.f.falsities(len(s.w.all)) }
func (s sets) Union(x, y litSet) litSet        { return s.w.zip(x, y, s.w.f.Or) }
func (s sets) Intersection(x, y litSet) litSet { return s.w.zip(x, y, s.w.f.And) }
func (s sets) Difference(x, y litSet) litSet   { return s.w.without(x, y) }
func (s sets) Complement(x litSet) litSet      { return s.w.without(s.w.all, x) }

type rels struct{ w pointwise }

func (s rels) Empty() litRelation                        { return s.w.f.falsities(len(s.w.all)) }
func (s rels) Union(x, y litRelation) litRelation        { return s.w.zip(x, y, s.w.f.Or) }
func (s rels) Intersection(x, y litRelation) litRelation { return s.w.zip(x, y, s.w.f.And) }
func (s rels) Difference(x, y litRelation) litRelation   { return s.w.without(x, y) }
func (s rels) Complement(x litRelation) litRelation      { return s.w.without(s.w.all, x) }

// Identity relates every point of x with itself.
func (a *relational) Identity(x litSet) litRelation {
	r := a.noRelation()
	for i, l := range x {
		r[i*len(x)+i] = l
	}
	return r
}

// Product relates every point of x with every point of y.
func (a *relational) Product(x, y litSet) litRelation {
	r := a.noRelation()
	for i := range x {
		for j := range y {
			if !a.f.isFalse(a.both(a.points[i], a.points[j])) {
				r[i*len(x)+j] = a.f.And(x[i], y[j])
			}
		}
	}
	return r
}

// Domain is the points that x relates to something.
func (a *relational) Domain(x litRelation) litSet {
	n := len(a.points)
	s := a.noSet()
	for i := range s {
		s[i] = a.f.orTree(x[i*n : (i+1)*n])
	}
	return s
}

// Range is the points that x relates something to.
func (a *relational) Range(x litRelation) litSet { return a.Domain(a.Inverse(x)) }

// Inverse is x the other way round.
func (a *relational) Inverse(x litRelation) litRelation {
	n := len(a.points)
	r := make(litRelation, len(x))
	for i := range n {
		for j := range n {
			r[j*n+i] = x[i*n+j]
		}
	}
	return r
}

// Sequence relates what x and then y lead to.
func (a *relational) Sequence(x, y litRelation) litRelation {
	n := len(a.points)
	r := a.noRelation()
	ways := make([][]solver.Lit, n)
	for i := range n {
		clear(ways)
		for k := range n {
			l := x[i*n+k]
			if a.f.isFalse(l) {
				continue
			}
			for j := range n {
				if m := y[k*n+j]; !a.f.isFalse(m) {
					ways[j] = append(ways[j], a.f.And(l, m))
				}
			}
		}
		for j, w := range ways {
			if len(w) > 0 {
				r[i*n+j] = a.f.orTree(w)
			}
		}
	}
	return r
}

// Plus is the transitive closure, by squaring: paths of up to 1, 2, 4, ... steps,
// as long as they can get anywhere new.
func (a *relational) Plus(x litRelation) litRelation {
	for length := 1; length < len(a.points); length *= 2 {
		longer := a.Relations().Union(x, a.Sequence(x, x))
		same := true
		for i := range x {
			same = same && x[i] == longer[i]
		}
		if same {
			break
		}
		x = longer
	}
	return x
}

func (a *relational) Star(x litRelation) litRelation { return a.Optional(a.Plus(x)) }

func (a *relational) Optional(x litRelation) litRelation {
	return a.Relations().Union(x, a.Identity(a.Set("_")))
}

// Fix computes the least solution from below, as one would for concrete
// relations, on literals. Every step but the last adds a pair, so as many steps as
// there are pairs that could be added are enough, and nothing can be in the
// solution on no ground but its own.
func (a *relational) Fix(nsets, nrels int, step func([]litSet, []litRelation) ([]litSet, []litRelation)) ([]litSet, []litRelation) {
	s, r := make([]litSet, nsets), make([]litRelation, nrels)
	for i := range s {
		s[i] = a.noSet()
	}
	for i := range r {
		r[i] = a.noRelation()
	}
	for n := 0; ; n++ {
		s1, r1 := step(s, r)
		same, possible := true, 0
		count := func(old, new []solver.Lit) {
			for k := range new {
				same = same && old[k] == new[k]
				if !a.f.isFalse(new[k]) {
					possible++
				}
			}
		}
		for i := range s {
			count(s[i], s1[i])
		}
		for i := range r {
			count(r[i], r1[i])
		}
		s, r = s1, r1
		if same || n > possible || a.f.s.Stats().Clauses > a.f.opts.MaxClauses {
			return s, r
		}
	}
}

// axioms asserts what the model demands of the executions at this bound. All of
// it hangs on the literal open, since a deeper unrolling has more points, and a
// relation with a complement in it may shrink.
func (f *Formula) axioms() error {
	a := f.newRelational()
	in := cat.NewInterpreter(f.opts.Definition.Cat, cat.Algebra[litSet, litRelation](a))
	for _, ax := range f.opts.Definition.Cat.Axioms {
		if ax.Flag {
			continue
		}
		switch {
		case ax.Term.Type() == cat.Set:
			a.empty(in.Set(ax.Term), ax.Negated)
		case ax.Test == cat.IsEmpty:
			a.empty(in.Relation(ax.Term), ax.Negated)
		case ax.Test == cat.Irreflexive:
			r := in.Relation(ax.Term)
			loops := make([]solver.Lit, len(a.points))
			for i := range loops {
				loops[i] = r[i*len(a.points)+i]
			}
			a.empty(loops, ax.Negated)
		case ax.Negated:
			r := a.Plus(in.Relation(ax.Term))
			loops := make([]solver.Lit, len(a.points))
			for i := range loops {
				loops[i] = r[i*len(a.points)+i]
			}
			a.empty(loops, true)
		default:
			a.acyclic(in.Relation(ax.Term))
		}
		if f.s.Stats().Clauses > f.opts.MaxClauses {
			return fmt.Errorf("%w: %s", ErrTooLarge, ax.Name)
		}
	}
	return nil
}

// empty says that none of lits is true or, negated, that one is.
func (a *relational) empty(lits []solver.Lit, negated bool) {
	if negated {
		a.f.clause(append([]solver.Lit{a.f.open}, lits...)...)
		return
	}
	for _, l := range lits {
		a.f.clause(-l, a.f.open)
	}
}

// acyclic embeds r into a strict order of the points. Pairs that lie on no cycle
// of what r can hold need no order: there is one for each strongly connected
// component.
func (a *relational) acyclic(r litRelation) {
	f, n := a.f, len(a.points)
	for i := range n {
		f.clause(-r[i*n+i], f.open)
	}
	for _, comp := range components(n, func(i, j int) bool { return !f.isFalse(r[i*n+j]) }) {
		if len(comp) == 1 {
			continue
		}
		before := make([][]solver.Lit, len(comp))
		for x := range comp {
			before[x] = make([]solver.Lit, len(comp))
			for y := range x {
				// What must be in r is in order for certain.
				switch {
				case f.isTrue(r[comp[y]*n+comp[x]]):
					before[y][x] = f.truth
				case f.isTrue(r[comp[x]*n+comp[y]]):
					before[y][x] = f.falsity()
				default:
					before[y][x] = f.fresh()
				}
				before[x][y] = -before[y][x]
			}
		}
		for x, i := range comp {
			for y, j := range comp {
				if x != y {
					f.clause(-r[i*n+j], before[x][y], f.open)
				}
			}
		}
		for x := range comp {
			for y := range x {
				for z := range y {
					f.clause(-before[x][y], -before[y][z], before[x][z], f.open)
					f.clause(before[x][y], before[y][z], -before[x][z], f.open)
				}
			}
		}
	}
}

// coBefore is the literal that write a comes before write b in coherence, if
// both are executed and go to one cell. Only a relational formula has such
// literals; elsewhere coherence is the order of the items.
func (f *Formula) coBefore(a, b *event) solver.Lit {
	if !f.relational() {
		return f.eventBefore(a, b)
	}
	if l, ok := f.co[[2]*event{a, b}]; ok {
		return l
	}
	return -f.co[[2]*event{b, a}]
}

// connectCoherence orders the new writes among all that may be to one cell.
func (f *Formula) connectCoherence() {
	for ; f.doneCo < len(f.events); f.doneCo++ {
		c := f.events[f.doneCo]
		if !c.write {
			continue
		}
		var older []*event
		for _, b := range f.events[:f.doneCo] {
			if b.write && mayAlias(b, c) && !f.exclusive(b, c) {
				f.co[[2]*event{b, c}] = f.fresh()
				older = append(older, b)
			}
		}
		for i, b := range older {
			for _, a := range older[:i] {
				ab, ok := f.co[[2]*event{a, b}]
				if !ok {
					continue
				}
				bc, ac := f.co[[2]*event{b, c}], f.co[[2]*event{a, c}]
				f.clause(-ab, -bc, ac)
				f.clause(ab, bc, -ac)
			}
		}
	}
}

// taint is the reads that something depends on, each with the literal under
// which it does.
type taint map[*event]solver.Lit

// dependencies is what an event depends on.
type dependencies struct {
	addr, data, ctrl taint
}

func (a *relational) dependency(x, y *point, of func(*dependencies) taint) solver.Lit {
	if !x.read() || y.item == nil {
		return a.f.falsity()
	}
	d := y.item.deps
	if y.ev != nil {
		d = y.ev.deps
	}
	if d == nil {
		return a.f.falsity()
	}
	if l, ok := of(d)[x.ev]; ok {
		return l
	}
	return a.f.falsity()
}

// join adds what o depends on under cond.
func (t taint) join(f *Formula, o taint, cond solver.Lit) taint {
	if len(o) == 0 {
		return t
	}
	out := taint{}
	for e, l := range t {
		out[e] = l
	}
	for e, l := range o {
		l = f.And(l, cond)
		if old, ok := out[e]; ok {
			l = f.Or(old, l)
		}
		out[e] = l
	}
	return out
}

// dependsOn is what the value of e depends on.
func (b *body) dependsOn(e program.Expr) taint {
	var t taint
	if !b.f.relational() {
		return nil
	}
	program.Walk(e, func(x program.Expr) {
		if r, ok := x.(program.Reg); ok {
			t = t.join(b.f, b.frame.taint[r], b.f.truth)
		}
	})
	return t
}

// Execution is the execution that the model of the last Solve stands for, which
// must have answered Sat in a relational formula, and what it violates.
func (q *Query) Execution() (*memory.Graph, *verdict.Violation, error) {
	f := q.f
	var violation *verdict.Violation
	for i := range q.targets {
		switch t := &q.targets[i]; {
		case violation != nil || !f.s.Value(t.lit):
		case t.property != nil:
			violation = &verdict.Violation{Property: t.property, Text: t.property.Text, Pos: t.property.Pos}
		case t.assertion != nil:
			c := t.assertion.cmd
			violation = &verdict.Violation{Kind: c.Kind, Text: c.Text, Pos: c.Pos}
		}
	}
	if violation == nil {
		return nil, nil, fmt.Errorf("encode: the model has nothing that was asked for")
	}
	g, _ := f.newRelational().graph()
	return g.Sorted(), violation, nil
}

// graph is the execution in the solver's model, and the number that each point
// has in it; -1 for those that are not executed.
func (a *relational) graph() (*memory.Graph, []int) {
	f := a.f
	g := &memory.Graph{}
	number := make([]int, len(a.points))
	blocks := map[*item]int{}
	for i, p := range a.points {
		number[i] = -1
		if f.s.Value(p.guard) {
			number[i] = g.Add(a.graphEvent(p, blocks))
		}
	}
	for name, r := range map[string]*memory.Relation{
		"rf": &g.RF, "co": &g.CO, "rmw": &g.RMW, "addr": &g.Addr, "data": &g.Data, "ctrl": &g.Ctrl, "po": &g.PO,
	} {
		*r = memory.NewRelation(len(g.Events))
		lits := a.Relation(name)
		for i := range a.points {
			for j := range a.points {
				if f.s.Value(lits[i*len(a.points)+j]) {
					r.Add(number[i], number[j])
				}
			}
		}
	}
	for i := range g.Events {
		g.Events[i].Index = 0
		for j := range g.Events {
			if g.PO.Has(j, i) {
				g.Events[i].Index++
			}
		}
	}
	return g, number
}

// graphEvent is the event of an executed point.
func (a *relational) graphEvent(p *point, blocks map[*item]int) memory.Event {
	f := a.f
	e := memory.Event{Thread: p.thread}
	switch {
	case p.initial():
		c := f.ranges.Cells[p.cell]
		return memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Addr: c.Addr, Value: c.Init, Loc: c.Name}
	case p.ev == nil:
		e.Kind = memory.Fence
		e.Fence = map[itemKind]program.FenceKind{storeFenceItem: program.StoreFence, loadFenceItem: program.LoadFence}[p.item.kind]
	default:
		if e.Kind = memory.Read; p.ev.write {
			e.Kind = memory.Write
		}
		e.Addr, e.Value = f.eval(p.ev.addr), f.eval(p.ev.value)
		if c := f.ranges.CellIndex(e.Addr); c >= 0 {
			e.Loc = f.ranges.Cells[c].Name
		}
	}
	if p.item.kind == atomicItem {
		if blocks[p.item] == 0 {
			blocks[p.item] = len(blocks) + 1
		}
		e.Block, e.Atomic = blocks[p.item], p.ev != nil
	}
	return e
}
