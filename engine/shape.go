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
	// Endless is whether a thread never comes to its end.
	Endless bool
	// Unbounded is whether a thread may store again and again without waiting for its buffer,
	// so that there is no bound on the states under a model with buffers.
	Unbounded bool
	// Deadlock is whether one is a violation.
	Deadlock bool
	// Robust is whether the automata show that store buffers make no difference.
	Robust bool
}

func shapeOf(p *program.Program, m memory.Model) *Shape {
	s := &Shape{Model: m}
	for i := range p.Properties {
		s.Deadlock = s.Deadlock || p.Properties[i].Kind == program.Deadlock
	}
	for _, t := range p.Threads {
		circles := circling(t, func(*program.Command) bool { return true })
		for e := range circles {
			s.Loops = s.Loops || circles[e]
		}
		undrained := circling(t, func(c *program.Command) bool { return !robust.Drains(c) })
		for e := range undrained {
			s.Unbounded = s.Unbounded || undrained[e] && t.Edges[e].Cmd.Op == program.Store
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

// circling marks the edges of t that are on a cycle of edges of which f is true: those inside a
// strongly connected component (Tarjan).
func circling(t *program.Thread, f func(*program.Command) bool) []bool {
	out := t.Out()
	type frame struct {
		q    program.StateID
		next int
	}
	n := len(t.States)
	index, low, component := make([]int, n), make([]int, n), make([]int, n)
	var path []program.StateID
	count, components := 0, 0
	for root := range t.States {
		if index[root] > 0 {
			continue
		}
		stack := []frame{{q: program.StateID(root)}}
		for len(stack) > 0 {
			fr := &stack[len(stack)-1]
			if index[fr.q] == 0 {
				count++
				index[fr.q], low[fr.q] = count, count
				path = append(path, fr.q)
			}
			if fr.next < len(out[fr.q]) {
				e := &t.Edges[out[fr.q][fr.next]]
				fr.next++
				switch {
				case !f(&e.Cmd):
				case index[e.To] == 0:
					stack = append(stack, frame{q: e.To})
				case component[e.To] == 0:
					low[fr.q] = min(low[fr.q], index[e.To])
				}
				continue
			}
			q := fr.q
			if stack = stack[:len(stack)-1]; len(stack) > 0 {
				up := stack[len(stack)-1].q
				low[up] = min(low[up], low[q])
			}
			if low[q] == index[q] {
				components++
				for done := false; !done; {
					last := path[len(path)-1]
					path = path[:len(path)-1]
					component[last] = components
					done = last == q
				}
			}
		}
	}
	circles := make([]bool, len(t.Edges))
	for i := range t.Edges {
		e := &t.Edges[i]
		circles[i] = f(&e.Cmd) && component[e.From] == component[e.To]
	}
	return circles
}
