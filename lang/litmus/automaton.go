package litmus

import (
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// An automaton is built forwards: the state before each instruction exists from
// the beginning, an instruction adds its edges after that state, and in the end
// the state where it is done is bound to the one before the next instruction.
// So instructions that do nothing, and jumps, cost no step.
type automaton struct {
	states []state
	cur    int // where the instruction has got
	at     program.Position
}

type state struct {
	at     program.Position
	labels []string
	out    []program.Edge
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

// bind makes q, which has no edges, the same state as to. A jump that leads to
// itself needs a step, or it would not be there.
func (a *automaton) bind(q, to int) {
	q, to = a.find(q), a.find(to)
	if q != to {
		a.states[q].bound = to
		return
	}
	a.edge(q, q, program.Skip())
}

func (a *automaton) edge(from, to int, c program.Command) {
	c.Pos = a.at
	for i := range c.Body {
		c.Body[i].Pos = a.at
	}
	s := &a.states[a.find(from)]
	s.out = append(s.out, program.Edge{To: program.StateID(to), Cmd: c, Pos: a.at})
}

// step is an edge to a new state, which becomes the current one.
func (a *automaton) step(c program.Command) {
	q := a.state(a.at)
	a.edge(a.cur, q, c)
	a.cur = q
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
	labels := make([][]string, len(a.states))
	used := map[string]bool{}
	for i := range a.states {
		q := a.find(i)
		labels[q] = append(labels[q], a.states[i].labels...)
		for _, l := range a.states[i].labels {
			used[l] = true
		}
	}
	end = a.find(end)
	n := 0
	for _, q := range order {
		s := &a.states[q]
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
		t.States = append(t.States, program.State{Name: name, Labels: labels[q], Pos: s.at})
		for _, e := range s.out {
			e.From, e.To = id[q], id[a.find(int(e.To))]
			t.Edges = append(t.Edges, e)
		}
	}
}
