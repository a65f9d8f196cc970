package encode

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// This file encodes a memory model as its cat text has it, whatever the model
// is: the interpreter of package cat computes every relation of the text as a
// matrix of literals, and an axiom becomes clauses over such a matrix.
//
// The bounds on a relation are in its literals. What cannot be in it is the
// constant false, what must be is the constant true, gates over constants
// simplify, and so only what is left between the two costs a variable; and nothing does that no
// axiom looks at (analysis.go).

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

// tags is what the event bears. An atomic block without accesses that others can see
// is a full fence and no more; on Arm, nothing.
func (p *point) tags() program.Tags {
	switch {
	case p.initial():
		return program.Tags{}
	case p.ev != nil:
		return p.ev.tags
	}
	return p.item.tags
}

// relational is the algebra in which a set is a literal for each point and a
// relation one for each pair: whether both are executed and related.
type relational struct {
	f      *Formula
	points []*point
	index  map[*event]int
	all    litRelation       // every pair; nil where nobody has asked for it
	demand []memory.Relation // by term: the pairs that are looked at; nil: all of them
	wanted *memory.Relation  // those of the term at hand; nil: all

	lasting *extension // what lasts from bound to bound; nil: nothing does
	number  []int32    // of each point, for good; where something lasts
	lasts   bool       // the term, or the axiom, at hand does
	slot    int32      // of the term at hand

	exceed bool // values may hold more than they should; see onesided.go
	// possible is true where only constants are asked for: false for what cannot be in the
	// value, true for everything else.
	possible bool
}

type (
	litSet      []solver.Lit
	litRelation []solver.Lit // row by row
)

// newRelational collects the points as far as the program is unrolled.
func (f *Formula) newRelational() *relational {
	a := &relational{f: f, index: map[*event]int{}}
	for c := range f.cells {
		if f.cells[c].kind == sharedCell {
			a.points = append(a.points, &point{guard: f.True, thread: -1, cell: c})
		}
	}
	visible := map[*item]bool{}
	for _, e := range f.events {
		visible[e.item] = true
		a.index[e] = len(a.points)
		a.points = append(a.points, &point{guard: e.guard, ev: e, item: e.item, thread: e.item.thread})
	}
	for _, it := range f.items {
		if it.kind.isFence() || it.kind == atomicItem && !visible[it] && !f.p.Arch.Picks() {
			a.points = append(a.points, &point{guard: it.guard, item: it, thread: it.thread})
		}
	}
	return a
}

// both is whether both points are executed; false where no execution has both.
func (a *relational) both(x, y *point) solver.Lit {
	if a.apart(x, y) {
		return a.f.False()
	}
	return a.f.And(x.guard, y.guard)
}

// apart is true of two points that no execution has both.
func (a *relational) apart(x, y *point) bool {
	return x.ev != nil && y.ev != nil && a.f.exclusive(x.ev, y.ev) ||
		x.item != nil && y.item != nil && x.item != y.item && !a.f.related(x.item, y.item)
}

// Select makes the pairs of t that are looked at those that the next operator has to say something of.
func (a *relational) Select(t *cat.Term) {
	a.wanted, a.lasts = nil, false
	if t != nil && a.lasting != nil {
		a.lasts, a.slot = a.exceed && a.lasting.terms[t.ID()], int32(t.ID())
	}
	if t != nil && t.Type() == cat.Relation && a.demand != nil {
		a.wanted = &a.demand[t.ID()]
	}
}

// wants is whether anybody looks at a pair of the term at hand.
func (a *relational) wants(i, j int) bool { return a.wanted == nil || a.wanted.Has(i, j) }

// sameCell is whether both access one cell.
func (a *relational) sameCell(x, y *point) solver.Lit {
	switch {
	case x.initial() && y.initial():
		return a.f.Constant(x.cell == y.cell)
	case x.initial() && y.ev != nil:
		return a.f.inCell(y.ev, x.cell)
	case y.initial() && x.ev != nil:
		return a.f.inCell(x.ev, y.cell)
	case x.ev != nil && y.ev != nil && mayAlias(x.ev, y.ev):
		return a.f.sameAddress(x.ev, y.ev)
	}
	return a.f.False()
}

// inCell is whether e accesses cell c.
func (f *Formula) inCell(e *event, c int) solver.Lit {
	for _, d := range e.cells {
		if d == c {
			if len(e.cells) == 1 && !e.stray {
				return f.True
			}
			return f.atCell(e.addr, c)
		}
	}
	return f.False()
}

// members is the points of a predefined set.
func (a *relational) members(name string) []bool {
	in := map[string]func(p *point) bool{
		"_": func(*point) bool { return true },
		"R": (*point).read,
		"W": (*point).write,
		"F": func(p *point) bool { return !p.read() && !p.write() },
		"I": (*point).initial,
	}[name]
	if in == nil { // the name of a tag
		in = func(p *point) bool { return p.tags().Has(name) }
	}
	s := make([]bool, len(a.points))
	for i, p := range a.points {
		s[i] = in(p)
	}
	return s
}

// Set is a predefined set.
func (a *relational) Set(name string) litSet {
	s := a.noSet()
	for i, in := range a.members(name) {
		if in {
			s[i] = a.points[i].guard
		}
	}
	return s
}

// Relation is a predefined relation.
func (a *relational) Relation(name string) litRelation {
	f := a.f
	if name == "fr" {
		wanted := a.wanted
		a.wanted = nil
		rf, co := a.Inverse(a.Relation("rf")), a.Relation("co")
		a.wanted = wanted
		return a.Sequence(rf, co)
	}
	lit := a.literal(name)
	r := a.noRelation()
	for i, x := range a.points {
		f.poll()
		for j, y := range a.points {
			if !a.wants(i, j) {
				continue
			}
			if both := a.both(x, y); !f.IsFalse(both) {
				r[i*len(a.points)+j] = f.And(lit(x, y), both)
			}
		}
	}
	return r
}

// literal is what says of a pair of points that both happen whether it is in a predefined relation.
func (a *relational) literal(name string) func(x, y *point) solver.Lit {
	f := a.f
	lit := map[string]func(x, y *point) solver.Lit{
		"po": func(x, y *point) solver.Lit {
			if x.initial() || y.initial() {
				return f.False()
			}
			if x.ev != nil && y.ev != nil && x.ev.whole == y.ev.whole {
				return f.False()
			}
			if x.item == y.item {
				return f.Constant(x.ev != nil && y.ev != nil && x.ev.index < y.ev.index)
			}
			return f.Constant(x.thread == y.thread && y.item.past.has(x.item.id))
		},
		"loc": a.sameCell,
		"int": func(x, y *point) solver.Lit {
			return f.Constant(!x.initial() && x.thread == y.thread)
		},
		"ext": func(x, y *point) solver.Lit {
			return f.Constant(x != y && (x.initial() || x.thread != y.thread))
		},
		"rcu-rscs": func(x, y *point) solver.Lit { return a.section(x, y, "Rcu-lock", "Rcu-unlock") },
		"rf":       a.readsFrom,
		"co":       a.coherence,
		"rmw":      func(x, y *point) solver.Lit { return f.Or(a.amo(x, y), a.lxsx(x, y)) },
		"amo":      a.amo,
		"lxsx":     a.lxsx,
		"part": func(x, y *point) solver.Lit {
			return f.Constant(x.ev != nil && y.ev != nil && x.ev.whole == y.ev.whole)
		},
		"block": func(x, y *point) solver.Lit {
			return f.Constant(x.item != nil && x.item == y.item && x.item.kind == atomicItem)
		},
		"addr": func(x, y *point) solver.Lit { return a.dependency(x, y, func(d *dependencies) taint { return d.addr }) },
		"data": func(x, y *point) solver.Lit { return a.dependency(x, y, func(d *dependencies) taint { return d.data }) },
		"ctrl": func(x, y *point) solver.Lit { return a.dependency(x, y, func(d *dependencies) taint { return d.ctrl }) },
		"casdep": func(x, y *point) solver.Lit {
			return a.dependency(x, y, func(d *dependencies) taint { return d.cas })
		},
		"pick-addr": func(x, y *point) solver.Lit { return a.pick(x, y, func(d *dependencies) taint { return d.addr }) },
		"pick-data": func(x, y *point) solver.Lit { return a.pick(x, y, func(d *dependencies) taint { return d.data }) },
		"pick-ctrl": func(x, y *point) solver.Lit { return a.pick(x, y, func(d *dependencies) taint { return d.ctrl }) },
	}[name]
	if lit == nil {
		panic("encode: no relation " + name)
	}
	return lit
}

// amo is the literal that y is the write of the read-modify-write, of one command, whose
// read is x.
func (a *relational) amo(x, y *point) solver.Lit {
	f := a.f
	if !x.read() || y.ev == nil || !y.ev.write || x.item != y.item || x.item.kind != atomicItem || x.ev.index > y.ev.index {
		return f.False()
	}
	is := a.sameCell(x, y)
	for _, e := range f.events { // the first write after the read
		if e.item == x.item && e.write && e.index > x.ev.index && e.index < y.ev.index && !f.exclusive(e, y.ev) && mayAlias(e, y.ev) {
			is = f.And(is, -f.And(e.guard, f.sameAddress(e, y.ev)))
		}
	}
	return is
}

// lxsx is the literal that y is the write of the read-modify-write, of two commands,
// whose read is x.
func (a *relational) lxsx(x, y *point) solver.Lit {
	f := a.f
	if !x.read() || y.ev == nil || !y.ev.write || !x.ev.lxsx || !y.ev.lxsx || !poBefore(x.ev, y.ev) {
		return f.False()
	}
	is := a.sameCell(x, y)
	for _, e := range f.events {
		if e.lxsx && e.whole != x.ev.whole && e.whole != y.ev.whole && poBefore(x.ev, e) && poBefore(e, y.ev) {
			is = f.And(is, -e.guard)
		}
	}
	return is
}

// section is the literal that y ends the critical section that x begins: what begins and
// ends in between is balanced.
func (a *relational) section(x, y *point, begin, end string) solver.Lit {
	f := a.f
	between := func(p *point) bool {
		return p.item != nil && p.thread == x.thread && p.item.past.has(x.item.id) && y.item.past.has(p.item.id)
	}
	if x.item == nil || y.item == nil || !x.tags().Has(begin) || !y.tags().Has(end) || x.thread != y.thread || !y.item.past.has(x.item.id) {
		return f.False()
	}
	depth := []solver.Lit{f.True} // by depth: that is how deep it is
	at := func(d int) solver.Lit {
		if d < 0 || d >= len(depth) {
			return f.False()
		}
		return depth[d]
	}
	for _, p := range a.points { // those of a thread are in the order of the program
		if !between(p) {
			continue
		}
		step := 0
		switch {
		case p.tags().Has(begin):
			step = 1
		case p.tags().Has(end):
			step = -1
		default:
			continue
		}
		next := make([]solver.Lit, len(depth)+1)
		for d := range next {
			next[d] = f.Or(f.And(at(d), -p.guard), f.And(at(d-step), p.guard))
		}
		depth = next
	}
	return depth[0]
}

// readsFrom is the literal that y reads from x.
func (a *relational) readsFrom(x, y *point) solver.Lit {
	if !x.write() || !y.read() {
		return a.f.False()
	}
	for _, s := range y.ev.rf {
		if s.w == x.ev {
			if x.initial() {
				return a.f.And(s.lit, a.f.inCell(y.ev, x.cell))
			}
			return s.lit
		}
	}
	return a.f.False()
}

// coherence is the literal that write y comes after write x to the same cell.
func (a *relational) coherence(x, y *point) solver.Lit {
	if !x.write() || !y.write() || y.initial() || x == y {
		return a.f.False()
	}
	same := a.sameCell(x, y)
	if x.initial() || a.f.IsFalse(same) {
		return same
	}
	return a.f.And(same, a.f.coBefore(x.ev, y.ev))
}
