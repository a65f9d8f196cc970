package waits

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// maxWays is how many ways there may be out of a loop that waits.
const maxWays = 32

// awaiting lets the thread, where it comes to a loop that only waits, stop going round: then it stays
// until there is a way out, from the head of the loop to an exit in one step; of a loop that
// [settles], after a round or without. The thread can
// also go round as before, so that nothing is lost; that a buffer has to be empty for the step is no
// matter to who is stuck. reading is commands that change nothing, by edge, without what they store, and before is which
// control states were one before exchanges were told apart. The edges that close these loops are those that it gives.
func awaiting(t *program.Thread, live []program.RegSet, reading map[int]program.Command, before []program.StateID) (closing []bool) {
	closing = make([]bool, len(t.Edges))
	of := *t // as it was
	if of.Edges = slices.Clone(t.Edges); len(reading) > 0 {
		for i, c := range reading {
			of.Edges[i].Cmd = c
		}
	}
	loops := flow.FindLoops(&of, live)
	backs := map[program.StateID][]int{} // by head
	for e := range of.Edges {
		if loops.Back[e] {
			head := of.Edges[e].To
			backs[head] = append(backs[head], e)
		}
	}
	whole := of
	whole.Edges = slices.Clone(of.Edges)
	for i := range whole.Edges {
		e := &whole.Edges[i]
		e.From, e.To = before[e.From], before[e.To]
	}
	out := of.Out()
	for head := range of.States {
		head := program.StateID(head)
		if len(backs[head]) == 0 || of.States[head].Kind != program.Plain {
			continue
		}
		inside, rounds := waitingLoop(&of, out, loops, backs[head], live[head])
		if rounds == 0 || !leavesWhole(&whole, inside.back) {
			continue
		}
		ways, ok := waysOut(&of, out, inside, head, rounds)
		// Who has no way out but to fail goes on for ever, and waits for nothing.
		if !ok || !slices.ContainsFunc(ways, func(w wayOut) bool { return of.States[w.to].Kind != program.GivenUp }) {
			continue
		}
		for e, back := range inside.back {
			closing[e] = closing[e] || back
		}
		stay := program.StateID(len(t.States))
		t.States = append(t.States, program.State{Name: t.States[head].Name + " waiting", Pos: t.States[head].Pos})
		for _, w := range ways {
			t.Edges = append(t.Edges, program.Edge{From: stay, To: w.to, Pos: w.pos,
				Cmd: program.Command{Op: program.Atomic, Text: "wait", Body: w.body, Pos: w.pos}})
		}
		t.Edges = append(t.Edges, program.Edge{From: head, To: stay, Cmd: program.Skip(), Pos: t.States[head].Pos})
	}
	return closing
}

// leavesWhole is whether there is a way out of every loop that the edges close. Who has none goes on for ever, as it should,
// whether or not an exchange of it writes something.
func leavesWhole(t *program.Thread, back []bool) bool {
	for e := range back {
		if back[e] && !flow.Exit(t, flow.Body(t, e)) {
			return false
		}
	}
	return true
}

// A loop is the edges that stay in it, and which of them end a round.
type loop struct{ inside, back []bool }

// waitingLoop is the largest loop that waits of those that the edges close, which have one head,
// and how many rounds it takes to know that it does so for ever; 0: none waits.
func waitingLoop(t *program.Thread, out [][]int, loops *flow.Loops, back []int, live program.RegSet) (l loop, rounds int) {
	waits := func(back []int) bool {
		l = newLoop(t, back)
		switch {
		case !slices.ContainsFunc(back, func(e int) bool { return !loops.Wait[e] }):
			rounds = 1
		case settles(t, out, l, t.Edges[back[0]].To, live):
			rounds = 2
		}
		return rounds > 0
	}
	if waits(back) {
		return l, rounds
	}
	// It may be that one that waits is at the beginning of one that does more.
	if only := slices.DeleteFunc(slices.Clone(back), func(e int) bool { return !loops.Wait[e] }); len(only) > 0 {
		waits(only)
		return l, rounds
	}
	for _, e := range back {
		if waits([]int{e}) {
			break
		}
	}
	return l, rounds
}

// newLoop is the loop that edges to one head close.
func newLoop(t *program.Thread, back []int) loop {
	l := loop{make([]bool, len(t.Edges)), make([]bool, len(t.Edges))}
	head := t.Edges[back[0]].To
	in := make([][]int, len(t.States))
	for i, e := range t.Edges {
		in[e.To] = append(in[e.To], i)
	}
	seen := make([]bool, len(t.States))
	seen[head] = true
	var work []program.StateID
	add := func(e int) {
		l.inside[e] = true
		if q := t.Edges[e].From; !seen[q] {
			seen[q] = true
			work = append(work, q)
		}
	}
	for _, e := range back {
		l.back[e] = true
		add(e)
	}
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range in[q] {
			add(e)
		}
	}
	return l
}

// A wayOut is the commands from the head of a loop to a state outside.
type wayOut struct {
	body []program.Command
	to   program.StateID
	pos  program.Position
}

// waysOut lists them, up to so many rounds; not ok where there are too many, or they cannot be done in one step.
func waysOut(t *program.Thread, out [][]int, l loop, head program.StateID, rounds int) (ways []wayOut, ok bool) {
	ok = true
	on := make([]bool, len(t.States))
	var follow func(q program.StateID, body []program.Command, rounds int)
	follow = func(q program.StateID, body []program.Command, rounds int) {
		if on[q] || len(ways) > maxWays {
			ok = false
			return
		}
		on[q] = true
		for _, i := range out[q] {
			e := &t.Edges[i]
			next := slices.Clone(body)
			switch c := e.Cmd; c.Op {
			case program.Lock, program.Unlock, program.Assert:
				ok = false
			case program.Fence:
			case program.Atomic:
				next = append(next, c.Body...)
			default:
				next = append(next, c)
			}
			switch {
			case l.back[i] && rounds > 1:
				was := on
				on = make([]bool, len(t.States))
				follow(head, next, rounds-1)
				on = was
			case l.back[i]:
			case !l.inside[i]:
				if len(next) == 0 {
					next = append(next, program.Skip())
				}
				ways = append(ways, wayOut{next, e.To, e.Pos})
			default:
				follow(e.To, next, rounds)
			}
		}
		on[q] = false
	}
	follow(head, nil, rounds)
	return ways, ok && len(ways) <= maxWays
}
