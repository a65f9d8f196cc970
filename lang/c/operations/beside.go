package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A ThreadSet is a set of threads, a bit for each.
type ThreadSet uint64

// Only is the set of one thread.
func Only(thread int) ThreadSet { return 1 << thread }

// beside is which other threads may take a step from where an edge of a thread begins, or later. Of others than main nothing is known.
func (u *Unit) beside(thread, edge int) []bool {
	beside := make([]bool, len(u.lowered.Threads))
	if thread > 0 {
		for i := range beside {
			beside[i] = i != thread
		}
		return beside
	}
	if u.running == nil {
		u.running = u.Running()
	}
	g := u.lowered.Threads[0].Graph
	from := g.Edges[edge].From
	later := g.Reachable(g.Out(), from)
	var add func(i int)
	starts := func(g *flowgraph.Graph, from []bool) {
		for k := range g.Edges {
			if c, ok := started(&g.Edges[k]); ok && (from == nil || from[g.Edges[k].From]) {
				add(c)
			}
		}
	}
	add = func(i int) {
		if !beside[i] {
			beside[i] = true
			starts(u.lowered.Threads[i].Graph, nil)
		}
	}
	for i := range u.lowered.Threads {
		if u.running[from]&Only(i) != 0 {
			add(i)
		}
	}
	starts(g, later)
	return beside
}

// Running is which threads run beside main, at every node of it.
func (u *Unit) Running() []ThreadSet {
	return (&runningThreads{u: u, after: map[int]ThreadSet{}}).at(0)
}

// started is the thread that an edge starts.
func started(e *flowgraph.Edge) (thread int, ok bool) {
	if op, is := e.Op.(*Start); is {
		return int(op.ID.(program.Const)) - 1, true
	}
	return 0, false
}

// A runningThreads finds out which threads may be there that a thread has started, or that those have, and that have not been waited for.
type runningThreads struct {
	u     *Unit
	after map[int]ThreadSet // those that a thread leaves behind at its end
}

// at is those at every node of a thread.
func (r *runningThreads) at(thread int) []ThreadSet {
	g := r.u.lowered.Threads[thread].Graph
	out := g.Out()
	in := make([]ThreadSet, len(g.Nodes))
	queue, reached := []int{g.Start}, make([]bool, len(g.Nodes))
	reached[g.Start] = true
	for len(queue) > 0 {
		q := queue[0]
		queue = queue[1:]
		for _, k := range out[q] {
			e := &g.Edges[k]
			now := in[q]
			if c, ok := started(e); ok {
				now |= Only(c)
			}
			if op, ok := e.Op.(*flowgraph.Join); ok {
				if id := r.u.lowered.Joins[op].Thread(r.u.Known.Joins, op.ID); id >= 1 && id <= len(r.u.lowered.Threads) {
					now = now&^Only(id-1) | r.left(id-1)
				}
			}
			if !reached[e.To] || now&^in[e.To] != 0 {
				in[e.To], reached[e.To] = in[e.To]|now, true
				queue = append(queue, e.To)
			}
		}
	}
	return in
}

// left is those that are there when a thread has come to its end.
func (r *runningThreads) left(thread int) ThreadSet {
	if set, known := r.after[thread]; known {
		return set
	}
	r.after[thread] = ^ThreadSet(0) // as far as is known, if threads wait for one another
	set := ThreadSet(0)
	if end := r.u.lowered.Threads[thread].Graph.End; end >= 0 {
		set = r.at(thread)[end]
	}
	r.after[thread] = set
	return set
}
