package imp

import (
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// maxEdges bounds the automata of a program together; the commands of atomic
// edges count as well.
const maxEdges = 1 << 18

// An automaton is built from its end to its beginning: a statement is given
// the state that comes after it and returns the one before it. So no empty
// steps arise where statements meet.
type automaton struct {
	states []state
	edges  *int // of all threads, to bound them
	full   func()
}

// A state of an automaton under construction. One whose place is not known
// yet - a label that a goto came across first, the head of an endless loop -
// is bound later to a state that has edges.
type state struct {
	at     program.Position
	labels []string
	out    []program.Edge
	in     int // edges that lead here
	bound  int // the state that this one is, or itself
}

func (a *automaton) state(at program.Position) int {
	a.states = append(a.states, state{at: at, bound: len(a.states)})
	return len(a.states) - 1
}

// find is the state that q is bound to in the end.
func (a *automaton) find(q int) int {
	for a.states[q].bound != q {
		// Halving the path keeps chains short.
		a.states[q].bound = a.states[a.states[q].bound].bound
		q = a.states[q].bound
	}
	return q
}

// bind makes q, which has no edges of its own, the same state as to.
func (a *automaton) bind(q, to int) {
	q, to = a.find(q), a.find(to)
	if q != to {
		a.states[q].bound = to
		a.states[to].in += a.states[q].in
	}
}

func (a *automaton) edge(from, to int, c program.Command, at program.Position) {
	if *a.edges += 1 + len(c.Body); *a.edges > maxEdges {
		a.full()
	}
	to = a.find(to)
	a.states[to].in++
	s := &a.states[a.find(from)]
	s.out = append(s.out, program.Edge{To: program.StateID(to), Cmd: c, Pos: at})
}

// chain puts steps before the state next.
func (a *automaton) chain(steps []step, next int, at program.Position) int {
	for i := len(steps) - 1; i >= 0; i-- {
		q := a.state(at)
		for _, c := range steps[i] {
			a.edge(q, next, c, at)
		}
		next = q
	}
	return next
}

// absorb lets q begin with what state e does, without a step from q to e
// unless somebody can see it: a label stands there or another edge leads there.
func (a *automaton) absorb(q int, e target, at program.Position) {
	from := a.find(e.state)
	s := &a.states[from]
	if e.own && len(s.labels) == 0 && s.in == 0 {
		a.states[q].out = append(a.states[q].out, s.out...)
		s.out = nil
		return
	}
	for _, x := range a.states[q].out {
		if x.Cmd.IsSkip() && a.find(int(x.To)) == from {
			return
		}
	}
	a.edge(q, from, program.Skip(), at)
}

// finish fills in the thread: what can be reached from the initial state, in
// the order of the text as far as branches allow.
func (a *automaton) finish(t *program.Thread, initial, end int) {
	id := map[int]program.StateID{}
	var order []int
	for stack := []int{a.find(initial)}; len(stack) > 0; {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, seen := id[q]; seen {
			continue
		}
		id[q] = program.StateID(len(order))
		order = append(order, q)
		out := a.states[q].out
		for i := len(out) - 1; i >= 0; i-- {
			stack = append(stack, a.find(int(out[i].To)))
		}
	}
	used := map[string]bool{}
	for _, q := range order {
		for _, l := range a.states[q].labels {
			used[l] = true
		}
	}
	end = a.find(end)
	n := 0
	for _, q := range order {
		s := &a.states[q]
		var name string
		switch {
		case len(s.labels) > 0:
			name = s.labels[0]
		case q == end:
			name = "end" // a word of the language, so not a label
		default:
			for name == "" || used[name] {
				name = "q" + strconv.Itoa(n)
				n++
			}
		}
		t.States = append(t.States, program.State{Name: name, Labels: s.labels, Pos: s.at})
		for _, e := range s.out {
			e.From, e.To = id[q], id[a.find(int(e.To))]
			t.Edges = append(t.Edges, e)
		}
	}
}
