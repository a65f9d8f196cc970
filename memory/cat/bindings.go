package cat

import (
	"slices"
)

// let defines the names of a statement.
func (r *resolver) let(s *letStatement) error {
	var names *scope
	var err error
	if s.rec {
		names, err = r.recursion(s.bindings, r.top)
	} else {
		names, err = r.bind(s.bindings, r.top)
	}
	if err != nil {
		return err
	}
	for _, b := range s.bindings {
		for _, name := range b.names() {
			if t, ok := lookup(names, name).value.(*Term); ok {
				r.model.Defs = append(r.model.Defs, Def{name, t, b.pos()})
			}
		}
	}
	r.top = names
	if s.when != nil { // an execution in which the recursion fails does not count
		return r.axiom(s.when)
	}
	return nil
}

// names lists what a binding binds.
func (b *binding) names() (names []string) {
	if b.tuple == nil {
		return []string{b.name}
	}
	var visit func(p *pattern)
	visit = func(p *pattern) {
		if p.name != "" && p.name != "_" {
			names = append(names, p.name)
		}
		for i := range p.parts {
			visit(&p.parts[i])
		}
	}
	visit(b.tuple)
	return names
}

// bind is names with the bindings, which do not see each other.
func (r *resolver) bind(bs []binding, names *scope) (*scope, error) {
	inner := names
	for i := range bs {
		b := &bs[i]
		if b.function {
			inner = &scope{b.name, &function{b.name, b.params, !b.single, b.body, r.src, names}, inner}
			continue
		}
		v, err := r.value(b.body, names)
		if err != nil {
			return nil, err
		}
		if b.tuple != nil {
			if inner, err = r.bindPattern(b.tuple, v, inner); err != nil {
				return nil, err
			}
			continue
		}
		inner = &scope{b.name, v, inner}
	}
	return inner, nil
}

// bindPattern is names with the parts of v.
func (r *resolver) bindPattern(p *pattern, v value, names *scope) (*scope, error) {
	switch p.name {
	case "":
	case "_":
		return names, nil
	default:
		return &scope{p.name, v, names}, nil
	}
	parts, ok := components(v)
	if !ok || len(parts) != len(p.parts) {
		return nil, r.errorf(p.pos(), "", "%v does not fit %s", p, kind(v))
	}
	for i := range parts {
		var err error
		if names, err = r.bindPattern(&p.parts[i], parts[i], names); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// recursion is names with the bindings of a let rec: functions, or sets and relations.
func (r *resolver) recursion(bs []binding, names *scope) (*scope, error) {
	var functions []*function
	inner := names
	for i := range bs {
		b := &bs[i]
		if !b.function {
			break
		}
		f := &function{b.name, b.params, !b.single, b.body, r.src, nil}
		functions = append(functions, f)
		inner = &scope{b.name, f, inner}
	}
	if len(functions) == len(bs) {
		for _, f := range functions {
			f.names = inner
		}
		return inner, nil
	}
	terms, err := r.fixpoint(bs, names)
	if err != nil {
		return nil, err
	}
	for i, b := range bs {
		names = &scope{b.name, terms[i], names}
	}
	return names, nil
}

func lookup(names *scope, name string) *scope {
	for ; names != nil; names = names.next {
		if names.name == name {
			return names
		}
	}
	return nil
}

// fixpoint is the terms for the names of a let rec. Which of them are sets and
// which are relations is found by resolving the bodies until nothing more is
// learnt; what is left open then is a relation.
func (r *resolver) fixpoint(bs []binding, names *scope) ([]*Term, error) {
	for _, b := range bs {
		if b.function || b.tuple != nil {
			return nil, r.errorf(b.pos(), "", "functions, and sets and relations, need a recursion of their own")
		}
	}
	types := make([]Type, len(bs))
	for changed := true; changed; {
		changed = false
		_, bodies, err := r.bodies(bs, types, names)
		if err != nil {
			return nil, err
		}
		for i, t := range bodies {
			if types[i] == Any && t.typ != Any {
				types[i], changed = t.typ, true
			}
		}
	}
	for i := range types {
		if types[i] == Any {
			types[i] = Relation
		}
	}
	first := len(r.b.terms)
	vars, bodies, err := r.bodies(bs, types, names)
	if err != nil {
		return nil, err
	}
	rec := &recursion{vars: vars}
	for i := range bodies {
		t, err := r.want(bodies[i], types[i], bs[i].body)
		if err != nil {
			return nil, err
		}
		rec.bodies = append(rec.bodies, t)
	}
	if t := r.closure(vars, rec.bodies); t != nil {
		return []*Term{t}, nil
	}
	for _, t := range r.b.terms[first:] {
		if t.open {
			rec.open = append(rec.open, t)
		}
	}
	for i, t := range rec.bodies {
		if v := outer(t, vars); v != "" {
			return nil, r.errorf(bs[i].pos(), "define the two together, with and", "a recursion within another cannot depend on the other's '%s'", v)
		}
	}
	for i, b := range bs {
		rec.fixed = append(rec.fixed, r.b.add(&Term{op: Fixpoint, typ: types[i], name: b.name, rec: rec}))
	}
	return rec.fixed, nil
}

// outer is a variable of a recursion that is not among vars, on which t depends; "" where
// there is none.
func outer(t *Term, vars []*Term) string {
	seen := map[*Term]bool{}
	var in func(t *Term) string
	in = func(t *Term) string {
		if t == nil || !t.open || seen[t] {
			return ""
		}
		seen[t] = true
		if t.op == Variable && !slices.Contains(vars, t) {
			return t.name
		}
		if v := in(t.x); v != "" {
			return v
		}
		return in(t.y)
	}
	return in(t)
}

// closure is t^+ for "let rec v = t | v; v", which is how models mostly say it: an algebra
// of formulas gets there in fewer steps. It is nil for other recursions.
func (r *resolver) closure(vars, bodies []*Term) *Term {
	if len(vars) != 1 || vars[0].typ != Relation {
		return nil
	}
	var base *Term
	again, others := false, false
	var visit func(t *Term)
	visit = func(t *Term) {
		switch {
		case t.op == Union:
			visit(t.x)
			visit(t.y)
		case !t.open && t.op == Plus: // (x^+ | y)^+ = (x | y)^+
			visit(t.x)
		case !t.open && base == nil:
			base = t
		case !t.open:
			base = r.b.binary(Union, base, t)
		case t.op == Sequence && t.x == vars[0] && t.y == vars[0]:
			again = true
		default:
			others = true
		}
	}
	visit(bodies[0])
	if base == nil || !again || others {
		return nil
	}
	return r.b.unary(Plus, base)
}

// bodies resolves the bodies of a let rec for names of those types.
func (r *resolver) bodies(bs []binding, types []Type, names *scope) (vars, bodies []*Term, err error) {
	for i, b := range bs {
		v := r.b.add(&Term{op: Variable, typ: types[i], name: b.name, open: true})
		vars = append(vars, v)
		names = &scope{b.name, v, names}
	}
	for _, b := range bs {
		t, err := r.expr(b.body, names)
		if err != nil {
			return nil, nil, err
		}
		bodies = append(bodies, t)
	}
	return vars, bodies, nil
}
