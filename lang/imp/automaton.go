package imp

import (
	"github.com/fencepost-verifier/fencepost/lang/automaton"
	"github.com/fencepost-verifier/fencepost/program"
)

// maxEdges bounds the automata of a program together; the commands of atomic
// edges count as well.
const maxEdges = 1 << 18

// A builder builds an automaton from its end to its beginning: a statement is
// given the state that comes after it and returns the one before it. So no empty
// steps arise where statements meet.
type builder struct {
	automaton.Builder
	edges *int // of all threads, to bound them
	full  func()
}

func (b *builder) edge(from, to int, c program.Command, at program.Position) {
	if *b.edges += 1 + len(c.Body); *b.edges > maxEdges {
		b.full()
	}
	b.Edge(from, to, c, at)
}

// chain puts steps before the state next.
func (b *builder) chain(steps []step, next int, at program.Position) int {
	for i := len(steps) - 1; i >= 0; i-- {
		q := b.State(at)
		for _, c := range steps[i] {
			b.edge(q, next, c, at)
		}
		next = q
	}
	return next
}

// absorb lets q begin with what state e does, without a step from q to e
// unless somebody can see it: a label stands there or another edge leads there.
func (b *builder) absorb(q int, e target, at program.Position) {
	from := b.Find(e.state)
	s := &b.States[from]
	if e.own && len(s.Labels) == 0 && s.In == 0 {
		b.States[q].Out = append(b.States[q].Out, s.Out...)
		s.Out = nil
		return
	}
	for _, x := range b.States[q].Out {
		if x.Cmd.IsSkip() && b.Find(int(x.To)) == from {
			return
		}
	}
	b.edge(q, from, program.Skip(), at)
}
