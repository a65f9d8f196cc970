package encode

import (
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/solver"
)

// literal is the size of one, in bytes.
const literal = 4

// axioms asserts what the model demands of the executions at this bound. All of
// it hangs on the literal open, since a deeper unrolling has more points, and a
// relation with a complement in it may shrink.
func (f *Formula) axioms() {
	a := f.newRelational()
	// The interpreter keeps the value of every term, and some more are in the making.
	values := int64(f.opts.Definition.Cat.Size()+8) * int64(len(a.points)) * int64(len(a.points)) * literal
	f.room(values)
	f.limits.extra += values
	defer func() { f.limits.extra -= values }()
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
	for _, ax := range f.opts.Definition.Cat.Axioms {
		switch {
		case !ax.Flag:
			a.axiom(in, ax, f.open)
		case f.opts.Flags: // only if it is asked for
			lit := f.Fresh()
			f.flags = append(f.flags, flag{ax.Name, lit})
			a.axiom(in, ax, -f.And(lit, -f.open))
		}
	}
}

// A flag is what the model says of some executions, and a literal that only such an execution
// can have.
type flag struct {
	name string
	lit  solver.Lit
}

// axiom asserts that the test of an axiom comes out as it says, unless something is.
func (a *relational) axiom(in *cat.Interpreter[litSet, litRelation], ax *cat.Axiom, unless solver.Lit) {
	loops := func(r litRelation) []solver.Lit {
		lits := make([]solver.Lit, len(a.points))
		for i := range lits {
			lits[i] = r[i*len(a.points)+i]
		}
		return lits
	}
	switch {
	case ax.Term.Type() == cat.Set:
		a.empty(in.Set(ax.Term), ax.Negated, unless)
	case ax.Test == cat.IsEmpty:
		a.empty(in.Relation(ax.Term), ax.Negated, unless)
	case ax.Test == cat.Irreflexive:
		a.empty(loops(in.Relation(ax.Term)), ax.Negated, unless)
	case ax.Negated:
		x := in.Relation(ax.Term)
		a.MayExceed(false)
		a.empty(loops(a.Plus(x)), true, unless)
	default:
		a.acyclic(in.Relation(ax.Term), unless)
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
	a.acyclic(known, a.f.open)
}

// empty says that none of lits is true or, negated, that one is, unless something is.
func (a *relational) empty(lits []solver.Lit, negated bool, unless solver.Lit) {
	if negated {
		a.f.Clause(append([]solver.Lit{unless}, lits...)...)
		return
	}
	for _, l := range lits {
		a.f.Clause(-l, unless)
	}
}

// acyclic embeds r into a strict order of the points. Pairs that lie on no cycle
// of what r can hold need no order: there is one for each strongly connected
// component. All of this is so unless something is.
func (a *relational) acyclic(r litRelation, unless solver.Lit) {
	f, n := a.f, len(a.points)
	for i := range n {
		f.poll()
		f.Clause(-r[i*n+i], unless)
	}
	for _, comp := range components(n, func(i, j int) bool { return !f.IsFalse(r[i*n+j]) }) {
		if len(comp) == 1 {
			continue
		}
		if f.graph != nil {
			a.acyclicGraph(r, comp, unless)
			continue
		}
		before := make([][]solver.Lit, len(comp))
		f.limits.extra += literal * int64(len(comp)*len(comp))
		for x := range comp {
			f.poll()
			before[x] = make([]solver.Lit, len(comp))
			for y := range x {
				// What must be in r is in order for certain.
				switch {
				case f.IsTrue(r[comp[y]*n+comp[x]]):
					before[y][x] = f.True
				case f.IsTrue(r[comp[x]*n+comp[y]]):
					before[y][x] = f.False()
				default:
					before[y][x] = f.Fresh()
				}
				before[x][y] = -before[y][x]
			}
		}
		for x, i := range comp {
			f.poll()
			for y, j := range comp {
				if x != y {
					f.Clause(-r[i*n+j], before[x][y], unless)
				}
			}
		}
		for x := range comp {
			for y := range x {
				f.poll()
				for z := range y {
					f.Clause(-before[x][y], -before[y][z], before[x][z], unless)
					f.Clause(before[x][y], before[y][z], -before[x][z], unless)
				}
			}
		}
	}
}

// acyclicGraph makes r on comp a graph of the solver.
func (a *relational) acyclicGraph(r litRelation, comp []int, unless solver.Lit) {
	f, n, theory := a.f, len(a.points), a.f.graph.theory
	nodes := make([]int, len(comp))
	for x := range nodes {
		nodes[x] = theory.NewNode()
	}
	for x, i := range comp {
		f.poll()
		for y, j := range comp {
			l := r[i*n+j]
			if x == y || f.IsFalse(l) {
				continue
			}
			e := -unless
			if !f.IsTrue(l) {
				e = f.consequence()
				f.Clause(-l, e, unless)
			}
			theory.AddEdge(nodes[x], nodes[y], e)
		}
	}
}
