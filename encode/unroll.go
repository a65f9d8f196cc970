package encode

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/solver"
)

// thread is a thread and what is unrolled of it.
type thread struct {
	index   int
	t       *program.Thread
	out     [][]int
	loops   *flow.Loops
	live    []program.RegSet
	joins   []program.StateID
	nodes   []*node
	pending [][]arrival // by control state: edges that lead into the next layer
	// mayStop says, by control state, whether the thread may stay there even
	// though it could go on: a property looks at the state.
	mayStop []bool
	sure    []bool // where it does not stand still whatever it reads, see choices.go; nil: not looked at
	private []int  // cells, by slot
	// violations are the assertions met so far.
	violations []assertion
}

// node is a control state in a layer.
type node struct {
	state program.StateID
	layer int
	exec  solver.Lit // the thread gets here
	stop  solver.Lit // and no further
	frame frame
	out   []*step
}

// frame is what a thread has computed when it reaches a node.
type frame struct {
	regs []circuit.Vector // nil for registers that are not live
	priv []circuit.Vector // the thread's private cells, by slot
	// past holds the items that are before this point in program order on
	// some path, and unfenced the stores among them that reach it on some
	// path without a fence.
	past, unfenced bitset
	// written holds the events of the stores that are executed on every path to this point.
	written bitset
	held    bool // the thread holds the global lock
	// whole is the first event of the last instruction, where that is known.
	whole *event
	// In a relational formula, what the registers and the control flow
	// depend on.
	taint []taint
	ctrl  taint
	arms  []arm
}

// arm is what the control flow depends on as far as a control state.
type arm struct {
	until program.StateID
	reads taint
}

// arrival is an edge into a node.
type arrival struct {
	lit   solver.Lit
	frame frame
}

// step is an edge of the automaton in the unrolling.
type step struct {
	edge  int
	lit   solver.Lit // it is taken
	item  int        // its item, or -1
	havoc []choice
	addr  circuit.Vector // of a Store
}

// choice is a value that a Havoc picked.
type choice struct {
	value  circuit.Vector
	lo, hi int64
}

// assertion is a violation that a thread can run into.
type assertion struct {
	lit  solver.Lit // the assertion is evaluated, and fails
	node *node
	edge int
	cmd  *program.Command
	// step is the step that evaluates it, where it is inside an atomic
	// block; nil for an Assert on its own, on which the thread ends.
	step *step
}

func (f *Formula) newThread(i int) *thread {
	pt := f.p.Threads[i]
	t := &thread{
		index:   i,
		t:       pt,
		out:     pt.Out(),
		live:    flow.Live(f.p, i, f.opts.Finals),
		joins:   flow.Joins(f.p, i),
		pending: make([][]arrival, len(pt.States)),
		mayStop: make([]bool, len(pt.States)),
	}
	t.loops = flow.FindLoops(pt, t.live)
	for c, class := range f.cells {
		if class.kind == privateCell && class.owner == i {
			t.private = append(t.private, c)
		}
	}
	f.findStops(t)
	start := frame{regs: make([]circuit.Vector, len(pt.Regs)), priv: make([]circuit.Vector, len(t.private))}
	for r := range pt.Regs {
		start.regs[r] = f.Vec(pt.Regs[r].Init)
	}
	if f.relational() {
		start.taint = make([]taint, len(pt.Regs))
	}
	for slot, c := range t.private {
		start.priv[slot] = f.Vec(f.ranges.Cells[c].Init)
	}
	t.pending[pt.Initial] = []arrival{{f.True, start}}
	return t
}

// findStops finds the control states in which the thread may stay although it
// could go on. A thread that no property looks at need not stop: whatever it
// does later can come after the violation. That fails where it could be held up
// in the middle by another thread's lock, where a property looks at memory at
// the moment of the violation, and where a property asks for a thread not to be
// somewhere or for its registers: then it may stop anywhere. So it may under a
// model of which nothing is known, but not in a section of RCU, if it can go on: one that has no end is none to the model,
// and nobody would wait for it.
func (f *Formula) findStops(t *thread) {
	everywhere := f.hasLock
	var visit func(e program.Expr, positive bool)
	visit = func(e program.Expr, positive bool) {
		switch e := e.(type) {
		case program.At:
			if e.Thread == t.index {
				everywhere = everywhere || !positive
				for _, q := range e.States {
					t.mayStop[q] = true
				}
			}
		case program.ThreadReg:
			everywhere = everywhere || e.Thread == t.index
		case program.Mem:
			everywhere = true
		case program.Unary:
			visit(e.X, false)
		case program.Binary:
			monotone := positive && (e.Op == program.LogicalAnd || e.Op == program.LogicalOr)
			visit(e.X, monotone)
			visit(e.Y, monotone)
		}
	}
	for i := range f.p.Properties {
		if pr := &f.p.Properties[i]; !pr.Final() {
			visit(pr.Cond, true)
		}
	}
	for i := range t.t.Edges {
		// Where an assertion fails in an atomic block the run ends, and for the
		// violations of others this thread must not have got that far.
		if e := &t.t.Edges[i]; e.Cmd.Op == program.Atomic && e.Cmd.Asserts() {
			t.mayStop[e.From] = true
		}
	}
	if everywhere || !f.builtin() {
		open := sections(t.t, t.out)
		for q := range t.mayStop {
			t.mayStop[q] = t.mayStop[q] || everywhere || !open[q]
		}
		if !f.hasLock && slices.Contains(open, true) {
			t.sure = t.findChoices()
		}
	}
}

// sections tells the control states in which a thread may be in a section of RCU; what is nested deeper than 8 counts as that deep.
func sections(t *program.Thread, out [][]int) []bool {
	type place struct {
		q     program.StateID
		depth int
	}
	open := make([]bool, len(t.States))
	seen := map[place]bool{}
	work := []place{{q: t.Initial}}
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		open[at.q] = open[at.q] || at.depth > 0
		for _, i := range out[at.q] {
			next := place{t.Edges[i].To, at.depth}
			switch tags := t.Edges[i].Cmd.Tags; {
			case tags.Has("Rcu-lock"):
				next.depth = min(8, at.depth+1)
			case tags.Has("Rcu-unlock"):
				next.depth = max(0, at.depth-1)
			}
			work = append(work, next)
		}
	}
	return open
}

// expand unrolls the next layer of the thread.
func (f *Formula) expand(t *thread) error {
	arrivals := t.pending
	t.pending = make([][]arrival, len(t.t.States))
	for _, q := range t.loops.Order {
		if len(arrivals[q]) == 0 {
			continue
		}
		f.poll()
		n, err := f.join(t, q, arrivals[q])
		if err != nil {
			return err
		}
		if f.IsFalse(n.exec) {
			continue
		}
		t.nodes = append(t.nodes, n)
		for _, s := range f.leave(t, n) {
			e := &t.t.Edges[s.step.edge]
			if f.IsFalse(s.step.lit) || t.loops.Wait[s.step.edge] && f.skipWaits {
				continue // an assertion in it has been noted
			}
			n.out = append(n.out, s.step)
			a := arrival{f.And(s.step.lit, s.holds), s.frame}
			if t.loops.Back[s.step.edge] {
				t.pending[e.To] = append(t.pending[e.To], a)
			} else {
				arrivals[e.To] = append(arrivals[e.To], a)
			}
		}
		left := make([]solver.Lit, len(n.out))
		for i, s := range n.out {
			left[i] = s.lit
		}
		n.stop = f.And(n.exec, -f.OrAll(left...))
	}
	return nil
}

// join is the node that the arrivals lead to. At most one of them happens.
func (f *Formula) join(t *thread, q program.StateID, in []arrival) (*node, error) {
	lits := make([]solver.Lit, len(in))
	for i := range in {
		lits[i] = in[i].lit
	}
	n := &node{state: q, layer: f.bound, exec: f.OrAll(lits...)}
	n.frame = in[0].frame
	n.frame.regs = slices.Clone(n.frame.regs)
	n.frame.priv = slices.Clone(n.frame.priv)
	n.frame.taint = slices.Clone(n.frame.taint)
	for r := range n.frame.regs {
		if !t.live[q].Has(r) {
			n.frame.regs[r] = nil
		}
	}
	if len(in) > 1 {
		for r := range n.frame.taint {
			n.frame.taint[r] = taint(nil).join(f, n.frame.taint[r], in[0].lit)
		}
		n.frame.ctrl = taint(nil).join(f, n.frame.ctrl, in[0].lit)
	}
	n.frame.arms = nil
	for _, a := range in {
		for _, x := range a.frame.arms {
			cond := a.lit
			if len(in) == 1 {
				cond = f.True
			}
			if x.until != q {
				n.frame.arm(f, x.reads, x.until, cond)
			}
		}
	}
	for _, a := range in[1:] {
		f.poll()
		for r := range n.frame.regs {
			if t.live[q].Has(r) {
				n.frame.regs[r] = f.IteVec(a.lit, a.frame.regs[r], n.frame.regs[r])
			}
		}
		for s := range n.frame.priv {
			n.frame.priv[s] = f.IteVec(a.lit, a.frame.priv[s], n.frame.priv[s])
		}
		for r := range n.frame.taint {
			n.frame.taint[r] = n.frame.taint[r].join(f, a.frame.taint[r], a.lit)
		}
		n.frame.ctrl = n.frame.ctrl.join(f, a.frame.ctrl, a.lit)
		if n.frame.whole != a.frame.whole {
			n.frame.whole = nil
		}
		n.frame.past = n.frame.past.union(a.frame.past)
		n.frame.unfenced = n.frame.unfenced.union(a.frame.unfenced)
		n.frame.written = n.frame.written.intersection(a.frame.written)
		if n.frame.held != a.frame.held && len(t.out[q]) > 0 { // where something comes of it
			return nil, fmt.Errorf("%w: thread %s may or may not hold the lock at %s",
				ErrUnsupported, t.t.Name, t.t.States[q].Name)
		}
	}
	return n, nil
}

// departure is a step out of a node and what the thread has computed after it.
type departure struct {
	step  *step
	frame frame
	holds solver.Lit // no assertion failed in it, so that the run goes on
}

// leave makes the steps out of n. At most one of them is taken, and one is
// unless the thread is blocked or may stop.
func (f *Formula) leave(t *thread, n *node) []departure {
	edges := t.out[n.state]
	mayStop := t.mayStop[n.state]
	if ds := f.leaveByCAS(t, n); ds != nil {
		return ds
	}
	taken := f.branch(t, n, edges, mayStop)
	var ds []departure
	for i, e := range edges {
		if f.IsFalse(taken[i]) {
			continue
		}
		s := &step{edge: e, lit: taken[i], item: -1}
		fr := n.frame
		fr.regs = slices.Clone(fr.regs)
		fr.priv = slices.Clone(fr.priv)
		fr.taint = slices.Clone(fr.taint)
		f.poll()
		cmd := &t.t.Edges[e].Cmd
		b := &body{f: f, t: t, n: n, step: s, frame: &fr, guard: s.lit, holds: f.True}
		switch cmd.Op {
		case program.Fence:
			switch {
			case cmd.FullFence():
				b.fence(fenceItem, cmd)
				fr.unfenced = nil
			case cmd.StoreFence() && (f.allFences() || f.opts.Model == memory.PSO):
				b.fence(storeFenceItem, cmd)
			case f.allFences(): // whatever it does
				b.fence(otherFenceItem, cmd)
			}
		case program.Lock:
			b.enter(lockItem)
			fr.unfenced, fr.held = nil, true
		case program.Unlock:
			b.enter(unlockItem)
			fr.unfenced, fr.held = nil, false
		case program.Atomic:
			b.atomic = true
			for k := range cmd.Body {
				b.run(&cmd.Body[k])
			}
			b.fence(atomicItem, cmd) // even a block without shared accesses is one
			fr.unfenced = nil
			if t.t.Forks(n.state) { // what was checked decides where the thread goes on
				fr.decide(f, b.ctrl, t.joins[n.state])
			}
		default:
			b.run(cmd)
		}
		ds = append(ds, departure{s, fr, b.holds})
	}
	return ds
}

// branch decides which literal stands for each edge out of n. Edges that are
// taken for certain, or by a condition and its negation, need no new variable.
func (f *Formula) branch(t *thread, n *node, edges []int, mayStop bool) []solver.Lit {
	taken := make([]solver.Lit, len(edges))
	enabled := make([]solver.Lit, len(edges))
	certain := true // a step that is enabled by enabled[i] cannot be held up
	for i, e := range edges {
		cmd := &t.t.Edges[e].Cmd
		enabled[i] = f.True
		switch cmd.Op {
		case program.Check:
			enabled[i] = f.Cond(cmd.Value, n.frame.regs)
		case program.Assert:
			enabled[i] = f.Cond(cmd.Value, n.frame.regs)
			t.violations = append(t.violations, assertion{
				lit: f.And(n.exec, -enabled[i]), node: n, edge: e, cmd: cmd})
		case program.Lock:
			enabled[i] = f.Constant(!n.frame.held)
			certain = false
		case program.Unlock:
			enabled[i] = f.Constant(n.frame.held)
		case program.Atomic:
			certain = certain && !f.hasLock && !hasCheck(cmd)
		}
	}
	switch {
	case mayStop || !certain:
	case len(edges) == 1:
		taken[0] = f.And(n.exec, enabled[0])
		return taken
	case len(edges) == 2 && enabled[0] == -enabled[1]:
		taken[0] = f.And(n.exec, enabled[0])
		taken[1] = f.And(n.exec, enabled[1])
		return taken
	}
	for i := range edges {
		if f.IsFalse(enabled[i]) {
			taken[i] = f.False()
			continue
		}
		taken[i] = f.Fresh()
		f.Clause(-taken[i], n.exec)
		f.Clause(-taken[i], enabled[i])
		for j := range i {
			f.Clause(-taken[i], -taken[j])
		}
	}
	switch {
	case mayStop:
	case certain:
		for i := range edges {
			f.Clause(append(slices.Clone(taken), -n.exec, -enabled[i])...)
		}
	case t.sure != nil && t.sure[n.state]:
		f.Clause(append(slices.Clone(taken), -n.exec)...)
	}
	return taken
}

// hasCheck is whether an Atomic may not be possible.
func hasCheck(c *program.Command) bool {
	return slices.ContainsFunc(c.Body, func(b program.Command) bool {
		k, constant := b.Value.(program.Const)
		return b.Op == program.Check && !(constant && k != 0)
	})
}

// leaveByCAS handles a state that is left by two atomic blocks which load the
// same cell first and then check opposite conditions on it, as a
// compare-and-swap does: the two share their load, and which one is taken
// depends on what it gives. It returns nil where that is not the case.
func (f *Formula) leaveByCAS(t *thread, n *node) []departure {
	edges := t.out[n.state]
	if len(edges) != 2 || f.hasLock || t.mayStop[n.state] {
		return nil
	}
	var cmds [2]*program.Command
	for i, e := range edges {
		c := &t.t.Edges[e].Cmd
		if c.Op != program.Atomic || len(c.Body) < 2 || c.Body[0].Op != program.Load ||
			c.Body[1].Op != program.Check || hasCheck(&program.Command{Body: c.Body[2:]}) {
			return nil
		}
		cmds[i] = c
	}
	load := &cmds[0].Body[0]
	if load.Reg != cmds[1].Body[0].Reg || load.Tags != cmds[1].Body[0].Tags || !reflect.DeepEqual(load.Addr, cmds[1].Body[0].Addr) ||
		!reflect.DeepEqual(program.NotExpr(cmds[0].Body[1].Value), cmds[1].Body[1].Value) {
		return nil
	}
	fr := n.frame
	fr.regs = slices.Clone(fr.regs)
	fr.priv = slices.Clone(fr.priv)
	fr.taint = slices.Clone(fr.taint)
	shared := &body{f: f, t: t, n: n, step: &step{item: -1}, frame: &fr, guard: n.exec, atomic: true, holds: f.True}
	shared.run(load)
	shared.enter(atomicItem)
	swap := f.Cond(cmds[0].Body[1].Value, fr.regs)
	var ds []departure
	for i, e := range edges {
		lit := f.And(n.exec, swap)
		if i == 1 {
			lit = f.And(n.exec, -swap)
		}
		if f.IsFalse(lit) {
			continue
		}
		own := fr
		own.regs = slices.Clone(fr.regs)
		own.priv = slices.Clone(fr.priv)
		own.taint = slices.Clone(fr.taint)
		s := &step{edge: e, lit: lit, item: shared.step.item}
		b := &body{f: f, t: t, n: n, step: s, frame: &own, guard: lit, atomic: true, branch: i + 1, holds: f.True}
		b.index, b.loads = shared.index, shared.loads
		b.control(cmds[i].Body[1].Value)
		for k := 2; k < len(cmds[i].Body); k++ {
			b.run(&cmds[i].Body[k])
		}
		own.unfenced = nil
		ds = append(ds, departure{s, own, b.holds})
	}
	return ds
}
