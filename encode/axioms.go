package encode

import (
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/solver"
)

// literal is the size of one, in bytes.
const literal = 4

// axioms asserts what the model demands of the executions at this bound. All of
// it hangs on the literal open, but what lasts: a deeper unrolling has more points, and a
// relation with a complement in it may shrink.
func (f *Formula) axioms() {
	a := f.newRelational()
	// The interpreter keeps the value of every term, and some more are in the making.
	values := int64(f.opts.Definition.Cat.Size()+8) * int64(len(a.points)) * int64(len(a.points)) * literal
	f.room(values)
	f.limits.extra += values
	defer func() { f.limits.extra -= values }()
	if !f.twoSided {
		a.extend()
	}
	if !f.opts.Definition.OrdersReads() { // which is more than that
		a.grounded()
	}
	in := cat.NewInterpreter(f.opts.Definition.Cat, cat.Algebra[litSet, litRelation](a))
	if !f.twoSided {
		a.analyse(f.opts.Definition.Cat)
	} else {
		in = cat.NewInterpreter(f.opts.Definition.Cat, cat.Algebra[litSet, litRelation](exactly{a}))
	}
	f.flags = nil
	for i, ax := range f.opts.Definition.Cat.Axioms {
		switch {
		case a.lasting != nil && a.lasting.axiom(ax):
			a.axiom(in, ax, a.lasting.off, a.lasting.embedding(i))
		case !ax.Flag:
			a.axiom(in, ax, f.open, newEmbedding())
		case f.opts.Flags: // only if it is asked for
			lit := f.Fresh()
			f.flags = append(f.flags, flag{ax.Name, lit})
			a.axiom(in, ax, -f.And(lit, -f.open), newEmbedding())
		}
	}
}

// A flag is what the model says of some executions, and a literal that only such an execution
// can have.
type flag struct {
	name string
	lit  solver.Lit
}

// axiom asserts that the test of an axiom comes out as it says, unless something is. The order that it may take is o.
func (a *relational) axiom(in *cat.Interpreter[litSet, litRelation], ax *cat.Axiom, unless solver.Lit, o *embedding) {
	loops := func(r litRelation) []solver.Lit {
		lits := make([]solver.Lit, len(a.points))
		for i := range lits {
			lits[i] = r[i*len(a.points)+i]
		}
		return lits
	}
	if ax.Term.Type() == cat.Set {
		x := in.Set(ax.Term)
		a.lasts = o.lasts
		a.empty(x, ax.Negated, unless)
		return
	}
	x := in.Relation(ax.Term)
	a.lasts = o.lasts
	switch {
	case ax.Test == cat.IsEmpty:
		a.empty(x, ax.Negated, unless)
	case ax.Test == cat.Irreflexive:
		a.empty(loops(x), ax.Negated, unless)
	case ax.Negated:
		a.MayExceed(false)
		a.empty(loops(a.Plus(x)), true, unless)
	default:
		a.acyclic(x, unless, o)
	}
}

// exactly hides that an algebra is polarized.
type exactly struct {
	cat.Algebra[litSet, litRelation]
}

// grounded says that no value comes out of thin air: what a read gives is known before
// what is computed from it, and the address before the access (as herd has it). Through
// control dependencies values may justify each other, if the model lets them.
func (a *relational) grounded() {
	w := a.Relations()
	known := w.Union(a.Relation("rf"), w.Union(a.Relation("addr"), a.Relation("data")))
	if a.f.p.Arch.Picks() {
		known = w.Union(known, w.Union(a.Relation("pick-addr"), a.Relation("pick-data")))
	}
	if a.lasting == nil {
		a.acyclic(known, a.f.open, newEmbedding())
		return
	}
	a.lasts = true
	a.acyclic(known, a.lasting.off, a.lasting.embedding(groundedAxiom))
}

// empty says that none of lits is true or, negated, that one is, unless something is.
func (a *relational) empty(lits []solver.Lit, negated bool, unless solver.Lit) {
	if negated {
		a.f.Clause(append([]solver.Lit{unless}, lits...)...)
		return
	}
	for _, l := range lits {
		a.imply(l, -unless, a.f.False())
	}
}
