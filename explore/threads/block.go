package threads

import (
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// severalAccesses is true of an Atomic that is more than one access, or a load and a store to the
// same place: a block of accesses, which happen at once.
func severalAccesses(c *program.Command) bool {
	if c.Op != program.Atomic {
		return false
	}
	var accesses []*program.Command
	overwritten := map[program.Reg]bool{} // since the first access
	same := true
	for i := range c.Body {
		b := &c.Body[i]
		if b.Op == program.Load || b.Op == program.Store {
			if accesses = append(accesses, b); len(accesses) > 1 {
				program.Walk(b.Addr, func(e program.Expr) {
					if r, ok := e.(program.Reg); ok && overwritten[r] {
						same = false
					}
				})
			}
		}
		if len(accesses) > 0 {
			b.Writes(func(r int) { overwritten[program.Reg(r)] = true })
		}
	}
	switch len(accesses) {
	case 0, 1:
		return false
	case 2:
		return accesses[0].Op != program.Load || accesses[1].Op != program.Store || !same || !reflect.DeepEqual(accesses[0].Addr, accesses[1].Addr)
	}
	return true
}

// A way is one that a block can still go.
type way struct {
	edge   int32
	next   *action // the access that comes next; nil: there is none
	cell   int32
	value  int64
	failed *program.Command
}

// block stops at the next access of a block. The ways that it can go exclude each other, by what
// is loaded; as long as they have the same access next it is not decided which it is.
func (t *Thread) block(s *State, g *group, scratch []int64) (Stop, bool) {
	ways := t.open(s, g, scratch)
	if len(ways) == 0 {
		s.stand = Stuck
		if t.waits(s) == Waiting {
			s.stand = Waiting
		}
		return Stop{}, false
	}
	first := &ways[0]
	stop := Stop{Edge: first.edge, Cell: first.cell, Inside: s.locked || len(s.loaded) > 0 || s.stored > 0}
	if slices.ContainsFunc(ways[1:], func(w way) bool { return !w.like(first) }) {
		stop.Kind, stop.Cell, stop.Ways = Choice, -1, int64(len(ways))
		return stop, true
	}
	if first.next == nil && t.arch == program.X86 && !stop.Inside && len(t.edges[first.edge].accesses()) == 0 {
		stop.Kind, stop.Atomic, stop.Cmd = Fence, true, t.edges[first.edge].cmd
		return stop, true
	}
	if first.next == nil {
		t.close(s, first, scratch)
		return Stop{}, false
	}
	stop.Kind, stop.Atomic, stop.Block, stop.Value, stop.Cmd = Load, true, true, first.value, first.next.cmd
	if first.next.op == program.Store {
		stop.Kind = Store
	}
	return stop, true
}

// like is whether the same access comes next.
func (w *way) like(v *way) bool {
	if w.next == nil || v.next == nil {
		return false
	}
	return w.next.op == v.next.op && w.cell == v.cell && w.value == v.value && w.next.cmd.Tags == v.next.cmd.Tags
}

// open lists the ways that the block can still go.
func (t *Thread) open(s *State, g *group, scratch []int64) (ways []way) {
	for _, k := range g.edges {
		if s.way == 0 || s.way == k+1 {
			if w, ok := t.follow(s, k, append(scratch[:0], s.Regs...)); ok {
				ways = append(ways, w)
			}
		}
	}
	return ways
}

// follow goes through the body of edge k, on regs, as far as it has been executed.
func (t *Thread) follow(s *State, k int32, regs []int64) (w way, ok bool) {
	w = way{edge: k, cell: -1}
	loads, stores, choice := s.loaded, s.stored, s.choice
	body := t.edges[k].body
	for i := range body {
		a := &body[i]
		switch a.op {
		case program.Check:
			if a.value(regs) == 0 {
				return w, false
			}
		case program.Assign:
			regs[a.reg] = a.typ.Wrap(a.value(regs))
		case program.Havoc:
			regs[a.reg] = a.typ.Wrap(a.lo + choice%a.ways)
			choice /= a.ways
		case program.Assert:
			if a.value(regs) == 0 && w.failed == nil {
				w.failed = a.cmd
			}
		case program.Load:
			if len(loads) == 0 {
				w.reach(t, a, regs)
				return w, true
			}
			regs[a.reg], loads = a.typ.Wrap(loads[0]), loads[1:]
		case program.Store:
			if stores == 0 {
				if w.reach(t, a, regs) {
					w.value = t.wrap(w.cell, a.value(regs))
				}
				return w, true
			}
			stores--
		}
	}
	return w, true
}

// reach makes a the access that comes next, unless an assertion has failed and it is to no cell: the
// block ends there, then.
func (w *way) reach(t *Thread, a *action, regs []int64) bool {
	cell := t.cell(a, regs)
	if cell < 0 && w.failed != nil {
		return false
	}
	w.next, w.cell = a, cell
	return true
}

// accesses are those of the body.
func (e *edge) accesses() (all []*action) {
	for i := range e.body {
		if op := e.body[i].op; op == program.Load || op == program.Store {
			all = append(all, &e.body[i])
		}
	}
	return all
}

// close ends a block.
func (t *Thread) close(s *State, w *way, scratch []int64) {
	regs := append(scratch[:0], s.Regs...)
	t.follow(s, w.edge, regs)
	copy(s.Regs, regs)
	s.loaded, s.stored, s.way = s.loaded[:0], 0, 0
	if s.failed = w.failed; s.failed != nil {
		s.stand = Failed
	}
	t.move(s, w.edge, t.edges[w.edge].wait)
}

// decide takes one of the ways that a block can still go, numbered from 0.
func (t *Thread) decide(s *State, g *group, n int64) {
	s.way = t.open(s, g, nil)[n].edge + 1
}
