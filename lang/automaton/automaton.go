// Package automaton is what the front ends share in turning statements into the
// automaton of a thread: a [Builder], whose states may turn out to be the same,
// goes in; out come the states that can be reached, numbered and named.
package automaton

import (
	"slices"
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Builder is an automaton under construction. A state is an index into States.
type Builder struct{ States []State }

// A State of an automaton under construction. One whose place is not known yet,
// such as a label that a jump came across first, is bound later to another one.
type State struct {
	At     program.Position
	Labels []string
	Out    []program.Edge // To is a state of the builder
	In     int            // edges that lead here
	bound  int            // the state that this one is, or itself
}

// Room makes room for so many more states, where it is known that they will come.
func (b *Builder) Room(n int) { b.States = slices.Grow(b.States, n) }

// State adds a state.
func (b *Builder) State(at program.Position) int {
	b.States = append(b.States, State{At: at, bound: len(b.States)})
	return len(b.States) - 1
}

// Find is the state that q is bound to in the end.
func (b *Builder) Find(q int) int {
	for b.States[q].bound != q {
		// Halving the path keeps chains short.
		b.States[q].bound = b.States[b.States[q].bound].bound
		q = b.States[q].bound
	}
	return q
}

// Bind makes q, which has no edges of its own, the same state as to. It reports
// whether they were two.
func (b *Builder) Bind(q, to int) bool {
	q, to = b.Find(q), b.Find(to)
	if q == to {
		return false
	}
	b.States[q].bound = to
	b.States[to].In += b.States[q].In
	return true
}

// Edge adds an edge.
func (b *Builder) Edge(from, to int, c program.Command, at program.Position) {
	to = b.Find(to)
	b.States[to].In++
	s := &b.States[b.Find(from)]
	s.Out = append(s.Out, program.Edge{To: program.StateID(to), Cmd: c, Pos: at})
}

// Finish fills in the thread: what can be reached from the initial state, in the
// order of the text as far as branches allow. A state is called by its first
// label; the state end is called so where no label is.
func (b *Builder) Finish(t *program.Thread, initial, end int) {
	const unseen = -1
	id := make([]program.StateID, len(b.States))
	for q := range id {
		id[q] = unseen
	}
	var order []int
	edges := 0
	for stack := []int{b.Find(initial)}; len(stack) > 0; {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if id[q] != unseen {
			continue
		}
		edges += len(b.States[q].Out)
		id[q] = program.StateID(len(order))
		order = append(order, q)
		for _, e := range slices.Backward(b.States[q].Out) {
			stack = append(stack, b.Find(int(e.To)))
		}
	}
	labels := map[int][]string{}
	used := map[string]bool{}
	for i := range b.States {
		for _, l := range b.States[i].Labels {
			q := b.Find(i)
			labels[q] = append(labels[q], l)
			used[l] = true
		}
	}
	t.States = slices.Grow(t.States, len(order))
	t.Edges = slices.Grow(t.Edges, edges)
	end = b.Find(end)
	n := 0
	for _, q := range order {
		s := &b.States[q]
		var name string
		switch {
		case len(labels[q]) > 0:
			name = labels[q][0]
		case q == end && !used["end"]:
			name = "end"
		default:
			for name == "" || used[name] {
				name = "q" + strconv.Itoa(n)
				n++
			}
		}
		t.States = append(t.States, program.State{Name: name, Labels: labels[q], Pos: s.At})
		for _, e := range s.Out {
			e.From, e.To = id[q], id[b.Find(int(e.To))]
			t.Edges = append(t.Edges, e)
		}
	}
}
