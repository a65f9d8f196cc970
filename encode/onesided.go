package encode

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/solver"
)

// This file has the operators for terms whose value may hold more than it should
// (see [cat.Polarized]): a literal only has to be true where the pair is in the
// relation. So a composition is one clause for each way, and a closure or a
// recursion is any relation that holds what it has to. The solver is free to make it
// the least one, and if that is forbidden, so are all others.

// MayExceed makes the next operator one of this file, or not.
func (a *relational) MayExceed(may bool) { a.exceed = may }

// AsksFlags is whether there are literals for flags.
func (a *relational) AsksFlags() bool { return a.f.opts.Flags }

// consequence is a new literal that is true only where clauses imply it. They are all of the
// form that what is in some relations is in another one, or nowhere.
func (f *Formula) consequence() solver.Lit {
	l := f.Fresh()
	solver.Follow(f.s, l)
	return l
}

// above is a literal of points i and j, in a value of the term at hand, that is true where all of one of ways is.
func (a *relational) above(i, j int, ways [][2]solver.Lit) solver.Lit {
	f := a.f
	single := true // every way is one literal, and the same
	first := solver.Lit(0)
	for _, w := range ways {
		l := w[0]
		switch {
		case f.IsTrue(w[0]):
			l = w[1]
		case !f.IsTrue(w[1]) && w[0] != w[1]:
			l = 0
		}
		if l != 0 && f.IsTrue(l) {
			return l
		}
		if first == 0 {
			first = l
		}
		single = single && l != 0 && l == first
	}
	if single {
		return first
	}
	v := a.held(0, i, j)
	for _, w := range ways {
		a.imply(w[0], w[1], v)
	}
	return v
}

// closurePart is the closure as it is before pairs of equal points are added.
const closurePart = 1

// closureAbove is a transitive relation that holds x.
func (a *relational) closureAbove(x litRelation) litRelation {
	f, n := a.f, len(a.points)
	r := a.noRelation()
	copy(r, x)
	// What can be in the closure (Warshall).
	for k := range n {
		for i := range n {
			if f.IsFalse(r[i*n+k]) {
				continue
			}
			f.poll()
			for j := range n {
				if f.IsFalse(r[i*n+j]) && !f.IsFalse(r[k*n+j]) {
					r[i*n+j] = 0
				}
			}
		}
	}
	if a.wanted != nil {
		a.leading(x, r)
	}
	for i := range r {
		if !f.IsFalse(r[i]) && !f.IsTrue(r[i]) {
			r[i] = a.held(closurePart, i/n, i%n)
			a.imply(x[i], f.True, r[i])
		}
	}
	for i := range n {
		for k := range n {
			if f.IsFalse(r[i*n+k]) {
				continue
			}
			f.poll()
			for j := range n {
				if step := x[k*n+j]; !f.IsFalse(step) && !f.IsFalse(r[i*n+j]) {
					a.imply(r[i*n+k], step, r[i*n+j])
				}
			}
		}
	}
	return r
}

// leading leaves in r, of what can be in the closure of x, what steps of x can make one of the pairs that are looked at.
func (a *relational) leading(x, r litRelation) {
	n := len(a.points)
	steps := memory.NewRelation(n)
	for i := range n {
		for j := range n {
			if !a.f.IsFalse(x[i*n+j]) {
				steps.Add(i, j)
			}
		}
	}
	lead := a.wanted.Sequence(steps.Star().Inverse())
	for i := range r {
		if !lead.Has(i/n, i%n) {
			r[i] = a.f.False()
		}
	}
}

// fixAbove is a solution of the equations in which = may be >=: variables for what
// can be in the least solution, and what follows from them.
func (a *relational) fixAbove(nsets, nrels int, step func([]litSet, []litRelation) ([]litSet, []litRelation)) ([]litSet, []litRelation) {
	f := a.f
	lasts, slot := a.lasts, a.slot
	s, r := a.nothing(nsets, nrels)
	step(s, r) // what the recursion does not touch has its value from now on
	a.possible = true
	for n := -1; ; {
		s, r = step(s, r)
		count := 0
		for _, lits := range literals(s, r) {
			for _, l := range lits {
				if !f.IsFalse(l) {
					count++
				}
			}
		}
		if count == n {
			break
		}
		n = count
	}
	a.possible = false
	values := literals(s, r)
	s, r = a.nothing(nsets, nrels)
	a.lasts, a.slot = lasts, slot
	for k, lits := range literals(s, r) {
		for i := range lits {
			if !f.IsFalse(values[k][i]) {
				lits[i] = a.held(k, i/len(a.points), i%len(a.points))
			}
		}
	}
	s1, r1 := step(s, r)
	a.lasts, a.slot = lasts, slot
	over := literals(s, r)
	for k, lits := range literals(s1, r1) {
		for i, l := range lits {
			a.imply(l, f.True, over[k][i])
		}
	}
	return s, r
}

// nothing is so many empty sets and relations.
func (a *relational) nothing(nsets, nrels int) ([]litSet, []litRelation) {
	s, r := make([]litSet, nsets), make([]litRelation, nrels)
	for i := range s {
		s[i] = a.noSet()
	}
	for i := range r {
		r[i] = a.noRelation()
	}
	return s, r
}

// literals is the literals of sets and relations alike.
func literals(s []litSet, r []litRelation) [][]solver.Lit {
	var all [][]solver.Lit
	for _, x := range s {
		all = append(all, x)
	}
	for _, x := range r {
		all = append(all, x)
	}
	return all
}
