package encode

import (
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/solver"
)

// This file makes what the axioms build last from bound to bound, where it can.
//
// The events of a deeper unrolling come after those of their threads that there are. Whether one of these is in a predefined set, or two are
// in a predefined relation, stays as it is, but for fr, which may grow. So of many terms one knows from
// the text that they lose nothing ([cat.Model.Lasting]). Where such a term may have more than its value, the clauses
// say of its literal for a pair only what makes it true, and they remain right: a deeper unrolling has other ways in which the
// pair is related, and a clause for each. So the literal stays, and only clauses are added. An axiom over
// such a term goes on being violated if it is; what it says stays, too, and is extended. The literal off is there so that
// questions can be asked without axioms.
//
// Where the literal of an operand has become another one, all ways through the pair are new: what was said
// of the old one remains right, since it implies no more than is so. A way is known by its clause, and nothing
// else is assumed: of which pairs there are literals may change as it likes.

// An extension is what lasts.
type extension struct {
	terms      []bool // by term: its literals last
	off        solver.Lit
	numbers    map[any]int32 // of points: of events, of the items that are fences, of cells
	lits       map[held]solver.Lit
	said       map[[3]solver.Lit]struct{}
	embeddings map[int]*embedding // by axiom
}

// A held literal is that of a pair of points, or of one, in a value that a term has.
type held struct{ term, part, from, to int32 }

// groundedAxiom is the axiom that no text has.
const groundedAxiom = -1

// What an entry of the tables takes, in bytes.
const (
	heldEntry = 50
	saidEntry = 30
)

// extend makes what is encoded of the axioms last, unless this is the last bound.
func (a *relational) extend() {
	f := a.f
	if f.extension == nil {
		if f.Complete() {
			return
		}
		f.extension = &extension{
			terms: f.opts.Definition.Cat.Lasting(), off: f.Fresh(),
			numbers: map[any]int32{}, lits: map[held]solver.Lit{}, said: map[[3]solver.Lit]struct{}{}, embeddings: map[int]*embedding{},
		}
		solver.Prefer(f.s, f.extension.off) // where nothing is asked of axioms
	}
	e := f.extension
	a.lasting, a.number = e, make([]int32, len(a.points))
	f.Clause(-e.off, f.open)
	for i, p := range a.points {
		var key any = p.cell
		switch {
		case p.ev != nil:
			key = p.ev
		case p.item != nil:
			key = p.item
		}
		if _, ok := e.numbers[key]; !ok {
			e.numbers[key] = int32(len(e.numbers))
		}
		a.number[i] = e.numbers[key]
	}
}

// axiom is whether what an axiom says lasts.
func (e *extension) axiom(ax *cat.Axiom) bool {
	return !ax.Flag && !ax.Negated && e.terms[ax.Term.ID()]
}

// embedding is the order of an axiom that lasts.
func (e *extension) embedding(axiom int) *embedding {
	o := e.embeddings[axiom]
	if o == nil {
		o = newEmbedding()
		o.lasts = true
		e.embeddings[axiom] = o
	}
	return o
}

// name is the number of a point, which is that of every bound where something lasts.
func (a *relational) name(i int) int32 {
	if a.number == nil {
		return int32(i)
	}
	return a.number[i]
}

// held is the literal of two points in a value of the term at hand that is only true where clauses imply it.
func (a *relational) held(part, i, j int) solver.Lit {
	if !a.lasts {
		return a.f.consequence()
	}
	key := held{a.slot, int32(part), a.name(i), a.name(j)}
	l, ok := a.lasting.lits[key]
	if !ok {
		l = a.f.consequence()
		a.lasting.lits[key] = l
		a.f.limits.extra += heldEntry
	}
	return l
}

// imply says that x and y imply l, unless that was said.
func (a *relational) imply(x, y, l solver.Lit) {
	f := a.f
	if x == l || y == l || f.IsFalse(x) || f.IsFalse(y) || f.IsTrue(l) {
		return
	}
	if a.lasts {
		key := [3]solver.Lit{min(x, y), max(x, y), l}
		if _, ok := a.lasting.said[key]; ok {
			return
		}
		a.lasting.said[key] = struct{}{}
		f.limits.extra += saidEntry
	}
	f.Clause(-x, -y, l)
}
