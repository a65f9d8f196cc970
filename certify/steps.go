package certify

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Steps of a thread, each from what is known of a state, as a certificate says that they are made.
//
// A single step is one edge or one flush. A large one is from a control state that is a cut to the next one.
// It is one access, and after it edges that leave states called middle. Where the
// cut has nothing but a full fence, that comes first, and then edges that leave states
// called before; but for steps called late. No other thread comes between. That loses no violation, since every run is as good as one
// of large steps (Lipton, "Reduction"):
//
//   - What leaves a middle state can as well happen earlier, right after the access: it
//     computes; or loads from a cell that no other thread writes, what is in the
//     buffer of its own thread disregarded, which does not change what it loads; or
//     stores into the set of a buffer, or a queue that is all of it, which no one else sees, and after which a flush that
//     was possible before is still possible, with the same result; or, where there are no
//     buffers, stores to a cell that no other thread reads or writes and no property sees.
//     It is never stuck and does not go on for ever.
//   - What leaves a state called before, and the fence, can as well happen later, right
//     before the access: it computes, and the buffer stays empty until the access. Where a
//     deadlock is a violation there are none, since the thread may be stuck at one way on only.
//   - Properties of moments see nothing of either.
//
// Which cells a thread reads and writes is what was noted of all steps.
type steps struct {
	*reader
	m                   *machine
	dead                dead
	large, early        bool
	cut, middle, before [][]bool // by thread and control state
	locks               bool
	domains             [][]int64      // by variable: the values that it may have; nil: the initial one
	start               []int64        // the initial values
	reads, writes       []map[int]bool // by cell: the threads
	late                map[access]bool
}

// newSteps is those that a line says that they are.
func (r *reader) newSteps(model, buffer, line string) *steps {
	m := newMachine(r.p, buffer, false)
	if m.immediate != (model == "sc") {
		r.wrong("buffers %s do not enclose those of %s", buffer, model)
	}
	c := &steps{reader: r, m: m, dead: newDead(r.p), late: map[access]bool{}}
	for _, set := range []*[][]bool{&c.cut, &c.middle, &c.before} {
		for _, t := range r.p.Threads {
			*set = append(*set, make([]bool, len(t.States)))
		}
	}
	for _, t := range r.p.Threads {
		for i := range t.Edges {
			c.locks = c.locks || t.Edges[i].Cmd.Op == program.Lock
		}
	}
	c.large = line == "steps large" || line == "steps late"
	if c.early = line == "steps large"; !c.large && line != "steps single" {
		r.wrong("there are no such steps")
	}
	if c.early && deadlocks(c.p) {
		r.wrong("a deadlock may be in the middle of such steps")
	}
	return c
}

// declare reads a line about the control states of a thread or the pairs in its buffer. It is false
// of another line.
func (c *steps) declare(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	ns, ok := numbers(rest)
	set := map[string][][]bool{"cut": c.cut, "middle": c.middle, "before": c.before}[word]
	switch {
	case word != "pair" && set == nil:
		return false
	case !ok || len(ns) == 0 || !within(ns[0], len(c.p.Threads)):
	case set != nil:
		for _, q := range ns[1:] {
			if !within(q, len(set[ns[0]])) {
				c.wrong("no control state %d", q)
			}
			set[ns[0]][q] = true
		}
		return true
	case len(ns) == 3:
		cell, ok := c.m.index[ns[1]]
		if p := (pair{cell, ns[2], false}); ok && !c.m.immediate && !slices.Contains(c.m.pairs[ns[0]], p) {
			c.m.addPair(int(ns[0]), p)
			return true
		}
	}
	c.wrong("%q is not what states are made of", line)
	return true
}

// declared makes what depends on what states are made of, and checks of steps what can be seen
// without making them.
func (c *steps) declared() {
	c.start = slices.Clone(c.m.value)
	for len(c.domains) < len(c.start) {
		c.domains = append(c.domains, nil)
	}
	for x, v := range c.start {
		if c.domains[x] == nil {
			c.domains[x] = []int64{v}
		} else if !slices.Contains(c.domains[x], v) {
			refuse("certificate: there is no room for the initial state")
		}
	}
	c.m.domain = func(x int) []int64 { return c.domains[x] }
	for range c.m.cells {
		c.reads, c.writes = append(c.reads, map[int]bool{}), append(c.writes, map[int]bool{})
	}
	for ti, t := range c.p.Threads {
		if !c.cut[ti][t.Initial] {
			refuse("certificate: thread %s begins in the middle of a step", t.Name)
		}
		for q := range t.States {
			if !c.middle[ti][q] && !c.before[ti][q] {
				continue
			}
			for _, e := range c.m.out[ti][q] {
				if !c.large || !c.local(ti, &t.Edges[e], c.before[ti][q]) {
					refuse("certificate: control state %d of thread %s is not one that others need not see", q, t.Name)
				}
			}
		}
	}
}

// local is whether an edge may come before the access, or only after it.
func (c *steps) local(ti int, e *program.Edge, before bool) bool {
	if c.visible(ti, e) {
		return false
	}
	switch e.Cmd.Op {
	case program.Assign, program.Check, program.Assert:
		return true
	case program.Fence:
		return c.m.immediate || !e.Cmd.FullFence()
	case program.Havoc:
		return !before
	case program.Load:
		return !before && !c.locks
	case program.Store:
		return !before && (c.m.immediate && !c.locks || !c.m.immediate && c.m.queue == 0 && (c.m.queued || c.m.limit == 1))
	}
	return false
}

// visible is whether a property of moments sees that the thread takes the edge.
func (c *steps) visible(ti int, e *program.Edge) (seen bool) {
	for i := range c.p.Properties {
		if c.p.Properties[i].Kind != program.Forbid {
			continue
		}
		program.Walk(c.p.Properties[i].Cond, func(x program.Expr) {
			switch x := x.(type) {
			case program.At:
				seen = seen || x.Thread == ti && slices.Contains(x.States, e.From) != slices.Contains(x.States, e.To)
			case program.ThreadReg:
				e.Cmd.Writes(func(r int) { seen = seen || x.Thread == ti && x.Reg == r })
			}
		})
	}
	return seen
}

// step is a step of thread t.
func (c *steps) step(t int) outcome {
	m, th := c.m, c.p.Threads[t]
	out := m.out[t][m.get(m.pc[t])]
	if o, edge := m.single(t); o != done || !edge {
		return o
	}
	first := &th.Edges[out[0]]
	at := func(set [][]bool) bool { return set[t][m.value[m.pc[t]]] }
	left := len(th.States) + 1 // no longer way has no cycle
	if c.early && !m.immediate && len(out) == 1 && first.Cmd.FullFence() && !c.visible(t, first) {
		for ; at(c.before) && left > 0; left-- {
			if o := c.pass(t, false); o != done {
				return o
			}
		}
		if len(m.out[t][m.value[m.pc[t]]]) > 0 {
			if o := c.pass(t, false); o != done {
				return o
			}
		}
	}
	for ; at(c.middle) && left > 0; left-- {
		if o := c.pass(t, true); o != done {
			return o
		}
	}
	if left == 0 && !m.dead {
		refuse("certificate: a step of thread %s goes on for ever", th.Name)
	}
	if !at(c.cut) {
		return stray
	}
	if c.large {
		c.dead.reset(m, t)
	}
	return done
}

// notes takes down which cells were accessed.
func (c *steps) notes() {
	for _, a := range c.m.noted {
		if a.late {
			c.late[a] = true
		}
		if a.write {
			c.writes[a.cell][a.thread] = true
		} else {
			c.reads[a.cell][a.thread] = true
		}
	}
}

// pass takes an edge on the way. In a middle state one must be enabled.
func (c *steps) pass(t int, late bool) outcome {
	m := c.m
	out := m.out[t][m.value[m.pc[t]]]
	stuck := late
	for _, e := range out {
		cmd := &c.p.Threads[t].Edges[e].Cmd
		stuck = stuck && cmd.Op == program.Check && m.eval(t, cmd.Value) == 0
	}
	if stuck {
		return stray
	}
	return m.take(t, out[m.choose(len(out))], late)
}

// checkLate checks of the accesses that come after another one in a step that no other
// thread minds.
func (c *steps) checkLate() {
	for a := range c.late {
		others := func(threads map[int]bool) bool { return len(threads) > 1 || len(threads) == 1 && !threads[a.thread] }
		seen := false
		for i := range c.p.Properties {
			if pr := &c.p.Properties[i]; pr.Kind == program.Forbid {
				program.Walk(pr.Cond, func(x program.Expr) {
					mem, ok := x.(program.Mem)
					seen = seen || ok && mem.Addr == c.m.cells[a.cell].Addr
				})
			}
		}
		if others(c.writes[a.cell]) || a.write && (seen || others(c.reads[a.cell])) {
			refuse("certificate: another thread minds what thread %s does to %d in the middle of a step", c.p.Threads[a.thread].Name, c.m.cells[a.cell].Addr)
		}
	}
}

// deadlocks is whether a deadlock is a violation.
func deadlocks(p *program.Program) bool {
	return slices.ContainsFunc(p.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock })
}
