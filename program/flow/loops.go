package flow

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Loops says where a thread's automaton runs in circles.
type Loops struct {
	// Order is the reachable control states in reverse postorder: but for
	// the Back edges, every edge leads to a later state.
	Order []program.StateID
	// Back marks, by edge, the retreating edges of a depth-first walk. Every
	// cycle has at least one.
	Back []bool
	// Wait marks those of the Back edges that close a loop that only waits:
	// a round through it stores nothing and leaves no register changed that
	// is live at its head. A run that goes on from such an edge can do without
	// the whole round, so for reachability the edge need not lead anywhere. But
	// it may be the last of a run: where it [program.Command.Asserts], it has to exist.
	Wait []bool
}

// FindLoops finds the loops of t. live is what [Live] says of t.
func FindLoops(t *program.Thread, live []program.RegSet) *Loops {
	marks := make([]bool, 2*len(t.Edges))
	l := &Loops{Back: marks[:len(t.Edges)], Wait: marks[len(t.Edges):], Order: make([]program.StateID, 0, len(t.States))}
	out := t.Out()

	// Depth-first walk with an explicit stack: automata can be long.
	const white, grey, black = 0, 1, 2
	colour := make([]uint8, len(t.States))
	type frame struct {
		q    program.StateID
		next int
	}
	stack := []frame{{q: t.Initial}}
	colour[t.Initial] = grey
	for len(stack) > 0 {
		f := &stack[len(stack)-1]
		if f.next == len(out[f.q]) {
			colour[f.q] = black
			l.Order = append(l.Order, f.q)
			stack = stack[:len(stack)-1]
			continue
		}
		e := out[f.q][f.next]
		f.next++
		switch to := t.Edges[e].To; colour[to] {
		case white:
			colour[to] = grey
			stack = append(stack, frame{q: to})
		case grey:
			l.Back[e] = true
		}
	}
	for i, j := 0, len(l.Order)-1; i < j; i, j = i+1, j-1 {
		l.Order[i], l.Order[j] = l.Order[j], l.Order[i]
	}

	if !slices.Contains(l.Back, true) {
		return l
	}
	dom := dominators(t, out, l.Order)
	for e := range t.Edges {
		l.Wait[e] = l.Back[e] && waits(t, out, dom, live, e)
	}
	return l
}

// dominators is the immediate dominator of every reachable state (Cooper,
// Harvey, Kennedy, "A Simple, Fast Dominance Algorithm"); -1 for the others.
func dominators(t *program.Thread, out [][]int, order []program.StateID) []program.StateID {
	pos := make([]int, len(t.States))
	for i := range pos {
		pos[i] = -1
	}
	for i, q := range order {
		pos[q] = i
	}
	idom := make([]program.StateID, len(t.States))
	for i := range idom {
		idom[i] = -1
	}
	idom[t.Initial] = t.Initial
	for changed := true; changed; {
		changed = false
		for _, from := range order {
			if idom[from] < 0 {
				continue
			}
			for _, e := range out[from] {
				to := t.Edges[e].To
				if to == t.Initial {
					continue
				}
				d := from
				if idom[to] >= 0 {
					for a, b := idom[to], from; ; {
						if a == b {
							d = a
							break
						}
						if pos[a] > pos[b] {
							a = idom[a]
						} else {
							b = idom[b]
						}
					}
				}
				if idom[to] != d {
					idom[to] = d
					changed = true
				}
			}
		}
	}
	return idom
}

// waits decides whether the back edge e closes a loop that only waits: its
// target dominates its source, and the natural loop between the two has no
// effect that outlives the round.
func waits(t *program.Thread, out [][]int, idom []program.StateID, live []program.RegSet, e int) bool {
	head := t.Edges[e].To
	for q := t.Edges[e].From; q != head; q = idom[q] {
		if q == t.Initial {
			return false
		}
	}
	in := make([][]program.StateID, len(t.States))
	for i := range t.Edges {
		if idom[t.Edges[i].From] >= 0 {
			in[t.Edges[i].To] = append(in[t.Edges[i].To], t.Edges[i].From)
		}
	}
	inside := make([]bool, len(t.States))
	inside[head] = true
	work := []program.StateID{}
	enter := func(q program.StateID) {
		if !inside[q] {
			inside[q] = true
			work = append(work, q)
		}
	}
	enter(t.Edges[e].From)
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range in[q] {
			enter(p)
		}
	}
	harmless := func(c *program.Command) bool {
		if c.Op == program.Lock || c.Op == program.Unlock || c.Stores() {
			return false
		}
		ok := true
		c.Writes(func(r int) { ok = ok && !live[head].Has(r) })
		return ok
	}
	for q := range inside {
		if !inside[q] {
			continue
		}
		for _, i := range out[q] {
			to := t.Edges[i].To
			if i == e || inside[to] && to != head {
				if !harmless(&t.Edges[i].Cmd) {
					return false
				}
			}
		}
	}
	return true
}
