package flow

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Body is the control states of the loop that edge e of t closes: those from which its end can be
// reached without its head.
func Body(t *program.Thread, e int) map[program.StateID]bool {
	head, tail := t.Edges[e].To, t.Edges[e].From
	in := map[program.StateID]bool{head: true, tail: true}
	for work := []program.StateID{tail}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		if q == head {
			continue
		}
		for i := range t.Edges {
			if from := t.Edges[i].From; t.Edges[i].To == q && !in[from] {
				in[from] = true
				work = append(work, from)
			}
		}
	}
	return in
}

// Exit is whether an edge of t leads out of the control states, to where the thread has not given up.
func Exit(t *program.Thread, in map[program.StateID]bool) bool {
	return slices.ContainsFunc(t.Edges, func(e program.Edge) bool {
		return in[e.From] && !in[e.To] && t.States[e.To].Kind != program.GivenUp
	})
}
