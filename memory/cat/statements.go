package cat

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/program"
)

// statements adds what they say to the model; depth is that of includes.
func (r *resolver) statements(all []statement, depth int) error {
	for _, s := range all {
		if err := r.statement(s, depth); err != nil {
			return err
		}
	}
	return nil
}

func (r *resolver) statement(s statement, depth int) error {
	switch s := s.(type) {
	case *letStatement:
		return r.let(s)
	case *axiomStatement:
		return r.axiom(s)
	case *includeStatement:
		return r.includeFile(s, depth)
	case *procedureStatement:
		p := &procedure{s, r.src, nil}
		r.top = &scope{s.name, p, r.top}
		p.names = r.top
		return nil
	case *callStatement:
		return r.call(s, depth)
	case *ifStatement:
		yes, err := r.decide(&s.cond, r.top)
		switch {
		case err != nil:
			return err
		case yes:
			return r.statements(s.yes, depth)
		}
		return r.statements(s.no, depth)
	case *forallStatement:
		v, err := r.value(s.in, r.top)
		if err != nil {
			return err
		}
		elements, err := r.elements(v, s.in)
		if err != nil {
			return err
		}
		top := r.top
		defer func() { r.top = top }()
		for _, e := range elements {
			r.top = &scope{s.name, e, top}
			if err := r.local(s.body, depth); err != nil {
				return err
			}
		}
		return nil
	case *withStatement:
		return r.with(s)
	case *enumStatement:
		tags := list{}
		for _, t := range s.tags {
			tags = append(tags, tag(t))
		}
		r.top = &scope{s.name, tags, r.top}
		return nil
	case *matchStatement:
		c, names, err := r.match(s.match, r.top)
		if err != nil {
			return err
		}
		top := r.top
		defer func() { r.top = top }()
		r.top = names
		return r.local(c.statements, depth)
	}
	panic(fmt.Sprintf("cat: unknown statement %T", s))
}

// local is statements whose names nobody else sees.
func (r *resolver) local(body []statement, depth int) error {
	if depth >= maxIncludeDepth {
		return r.errorf(program.Position{}, "does a procedure call itself?", "statements are nested too deeply")
	}
	defs := len(r.model.Defs)
	err := r.statements(body, depth+1)
	r.model.Defs = r.model.Defs[:defs]
	return err
}

func (r *resolver) axiom(s *axiomStatement) error {
	a := s.axiom
	var err error
	if a.Term, err = r.expr(s.body, r.top); err != nil {
		return err
	}
	if a.Test != IsEmpty || a.Term.typ == Any {
		if a.Term, err = r.want(a.Term, Relation, s.body); err != nil {
			return err
		}
	}
	if a.Test != IsEmpty && a.Term.op == Plus {
		// No event is so related to itself: there is no cycle.
		a.Test, a.Term = Acyclic, a.Term.x
	}
	r.model.Axioms = append(r.model.Axioms, &a)
	return nil
}

// call is a procedure with its arguments.
func (r *resolver) call(s *callStatement, depth int) error {
	found := lookup(r.top, s.name)
	if found == nil {
		return r.unknown(s.pos(), s.name, r.top)
	}
	p, ok := found.value.(*procedure)
	if !ok {
		return r.errorf(s.pos(), "", "'%s' is %s, not a procedure", s.name, kind(found.value))
	}
	if len(s.args) != len(p.params) {
		return r.errorf(s.pos(), "", "'%s' takes %s, not %d", s.name, arguments(len(p.params)), len(s.args))
	}
	names := p.names
	for i, a := range s.args {
		v, err := r.value(a, r.top)
		if err != nil {
			return err
		}
		if names, err = r.bindPattern(&p.params[i], v, names); err != nil {
			return err
		}
	}
	top, src, axioms := r.top, r.src, len(r.model.Axioms)
	r.top, r.src = names, p.src
	err := r.local(p.body, depth)
	r.top, r.src = top, src
	if s.as != "" {
		for _, a := range r.model.Axioms[min(axioms, len(r.model.Axioms)):] {
			a.Name = s.as
		}
	}
	return r.within(err, s.name, src, s.pos())
}

// with is nothing for what is given here, such as coherence. Of other names, the
// executions of herd are as many as there are values.
func (r *resolver) with(s *withStatement) error {
	if t, err := r.predefined(s.name); t != nil && err == nil {
		return nil
	}
	if call, ok := s.from.(*applyExpr); ok && len(call.args) == 2 {
		over, err := r.expr(call.args[0], r.top)
		switch name, _ := call.fun.(*nameExpr); {
		case err != nil:
		case over.vanishes(): // what orders nothing is the empty order
			r.top = &scope{s.name, r.b.term(Empty, Relation, "", nil, nil), r.top}
			return nil
		case over.typ == Set && name != nil && name.name == "generate_orders":
			return r.coherence(s, over, call.args[1])
		}
	}
	if v, err := r.value(s.from, r.top); err == nil {
		if one, ok := v.(list); ok && len(one) == 1 {
			r.top = &scope{s.name, one[0], r.top}
			return nil
		}
	}
	return r.errorf(s.pos(), "a model can speak of the coherence order, which is there before the axioms",
		"'%s' would have every value of a set in turn, which is supported of 'co' only", s.name)
}

// coherence is the order, of the accesses of each location in a set, that extends a relation,
// as the library of herd7 generates them. Of writes, these are the parts of the coherence
// orders: every execution here has one.
func (r *resolver) coherence(s *withStatement, of *Term, extends expr) error {
	if !r.writes(of) {
		return r.errorf(s.pos(), "of writes, such an order is a part of the coherence order",
			"'%s' would have every order of a set in turn, of which not all are writes", s.name)
	}
	base, err := r.expr(extends, r.top)
	if err == nil {
		base, err = r.want(base, Relation, extends)
	}
	if err != nil {
		return err
	}
	b := &r.b
	all := b.binary(Product, of, of)
	order := b.binary(Intersection, b.base("co"), all)
	apart := b.binary(Difference, b.binary(Intersection, b.binary(Intersection, base, b.base("loc")), all), order)
	r.model.Axioms = append(r.model.Axioms, &Axiom{
		Test: IsEmpty, Term: apart, Name: s.name, Text: "with " + s.name + " from generate_orders", Source: r.src, Pos: s.pos()})
	r.top = &scope{s.name, order, r.top}
	return nil
}

// writes is whether a set is known to be of writes alone.
func (r *resolver) writes(t *Term) bool {
	if t == r.b.base("W") || t == r.b.base("I") {
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

func (r *resolver) includeFile(s *includeStatement, depth int) error {
	from := r.src
	if r.included++; r.included > maxIncludes || depth >= maxIncludeDepth {
		return r.errorf(s.pos(), "does it include itself?", "too many files are included")
	}
	if r.include == nil {
		return r.errorf(s.pos(), "", "nothing can be included here")
	}
	src, err := r.include(from.Name, s.file)
	if err != nil {
		return r.errorf(s.pos(), "", "cannot include '%s': %v", s.file, err)
	}
	f, err := parseFile(src)
	if err != nil {
		return err
	}
	return r.file(src, f, depth+1)
}
