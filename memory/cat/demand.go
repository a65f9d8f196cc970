package cat

// A Matrix is a set of pairs of events; the operators are those of the language.
type Matrix[R any] interface {
	Union(R) R
	Intersection(R) R
	Sequence(R) R
	Inverse() R
	Star() R
	Empty() bool
}

// Demand finds out which pairs of the relations of m the axioms look at: by term, see [Term.ID]. What an axiom asks for of its
// term, asked says, out of the pairs that may be in it; possible says of every term which may be in it, with which events may
// be in a set in pairs with themselves. From there demand goes down: whether a pair is in x; y asks
// for those pairs of x and of y only that are a way to it, whether it is in x & y for no pair that is not in both. Flags
// ask for something only where flags is true. (The active sets of Gavrilenko, Ponce-de-León, Furbach, Heljanko and Meyer, "BMC for
// Weak Memory Models: Relation Analysis for Compact SMT Encodings".)
func Demand[R Matrix[R]](m *Model, flags bool, possible func(t *Term) R, asked func(a *Axiom, may R) R) []R {
	d := &demand[R]{possible: possible, pairs: make([]R, len(m.terms)), some: make([]bool, len(m.terms))}
	for _, a := range m.Axioms {
		switch {
		case a.Flag && !flags:
		case a.Term.typ == Relation:
			d.ask(a.Term, asked(a, possible(a.Term)))
		default:
			d.all(a.Term)
		}
	}
	for i := len(m.terms) - 1; i >= 0; i-- { // operands come first
		if d.some[i] {
			d.down(m.terms[i])
		}
	}
	return d.pairs
}

// ID is a number of the term, below [Model.Size].
func (t *Term) ID() int { return t.id }

type demand[R Matrix[R]] struct {
	possible func(t *Term) R
	pairs    []R    // by term
	some     []bool // likewise: it is asked for
}

func (d *demand[R]) ask(t *Term, pairs R) {
	if d.some[t.id] {
		pairs = d.pairs[t.id].Union(pairs)
	}
	d.pairs[t.id], d.some[t.id] = pairs, true
}

// all asks for all of a term: of sets there is no telling.
func (d *demand[R]) all(t *Term) {
	if t.typ == Set {
		d.some[t.id] = true
		return
	}
	d.ask(t, d.possible(t))
}

// down asks for what a term is made of.
func (d *demand[R]) down(t *Term) {
	if t.rec != nil {
		for _, ts := range [][]*Term{t.rec.open, t.rec.bodies} {
			for _, x := range ts {
				d.all(x)
			}
		}
		return
	}
	if t.x == nil {
		return
	}
	if t.typ == Set || t.x.typ == Set || t.op == Order {
		d.all(t.x)
		if t.y != nil {
			d.all(t.y)
		}
		return
	}
	need, x := d.pairs[t.id], d.possible(t.x)
	switch t.op {
	case Union, Difference, Complement:
		d.ask(t.x, need.Intersection(x))
		if t.y != nil {
			d.ask(t.y, need.Intersection(d.possible(t.y)))
		}
	case Intersection:
		d.ask(t.x, need)
		d.ask(t.y, need)
	case Sequence:
		y := d.possible(t.y)
		d.ask(t.x, x.Intersection(need.Sequence(y.Inverse())))
		d.ask(t.y, y.Intersection(x.Inverse().Sequence(need)))
	case Inverse:
		d.ask(t.x, need.Inverse())
	case Plus, Star: // a step of a way from one end of a pair to the other
		back := x.Star().Inverse()
		d.ask(t.x, x.Intersection(back.Sequence(need).Sequence(back)))
	case Optional:
		d.ask(t.x, need.Intersection(x))
	default:
		d.all(t.x)
		if t.y != nil {
			d.all(t.y)
		}
	}
}
