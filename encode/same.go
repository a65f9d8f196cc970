package encode

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// This file proves that a model from a file admits the same executions as one that has a direct encoding: whatever
// violates an axiom of one of the two violates the other one, and so each of its axioms follows from those of the other.
//
// That an axiom follows is a question about parts of executions with a few events. Say that the axioms of the one model
// have it that b is acyclic, and that r is to be acyclic. It is if r lies in the transitive closure of b: a cycle of r would be one of b.
// So take a pair of r. That it is in r is to be seen by a few events (see cat.Term.Witnesses); in the part of the execution
// that has those only, and the sources of the reads among them, what the one model demands holds as well, if its axioms are
// monotone; and if the pair is in the closure of b there, it is so in the execution. So it is enough that no part with
// so many events at most has a pair of r and not of the closure, and a solver tells. An axiom that something is empty or irreflexive
// is asked about alike.
//
// Two more steps are taken where they are needed. The events of a block count as one in some models: if what b
// has leads from one event of a block from and to the others, as well, then the order within blocks, which is in program order,
// may be added to b, and cycles are none the more. And fences may be events of the order: then r is asked
// about between accesses, with fences on the way.

// maxEvents bounds the events of a part, without the sources of reads.
const maxEvents = 8

// maxLooks bounds how often the solvers look at their context while it is tried to prove that two models are the same: whether there
// is a proof does not depend on the machine.
const maxLooks = 1000

// patience is a context that ends after so many looks at it.
type patience struct {
	context.Context
	looks int
}

func (p *patience) Err() error {
	if p.looks--; p.looks < 0 {
		return context.DeadlineExceeded
	}
	return p.Context.Err()
}

// Shortcut is the model of [Direct] that admits the same executions of p as d, where that can be proved; else "".
func Shortcut(ctx context.Context, p *program.Program, d *memory.Definition) memory.Model {
	class, ok := classOf(p)
	if !ok || d.Cat.Ordered() || slices.ContainsFunc(dependent, d.Cat.Mentions) {
		return ""
	}
	return memory.Note(d, class, func() (m memory.Model, known bool) {
		m = equal(ctx, d, class)
		return m, m != "" || ctx.Err() == nil
	})
}

// equal is the model of [Direct] that is proved to admit the same executions as d of all programs of the class, or "".
func equal(ctx context.Context, d *memory.Definition, class Class) memory.Model {
	for _, m := range []memory.Model{memory.TSO, memory.SC, memory.PSO} {
		text, err := memory.Load(m)
		if err == nil && judgements(d, class) == judgements(text, class) && same(&patience{ctx, maxLooks}, d.Cat, text.Cat, class) {
			return m
		}
	}
	return ""
}

// dependent are the relations that only a formula which follows the text of a model keeps.
var dependent = []string{"addr", "data", "ctrl", "casdep", "pick-addr", "pick-data", "pick-ctrl", "rcu-rscs"}

// classOf is the class of p; false where there is none.
func classOf(p *program.Program) (class Class, ok bool) {
	if p.Arch != program.X86 || p.Parts() || looksAtMemory(p) {
		return class, false
	}
	class.Blocks, ok = memory.Block(p) != nil, true
	for _, t := range p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			switch c.Op {
			case program.Lock, program.Unlock:
				return class, false
			case program.Fence:
				class.Fences = class.Fences.With(c.EventTags(p.Arch, false).Names()...)
			case program.Atomic:
				class.Locked = true
				class.Fences = class.Fences.With(c.EventTags(p.Arch, false).Names()...) // where it has no access that others see
			}
			ok = ok && (c.Op == program.Fence || c.Tags == program.Tags{}) // of other tags nothing is known
			for k := range c.Body {
				ok = ok && c.Body[k].Tags == program.Tags{}
			}
		}
	}
	return class, ok && !class.Fences.Has(program.TagLocked)
}

// same is whether the two are proved to admit the same executions.
func same(ctx context.Context, a, b *cat.Model, class Class) bool {
	return implies(ctx, a, b, class) && implies(ctx, b, a, class)
}

// implies is whether every axiom of b is proved to follow from those of a.
func implies(ctx context.Context, a, b *cat.Model, class Class) bool {
	for _, goal := range b.Axioms {
		if goal.Flag || slices.ContainsFunc(a.Axioms, func(x *cat.Axiom) bool { return x.Says(goal) }) {
			continue
		}
		if goal.Negated || !follows(ctx, a, b, goal, class) {
			return false
		}
	}
	return true
}

// A lemma is a proof in the making: that a goal, an axiom of one model, follows from the axioms of another one.
type lemma struct {
	*generic
	ctx    context.Context
	s      solver.Solver
	goal   *cat.Interpreter[litSet, litRelation]
	orders []order
}

// An order is a relation that is acyclic, as an axiom of the other model has it.
type order struct {
	value   litRelation
	closure litRelation
	blocks  bool // it leads from and to all events of a block alike
}

// A reach is what a path leads to.
type reach struct {
	witnesses int
	row       []solver.Lit // by point: the path leads there from the first point
}

// follows is whether the goal, of b, is proved to follow from a.
func follows(ctx context.Context, a, b *cat.Model, goal *cat.Axiom, class Class) bool {
	if goal.Term.Type() != cat.Relation {
		return false
	}
	ways, blocks := cores(goal)
	n := 0
	for _, p := range ways {
		w, ok := p.Witnesses()
		if n = max(n, w+4); !ok || n > maxEvents {
			return false
		}
	}
	for _, sources := range []bool{false, true} {
		s, err := solver.New("cdcl")
		if err != nil {
			return false
		}
		defer s.Close()
		l := &lemma{ctx: ctx, s: s, generic: newGeneric(s, class, n, sources)}
		l.assume(a)
		l.MayExceed(false)
		l.goal = cat.NewInterpreter(b, cat.Algebra[litSet, litRelation](exactly{l.generic}))
		var steps []reach
		for _, p := range ways {
			w, _ := p.Witnesses()
			steps = append(steps, reach{w, l.row(p)})
		}
		if l.proved(goal, steps, blocks) {
			return true
		}
	}
	return false
}

// cores lists the paths that the goal is about. Where it says that a relation is acyclic which leads from and to events of a block alike, they are
// those that are between, and blocks is true: there is to be no cycle of them with steps within blocks in between.
func cores(goal *cat.Axiom) (paths []cat.Path, blocks bool) {
	if goal.Test != cat.Acyclic && !goal.Term.Closed() {
		return []cat.Path{{{Factors: []*cat.Term{goal.Term}}}}, false
	}
	for _, p := range goal.Term.Steps() {
		core, begins, ends := p.Within()
		blocks = blocks || begins || ends
		if !slices.ContainsFunc(paths, core.Equal) {
			paths = append(paths, core)
		}
	}
	return paths, blocks
}

// assume makes the axioms of a hold.
func (l *lemma) assume(a *cat.Model) {
	in := cat.NewInterpreter(a, cat.Algebra[litSet, litRelation](l.generic))
	for _, ax := range a.Axioms {
		switch {
		case ax.Flag || !ax.Monotone():
		case ax.Term.Type() == cat.Set:
			l.none(in.Set(ax.Term))
		case ax.Test == cat.IsEmpty:
			l.none(in.Relation(ax.Term))
		case ax.Test == cat.Irreflexive && !ax.Term.Closed():
			l.none(l.diagonal(in.Relation(ax.Term)))
		default:
			l.orders = append(l.orders, l.order(in.Relation(ax.Term), alike(ax.Term.Steps())))
		}
	}
}

// alike is whether the paths lead from and to all events of a block alike: with each there is the same with block before it, and
// behind it.
func alike(paths []cat.Path) bool {
	type ends struct{ plain, before, behind, both bool }
	var known []cat.Path
	var by []ends
	for _, p := range paths {
		core, begins, closes := p.Within()
		k := slices.IndexFunc(known, core.Equal)
		if k < 0 {
			k = len(known)
			known, by = append(known, core), append(by, ends{})
		}
		e := &by[k]
		*[]*bool{&e.plain, &e.before, &e.behind, &e.both}[btoi(begins)+2*btoi(closes)] = true
	}
	return !slices.ContainsFunc(by, func(e ends) bool { return e != ends{true, true, true, true} })
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// order makes a relation acyclic.
func (l *lemma) order(r litRelation, blocks bool) order {
	l.MayExceed(true)
	o := order{r, l.closureAbove(r), blocks}
	l.none(l.diagonal(o.closure))
	return o
}

// row is where a path leads to from the first point.
func (l *lemma) row(p cat.Path) []solver.Lit {
	at := l.noSet()
	at[0] = l.points[0].guard
	for _, part := range p {
		if len(part.Without) == 0 {
			for _, t := range part.Factors {
				at = l.image(at, l.goal.Relation(t))
			}
			continue
		}
		r := l.goal.Relation(part.Factors[0])
		for _, t := range part.Factors[1:] {
			r = l.Sequence(r, l.goal.Relation(t))
		}
		for _, t := range part.Without {
			r = l.Relations().Difference(r, l.goal.Relation(t))
		}
		at = l.image(at, r)
	}
	return at
}

// image is where r leads to from the points of s.
func (l *lemma) image(s litSet, r litRelation) litSet {
	n := len(s)
	to := l.noSet()
	for j := range n {
		var ways []solver.Lit
		for i := range n {
			ways = append(ways, l.f.And(s[i], r[i*n+j]))
		}
		to[j] = l.f.OrTree(ways)
	}
	return to
}

func (l *lemma) none(lits []solver.Lit) {
	for _, x := range lits {
		l.f.Clause(-x)
	}
}

func (l *lemma) diagonal(r litRelation) []solver.Lit {
	lits := make([]solver.Lit, len(l.points))
	for i := range lits {
		lits[i] = r[i*len(lits)+i]
	}
	return lits
}

// never is whether no part with so many base points has all of lits.
func (l *lemma) never(points int, lits ...solver.Lit) bool {
	for i := points; i < len(l.points); i++ {
		if i < l.base || i-l.base >= points {
			lits = append(lits, -l.points[i].guard)
		}
	}
	st, err := l.s.Solve(l.ctx, lits...)
	return points <= l.base && err == nil && st == solver.Unsat
}

// no is whether no step leads from the first point to another one, of which lits are so as well, with so many points beside
// the witnesses.
func (l *lemma) no(steps []reach, points, to int, lits ...solver.Lit) bool {
	by := map[int][]solver.Lit{} // by witnesses
	for _, s := range steps {
		by[s.witnesses] = append(by[s.witnesses], s.row[to])
	}
	for w, rows := range by {
		if !l.never(w+points, append([]solver.Lit{l.f.OrTree(rows)}, lits...)...) {
			return false
		}
	}
	return true
}

// proved is whether the goal is.
func (l *lemma) proved(goal *cat.Axiom, steps []reach, blocks bool) bool {
	if !l.no(steps, 1, 0) {
		return false
	}
	if goal.Test == cat.IsEmpty {
		return l.no(steps, 2, 1)
	}
	if goal.Test == cat.Irreflexive && !goal.Term.Closed() {
		return true
	}
	for _, o := range l.orders {
		if l.inside(o, steps, blocks) {
			return true
		}
		if wider, ok := l.withBlocks(o); ok && l.inside(wider, steps, blocks) {
			return true
		}
	}
	return false
}

// inside is whether a cycle of the steps would be one of o: all pairs are in its closure, but that those with
// a fence may be in program order instead. A cycle leads over such pairs from access to access, along program order. So it is enough
// that all that begins in an access, and goes on from a fence in program order, is in the closure; or the other way round. Where there may be
// steps within blocks in between, what follows on such a step is in the closure, too, or what comes before one.
func (l *lemma) inside(o order, steps []reach, blocks bool) bool {
	if !blocks || !l.class.Locked {
		return l.within(o, steps, nil)
	}
	block := func(i, j int) solver.Lit { return l.rel("block", i, j) }
	return l.no(steps, 2, 1, block(0, 1)) &&
		(l.within(o, steps, func(from, to, e int) []solver.Lit { return []solver.Lit{block(e, from), -l.closed(o, e, to)} }) ||
			l.within(o, steps, func(from, to, e int) []solver.Lit { return []solver.Lit{block(to, e), -l.closed(o, from, e)} }))
}

// closed is the literal of a pair in the closure of o.
func (l *lemma) closed(o order, i, j int) solver.Lit { return o.closure[i*len(l.points)+j] }

// within is inside, where longer, if it is not nil, says what there is not to be with another point beside a pair in the closure.
func (l *lemma) within(o order, steps []reach, longer func(from, to, e int) []solver.Lit) bool {
	po := func(i, j int) solver.Lit { return l.rel("po", i, j) }
	// all is whether from and to, of so many points of which a step leads from the first to the second, are in the closure.
	all := func(from, to, points int, lits ...solver.Lit) bool {
		lits = slices.Clip(lits)
		return l.no(steps, points, 1, append(lits, -l.closed(o, from, to))...) &&
			(longer == nil || l.no(steps, points+1, 1, append(lits, longer(from, to, points)...)...))
	}
	if all(0, 1, 2) {
		return true
	}
	return l.no(steps, 2, 1, l.fence[0], -po(0, 1)) && l.no(steps, 2, 1, l.fence[1], -po(0, 1)) &&
		all(0, 1, 2, l.access[0], l.access[1]) &&
		(all(0, 2, 3, l.access[0], l.fence[1], l.access[2], po(1, 2)) ||
			all(2, 1, 3, l.access[2], l.fence[0], l.access[1], po(2, 0)))
}

// withBlocks adds to o the order within blocks, if o leads from and to all events of a block alike.
func (l *lemma) withBlocks(o order) (order, bool) {
	if !l.class.Locked || !o.blocks {
		return o, false
	}
	l.MayExceed(true)
	inner := l.Relations().Intersection(l.rels["block"], l.rels["po"])
	return l.order(l.Relations().Union(o.value, inner), false), true
}
