package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory/cat"
)

// A Violation is an axiom that a graph does not satisfy, and why.
type Violation struct {
	Axiom *cat.Axiom
	// Events is the witness: the events of a cycle, each related to the next
	// and the last one to the first; the one event that is related to itself;
	// or a pair that is related, or the one event of a set, where there
	// should be none. It is empty where the axiom asks for something that is
	// not there.
	Events []int
	// Paths says how the events are related, in terms of the predefined
	// relations. Of a cycle: one path for every event to the next one. Of an
	// event that is related to itself: one path. Of a pair: one path for each
	// side of an intersection, or one.
	Paths [][]Step
}

// A Step is a pair of a predefined relation, or of the inverse of one.
type Step struct {
	From, To int
	Relation string
}

// judge evaluates a definition's axioms on one graph after the other.
type judge struct {
	def     *Definition
	machine *machine
	frame   *frame // of the graph, once an axiom is asked

	// The interpreter is for what is no axiom, and to see how axioms are violated.
	algebra concrete
	in      *cat.Interpreter[Set, Relation]
	used    bool
}

// judged calls f with what judges g.
func (d *Definition) judged(g *Graph, f func(j *judge)) {
	j := d.judge()
	j.judge(g, f)
	d.pool.Put(j)
}

// judge is one that nobody else has.
func (d *Definition) judge() *judge {
	j, _ := d.pool.Get().(*judge)
	if j == nil {
		j = &judge{def: d, machine: newMachine(d.Cat)}
		j.algebra.chosen = j.chosen
	}
	return j
}

func (j *judge) judge(g *Graph, f func(j *judge)) {
	j.algebra.g = g
	f(j)
	if j.algebra.g, j.frame = nil, nil; j.used {
		j.in.Reset()
		j.algebra.next(nil)
		j.used = false
	}
}

// interpreter gives terms their values in the graph.
func (j *judge) interpreter() *cat.Interpreter[Set, Relation] {
	if j.in == nil {
		j.in = cat.NewInterpreter(j.def.Cat, &j.algebra)
	}
	j.used = true
	return j.in
}

// holds is whether the test of the k-th axiom comes out as the axiom says.
func (j *judge) holds(k int) bool {
	if j.frame == nil {
		j.frame = j.machine.enter(j.algebra.g)
	}
	return j.machine.holds(j.frame, j.def.Cat.Axioms[k], k)
}

// raises is whether the graph raises the k-th axiom, a flag.
func (j *judge) raises(k int) bool {
	if held := j.holds(k); !j.machine.ordered(k) {
		return held
	}
	return j.machine.raises(j.frame, k)
}

// chosen is the order of that name which the axioms were judged with.
func (j *judge) chosen(name string) Relation {
	if j.frame == nil {
		j.frame = j.machine.enter(j.algebra.g)
	}
	j.machine.settle(j.frame, -1)
	for k, t := range j.machine.code.Orders {
		if j.machine.code.Steps[t].Name == name {
			return j.frame.chosen[k]
		}
	}
	panic("memory: no order " + name)
}

// satisfies is whether the test of an axiom comes out as the axiom says.
func (j *judge) satisfies(a *cat.Axiom) bool { return j.holds(slices.Index(j.def.Cat.Axioms, a)) }

// Consistent is true of a graph that satisfies all axioms.
func (d *Definition) Consistent(g *Graph) bool {
	d = d.must(g)
	ok := true
	d.judged(g, func(j *judge) { ok = j.consistent() })
	return ok
}

// consistent asks what depends on no order first.
func (j *judge) consistent() bool {
	for _, ordered := range []bool{false, true} {
		for k, a := range j.def.Cat.Axioms {
			if !a.Flag && j.machine.ordered(k) == ordered && !j.holds(k) {
				return false
			}
		}
		if j.machine.orders == nil {
			break
		}
	}
	return true
}

// ConsistentContext is [Definition.Consistent] as long as ctx lets it: orders that a model takes
// may take long to find.
func (d *Definition) ConsistentContext(ctx context.Context, g *Graph) (ok bool, err error) {
	if d, err = d.in(g); err != nil {
		return false, err
	}
	if !d.Cat.Ordered() {
		return d.Consistent(g), nil
	}
	defer func() {
		if r := recover(); r != nil {
			if r != errStopped {
				panic(r)
			}
			ok, err = false, ctx.Err()
		}
	}()
	j := d.judge()
	j.machine.orders.ctx = ctx
	j.judge(g, func(j *judge) { ok = j.consistent() })
	j.machine.orders.ctx = nil
	d.pool.Put(j)
	return ok, nil
}

// Refutes is true of a graph that no consistent one can grow from: it violates
// an axiom, and would go on doing so whatever events are added, each after all of its
// thread, as long as the old ones stay related as they are. A read may be without a write
// that it reads from, if that is to be added.
func (d *Definition) Refutes(g *Graph) bool {
	refuted := false
	d.judged(g, func(j *judge) {
		for k, a := range d.Cat.Axioms {
			if refuted = a.Extends() && !j.holds(k); refuted {
				return
			}
		}
	})
	return refuted
}

// A Refuter is [Definition.Refutes] for graphs that grow step by step, and learns which
// axioms are worth asking early.
type Refuter struct {
	d           *Definition
	calls       int   // without being thorough
	asked, gave []int // by axiom: how often it was asked, and refuted
	all         []int // those that may be asked
	// settled, where not nil, is whether they are asked at every step, for good.
	settled []bool
}

// Refuter is one that has learnt nothing yet.
func (d *Definition) Refuter() *Refuter {
	n := len(d.Cat.Axioms)
	r := &Refuter{d: d, asked: make([]int, n), gave: make([]int, n)}
	for i, a := range d.Cat.Axioms {
		if a.Extends() {
			r.all = append(r.all, i)
		}
	}
	return r
}

// PartRefuter is one for graphs that grow anywhere, not only after all of a thread: it asks fewer axioms.
func (d *Definition) PartRefuter() *Refuter {
	r := d.Refuter()
	r.all = slices.DeleteFunc(r.all, func(i int) bool { return !d.Cat.Axioms[i].Monotone() })
	return r
}

// worthwhile is how often in so many times an axiom has to refute to be asked at every step.
const worthwhile = 24

// patience is how often nothing is asked at first, unless it is thorough: most programs have fewer
// executions than it takes questions to refute any of them early.
const patience = 100

// Settle makes r ask, unless it is thorough, what it has found to be of use until now, whatever it comes to find, so that its answers do not
// depend on what else it is asked.
func (r *Refuter) Settle() {
	settled := make([]bool, len(r.asked))
	for i := range settled {
		settled[i] = r.asks(i, false)
	}
	r.settled = settled
}

// Settled is whether that is so, and Like is another one that gives the same answers.
func (r *Refuter) Settled() bool  { return r.settled != nil }
func (r *Refuter) Like() *Refuter { return &Refuter{d: r.d, all: r.all, settled: r.settled} }

// Refutes is true of a graph that no consistent one can grow from. Unless it is thorough
// it may be false of such a graph.
func (r *Refuter) Refutes(g *Graph, thorough bool) bool {
	return r.RefutesMade(func() *Graph { return g }, thorough)
}

// RefutesMade is [Refuter.Refutes] of the graph that is made where it is asked about.
func (r *Refuter) RefutesMade(made func() *Graph, thorough bool) bool {
	if !thorough && r.settled == nil {
		if r.calls++; r.calls <= patience {
			return false
		}
	}
	if !slices.ContainsFunc(r.all, func(i int) bool { return r.asks(i, thorough) }) {
		return false
	}
	refuted := false
	r.d.judged(made(), func(j *judge) {
		for _, i := range r.all {
			if !r.asks(i, thorough) {
				continue
			}
			if r.settled == nil {
				r.asked[i]++
			}
			if refuted = !j.holds(i); refuted {
				if r.settled == nil {
					r.gave[i]++
				}
				return
			}
		}
	})
	return refuted
}

// asks is whether an axiom is asked.
func (r *Refuter) asks(i int, thorough bool) bool {
	if r.settled != nil && !thorough {
		return r.settled[i]
	}
	return thorough || r.asked[i] <= 2*worthwhile || r.gave[i]*worthwhile >= r.asked[i]
}

// Check lists the axioms that g violates, with their witnesses.
func (d *Definition) Check(g *Graph) (violated []Violation) {
	violated, _ = d.CheckContext(context.Background(), g)
	return violated
}

// CheckContext is [Definition.Check] as long as ctx lets it: of a large graph witnesses
// take long to find. The error may be that of a model that unfolds, too.
func (d *Definition) CheckContext(ctx context.Context, g *Graph) (violated []Violation, err error) {
	defer func() {
		if ctx.Err() == nil {
			return // a panic is none of ours
		}
		if r := recover(); r != nil && r != errStopped {
			panic(r)
		}
		violated, err = nil, ctx.Err()
	}()
	if d, err = d.in(g); err != nil {
		return nil, err
	}
	return d.find(ctx, g), nil
}

// errStopped is what leaves the search for a witness when its context has ended: the
// interpreter on the way knows of no errors.
var errStopped = errors.New("memory: stopped")

// Flags lists the flags that g raises. They say something about the execution
// and do not make it inconsistent.
func (d *Definition) Flags(g *Graph) (raised []*cat.Axiom) {
	d = d.must(g)
	d.judged(g, func(j *judge) {
		for k, a := range d.Cat.Axioms {
			if a.Flag && j.raises(k) {
				raised = append(raised, a)
			}
		}
	})
	return raised
}

// Relation is what the relation that the model defines by that name is in g, for
// drawings. It is false of a name that is not defined, or defined as a set or a
// function.
func (d *Definition) Relation(g *Graph, name string) (r Relation, ok bool) {
	d = d.must(g)
	t := d.Cat.Def(name)
	if t == nil || t.Type() != cat.Relation {
		return Relation{}, false
	}
	d.judged(g, func(j *judge) { r = j.interpreter().Relation(t).Clone() })
	return r, true
}

// find is the axioms that g violates, with their witnesses.
func (d *Definition) find(ctx context.Context, g *Graph) []Violation {
	var vs []Violation
	var ex *explainer
	d.judged(g, func(j *judge) {
		for k, a := range d.Cat.Axioms {
			if a.Flag || j.holds(k) {
				continue
			}
			if ex == nil {
				ex = newExplainer(ctx, d.Cat, g)
				ex.chosen = j.chosen
			}
			v := Violation{Axiom: a}
			if !a.Negated { // or what it speaks of is not there
				v.Events, v.Paths = ex.witness(a, j)
			}
			vs = append(vs, v)
		}
	})
	return vs
}

// Format is the violation in words: the axiom, and the path of its witness from
// event to event.
func (v *Violation) Format(g *Graph) string {
	var b strings.Builder
	b.WriteString(v.Axiom.Name)
	if v.Axiom.Text != v.Axiom.Name {
		fmt.Fprintf(&b, " (%s)", v.Axiom.Text)
	}
	b.WriteString(": ")
	if len(v.Events) == 0 {
		b.WriteString("nothing is there")
		return b.String()
	}
	at := -1
	for _, path := range v.Paths {
		for _, s := range path {
			switch {
			case at < 0:
				b.WriteString(g.name(s.From))
			case at != s.From:
				b.WriteString(", " + g.name(s.From))
			}
			fmt.Fprintf(&b, " -%s-> %s", s.Relation, g.name(s.To))
			at = s.To
		}
	}
	if at < 0 { // a set, or an event that is related to itself without a step
		b.WriteString(g.name(v.Events[0]))
	}
	return b.String()
}
