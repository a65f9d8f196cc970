package cat

import "fmt"

// An Algebra gives the language a meaning: S stands for sets of events, R for
// relations between them. Values are never changed once they are made.
type Algebra[S, R any] interface {
	// Set and Relation are the predefined ones; see [Sets] and [Relations].
	Set(name string) S
	Relation(name string) R

	// Sets and Relations are what the two have in common.
	Sets() Boolean[S]
	Relations() Boolean[R]

	Identity(x S) R   // every event of x with itself
	Product(x, y S) R // every event of x with every event of y
	Domain(x R) S
	Range(x R) S

	Sequence(x, y R) R
	Inverse(x R) R
	Plus(x R) R     // transitive closure
	Star(x R) R     // reflexive and transitive closure
	Optional(x R) R // reflexive closure

	// Order is a strict order that has every pair of pairs, which is symmetric, one way round,
	// and of base all that are in pairs. Which one, is up to the algebra: an execution is
	// admitted where there is one with which it satisfies the axioms. The name is that of no other.
	Order(name string, pairs, base R) R

	// Fix is the least solution of the equations (s, r) = step(s, r) for so
	// many sets and relations. step grows with its arguments, and may be
	// called as often as it takes; it keeps neither its arguments nor its
	// results. An algebra of concrete sets starts from empty ones and calls
	// step until nothing changes. One that makes a formula can call it once
	// on variables, and has to see to it that the solution is the least.
	Fix(sets, relations int, step func(s []S, r []R) ([]S, []R)) ([]S, []R)
}

// Boolean is the operators that sets and relations share.
type Boolean[T any] interface {
	Empty() T
	Union(x, y T) T
	Intersection(x, y T) T
	Difference(x, y T) T
	Complement(x T) T
}

// A Selective algebra is told before each operator of which term it is, and nil after it: so it can do without what
// the axioms do not look at (see [Demand]).
type Selective interface {
	Select(t *Term)
}

// An Interpreter evaluates the terms of a model in an algebra, each term once
// and only when it is needed.
type Interpreter[S, R any] struct {
	model   *Model
	algebra Algebra[S, R]
	done    []bool    // by term
	exact   []bool    // likewise, for an algebra that is Polarized; else nil
	choosy  Selective // the algebra, or nil
	sets    []S
	rels    []R
}

// NewInterpreter prepares the evaluation of m in a.
func NewInterpreter[S, R any](m *Model, a Algebra[S, R]) *Interpreter[S, R] {
	n := len(m.terms)
	in := &Interpreter[S, R]{model: m, algebra: a, done: make([]bool, n), sets: make([]S, n), rels: make([]R, n)}
	if p, ok := a.(Polarized); ok {
		in.exact = m.exact(p.AsksFlags())
	}
	in.choosy, _ = a.(Selective)
	return in
}

// Reset forgets all values: the algebra's predefined sets and relations have
// changed.
func (in *Interpreter[S, R]) Reset() { clear(in.done) }

// Set is the value of a term that is a set.
func (in *Interpreter[S, R]) Set(t *Term) S {
	in.eval(t)
	return in.sets[t.id]
}

// Relation is the value of a term that is a relation.
func (in *Interpreter[S, R]) Relation(t *Term) R {
	in.eval(t)
	return in.rels[t.id]
}

func (in *Interpreter[S, R]) eval(t *Term) {
	if in.done[t.id] {
		return
	}
	for _, x := range []*Term{t.x, t.y} {
		if x != nil {
			in.eval(x)
		}
	}
	a := in.algebra
	if in.exact != nil {
		a.(Polarized).MayExceed(!in.exact[t.id])
	}
	if in.choosy != nil {
		in.choosy.Select(t)
		defer in.choosy.Select(nil)
	}
	switch t.op {
	case Base:
		if t.typ == Set {
			in.sets[t.id] = a.Set(t.name)
		} else {
			in.rels[t.id] = a.Relation(t.name)
		}
	case Empty, Union, Intersection, Difference, Complement:
		if t.typ == Set {
			in.sets[t.id] = boolean(a.Sets(), t, in.Set)
		} else {
			in.rels[t.id] = boolean(a.Relations(), t, in.Relation)
		}
	case Identity:
		in.rels[t.id] = a.Identity(in.Set(t.x))
	case Product:
		in.rels[t.id] = a.Product(in.Set(t.x), in.Set(t.y))
	case Domain:
		in.sets[t.id] = a.Domain(in.Relation(t.x))
	case Range:
		in.sets[t.id] = a.Range(in.Relation(t.x))
	case Sequence:
		in.rels[t.id] = a.Sequence(in.Relation(t.x), in.Relation(t.y))
	case Inverse:
		in.rels[t.id] = a.Inverse(in.Relation(t.x))
	case Plus:
		in.rels[t.id] = a.Plus(in.Relation(t.x))
	case Star:
		in.rels[t.id] = a.Star(in.Relation(t.x))
	case Optional:
		in.rels[t.id] = a.Optional(in.Relation(t.x))
	case Order:
		in.rels[t.id] = a.Order(t.name, in.Relation(t.x), in.Relation(t.y))
	case Fixpoint:
		in.fix(t.rec)
	default:
		panic(fmt.Sprintf("cat: operator %d has no value", t.op))
	}
	in.done[t.id] = true
}

func boolean[T any](b Boolean[T], t *Term, value func(*Term) T) T {
	switch t.op {
	case Union:
		return b.Union(value(t.x), value(t.y))
	case Intersection:
		return b.Intersection(value(t.x), value(t.y))
	case Difference:
		return b.Difference(value(t.x), value(t.y))
	case Complement:
		return b.Complement(value(t.x))
	}
	return b.Empty()
}

// fix evaluates all names of a let rec.
func (in *Interpreter[S, R]) fix(rec *recursion) {
	var sets, rels []int // names of each kind
	for i, v := range rec.vars {
		if v.typ == Set {
			sets = append(sets, i)
		} else {
			rels = append(rels, i)
		}
	}
	s, r := in.algebra.Fix(len(sets), len(rels), func(s []S, r []R) ([]S, []R) {
		for _, t := range rec.open {
			in.done[t.id] = false
		}
		for k, i := range sets {
			v := rec.vars[i]
			in.sets[v.id], in.done[v.id] = s[k], true
		}
		for k, i := range rels {
			v := rec.vars[i]
			in.rels[v.id], in.done[v.id] = r[k], true
		}
		nextS, nextR := make([]S, len(sets)), make([]R, len(rels))
		for k, i := range sets {
			nextS[k] = in.Set(rec.bodies[i])
		}
		for k, i := range rels {
			nextR[k] = in.Relation(rec.bodies[i])
		}
		return nextS, nextR
	})
	for k, i := range sets {
		t := rec.fixed[i]
		in.sets[t.id], in.done[t.id] = s[k], true
	}
	for k, i := range rels {
		t := rec.fixed[i]
		in.rels[t.id], in.done[t.id] = r[k], true
	}
}
