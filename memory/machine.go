package memory

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/memory/cat"
)

// A machine evaluates the terms of a model in one graph after the other, where most graphs are
// like one that was there before: an enumeration adds an event, and then tries what it reads
// from, or where it is in coherence order. So the values of terms are kept, by the number of
// events, for as long as the graph has what they depend on: most depend on the events and the
// program alone, some on reads-from, and few on coherence. And many are empty, which makes
// what is intersected or in sequence with them empty, and leaves nothing to be done for unions.
//
// It gives the same as a [cat.Interpreter], which explanations use.
type machine struct {
	code   *cat.Code
	needs  []uint8  // by step: what it depends on
	frames []*frame // by number of events, up to maxFramed; then one for all
	base   concrete // of predefined sets and relations
	orders *orders  // what there is to choose, or nil
}

// What a term may depend on beside the events and the relations of the program.
const (
	onRF uint8 = 1 << iota
	onCO
	onOrder // one that is chosen
	kinds   // how many combinations there are
)

// maxFramed is up to how many events values are kept for each number of events.
const maxFramed = 96

func newMachine(m *cat.Model) *machine {
	v := &machine{code: m.Code(), frames: make([]*frame, maxFramed+2)}
	v.needs = make([]uint8, len(v.code.Steps))
	for i, s := range v.code.Steps {
		switch s.Op {
		case cat.Base:
			v.needs[i] = map[string]uint8{"rf": onRF, "co": onCO, "fr": onRF | onCO}[s.Name]
			if s.Type == cat.Set {
				v.needs[i] = 0
			}
		case cat.Order:
			v.needs[i] = onOrder | v.needs[s.X] | v.needs[s.Y]
		case cat.Fixpoint:
			// The terms of a loop are between its variables and its results, but for a body that
			// another axiom has, too.
			l := v.code.Loops[s.Loop]
			for k := l.Variables[0]; k < l.Results[0]; k++ {
				v.needs[i] |= v.needs[k]
			}
			for _, b := range l.Bodies {
				v.needs[i] |= v.needs[b]
			}
		default:
			for _, x := range []int{s.X, s.Y} {
				if x >= 0 {
					v.needs[i] |= v.needs[x]
				}
			}
		}
	}
	if len(v.code.Orders) > 0 {
		v.orders = newOrders(v, m.Axioms)
	}
	return v
}

// A frame is the values of terms in graphs of so many events.
type frame struct {
	n     int
	graph Graph // what the values are of
	clock uint64
	// now is when that which terms depend on has changed: by what they need, then by loop.
	now  []uint64
	at   []uint64 // by step: when its value was found
	none []bool   // by step: the value is empty
	rels []Relation
	sets []Set
	// ownRels and ownSets is the memory of steps.
	ownRels []Relation
	ownSets []Set
	// chosen is the orders, of those that the model takes; settled is whether they are those of
	// the graph, found is whether it satisfies the axioms with them and the flag too, or -1.
	chosen  []Relation
	settled bool
	found   bool
	flag    int
}

// enter is the frame for g, in which all values that are marked as found are those of g.
func (v *machine) enter(g *Graph) *frame {
	n := len(g.Events)
	k := min(n, maxFramed+1)
	f := v.frames[k]
	if f == nil || f.n != n {
		steps := len(v.code.Steps)
		f = &frame{n: n, now: make([]uint64, int(kinds)+len(v.code.Loops)), at: make([]uint64, steps), none: make([]bool, steps),
			rels: make([]Relation, steps), sets: make([]Set, steps), ownRels: make([]Relation, steps), ownSets: make([]Set, steps)}
		v.frames[k] = f
	}
	f.take(g)
	return f
}

// take notes what has changed since the last graph.
func (f *frame) take(g *Graph) {
	all, rf, co := f.clock == 0 || !f.like(g), false, false
	if all {
		f.graph.Events = append(f.graph.Events[:0], g.Events...)
		f.graph.Picks = g.Picks
	}
	of := g.all()
	for i, own := range f.graph.all() {
		r := of[i]
		if own.n == r.n && slices.Equal(own.bits, r.bits) {
			continue
		}
		own.n, own.w, own.bits = r.n, r.w, append(own.bits[:0], r.bits...)
		switch own {
		case &f.graph.RF:
			rf = true
		case &f.graph.CO:
			co = true
		default:
			all = true
		}
	}
	f.clock++
	if f.settled = f.settled && !all && !rf && !co; !f.settled {
		f.turn()
	}
	for need := range kinds {
		if all || rf && need&onRF != 0 || co && need&onCO != 0 {
			f.now[need] = f.clock
		}
	}
}

// turn notes that orders have changed.
func (f *frame) turn() {
	f.clock++
	for need := range kinds {
		if need&onOrder != 0 {
			f.now[need] = f.clock
		}
	}
}

// like is whether the events are as they were, as far as a model can see.
func (f *frame) like(g *Graph) bool {
	if len(f.graph.Events) != len(g.Events) || f.graph.Picks != g.Picks {
		return false
	}
	for i := range g.Events {
		a, b := &f.graph.Events[i], &g.Events[i]
		if a.Thread != b.Thread || a.Kind != b.Kind || a.Addr != b.Addr || a.Tags != b.Tags || a.Block != b.Block ||
			a.Index != b.Index || a.whole != b.whole || a.Part != b.Part {
			return false
		}
	}
	return true
}

// holds is whether the test of the k-th axiom comes out as the axiom says, in the graph of the
// frame.
func (v *machine) holds(f *frame, a *cat.Axiom, k int) bool {
	t := v.code.Axioms[k]
	if v.needs[t]&onOrder != 0 {
		v.settle(f, -1)
	}
	return v.test(f, a, t)
}

// test is whether the test of an axiom comes out as the axiom says, of a step.
func (v *machine) test(f *frame, a *cat.Axiom, t int) bool {
	if a.Test == cat.Acyclic && v.code.Steps[t].Op == cat.Plus {
		t = v.code.Steps[t].X
	}
	passed := v.empty(f, t)
	if !passed && a.Term.Type() == cat.Relation {
		switch a.Test {
		case cat.Acyclic:
			passed = f.rels[t].Acyclic()
		case cat.Irreflexive:
			passed = f.rels[t].Irreflexive()
		}
	}
	return passed != a.Negated
}

// class is what a step depends on, as an index of the times at which that changed.
func (v *machine) class(t int) int {
	if s := &v.code.Steps[t]; s.Loop >= 0 && s.Op != cat.Fixpoint {
		return int(kinds) + s.Loop
	}
	return int(v.needs[t])
}

// empty is whether the value of a step is empty, which is known after this.
func (v *machine) empty(f *frame, t int) bool {
	now := f.now[v.class(t)]
	if f.at[t] == now {
		return f.none[t]
	}
	s := &v.code.Steps[t]
	switch {
	case s.Op == cat.Fixpoint:
		v.fix(f, s.Loop)
		return f.none[t]
	case s.Op == cat.Base:
		v.predefined(f, t, s)
	case s.Op <= cat.Complement && s.Type == cat.Set:
		v.booleanSet(f, t, s)
	case s.Op == cat.Domain || s.Op == cat.Range:
		v.side(f, t, s)
	default:
		v.relation(f, t, s)
	}
	f.at[t] = now
	return f.none[t]
}

// relation finds the value of a step that makes a relation.
func (v *machine) relation(f *frame, t int, s *cat.Instruction) {
	switch s.Op {
	case cat.Empty:
		f.none[t] = true
	case cat.Union:
		switch x, y := v.empty(f, s.X), v.empty(f, s.Y); {
		case x:
			f.same(t, s.Y)
		case y:
			f.same(t, s.X)
		default:
			z, a, b := f.room(t), f.rels[s.X].bits, f.rels[s.Y].bits
			for i := range z.bits {
				z.bits[i] = a[i] | b[i]
			}
			f.none[t] = false
		}
	case cat.Intersection:
		if v.either(f, t, s) {
			return
		}
		z, a, b, any := f.room(t), f.rels[s.X].bits, f.rels[s.Y].bits, uint64(0)
		for i := range z.bits {
			z.bits[i] = a[i] & b[i]
			any |= z.bits[i]
		}
		f.none[t] = any == 0
	case cat.Difference:
		switch {
		case v.empty(f, s.X):
			f.none[t] = true
		case v.empty(f, s.Y):
			f.same(t, s.X)
		default:
			z, a, b, any := f.room(t), f.rels[s.X].bits, f.rels[s.Y].bits, uint64(0)
			for i := range z.bits {
				z.bits[i] = a[i] &^ b[i]
				any |= z.bits[i]
			}
			f.none[t] = any == 0
		}
	case cat.Complement:
		z := f.room(t)
		if v.empty(f, s.X) {
			for i := range z.bits {
				z.bits[i] = ^uint64(0)
			}
			for e := range z.n {
				trim(z.row(e), z.n)
			}
		} else {
			f.rels[s.X].complement(z)
		}
		f.none[t] = z.Empty()
	case cat.Sequence:
		v.sequence(f, t, s)
	case cat.Order:
		z := f.room(t)
		copy(z.bits, f.chosen[slices.Index(v.code.Orders, t)].bits)
		f.none[t] = z.Empty()
	case cat.Inverse, cat.Plus:
		if f.none[t] = v.empty(f, s.X); f.none[t] {
			return
		}
		z := f.room(t)
		if s.Op == cat.Inverse {
			clear(z.bits)
			f.rels[s.X].inverse(z)
		} else {
			copy(z.bits, f.rels[s.X].bits)
			z.close()
		}
	case cat.Star, cat.Optional:
		z := f.room(t)
		if v.empty(f, s.X) {
			clear(z.bits)
		} else {
			copy(z.bits, f.rels[s.X].bits)
			if s.Op == cat.Star {
				z.close()
			}
		}
		z.reflect()
		f.none[t] = z.n == 0
	case cat.Identity:
		if f.none[t] = v.empty(f, s.X); f.none[t] {
			return
		}
		z := f.room(t)
		clear(z.bits)
		each(f.sets[s.X].bits, func(e int) { z.Add(e, e) })
	case cat.Product:
		if v.either(f, t, s) {
			return
		}
		z := f.room(t)
		clear(z.bits)
		each(f.sets[s.X].bits, func(e int) { copy(z.row(e), f.sets[s.Y].bits) })
		f.none[t] = false
	default:
		panic("memory: an operator without a value")
	}
}

// either is whether an operand is empty, and so the result. Of the operands, that which changes
// less often comes first.
func (v *machine) either(f *frame, t int, s *cat.Instruction) bool {
	x, y := s.X, s.Y
	if v.class(x) > v.class(y) {
		x, y = y, x
	}
	f.none[t] = v.empty(f, x) || v.empty(f, y)
	return f.none[t]
}

// sequence finds the value of x; y. Of [a]; y and x; [b] it takes what begins in a, and what
// ends in b.
func (v *machine) sequence(f *frame, t int, s *cat.Instruction) {
	left, right := &v.code.Steps[s.X], &v.code.Steps[s.Y]
	switch {
	case left.Op == cat.Identity:
		if v.empty(f, left.X) || v.empty(f, s.Y) {
			f.none[t] = true
			return
		}
		z, y, any := f.room(t), f.rels[s.Y], uint64(0)
		from := f.sets[left.X]
		for e := range z.n {
			row := z.row(e)
			if !from.Has(e) {
				clear(row)
				continue
			}
			for i, b := range y.row(e) {
				row[i] = b
				any |= b
			}
		}
		f.none[t] = any == 0
	case right.Op == cat.Identity:
		if v.empty(f, right.X) || v.empty(f, s.X) {
			f.none[t] = true
			return
		}
		z, x, any := f.room(t), f.rels[s.X], uint64(0)
		to := f.sets[right.X].bits
		for i := 0; i < len(z.bits); i += z.w {
			for k, b := range to {
				z.bits[i+k] = x.bits[i+k] & b
				any |= z.bits[i+k]
			}
		}
		f.none[t] = any == 0
	default:
		if v.either(f, t, s) {
			return
		}
		z := f.room(t)
		clear(z.bits)
		f.rels[s.X].sequence(f.rels[s.Y], z)
		f.none[t] = z.Empty()
	}
}

// booleanSet finds the value of a step that makes a set of sets.
func (v *machine) booleanSet(f *frame, t int, s *cat.Instruction) {
	z := f.space(t)
	clear(z.bits)
	switch s.Op {
	case cat.Union:
		for _, x := range []int{s.X, s.Y} {
			if !v.empty(f, x) {
				zip(z.bits, z.bits, f.sets[x].bits, or)
			}
		}
	case cat.Intersection:
		if v.either(f, t, s) {
			return
		}
		zip(z.bits, f.sets[s.X].bits, f.sets[s.Y].bits, and)
	case cat.Difference:
		if f.none[t] = v.empty(f, s.X); f.none[t] {
			return
		}
		copy(z.bits, f.sets[s.X].bits)
		if !v.empty(f, s.Y) {
			zip(z.bits, z.bits, f.sets[s.Y].bits, andNot)
		}
	case cat.Complement:
		if !v.empty(f, s.X) {
			copy(z.bits, f.sets[s.X].bits)
		}
		z.complement(z)
	}
	f.none[t] = z.empty()
}

// side finds the value of a step that makes a set of a relation.
func (v *machine) side(f *frame, t int, s *cat.Instruction) {
	if f.none[t] = v.empty(f, s.X); f.none[t] {
		return
	}
	z := f.space(t)
	clear(z.bits)
	if s.Op == cat.Domain {
		f.rels[s.X].domain(z)
	} else {
		f.rels[s.X].rng(z)
	}
}

// predefined finds the value of a step that is predefined.
func (v *machine) predefined(f *frame, t int, s *cat.Instruction) {
	g := &f.graph
	switch {
	case s.Type == cat.Set:
		z := f.space(t)
		copy(z.bits, v.concrete(f).Set(s.Name).bits)
		f.none[t] = z.empty()
	case s.Name == "fr":
		z := f.room(t)
		clear(z.bits)
		for w := range g.RF.n {
			after := g.CO.row(w)
			each(g.RF.row(w), func(r int) {
				for i, b := range after {
					z.row(r)[i] |= b
				}
			})
		}
		f.none[t] = z.Empty()
	default:
		z := f.room(t)
		copy(z.bits, v.concrete(f).Relation(s.Name).bits)
		f.none[t] = z.Empty()
	}
}

// concrete knows the predefined sets and relations of the frame's graph.
func (v *machine) concrete(f *frame) *concrete {
	v.base.next(&f.graph)
	return &v.base
}

// fix finds the least solution of a loop, from below.
func (v *machine) fix(f *frame, k int) {
	l, at := &v.code.Loops[k], int(kinds)+k
	for _, x := range l.Variables {
		f.none[x] = true
	}
	for same := false; !same; {
		f.clock++
		f.now[at] = f.clock
		for _, x := range l.Variables {
			f.at[x] = f.clock
		}
		for _, b := range l.Bodies {
			v.empty(f, b)
		}
		same = true
		for i, x := range l.Variables {
			same = f.assign(x, l.Bodies[i], v.code.Steps[x].Type) && same
		}
	}
	for i, r := range l.Results {
		f.assign(r, l.Variables[i], v.code.Steps[r].Type)
		f.at[r] = f.now[v.class(r)]
	}
}

// assign copies the value of a step to another one, and is true where that has it already.
func (f *frame) assign(to, from int, typ cat.Type) (same bool) {
	switch {
	case f.none[from]:
		same = f.none[to]
	case typ == cat.Set:
		same = !f.none[to] && f.sets[to].Equal(f.sets[from])
		if !same {
			copy(f.space(to).bits, f.sets[from].bits)
		}
	default:
		same = !f.none[to] && f.rels[to].Equal(f.rels[from])
		if !same {
			copy(f.room(to).bits, f.rels[from].bits)
		}
	}
	f.none[to] = f.none[from]
	return same
}

// same makes the value of t that of x.
func (f *frame) same(t, x int) { f.rels[t], f.none[t] = f.rels[x], f.none[x] }

// room is the memory for the relation that is the value of t.
func (f *frame) room(t int) Relation {
	if f.ownRels[t].bits == nil {
		f.ownRels[t] = NewRelation(f.n)
	}
	f.rels[t] = f.ownRels[t]
	return f.rels[t]
}

// space is the memory for the set that is the value of t.
func (f *frame) space(t int) Set {
	if f.ownSets[t].bits == nil {
		f.ownSets[t] = NewSet(f.n)
	}
	f.sets[t] = f.ownSets[t]
	return f.sets[t]
}
