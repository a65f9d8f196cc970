package encode

import (
	"context"
	"errors"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// NewRobustness prepares a formula for [Formula.Cycles]: the executions of p
// under TSO, properties disregarded. Rounds of loops that only wait are kept:
// a round that changes no state can still be on a cycle.
func NewRobustness(p *program.Program, r *program.Ranges, s solver.Solver, opts Options) (*Formula, error) {
	bare := *p
	bare.Properties, bare.Filter = nil, nil
	opts.Model = memory.TSO
	f, err := New(&bare, r, s, opts)
	if err != nil {
		return nil, err
	}
	for _, t := range f.threads {
		clear(t.loops.Wait)
	}
	f.flushed = true
	return f, nil
}

// Cycles asks for an execution that TSO admits and SC does not: one in which
// po | rf | co | fr has a cycle, where the accesses of an atomic block or a
// locked section count as one event (thesis 2.3.3; Shasha and Snir, "Efficient
// and Correct Execution of Parallel Programs that Share Memory"). There is none
// just if the program, as far as it is unrolled, is robust.
//
// The relation has a cycle just if there is a set of events, not empty, each of
// which is related to another one in the set: so the formula needs no order for
// the relation, only a literal for each event.
//
// fr is that of every read, also of one that is served from the store buffer:
// such a read comes before the writes that coherence puts after the store that
// it read.
func (f *Formula) Cycles(ctx context.Context) (*Query, error) {
	if f.opts.Model != memory.TSO {
		return nil, errors.New("encode: robustness is against tso")
	}
	return f.query(ctx, f.cycles)
}

func (f *Formula) cycles(q *Query) {
	c := &cycles{f: f, events: map[*item][]*event{}}
	for _, e := range f.events {
		c.events[e.item] = append(c.events[e.item], e)
	}
	c.makeUnits()
	on := make([]solver.Lit, len(c.units))
	for i := range on {
		on[i] = f.Fresh()
	}
	for i, u := range c.units {
		f.Clause(-on[i], u[0].lit)
		next := []solver.Lit{-on[i]}
		for j, v := range c.units {
			if i != j {
				f.poll()
				if e := c.related(u, v); !f.IsFalse(e) {
					next = append(next, f.And(on[j], e))
				}
			}
		}
		f.Clause(next...)
	}
	if len(on) > 0 {
		// The run is wanted whole, with all stores flushed at its end.
		q.add(target{lit: f.OrAll(on...), property: &program.Property{Kind: program.Exists, Cond: program.Const(1)}})
	}
}

// cycles is the relation po | rf | co | fr between units.
type cycles struct {
	f      *Formula
	events map[*item][]*event
	units  [][]member
}

// A member is an item that belongs to a unit if lit is true. The first member of
// a unit is what says that the unit is there.
type member struct {
	item *item
	lit  solver.Lit
}

// makeUnits makes a unit of every item that accesses memory outside of a locked
// section, and one of every section.
func (c *cycles) makeUnits() {
	f := c.f
	for _, it := range f.items {
		f.poll()
		if it.kind == lockItem {
			c.units = append(c.units, c.section(it))
			continue
		}
		if len(c.events[it]) == 0 || it.kind == snapshotItem {
			continue
		}
		free := it.guard
		if f.hasLock {
			for _, l := range f.items {
				if l.kind == lockItem && l.thread == it.thread && it.past.has(l.id) {
					free = f.And(free, -c.inside(l, it))
				}
			}
		}
		c.units = append(c.units, []member{{it, free}})
	}
}

func (c *cycles) section(lock *item) []member {
	unit := []member{{lock, lock.guard}}
	for _, it := range c.f.items {
		if it.thread == lock.thread && it.past.has(lock.id) && len(c.events[it]) > 0 {
			if in := c.inside(lock, it); !c.f.IsFalse(in) {
				unit = append(unit, member{it, in})
			}
		}
	}
	return unit
}

// inside is whether it, which is after the lock in program order, is executed
// within the lock's section.
func (c *cycles) inside(lock, it *item) solver.Lit {
	f := c.f
	in := f.And(lock.guard, it.guard)
	for _, u := range f.items {
		if u.kind == unlockItem && u.thread == lock.thread && u.past.has(lock.id) && it.past.has(u.id) {
			in = f.And(in, -u.guard)
		}
	}
	return in
}

// related is whether an event of u is before one of v.
func (c *cycles) related(u, v []member) solver.Lit {
	f := c.f
	any := f.False()
	for _, x := range u {
		for _, y := range v {
			lit := f.False()
			if x.item.thread == y.item.thread {
				lit = f.Constant(y.item.past.has(x.item.id))
			} else {
				for _, a := range c.events[x.item] {
					for _, b := range c.events[y.item] {
						lit = f.Or(lit, c.communicates(a, b))
					}
				}
			}
			any = f.Or(any, f.And(lit, f.And(x.lit, y.lit)))
		}
	}
	return any
}

// communicates is whether (a, b), of different threads, is in rf | co | fr.
func (c *cycles) communicates(a, b *event) solver.Lit {
	f := c.f
	if !mayAlias(a, b) || !a.write && !b.write {
		return f.False()
	}
	here := f.AndAll(a.guard, b.guard, f.sameAddress(a, b))
	switch {
	case a.write && b.write: // co
		return f.And(here, f.eventBefore(a, b))
	case a.write: // rf
		for _, src := range b.rf {
			if src.w == a {
				return f.And(b.guard, src.lit)
			}
		}
		return f.False()
	}
	later := f.False() // fr
	for _, src := range a.rf {
		switch {
		case src.w == nil:
			later = f.Or(later, src.lit)
		case src.w != b && !f.exclusive(src.w, b):
			later = f.Or(later, f.And(src.lit, f.eventBefore(src.w, b)))
		}
	}
	return f.And(here, later)
}
