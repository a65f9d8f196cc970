package threads

import "github.com/fencepost-verifier/fencepost/program"

// store is the Store in the body of an Atomic, or nil.
func (e *edge) store() *program.Command {
	for i := range e.body {
		if e.body[i].op == program.Store {
			return e.body[i].cmd
		}
	}
	return nil
}

// done is what became of a body.
type done struct {
	ok     bool // no check failed
	load   *action
	store  *action
	cell   int32 // of the load or the store
	value  int64
	failed *program.Command
}

// body executes the body of an Atomic on regs, which are its to change: all of it, or
// up to the load where v is nil. An assertion that fails counts once all is done.
func (t *Thread) body(e *edge, regs []int64, choice int64, v *int64) (d done) {
	for i := range e.body {
		a := &e.body[i]
		switch a.op {
		case program.Check:
			if a.value(regs) == 0 {
				return done{}
			}
		case program.Assign:
			regs[a.reg] = a.typ.Wrap(a.value(regs))
		case program.Havoc:
			regs[a.reg] = a.typ.Wrap(a.lo + choice%a.ways)
			choice /= a.ways
		case program.Load:
			d.load, d.cell = a, t.cell(a, regs)
			if v == nil {
				d.ok = true
				return d
			}
			regs[a.reg] = a.typ.Wrap(*v)
		case program.Store:
			d.store, d.cell = a, t.cell(a, regs)
			d.value = t.wrap(d.cell, a.value(regs))
		case program.Assert:
			if a.value(regs) == 0 && d.failed == nil {
				d.failed = a.cmd
			}
		}
	}
	d.ok = true
	return d
}

// atomic stops at the access of an Atomic. One without accesses is a fence on x86, and
// nothing elsewhere.
func (t *Thread) atomic(s *State, g *group, scratch []int64) (Stop, bool) {
	for _, k := range g.edges {
		e := &t.edges[k]
		d := t.body(e, append(scratch[:0], s.Regs...), s.choice, nil)
		stop := Stop{Atomic: true, Edge: k, Cell: d.cell, Inside: s.locked}
		switch {
		case !d.ok:
			continue
		case d.failed != nil && d.cell < 0: // which is why there is no such cell
			s.stand, s.failed = Failed, d.failed
			t.move(s, k, g.wait)
			return Stop{}, false
		case d.load != nil:
			stop.Kind, stop.Cmd = Load, d.load.cmd
			for _, k := range g.edges {
				stop.Half = stop.Half || t.edges[k].store() != nil
			}
			return stop, true
		case d.store != nil:
			stop.Kind, stop.Cmd, stop.Value = Store, d.store.cmd, d.value
			return stop, true
		case t.arch == program.X86:
			stop.Kind, stop.Cmd, stop.Cell = Fence, e.cmd, -1
			return stop, true
		}
		t.apply(s, k, nil)
		return Stop{}, false
	}
	s.stand = Stuck
	if t.waits(s) == Waiting {
		s.stand = Waiting
	}
	return Stop{}, false
}

// apply executes the body of edge k on the registers of s; v is what its load gives, if
// it has one. A store after the load is an event of its own, and is yet to come.
func (t *Thread) apply(s *State, k int32, v *int64) {
	e := &t.edges[k]
	d := t.body(e, s.Regs, s.choice, v)
	s.failed = d.failed
	if v != nil && d.store != nil {
		s.stand, s.edge, s.cell, s.value = Store, k, d.cell, d.value
		return
	}
	if d.failed != nil {
		s.stand = Failed
	}
	t.move(s, k, e.wait)
}
