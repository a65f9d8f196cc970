package cat

import (
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/program"
)

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
	if special[e.name] != nil {
		return r.alias(e), nil
	}
	return nil, r.unknown(e.pos(), e.name, names)
}

// alias is a predefined function as a value, which a name can be given.
func (r *resolver) alias(e *nameExpr) *function {
	f := &function{name: e.name, tuple: true, src: r.src}
	var args []expr
	for _, x := range special[e.name].params {
		f.params = append(f.params, pattern{name: x})
		args = append(args, &nameExpr{e.place, x})
	}
	f.body = &applyExpr{e.place, &nameExpr{e.place, e.name}, args}
	return f
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
