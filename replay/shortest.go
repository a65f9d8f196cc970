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
// each number of steps. Steps that other threads cannot see come right after the last step of
// their thread, or where it begins: moved there, they change neither the state in the end nor
// the number of steps, and make no change of threads more.
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
	if events == nil {
		events = r.shortest(ctx, run)
	}
	if slices.Equal(events, old) {
		return run, nil
	}
	return r.Replay(events)
}

// shortest is the schedule of the run.
func (r *Replayer) shortest(ctx context.Context, run *verdict.Run) []abstract.Event {
	old := Schedule(run)
	if events := newSlice(r, run).search(ctx, len(old)); events != nil {
		return events
	}
	return r.gather(old, run.Violation)
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
	if events := flushed(run.Program, sc.shortest(ctx, same)); r.still(events, run.Violation) {
		return events, nil
	}
	return nil, nil
}

// flushed is a schedule with a flush after every store.
func flushed(p *program.Program, evs []abstract.Event) (all []abstract.Event) {
	for _, ev := range evs {
		all = append(all, ev)
		if p.Threads[ev.Thread].Edges[ev.Edge].Cmd.Op == program.Store {
			all = append(all, abstract.Event{Thread: ev.Thread, Edge: abstract.Flush})
		}
	}
	return all
}

// most states that are looked at for a shortest run.
const mostStates = 60_000

// A slice is the part of a program that a run goes through.
type slice struct {
	*Replayer
	goal  *verdict.Violation
	edges []map[int][]int64          // by thread: the edges that the run takes, with their outcomes
	start []map[program.StateID]bool // by thread: where it has done nothing yet that others see
	loose bool                       // such steps come anywhere; for tests

	nodes []node
	key   []byte
}

// A node is how a state was come to.
type node struct {
	parent   int32
	ev       abstract.Event
	switches int32
}

// A place is a node of the layer that is searched, with its state.
type place struct {
	s    *abstract.State
	node int32
}

func newSlice(r *Replayer, run *verdict.Run) *slice {
	l := &slice{Replayer: r, goal: run.Violation}
	for t, th := range run.Program.Threads {
		l.edges = append(l.edges, map[int][]int64{})
		start := map[program.StateID]bool{th.Initial: true}
		for again := true; again; {
			again = false
			for i := range th.Edges {
				if e := &th.Edges[i]; unseen(&e.Cmd) && start[e.From] && !start[e.To] {
					start[e.To], again = true, true
				}
			}
		}
		l.start = append(l.start, start)
		for _, s := range run.Steps {
			if s.Thread == t && s.Edge >= 0 && !slices.Contains(l.edges[t][s.Edge], s.Choice) {
				l.edges[t][s.Edge] = append(l.edges[t][s.Edge], s.Choice)
			}
		}
	}
	return l
}

// unseen is true of a command that neither sees nor changes anything but registers.
func unseen(c *program.Command) bool {
	switch c.Op {
	case program.Check, program.Assign, program.Havoc, program.Assert:
		return true
	}
	return false
}

// search is the schedule of a shortest run of at most so many steps, or nil.
func (l *slice) search(ctx context.Context, steps int) []abstract.Event {
	s := l.x.NewState()
	l.x.Initial(s)
	l.nodes = append(l.nodes, node{parent: -1, ev: abstract.Event{Thread: -1}})
	layer := []place{{s, 0}}
	seen := map[string]bool{string(l.pack(s)): true}
	for range steps {
		next, goal := l.layer(layer, seen)
		if goal >= 0 {
			return l.schedule(goal)
		}
		if len(l.nodes) > mostStates || ctx.Err() != nil {
			return nil
		}
		for _, p := range next {
			seen[string(l.pack(p.s))] = true
		}
		layer = next
	}
	return nil
}

// layer is the states one step further that are not among those seen, and of those in which the
// run may end the one with the fewest switches, or -1.
func (l *slice) layer(layer []place, seen map[string]bool) (next []place, goal int32) {
	goal = -1
	at := map[string]int{} // in next, by state and last thread
	try := l.x.NewState()
	for _, p := range layer {
		if len(l.nodes) > mostStates {
			break
		}
		l.events(p, func(ev abstract.Event) {
			try.Copy(p.s)
			out := l.x.Step(try, ev)
			if out != abstract.Done && out != abstract.Failed {
				return
			}
			n := node{p.node, ev, l.nodes[p.node].switches}
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
			if out == abstract.Failed || seen[string(key)] {
				return
			}
			key = binary.AppendVarint(key, int64(ev.Thread))
			if i, ok := at[string(key)]; ok {
				if old := &l.nodes[next[i].node]; n.switches < old.switches {
					*old = n
				}
				return
			}
			at[string(key)] = len(next)
			s := l.x.NewState()
			s.Copy(try)
			next = append(next, place{s, int32(len(l.nodes))})
			l.nodes = append(l.nodes, n)
		})
	}
	return next, goal
}

// events calls f for the events to try.
func (l *slice) events(p place, f func(abstract.Event)) {
	last := l.nodes[p.node].ev.Thread
	for t := range l.edges {
		for c := range l.x.Flushes(p.s, t) {
			f(abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(c)})
		}
		for _, e := range l.x.Out(t, p.s.PC[t]) {
			if unseen(&l.x.Program.Threads[t].Edges[e].Cmd) && t != last && !l.loose && !l.start[t][p.s.PC[t]] {
				continue
			}
			for _, c := range l.edges[t][e] {
				f(abstract.Event{Thread: t, Edge: e, Choice: c})
			}
		}
	}
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
			b = binary.AppendVarint(b, p.Value)
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
