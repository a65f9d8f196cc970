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
// included. The error is a [program.Diagnostic].
func Parse(src *program.Source, a program.Arch, include Include) (*Model, error) {
	r := &resolver{
		vocabulary: For(a),
		include:    include,
		model:      &Model{Source: src},
		b:          builder{known: map[termKey]*Term{}},
	}
	f, err := parseFile(src)
	if err != nil {
		return nil, err
	}
	r.model.Name = f.name
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
	work       int // expressions resolved so far, for maxTerms
}

// scope is a chain of names, the innermost first. Chains are shared and never
// change, so that a function keeps the names it was defined among.
type scope struct {
	name string
	term *Term     // a set or a relation
	fun  *function // or a function
	next *scope
}

type function struct {
	b     *binding
	src   *program.Source
	names *scope
}

func (r *resolver) errorf(pos program.Position, hint, format string, args ...any) error {
	return &program.Diagnostic{Source: r.src, Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}
}

func (r *resolver) file(src *program.Source, f *file, depth int) error {
	for _, s := range f.statements {
		r.src = src
		var err error
		switch s := s.(type) {
		case *letStatement:
			err = r.let(s)
		case *axiomStatement:
			a := s.axiom
			if a.Term, err = r.expr(s.body, r.top); err == nil {
				if a.Test != IsEmpty || a.Term.typ == Any {
					a.Term, err = r.want(a.Term, Relation, s.body)
				}
				if err == nil && a.Test != IsEmpty && a.Term.op == Plus {
					// No event is so related to itself: there is no cycle.
					a.Test, a.Term = Acyclic, a.Term.x
				}
				r.model.Axioms = append(r.model.Axioms, &a)
			}
		case *includeStatement:
			err = r.includeFile(s, depth)
		}
		if err != nil {
			return err
		}
	}
	return nil
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
	names := r.top
	if s.rec {
		terms, err := r.fixpoint(s.bindings)
		if err != nil {
			return err
		}
		for i, b := range s.bindings {
			names = &scope{name: b.name, term: terms[i], next: names}
		}
	} else {
		var err error
		if names, err = r.bind(s.bindings, r.top); err != nil {
			return err
		}
	}
	for _, b := range s.bindings {
		if t := lookup(names, b.name).term; t != nil {
			r.model.Defs = append(r.model.Defs, Def{b.name, t, b.pos()})
		}
	}
	r.top = names
	return nil
}

// bind is names with the bindings, which do not see each other.
func (r *resolver) bind(bs []binding, names *scope) (*scope, error) {
	inner := names
	for i := range bs {
		b := &bs[i]
		if b.function {
			inner = &scope{name: b.name, fun: &function{b, r.src, names}, next: inner}
			continue
		}
		t, err := r.expr(b.body, names)
		if err != nil {
			return nil, err
		}
		inner = &scope{name: b.name, term: t, next: inner}
	}
	return inner, nil
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
func (r *resolver) fixpoint(bs []binding) ([]*Term, error) {
	for _, b := range bs {
		if b.function {
			return nil, r.errorf(b.pos(), "only sets and relations can", "a function cannot be recursive")
		}
	}
	types := make([]Type, len(bs))
	for changed := true; changed; {
		changed = false
		_, bodies, err := r.bodies(bs, types)
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
	vars, bodies, err := r.bodies(bs, types)
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
	for i, b := range bs {
		rec.fixed = append(rec.fixed, r.b.add(&Term{op: Fixpoint, typ: types[i], name: b.name, rec: rec}))
	}
	return rec.fixed, nil
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
func (r *resolver) bodies(bs []binding, types []Type) (vars, bodies []*Term, err error) {
	names := r.top
	for i, b := range bs {
		v := r.b.add(&Term{op: Variable, typ: types[i], name: b.name, open: true})
		vars = append(vars, v)
		names = &scope{name: b.name, term: v, next: names}
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
	if r.work++; r.work > maxTerms || len(r.b.terms) > maxTerms {
		return nil, r.errorf(e.pos(), "", "%v", errTooLarge)
	}
	switch e := e.(type) {
	case *emptyExpr:
		return r.b.term(Empty, Any, "", nil, nil), nil
	case *nameExpr:
		return r.name(e, names)
	case *unaryExpr:
		return r.unary(e, names)
	case *binaryExpr:
		return r.binary(e, names)
	case *letExpr:
		inner, err := r.bind(e.bindings, names)
		if err != nil {
			return nil, err
		}
		return r.expr(e.body, inner)
	case *applyExpr:
		return r.apply(e, names)
	}
	panic(fmt.Sprintf("cat: unknown expression %T", e))
}

func (r *resolver) name(e *nameExpr, names *scope) (*Term, error) {
	if s := lookup(names, e.name); s != nil {
		if s.fun != nil {
			return nil, r.errorf(e.pos(), "apply it: "+usage(s.fun.b), "'%s' is a function, a set or a relation is expected here", e.name)
		}
		return s.term, nil
	}
	if t, err := r.predefined(e.name); t != nil || err != nil {
		return t, err
	}
	if f, ok := builtins[e.name]; ok {
		return nil, r.errorf(e.pos(), "apply it to "+f.arg.String(), "'%s' is a function, a set or a relation is expected here", e.name)
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

func usage(b *binding) string { return b.name + "(" + strings.Join(b.params, ", ") + ")" }

// unknown is the error for a name that nothing defines.
func (r *resolver) unknown(pos program.Position, name string, names *scope) error {
	sets, relations, functions := r.vocabulary.names()
	var own []string
	for s := names; s != nil; s = s.next {
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
		return r.errorf(pos, hint, "there is no '%s' on %s (it is a name of %s)", name, r.vocabulary.arch, strings.Join(others, ", "))
	}
	return r.errorf(pos, hint, "there is no '%s'", name)
}

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
		return "'" + e.fun + "(...)'"
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

func (r *resolver) apply(e *applyExpr, names *scope) (*Term, error) {
	s := lookup(names, e.fun)
	f, isBuiltin := builtins[e.fun]
	switch {
	case s == nil && isBuiltin:
		if len(e.args) != 1 {
			return nil, r.errorf(e.args[1].pos(), "", "'%s' takes one argument", e.fun)
		}
		x, err := r.expr(e.args[0], names)
		if err != nil {
			return nil, err
		}
		if x, err = r.want(x, f.arg, e.args[0]); err != nil {
			return nil, err
		}
		return f.apply(&r.b, x), nil
	case s == nil || s.fun == nil:
		t, err := r.name(&nameExpr{e.place, e.fun}, names)
		if err != nil {
			return nil, err
		}
		return nil, r.errorf(e.pos(), "write ';' for the sequence of two relations", "'%s' is %v, not a function", e.fun, t.typ)
	}
	b := s.fun.b
	if len(e.args) != len(b.params) {
		return nil, r.errorf(e.pos(), "it is "+usage(b), "'%s' takes %s, not %d", e.fun, arguments(len(b.params)), len(e.args))
	}
	inner := s.fun.names
	for i, a := range e.args {
		t, err := r.expr(a, names)
		if err != nil {
			return nil, err
		}
		inner = &scope{name: b.params[i], term: t, next: inner}
	}
	src := r.src
	r.src = s.fun.src
	t, err := r.expr(b.body, inner)
	r.src = src
	if d, ok := err.(*program.Diagnostic); ok && !strings.Contains(d.Hint, "in the call") {
		hint := fmt.Sprintf("in the call of '%s' at %s:%d:%d", e.fun, src.Name, e.pos().Line, e.pos().Col)
		if d.Hint != "" {
			hint = d.Hint + "\n  " + hint
		}
		err = &program.Diagnostic{Source: d.Source, Pos: d.Pos, Msg: d.Msg, Hint: hint}
	}
	return t, err
}

func arguments(n int) string {
	if n == 1 {
		return "one argument"
	}
	return fmt.Sprintf("%d arguments", n)
}
