package encode

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/memory/cat"
)

// This file computes, before anything of a model is encoded, what can be in each of its relations, and what has to be where
// both events happen: from the program alone, in bit matrices. From that it follows which pairs the axioms look at
// (see [cat.Demand]), and there are literals for these only. Of a relation that is to be acyclic they are the pairs in its
// strongly connected components.

// bounds are those of a set or a relation: an event, or a pair of events, of must is in it wherever it happens.
type bounds[T any] struct{ may, must T }

type (
	setBounds      = bounds[memory.Set]
	relationBounds = bounds[memory.Relation]
)

// between is the algebra of bounds.
type between struct {
	a      *relational
	events memory.Set      // all
	pairs  memory.Relation // of events that an execution can have both
}

func newBetween(a *relational) *between {
	b := &between{a, memory.NewSet(len(a.points)).Complement(), memory.NewRelation(len(a.points))}
	b.each(b.pairs.Add)
	return b
}

// analyse finds out which pairs the axioms of m look at.
func (a *relational) analyse(m *cat.Model) {
	b := newBetween(a)
	in := cat.NewInterpreter(m, cat.Algebra[setBounds, relationBounds](b))
	possible := func(t *cat.Term) memory.Relation {
		a.f.poll()
		if t.Type() == cat.Set {
			return in.Set(t).may.Identity()
		}
		return in.Relation(t).may
	}
	a.demand = cat.Demand(m, a.f.opts.Flags, possible, func(ax *cat.Axiom, may memory.Relation) memory.Relation {
		switch {
		case ax.Negated || ax.Test == cat.IsEmpty:
			return may
		case ax.Test == cat.Irreflexive:
			return may.Intersection(b.events.Identity())
		}
		closure := may.Plus()
		return may.Intersection(closure).Intersection(closure.Inverse())
	})
}

// each calls do for every pair of events that an execution can have both.
func (b *between) each(do func(i, j int)) {
	for i, x := range b.a.points {
		b.a.f.poll()
		for j, y := range b.a.points {
			if !b.a.apart(x, y) && !b.a.f.IsFalse(x.guard) && !b.a.f.IsFalse(y.guard) {
				do(i, j)
			}
		}
	}
}

// none is no pair. That is what must be in a relation where it takes an event in between, of which nothing is known.
func (b *between) none() memory.Relation { return memory.NewRelation(len(b.a.points)) }

// within leaves of bounds the pairs that an execution can have both.
func (b *between) within(may, must memory.Relation) relationBounds {
	return relationBounds{may.Intersection(b.pairs), must.Intersection(b.pairs)}
}

func (b *between) Set(name string) setBounds {
	s := memory.NewSet(len(b.a.points))
	for i, in := range b.a.members(name) {
		if in {
			s.Add(i)
		}
	}
	return setBounds{s, s}
}

func (b *between) Relation(name string) relationBounds {
	may, must := b.none(), b.none()
	if name == "fr" {
		rf, co := b.Relation("rf"), b.Relation("co")
		return b.within(rf.may.Inverse().Sequence(co.may), must)
	}
	lit, bound := b.a.literal(name), b.bound(name)
	b.each(func(i, j int) {
		x, y := b.a.points[i], b.a.points[j]
		can, has := false, false
		if bound != nil {
			can, has = bound(x, y)
		} else {
			l := lit(x, y)
			can, has = !b.a.f.IsFalse(l), b.a.f.IsTrue(l)
		}
		if can {
			may.Add(i, j)
		}
		if has {
			must.Add(i, j)
		}
	})
	return relationBounds{may, must}
}

// bound says of relations whose literals are gates over addresses whether a pair can be in them, and whether it is; nil: the literals
// are there in any case, or few.
func (b *between) bound(name string) func(x, y *point) (can, has bool) {
	return map[string]func(x, y *point) (can, has bool){
		"loc": b.aliases,
		"rf": func(x, y *point) (can, has bool) {
			if !x.write() || !y.read() {
				return false, false
			}
			for _, s := range y.ev.rf {
				if s.w == x.ev {
					can, _ = b.aliases(x, y)
				}
			}
			return can, false
		},
		"co": func(x, y *point) (can, has bool) {
			if !x.write() || !y.write() || y.initial() || x == y {
				return false, false
			}
			can, has = b.aliases(x, y)
			return can, has && x.initial()
		},
	}[name]
}

// aliases is whether two accesses can be to one cell, and whether they are.
func (b *between) aliases(x, y *point) (can, has bool) {
	cells := func(p *point) (cells []int, sure bool) {
		switch {
		case p.initial():
			return []int{p.cell}, true
		case p.ev == nil:
			return nil, false
		}
		return p.ev.cells, len(p.ev.cells) == 1 && !p.ev.stray
	}
	xs, sure := cells(x)
	ys, sure2 := cells(y)
	for _, c := range xs {
		for _, d := range ys {
			can = can || c == d
		}
	}
	return can, can && sure && sure2
}

// extent is what sets and relations have in common.
type extent[T any] interface {
	Union(T) T
	Intersection(T) T
	Difference(T) T
}

// limited is the operators that bounds of sets and of relations share.
type limited[T extent[T]] struct{ none, all T }

func (w limited[T]) Empty() bounds[T] { return bounds[T]{w.none, w.none} }
func (w limited[T]) Union(x, y bounds[T]) bounds[T] {
	return bounds[T]{x.may.Union(y.may), x.must.Union(y.must)}
}
func (w limited[T]) Intersection(x, y bounds[T]) bounds[T] {
	return bounds[T]{x.may.Intersection(y.may), x.must.Intersection(y.must)}
}
func (w limited[T]) Difference(x, y bounds[T]) bounds[T] {
	return bounds[T]{x.may.Difference(y.must), x.must.Difference(y.may)}
}
func (w limited[T]) Complement(x bounds[T]) bounds[T] {
	return w.Difference(bounds[T]{w.all, w.all}, x)
}

func (b *between) Sets() cat.Boolean[setBounds] {
	return limited[memory.Set]{b.events.Complement(), b.events}
}
func (b *between) Relations() cat.Boolean[relationBounds] {
	return limited[memory.Relation]{b.none(), b.pairs}
}

func (b *between) Identity(x setBounds) relationBounds {
	return b.within(x.may.Identity(), x.must.Identity())
}
func (b *between) Product(x, y setBounds) relationBounds {
	return b.within(x.may.Product(y.may), x.must.Product(y.must))
}
func (b *between) Domain(x relationBounds) setBounds {
	return setBounds{x.may.Domain(), b.events.Complement()}
}
func (b *between) Range(x relationBounds) setBounds {
	return setBounds{x.may.Range(), b.events.Complement()}
}
func (b *between) Sequence(x, y relationBounds) relationBounds {
	return b.within(x.may.Sequence(y.may), b.none())
}
func (b *between) Inverse(x relationBounds) relationBounds {
	return relationBounds{x.may.Inverse(), x.must.Inverse()}
}
func (b *between) Plus(x relationBounds) relationBounds { return b.within(x.may.Plus(), x.must) }
func (b *between) Star(x relationBounds) relationBounds { return b.Optional(b.Plus(x)) }
func (b *between) Optional(x relationBounds) relationBounds {
	return b.Relations().Union(x, b.Identity(setBounds{b.events, b.events}))
}
func (b *between) Order(_ string, pairs, _ relationBounds) relationBounds {
	return relationBounds{pairs.may, b.none()}
}

// Fix computes the least solution of what may be.
func (b *between) Fix(nsets, nrels int, step func([]setBounds, []relationBounds) ([]setBounds, []relationBounds)) ([]setBounds, []relationBounds) {
	s, r := make([]setBounds, nsets), make([]relationBounds, nrels)
	for i := range s {
		s[i] = b.Sets().Empty()
	}
	for i := range r {
		r[i] = b.Relations().Empty()
	}
	for same := false; !same; {
		b.a.f.poll()
		s1, r1 := step(s, r)
		same = true
		for i := range s {
			same = same && s[i].may.Equal(s1[i].may)
			s[i].may = s1[i].may
		}
		for i := range r {
			same = same && r[i].may.Equal(r1[i].may)
			r[i].may = r1[i].may
		}
	}
	return s, r
}
