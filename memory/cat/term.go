package cat

import (
	"fmt"
	"strings"
)

// Op is the operator of a [Term].
type Op uint8

// The operators. The first ones are for sets and for relations, with both
// operands and the result of one type.
const (
	Base         Op = iota // a predefined set or relation
	Empty                  // 0
	Union                  // x | y
	Intersection           // x & y
	Difference             // x \ y
	Complement             // ~x
	Sequence               // x ; y
	Inverse                // x^-1
	Plus                   // x^+
	Star                   // x^*
	Optional               // x?
	Identity               // [x], a set
	Product                // x * y, sets
	Domain                 // domain(x)
	Range                  // range(x)
	Variable               // a name of a let rec, within its bodies
	Fixpoint               // a name of a let rec, after it
	// Order is a strict order, whichever suits the axioms: of x, which is symmetric, it has every
	// pair one way round, and of y all that are in x.
	Order
)

// A Term is a typed expression without names other than the predefined ones.
// Equal terms are the same pointer, so that what is written twice is evaluated
// once.
type Term struct {
	op   Op
	typ  Type
	name string // Base, Variable, Fixpoint, Order
	x, y *Term
	id   int        // index into Model.terms; operands have smaller ones
	rec  *recursion // Fixpoint
	// open is true where a Variable occurs: the value changes while the
	// fixpoint is being computed.
	open bool
}

// recursion is one "let rec ... and ...".
type recursion struct {
	vars   []*Term // the names within the bodies
	fixed  []*Term // the names after it
	bodies []*Term
	open   []*Term // all open terms that belong to it
}

// Type is Set or Relation.
func (t *Term) Type() Type { return t.typ }

// String is the term as cat text with all its brackets, but for the bodies of
// recursive definitions.
func (t *Term) String() string {
	switch t.op {
	case Base, Variable, Fixpoint:
		return t.name
	case Order:
		return OrderName(t.name)
	case Empty:
		return "0"
	case Union, Intersection, Difference, Sequence, Product:
		sign := map[Op]string{Union: "|", Intersection: "&", Difference: `\`, Sequence: ";", Product: "*"}[t.op]
		return "(" + t.x.String() + " " + sign + " " + t.y.String() + ")"
	case Complement:
		return "~" + t.x.String()
	case Identity:
		return "[" + t.x.String() + "]"
	case Domain:
		return "domain(" + t.x.String() + ")"
	case Range:
		return "range(" + t.x.String() + ")"
	}
	return t.x.String() + map[Op]string{Inverse: "^-1", Plus: "^+", Star: "^*", Optional: "?"}[t.op]
}

// OrderName is what the model calls the order of that name.
func OrderName(name string) string { return strings.TrimRight(name, again) }

// vanishes is true of a term that is empty whatever the execution.
func (t *Term) vanishes() bool {
	switch t.op {
	case Empty:
		return true
	case Union:
		return t.x.vanishes() && t.y.vanishes()
	case Intersection, Sequence, Product:
		return t.x.vanishes() || t.y.vanishes()
	case Difference, Identity, Domain, Range, Inverse, Plus, Order:
		return t.x.vanishes()
	}
	return false
}

// Conjuncts is the sides of the outermost intersections: t itself where it is
// none.
func (t *Term) Conjuncts() []*Term {
	if t.op != Intersection {
		return []*Term{t}
	}
	return append(t.x.Conjuncts(), t.y.Conjuncts()...)
}

// termKey tells terms apart.
type termKey struct {
	op   Op
	typ  Type
	name string
	x, y int
}

// maxTerms bounds what functions expand to.
const maxTerms = 1 << 15

var errTooLarge = fmt.Errorf("the model is too large: more than %d terms, when functions are expanded", maxTerms)

// builder makes terms.
type builder struct {
	terms []*Term
	known map[termKey]*Term
	// merged is whether the two events of a read-modify-write count as one; see merge.go.
	merged bool
}

func (b *builder) term(op Op, typ Type, name string, x, y *Term) *Term {
	key := termKey{op, typ, name, -1, -1}
	if x != nil {
		key.x = x.id
	}
	if y != nil {
		key.y = y.id
	}
	if t := b.known[key]; t != nil {
		return t
	}
	t := b.add(&Term{op: op, typ: typ, name: name, x: x, y: y})
	t.open = x != nil && x.open || y != nil && y.open
	b.known[key] = t
	return t
}

// is is whether t is the predefined set or relation of that name.
func (t *Term) is(name string) bool { return t.op == Base && t.name == name }

// add numbers a term that is equal to no other.
func (b *builder) add(t *Term) *Term {
	t.id = len(b.terms)
	b.terms = append(b.terms, t)
	return t
}

func (b *builder) base(name string) *Term {
	if isSet[name] {
		return b.both(b.term(Base, Set, name, nil, nil))
	}
	return b.lift(b.term(Base, Relation, name, nil, nil))
}

// tagged is the set of the events that bear one of the tags.
func (b *builder) tagged(tags []string) *Term {
	if len(tags) == 0 {
		return b.term(Empty, Set, "", nil, nil)
	}
	t := b.term(Base, Set, tags[0], nil, nil)
	for _, tag := range tags[1:] {
		t = b.binary(Union, t, b.term(Base, Set, tag, nil, nil))
	}
	return b.both(t)
}

func (b *builder) binary(op Op, x, y *Term) *Term {
	switch op {
	case Sequence:
		// Models say so of their own fr, of which more is known by its name.
		if x.op == Inverse && x.x.is("rf") && y.is("co") {
			return b.term(Base, Relation, "fr", nil, nil)
		}
		return b.term(op, Relation, "", x, y)
	case Product:
		return b.term(op, Relation, "", x, y)
	case Difference:
		if y.op == Intersection { // x \ (x & z) is x \ z, and less of it can shrink
			switch x {
			case y.x:
				y = y.y
			case y.y:
				y = y.x
			}
		}
	}
	return b.term(op, x.typ, "", x, y)
}

func (b *builder) unary(op Op, x *Term) *Term {
	switch {
	case !b.merged:
	case op == Identity:
		return b.binary(Sequence, b.term(op, Relation, "", x, nil), b.one())
	case op == Optional:
		return b.binary(Union, x, b.one())
	case op == Star:
		return b.binary(Union, b.unary(Plus, x), b.one())
	}
	switch op {
	case Domain, Range:
		return b.term(op, Set, "", x, nil)
	case Complement:
		return b.term(op, x.typ, "", x, nil)
	}
	return b.term(op, Relation, "", x, nil)
}
