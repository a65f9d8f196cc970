package abstract

import "github.com/fencepost-verifier/fencepost/program"

// An Access is one access of an event to the memory.
type Access struct {
	Cell  int
	Store bool
}

// Accesses appends to buf the memory accesses that ev has in s, in their order,
// and says what would become of ev. Of an Atomic that is Disabled by a check
// inside, the accesses are those before that check. A store into a buffer and a
// load counts with its cell, too, wherever the value comes from. [System.Enabled]
// must have said Done of the event, or it is a flush. s is as it was.
func (x *System) Accesses(buf []Access, s *State, ev Event) ([]Access, Outcome) {
	t := ev.Thread
	if ev.Edge == Flush {
		if x.grouped == nil {
			return append(buf, Access{x.Buffer.Flushed(&s.Buf[t], int(ev.Choice)).Cell, true}), Done
		}
		for _, p := range x.grouped.Group(&s.Buf[t], int(ev.Choice)) {
			buf = append(buf, Access{p.Cell, true})
		}
		return buf, Done
	}
	e := &x.threads[t].edges[ev.Edge]
	switch e.op {
	case program.Load, program.Store:
		c := x.cellOf(&e.action, s.Regs[t])
		if c < 0 {
			return buf, Stray
		}
		return append(buf, Access{c, e.op == program.Store}), Done
	case program.Assert:
		if e.value(s.Regs[t]) == 0 {
			return buf, Failed
		}
	case program.Atomic:
		return x.bodyAccesses(buf, s, t, e, ev.Choice)
	case wideLoad, wideStore:
		out := x.looksWide(s, t, e, func(cell int, write bool) { buf = append(buf, Access{cell, write}) })
		return buf, out
	}
	return buf, Done
}

// bodyAccesses executes the body of an Atomic, as atomic does, and takes it back.
func (x *System) bodyAccesses(buf []Access, s *State, t int, e *edge, choice int64) ([]Access, Outcome) {
	regs := s.Regs[t]
	copy(s.saved, regs)
	s.writes = s.writes[:0]
	out := Done
body:
	for i := range e.body {
		a := &e.body[i]
		switch a.op {
		case program.Check:
			if a.value(regs) == 0 {
				out = Disabled
				break body
			}
		case program.Assert:
			if a.value(regs) == 0 {
				out = Failed
			}
		case program.Assign:
			regs[a.reg] = a.typ.Wrap(a.value(regs))
		case program.Havoc:
			regs[a.reg] = a.typ.Wrap(a.lo + choice%a.radix)
			choice /= a.radix
		case program.Load, program.Store:
			c := x.cellOf(a, regs)
			switch {
			case c < 0 && out != Failed:
				out = Stray
				break body
			case c < 0 && a.op == program.Load:
				regs[a.reg] = 0
			case c < 0:
			case a.op == program.Load:
				buf = append(buf, Access{c, false})
				regs[a.reg] = a.typ.Wrap(s.Mem[c])
			default:
				buf = append(buf, Access{c, true})
				s.writes = append(s.writes, Pair{Cell: c, Value: s.Mem[c]})
				s.Mem[c] = x.cellTypes[c].Wrap(a.value(regs))
			}
		}
	}
	copy(regs, s.saved)
	for j := len(s.writes) - 1; j >= 0; j-- {
		s.Mem[s.writes[j].Cell] = s.writes[j].Value
	}
	return buf, out
}
