package cat

import "slices"

// A model of herd7 can have every value of a set of relations in turn, and an execution is
// admitted where it satisfies the axioms with one of them: "with s from linearisations(e, r)".
// Of the sets whose elements depend on the execution there are those of the orders of events
// that extend a relation, over all events of a set or within each location, and the unions of
// such, which is what herd7's library makes coherence orders of. The elements cannot be taken
// apart here: a model takes one ([Order]), of which the axioms say which.

// linear is the orders of the pairs of events of a set that extend a relation.
type linear struct {
	of      *Term // the set
	local   bool  // events of one location are ordered, others not
	base    *Term
	between *classes // in place of events; or nil
}

// linearisations is the orders of a set that extend a relation: of events, or of classes.
func (r *resolver) linearisations(_ *nameExpr, args []expr, names *scope) (value, error) {
	v, err := r.value(args[0], names)
	if err != nil {
		return nil, err
	}
	if c, ok := v.(classes); ok {
		return r.classOrders(c, args[1], names)
	}
	of, err := r.typed(args[0], Set, names)
	if err != nil {
		return nil, err
	}
	return r.linear(of, false, args[1], names)
}

// locationOrders is the orders within each of the classes of a set that extend a relation, which
// comes first: co_locs.
func (r *resolver) locationOrders(_ *nameExpr, args []expr, names *scope) (value, error) {
	v, err := r.value(args[1], names)
	if err != nil {
		return nil, err
	}
	c, ok := v.(classes)
	if !ok || !c.local {
		return nil, r.errorf(args[1].pos(), "", "%s is %s, the classes-loc of a set are expected here", subject(args[1]), kind(v))
	}
	return r.linear(c.of, true, args[0], names)
}

// generateOrders is the orders within each location that extend a relation: of the accesses in a
// set or, of generate_cos, of writes.
func (r *resolver) generateOrders(name *nameExpr, args []expr, names *scope) (value, error) {
	if name.name == "generate_cos" {
		return r.linear(r.b.base("W"), true, args[0], names)
	}
	of, err := r.typed(args[0], Set, names)
	if err != nil {
		return nil, err
	}
	return r.linear(of, true, args[1], names)
}

// crossed is the unions of one element of each of several sets of orders.
func (r *resolver) crossed(_ *nameExpr, args []expr, names *scope) (value, error) {
	v, err := r.value(args[0], names)
	if err != nil {
		return nil, err
	}
	if os, ok := v.(orders); ok {
		return os, nil
	}
	sets, err := r.elements(v, args[0])
	if err != nil {
		return nil, err
	}
	all := orders{}
	for _, s := range sets {
		os, ok := s.(orders)
		if !ok {
			return nil, r.errorf(args[0].pos(), "", "%s has %s in it, sets of orders are expected", subject(args[0]), kind(s))
		}
		all = append(all, os...)
	}
	return all, nil
}

// typed is the term for an expression of that type.
func (r *resolver) typed(e expr, typ Type, names *scope) (*Term, error) {
	t, err := r.expr(e, names)
	if err != nil {
		return nil, err
	}
	return r.want(t, typ, e)
}

func (r *resolver) linear(of *Term, local bool, extends expr, names *scope) (value, error) {
	base, err := r.typed(extends, Relation, names)
	if err != nil {
		return nil, err
	}
	return r.closed(linear{of: of, local: local, base: base}, extends)
}

// closed is the orders, which must not depend on a recursion within it.
func (r *resolver) closed(o linear, at expr) (value, error) {
	for _, t := range []*Term{o.of, o.base} {
		if t.open {
			return nil, r.errorf(at.pos(), "", "orders cannot be taken of '%s', which is being defined by recursion", recursive(t))
		}
	}
	return orders{o}, nil
}

// with takes one of several values. It is nothing for what is given here, such as coherence.
func (r *resolver) with(s *withStatement) error {
	given, _ := r.predefined(s.name)
	v, err := r.value(s.from, r.top)
	os, ordered := v.(orders)
	one, listed := v.(list)
	switch {
	case err == nil && ordered:
		return r.take(s, os)
	case given != nil:
		return nil
	case err == nil && listed && len(one) == 1:
		r.top = &scope{s.name, one[0], r.top}
		return nil
	}
	if call, ok := s.from.(*applyExpr); ok && len(call.args) == 2 {
		if over, err := r.expr(call.args[0], r.top); err == nil && over.vanishes() { // what orders nothing is the empty order
			r.top = &scope{s.name, r.b.term(Empty, Relation, "", nil, nil), r.top}
			return nil
		}
	}
	if err != nil {
		return err
	}
	return r.errorf(s.pos(), "a model can take one of the orders that linearisations(s, r) or generate_orders(s, r) gives",
		"'%s' would have every value of a set in turn, which is supported of orders only", s.name)
}

// take gives a name to an order.
func (r *resolver) take(s *withStatement, os orders) error {
	b := &r.b
	whole := b.term(Empty, Relation, "", nil, nil)
	for _, o := range os {
		if o.of.vanishes() {
			continue
		}
		all := b.binary(Product, o.of, o.of)
		if o.local {
			all = b.binary(Intersection, all, b.base("loc"))
		}
		extends := b.ways(&o)
		base := b.binary(Intersection, extends, all)
		switch {
		case o.local && o.of == b.base("W") && s.name == "co" && len(os) == 1:
			r.coherent = true
			if !r.extended(o.base) {
				r.demand(s, IsEmpty, b.binary(Difference, base, b.base("co")))
			}
			return nil // of all writes of a location, such an order is there before the axioms
		case o.local && len(os) == 1 && !r.coherent && r.writes(o.of):
			// Every execution has one of all writes.
			r.coherent = true
			whole = b.binary(Intersection, b.base("co"), b.binary(Product, o.of, o.of))
			r.demand(s, IsEmpty, b.binary(Difference, base, whole))
		default:
			r.demand(s, Acyclic, base)
			same := b.same()
			if o.between != nil {
				same = o.between.same
			}
			order := r.order(s.name, b.binary(Difference, all, same), extends)
			if whole.op == Empty {
				whole = order
			} else {
				whole = b.binary(Union, whole, order)
			}
		}
	}
	var v value = whole
	if len(os) == 1 && os[0].between != nil {
		v = lifted{*os[0].between, whole}
	}
	r.top = &scope{s.name, v, r.top}
	r.model.Defs = append(r.model.Defs, Def{s.name, whole, s.pos()})
	return nil
}

// ways is what an order extends, with the ways that lead through events which are not ordered: what comes before them
// comes before what comes after them.
func (b *builder) ways(o *linear) *Term {
	switch {
	case o.base.vanishes() || o.between != nil:
		return o.base
	case o.local: // events at other locations are not ordered either
		return b.unary(Plus, o.base)
	}
	inside, outside := b.unary(Identity, o.of), b.unary(Identity, b.unary(Complement, o.of))
	from := func(x, y *Term) *Term { return b.binary(Sequence, b.binary(Sequence, x, o.base), y) }
	through := b.binary(Sequence, from(inside, outside), b.unary(Star, from(outside, outside)))
	return b.binary(Union, o.base, b.binary(Sequence, through, from(outside, inside)))
}

// again is what tells an order from others of its name.
const again = "#"

func (r *resolver) order(name string, pairs, base *Term) *Term {
	r.orders++
	for range r.orders - 1 {
		name += again
	}
	return r.b.term(Order, Relation, name, pairs, base)
}

// same relates every event with itself and what counts as one with it.
func (b *builder) same() *Term {
	if b.merged {
		return b.one()
	}
	return b.term(Identity, Relation, "", b.term(Base, Set, "_", nil, nil), nil)
}

// demand is an axiom that a with statement comes with.
func (r *resolver) demand(s *withStatement, test Test, t *Term) {
	r.model.Axioms = append(r.model.Axioms, &Axiom{
		Test: test, Term: t, Name: s.name, Text: "with " + s.name, Source: r.src, Pos: s.pos()})
}

// extended is whether every coherence order extends r, on the face of it.
func (r *resolver) extended(t *Term) bool {
	co0, err := r.predefined("co0")
	return t.vanishes() || err == nil && t == co0
}

// writes is whether a set is known to be of writes alone.
func (r *resolver) writes(t *Term) bool {
	if slices.Contains([]*Term{r.b.base("W"), r.b.base("I")}, t) {
		return true
	}
	switch t.op {
	case Intersection:
		return r.writes(t.x) || r.writes(t.y)
	case Union:
		return r.writes(t.x) && r.writes(t.y)
	case Difference:
		return r.writes(t.x)
	}
	return t.vanishes()
}
