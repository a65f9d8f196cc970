// Package cat reads memory models written in the cat language of Alglave,
// Maranget and others ("Herding Cats", 2014): definitions of sets of events and
// of relations between events, and axioms that say which of them are acyclic,
// irreflexive or empty.
//
// A text comes in. Out comes a [Model]: its axioms over typed [Term]s, in which
// names are resolved and functions are expanded, or a [program.Diagnostic] that
// points into the text. What the terms mean is up to an [Algebra]; an
// [Interpreter] evaluates them in it. So one reading of a model serves all: a
// concrete execution graph, a formula, an explanation.
//
// What the language computes with tags, tuples, functions and sets of sets is computed when
// a model is read. What sets of events depend on the execution, it is read anew for executions if it takes them
// apart (unfold.go). Of sets of relations that depend on the execution there are those of the
// orders that extend a relation, one of which a model can take ([Order]).
package cat

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Model is a memory model.
type Model struct {
	Name   string // as the text calls itself; may be empty
	Source *program.Source
	Axioms []*Axiom
	// Defs are the sets and relations that the model defines by name, in order.
	// A name may occur again; the later one is what the text after it means.
	Defs []Def

	terms      []*Term
	skipsWaits bool
	unfolding  *unfolding // of a model that unfolds; else nil
}

// A Def is a definition of a set or a relation.
type Def struct {
	Name string
	Term *Term
	Pos  program.Position // in the file that has it
}

// Def is the last definition of that name, or nil.
func (m *Model) Def(name string) *Term {
	for i := len(m.Defs) - 1; i >= 0; i-- {
		if m.Defs[i].Name == name {
			return m.Defs[i].Term
		}
	}
	return nil
}

// Ordered is whether the model takes orders that the axioms alone determine: see [Order].
func (m *Model) Ordered() bool {
	return slices.ContainsFunc(m.terms, func(t *Term) bool { return t.op == Order })
}

// Size is how many terms the model has.
func (m *Model) Size() int { return len(m.terms) }

// Mentions is whether an axiom, flags aside, depends on the predefined set or relation
// of that name. Of a model that unfolds it is true.
func (m *Model) Mentions(name string) bool {
	return m.unfolding != nil || slices.ContainsFunc(m.Axioms, func(a *Axiom) bool { return !a.Flag && a.Mentions(name) })
}

// Mentions is whether the axiom depends on the predefined set or relation of that name,
// or on the set of the events that bear the tag.
func (a *Axiom) Mentions(name string) bool {
	return a.Term.depends(func(t *Term) bool { return t.op == Base && t.name == name })
}

// depends is whether some term that t is made of, or t itself, is such a one.
func (t *Term) depends(such func(t *Term) bool) bool {
	var seen []bool // by the numbers of terms
	var in func(t *Term) bool
	in = func(t *Term) bool {
		if t == nil || t.id < len(seen) && seen[t.id] {
			return false
		}
		seen = append(seen, make([]bool, max(0, t.id+1-len(seen)))...)
		seen[t.id] = true
		if t.op == Fixpoint && slices.ContainsFunc(t.rec.bodies, in) {
			return true
		}
		return such(t) || in(t.x) || in(t.y)
	}
	return in(t)
}

// A Test is what an axiom asks of its term.
type Test uint8

// The tests.
const (
	Acyclic Test = iota
	Irreflexive
	IsEmpty
)

func (t Test) String() string { return [...]string{"acyclic", "irreflexive", "empty"}[t] }

// An Axiom is what a model demands of every execution or, where Flag is set,
// only points out.
type Axiom struct {
	Test    Test
	Negated bool // the test must fail
	Flag    bool // an execution in which the axiom holds is flagged, not excluded
	Term    *Term
	Name    string // after "as"; else Text
	Text    string // as the source has it, such as "acyclic po | com"
	Source  *program.Source
	Pos     program.Position // in Source

	monotone, extends bool
}

// Type tells sets from relations.
type Type uint8

const (
	// Any is the type of 0 until its context says which.
	Any Type = iota
	// Set is a set of events.
	Set
	// Relation is a relation between events.
	Relation
)

func (t Type) String() string {
	return [...]string{"a set or a relation", "a set", "a relation"}[t]
}
