package waits

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/fencepost-verifier/fencepost/program"
)

// A loop that takes a lock by an exchange,
//
//	while (atomic_exchange(&lock, 1)) ;
//
// writes in each round in vain what it has read, and so does one that sets a bit which is set. These rounds
// change nothing, and who goes round in them waits. To see that of the automaton, the exchange becomes two: one that
// writes what it has read, behind which what leads back to it stands a second time, and one that writes something else.

// maxRound is how many control states may lead from an exchange back to it.
const maxRound = 64

// tellApart parts the exchanges in loops of p, which does what it did before. The commands that it gives are, by thread
// and edge, those of exchanges that write what they have read, without their stores; of says, by thread and control
// state, which state it was before.
func tellApart(p *program.Program) (_ []map[int]program.Command, of [][]program.StateID) {
	ranges := sync.OnceValue(func() *program.Ranges {
		r, err := program.Analyse(p)
		if err != nil {
			return nil
		}
		return r
	})
	at := make([][]int, len(p.Threads))
	for ti, t := range p.Threads {
		for i := range t.Edges {
			if c := &t.Edges[i].Cmd; exchanges(c) && faithful(p, t, c, ranges) {
				at[ti] = append(at[ti], i)
			}
		}
	}
	reading := make([]map[int]program.Command, len(p.Threads))
	of = make([][]program.StateID, len(p.Threads))
	for ti, t := range p.Threads {
		reading[ti] = map[int]program.Command{}
		for q := range t.States {
			of[ti] = append(of[ti], program.StateID(q))
		}
		for _, i := range at[ti] {
			if states, ok := roundFrom(t, i); ok {
				for _, q := range states {
					of[ti] = append(of[ti], of[ti][q])
				}
				part(t, i, states, reading[ti])
			}
		}
	}
	return reading, of
}

// part makes two edges of the one of an exchange; the states are those from which it can be come back to.
func part(t *program.Thread, i int, states []program.StateID, reading map[int]program.Command) {
	e := t.Edges[i]
	b, same := e.Cmd.Body, program.Binary{Op: program.Eq, X: e.Cmd.Body[1].Value, Y: program.Reg(e.Cmd.Body[0].Reg)}
	with := func(v program.Expr, store ...program.Command) program.Command {
		d := e.Cmd
		d.Body = append([]program.Command{b[0], {Op: program.Check, Value: v, Pos: d.Pos}}, store...)
		return d
	}
	again := map[program.StateID]program.StateID{e.From: e.From}
	for _, q := range states {
		again[q] = program.StateID(len(t.States))
		s := t.States[q]
		s.Name = fmt.Sprintf("%s after %d", s.Name, i)
		t.States = append(t.States, s)
	}
	for _, x := range t.Edges {
		if slices.Contains(states, x.From) {
			x.From = again[x.From]
			if to, ok := again[x.To]; ok {
				x.To = to
			}
			t.Edges = append(t.Edges, x)
		}
	}
	t.Edges[i].Cmd = with(program.NotExpr(same), b[1])
	reading[len(t.Edges)] = with(same)
	e.To, e.Cmd = again[e.To], with(same, b[1])
	t.Edges = append(t.Edges, e)
}

// exchanges is true of a command that loads from one cell and stores to the same.
func exchanges(c *program.Command) bool {
	if c.Op != program.Atomic || len(c.Body) != 2 {
		return false
	}
	load, store := &c.Body[0], &c.Body[1]
	if load.Op != program.Load || store.Op != program.Store || !reflect.DeepEqual(load.Addr, store.Addr) {
		return false
	}
	uses := false
	program.Walk(load.Addr, func(x program.Expr) { uses = uses || x == program.Reg(load.Reg) })
	return !uses
}

// faithful is whether a register can hold all that the cells can that an exchange may work on: then a store of
// what was read changes nothing. ranges is asked where the address is not a constant; nil says that nothing is known.
func faithful(p *program.Program, t *program.Thread, c *program.Command, ranges func() *program.Ranges) bool {
	reg := t.Regs[c.Body[0].Reg].Type
	holds := func(cell program.Type) bool { return reg.Min() <= cell.Min() && reg.Max() >= cell.Max() }
	if holds(program.Int64Type) {
		return true
	}
	if addr, constant := c.Body[0].Addr.(program.Const); constant {
		i := slices.IndexFunc(p.Memory, func(c program.Cell) bool { return c.Addr == int64(addr) })
		return i >= 0 && holds(p.Memory[i].Type)
	}
	r := ranges()
	return r != nil && !slices.ContainsFunc(r.Access[&c.Body[0]], func(i int) bool { return !holds(r.Cells[i].Type) })
}

// roundFrom is the control states on ways from the end of an edge to its beginning; not ok where there is none, or
// what is done there is more than to read and to compute.
func roundFrom(t *program.Thread, edge int) (states []program.StateID, ok bool) {
	from, to := t.Edges[edge].From, t.Edges[edge].To
	reach := func(start program.StateID, ends func(*program.Edge) (program.StateID, program.StateID)) map[program.StateID]bool {
		seen := map[program.StateID]bool{start: true}
		for work := []program.StateID{start}; len(work) > 0; {
			q := work[len(work)-1]
			work = work[:len(work)-1]
			if q == from && q != start {
				continue
			}
			for i := range t.Edges {
				if here, there := ends(&t.Edges[i]); here == q && i != edge && !seen[there] {
					seen[there] = true
					work = append(work, there)
				}
			}
		}
		return seen
	}
	ahead := reach(to, func(e *program.Edge) (program.StateID, program.StateID) { return e.From, e.To })
	if !ahead[from] || from == to {
		return nil, from == to
	}
	back := reach(from, func(e *program.Edge) (program.StateID, program.StateID) { return e.To, e.From })
	for q := range t.States {
		if q := program.StateID(q); ahead[q] && back[q] && q != from {
			states = append(states, q)
		}
	}
	for i := range t.Edges {
		e := &t.Edges[i]
		if inside := slices.Contains(states, e.From) && (e.To == from || slices.Contains(states, e.To)); inside &&
			(e.Cmd.Op == program.Lock || e.Cmd.Op == program.Unlock || e.Cmd.Stores()) {
			return nil, false
		}
	}
	return states, len(states) <= maxRound && t.States[from].Kind == program.Plain
}
