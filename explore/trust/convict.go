package trust

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// convict is the answer that the violation which was found is the evidence for: a run, where
// the model has runs, else the graph.
func (x *explorer) convict() (*verdict.Result, error) {
	f := x.found
	cyclic := false
	if x.weak != nil {
		x.refresh(f.graph)
		cyclic = f.graph.hasCycle()
	}
	// Of what justifies a graph with cycles all axioms are tested.
	if m := x.graph(f.graph, f.events, true); !(cyclic && x.apart()) && !x.def.Consistent(m) {
		return nil, fmt.Errorf("internal error: the graph that was found is none of the model %s:\n%v", x.opts.Model, m)
	}
	if cyclic {
		return x.weak.convict(f), nil
	}
	if !x.opts.Model.Operational() || x.exclusives || x.wide {
		return verdict.ConvictExecution(x.execution(f)), nil
	}
	r, err := replay.New(x.judge.Asked(x.p), x.opts.Model, nil)
	if err != nil {
		return nil, err
	}
	l := &linear{x: x, g: f.graph, events: f.events}
	if err := l.run(f); err != nil {
		return nil, err
	}
	if f.violation.Hang != nil {
		return replay.ConvictHang(x.p, x.opts.Model, l.schedule)
	}
	return r.Convict(l.schedule)
}

// linear turns a graph into a run: reads when they read, writes when they reach memory, in
// an order that the model says there is.
type linear struct {
	x        *explorer
	g        *graph
	events   []int32
	system   *abstract.System
	s        *abstract.State
	steps    [][]step
	next     []int     // by thread: the step that comes next
	buffered [][]int32 // by thread: the writes that are not in memory
	schedule []abstract.Event
	failed   bool
}

func (l *linear) run(f *found) (err error) {
	if l.system, err = abstract.CompileContext(l.x.ctx, l.x.p, l.x.opts.Model, nil, 0); err != nil {
		if l.system, err = abstract.Compile(l.x.p, l.x.opts.Model, nil, 0); err != nil {
			return err
		}
	}
	l.s = l.system.NewState()
	l.system.Initial(l.s)
	l.next = make([]int, len(l.events))
	l.buffered = make([][]int32, len(l.events))
	for t, n := range l.events {
		l.steps = append(l.steps, l.x.steps(l.g, int32(t), n))
		l.next[t] = 1
	}
	order, err := l.order()
	if err != nil {
		return err
	}
	for _, last := range order {
		ev := &l.g.events[last]
		first, _ := block(l.g, ev)
		for _, e := range l.g.threads[ev.thread][first : ev.index+1] {
			if err := l.perform(e); err != nil || l.failed {
				return err
			}
		}
	}
	for t, k := range f.steps {
		if k < 0 {
			k = len(l.steps[t]) - 1
		}
		if err := l.advance(t, func(*step) bool { return l.next[t] > k }); err != nil || l.failed {
			return err
		}
	}
	if f.final {
		for t := range l.buffered {
			for len(l.buffered[t]) > 0 {
				if err := l.flush(l.buffered[t][0]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// perform takes the thread of e on until it has done e, and what e has written to memory.
func (l *linear) perform(e int32) error {
	ev := &l.g.events[e]
	if ev.kind == choice || ev.kind == read && l.paired(ev) {
		return nil // together with what comes next
	}
	if err := l.advance(int(ev.thread), func(s *step) bool { return s.events > ev.index }); err != nil || l.failed {
		return err
	}
	return l.flush(e)
}

// last is the last event of those that e happens at once with.
func (l *linear) last(e int32) int32 {
	ev := &l.g.events[e]
	if !l.x.blocks || ev.thread == none {
		return e
	}
	_, last := block(l.g, ev)
	for last = min(last, l.events[ev.thread]-1); l.g.events[l.g.threads[ev.thread][last]].kind == choice; last-- {
	}
	return l.g.threads[ev.thread][last]
}

func (l *linear) paired(e *event) bool { return e.index+1 < l.events[e.thread] && l.g.paired(e) }

// advance takes thread t on until the step that it has done last is the one wanted, or
// there are no more.
func (l *linear) advance(t int, wanted func(*step) bool) error {
	for l.next[t] < len(l.steps[t]) && !wanted(&l.steps[t][l.next[t]-1]) {
		before := l.steps[t][l.next[t]-1].events
		st := &l.steps[t][l.next[t]]
		l.next[t]++
		ev := abstract.Event{Thread: t, Edge: int(st.edge), Choice: st.choice}
		l.schedule = append(l.schedule, ev)
		n := len(l.s.Buf[t].Pairs)
		switch out := l.system.Step(l.s, ev); out {
		case abstract.Done:
		case abstract.Failed:
			l.failed = true
			return nil
		default:
			return fmt.Errorf("internal error: step %d of thread %d cannot be done:\n%v", l.next[t]-1, t, l.x.graph(l.g, l.events, false))
		}
		if len(l.s.Buf[t].Pairs) <= n {
			continue
		}
		for i := before; i < st.events; i++ {
			if e := l.g.threads[t][i]; l.g.events[e].kind == write {
				l.buffered[t] = append(l.buffered[t], e)
			}
		}
	}
	return nil
}

// flush takes the write e to memory, if it is in a buffer, and those before it that have to
// go first.
func (l *linear) flush(e int32) error {
	t := int(l.g.events[e].thread)
	if !slices.Contains(l.buffered[t], e) {
		return nil
	}
	for i := 0; i < len(l.buffered[t]); {
		if l.x.opts.Model == memory.PSO && l.buffered[t][i] != e {
			i++
			continue
		}
		w := l.buffered[t][i]
		l.buffered[t] = append(l.buffered[t][:i], l.buffered[t][i+1:]...)
		done := false
		for k := range l.system.Flushes(l.s, t) {
			if l.system.Buffer.Flushed(&l.s.Buf[t], k).Cell == int(l.g.events[w].cell) {
				ev := abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(k)}
				l.schedule = append(l.schedule, ev)
				l.system.Take(l.s, ev)
				done = true
				break
			}
		}
		// A lock that somebody has when the run ends keeps a store in its buffer that the order has after his reads.
		// Nobody reads it, else the run does not replay.
		if !done || w == e {
			return nil
		}
	}
	return nil
}

// order is the events but for choices in an order that the model says there is.
func (l *linear) order() ([]int32, error) {
	g := l.g
	n := len(g.events)
	has := func(e int32) bool {
		ev := &g.events[e]
		return ev.thread != none && ev.kind != choice && ev.index < l.events[ev.thread]
	}
	next := make([][]int32, n)
	into := make([]int, n)
	edge := func(a, b int32) {
		if !has(a) || !has(b) {
			return
		}
		if a, b = l.last(a), l.last(b); a != b {
			next[a] = append(next[a], b)
			into[b]++
		}
	}
	for _, es := range g.threads {
		for j, b := range es {
			for _, a := range es[:j] {
				if l.preserved(&g.events[a], &g.events[b]) {
					edge(a, b)
				}
			}
		}
	}
	for id := range g.events {
		r := int32(id)
		e := &g.events[r]
		if e.kind != read || e.rf == none {
			continue
		}
		if l.x.opts.Model == memory.SC || g.events[e.rf].thread != e.thread {
			edge(e.rf, r)
		}
		for _, w := range g.co[e.cell][g.events[e.rf].place+1:] {
			edge(r, w)
		}
	}
	for _, ws := range g.co {
		for j, b := range ws {
			for _, a := range ws[:j] {
				edge(a, b)
			}
		}
	}
	var order, ready []int32
	for e := range int32(n) {
		if has(e) && l.last(e) == e && into[e] == 0 {
			ready = append(ready, e)
		}
	}
	total := 0
	for e := range int32(n) {
		if has(e) && l.last(e) == e {
			total++
		}
	}
	for len(ready) > 0 {
		e := ready[0]
		ready = ready[1:]
		order = append(order, e)
		for _, f := range next[e] {
			if into[f]--; into[f] == 0 {
				ready = append(ready, f)
			}
		}
	}
	if len(order) < total {
		return nil, fmt.Errorf("internal error: the graph that was found has a cycle:\n%v", l.x.graph(g, l.events, false))
	}
	return order, nil
}

// preserved is whether the model keeps two events of a thread in their order.
func (l *linear) preserved(a, b *event) bool {
	switch m := l.x.opts.Model; {
	case m == memory.SC || a.class.full || b.class.full || a.kind == read:
		return true
	case a.kind == write && b.kind == read:
		return false
	case m == memory.TSO || b.kind != write:
		return a.kind == write && b.kind == write
	case a.cell == b.cell && a.kind == write:
		return true
	}
	return a.kind == write && b.lastStores > a.index
}
