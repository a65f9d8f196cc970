package encode

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Query asks the formula, at the bound at which it was made, for one of
// several things.
type Query struct {
	f       *Formula
	lit     solver.Lit
	given   []solver.Lit // what else is assumed
	targets []target
	// open is true where reads may give anything and axioms do not count.
	open bool
}

// target is one of the things that a query asks for.
type target struct {
	lit       solver.Lit
	property  *program.Property
	assertion *assertion
	thread    *thread // the assertion's
	snapshot  *item   // the moment at which a property looks at memory, or nil
}

// query makes a query, or the error of [Formula.Extend].
func (f *Formula) query(ctx context.Context, ask func(q *Query)) (*Query, error) {
	q := &Query{f: f}
	return q, f.guarded(ctx, func() error {
		f.close()
		ask(q)
		q.finish()
		return nil
	})
}

// Violations asks for an execution that violates a property or an assertion. The error
// is as that of [Formula.Extend], here and in the other queries.
func (f *Formula) Violations(ctx context.Context) (*Query, error) {
	return f.query(ctx, f.violations)
}

func (f *Formula) violations(q *Query) {
	q.given = f.likeThreads()
	for _, t := range f.threads {
		for i := range t.violations {
			a := &t.violations[i]
			q.add(target{lit: a.lit, assertion: a, thread: t})
		}
	}
	snap := f.newSnapshot()
	now := &moment{f: f, cell: snap.cell, at: f.current}
	end := f.finalMoment()
	for i := range f.p.Properties {
		pr := &f.p.Properties[i]
		if pr.Final() {
			cond := f.NonZero(end.eval(pr.Cond))
			if pr.Kind == program.Forall {
				cond = -cond
			}
			if f.p.Filter != nil {
				cond = f.And(cond, f.NonZero(end.eval(f.p.Filter)))
			}
			q.add(target{lit: f.And(end.reached(), cond), property: pr})
		} else {
			t := target{lit: f.NonZero(now.eval(pr.Cond)), property: pr}
			program.Walk(pr.Cond, func(e program.Expr) {
				if _, ok := e.(program.Mem); ok {
					t.snapshot = snap.item
				}
			})
			q.add(t)
		}
	}
}

// Faults asks for an execution in which a precondition of the language fails.
func (f *Formula) Faults(ctx context.Context) (*Query, error) {
	return f.query(ctx, func(q *Query) {
		for _, t := range f.threads {
			for i := range t.violations {
				if a := &t.violations[i]; a.cmd.Kind != program.Assertion {
					q.add(target{lit: a.lit, assertion: a, thread: t})
				}
			}
		}
	})
}

// Unwinding asks for an execution in which some thread goes beyond the bound.
// Where there is none, the unrolling is complete (unwinding assertions).
//
// Of the executions that go beyond the bound only the part up to where the first thread
// does so is known. That part is an execution where a thread cannot see what comes later
// and the model is monotone. Else all that can be said of it is what the threads compute.
func (f *Formula) Unwinding(ctx context.Context) (*Query, error) {
	return f.query(ctx, func(q *Query) {
		if d := f.opts.Definition; !f.builtin() {
			q.open = !d.OrdersReads() || !d.Cat.Monotone() || memory.Block(f.p) != nil
		}
		for _, t := range f.threads {
			for _, in := range t.pending {
				for _, a := range in {
					q.add(target{lit: a.lit})
				}
			}
		}
	})
}

func (q *Query) add(t target) {
	if !q.f.IsFalse(t.lit) {
		q.targets = append(q.targets, t)
	}
}

// finish closes the list. An assertion that fails inside an atomic block ends the
// run, so for any other target no such assertion may have failed.
func (q *Query) finish() {
	var failed []*assertion
	for _, t := range q.f.threads {
		for i := range t.violations {
			if a := &t.violations[i]; a.step != nil && !q.f.IsFalse(a.lit) {
				failed = append(failed, a)
			}
		}
	}
	for i := range q.targets {
		q.f.poll()
		t := &q.targets[i]
		for _, a := range failed {
			// Of two assertions in one block both may fail.
			if t.assertion == nil || t.assertion.step != a.step {
				t.lit = q.f.And(t.lit, -a.lit)
			}
		}
	}
	lits := make([]solver.Lit, len(q.targets))
	for i := range q.targets {
		lits[i] = q.targets[i].lit
	}
	q.lit = q.f.OrAll(lits...)
}

// Solve decides the query. After Sat the model is that of an execution.
func (q *Query) Solve(ctx context.Context) (solver.Status, error) {
	if q.f.IsFalse(q.lit) && !q.f.opts.Proofs {
		return solver.Unsat, nil
	}
	return q.f.s.Solve(ctx, q.Assumptions()...)
}

// Assumptions is what the formula is solved under.
func (q *Query) Assumptions() []solver.Lit {
	open := -q.f.open
	if q.open {
		open = q.f.open
	}
	return append([]solver.Lit{open, q.lit}, q.given...)
}

// Proof is the proof of the last answer, which must be Unsat, and what the literals mean
// that were assumed in it. The formula must have been made with [Options.Proofs].
func (q *Query) Proof() (p *solver.Proof, assumed []string, err error) {
	if p, err = solver.ProofOf(q.f.s); err != nil {
		return nil, nil, err
	}
	for _, l := range p.Core() {
		switch l {
		case q.lit:
			assumed = append(assumed, "what is asked for happens")
		case -q.f.open:
			assumed = append(assumed, fmt.Sprintf("executions have %d unrollings", q.f.bound))
		case q.f.open:
			assumed = append(assumed, "reads may give anything")
		}
	}
	return p, assumed, nil
}

// moment gives the atoms of a property their meaning at some point of an
// execution.
type moment struct {
	f    *Formula
	at   func(t *thread) []place
	cell func(i int) circuit.Vector
}

// place is a control state at which a thread may be at a moment. A thread is at
// exactly one of its places.
type place struct {
	state program.StateID
	lit   solver.Lit
	frame *frame
}

// current is where the thread stops, or goes beyond the bound.
func (f *Formula) current(t *thread) []place {
	var ps []place
	for _, n := range t.nodes {
		ps = append(ps, place{n.state, n.stop, &n.frame})
	}
	for q, in := range t.pending {
		for i := range in {
			ps = append(ps, place{program.StateID(q), in[i].lit, &in[i].frame})
		}
	}
	return ps
}

// ends is where the thread ends.
func (f *Formula) ends(t *thread, cell func(i int) circuit.Vector) []place {
	var ps []place
	for _, n := range t.nodes {
		switch kind := t.t.States[n.state].Kind; {
		case kind == program.Unstarted: // and nobody has started it
			i := f.ranges.CellIndex(t.t.StartCell(n.state))
			var start circuit.Vector
			if class := f.cells[i]; class.kind == privateCell { // nobody else has to do with it
				start = n.frame.priv[class.slot]
			} else {
				start = cell(i)
			}
			ps = append(ps, place{n.state, f.And(n.stop, -f.NonZero(start)), &n.frame})
		case kind == program.Plain && len(t.out[n.state]) == 0:
			ps = append(ps, place{n.state, n.exec, &n.frame})
		}
	}
	return ps
}

// finalMoment is the end of an execution in which all threads end: all stores
// have reached memory.
func (f *Formula) finalMoment() *moment {
	m := &moment{f: f}
	cells := map[int]circuit.Vector{}
	m.cell = func(i int) circuit.Vector {
		if cells[i] == nil {
			cells[i] = f.finalCell(i, m)
		}
		return cells[i]
	}
	m.at = func(t *thread) []place { return f.ends(t, m.cell) }
	return m
}

// reached is whether the moment comes: all threads have a place in it.
func (m *moment) reached() solver.Lit {
	all := m.f.True
	for _, t := range m.f.threads {
		var lits []solver.Lit
		for _, p := range m.at(t) {
			lits = append(lits, p.lit)
		}
		all = m.f.And(all, m.f.OrAll(lits...))
	}
	for _, it := range m.f.items {
		if it.stuck != 0 { // in the end the buffers are empty
			all = m.f.And(all, -it.stuck)
		}
	}
	return all
}

func (m *moment) reg(t *thread, r int) circuit.Vector {
	v := m.f.Vec(0)
	for _, p := range m.at(t) {
		m.f.poll()
		v = m.f.IteVec(p.lit, p.frame.regs[r], v)
	}
	return v
}

func (m *moment) eval(e program.Expr) circuit.Vector {
	f := m.f
	switch e := e.(type) {
	case program.Const:
		return f.Vec(int64(e))
	case program.Unary:
		return f.Unary(e.Op, m.eval(e.X))
	case program.Binary:
		return f.Binary(e.Op, m.eval(e.X), m.eval(e.Y))
	case program.At:
		var lits []solver.Lit
		for _, p := range m.at(f.threads[e.Thread]) {
			if slices.Contains(e.States, p.state) {
				lits = append(lits, p.lit)
			}
		}
		return f.BoolVec(f.OrAll(lits...))
	case program.ThreadReg:
		return m.reg(f.threads[e.Thread], e.Reg)
	case program.Mem:
		return m.cell(f.ranges.CellIndex(e.Addr))
	}
	panic("encode: " + e.String() + " in a property")
}

// finalCell is what cell i holds at the end of an execution.
func (f *Formula) finalCell(i int, end *moment) circuit.Vector {
	switch class := f.cells[i]; class.kind {
	case constantCell:
		return f.Vec(f.ranges.Cells[i].Init)
	case privateCell:
		v := f.Vec(0)
		for _, p := range end.at(f.threads[class.owner]) {
			v = f.IteVec(p.lit, p.frame.priv[class.slot], v)
		}
		return v
	}
	s := f.ranges.Cell[i]
	v := f.FreshVec(s.Min(), s.Max())
	init := f.Fresh()
	some := []solver.Lit{init}
	f.equal(v, f.Vec(f.ranges.Cells[i].Init), -init)
	here := func(w *event) solver.Lit {
		if len(w.cells) == 1 {
			return f.True
		}
		return f.atCell(w.addr, i)
	}
	for _, w := range f.byCell[i] {
		f.poll()
		f.Clause(-init, -w.guard, -here(w))
		last := f.Fresh()
		some = append(some, last)
		f.Clause(-last, w.guard)
		f.Clause(-last, here(w))
		f.equal(v, w.value, -last)
		for _, x := range f.byCell[i] {
			if x != w && !f.exclusive(x, w) {
				f.Clause(-last, -x.guard, -here(x), f.coBefore(x, w))
			}
		}
	}
	f.Clause(some...)
	return v
}

// snapshot is a read of several cells at one point of the order: all that the
// threads have done before they stop is before it, while what their buffers
// hold may be after it.
type snapshot struct {
	item  *item
	reads map[int]*event
}

func (s *snapshot) cell(i int) circuit.Vector { return s.reads[i].value }

// newSnapshot makes the snapshot of the cells that the Forbid properties look
// at.
func (f *Formula) newSnapshot() *snapshot {
	s := &snapshot{reads: map[int]*event{}}
	var cells []int
	for i := range f.p.Properties {
		if pr := &f.p.Properties[i]; !pr.Final() {
			program.Walk(pr.Cond, func(e program.Expr) {
				if m, ok := e.(program.Mem); ok && !slices.Contains(cells, f.ranges.CellIndex(m.Addr)) {
					cells = append(cells, f.ranges.CellIndex(m.Addr))
				}
			})
		}
	}
	if len(cells) == 0 {
		return s
	}
	f.retireSnapshots()
	s.item = &item{id: len(f.items), kind: snapshotItem, thread: -1, guard: f.True}
	f.items = append(f.items, s.item)
	for _, c := range cells {
		r := &event{
			id:    len(f.events),
			item:  s.item,
			index: len(s.reads),
			guard: f.True,
			cells: []int{c},
			addr:  f.Vec(f.ranges.Cells[c].Addr),
			value: f.FreshVec(f.ranges.Cell[c].Min(), f.ranges.Cell[c].Max()),
		}
		s.reads[c] = r
		f.events = append(f.events, r)
		f.reads = append(f.reads, r)
	}
	f.connectOrder()
	f.connectEvents()
	for _, c := range cells {
		for _, c := range s.reads[c].chains {
			f.Clause(-c.top)
		}
	}
	for _, it := range f.items {
		f.poll()
		switch {
		case it.retired || it == s.item || it.kind == storeFenceItem:
		case it.stuck != 0:
			f.Clause(-it.stuck, f.before(s.item, it))
		case it.kind == fenceItem:
			it.past.each(func(i int) {
				if w := f.items[i]; w.kind == storeItem {
					f.Clause(-it.guard, -w.guard, f.before(w, s.item))
				}
			})
		case it.kind != storeItem || f.opts.Model == memory.SC:
			f.Clause(-it.guard, f.before(it, s.item))
		}
	}
	return s
}

// retireSnapshots takes the snapshots that there are out of the relations. What
// was said about one holds for the items of its bound and can always be
// satisfied, but events of a later bound must not be fitted around it.
func (f *Formula) retireSnapshots() {
	for _, it := range f.items {
		it.retired = it.retired || it.kind == snapshotItem
	}
	f.reads = slices.DeleteFunc(f.reads, func(r *event) bool { return r.item.retired })
}

// Finals enumerates final states at the bound at which it was made.
type Finals struct {
	f    *Formula
	end  *moment
	lit  solver.Lit
	regs [][]circuit.Vector
	mem  []circuit.Vector
	// observed is true where only what the program lists in Observe tells states apart;
	// then tells says of a register, and of a cell, whether it does.
	observed bool
	tells    map[program.Expr]bool
}

// Finals asks for final states; where observed is true, for one of all that differ in
// nothing that the program observes, and for none that its filter does not let pass.
// The formula must have been made with [Options.Finals].
func (f *Formula) Finals(ctx context.Context, observed bool) (*Finals, error) {
	q := &Finals{f: f, end: f.finalMoment(), observed: observed && len(f.p.Observe) > 0}
	return q, f.guarded(ctx, func() error {
		f.close()
		q.prepare()
		return nil
	})
}

func (q *Finals) prepare() {
	f := q.f
	q.lit = q.end.reached()
	for _, t := range f.threads {
		regs := make([]circuit.Vector, len(t.t.Regs))
		for r := range regs {
			if regs[r] = f.Vec(0); !t.t.Regs[r].Temp {
				regs[r] = q.end.reg(t, r)
			}
		}
		q.regs = append(q.regs, regs)
	}
	for i := range f.cells {
		q.mem = append(q.mem, q.end.cell(i))
	}
	if f.p.Filter != nil {
		q.lit = f.And(q.lit, f.NonZero(q.end.eval(f.p.Filter)))
	}
	if !q.observed {
		return
	}
	q.tells = map[program.Expr]bool{}
	for _, e := range f.p.Observe {
		switch e := e.(type) {
		case program.ThreadReg:
			q.tells[program.ThreadReg{Thread: e.Thread, Reg: e.Reg}] = true
		case program.Mem:
			q.tells[program.Mem{Addr: e.Addr}] = true
		}
	}
}

// Next finds a final state that is not excluded, and excludes it. The status is
// Unsat where there is none.
func (q *Finals) Next(ctx context.Context) (verdict.FinalState, solver.Status, error) {
	if q.f.IsFalse(q.lit) {
		return verdict.FinalState{}, solver.Unsat, nil
	}
	st, err := q.f.s.Solve(ctx, -q.f.open, q.lit)
	if st != solver.Sat || err != nil {
		return verdict.FinalState{}, st, err
	}
	var s verdict.FinalState
	for _, regs := range q.regs {
		vals := make([]int64, len(regs))
		for r := range regs {
			vals[r] = q.f.eval(regs[r])
		}
		s.Regs = append(s.Regs, vals)
	}
	for _, m := range q.mem {
		s.Memory = append(s.Memory, q.f.eval(m))
	}
	q.Exclude(s)
	return s, solver.Sat, nil
}

// Exclude makes Next pass over s.
func (q *Finals) Exclude(s verdict.FinalState) {
	f := q.f
	differs := []solver.Lit{-q.lit}
	exclude := func(x circuit.Vector, v int64) {
		for i, l := range x {
			if v>>i&1 != 0 {
				l = -l
			}
			differs = append(differs, l)
		}
	}
	for t, regs := range q.regs {
		for r := range regs {
			if !q.observed || q.tells[program.ThreadReg{Thread: t, Reg: r}] {
				exclude(regs[r], s.Regs[t][r])
			}
		}
	}
	for i := range q.mem {
		if !q.observed || q.tells[program.Mem{Addr: f.ranges.Cells[i].Addr}] {
			exclude(q.mem[i], s.Memory[i])
		}
	}
	f.Clause(differs...)
}
