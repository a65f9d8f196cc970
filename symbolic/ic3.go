package symbolic

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Search says how [IC3] and [KInduction] work. The zero value is good.
type Search struct {
	// Solver is the back end; see [solver.New].
	Solver string
	// MaxDepth bounds the frames, or k; 0: no bound.
	MaxDepth int
	// Progress, where not nil, is called now and then with a line that says
	// how far the search is.
	Progress func(line string)
	// SimplePath adds to k-induction that no two states of a path are equal.
	// With it, k-induction is complete, in the end.
	SimplePath bool
	// MemoryLimit bounds what the tables, the decision diagrams and the solvers hold, in
	// bytes; 0: no bound.
	MemoryLimit int64
	// Listed, where not nil, is called when [Saturation] has listed the states of the single threads,
	// of which there may be no end, and begins to put them together, in so many orders side by side.
	Listed func(orders int)
	plain  bool // without lemmas
}

// A cube is a conjunction of literals over state bits, which stands for a set of
// states: i+1 for bit i, -(i+1) for its negation, ascending by bit.
type cube []int32

func bitOf(l int32) int { return int(max(l, -l)) - 1 }

// subsumes is true where every state of d is one of c.
func (c cube) subsumes(d cube) bool {
	if len(c) > len(d) {
		return false
	}
	j := 0
	for _, l := range c {
		for j < len(d) && bitOf(d[j]) < bitOf(l) {
			j++
		}
		if j == len(d) || d[j] != l {
			return false
		}
		j++
	}
	return true
}

// An obligation is a proof obligation: states that lead to a violation, and must
// be shown not to be reachable within frame steps.
type obligation struct {
	c     cube
	frame int
	depth int // steps to the violation
	// in leads from every state of c into next, or, where next is nil, is or
	// follows the violation.
	in   choices
	next *obligation
	seq  int
}

type obligations []*obligation

func (q obligations) Len() int { return len(q) }
func (q obligations) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(q[i].frame, q[j].frame), cmp.Compare(q[i].depth, q[j].depth), cmp.Compare(q[j].seq, q[i].seq)) < 0
}
func (q obligations) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *obligations) Push(x any)   { *q = append(*q, x.(*obligation)) }
func (q *obligations) Pop() any {
	x := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return x
}

// ic3 is property-directed reachability: A. R. Bradley, SAT-based model checking
// without unrolling, VMCAI 2011, in the form of N. Een, A. Mishchenko, R.
// Brayton, Efficient implementation of property directed reachability, FMCAD
// 2011, with counterexamples to generalization (Z. Hassan, A. R. Bradley, F.
// Somenzi, Better generalization in IC3, FMCAD 2013).
//
// Frame i holds of all states that can be reached in at most i steps. It is
// initial states for i = 0, and otherwise the negations of the cubes in
// frames[i] and all later frames.
type ic3 struct {
	*meter
	y      *System
	search Search
	frames [][]cube
	lemmas []cube // in every frame

	s       solver.Solver
	act     []solver.Lit // by frame: its clauses hold
	retired int          // temporary clauses in s
	queries int64
	seq     int
	weight  []float64 // by bit: how often it is in the cubes of frames
	err     error
}

// IC3 looks for an inductive invariant by property-directed reachability. The
// error is one inside Fencepost; when ctx ends first the result is Unknown.
func IC3(ctx context.Context, y *System, search Search) (*Result, error) {
	e := &ic3{meter: &meter{ctx: ctx, limit: search.MemoryLimit}, y: y, search: search, weight: make([]float64, len(y.Bits))}
	defer e.close()
	res, err := e.run()
	if res != nil {
		res.Depth, res.Queries = max(len(e.frames)-1, 0), e.queries
	}
	if e.stopped(err) {
		return &Result{Reason: fmt.Sprintf("no violation within %d steps, and no invariant yet; %s", max(len(e.frames)-2, 0), e.because()),
			Depth: max(len(e.frames)-1, 0), Queries: e.queries}, nil
	}
	return res, err
}

func (e *ic3) close() {
	if e.s != nil {
		e.s.Close()
	}
}

// renew makes a solver with the frames and without what temporary clauses and
// old cores have left behind.
func (e *ic3) renew() error {
	e.close()
	s, err := solver.New(e.search.Solver)
	if err != nil {
		return err
	}
	e.s, e.act, e.retired = s, nil, 0
	if err := e.y.load(e.meter, s); err != nil {
		return err
	}
	for _, c := range e.lemmas {
		s.AddClause(e.y.negation(c)...)
	}
	for i := range e.frames {
		e.activate()
		for _, c := range e.frames[i] {
			e.s.AddClause(e.y.negation(c, -e.act[i])...)
		}
	}
	return nil
}

// activate makes the activation literal of the next frame.
func (e *ic3) activate() {
	a := e.s.NewVar()
	e.act = append(e.act, a)
	if len(e.act) == 1 {
		for i := range e.y.Bits {
			l := e.y.Bits[i].cur
			if !e.y.Bits[i].Init {
				l = -l
			}
			e.s.AddClause(-a, l)
		}
	}
}

// negation is the clause that excludes c, with more literals in front.
func (y *System) negation(c cube, more ...solver.Lit) []solver.Lit {
	for _, l := range c {
		more = append(more, -y.lit(l, false))
	}
	return more
}

// solve asks the solver; false where there is an error.
func (e *ic3) solve(assume []solver.Lit) (solver.Status, bool) {
	if e.err == nil {
		e.err = e.fits(e.s.Stats().Clauses)
	}
	if e.err != nil {
		return solver.Unknown, false
	}
	e.queries++
	st, err := e.s.Solve(e.ctx, assume...)
	if err != nil {
		e.err = err
		return solver.Unknown, false
	}
	return st, true
}

// upTo is the assumptions for frame k.
func (e *ic3) upTo(k int) []solver.Lit { return slices.Clone(e.act[k:]) }

// temporary adds a clause that holds under the literal it returns.
func (e *ic3) temporary(clause []solver.Lit) solver.Lit {
	t := e.s.NewVar()
	e.s.AddClause(append(clause, -t)...)
	return t
}

func (e *ic3) retire(t solver.Lit) {
	e.s.AddClause(-t)
	e.retired++
}

// consecution asks whether a step leads from a state of frame k outside of c
// into c. If none does, it returns a part of c into which none leads either. If
// one does, the model is good until the next query.
func (e *ic3) consecution(c cube, k int) (blocked bool, core cube) {
	if e.err != nil { // the solver may be one that was not made to its end
		return false, nil
	}
	if e.retired >= renewAfter {
		if e.err = e.renew(); e.err != nil {
			return false, nil
		}
	}
	t := e.temporary(e.y.negation(c))
	defer e.retire(t)
	assume := append(e.upTo(k), t, e.y.legal)
	for _, l := range c {
		assume = append(assume, e.y.lit(l, true))
	}
	st, ok := e.solve(assume)
	if !ok || st == solver.Sat {
		return false, nil
	}
	in := map[solver.Lit]bool{}
	for _, l := range e.s.Core() {
		in[l] = true
	}
	for _, l := range c {
		if in[e.y.lit(l, true)] {
			core = append(core, l)
		}
	}
	return true, e.avoidInit(core, c)
}

// renewAfter is how many temporary clauses a solver may collect; tests have less.
var renewAfter = 1000

// initial is true where the initial state is in c.
func (e *ic3) initial(c cube) bool {
	return !slices.ContainsFunc(c, func(l int32) bool { return e.y.Bits[bitOf(l)].Init != (l > 0) })
}

// avoidInit is part, with a literal of c added if otherwise it would contain the
// initial state.
func (e *ic3) avoidInit(part, c cube) cube {
	if !e.initial(part) {
		return part
	}
	for _, l := range c {
		if e.y.Bits[bitOf(l)].Init != (l > 0) {
			part = append(part, l)
			slices.SortFunc(part, byBit)
			break
		}
	}
	return part
}

func byBit(a, b int32) int { return bitOf(a) - bitOf(b) }

// state is the state of the model, and in its inputs.
func (e *ic3) state() (cube, choices) {
	c := make(cube, len(e.y.Bits))
	for i := range c {
		if c[i] = int32(i + 1); !e.s.Value(e.y.Bits[i].cur) {
			c[i] = -c[i]
		}
	}
	return c, e.y.choices(e.s.Value)
}

// lift drops literals from state c as long as the same inputs lead from all its
// states into next, or, where next is nil, to a violation: the circuit is a
// function of state and inputs, so that a core of the negation tells which
// literals matter.
func (e *ic3) lift(c cube, in choices, next cube) cube {
	var clause []solver.Lit
	if next == nil {
		clause = append(clause, -e.y.bad)
	} else {
		clause = append(clause, -e.y.legal)
		for _, l := range next {
			clause = append(clause, -e.y.lit(l, true))
		}
	}
	t := e.temporary(clause)
	defer e.retire(t)
	assume := []solver.Lit{t}
	for i, v := range in {
		if v {
			assume = append(assume, e.y.inputs[i])
		} else {
			assume = append(assume, -e.y.inputs[i])
		}
	}
	for _, l := range c {
		assume = append(assume, e.y.lit(l, false))
	}
	st, ok := e.solve(assume)
	if !ok {
		return c
	}
	if st != solver.Unsat {
		e.err = fmt.Errorf("internal error: the circuit is not a function")
		return c
	}
	core := map[solver.Lit]bool{}
	for _, l := range e.s.Core() {
		core[l] = true
	}
	return slices.DeleteFunc(slices.Clone(c), func(l int32) bool { return !core[e.y.lit(l, false)] })
}

// run is the main loop.
func (e *ic3) run() (*Result, error) {
	e.frames = [][]cube{nil}
	if !e.search.plain {
		var err error
		if e.lemmas, e.queries, err = e.y.lemmas(e.meter, e.search.Solver); err != nil {
			return nil, err
		}
	}
	if err := e.renew(); err != nil {
		return nil, err
	}
	for {
		k := len(e.frames) - 1
		// A violation in the last frame?
		for {
			st, ok := e.solve(append(e.upTo(k), e.y.bad))
			if !ok {
				return nil, e.err
			}
			if st == solver.Unsat {
				break
			}
			c, in := e.state()
			ob := &obligation{c: e.lift(c, in, nil), frame: k, in: in}
			if k == 0 {
				return e.unsafe(ob)
			}
			bad, err := e.block(ob)
			if err != nil {
				return nil, err
			}
			if bad != nil {
				return e.unsafe(bad)
			}
		}
		if e.search.MaxDepth > 0 && k >= e.search.MaxDepth {
			return &Result{Reason: fmt.Sprintf("no violation within %d steps, and no invariant yet", k)}, nil
		}
		e.frames = append(e.frames, nil)
		e.activate()
		fix, err := e.propagate()
		if err != nil {
			return nil, err
		}
		if e.search.Progress != nil {
			n := 0
			for _, f := range e.frames {
				n += len(f)
			}
			e.search.Progress(fmt.Sprintf("ic3: frame %d, %d clauses, %d queries", len(e.frames)-1, n, e.queries))
		}
		if fix >= 0 {
			inv := &Invariant{System: e.y, K: 1}
			inv.exclude(e.lemmas)
			for _, f := range e.frames[fix:] {
				inv.exclude(f)
			}
			return &Result{Verdict: verdict.IsSafe, Invariant: inv}, nil
		}
	}
}

func (e *ic3) unsafe(ob *obligation) (*Result, error) {
	if e.err != nil {
		return nil, e.err
	}
	var steps []choices
	for ; ob != nil; ob = ob.next {
		steps = append(steps, ob.in)
	}
	events, v, err := e.y.counterexample(steps)
	if err != nil {
		return nil, err
	}
	return &Result{Trace: events, Violation: v}, nil
}

// block discharges ob and what it takes to do so, or returns the first
// obligation of a counterexample.
func (e *ic3) block(ob *obligation) (*obligation, error) {
	last := len(e.frames) - 1
	q := &obligations{}
	defer func(before int64) { e.held = before }(e.held)
	push := func(o *obligation) {
		e.seq++
		o.seq = e.seq
		e.held += int64(4*len(o.c)+len(o.in)) + 160
		heap.Push(q, o)
	}
	push(ob)
	for q.Len() > 0 {
		o := heap.Pop(q).(*obligation)
		if o.frame == 0 || e.initial(o.c) {
			return o, nil
		}
		if e.blocked(o.c, o.frame) {
			if o.frame < last {
				o.frame++
				push(o)
			}
			continue
		}
		ok, core := e.consecution(o.c, o.frame-1)
		if e.err != nil {
			return nil, e.err
		}
		if !ok {
			c, in := e.state()
			push(&obligation{c: e.lift(c, in, o.c), frame: o.frame - 1, depth: o.depth + 1, in: in, next: o})
			push(o)
			continue
		}
		at, c := e.strengthen(core, o.frame-1, 1)
		if e.err != nil {
			return nil, e.err
		}
		e.add(c, at)
		if o.frame = at; at < last {
			o.frame++
			push(o)
		}
	}
	return nil, e.err
}

// strengthen generalizes c, which no step enters from frame k, pushes it as far
// as it goes, and returns the frame to which it belongs.
func (e *ic3) strengthen(c cube, k, depth int) (int, cube) {
	c = e.generalize(c, k, depth)
	last := len(e.frames) - 1
	for k++; k < last; k++ {
		ok, core := e.consecution(c, k)
		if !ok || e.err != nil {
			break
		}
		c = core
	}
	return k, c
}

// blocked is true where a cube of frame k subsumes c.
func (e *ic3) blocked(c cube, k int) bool {
	for _, f := range e.frames[k:] {
		for _, d := range f {
			if e.err == nil {
				e.err = e.tick()
			}
			if d.subsumes(c) {
				return true
			}
		}
	}
	return false
}

// add excludes c from frame k and those before it.
func (e *ic3) add(c cube, k int) {
	for i := 1; i <= k; i++ {
		e.frames[i] = slices.DeleteFunc(e.frames[i], c.subsumes)
	}
	e.frames[k] = append(e.frames[k], c)
	e.held += int64(4*len(c)) + 48
	e.s.AddClause(e.y.negation(c, -e.act[k])...)
	for i := range e.weight {
		e.weight[i] *= 0.99
	}
	for _, l := range c {
		e.weight[bitOf(l)]++
	}
}

// The effort spent on counterexamples to generalization: how many for a literal,
// and how deep.
const (
	maxCTG      = 3
	maxCTGDepth = 1
)

// generalize drops literals from c as long as no step enters it from frame k:
// those first that are rare in the frames.
func (e *ic3) generalize(c cube, k, depth int) cube {
	order := slices.Clone(c)
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(e.weight[bitOf(a)], e.weight[bitOf(b)])
	})
	for _, l := range order {
		if len(c) == 1 || e.err != nil {
			break
		}
		i := slices.Index(c, l)
		if i < 0 {
			continue
		}
		d := slices.Delete(slices.Clone(c), i, i+1)
		if e.initial(d) {
			continue
		}
		if core, ok := e.down(d, k, depth); ok {
			c = core
		}
	}
	return c
}

// down asks whether c can be blocked from frame k, if need be by blocking the
// states from which steps enter it: counterexamples to generalization.
func (e *ic3) down(c cube, k, depth int) (cube, bool) {
	for n := 0; ; n++ {
		ok, core := e.consecution(c, k)
		if e.err != nil {
			return nil, false
		}
		if ok {
			return core, true
		}
		if depth > maxCTGDepth || n == maxCTG || k == 0 {
			return nil, false
		}
		s, in := e.state()
		s = e.lift(s, in, c)
		if e.err != nil || e.initial(s) {
			return nil, false
		}
		ok, core = e.consecution(s, k-1)
		if !ok || e.err != nil {
			return nil, false
		}
		at, d := e.strengthen(core, k-1, depth+1)
		if e.err != nil {
			return nil, false
		}
		e.add(d, at)
	}
}

// propagate moves cubes to later frames as far as they go. It returns the frame
// from which on everything is inductive, or -1.
func (e *ic3) propagate() (int, error) {
	for k := 1; k < len(e.frames)-1; k++ {
		for _, c := range slices.Clone(e.frames[k]) {
			if !slices.ContainsFunc(e.frames[k], func(d cube) bool { return &d[0] == &c[0] }) {
				continue // subsumed meanwhile
			}
			ok, core := e.consecution(c, k)
			if e.err != nil {
				return -1, e.err
			}
			if ok {
				e.add(core, k+1)
			}
		}
		if len(e.frames[k]) == 0 {
			return k + 1, nil
		}
	}
	return -1, nil
}
