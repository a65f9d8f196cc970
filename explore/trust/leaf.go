package trust

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// found is a violation, and the part of the graph that leads to it.
type found struct {
	violation *verdict.Violation
	graph     *graph
	events    []int32 // by thread: how many of its events are part of it
	steps     []int   // by thread: how many steps; -1: all that lead to where it stands
	final     bool    // it is one of the last state: all stores are in memory
	hops      []hop   // of a race of load buffering
	chain     *link   // what justifies the graph, where it has a cycle
	path      []int32 // to the graph in the tree
}

// leaf judges a graph to which nothing is to be added.
func (x *explorer) leaf() {
	if x.opts.MaxGraphs > 0 && x.crew.leaves.Add(1) > x.opts.MaxGraphs {
		x.stop("the limit on the number of graphs", "allow more graphs")
		return
	}
	if x.weak != nil && !x.weak.orderly(x.g) {
		x.dropped++
		return
	}
	if x.weak != nil {
		x.weak.updates(x.g)
	}
	if !x.apartFrom() {
		return
	}
	cut, rounds, failed, stale := false, false, false, false
	events := x.all()
	for t := range x.threads {
		p := x.at(int32(t))
		if e := x.g.last(int32(t)); e != none && x.threads[t].States[p.state.PC].Kind == program.Unstarted {
			// It has not been started by what it has read; that is how it is once it is
			// what the cell holds in the end. The read is not part of the graph then.
			w := &x.g.events[x.g.events[e].rf]
			stale = stale || int(w.place) < len(x.g.co[w.cell])-1
			events[t]--
		}
		if p.stop.Kind == threads.Cut {
			cut, rounds = true, rounds || p.state.Rounds > x.threads[t].MaxRounds
		}
		failed = failed || p.stop.Kind == threads.Failed
		x.end.PC[t] = p.state.PC
		copy(x.end.Regs[t], p.state.Regs)
	}
	for c, ws := range x.g.co {
		x.end.Mem[c] = x.g.events[ws[len(ws)-1]].value
	}
	complete := !cut && !failed && !stale && x.system.Final(x.end)
	switch {
	case cut:
		x.cut++
		x.cutRounds += int64(program.Bool(rounds))
	case complete:
		x.executions++
	default:
		x.blocked++
	}
	if x.leafed != nil {
		x.leafed()
	}
	if x.opts.Graph != nil && complete {
		x.opts.Graph(x.graph(x.g, events, true).Sorted())
	}
	for _, f := range x.forbids {
		if x.moment(f) {
			return
		}
	}
	if !failed && !complete { // whoever meets a bound may be going round what changes nothing
		x.hangs(cut)
	}
	switch {
	case complete:
		if pr := x.judge.Ending(x.end); pr != nil {
			x.violates(pr)
		}
	case !cut && !failed && !x.system.Final(x.end):
		if pr := x.judge.Deadlock(x.end); pr != nil && x.system.Stuck(x.end) {
			x.violates(pr)
		}
	}
}

// violates takes note that the graph violates pr.
func (x *explorer) violates(pr *program.Property) {
	x.ends(&verdict.Violation{Property: pr, Text: pr.String(), Pos: pr.Pos})
}

// ends takes note that the graph ends in what is wrong.
func (x *explorer) ends(v *verdict.Violation) {
	steps := make([]int, len(x.threads))
	for t := range steps {
		steps[t] = -1
	}
	x.found = &found{violation: v, graph: x.g.clone(), events: x.all(), steps: steps, final: true}
}

// failed takes note that thread t has failed an assertion.
func (x *explorer) failed(t int32) {
	if !x.apartFrom() {
		return
	}
	c := x.at(t).stop.Cmd
	text := c.Text
	if text == "" {
		text = c.Format(x.p, x.p.Threads[t])
	}
	f := &found{violation: &verdict.Violation{Kind: c.Kind, Text: text, Pos: c.Pos}, graph: x.g.clone(),
		events: make([]int32, len(x.threads)), steps: make([]int, len(x.threads))}
	if e := x.g.last(t); e != none {
		copy(f.events, x.g.events[e].clock)
	}
	x.whole(f.events)
	f.steps[t] = -1
	if x.weak == nil || x.def.Consistent(x.graph(f.graph, f.events, false)) {
		x.found = f
	} else if x.weak.apart && !x.weak.plainly(f.graph) {
		x.weak.doubt("an assertion fails where only what justifies its reads is coherent")
	}
}

// all is, by thread, how many events there are.
func (x *explorer) all() []int32 {
	n := make([]int32, len(x.threads))
	for t, es := range x.g.threads {
		n[t] = int32(len(es))
	}
	return n
}

func (g *graph) clone() *graph {
	c := &graph{events: slices.Clone(g.events)}
	for _, es := range g.threads {
		c.threads = append(c.threads, slices.Clone(es))
	}
	for _, ws := range g.co {
		c.co = append(c.co, slices.Clone(ws))
	}
	return c
}

// A step is one of a thread's, in a graph.
type step struct {
	edge   int32
	choice int64
	events int32 // how many events of the thread there are after it
	pc     program.StateID
	regs   []int64
}

// steps are those of thread t up to where it stands after its first n events. at is told
// where it begins, too.
func (x *explorer) steps(g *graph, t int32, n int32) []step {
	var all []step
	th := *x.threads[t]
	done := int32(0)
	th.Log = func(s *threads.State, edge int32, choice int64) {
		all = append(all, step{edge, choice, done, s.PC, slices.Clone(s.Regs)})
	}
	var s threads.State
	th.Start(&s)
	all = append(all, step{-1, 0, 0, s.PC, slices.Clone(s.Regs)})
	for stop := th.Run(&s, x.scratch); done < n; stop = th.Run(&s, x.scratch) {
		e := &g.events[g.threads[t][done]]
		done++
		switch e.kind {
		case read:
			th.Read(&s, &stop, e.value, x.scratch)
		case choice:
			th.Choose(&s, e.value)
		default:
			th.Pass(&s, &stop, x.scratch)
		}
	}
	return all
}

// A forbid is a condition that must not hold at any moment, on where threads are and on
// their registers. A part of a graph that is closed under what comes before is a graph of
// its own, whose end is a moment.
type forbid struct {
	*program.Property
	cond    program.Expr   // a disjunct of the property's
	threads []int          // that it speaks of
	alone   []program.Expr // conjuncts that speak of one thread, by place in threads; may be nil
}

// newForbids is one for each disjunct of the condition: that two of many threads are in a section is asked of
// each two of them, not of the places of all.
func newForbids(pr *program.Property) (all []*forbid) {
	for _, cond := range disjuncts(pr.Cond) {
		all = append(all, newForbid(pr, cond))
	}
	return all
}

// disjuncts are conditions of which one holds where e does.
func disjuncts(e program.Expr) []program.Expr {
	switch d := e.(type) {
	case program.Binary:
		if d.Op == program.LogicalOr {
			return append(disjuncts(d.X), disjuncts(d.Y)...)
		}
	case program.Unary:
		if b, ok := d.X.(program.Binary); ok && d.Op == program.LogicalNot && b.Op == program.LogicalAnd {
			return append(disjuncts(program.NotExpr(b.X)), disjuncts(program.NotExpr(b.Y))...)
		}
	}
	return []program.Expr{e}
}

func newForbid(pr *program.Property, cond program.Expr) *forbid {
	f := &forbid{Property: pr, cond: cond, threads: spokenOf(cond)}
	f.alone = make([]program.Expr, len(f.threads))
	var each func(e program.Expr)
	each = func(e program.Expr) {
		if b, ok := e.(program.Binary); ok && b.Op == program.LogicalAnd {
			each(b.X)
			each(b.Y)
			return
		}
		if of := spokenOf(e); len(of) == 1 {
			i := slices.Index(f.threads, of[0])
			if f.alone[i] != nil {
				e = program.Binary{Op: program.LogicalAnd, X: f.alone[i], Y: e}
			}
			f.alone[i] = e
		}
	}
	each(cond)
	return f
}

func spokenOf(e program.Expr) (threads []int) {
	program.Walk(e, func(e program.Expr) {
		switch e := e.(type) {
		case program.At:
			threads = append(threads, e.Thread)
		case program.ThreadReg:
			threads = append(threads, e.Thread)
		}
	})
	slices.Sort(threads)
	return slices.Compact(threads)
}

// moment takes note of a moment of the graph at which what f forbids is the case.
func (x *explorer) moment(f *forbid) bool {
	all := make([][]step, len(x.threads))
	chosen := make([]*step, len(x.threads))
	env := &program.Env{
		ThreadReg: func(t, r int) int64 { return chosen[t].regs[r] },
		At:        func(t int) program.StateID { return chosen[t].pc },
	}
	places := make([]int, len(x.threads))
	var pick func(i int) bool
	pick = func(i int) bool {
		if i == len(f.threads) {
			return program.Eval(f.cond, env) != 0
		}
		t := f.threads[i]
		for k := range all[t] {
			if x.work(1); x.halted() {
				return false
			}
			chosen[t], places[t] = &all[t][k], k
			if x.together(f.threads[:i+1], chosen) && pick(i+1) {
				return true
			}
		}
		return false
	}
	for i, t := range f.threads {
		all[t] = x.steps(x.g, int32(t), int32(len(x.g.threads[t])))
		if f.alone[i] == nil {
			continue
		}
		kept := false
		for k := range all[t] {
			if chosen[t] = &all[t][k]; program.Eval(f.alone[i], env) == 0 {
				all[t][k].pc = -1
			} else {
				kept = true
			}
		}
		if !kept {
			return false
		}
	}
	if !pick(0) {
		return false
	}
	x.found = &found{violation: &verdict.Violation{Property: f.Property, Text: f.String(), Pos: f.Pos},
		graph: x.g.clone(), events: make([]int32, len(x.threads)), steps: make([]int, len(x.threads))}
	for _, t := range f.threads {
		x.found.steps[t] = places[t]
		if n := chosen[t].events; n > 0 {
			for u, m := range x.g.events[x.g.threads[t][n-1]].clock {
				x.found.events[u] = max(x.found.events[u], m)
			}
		}
	}
	x.whole(x.found.events)
	return true
}

// together is true of places of threads that can be at one moment, given that all but the
// last can: nothing that leads to one of them comes after another.
func (x *explorer) together(threads []int, at []*step) bool {
	last := threads[len(threads)-1]
	if at[last].pc < 0 {
		return false
	}
	before := func(t, u int) bool {
		n := at[t].events
		return n == 0 || x.g.events[x.g.threads[t][n-1]].clock[u] <= at[u].events
	}
	for _, t := range threads[:len(threads)-1] {
		if !before(t, last) || !before(last, t) {
			return false
		}
	}
	return true
}

// graph is the first events of each thread as a graph that models are told of. deps is
// whether it says what depends on what.
func (x *explorer) graph(g *graph, events []int32, deps bool) *memory.Graph {
	m, _ := x.numbered(g, events, deps)
	return m
}

// numbered is graph with the numbers that events have in it, or -1.
func (x *explorer) numbered(g *graph, events []int32, deps bool) (m *memory.Graph, number []int) {
	m = &memory.Graph{}
	number = make([]int, len(g.events))
	for e := range g.events {
		ev := &g.events[e]
		number[e] = -1
		if ev.thread == none {
			if len(g.co[e]) == 1 && ev.readers == none {
				continue
			}
			c := &x.ranges.Cells[e]
			number[e] = m.Add(memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Addr: c.Addr, Value: c.Init, Loc: c.Name, Mark: c.Mark, Members: c.Members})
			continue
		}
		if ev.kind == choice || ev.index >= events[ev.thread] {
			continue
		}
		number[e] = m.Add(x.event(g, ev))
	}
	for e := range g.events {
		ev := &g.events[e]
		if number[e] < 0 {
			continue
		}
		if ev.kind == read && ev.rf != none {
			m.RF.Add(number[ev.rf], number[e])
		}
		if ev.pair != none {
			m.RMW.Add(number[g.threads[ev.thread][ev.pair]], number[e])
		}
	}
	for _, ws := range g.co {
		var order []int
		for _, w := range ws {
			if number[w] >= 0 {
				order = append(order, number[w])
			}
		}
		m.Order(order...)
	}
	if deps {
		for t := range x.threads {
			x.depend(m, g, int32(t), events[t], number)
		}
	}
	return m, number
}

// event is ev for models.
func (x *explorer) event(g *graph, ev *event) memory.Event {
	m := memory.Event{Thread: int(ev.thread), Tags: ev.class.tags, Pos: ev.cmd.Pos,
		Text: ev.cmd.Format(x.p, x.p.Threads[ev.thread])}
	if ev.section {
		first, last := block(g, ev)
		if last > first {
			m.Block = int(g.threads[ev.thread][first]) + 1
		}
	}
	if ev.kind == fence {
		m.Kind = memory.Fence
		return m
	}
	if ev.kind == write {
		m.Kind = memory.Write
	}
	c := &x.ranges.Cells[ev.cell]
	m.Addr, m.Value, m.Loc, m.Mark, m.Members, m.Part = c.Addr, ev.value, c.Name, c.Mark, c.Members, ev.cmd.Part
	first := ev.index
	switch {
	case m.Block != 0:
		return m
	case ev.half && ev.kind == write:
		first--
	case !ev.half || !g.paired(ev):
		return m
	}
	m.Block = int(g.threads[ev.thread][first]) + 1
	return m
}
