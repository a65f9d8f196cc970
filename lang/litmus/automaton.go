package litmus

import (
	"github.com/fencepost-verifier/fencepost/lang/automaton"
	"github.com/fencepost-verifier/fencepost/program"
)

// An assembly of an automaton goes forwards: the state before each instruction
// exists from the beginning, an instruction adds its edges after that state, and
// in the end the state where it is done is bound to the one before the next
// instruction. So instructions that do nothing, and jumps, cost no step.
type assembly struct {
	automaton.Builder
	cur int // where the instruction has got
	at  program.Position
}

// bind makes q, which has no edges, the same state as to. A jump that leads to
// itself needs a step, or it would not be there.
func (a *assembly) bind(q, to int) {
	if !a.Bind(q, to) {
		a.edge(a.Find(q), a.Find(q), program.Skip())
	}
}

func (a *assembly) edge(from, to int, c program.Command) {
	c.Pos = a.at
	for i := range c.Body {
		c.Body[i].Pos = a.at
	}
	a.Edge(from, to, c, a.at)
}

// step is an edge to a new state, which becomes the current one.
func (a *assembly) step(c program.Command) {
	q := a.State(a.at)
	a.edge(a.cur, q, c)
	a.cur = q
}
