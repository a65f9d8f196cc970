package memory

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
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

	fact  []int    // by step: the fact without which it is empty, or -1
	tags  []string // those that are facts, from firstTag on
	borne map[program.Tags]facts
	plans map[facts]*plan
	whole *plan // where nothing is known
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
	v.findFacts()
	v.whole = v.narrow(facts{}, false)
	v.needs = make([]uint8, len(v.code.Steps))
	for i := range v.needs {
		v.needs[i] = v.whole.steps[i].needs
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
	plan  *plan
	facts []facts // by event
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
	if f.take(g) {
		v.look(f)
	}
	return f
}

// take notes what has changed since the last graph, and is true where that is more than reads-from
// and coherence.
func (f *frame) take(g *Graph) bool {
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
	return all
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
	if v.ordered(k) {
		v.settle(f, -1)
	}
	return v.test(f, a, f.plan.axioms[k])
}

// test is whether the test of an axiom comes out as the axiom says, of a step; -1 is empty.
func (v *machine) test(f *frame, a *cat.Axiom, t int) bool {
	if t < 0 {
		return !a.Negated
	}
	if s := &f.plan.steps[t]; a.Test == cat.Acyclic && s.op == cat.Plus {
		t = int(s.x)
	}
	passed := v.empty(f, int32(t))
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

// empty is whether the value of a step is empty, which is known after this.
func (v *machine) empty(f *frame, t int32) bool {
	if t < 0 {
		return true
	}
	s := &f.plan.steps[t]
	now := f.now[s.class]
	if f.at[t] == now {
		return f.none[t]
	}
	switch {
	case s.op == cat.Fixpoint:
		v.fix(f, int(s.loop))
		return f.none[t]
	case s.op == cat.Base:
		v.predefined(f, t, s)
	case s.op == opAll:
		v.everything(f, t)
	case s.op <= cat.Complement && s.set:
		v.booleanSet(f, t, s)
	case s.op == cat.Domain || s.op == cat.Range:
		v.side(f, t, s)
	default:
		v.relation(f, t, s)
	}
	f.at[t] = now
	return f.none[t]
}

// relation finds the value of a step that makes a relation.
func (v *machine) relation(f *frame, t int32, s *planStep) {
	switch s.op {
	case cat.Empty:
		f.none[t] = true
	case cat.Union:
		switch x, y := v.empty(f, s.x), v.empty(f, s.y); {
		case x:
			f.same(t, s.y)
		case y:
			f.same(t, s.x)
		default:
			z, a, b := f.room(t), f.rels[s.x].bits, f.rels[s.y].bits
			for i := range z.bits {
				z.bits[i] = a[i] | b[i]
			}
			f.none[t] = false
		}
	case cat.Intersection:
		if v.either(f, t, s) {
			return
		}
		z, a, b, any := f.room(t), f.rels[s.x].bits, f.rels[s.y].bits, uint64(0)
		for i := range z.bits {
			z.bits[i] = a[i] & b[i]
			any |= z.bits[i]
		}
		f.none[t] = any == 0
	case cat.Difference:
		switch {
		case v.empty(f, s.x):
			f.none[t] = true
		case v.empty(f, s.y):
			f.same(t, s.x)
		default:
			z, a, b, any := f.room(t), f.rels[s.x].bits, f.rels[s.y].bits, uint64(0)
			for i := range z.bits {
				z.bits[i] = a[i] &^ b[i]
				any |= z.bits[i]
			}
			f.none[t] = any == 0
		}
	case cat.Complement:
		z := f.room(t)
		if v.empty(f, s.x) {
			for i := range z.bits {
				z.bits[i] = ^uint64(0)
			}
			for e := range z.n {
				trim(z.row(e), z.n)
			}
		} else {
			f.rels[s.x].complement(z)
		}
		f.none[t] = z.Empty()
	case cat.Sequence:
		v.sequence(f, t, s)
	case cat.Order:
		z := f.room(t)
		copy(z.bits, f.chosen[slices.Index(v.code.Orders, int(t))].bits)
		f.none[t] = z.Empty()
	case cat.Inverse, cat.Plus:
		if f.none[t] = v.empty(f, s.x); f.none[t] {
			return
		}
		z := f.room(t)
		if s.op == cat.Inverse {
			clear(z.bits)
			f.rels[s.x].inverse(z)
		} else {
			copy(z.bits, f.rels[s.x].bits)
			z.close()
		}
	case opOne:
		z := f.room(t)
		clear(z.bits)
		z.reflect()
		f.none[t] = z.n == 0
	case cat.Star, cat.Optional:
		z := f.room(t)
		if v.empty(f, s.x) {
			clear(z.bits)
		} else {
			copy(z.bits, f.rels[s.x].bits)
			if s.op == cat.Star {
				z.close()
			}
		}
		z.reflect()
		f.none[t] = z.n == 0
	case cat.Identity:
		if f.none[t] = v.empty(f, s.x); f.none[t] {
			return
		}
		z := f.room(t)
		clear(z.bits)
		each(f.sets[s.x].bits, func(e int) { z.Add(e, e) })
	case cat.Product:
		if v.either(f, t, s) {
			return
		}
		z := f.room(t)
		clear(z.bits)
		each(f.sets[s.x].bits, func(e int) { copy(z.row(e), f.sets[s.y].bits) })
		f.none[t] = false
	default:
		panic("memory: an operator without a value")
	}
}

// either is whether an operand is empty, and so the result. Of the operands, that which changes
// less often comes first.
func (v *machine) either(f *frame, t int32, s *planStep) bool {
	x, y := s.x, s.y
	if f.plan.steps[x].class > f.plan.steps[y].class {
		x, y = y, x
	}
	f.none[t] = v.empty(f, x) || v.empty(f, y)
	return f.none[t]
}

// sequence finds the value of x; y. Of [a]; y and x; [b] it takes what begins in a, and what
// ends in b.
func (v *machine) sequence(f *frame, t int32, s *planStep) {
	left, right := &f.plan.steps[s.x], &f.plan.steps[s.y]
	switch {
	case left.op == cat.Identity:
		if v.empty(f, left.x) || v.empty(f, s.y) {
			f.none[t] = true
			return
		}
		z, y, any := f.room(t), f.rels[s.y], uint64(0)
		from := f.sets[left.x]
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
	case right.op == cat.Identity:
		if v.empty(f, right.x) || v.empty(f, s.x) {
			f.none[t] = true
			return
		}
		z, x, any := f.room(t), f.rels[s.x], uint64(0)
		to := f.sets[right.x].bits
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
		f.rels[s.x].sequence(f.rels[s.y], z)
		f.none[t] = z.Empty()
	}
}

// booleanSet finds the value of a step that makes a set of sets.
func (v *machine) booleanSet(f *frame, t int32, s *planStep) {
	z := f.space(t)
	clear(z.bits)
	switch s.op {
	case cat.Union:
		for _, x := range []int32{s.x, s.y} {
			if !v.empty(f, x) {
				zip(z.bits, z.bits, f.sets[x].bits, or)
			}
		}
	case cat.Intersection:
		if v.either(f, t, s) {
			return
		}
		zip(z.bits, f.sets[s.x].bits, f.sets[s.y].bits, and)
	case cat.Difference:
		if f.none[t] = v.empty(f, s.x); f.none[t] {
			return
		}
		copy(z.bits, f.sets[s.x].bits)
		if !v.empty(f, s.y) {
			zip(z.bits, z.bits, f.sets[s.y].bits, andNot)
		}
	case cat.Complement:
		if !v.empty(f, s.x) {
			copy(z.bits, f.sets[s.x].bits)
		}
		z.complement(z)
	}
	f.none[t] = z.empty()
}

// everything makes the set of all events.
func (v *machine) everything(f *frame, t int32) {
	z := f.space(t)
	for i := range z.bits {
		z.bits[i] = ^uint64(0)
	}
	trim(z.bits, z.n)
	f.none[t] = z.n == 0
}

// side finds the value of a step that makes a set of a relation.
func (v *machine) side(f *frame, t int32, s *planStep) {
	if f.none[t] = v.empty(f, s.x); f.none[t] {
		return
	}
	z := f.space(t)
	clear(z.bits)
	if s.op == cat.Domain {
		f.rels[s.x].domain(z)
	} else {
		f.rels[s.x].rng(z)
	}
}

// predefined finds the value of a step that is predefined.
func (v *machine) predefined(f *frame, t int32, s *planStep) {
	g, name := &f.graph, v.code.Steps[t].Name
	switch {
	case s.set:
		z := f.space(t)
		if k := v.fact[t]; k >= 0 {
			clear(z.bits)
			for e := range f.facts {
				if f.facts[e].has(k) {
					z.Add(e)
				}
			}
		} else {
			copy(z.bits, v.concrete(f).Set(name).bits)
		}
		f.none[t] = z.empty()
	case name == "fr":
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
		copy(z.bits, v.concrete(f).Relation(name).bits)
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
	l, at := &f.plan.loops[k], int(kinds)+k
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
			v.empty(f, int32(b))
		}
		same = true
		for i, x := range l.Variables {
			same = f.assign(x, l.Bodies[i], f.plan.steps[x].set) && same
		}
	}
	for i, r := range l.Results {
		f.assign(r, l.Variables[i], f.plan.steps[r].set)
		f.at[r] = f.now[f.plan.steps[r].class]
	}
}

// assign copies the value of a step to another one, and is true where that has it already.
func (f *frame) assign(to, from int, set bool) (same bool) {
	switch {
	case f.none[from]:
		same = f.none[to]
	case set:
		same = !f.none[to] && f.sets[to].Equal(f.sets[from])
		if !same {
			copy(f.space(int32(to)).bits, f.sets[from].bits)
		}
	default:
		same = !f.none[to] && f.rels[to].Equal(f.rels[from])
		if !same {
			copy(f.room(int32(to)).bits, f.rels[from].bits)
		}
	}
	f.none[to] = f.none[from]
	return same
}

// same makes the value of t that of x.
func (f *frame) same(t, x int32) { f.rels[t], f.none[t] = f.rels[x], f.none[x] }

// room is the memory for the relation that is the value of t.
func (f *frame) room(t int32) Relation {
	if f.ownRels[t].bits == nil {
		f.ownRels[t] = NewRelation(f.n)
	}
	f.rels[t] = f.ownRels[t]
	return f.rels[t]
}

// space is the memory for the set that is the value of t.
func (f *frame) space(t int32) Set {
	if f.ownSets[t].bits == nil {
		f.ownSets[t] = NewSet(f.n)
	}
	f.sets[t] = f.ownSets[t]
	return f.sets[t]
}
