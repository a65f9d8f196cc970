package refine

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// newEnumerationOracle returns the paths that could matter one by one, short ones
// first (thesis 6.2), without looking for a witness. It knows only what the
// automata show: see [robust.Attacks].
func newEnumerationOracle() Oracle { return enumerationOracle{} }

type enumerationOracle struct{}

func (enumerationOracle) Next(_ context.Context, p *program.Program, _ [][]int) ([]Path, bool, error) {
	attacks, err := robust.Attacks(p)
	if err != nil {
		return nil, false, err
	}
	var paths []Path
	for t := range attacks {
		var best []int
		for _, a := range attacks[t] {
			if path := shortestDelay(p.Threads[a.Thread], a); best == nil || path != nil && len(path) < len(best) {
				best = path
			}
		}
		if best != nil {
			paths = append(paths, Path{t, best})
		}
	}
	return paths, true, nil
}

// shortestDelay is a shortest path from the store of an attack to its load, without
// a fence.
func shortestDelay(t *program.Thread, a verdict.Attack) []int {
	by := make([]int, len(t.States)) // the edge by which a state is reached
	for q := range by {
		by[q] = -1
	}
	start, end := t.Edges[a.Store].To, t.Edges[a.Load].From
	queue := []program.StateID{start}
	seen := make([]bool, len(t.States))
	seen[start] = true
	out := t.Out()
	for len(queue) > 0 && !seen[end] {
		q := queue[0]
		queue = queue[1:]
		for _, e := range out[q] {
			if to := t.Edges[e].To; !seen[to] && !t.Edges[e].Cmd.Drains() {
				seen[to], by[to] = true, e
				queue = append(queue, to)
			}
		}
	}
	if !seen[end] {
		return nil
	}
	path := []int{a.Load}
	for q := end; q != start; q = t.Edges[by[q]].From {
		path = append(path, by[q])
	}
	path = append(path, a.Store)
	slices.Reverse(path)
	return path
}

// project is what a path is in the original program: h of the thesis.
func (x *extension) project(path Path) Path {
	q := Path{Thread: path.Thread}
	for _, e := range path.Edges {
		if o := x.origin[path.Thread][e]; o >= 0 {
			q.Edges = append(q.Edges, o)
		}
	}
	return q
}
