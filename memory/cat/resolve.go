package cat

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/program"
)

// An Include finds the file that the file from, as it was named, includes under
// the given name.
type Include func(from, name string) (*program.Source, error)

// Bounds on what a model includes, so that files which include each other end.
const (
	maxIncludes     = 100
	maxIncludeDepth = 20
)

// Parse reads a model for an architecture. include may be nil where nothing can be
// included. The functions and procedures of a library are there from the beginning; it
// may be nil. The error is a [program.Diagnostic].
func Parse(src *program.Source, a program.Arch, include Include, library *program.Source) (*Model, error) {
	r := &resolver{vocabulary: For(a), include: include}
	m, err := r.parse(src, library)
	if err == nil && r.merges && a == program.C11 {
		r = &resolver{vocabulary: For(a), include: include, b: builder{merged: true}}
		m, err = r.parse(src, library)
	}
	return m, err
}

func (r *resolver) parse(src, library *program.Source) (*Model, error) {
	r.model, r.b.known = &Model{Source: src}, map[termKey]*Term{}
	if library != nil {
		f, err := parseFile(library)
		if err == nil {
			err = r.file(library, f, 0)
		}
		if err != nil {
			return nil, err
		}
		r.library = r.top
	}
	f, err := parseFile(src)
	if err != nil {
		return nil, err
	}
	r.model.Name = f.name
	if r.b.merged {
		r.model.Axioms = append(r.model.Axioms, r.b.ownValue(src))
	}
	if err := r.file(src, f, 0); err != nil {
		return nil, err
	}
	if len(r.model.Axioms) == 0 {
		return nil, &program.Diagnostic{Source: src, Msg: "the model has no axiom",
			Hint: "to admit every execution, write: empty 0"}
	}
	r.model.terms = r.b.terms
	r.model.findMonotone()
	return r.model, nil
}

// resolver turns syntax into terms.
type resolver struct {
	vocabulary *Vocabulary
	include    Include
	included   int
	model      *Model
	b          builder
	src        *program.Source // of what is being resolved
	top        *scope
	library    *scope
	work       int   // expressions resolved so far, for maxTerms
	missing    error // the last one about a name that nothing defines
	merges     bool  // the model speaks of events that read and write
}

// scope is a chain of names, the innermost first. Chains are shared and never
// change, so that a function keeps the names it was defined among.
type scope struct {
	name  string
	value value
	next  *scope
}

// value is what a name stands for while a model is read: a set or a relation, which is a
// *Term; or one of the types below, of which nothing is left in the model.
type value any

type (
	// function is a function with the names it was defined among.
	function struct {
		name   string
		params []pattern
		tuple  bool // the parameters are in brackets
		body   expr
		src    *program.Source
		names  *scope
	}
	procedure struct {
		*procedureStatement
		src   *program.Source
		names *scope
	}
	tag   string
	tuple []value
	// list is a set of things that are known when the model is read.
	list []value
)

// kind is a value as an error message calls it.
func kind(v value) string {
	switch v := v.(type) {
	case *Term:
		return v.typ.String()
	case *function:
		return "a function"
	case *procedure:
		return "a procedure"
	case tag:
		return "a tag"
	case tuple:
		return fmt.Sprintf("a tuple of %d", len(v))
	}
	return "a set of sets or relations"
}

func (r *resolver) errorf(pos program.Position, hint, format string, args ...any) error {
	return &program.Diagnostic{Source: r.src, Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

func (r *resolver) file(src *program.Source, f *file, depth int) error {
	was := r.src
	defer func() { r.src = was }()
	r.src = src
	return r.statements(f.statements, depth)
}

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
	if p.name != "" {
		return &scope{p.name, v, names}, nil
	}
	parts, ok := v.(tuple)
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

// expr is the term for e. Its type is Any only for 0 and, while the types of
// recursive names are being found, for what depends on them.
func (r *resolver) expr(e expr, names *scope) (*Term, error) {
	v, err := r.value(e, names)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case *Term:
		return v, nil
	case *function:
		return nil, r.errorf(e.pos(), "apply it: "+v.usage(), "%s is a function, a set or a relation is expected here", subject(e))
	case list:
		if len(v) == 0 {
			return r.b.term(Empty, Any, "", nil, nil), nil
		}
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
		return list(vs), err
	case *unaryExpr:
		return orError(r.unary(e, names))
	case *binaryExpr:
		if e.op == appending {
			return r.append(e, names)
		}
		return orError(r.binary(e, names))
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
		if v.vanishes() {
			return nil, nil
		}
		return nil, r.errorf(e.pos(), "what is known is {...}, enumerations, and what is made of them",
			"the elements of %s depend on the execution; a model can speak of all of them at once only", subject(e))
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
	rest, err := r.elements(y, e.y)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(rest, func(v value) bool { return same(v, x) }) {
		return list(rest), nil
	}
	return append(list{x}, rest...), nil
}

// same is whether two values are known to be one.
func same(x, y value) bool {
	switch x := x.(type) {
	case *Term:
		return x == y
	case tag:
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
			return c, &scope{c.head, elements[0], &scope{c.rest, list(elements[1:]), names}}, nil
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

func (r *resolver) name(e *nameExpr, names *scope) (value, error) {
	if s := lookup(names, e.name); s != nil {
		return s.value, nil
	}
	if t, err := r.predefined(e.name); t != nil || err != nil {
		return orError(t, err)
	}
	if _, ok := builtins[e.name]; ok {
		return &function{name: e.name, params: []pattern{{name: "x"}}, tuple: true,
			body: &applyExpr{e.place, &nameExpr{e.place, e.name}, []expr{&nameExpr{e.place, "x"}}}, src: r.src}, nil
	}
	return nil, r.unknown(e.pos(), e.name, names)
}

// predefined is the term for a predefined name; nil where there is none of that name.
func (r *resolver) predefined(name string) (*Term, error) {
	if isBase[name] {
		return r.b.base(name), nil
	}
	if tags, ok := r.vocabulary.sets[name]; ok {
		return r.b.tagged(tags), nil
	}
	text, ok := r.vocabulary.lookup(name)
	if !ok {
		return nil, nil
	}
	src := &program.Source{Name: name, Text: text}
	e, err := parseExpr(src)
	if err != nil {
		return nil, err
	}
	was := r.src
	r.src = src
	defer func() { r.src = was }()
	t, err := r.expr(e, nil)
	if err == nil && t.typ == Any {
		t, err = r.want(t, Relation, e)
	}
	return t, err
}

// usage is how to apply it.
func (f *function) usage() string {
	params := make([]string, len(f.params))
	for i := range params {
		params[i] = f.params[i].String()
	}
	return f.name + "(" + strings.Join(params, ", ") + ")"
}

// unknown is the error for a name that nothing defines.
func (r *resolver) unknown(pos program.Position, name string, names *scope) error {
	sets, relations, functions := r.vocabulary.names()
	var own []string
	for s := names; s != nil && s != r.library; s = s.next {
		own = append(own, s.name)
	}
	sort.Strings(own)
	own = slices.Compact(own)
	var hint string
	if n := suggest.Nearest(name, slices.Concat(own, relations, sets, functions)); n != "" {
		hint = "did you mean '" + n + "'?\n  "
	}
	hint += "predefined sets: " + strings.Join(sets, " ") +
		"\n  predefined relations: " + strings.Join(relations, " ") +
		"\n  predefined functions: " + strings.Join(functions, " ")
	if len(own) > 0 {
		hint += "\n  defined so far: " + strings.Join(own, " ")
	}
	if others := spokenBy(name); len(others) > 0 {
		r.missing = r.errorf(pos, hint, "there is no '%s' on %s%s%s)", name, r.vocabulary.arch, elsewhere, strings.Join(others, ", "))
	} else {
		r.missing = r.errorf(pos, hint, "there is no '%s'", name)
	}
	return r.missing
}

const elsewhere = " (it is a name of "

// Elsewhere is true of the error that a name is one of another architecture.
func Elsewhere(err error) bool { return err != nil && strings.Contains(err.Error(), elsewhere) }

// spokenBy lists the architectures of which it is a name.
func spokenBy(name string) (archs []string) {
	for _, a := range program.Archs() {
		v := For(a)
		_, set := v.sets[name]
		if _, defined := v.defined[name]; set || defined {
			archs = append(archs, a.String())
		}
	}
	return archs
}

// want is t where its type may be the one that is wanted.
func (r *resolver) want(t *Term, typ Type, e expr) (*Term, error) {
	switch {
	case t.typ == typ:
		return t, nil
	case t.typ != Any:
		hint := ""
		if typ == Relation {
			hint = "[S] is the relation of every event of the set S with itself"
		}
		return nil, r.errorf(e.pos(), hint, "%s is %v, %v is expected here", subject(e), t.typ, typ)
	case t.op == Empty:
		return r.b.term(Empty, typ, "", nil, nil), nil
	}
	// The types of recursive names are being found; the term is dropped later.
	return r.b.add(&Term{op: Variable, typ: typ, name: t.name, open: t.open}), nil
}

// subject is e as an error message speaks of it.
func subject(e expr) string {
	switch e := e.(type) {
	case *nameExpr:
		return "'" + e.name + "'"
	case *applyExpr:
		if f, ok := e.fun.(*nameExpr); ok {
			return "'" + f.name + "(...)'"
		}
	}
	return "this"
}

// recursive is the name of a let rec that t depends on.
func recursive(t *Term) string {
	if t.op == Variable {
		return t.name
	}
	for _, x := range []*Term{t.x, t.y} {
		if x != nil && x.open {
			return recursive(x)
		}
	}
	return ""
}

func (r *resolver) nonMonotone(t *Term, e expr, where string) error {
	return r.errorf(e.pos(), "a recursive definition must grow as what it defines grows, or it has no least solution",
		"'%s' is defined by recursion and must not occur %s", recursive(t), where)
}

func (r *resolver) unary(e *unaryExpr, names *scope) (*Term, error) {
	x, err := r.expr(e.x, names)
	if err != nil {
		return nil, err
	}
	switch e.op {
	case Complement:
		if x.open {
			return nil, r.nonMonotone(x, e.x, "under ~")
		}
		if x.typ == Any {
			x, err = r.want(x, Relation, e.x)
		}
	case Identity:
		x, err = r.want(x, Set, e.x)
	default:
		x, err = r.want(x, Relation, e.x)
	}
	if err != nil {
		return nil, err
	}
	return r.b.unary(e.op, x), nil
}

func (r *resolver) binary(e *binaryExpr, names *scope) (*Term, error) {
	x, err := r.expr(e.x, names)
	if err != nil {
		return nil, err
	}
	y, err := r.expr(e.y, names)
	if err != nil {
		return nil, err
	}
	typ := Any
	switch e.op {
	case Sequence:
		typ = Relation
	case Product:
		typ = Set
	default:
		if typ = x.typ; typ == Any {
			typ = y.typ
		}
		if e.op == Difference && y.open {
			return nil, r.nonMonotone(y, e.y, `on the right of \`)
		}
	}
	if typ == Any {
		return r.either(x, y), nil
	}
	r.merges = r.merges || e.op == Intersection && merges(x, y)
	if y.typ != Any && y.typ != typ && x.typ == typ && typ == Relation && e.op != Sequence {
		// Of a set and a relation the set is the likelier mistake, but say
		// what the other side is.
		return nil, r.errorf(e.y.pos(), "[S] is the relation of every event of the set S with itself",
			"%s is a set, while the left side is a relation", subject(e.y))
	}
	if x, err = r.want(x, typ, e.x); err != nil {
		return nil, err
	}
	if y, err = r.want(y, typ, e.y); err != nil {
		return nil, err
	}
	return r.b.binary(e.op, x, y), nil
}

// either is what two terms of unknown type give together: 0, or something that
// depends on a recursive name.
func (r *resolver) either(x, y *Term) *Term {
	if x.open {
		return x
	}
	return y
}

func (r *resolver) apply(e *applyExpr, names *scope) (value, error) {
	name, ok := e.fun.(*nameExpr)
	if ok && lookup(names, name.name) == nil {
		if f, ok := builtins[name.name]; ok {
			if len(e.args) != 1 {
				pos := e.pos()
				if len(e.args) > 1 {
					pos = e.args[1].pos()
				}
				return nil, r.errorf(pos, "", "'%s' takes one argument", name.name)
			}
			x, err := r.expr(e.args[0], names)
			if err != nil {
				return nil, err
			}
			if x, err = r.want(x, f.arg, e.args[0]); err != nil {
				return nil, err
			}
			return f.apply(&r.b, x), nil
		}
		if special[name.name] {
			return r.special(name, e.args, names)
		}
	}
	fun, err := r.value(e.fun, names)
	if err != nil {
		return nil, err
	}
	f, ok := fun.(*function)
	if !ok {
		return nil, r.errorf(e.pos(), "write ';' for the sequence of two relations", "%s is %s, not a function", subject(e.fun), kind(fun))
	}
	args, err := r.values(e.args, names)
	if err != nil {
		return nil, err
	}
	if len(args) == 1 && len(f.params) != 1 { // a tuple is as good as its parts
		if parts, ok := args[0].(tuple); ok {
			args = parts
		}
	}
	if len(args) > 1 && len(f.params) == 1 && !f.tuple {
		args = []value{tuple(args)}
	}
	if len(args) != len(f.params) {
		return nil, r.errorf(e.pos(), "it is "+f.usage(), "'%s' takes %s, not %d", f.name, arguments(len(f.params)), len(args))
	}
	src := r.src
	inner := f.names
	for i, a := range args {
		r.src = f.src
		if inner, err = r.bindPattern(&f.params[i], a, inner); err != nil {
			return nil, err
		}
		r.src = src
	}
	r.src = f.src
	v, err := r.value(f.body, inner)
	r.src = src
	return v, r.within(err, f.name, src, e.pos())
}

// within adds to an error in whose call it is, the innermost only.
func (r *resolver) within(err error, name string, src *program.Source, pos program.Position) error {
	d, ok := err.(*program.Diagnostic)
	if !ok || strings.Contains(d.Hint, "in the call") {
		return err
	}
	hint := fmt.Sprintf("in the call of '%s' at %s:%d:%d", name, src.Name, pos.Line, pos.Col)
	if d.Hint != "" {
		hint = d.Hint + "\n  " + hint
	}
	wrapped := &program.Diagnostic{Source: d.Source, Pos: d.Pos, Msg: d.Msg, Hint: hint}
	if err == r.missing {
		r.missing = wrapped
	}
	return wrapped
}

func arguments(n int) string {
	if n == 1 {
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", n)
}
