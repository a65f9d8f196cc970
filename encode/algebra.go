package encode

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/solver"
)

func (a *relational) noSet() litSet { return a.f.falsities(len(a.points)) }
func (a *relational) noRelation() litRelation {
	return a.f.falsities(len(a.points) * len(a.points))
}

func (f *Formula) falsities(n int) []solver.Lit {
	s := make([]solver.Lit, n)
	for i := range s {
		s[i] = f.False()
	}
	return s
}

// pointwise is the operators of sets and relations, literal by literal.
type pointwise struct {
	*relational
	wanted *memory.Relation // of relations: see relational
}

func (a *relational) Sets() cat.Boolean[litSet] {
	return sets{pointwise{a, nil}}
}
func (a *relational) Relations() cat.Boolean[litRelation] {
	return rels{pointwise{a, a.wanted}}
}

// every is the relation of all pairs that both happen.
func (a *relational) every() litRelation {
	if a.all == nil {
		a.all = a.noRelation()
		for i, x := range a.points {
			a.f.poll()
			for j, y := range a.points {
				a.all[i*len(a.points)+j] = a.both(x, y)
			}
		}
	}
	return a.all
}

func (w pointwise) zip(x, y []solver.Lit, gate func(i int, a, b solver.Lit) solver.Lit) []solver.Lit {
	z := make([]solver.Lit, len(x))
	for i := range z {
		if i%1024 == 0 {
			w.f.poll()
		}
		if n := w.wanted; n != nil && !n.Has(i/n.Len(), i%n.Len()) {
			z[i] = w.f.False()
		} else {
			z[i] = gate(i, x[i], y[i])
		}
	}
	return z
}

func (w pointwise) without(x, y []solver.Lit) []solver.Lit {
	return w.zip(x, y, func(i int, a, b solver.Lit) solver.Lit { return w.and(i, a, -b) })
}

// and is the conjunction; where only what is possible is asked for, whether it is.
func (w pointwise) and(_ int, a, b solver.Lit) solver.Lit {
	if w.possible {
		return w.f.Constant(!w.f.IsFalse(a) && !w.f.IsFalse(b))
	}
	return w.f.And(a, b)
}

// or is the disjunction, at place i.
func (w pointwise) or(i int, a, b solver.Lit) solver.Lit {
	if w.possible {
		return w.f.Constant(!w.f.IsFalse(a) || !w.f.IsFalse(b))
	}
	if w.exceed && a != b && !w.f.IsFalse(a) && !w.f.IsFalse(b) {
		if w.f.IsTrue(a) || w.f.IsTrue(b) {
			return w.f.True
		}
		v := w.held(0, i/len(w.points), i%len(w.points))
		w.imply(a, w.f.True, v)
		w.imply(b, w.f.True, v)
		return v
	}
	return w.f.Or(a, b)
}

type sets struct{ w pointwise }

func (s sets) Empty() litSet                   { return s.w.noSet() }
func (s sets) Union(x, y litSet) litSet        { return s.w.zip(x, y, s.w.or) }
func (s sets) Intersection(x, y litSet) litSet { return s.w.zip(x, y, s.w.and) }
func (s sets) Difference(x, y litSet) litSet   { return s.w.without(x, y) }
func (s sets) Complement(x litSet) litSet      { return s.w.without(s.w.Set("_"), x) }

type rels struct{ w pointwise }

func (s rels) Empty() litRelation                        { return s.w.noRelation() }
func (s rels) Union(x, y litRelation) litRelation        { return s.w.zip(x, y, s.w.or) }
func (s rels) Intersection(x, y litRelation) litRelation { return s.w.zip(x, y, s.w.and) }
func (s rels) Difference(x, y litRelation) litRelation   { return s.w.without(x, y) }
func (s rels) Complement(x litRelation) litRelation      { return s.w.without(s.w.every(), x) }

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
	w := pointwise{relational: a}
	for i := range x {
		a.f.poll()
		for j := range y {
			if a.wants(i, j) && !a.apart(a.points[i], a.points[j]) {
				r[i*len(x)+j] = w.and(i*len(x)+j, x[i], y[j])
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
		a.f.poll()
		s[i] = a.any(i, x[i*n:(i+1)*n])
	}
	return s
}

// any is whether one of lits is true, for point i.
func (a *relational) any(i int, lits []solver.Lit) solver.Lit {
	switch {
	case a.possible:
		return a.f.Constant(slices.ContainsFunc(lits, func(l solver.Lit) bool { return !a.f.IsFalse(l) }))
	case a.exceed:
		var ways [][2]solver.Lit
		for _, l := range lits {
			if !a.f.IsFalse(l) {
				ways = append(ways, [2]solver.Lit{l, a.f.True})
			}
		}
		if len(ways) == 0 {
			return a.f.False()
		}
		return a.above(i, 0, ways)
	}
	return a.f.OrTree(lits)
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
	ways := make([][][2]solver.Lit, n)
	var both []solver.Lit
	for i := range n {
		for j := range ways {
			ways[j] = ways[j][:0]
		}
		for k := range n {
			l := x[i*n+k]
			if a.f.IsFalse(l) {
				continue
			}
			a.f.poll()
			for j := range n {
				if m := y[k*n+j]; !a.f.IsFalse(m) && a.wants(i, j) {
					ways[j] = append(ways[j], [2]solver.Lit{l, m})
				}
			}
		}
		for j, w := range ways {
			switch {
			case len(w) == 0:
			case a.possible:
				r[i*n+j] = a.f.True
			case a.exceed:
				r[i*n+j] = a.above(i, j, w)
			default:
				both = both[:0]
				for _, lm := range w {
					both = append(both, a.f.And(lm[0], lm[1]))
				}
				r[i*n+j] = a.f.OrTree(both)
			}
		}
	}
	return r
}

// Plus is the transitive closure, by squaring: paths of up to 1, 2, 4, ... steps,
// as long as they can get anywhere new.
func (a *relational) Plus(x litRelation) litRelation {
	if a.exceed && !a.possible {
		return a.closureAbove(x)
	}
	a.wanted = nil // on the way there is more than what is looked at
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
	if a.exceed {
		return a.fixAbove(nsets, nrels, step)
	}
	s, r := a.nothing(nsets, nrels)
	for n := 0; ; n++ {
		s1, r1 := step(s, r)
		same, possible := true, 0
		count := func(old, new []solver.Lit) {
			for k := range new {
				same = same && old[k] == new[k]
				if !a.f.IsFalse(new[k]) {
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
		if same || n > possible {
			return s, r
		}
	}
}
