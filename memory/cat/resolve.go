package cat

import (
	"fmt"

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
	read := func(r *resolver) (*Model, error) {
		r.vocabulary, r.include = For(a), include
		m, err := r.parse(src, library)
		switch {
		case err == nil && r.merges && a == program.C11 && r.apart != nil:
			return nil, &program.Diagnostic{Source: src, Msg: r.apart.(*program.Diagnostic).Msg,
				Hint: "it cannot be taken apart in a model in which a read-modify-write is one event: this one mentions R & W"}
		case err == nil && r.merges && a == program.C11 && !r.b.merged:
			return nil, errTwice
		}
		return m, err
	}
	r := &resolver{}
	m, err := read(r)
	if err == errTwice {
		r = &resolver{b: builder{merged: true}}
		m, err = read(r)
	}
	if what, ok := r.apart.(*program.Diagnostic); ok && err != nil {
		u := &unfolding{what: what, read: read}
		// What is wrong with it whatever is taken apart is said now.
		if m, err = u.in(func(*Model, *Term) []int { return nil }); err != nil {
			return nil, err
		}
		return &Model{Name: m.Name, Source: src, unfolding: u}, nil
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
	if len(r.model.Axioms) == 0 && r.members == nil { // in some executions there may be none
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
	coherent   bool  // the model has taken its coherence order
	orders     int   // that were taken so far

	// members is who knows what is in sets of events; may be nil. apart is the error of taking one apart without.
	members  func(part *Model, t *Term) []int
	apart    error
	gathered map[*Term][]value // what sets that were made of single events are made of
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
	// orders is the unions of one order each of these.
	orders []linear
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
	case classes:
		return "a set of sets"
	case lifted:
		return "a relation between sets"
	case single:
		return "an event or a pair of events"
	case orders:
		return "a set of orders"
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
