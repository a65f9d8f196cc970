package memory

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
)

// A model speaks of more than most programs have: of fences that are not there, of exclusive
// accesses, of grace periods. What is computed of that is empty, and what is computed of all
// events is all of them, whatever the rest of the graph is like. So of the steps of a model those
// are left out of which the value follows from what the graph does not have; for every
// combination of what it has there is a plan, which is found once.

// A plan is the steps of a model, with the same numbers, that are left where a graph has no more
// than certain facts say.
type plan struct {
	steps  []planStep
	loops  []cat.Loop // of what is left of them
	axioms []int      // the steps of the axioms; -1: empty
}

// A planStep is a step in a plan. What is always empty is no operand of another step, but -1 where
// that can stand.
type planStep struct {
	op   cat.Op
	set  bool // it makes a set
	x, y int32
	loop int32 // as in [cat.Instruction]
	// needs is what the value depends on, class is that as an index of the times at which it
	// changed.
	needs uint8
	class int32
}

// What a step may be where it is made of nothing, or of all events.
const (
	opAll cat.Op = 200 + iota // the set of all events
	opOne                     // the identity of all events
)

// facts are what a graph has, a bit for each.
type facts [3]uint64

func (s *facts) add(k int)     { s[k/64] |= 1 << (k % 64) }
func (s facts) has(k int) bool { return s[k/64]>>(k%64)&1 != 0 }

// Facts that there are of all models: events of some kind, and relations that have a pair. After
// them come tags.
const (
	factRead = iota
	factWrite
	factFence
	factInitial
	factRMW
	factAddr
	factData
	factCtrl
	factCasDep
	factPickAddr
	factPickData
	factPickCtrl
	firstTag
)

// factOf is the facts without which predefined sets and relations are empty; "rf", "co" and others
// are looked at each time.
var factOf = map[string]int{"R": factRead, "W": factWrite, "F": factFence, "I": factInitial,
	"rmw": factRMW, "amo": factRMW, "lxsx": factRMW, "addr": factAddr, "data": factData, "ctrl": factCtrl, "casdep": factCasDep,
	"pick-addr": factPickAddr, "pick-data": factPickData, "pick-ctrl": factPickCtrl}

// maxPlans is how many plans a machine keeps.
const maxPlans = 512

// findFacts finds, by step, the fact without which it is empty, or -1.
func (v *machine) findFacts() {
	v.fact = make([]int, len(v.code.Steps))
	tags := map[string]int{}
	for i, s := range v.code.Steps {
		v.fact[i] = -1
		if s.Op != cat.Base {
			continue
		}
		if k, ok := factOf[s.Name]; ok {
			v.fact[i] = k
			continue
		}
		name := s.Name
		switch {
		case name == "rcu-rscs":
			name = "Rcu-lock"
		case s.Type == cat.Relation || memberships[name] != nil || cat.Number(name) >= 0:
			continue
		}
		k, ok := tags[name]
		if !ok {
			if k = firstTag + len(v.tags); k >= 64*len(facts{}) {
				continue
			}
			tags[name] = k
			v.tags = append(v.tags, name)
		}
		v.fact[i] = k
	}
	v.borne, v.plans = map[program.Tags]facts{}, map[facts]*plan{}
}

// bears is the facts that there are of an event with these tags.
func (v *machine) bears(t program.Tags) facts {
	if (t == program.Tags{}) {
		return facts{}
	}
	b, ok := v.borne[t]
	if !ok {
		for k, name := range v.tags {
			if t.Has(name) {
				b.add(firstTag + k)
			}
		}
		v.borne[t] = b
	}
	return b
}

// look finds the facts of every event of the frame's graph, and the plan for it.
func (v *machine) look(f *frame) {
	g := &f.graph
	f.facts = f.facts[:0]
	var all facts
	for i := range g.Events {
		e := &g.Events[i]
		of := v.bears(e.Tags)
		of.add(factRead + int(e.Kind))
		if e.Kind == Write && e.Initial() {
			of.add(factInitial)
		}
		f.facts = append(f.facts, of)
		for w := range of {
			all[w] |= of[w]
		}
	}
	for k, r := range [...]*Relation{&g.RMW, &g.Addr, &g.Data, &g.Ctrl, &g.CasDep, &g.PickAddr, &g.PickData, &g.PickCtrl} {
		if !r.Empty() {
			all.add(factRMW + k)
		}
	}
	f.plan = v.planFor(all)
}

// planFor is the plan for graphs of these facts.
func (v *machine) planFor(have facts) *plan {
	if v.orders != nil { // they know the steps by the code
		return v.whole
	}
	p := v.plans[have]
	if p == nil {
		if len(v.plans) == maxPlans {
			clear(v.plans)
		}
		p = v.narrow(have, true)
		v.plans[have] = p
	}
	return p
}

// narrow makes a plan. Steps are kept as they are where simpler is false.
func (v *machine) narrow(have facts, simpler bool) *plan {
	n := &narrowing{v: v, have: have, simpler: simpler, now: make([]int32, len(v.code.Steps)), filled: make([]bool, len(v.code.Steps))}
	// Variables are taken to be empty until what they are made of is not.
	for n.changed = true; n.changed; {
		n.changed, n.one, n.all = false, -1, -1
		n.p = &plan{steps: make([]planStep, len(v.code.Steps)), loops: make([]cat.Loop, len(v.code.Loops))}
		for i := range v.code.Steps {
			n.now[i] = n.step(i)
		}
		for k, l := range v.code.Loops {
			n.loop(&n.p.loops[k], l)
		}
	}
	for _, t := range v.code.Axioms {
		n.p.axioms = append(n.p.axioms, int(n.now[t]))
	}
	return n.p
}

// A narrowing is a plan that is being made.
type narrowing struct {
	v       *machine
	have    facts
	simpler bool
	p       *plan
	// now is, by step, the step that has the same value, or -1 where that is empty.
	now      []int32
	one, all int32  // the steps that are opOne and opAll, or -1
	filled   []bool // by step that is a variable: it is not empty
	changed  bool
}

// loop is what is left of a loop.
func (n *narrowing) loop(left *cat.Loop, l cat.Loop) {
	for i, x := range l.Variables {
		if n.simpler && !n.filled[x] {
			if n.now[l.Bodies[i]] < 0 {
				continue
			}
			n.filled[x], n.changed = true, true
		}
		left.Variables = append(left.Variables, x)
		left.Bodies = append(left.Bodies, int(n.now[l.Bodies[i]]))
		left.Results = append(left.Results, l.Results[i])
	}
}

// step is the step that has the value of the i-th, or -1 where that is empty.
func (n *narrowing) step(i int) int32 {
	s := &n.v.code.Steps[i]
	x, y := int32(-1), int32(-1)
	if s.X >= 0 {
		x = n.now[s.X]
	}
	if s.Y >= 0 {
		y = n.now[s.Y]
	}
	if n.simpler {
		if t, ok := n.same(i, s, x, y); ok {
			return t
		}
	}
	return n.keep(i, planStep{op: s.Op, set: s.Type == cat.Set, x: x, y: y})
}

// same is a step that has the value of the i-th, if there is one.
func (n *narrowing) same(i int, s *cat.Instruction, x, y int32) (t int32, ok bool) {
	switch s.Op {
	case cat.Base:
		if k := n.v.fact[i]; k >= 0 && !n.have.has(k) {
			return -1, true
		}
		if s.Type == cat.Set && s.Name == "_" {
			return n.allEvents(i), true
		}
	case cat.Empty:
		return -1, true
	case cat.Variable:
		return -1, !n.filled[i]
	case cat.Fixpoint:
		l := n.v.code.Loops[s.Loop]
		return -1, !n.filled[l.Variables[slices.Index(l.Results, i)]]
	case cat.Union:
		switch {
		case x < 0 || x == y:
			return y, true
		case y < 0:
			return x, true
		case n.is(x, opAll) || n.is(y, opAll):
			return n.all, true
		}
	case cat.Intersection:
		switch {
		case x < 0 || y < 0:
			return -1, true
		case n.is(x, opAll) || x == y:
			return y, true
		case n.is(y, opAll):
			return x, true
		}
	case cat.Difference:
		switch {
		case x < 0 || n.is(y, opAll) || x == y:
			return -1, true
		case y < 0:
			return x, true
		}
	case cat.Complement:
		switch {
		case s.Type != cat.Set:
		case x < 0:
			return n.allEvents(i), true
		case n.is(x, opAll):
			return -1, true
		}
	case cat.Sequence:
		switch {
		case x < 0 || y < 0:
			return -1, true
		case n.is(x, opOne):
			return y, true
		case n.is(y, opOne):
			return x, true
		}
	case cat.Product:
		return -1, x < 0 || y < 0
	case cat.Inverse, cat.Plus:
		return x, x < 0 || n.is(x, opOne)
	case cat.Star, cat.Optional:
		if x < 0 || n.is(x, opOne) {
			return n.identity(i), true
		}
	case cat.Identity:
		if n.is(x, opAll) {
			return n.identity(i), true
		}
		return -1, x < 0
	case cat.Domain, cat.Range:
		if n.is(x, opOne) {
			return n.allEvents(i), true
		}
		return -1, x < 0
	}
	return 0, false
}

// is is whether a step is the identity, or all events.
func (n *narrowing) is(t int32, op cat.Op) bool { return t >= 0 && n.p.steps[t].op == op }

// allEvents is the step that makes the set of all events, which is the i-th if there is none yet;
// identity is the one that makes the identity.
func (n *narrowing) allEvents(i int) int32 {
	if n.all < 0 {
		n.all = n.keep(i, planStep{op: opAll, set: true, x: -1, y: -1})
	}
	return n.all
}

func (n *narrowing) identity(i int) int32 {
	if n.one < 0 {
		n.one = n.keep(i, planStep{op: opOne, x: -1, y: -1})
	}
	return n.one
}

// keep puts a step into the plan, with what it depends on.
func (n *narrowing) keep(i int, s planStep) int32 {
	s.loop = -1
	switch code := &n.v.code.Steps[i]; {
	case s.op == cat.Base:
		s.needs = needed[code.Name]
	case s.op == cat.Variable:
		s.loop = int32(code.Loop)
	case s.op == cat.Fixpoint:
		s.loop = int32(code.Loop)
		for _, b := range n.v.code.Loops[code.Loop].Bodies {
			if t := n.now[b]; t >= 0 {
				s.needs |= n.p.steps[t].needs
			}
		}
	default:
		for _, x := range []int32{s.x, s.y} {
			if x < 0 {
				continue
			}
			o := &n.p.steps[x]
			s.needs |= o.needs
			if o.loop >= 0 && o.op != cat.Fixpoint {
				s.loop = o.loop
			}
		}
		if s.op == cat.Order {
			s.needs |= onOrder
		}
	}
	if s.class = int32(s.needs); s.loop >= 0 && s.op != cat.Fixpoint {
		s.class = int32(kinds) + s.loop
	}
	n.p.steps[i] = s
	return int32(i)
}

// needed is what predefined relations depend on, other than the events and the program.
var needed = map[string]uint8{"rf": onRF, "co": onCO, "fr": onRF | onCO}
