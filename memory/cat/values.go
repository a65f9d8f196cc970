package cat

import (
	"fmt"
	"slices"
)

// expr is the term for e. Its type is Any only for 0 and, while the types of
// recursive names are being found, for what depends on them.
func (r *resolver) expr(e expr, names *scope) (*Term, error) {
	v, err := r.value(e, names)
	if err != nil {
		return nil, err
	}
	return r.term(v, e)
}

// term is what e stands for, where that is a set or a relation.
func (r *resolver) term(v value, e expr) (*Term, error) {
	switch v := v.(type) {
	case *Term:
		return v, nil
	case single:
		return v.Term, nil
	case *function:
		return nil, r.errorf(e.pos(), "apply it: "+v.usage(), "%s is a function, a set or a relation is expected here", subject(e))
	case list:
		if len(v) == 0 {
			return r.b.term(Empty, Any, "", nil, nil), nil
		}
	case lifted:
		return nil, r.errorf(e.pos(), "delift(...) is that of their events", "%s is %s, a set or a relation of events is expected here", subject(e), kind(v))
	}
	return nil, r.errorf(e.pos(), "", "%s is %s, a set or a relation is expected here", subject(e), kind(v))
}

// value is what e stands for.
func (r *resolver) value(e expr, names *scope) (value, error) {
	if r.work++; r.work > maxTerms || len(r.b.terms) > maxTerms {
		return nil, r.errorf(e.pos(), "", "%v", errTooLarge)
	}
	switch e := e.(type) {
	case *emptyExpr:
		return r.b.term(Empty, Any, "", nil, nil), nil
	case *nameExpr:
		return r.name(e, names)
	case *tagExpr:
		return tag(e.name), nil
	case *tupleExpr:
		vs, err := r.values(e.parts, names)
		return tuple(vs), err
	case *setExpr:
		vs, err := r.values(e.parts, names)
		if err == nil {
			if typ := r.singles(vs); typ != Any {
				return r.gather(vs, typ), nil
			}
		}
		return list(vs), err
	case *unaryExpr:
		return orError(r.unary(e, names))
	case *binaryExpr:
		if e.op == appending {
			return r.append(e, names)
		}
		return r.binary(e, names)
	case *letExpr:
		inner, err := (*scope)(nil), error(nil)
		if e.rec {
			inner, err = r.recursion(e.bindings, names)
		} else {
			inner, err = r.bind(e.bindings, names)
		}
		if err != nil {
			return nil, err
		}
		return r.value(e.body, inner)
	case *funExpr:
		return &function{"fun", []pattern{e.param}, false, e.body, r.src, names}, nil
	case *applyExpr:
		return r.apply(e, names)
	case *tryExpr:
		src := r.src
		v, err := r.value(e.x, names)
		if err != nil && err == r.missing {
			r.src = src
			return r.value(e.otherwise, names)
		}
		return v, err
	case *ifExpr:
		yes, err := r.decide(&e.cond, names)
		switch {
		case err != nil:
			return nil, err
		case yes:
			return r.value(e.yes, names)
		}
		return r.value(e.no, names)
	case *matchExpr:
		c, inner, err := r.match(e, names)
		if err != nil {
			return nil, err
		}
		return r.value(c.body, inner)
	}
	panic(fmt.Sprintf("cat: unknown expression %T", e))
}

// orError is a term as a value, and no value beside an error.
func orError(t *Term, err error) (value, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

func (r *resolver) values(es []expr, names *scope) ([]value, error) {
	var vs []value
	for _, e := range es {
		v, err := r.value(e, names)
		if err != nil {
			return nil, err
		}
		vs = append(vs, v)
	}
	return vs, nil
}

// elements are those of a set that is known when the model is read.
func (r *resolver) elements(v value, e expr) ([]value, error) {
	switch v := v.(type) {
	case list:
		return v, nil
	case *Term:
		return r.taken(v, e)
	case classes:
		return r.parts(v, e)
	case orders:
		return nil, r.errorf(e.pos(), "a model can take one of such orders: with x from linearisations(s, r), or from generate_orders(s, r), cross(co_locs(r, classes-loc(s))) for those within each location",
			"the elements of %s, %s, depend on the execution, so that they cannot be taken apart", subject(e), kind(v))
	}
	return nil, r.errorf(e.pos(), "", "%s is %s, a set is expected here", subject(e), kind(v))
}

// append is x ++ y.
func (r *resolver) append(e *binaryExpr, names *scope) (value, error) {
	x, err := r.value(e.x, names)
	if err != nil {
		return nil, err
	}
	y, err := r.value(e.y, names)
	if err != nil {
		return nil, err
	}
	if pair, ok := x.(tuple); ok {
		x = r.pair(pair)
	}
	if one, ok := x.(single); ok { // more of a set of events, or of a relation
		t, err := r.term(y, e.y)
		if err == nil {
			t, err = r.want(t, one.typ, e.y)
		}
		if err != nil {
			return nil, err
		}
		return r.b.binary(Union, one.Term, t), nil
	}
	rest, err := r.elements(y, e.y)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(rest, func(v value) bool { return same(v, x) }) {
		return list(rest), nil
	}
	return append(list{x}, rest...), nil
}

// union is x | y of two sets of sets or relations.
func union(x, y list) list {
	all := slices.Clone(x)
	for _, v := range y {
		if !slices.ContainsFunc(all, func(w value) bool { return same(v, w) }) {
			all = append(all, v)
		}
	}
	return all
}

// same is whether two values are known to be one.
func same(x, y value) bool {
	switch x := x.(type) {
	case *Term:
		return x == y
	case tag:
		return x == y
	case classes, single:
		return x == y
	case tuple:
		z, ok := y.(tuple)
		return ok && slices.EqualFunc(x, z, same)
	case list:
		z, ok := y.(list)
		return ok && len(x) == len(z) && subset(x, z)
	}
	return false
}

func subset(x, y []value) bool {
	for _, v := range x {
		if !slices.ContainsFunc(y, func(w value) bool { return same(v, w) }) {
			return false
		}
	}
	return true
}

// match is the case that fits, and the names in it.
func (r *resolver) match(e *matchExpr, names *scope) (*clause, *scope, error) {
	v, err := r.value(e.x, names)
	if err != nil {
		return nil, nil, err
	}
	var elements []value
	_, isTag := v.(tag)
	if !isTag {
		if elements, err = r.elements(v, e.x); err != nil {
			return nil, nil, err
		}
	}
	for i := range e.clauses {
		c := &e.clauses[i]
		switch {
		case c.kind == caseAny, c.kind == caseTag && v == tag(c.tag), c.kind == caseEmpty && !isTag && len(elements) == 0:
			return c, names, nil
		case c.kind == caseMore && len(elements) > 0:
			var rest value = list(elements[1:])
			if t, ok := v.(*Term); ok {
				rest = r.gather(elements[1:], t.typ)
			}
			if c.rest != "_" {
				names = &scope{c.rest, rest, names}
			}
			return c, &scope{c.head, elements[0], names}, nil
		}
	}
	return nil, nil, r.errorf(e.pos(), "", "no case fits %s", kind(v))
}

// decide is whether a condition holds. No variant of a model is in force.
func (r *resolver) decide(c *cond, names *scope) (bool, error) {
	var subs []bool
	for i := range c.subs {
		b, err := r.decide(&c.subs[i], names)
		if err != nil {
			return false, err
		}
		subs = append(subs, b)
	}
	switch c.op {
	case "variant":
		return false, nil
	case "not":
		return !subs[0], nil
	case "&&":
		return subs[0] && subs[1], nil
	case "||":
		return subs[0] || subs[1], nil
	}
	vs, err := r.values([]expr{c.x, c.y}, names)
	if err != nil {
		return false, err
	}
	x, y := vs[0], vs[1]
	if c.op == "=" {
		_, isTag := x.(tag)
		_, isTuple := x.(tuple)
		if isTag || isTuple || same(x, y) {
			return same(x, y), nil
		}
	}
	right, err := r.elements(y, c.y)
	if err != nil {
		return false, err
	}
	if c.op == "in" {
		return slices.ContainsFunc(right, func(v value) bool { return same(x, v) }), nil
	}
	left, err := r.elements(x, c.x)
	return subset(left, right) && (c.op == "subset" || len(left) == len(right)), err
}
