package target

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Counters grow by little in each step. Where they have so many bits that it takes more steps than anybody can look at until
// one has no room, an answer about all executions, each of which has come to its end, is an answer about none in which one
// has: of what happens before the first number that has no room, in the order of dependencies and reads-from, all
// that any number is computed from would be such an execution, or a part of one.

// Limits of what is a counter: its bits, what is added to it in one step, and what else its value may begin with.
const (
	counterBits  = 44
	counterStep  = 4
	counterStart = 1 << 30
)

// counters are the registers, by thread, and the cells, by their index, whose values are no counters.
type counters struct {
	r     *program.Ranges
	regs  [][]bool
	cells []bool
	more  bool // some have been found
}

// countersOf finds the greatest set of cells and registers that hold small numbers, and such with little added to them.
func countersOf(p *program.Program, r *program.Ranges) *counters {
	s := &counters{r: r, cells: make([]bool, len(r.Cells))}
	for i := range r.Cells {
		s.cells[i] = !startsAt(r.Cells[i].Init)
	}
	for _, t := range p.Threads {
		regs := make([]bool, len(t.Regs))
		for i := range t.Regs {
			regs[i] = !startsAt(t.Regs[i].Init)
		}
		s.regs = append(s.regs, regs)
	}
	for s.more = true; s.more; {
		s.more = false
		for ti, t := range p.Threads {
			for i := range t.Edges {
				s.command(ti, &t.Edges[i].Cmd)
			}
		}
	}
	return s
}

// startsAt is true of what a counter may begin with.
func startsAt(v int64) bool { return -counterStart <= v && v <= counterStart }

// command notes what a command gives a value that is no counter.
func (s *counters) command(ti int, c *program.Command) {
	spoil := func(is *bool) { s.more, *is = s.more || !*is, true }
	switch c.Op {
	case program.Load:
		for _, i := range s.r.Access[c] {
			if s.cells[i] {
				spoil(&s.regs[ti][c.Reg])
			}
		}
	case program.Assign:
		if !s.is(ti, c.Value) {
			spoil(&s.regs[ti][c.Reg])
		}
	case program.Havoc:
		if !startsAt(c.Lo) || !startsAt(c.Hi) {
			spoil(&s.regs[ti][c.Reg])
		}
	case program.Store:
		if !s.is(ti, c.Value) {
			for _, i := range s.r.Access[c] {
				spoil(&s.cells[i])
			}
		}
	case program.Atomic:
		for i := range c.Body {
			s.command(ti, &c.Body[i])
		}
	}
}

// is true of a value that is a counter, as far as is known.
func (s *counters) is(ti int, e program.Expr) bool {
	if v := s.r.Value(ti, e); startsAt(v.Min()) && startsAt(v.Max()) {
		return true
	}
	switch e := e.(type) {
	case program.Reg:
		return !s.regs[ti][e]
	case program.Unary:
		t, ok := e.Op.Cast()
		return ok && t.Bits == flowgraph.WidestBits && s.is(ti, e.X)
	case program.Binary:
		k, ok := e.Y.(program.Const)
		return ok && (e.Op == program.Add || e.Op == program.Sub) && -counterStep <= k && k <= counterStep && s.is(ti, e.X)
	}
	return false
}
