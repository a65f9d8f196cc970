package cat

import "github.com/fencepost-verifier/fencepost/program"

// Models of herd7 for C11 that take a read-modify-write for one event, which is both a read
// and a write, are read so that the two events that it has here count as one. Every set that is
// predefined has both of them or neither, every relation treats them alike and does not hold
// between them, and every event is identical with itself and with the other half. What is
// computed from such sets and relations by the operators of the language is such again, so that
// it is empty, acyclic or irreflexive just where it would be if the two were one.

// one relates events that count as one.
func (b *builder) one() *Term {
	rmw := b.term(Base, Relation, "rmw", nil, nil)
	id := b.term(Identity, Relation, "", b.term(Base, Set, "_", nil, nil), nil)
	return b.binary(Union, id, b.binary(Union, rmw, b.term(Inverse, Relation, "", rmw, nil)))
}

// both is a set with both halves of every read-modify-write that has one in it.
func (b *builder) both(s *Term) *Term {
	if !b.merged || s.name == "_" {
		return s
	}
	return b.term(Range, Set, "", b.binary(Sequence, b.term(Identity, Relation, "", s, nil), b.one()), nil)
}

// lift is a relation between what counts as one.
func (b *builder) lift(r *Term) *Term {
	if !b.merged {
		return r
	}
	switch r.name {
	case "rmw", "amo", "lxsx", "part":
		return b.term(Empty, Relation, "", nil, nil)
	case "loc", "int", "ext": // which treat the two alike
		return r
	}
	one := b.one()
	return b.binary(Difference, b.binary(Sequence, b.binary(Sequence, one, r), one), one)
}

// ownValue is the axiom that no read-modify-write reads what it writes itself, which could not
// be said of one event. It stands before those of the model.
func (b *builder) ownValue(src *program.Source) *Axiom {
	rmw := b.term(Base, Relation, "rmw", nil, nil)
	own := b.term(Intersection, Relation, "", b.term(Base, Relation, "rf", nil, nil), b.term(Inverse, Relation, "", rmw, nil))
	return &Axiom{Test: IsEmpty, Term: own, Name: "own-value", Text: "empty rf & rmw^-1", Source: src}
}

// merges is whether x and y are the reads and the writes, of which a model would have events
// in both.
func merges(x, y *Term) bool {
	return x.op == Base && y.op == Base && (x.name == "R" && y.name == "W" || x.name == "W" && y.name == "R")
}
