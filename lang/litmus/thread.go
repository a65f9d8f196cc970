package litmus

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// threadJumps lets a thread go on from where a register is given a number straight to where a branch
// on that number leads, by a way of its own (jump threading). So the loop that tries a
// store-exclusive again is one without the store, that only waits. The branch is still there: what
// comes after it depends on it.
func threadJumps(t *program.Thread) {
	j := jumps{t, t.Out()}
	threaded := false
	for i := range len(t.Edges) {
		c := &t.Edges[i].Cmd
		if c.Op != program.Assign || !j.decides(t.Edges[i].To) {
			continue
		}
		if k, ok := value(c.Value, nil); ok {
			to, other := j.follow(t.Edges[i].To, map[int]int64{c.Reg: t.Regs[c.Reg].Type.Wrap(k)})
			t.Edges[i].To = to
			threaded = threaded || other
		}
	}
	if threaded {
		j.prune()
	}
}

// decides is whether what is known of registers can matter to where q leads.
func (j *jumps) decides(q program.StateID) bool {
	if int(q) >= len(j.out) || len(j.out[q]) == 0 {
		return false
	}
	op := j.t.Edges[j.out[q][0]].Cmd.Op
	return op == program.Assign || op == program.Check
}

type jumps struct {
	t   *program.Thread
	out [][]int // of the states that were there at first
}

// follow is a state in place of q for who comes there with known values of registers, and whether it
// is another one.
func (j *jumps) follow(q program.StateID, known map[int]int64) (program.StateID, bool) {
	if int(q) >= len(j.out) || len(j.out[q]) == 0 || j.t.States[q].Kind != program.Plain || len(known) > 8 {
		return q, false
	}
	taken := -1
	for _, e := range j.out[q] {
		c := &j.t.Edges[e].Cmd
		if c.Op == program.Assign && len(j.out[q]) == 1 {
			return j.past(q, e, known)
		}
		v, ok := value(c.Value, known)
		if c.Op != program.Check || !ok || v != 0 && taken >= 0 {
			return q, false
		}
		if v != 0 {
			taken = e
		}
	}
	if taken < 0 || len(j.out[q]) == 1 {
		return q, false
	}
	return j.copy(q, taken, j.t.Edges[taken].To), true
}

// past follows an assignment.
func (j *jumps) past(q program.StateID, e int, known map[int]int64) (program.StateID, bool) {
	c := &j.t.Edges[e].Cmd
	known = maps.Clone(known)
	if v, ok := value(c.Value, known); ok {
		known[c.Reg] = j.t.Regs[c.Reg].Type.Wrap(v)
	} else {
		delete(known, c.Reg)
	}
	if len(known) == 0 || j.t.Edges[e].To <= q { // no circles
		return q, false
	}
	to, other := j.follow(j.t.Edges[e].To, known)
	if !other {
		return q, false
	}
	return j.copy(q, e, to), true
}

// copy is a state like q with nothing but the command of the edge e, which leads to another state.
func (j *jumps) copy(q program.StateID, e int, to program.StateID) program.StateID {
	n := program.StateID(len(j.t.States))
	state := j.t.States[q]
	state.Name, state.Labels = fmt.Sprintf("%s.%d", state.Name, n), nil
	j.t.States = append(j.t.States, state)
	edge := j.t.Edges[e]
	edge.From, edge.To = n, to
	j.t.Edges = append(j.t.Edges, edge)
	return n
}

// value is what e is where the registers have the values that are known, if that is all it takes.
func value(e program.Expr, known map[int]int64) (v int64, ok bool) {
	switch e := e.(type) {
	case program.Const:
		return int64(e), true
	case program.Reg:
		v, ok = known[int(e)]
		return v, ok
	case program.Unary:
		v, ok = value(e.X, known)
		return program.EvalUnary(e.Op, v), ok
	case program.Binary:
		x, hasX := value(e.X, known)
		y, hasY := value(e.Y, known)
		if e.Op == program.BitAnd && (hasX && x == 0 || hasY && y == 0) { // which is written for its dependency
			return 0, true
		}
		return program.EvalBinary(e.Op, x, y), hasX && hasY
	}
	return 0, false
}

// prune takes away the states that nothing leads to any more.
func (j *jumps) prune() {
	out := j.t.Out()
	at := make([]program.StateID, len(j.t.States)) // new numbers by old ones
	for q := range at {
		at[q] = -1
	}
	at[j.t.Initial] = 0
	for work := []program.StateID{j.t.Initial}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range out[q] {
			if to := j.t.Edges[e].To; at[to] < 0 {
				at[to] = 0
				work = append(work, to)
			}
		}
	}
	kept := make([]program.State, 0, len(j.t.States))
	for q, s := range j.t.States {
		if at[q] == 0 {
			at[q] = program.StateID(len(kept))
			kept = append(kept, s)
		}
	}
	j.t.States, j.t.Initial = kept, at[j.t.Initial]
	j.t.Edges = slices.DeleteFunc(j.t.Edges, func(e program.Edge) bool { return at[e.From] < 0 })
	for i := range j.t.Edges {
		e := &j.t.Edges[i]
		e.From, e.To = at[e.From], at[e.To]
	}
}
