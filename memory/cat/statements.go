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
	v, err := r.value(s.body, r.top)
	if err != nil {
		return err
	}
	if l, ok := v.(lifted); ok {
		a.Term = l.rel
	} else if a.Term, err = r.term(v, s.body); err != nil {
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
