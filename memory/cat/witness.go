package cat

import "slices"

// Witnesses is how many events it takes, beside the two of a pair or the one of a set, to see that the
// pair is in the relation, or the event in the set: in any execution there are so many with which
// alone it is, too, whatever else is left out. ok is false where no such number is known. Of fr, the pairs
// are taken for given.
func (t *Term) Witnesses() (n int, ok bool) {
	switch t.op {
	case Base, Empty:
		return 0, true
	case Union:
		return t.both(func(x, y int) int { return max(x, y) })
	case Intersection, Product:
		return t.both(func(x, y int) int { return x + y })
	case Difference:
		if !t.y.local() {
			return 0, false
		}
		return t.x.Witnesses()
	case Complement:
		return 0, t.x.local()
	case Inverse, Optional, Identity:
		return t.x.Witnesses()
	case Sequence:
		return t.both(func(x, y int) int {
			if t.x.op == Identity || t.y.op == Identity {
				return x + y
			}
			return x + 1 + y // and what is between
		})
	case Domain, Range:
		n, ok := t.x.Witnesses()
		return n + 1, ok
	case Plus, Star:
		return 0, t.x.equivalence()
	}
	return 0, false
}

func (t *Term) both(with func(x, y int) int) (int, bool) {
	x, okX := t.x.Witnesses()
	y, okY := t.y.Witnesses()
	return with(x, y), okX && okY
}

// local is true of a term that depends on nothing but the two events of a pair, or the one of a set.
func (t *Term) local() bool {
	switch t.op {
	case Base, Empty:
		return true
	case Union, Intersection, Difference, Product:
		return t.x.local() && t.y.local()
	case Complement, Inverse, Optional, Identity:
		return t.x.local()
	case Plus, Star:
		return t.x.equivalence()
	case Sequence:
		return (t.x.op == Identity || t.y.op == Identity) && t.x.local() && t.y.local()
	}
	return false
}

// equivalence is true of a predefined relation that is its own transitive closure, and symmetric.
func (t *Term) equivalence() bool {
	return t.op == Base && (t.name == "part" || t.name == "block" || t.name == "loc" || t.name == "int")
}

// Closed is true of a relation that is a transitive closure.
func (t *Term) Closed() bool { return t.op == Plus }

// A Path is relations that follow on one another. It stands for their sequence; for the identity where there is none.
type Path []Part

// A Part is the sequence of Factors, without the pairs that are in one of Without.
type Part struct{ Factors, Without []*Term }

// maxPaths bounds how many paths there are in a relation.
const maxPaths = 256

// Steps lists paths that have the same transitive closure together as t has. They are short where unions, closures
// of unions, and what may be left out can be taken apart.
func (t *Term) Steps() []Path {
	switch t.op {
	case Union:
		return append(t.x.Steps(), t.y.Steps()...)
	case Plus:
		return t.x.Steps()
	}
	return t.paths()
}

// paths lists paths of which t is the union.
func (t *Term) paths() []Path {
	var all []Path
	switch {
	case t.op == Union:
		all = append(t.x.paths(), t.y.paths()...)
	case t.op == Optional || t.op == Star && t.x.equivalence():
		all = append(t.x.paths(), nil)
	case t.op == Sequence:
		x, y := t.x.paths(), t.y.paths()
		if len(x)*len(y) > maxPaths {
			break
		}
		for _, p := range x {
			for _, q := range y {
				all = append(all, append(p[:len(p):len(p)], q...))
			}
		}
	case t.op == Difference && t.y.local():
		for _, p := range t.x.paths() {
			if len(p) == 0 || len(p) > 1 && slices.ContainsFunc(p, func(q Part) bool { return len(q.Without) > 0 }) {
				all = nil
				break
			}
			var whole Part
			for _, q := range p {
				whole.Factors = append(whole.Factors, q.Factors...)
				whole.Without = append(whole.Without, q.Without...)
			}
			whole.Without = append(whole.Without, t.y)
			all = append(all, Path{whole})
		}
	}
	if len(all) == 0 || len(all) > maxPaths {
		return []Path{{{Factors: []*Term{t}}}}
	}
	return all
}

// Witnesses is [Term.Witnesses] of the sequence.
func (p Path) Witnesses() (n int, ok bool) {
	steps := 0 // from one event to another
	ok = true
	for _, part := range p {
		for _, f := range part.Factors {
			w, known := f.Witnesses()
			if n, ok = n+w, ok && known; f.op != Identity {
				steps++
			}
		}
	}
	return n + max(steps-1, 0), ok
}

// Within is the path without a first and a last relation block, and whether it has them.
func (p Path) Within() (core Path, begins, ends bool) {
	block := func(q Part) bool { return len(q.Factors) == 1 && len(q.Without) == 0 && q.Factors[0].is("block") }
	if begins = len(p) > 1 && block(p[0]); begins {
		p = p[1:]
	}
	if ends = len(p) > 1 && block(p[len(p)-1]); ends {
		p = p[:len(p)-1]
	}
	return p, begins, ends
}

// Equal is whether the two paths are written alike.
func (p Path) Equal(o Path) bool {
	return slices.EqualFunc(p, o, func(a, b Part) bool {
		return slices.Equal(a.Factors, b.Factors) && slices.Equal(a.Without, b.Without)
	})
}

// Says is whether a demands the same as o, which may be an axiom of another model, word for word when all names are resolved.
func (a *Axiom) Says(o *Axiom) bool {
	return a.Test == o.Test && a.Negated == o.Negated && a.Flag == o.Flag && a.Term.equal(o.Term)
}

func (t *Term) equal(o *Term) bool {
	switch {
	case t == nil || o == nil:
		return t == o
	case t.op != o.op || t.typ != o.typ || t.op == Fixpoint || t.op == Variable:
		return false
	case t.op == Union: // in any order
		in := func(xs, ys []*Term) bool {
			return !slices.ContainsFunc(xs, func(x *Term) bool { return !slices.ContainsFunc(ys, x.equal) })
		}
		xs, ys := t.members(), o.members()
		return in(xs, ys) && in(ys, xs)
	}
	return t.name == o.name && t.x.equal(o.x) && t.y.equal(o.y)
}

// members are what t is the union of.
func (t *Term) members() []*Term {
	if t.op != Union {
		return []*Term{t}
	}
	return append(t.x.members(), t.y.members()...)
}
