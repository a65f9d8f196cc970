package flow

import "github.com/fencepost-verifier/fencepost/program"

// BreakCycles takes states out of local until the edges between local states
// form no cycle: those that a retreating edge of a depth-first walk leaves.
func BreakCycles(t *program.Thread, out [][]int, local []bool) {
	const white, grey, black = 0, 1, 2
	colour := make([]uint8, len(t.States))
	type frame struct {
		q    program.StateID
		next int
	}
	var stack []frame
	walk := func(root program.StateID) {
		if !local[root] || colour[root] != white {
			return
		}
		colour[root] = grey
		stack = append(stack[:0], frame{q: root})
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			if f.next == len(out[f.q]) || !local[f.q] {
				colour[f.q] = black
				stack = stack[:len(stack)-1]
				continue
			}
			to := t.Edges[out[f.q][f.next]].To
			f.next++
			switch {
			case !local[to]:
			case colour[to] == grey:
				local[f.q] = false
			case colour[to] == white:
				colour[to] = grey
				stack = append(stack, frame{q: to})
			}
		}
	}
	walk(t.Initial)
	for q := range t.States {
		walk(program.StateID(q))
	}
}

// FindCycle is a cycle of states that are in, or nil.
func FindCycle(t *program.Thread, out [][]int, in func(program.StateID) bool) []program.StateID {
	const white, grey, black = 0, 1, 2
	colour := make([]uint8, len(t.States))
	next := make([]int, len(t.States))
	for root := range t.States {
		if colour[root] != white || !in(program.StateID(root)) {
			continue
		}
		stack := []program.StateID{program.StateID(root)}
		colour[root] = grey
		for len(stack) > 0 {
			q := stack[len(stack)-1]
			if next[q] == len(out[q]) {
				colour[q] = black
				stack = stack[:len(stack)-1]
				continue
			}
			to := t.Edges[out[q][next[q]]].To
			next[q]++
			switch {
			case !in(to):
			case colour[to] == grey:
				for i, p := range stack {
					if p == to {
						return stack[i:]
					}
				}
			case colour[to] == white:
				colour[to] = grey
				stack = append(stack, to)
			}
		}
	}
	return nil
}

// Again is true where edges that through lets pass lead from the end of edge e of t
// back to its source.
func Again(t *program.Thread, e *program.Edge, through func(*program.Command) bool) bool {
	out := t.Out()
	seen := make([]bool, len(t.States))
	seen[e.To] = true
	for work := []program.StateID{e.To}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		if q == e.From {
			return true
		}
		for _, i := range out[q] {
			if to := t.Edges[i].To; !seen[to] && through(&t.Edges[i].Cmd) {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return false
}

// Circling marks, by index, the edges of t that are on a cycle of edges that are in: those inside a
// strongly connected component.
func Circling(t *program.Thread, in func(edge int) bool) []bool {
	component := Components(t, in)
	circles := make([]bool, len(t.Edges))
	for i := range t.Edges {
		e := &t.Edges[i]
		circles[i] = in(i) && component[e.From] == component[e.To]
	}
	return circles
}

// Components numbers, by control state, the strongly connected components that the edges of t form that are in
// (Tarjan).
func Components(t *program.Thread, in func(edge int) bool) []int {
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
				i := out[fr.q][fr.next]
				e := &t.Edges[i]
				fr.next++
				switch {
				case !in(i):
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
	return component
}
