package cat

// classes is the parts of a set of events that an equivalence makes.
type classes struct {
	of    *Term // the set
	same  *Term // the equivalence: pairs of events of the set
	local bool  // it is to be at one location
}

// lifted is a relation between classes. It stands for all pairs of an event of the one with an event of the
// other, so that it is empty, irreflexive or acyclic just where these are.
type lifted struct {
	of  classes
	rel *Term
}

// locationClasses is the parts of a set of events that are at one location each: classes-loc.
func (r *resolver) locationClasses(_ *nameExpr, args []expr, names *scope) (value, error) {
	of, err := r.typed(args[0], Set, names)
	if err != nil {
		return nil, err
	}
	b := &r.b
	return classes{of, b.binary(Intersection, b.base("loc"), b.binary(Product, of, of)), true}, nil
}

// classesOf is the events that a relation holds together, one way or the other.
func (r *resolver) classesOf(_ *nameExpr, args []expr, names *scope) (value, error) {
	x, err := r.typed(args[0], Relation, names)
	if err != nil {
		return nil, err
	}
	b := &r.b
	same := b.unary(Plus, b.binary(Union, x, b.unary(Inverse, x)))
	return classes{b.unary(Domain, same), same, false}, nil
}

// lift relates classes of which an event is related to an event of the other. A set of events stands for the classes of
// one event each.
func (r *resolver) lift(_ *nameExpr, args []expr, names *scope) (value, error) {
	v, err := r.value(args[0], names)
	if err != nil {
		return nil, err
	}
	c, ok := v.(classes)
	if !ok {
		of, err := r.typed(args[0], Set, names)
		if err != nil {
			return nil, err
		}
		c = classes{of: of, same: r.b.unary(Identity, of)}
	}
	x, err := r.typed(args[1], Relation, names)
	if err != nil {
		return nil, err
	}
	return lifted{c, r.b.binary(Sequence, r.b.binary(Sequence, c.same, x), c.same)}, nil
}

// delift is the pairs of events that a relation between classes stands for.
func (r *resolver) delift(_ *nameExpr, args []expr, names *scope) (value, error) {
	v, err := r.value(args[0], names)
	if err != nil {
		return nil, err
	}
	l, ok := v.(lifted)
	if !ok {
		return nil, r.errorf(args[0].pos(), "such as lift(classes(r), s)", "%s is %s, a relation between classes is expected here", subject(args[0]), kind(v))
	}
	return l.rel, nil
}

// classOrders is the orders of classes that extend a relation between them.
func (r *resolver) classOrders(c classes, extends expr, names *scope) (value, error) {
	v, err := r.value(extends, names)
	if err != nil {
		return nil, err
	}
	l, ok := v.(lifted)
	if !ok || l.of != c {
		return nil, r.errorf(extends.pos(), "such as lift(c, r), where c are the classes",
			"%s is %s, a relation between these classes is expected here", subject(extends), kind(v))
	}
	return r.closed(linear{of: c.of, base: l.rel, between: &c}, extends)
}
