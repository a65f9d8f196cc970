package traces

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// source is dynamic partial-order reduction with source sets and sleep sets:
// Abdulla, Aronis, Jonsson, Sagonas, "Optimal dynamic partial order reduction",
// POPL 2014, algorithm 1. What is explored from a node is a source set: every
// execution from there begins, up to the order of independent events, with one of
// its processes. No trace is explored to its end twice, but an exploration may
// turn out to be redundant midway.
type source struct {
	*executions
	trees bool // the optimal algorithm uses source sets for some nodes only
}

// A sleeper is a process in a sleep set: everything that begins with its next
// event, which has that footprint, has been explored.
type sleeper struct {
	proc int
	foot footprint
}

func (a *source) enter(n *node) {
	a.inheritSleep(n)
	a.reverseNew()
	a.first(n)
}

// first puts a first process into the backtrack set of n.
func (a *source) first(n *node) {
	if n.pick < 0 {
		if p := a.awake(n); p >= 0 {
			n.backtrack[p] = true
		}
	}
}

// reverses is true of the nodes that are explored by source sets.
func (a *source) reverses(n *node) bool { return !a.trees || n.loose }

// reverseNew reverses the races of the last event.
func (a *source) reverseNew() {
	if k := len(a.events) - 1; k >= 0 {
		for _, i := range a.events[k].races {
			if a.halted() {
				return
			}
			if a.reverses(a.nodes[i]) {
				a.reverse(int(i), &a.events[k])
			}
		}
	}
}

// inheritSleep gives n, which has just been reached, those sleepers of the node
// before that the last event has not woken up.
func (r *executions) inheritSleep(n *node) {
	k := len(r.events) - 1
	if k < 0 {
		return
	}
	before, e := r.nodes[k], &r.events[k]
	for i := range before.sleep {
		z := &before.sleep[i]
		if z.proc != e.proc && !dependent(&z.foot, &e.foot, r.flushedBy) {
			n.sleep = append(n.sleep, *z)
		}
	}
}

// sleeps is true where process p is in the sleep set.
func (n *node) sleeps(p int) bool {
	for i := range n.sleep {
		if n.sleep[i].proc == p {
			return true
		}
	}
	return false
}

// awake is an enabled process that does not sleep, or -1: the one that did the
// last event where it can go on, as fewer explorations are redundant then, and one
// that can only attempt something where there is no other.
func (r *executions) awake(n *node) int {
	first, attempt := 0, -1
	if k := len(r.events); k > 0 {
		first = r.events[k-1].proc
	}
	for i := range r.count() {
		p := (first + i) % r.count()
		switch {
		case !r.enabled(r.s, p, r.status) || n.sleeps(p):
		case !r.attempts(p):
			return p
		case attempt < 0:
			attempt = p
		}
	}
	return attempt
}

// attempts is true where the next event of process p, which is enabled, is an
// attempt.
func (r *executions) attempts(p int) bool {
	if p >= r.threads || r.status[p].group.op != program.Atomic {
		return false
	}
	_, out := r.look(&r.moved, r.s, p, &r.status[p])
	return out == abstract.Disabled
}

// putToSleep adds the process of the event that was explored from n last, which
// was just taken back.
func (r *executions) putToSleep(n *node) {
	k := len(r.events)
	e := &r.events[:k+1][k]
	f := e.foot
	f.words = slices.Clone(f.words)
	n.sleep = append(n.sleep, sleeper{e.proc, f})
	r.weigh(n)
}

// pending is the Lock that keeps process p from its next event, which becomes e,
// and that could have happened after it; else -1.
func (r *executions) pending(e *event, p int) int {
	if !r.barred(r.s, p, r.status) {
		return -1
	}
	r.prepare(e, p)
	if k := int(r.written[r.lockWord()]); k >= 0 && !r.within(k, e.base) {
		return k
	}
	return -1
}

// reverse sees to it that executions are explored in which event e, or one that
// would take its place, happens before event i. They begin with any of the initial
// events of the sequence; where one of these sleeps, they have been.
func (a *source) reverse(i int, e *event) {
	n := a.nodes[i]
	v := a.reversal(i, e)
	choice := -1
	for k := range v.items {
		if a.halted() {
			return
		}
		if !v.initial(k) {
			continue
		}
		p := v.items[k].proc
		if n.backtrack[p] || n.sleeps(p) {
			return
		}
		if choice < 0 {
			choice = p
		}
	}
	if choice >= 0 { // but for an exploration that has to stop
		n.backtrack[choice] = true
	}
}

func (a *source) next(n *node) int {
	if n.taken > 0 {
		a.putToSleep(n)
	}
	for p, b := range n.backtrack {
		if b && !n.sleeps(p) {
			return p
		}
	}
	return -1
}

// ended reverses the races of the lock with what it keeps waiting for ever. It
// also reverses the races of an Atomic once more: after the reversal it may access
// other cells than it has, so that it may come to be in conflict with what has
// happened after it.
func (a *source) ended(bool) {
	reverse := func(i int, e *event) {
		if !a.halted() && a.reverses(a.nodes[i]) {
			a.reverse(i, e)
		}
	}
	for k := range a.events {
		if e := &a.events[k]; e.pick < 0 && e.proc < a.threads && e.was.group.op == program.Atomic {
			for _, i := range e.races {
				reverse(int(i), e)
			}
		}
	}
	a.eachPending(reverse)
}

// eachPending calls f for the events that the lock keeps waiting, with the Lock.
func (r *executions) eachPending(f func(lock int, e *event)) {
	for p := range r.count() {
		if k := r.pending(&r.scratch, p); k >= 0 {
			f(k, &r.scratch)
		}
	}
}
