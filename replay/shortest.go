package replay

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Shortest is a run for people: it ends in the violation that run ends in, and of those that
// take no other edges it is one with the fewest steps and, of these, with the fewest changes from
// one thread to another. Where that is too much to search, it is a run with fewer changes, at
// best. Races, hangs and deadlocks are left as they are, since where they end is what they are
// about, and so are runs of abstractions.
//
// The search goes step by step through the states of what the run is of the program, a layer for
// each number of steps. A thread goes on after steps of others only if one of these accessed what it
// accesses now, one of the two storing: otherwise that step can as well come right after the last one
// of its thread, which changes neither the state in the end nor the number of steps, and makes no change
// of threads more. Where the thread of the assertion that is to fail has no way on, nothing is looked for.
// If that is too much, it is one of the runs whose loads find no other values than those of run, and in
// which a thread that moves goes on as long as others have nothing to do with it.
func Shortest(ctx context.Context, run *verdict.Run) (*verdict.Run, error) {
	v := run.Violation
	if v == nil || run.Abstraction != "" || v.Race != nil || v.Hang != nil || len(run.Steps) < 2 ||
		v.Property != nil && v.Property.Kind == program.Deadlock {
		return run, nil
	}
	r, err := New(run.Program, run.Model, nil)
	if err != nil {
		return nil, err
	}
	old := Schedule(run)
	events, err := direct(ctx, r, run)
	if err != nil {
		return nil, err
	}
	if events != nil {
		return r.as(run, old, events)
	}
	short, err := r.as(run, old, r.shortest(ctx, run, mostStates))
	if err != nil || short == run {
		return short, err
	}
	// It may be one of SC now.
	if events, err = direct(ctx, r, short); err != nil || events == nil {
		return short, err
	}
	return r.Replay(events)
}

// as is run, if it has the schedule, or the run that has.
func (r *Replayer) as(run *verdict.Run, old, events []abstract.Event) (*verdict.Run, error) {
	if slices.Equal(events, old) {
		return run, nil
	}
	return r.Replay(events)
}

// shortest is the schedule of the run. Most says how many states are looked at for one that is really
// the shortest.
func (r *Replayer) shortest(ctx context.Context, run *verdict.Run, most int) []abstract.Event {
	old := Schedule(run)
	if events := newSlice(r, run).search(ctx, len(old), most); events != nil {
		return events
	}
	if events := r.alike(ctx, run); events != nil {
		return events
	}
	if events := r.until(r.ordered(old, run.Violation), run.Violation); r.still(events, run.Violation) {
		old = events
	}
	return r.gather(old, run.Violation)
}

// alike is the schedule of a run whose loads find what those of run find, or nil.
func (r *Replayer) alike(ctx context.Context, run *verdict.Run) []abstract.Event {
	l := newSlice(r, run)
	l.note(Schedule(run))
	l.hide()
	events := l.search(ctx, len(run.Steps), mostAlike)
	for again := events != nil; again; {
		again = false
		for t := range l.edges { // it may have gone on for nothing
			i := last(events[:len(events)-1], t)
			if i < 0 {
				continue
			}
			if less := slices.Delete(slices.Clone(events), i, i+1); r.still(less, run.Violation) {
				events, again = less, true
			}
		}
	}
	return events
}

// last is where thread t moves last, or -1.
func last(evs []abstract.Event, t int) int {
	for i, ev := range slices.Backward(evs) {
		if ev.Thread == t {
			return i
		}
	}
	return -1
}

// direct is a shortest schedule under SC with every store flushed at once, for a run that SC has
// as well: a shorter one that leaves a store in its buffer would look as if that mattered. It is
// nil where SC does not have the run.
func direct(ctx context.Context, r *Replayer, run *verdict.Run) ([]abstract.Event, error) {
	if run.Model == memory.SC {
		return nil, nil
	}
	sc, err := New(run.Program, memory.SC, nil)
	if err != nil {
		return nil, err
	}
	stepwise := slices.DeleteFunc(Schedule(run), func(ev abstract.Event) bool { return ev.Edge == abstract.Flush })
	if !sc.still(stepwise, run.Violation) || !r.still(flushed(run.Program, stepwise), run.Violation) {
		return nil, nil
	}
	same, err := sc.Replay(stepwise)
	if err != nil {
		return nil, err
	}
	if events := flushed(run.Program, sc.shortest(ctx, same, mostStates)); r.still(events, run.Violation) {
		return events, nil
	}
	return nil, nil
}

// flushed is a schedule with a flush after every store.
func flushed(p *program.Program, evs []abstract.Event) (all []abstract.Event) {
	for _, ev := range evs {
		all = append(all, ev)
		if p.Threads[ev.Thread].Edges[ev.Edge].Cmd.Enters() {
			all = append(all, abstract.Event{Thread: ev.Thread, Edge: abstract.Flush})
		}
	}
	return all
}

// most states that are looked at for a shortest run, and then for one whose loads find what they found.
const mostStates, mostAlike = 2_500, 6_000

// A slice is the part of a program that a run goes through.
type slice struct {
	*Replayer
	goal  *verdict.Violation
	edges []map[int][]int64 // by thread: the edges that the run takes, with their outcomes
	fails int               // the thread whose assertion fails, or -1
	loose bool              // any thread may go on at any time: for tests, and where there are locks

	nodes            []node
	free             []*abstract.State // of layers that are done with
	key              []byte
	accesses, others []abstract.Access
	only             []map[int]map[int64]bool // by thread and edge: the values that loads may find; nil: any
	hidden           []map[int]bool           // by thread: edges that others have nothing to do with; nil: it is not asked
}

// A node is how a state was come to.
type node struct {
	parent   int32
	ev       abstract.Event
	switches int32
	awake    awake
}

// An awake has a bit for each thread that may go on, be it the last one to move or not: those that have not
// begun, and those that another one has done something to since they moved, see [Shortest].
type awake struct{ flush, edge uint64 }

// A place is a node of the layer that is searched, with its state.
type place struct {
	s    *abstract.State
	node int32
}

func newSlice(r *Replayer, run *verdict.Run) *slice {
	l := &slice{Replayer: r, goal: run.Violation, fails: -1, loose: len(run.Program.Threads) > 64}
	if l.goal.Property == nil {
		l.fails = run.Steps[len(run.Steps)-1].Thread
	}
	for t, th := range run.Program.Threads {
		l.edges = append(l.edges, map[int][]int64{})
		for _, s := range run.Steps {
			if s.Thread == t && s.Edge >= 0 && !slices.Contains(l.edges[t][s.Edge], s.Choice) {
				l.edges[t][s.Edge] = append(l.edges[t][s.Edge], s.Choice)
				l.loose = l.loose || th.Edges[s.Edge].Cmd.Op == program.Lock
			}
		}
		for _, choices := range l.edges[t] { // in an order that does not depend on that of the run
			slices.Sort(choices)
		}
	}
	return l
}

// search is the schedule of a shortest run of at most so many steps, or nil. It looks at most states.
func (l *slice) search(ctx context.Context, steps, most int) []abstract.Event {
	s := l.x.NewState()
	l.x.Initial(s)
	l.nodes = append(l.nodes, node{parent: -1, ev: abstract.Event{Thread: -1}, awake: awake{^uint64(0), ^uint64(0)}})
	layer := []place{{s, 0}}
	seen := map[string]bool{string(l.pack(s)): true}
	for range steps {
		next, goal := l.layer(layer, seen, most)
		if goal >= 0 {
			return l.schedule(goal)
		}
		if len(l.nodes) > most || ctx.Err() != nil {
			return nil
		}
		for _, p := range next {
			seen[string(l.pack(p.s))] = true
		}
		for _, p := range layer {
			l.free = append(l.free, p.s)
		}
		layer = next
	}
	return nil
}

// layer is the states one step further that are not among those seen, and of those in which the
// run may end the one with the fewest switches, or -1.
func (l *slice) layer(layer []place, seen map[string]bool, most int) (next []place, goal int32) {
	goal = -1
	at := map[string]int{} // in next, by state and last thread
	try := l.x.NewState()
	for _, p := range layer {
		if len(l.nodes) > most {
			break
		}
		l.events(p, func(ev abstract.Event) {
			try.Copy(p.s)
			out := l.x.Step(try, ev)
			if out != abstract.Done && out != abstract.Failed {
				return
			}
			n := node{parent: p.node, ev: ev, switches: l.nodes[p.node].switches}
			if l.nodes[p.node].ev.Thread != ev.Thread {
				n.switches++
			}
			if l.ends(ev, try, out) {
				if goal < 0 || n.switches < l.nodes[goal].switches {
					goal = int32(len(l.nodes))
					l.nodes = append(l.nodes, n)
				}
				return
			}
			key := l.pack(try)
			if out == abstract.Failed || seen[string(key)] || l.hopeless(try) || !l.allowed(try, ev) {
				return
			}
			n.awake = l.wake(p, ev, try)
			key = binary.AppendVarint(key, int64(ev.Thread))
			key = binary.AppendUvarint(key, n.awake.flush)
			key = binary.AppendUvarint(key, n.awake.edge)
			if i, ok := at[string(key)]; ok {
				if old := &l.nodes[next[i].node]; n.switches < old.switches {
					*old = n
				}
				return
			}
			at[string(key)] = len(next)
			var s *abstract.State
			if last := len(l.free) - 1; last >= 0 {
				s, l.free = l.free[last], l.free[:last]
			} else {
				s = l.x.NewState()
			}
			s.Copy(try)
			next = append(next, place{s, int32(len(l.nodes))})
			l.nodes = append(l.nodes, n)
		})
	}
	return next, goal
}

// events calls f for the events to try.
func (l *slice) events(p place, f func(abstract.Event)) {
	n := &l.nodes[p.node]
	last, awake := n.ev.Thread, n.awake
	if l.onward(p.s, last) {
		for _, e := range l.x.Out(last, p.s.PC[last]) {
			for _, c := range l.edges[last][e] {
				f(abstract.Event{Thread: last, Edge: e, Choice: c})
			}
		}
		return
	}
	for t := range l.edges {
		if t == last || l.loose || awake.edge>>t&1 != 0 {
			for _, e := range l.x.Out(t, p.s.PC[t]) {
				for _, c := range l.edges[t][e] {
					f(abstract.Event{Thread: t, Edge: e, Choice: c})
				}
			}
		}
		if t == last || l.loose || awake.flush>>t&1 != 0 {
			for c := range l.x.Flushes(p.s, t) {
				f(abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(c)})
			}
		}
	}
}

// onward is whether thread t can go on with an edge that is hidden.
func (l *slice) onward(s *abstract.State, t int) bool {
	return l.hidden != nil && t >= 0 && slices.ContainsFunc(l.x.Out(t, s.PC[t]), func(e int) bool {
		return l.hidden[t][e] && l.x.Enabled(s, t, e) == abstract.Done
	})
}

// hide finds the edges that are hidden: those with commands for registers, fences, stores into a
// buffer, and loads from cells that only their own thread stores to. None of them can be hindered by
// another thread, but for loads while another one holds the lock of the memory.
func (l *slice) hide() {
	threads := l.x.Program.Threads
	stored := make([]map[int]bool, len(threads)) // by thread: cells
	for t := range l.edges {
		stored[t] = map[int]bool{}
		for e := range l.edges[t] {
			threads[t].Edges[e].Cmd.Accesses(func(a *program.Command) {
				for _, c := range l.x.Ranges.Access[a] {
					stored[t][c] = stored[t][c] || a.Op == program.Store
				}
			})
		}
	}
	own := func(t int, cmd *program.Command) bool {
		return !slices.ContainsFunc(l.x.Ranges.Access[cmd], func(c int) bool {
			for u := range stored {
				if u != t && stored[u][c] {
					return true
				}
			}
			return false
		})
	}
	for t := range l.edges {
		hidden := map[int]bool{}
		for e := range l.edges[t] {
			switch cmd := &threads[t].Edges[e].Cmd; cmd.Op {
			case program.Fence, program.Check, program.Assign, program.Havoc, program.Assert:
				hidden[e] = true
			case program.Store:
				hidden[e] = !l.x.Buffer.Immediate()
			case program.Load:
				hidden[e] = !l.loose && own(t, cmd)
			}
		}
		l.hidden = append(l.hidden, hidden)
	}
}

// wake is who may go on after ev, which has led from p to s.
func (l *slice) wake(p place, ev abstract.Event, s *abstract.State) awake {
	if l.loose {
		return awake{}
	}
	a := l.nodes[p.node].awake
	a.flush &^= 1 << ev.Thread
	a.edge &^= 1 << ev.Thread
	if ev.Edge != abstract.Flush && l.outside(p.s, ev) {
		return a
	}
	l.accesses, _ = l.x.Accesses(l.accesses[:0], p.s, ev)
	for _, c := range l.accesses {
		for t := range l.edges {
			if t == ev.Thread {
				continue
			}
			if a.flush>>t&1 == 0 && l.flushes(s, t, c.Cell) {
				a.flush |= 1 << t
			}
			if a.edge>>t&1 == 0 && l.meets(s, t, c) {
				a.edge |= 1 << t
			}
		}
	}
	return a
}

// outside is true of an event that does not get to the memory: all but flushes, atomic blocks, loads of
// what the thread has not buffered, and stores without a buffer.
func (l *slice) outside(s *abstract.State, ev abstract.Event) bool {
	switch l.x.Program.Threads[ev.Thread].Edges[ev.Edge].Cmd.Op {
	case program.Atomic:
		return false
	case program.Store:
		return !l.x.Buffer.Immediate()
	case program.Load:
		l.others, _ = l.x.Accesses(l.others[:0], s, ev)
		for _, a := range l.others {
			if _, own := l.x.Buffer.Last(&s.Buf[ev.Thread], a.Cell); own {
				return true
			}
		}
		return false
	}
	return true
}

// flushes is whether thread t may flush a store to the cell.
func (l *slice) flushes(s *abstract.State, t, cell int) bool {
	for i := range l.x.Flushes(s, t) {
		if l.x.Flushing(s, t, i, cell) {
			return true
		}
	}
	return false
}

// meets is whether a step of thread t may make a difference to the access of another one, or the other
// way round. Of atomic blocks it is not known what they access.
func (l *slice) meets(s *abstract.State, t int, c abstract.Access) bool {
	for _, e := range l.x.Out(t, s.PC[t]) {
		cmd := &l.x.Program.Threads[t].Edges[e].Cmd
		if cmd.Op == program.Atomic {
			return true
		}
		ev := abstract.Event{Thread: t, Edge: e}
		if l.outside(s, ev) {
			continue
		}
		l.others, _ = l.x.Accesses(l.others[:0], s, ev)
		for _, o := range l.others {
			if o.Cell == c.Cell && (o.Store || c.Store) {
				return true
			}
		}
	}
	return false
}

// note sees to it that loads find no other values than in a run.
func (l *slice) note(evs []abstract.Event) {
	s := l.x.NewState()
	l.x.Initial(s)
	found := make([]map[int]map[int64]bool, len(l.edges))
	for _, ev := range evs {
		l.x.Step(s, ev)
		if found[ev.Thread] == nil {
			found[ev.Thread] = map[int]map[int64]bool{}
		}
		if v, ok := l.value(s, ev); ok {
			if found[ev.Thread][ev.Edge] == nil {
				found[ev.Thread][ev.Edge] = map[int64]bool{}
			}
			found[ev.Thread][ev.Edge][v] = true
		}
	}
	l.only = found
}

// allowed is whether ev, which has led to s, has found a value that it may find.
func (l *slice) allowed(s *abstract.State, ev abstract.Event) bool {
	if l.only == nil {
		return true
	}
	v, ok := l.value(s, ev)
	return !ok || l.only[ev.Thread][ev.Edge][v]
}

// value is what a load has loaded that has led to s, or the first one of an atomic block.
func (l *slice) value(s *abstract.State, ev abstract.Event) (v int64, ok bool) {
	if ev.Edge == abstract.Flush {
		return 0, false
	}
	l.x.Program.Threads[ev.Thread].Edges[ev.Edge].Cmd.Accesses(func(a *program.Command) {
		if a.Op == program.Load && !ok {
			v, ok = s.Regs[ev.Thread][a.Reg], true
		}
	})
	return v, ok
}

// hopeless is true where the thread whose assertion is to fail cannot go on, whatever the others do.
func (l *slice) hopeless(s *abstract.State) bool {
	t := l.fails
	if t < 0 {
		return false
	}
	for _, e := range l.x.Out(t, s.PC[t]) {
		if len(l.edges[t][e]) > 0 && (l.x.Program.Threads[t].Edges[e].Cmd.Op != program.Check || l.x.Enabled(s, t, e) == abstract.Done) {
			return false
		}
	}
	return true
}

// ends is whether the run may end with ev, which has led to s.
func (l *slice) ends(ev abstract.Event, s *abstract.State, out abstract.Outcome) bool {
	if out == abstract.Failed {
		return l.goal.Property == nil && same(assertion(l.x, ev, s.Failed), l.goal)
	}
	pr := l.goal.Property
	if pr == nil || pr.Final() && !l.x.Final(s) {
		return false
	}
	got := l.Violated(s)
	return got != nil && got.Kind == pr.Kind && got.Pos == pr.Pos && got.Text == pr.Text
}

// same is true of violations of one assertion.
func same(a, b *verdict.Violation) bool {
	return a.Kind == b.Kind && a.Text == b.Text && a.Pos == b.Pos
}

// pack is different for different states.
func (l *slice) pack(s *abstract.State) []byte {
	b := l.key[:0]
	for _, q := range s.PC {
		b = binary.AppendUvarint(b, uint64(q))
	}
	for _, v := range s.Vals {
		b = binary.AppendVarint(b, v)
	}
	for t := range s.Buf {
		b = binary.AppendUvarint(b, uint64(len(s.Buf[t].Pairs)))
		for _, p := range s.Buf[t].Pairs {
			b = binary.AppendVarint(b, int64(p.Cell))
			b = append(binary.AppendVarint(b, p.Value), byte(program.Bool(p.Part)))
		}
	}
	l.key = binary.AppendVarint(b, int64(s.Lock))
	return l.key
}

func (l *slice) schedule(n int32) (evs []abstract.Event) {
	for ; l.nodes[n].parent >= 0; n = l.nodes[n].parent {
		evs = append(evs, l.nodes[n].ev)
	}
	slices.Reverse(evs)
	return evs
}

// gather moves steps of a schedule together, as long as that makes for fewer changes from one
// thread to another and the violation stays: a stretch of one thread up to the stretch before
// it of the same thread, or down to the one after it.
func (r *Replayer) gather(evs []abstract.Event, v *verdict.Violation) []abstract.Event {
	budget := 1 << 20 // steps
	for again := true; again && budget > 0; {
		again = false
		for from := 0; from < len(evs) && budget > 0; {
			to := from + 1
			for to < len(evs) && evs[to].Thread == evs[from].Thread {
				to++
			}
			for _, other := range r.moved(evs, from, to) {
				budget -= len(other)
				if switches(other) < switches(evs) && r.still(other, v) {
					evs, again = other, true
					break
				}
			}
			from = to
		}
	}
	return evs
}

// moved is the schedules in which the stretch from..to stands beside another of its thread.
func (r *Replayer) moved(evs []abstract.Event, from, to int) (all [][]abstract.Event) {
	t := evs[from].Thread
	for i := from - 1; i >= 0; i-- {
		if evs[i].Thread == t {
			all = append(all, slices.Concat(evs[:i+1], evs[from:to], evs[i+1:from], evs[to:]))
			break
		}
	}
	for i := to; i < len(evs); i++ {
		if evs[i].Thread == t {
			all = append(all, slices.Concat(evs[:from], evs[to:i], evs[from:to], evs[i:]))
			break
		}
	}
	return all
}

// still is whether a schedule is possible and ends in v.
func (r *Replayer) still(evs []abstract.Event, v *verdict.Violation) bool {
	c, pr := r.ending(evs)
	if v.Property != nil {
		return pr != nil && pr.Kind == v.Property.Kind && pr.Pos == v.Property.Pos && pr.Text == v.Property.Text
	}
	return c != nil && same(assertion(r.x, evs[len(evs)-1], c), v)
}

// switches is how often a schedule goes from one thread to another.
func switches(evs []abstract.Event) (n int) {
	for i := 1; i < len(evs); i++ {
		if evs[i].Thread != evs[i-1].Thread {
			n++
		}
	}
	return n
}

// Polish is a result whose run, where it has one, is fit for people: the shortest, unless full
// says that it stays as the engine found it, and with its history.
func Polish(ctx context.Context, res *verdict.Result, full bool) (*verdict.Result, error) {
	run := res.Run()
	if run == nil || run.Abstraction != "" {
		return res, nil
	}
	if !full {
		short, err := Shortest(ctx, run)
		if err != nil {
			return nil, err
		}
		run, res = short, res.WithRun(short)
	}
	var err error
	run.History, err = History(run)
	return res, err
}
