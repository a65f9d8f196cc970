package waits

import (
	"context"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// A thread that goes round in a loop and changes nothing is stuck as one is that stands, where nobody else
// changes what it reads. Loops that only wait have got a control state in which the thread stands (see
// [Deadlocking]). Of others it is not seen from the automaton whether a round may leave everything as it was: a search
// through all states finds out, but need not be begun where there are no such loops.

// Changeless is where a thread of p, which [Deadlocking] has made, may go round and change nothing, in a loop beside which
// it does not stand, while one waits; not ok where there is no such place. The error is that of an analysis of values
// that ctx ends.
func Changeless(ctx context.Context, p *program.Program, stands Stands) (pos program.Position, ok bool, err error) {
	var r *program.Ranges
	round := make([][]bool, len(p.Threads))
	for ti, t := range p.Threads {
		progress := slices.Clone(stands[ti])
		progress = append(progress, make([]bool, len(t.Edges)-len(progress))...)
		for i := range t.Edges {
			progress[i] = progress[i] || changesMemory(p, &t.Edges[i].Cmd)
		}
		if round[ti] = flow.Circling(t, outside(progress)); !slices.Contains(round[ti], true) {
			continue
		}
		for i := range t.Edges {
			progress[i] = progress[i] || round[ti][i] && overwritten(t, i, progress)
		}
		if r == nil {
			if r, err = program.AnalyseContext(ctx, p); err != nil {
				return pos, false, err
			}
		}
		for i := range t.Edges {
			progress[i] = progress[i] || !r.Reachable[ti][t.Edges[i].From] || round[ti][i] && counts(t, i, round[ti], r.Reg[ti])
		}
		round[ti] = flow.Circling(t, outside(progress))
	}
	for ti, t := range p.Threads {
		i := slices.Index(round[ti], true)
		if i < 0 {
			continue
		}
		// Who goes round where there is no way out does not wait; somebody else has to.
		if leaves(p, ti, round[ti]) {
			return t.Edges[i].Pos, true, nil
		}
		for tj := range p.Threads {
			if tj != ti && mayWait(p, tj, stands[tj], round[tj]) {
				return t.Edges[i].Pos, true, nil
			}
		}
	}
	return pos, false, nil
}

// leaves is true where one of the edges of a thread closes a loop that there is a way out of, if only into one around it.
func leaves(p *program.Program, thread int, round []bool) bool {
	t := p.Threads[thread]
	back := flow.FindLoops(t, flow.Live(p, thread, false)).Back
	for i := range t.Edges {
		if round[i] && back[i] && flow.Exit(t, flow.Body(t, i)) {
			return true
		}
	}
	return false
}

// mayWait is true of a thread that may have no step where it is not at its end, or that has loops of the given kinds
// with a way out.
func mayWait(p *program.Program, thread int, stay, round []bool) bool {
	if slices.Contains(stay, true) || slices.Contains(round, true) && leaves(p, thread, round) {
		return true
	}
	for _, out := range p.Threads[thread].Out() {
		blocks := len(out) > 0
		for i, e := range out {
			c := &p.Threads[thread].Edges[e].Cmd
			guarded := c.Op == program.Lock || c.Op == program.Check && !c.IsSkip() ||
				c.Op == program.Atomic && slices.ContainsFunc(c.Body, func(b program.Command) bool { return b.Op == program.Check })
			blocks = blocks && guarded && !slices.ContainsFunc(out[i+1:], func(o int) bool {
				d := &p.Threads[thread].Edges[o].Cmd
				return flow.Opposite(c, d) || flow.Exclude(c, d)
			})
		}
		if blocks {
			return true
		}
	}
	return false
}

// overwritten is true of a store of a constant to a cell where each round with it has a store of another constant to
// the same: then memory changes in each of them, whenever stores get there.
func overwritten(t *program.Thread, i int, without []bool) bool {
	c := &t.Edges[i].Cmd
	v, constant := c.Value.(program.Const)
	if _, known := c.Addr.(program.Const); c.Op != program.Store || !known || !constant {
		return false
	}
	rest := slices.Clone(without)
	for k := range t.Edges {
		o := &t.Edges[k].Cmd
		w, ok := o.Value.(program.Const)
		// Small numbers, which no cell makes the same.
		rest[k] = rest[k] || o.Op == program.Store && o.Addr == c.Addr && ok && v&1 != w&1
	}
	return !flow.Circling(t, outside(rest))[i]
}

// outside is the edges that are not marked.
func outside(marked []bool) func(edge int) bool { return func(edge int) bool { return !marked[edge] } }

// counts is true of an edge that moves a register on by a number, where all that write the register in the same rounds
// move it the same way and it never wraps around: who takes such an edge never comes to where he was.
func counts(t *program.Thread, i int, round []bool, regs []program.ValueSet) bool {
	by, ok := moves(&t.Edges[i].Cmd)
	if !ok {
		return false
	}
	reg := t.Edges[i].Cmd.Reg
	typ, set := t.Regs[reg].Type, regs[reg]
	for k := range t.Edges {
		if !round[k] {
			continue
		}
		c := &t.Edges[k].Cmd
		writes := false
		c.Writes(func(r int) { writes = writes || r == reg })
		if !writes {
			continue
		}
		n, ok := moves(c)
		if !ok || n < 0 != (by < 0) || n > 1<<30 || n < -1<<30 || set.Empty() ||
			n > 0 && set.Max() > typ.Max()-n || n < 0 && set.Min() < typ.Min()-n {
			return false
		}
	}
	return true
}

// moves is by how much a command moves a register on.
func moves(c *program.Command) (int64, bool) {
	b, ok := c.Value.(program.Binary)
	if c.Op != program.Assign || !ok || b.X != program.Reg(c.Reg) || b.Op != program.Add && b.Op != program.Sub {
		return 0, false
	}
	k, ok := b.Y.(program.Const)
	if b.Op == program.Sub {
		k = -k
	}
	return int64(k), ok && k != 0
}

// changesMemory is true of a step after which memory, or who has the lock, is not what it was.
func changesMemory(p *program.Program, c *program.Command) bool {
	if c.Op == program.Lock || c.Op == program.Unlock {
		return true
	}
	var load, store *program.Command
	var checks []program.Expr
	if c.Op != program.Atomic {
		return false
	}
	for i := range c.Body {
		switch b := &c.Body[i]; {
		case b.Op == program.Check:
			checks = append(checks, b.Value)
		case b.Op == program.Load && load == nil && store == nil:
			load = b
		case b.Op == program.Store && load != nil && store == nil:
			store = b
		default:
			return false
		}
	}
	if store == nil || !reflect.DeepEqual(load.Addr, store.Addr) {
		return false
	}
	addr, ok := load.Addr.(program.Const)
	if !ok || p.CellAt(int64(addr)) < 0 {
		return false
	}
	typ := p.Memory[p.CellAt(int64(addr))].Type
	holds := func(v int64) bool { return typ.Wrap(v) == v }
	was, v := program.Reg(load.Reg), store.Value
	differs := slices.ContainsFunc(checks, func(e program.Expr) bool {
		return reflect.DeepEqual(e, program.NotExpr(program.Binary{Op: program.Eq, X: v, Y: was}))
	})
	switch v := v.(type) {
	case program.Const:
		return holds(int64(v)) && (differs || slices.ContainsFunc(checks, func(e program.Expr) bool {
			b, ok := e.(program.Binary)
			if !ok || b.Op != program.Eq || b.X != program.Expr(was) {
				return false
			}
			k, ok := b.Y.(program.Const)
			return ok && holds(int64(k)) && k != v
		}))
	case program.Binary:
		k, ok := v.Y.(program.Const)
		if !ok || v.X != program.Expr(was) {
			return false
		}
		switch v.Op {
		case program.Add, program.Sub, program.BitXor:
			return typ.Wrap(int64(k)) != 0
		case program.BitOr, program.BitAnd:
			return differs && holds(int64(k))
		}
	}
	return false
}
