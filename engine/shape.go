package engine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/robust"
)

// A Shape is what the portfolio knows of a program before it asks the engines.
type Shape struct {
	Model memory.Model
	// Loops is whether a thread goes in circles.
	Loops bool
	// Rounds is whether there is a loop in which a thread does more than wait.
	Rounds bool
	// Endless is whether a thread never comes to its end.
	Endless bool
	// Unbounded is whether a thread may store again and again without waiting for its buffer,
	// so that there is no bound on the states under a model with buffers.
	Unbounded bool
	// Deadlock is whether one is a violation.
	Deadlock bool
	// Wide is whether there are accesses of several cells.
	Wide bool
	// Robust is whether the automata show that store buffers make no difference.
	Robust bool
}

func shapeOf(p *program.Program, m memory.Model) *Shape {
	s := &Shape{Model: m, Rounds: circles(p), Wide: p.Wide()}
	for i := range p.Properties {
		s.Deadlock = s.Deadlock || p.Properties[i].Kind == program.Deadlock
	}
	for _, t := range p.Threads {
		circles := flow.Circling(t, func(int) bool { return true })
		for e := range circles {
			s.Loops = s.Loops || circles[e]
		}
		undrained := flow.Circling(t, func(e int) bool { return !t.Edges[e].Cmd.Drains() })
		for e := range undrained {
			s.Unbounded = s.Unbounded || undrained[e] && t.Edges[e].Cmd.Enters()
		}
	}
	return s
}

// look is the shape with what takes an analysis of values to know: whether a thread ends, and
// whether the program is robust. Until somebody has looked nothing is, and where ctx ends first.
func (s *Shape) look(ctx context.Context, p *program.Program) *Shape {
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		return s
	}
	more := *s
	for i, t := range p.Threads {
		more.Endless = more.Endless || !flow.Ends(t, r.Reachable[i])
	}
	more.Robust = s.Model == memory.TSO && robust.Evident(p, r)
	return &more
}
