package datarace

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Most accesses of most programs are ordered in every run by what can be read from the text: both are made by who holds a lock (the locksets of Eraser,
// Savage et al., TOCS 1997, for locks of which it is known that they are taken in turns), or one is made before the other's thread begins, or after it has been waited for.
// Those need no watching. What is found here holds of all paths of the unfolded control flow, whether they can be taken or not.

// An ordering is what is known at the nodes of the unfolded control flow of a thread.
type ordering struct {
	*unfolded
	joined []uint64 // threads that it has waited for, to their ends
	begun  []uint64 // threads that may have begun
}

// all is a set of everything, as at a state to which no way leads.
const all = ^uint64(0)

// most is how many locks, and how many threads, are told apart.
const most = 64

// orderings finds out what orders accesses; nil where there are too many threads.
func orderings(p *program.Program, r *program.Ranges) *orderer {
	if len(p.Threads) > most {
		return nil
	}
	o := &orderer{p: p, r: r, orders: make([]ordering, len(p.Threads)), stores: make([][]storing, len(r.Cells))}
	for ti, t := range p.Threads {
		o.orders[ti].unfolded = o.unfold(ti)
		for ei := range t.Edges {
			t.Edges[ei].Cmd.Accesses(func(c *program.Command) {
				if c.Op == program.Store {
					for _, i := range r.Access[c] {
						if o.may(ti, ei, c, i) {
							o.stores[i] = append(o.stores[i], storing{ti, ei, c})
						}
					}
				}
			})
		}
	}
	o.joins()
	o.starts()
	o.locks()
	return o
}

// A storing is a store that may be to a cell.
type storing struct {
	thread, edge int
	c            *program.Command
}

type orderer struct {
	p      *program.Program
	r      *program.Ranges
	orders []ordering
	stores [][]storing // by cell
	*locker
}

// joins finds out who has been waited for where. A thread that is waited for stores to a cell, which is 0 at first, when it has come to its end.
func (o *orderer) joins() {
	n := len(o.p.Threads)
	ends := map[int]int{}       // by cell that tells: whose end
	atEnd := make([]uint64, n)  // whom it has waited for by then
	lasts := make([][]int, n)   // by thread: the edges that store there
	silent := make([][]bool, n) // by thread: the states after which it accesses nothing
	for ti, t := range o.p.Threads {
		silent[ti] = o.silent(t)
	}
	for i := range o.r.Cells {
		cell := &o.r.Cells[i]
		if cell.Init != 0 || len(o.stores[i]) == 0 {
			continue
		}
		ti, good := o.stores[i][0].thread, true
		for _, s := range o.stores[i] {
			e := &o.p.Threads[s.thread].Edges[s.edge]
			good = good && s.thread == ti && s.c.Addr == program.Const(cell.Addr) && releases(s.c) && silent[ti][e.To] && last(&e.Cmd, s.c)
		}
		if !good {
			continue
		}
		ends[i] = ti
		for _, s := range o.stores[i] {
			lasts[ti] = append(lasts[ti], s.edge)
		}
	}
	waits := make([][][]program.Expr, n) // by thread and edge: the addresses of what it waits for there
	for ti, t := range o.p.Threads {
		waits[ti] = make([][]program.Expr, len(t.Edges))
		for ei := range t.Edges {
			cmd := &t.Edges[ei].Cmd
			cmd.Accesses(func(c *program.Command) {
				if c.Op == program.Load && o.waitsFor(ti, cmd, c.Addr, program.Ne) {
					waits[ti][ei] = append(waits[ti][ei], c.Addr)
				}
			})
		}
	}
	for changed := true; changed; { // each round is right if the one before it was
		changed = false
		for ti := range o.p.Threads {
			o.orders[ti].joined = o.orders[ti].flow(true, func(i int, set uint64) uint64 {
				s := &o.orders[ti].edges[i]
				for _, addr := range waits[ti][s.edge] {
					if v, known := s.known.eval(addr); known {
						if u, ok := ends[o.r.CellIndex(v)]; ok && u != ti {
							set |= 1<<u | atEnd[u]
						}
					}
				}
				return set
			})
		}
		for ti := range o.p.Threads {
			set := all
			for _, e := range lasts[ti] {
				for _, i := range o.orders[ti].of[e] {
					set &= o.orders[ti].joined[o.orders[ti].edges[i].from]
				}
			}
			if set != all && set != atEnd[ti] {
				atEnd[ti], changed = set, true
			}
		}
	}
}

// silent are the states of t after which it accesses nothing.
func (o *orderer) silent(t *program.Thread) []bool {
	silent := make([]bool, len(t.States))
	for q := range silent {
		silent[q] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range t.Edges {
			e := &t.Edges[i]
			accesses := !silent[e.To]
			e.Cmd.Accesses(func(*program.Command) { accesses = true })
			if accesses && silent[e.From] {
				silent[e.From], changed = false, true
			}
		}
	}
	return silent
}

// starts finds out which threads may have begun where. One that is unstarted begins when somebody has stored to its cell.
func (o *orderer) starts() {
	n := len(o.p.Threads)
	free := uint64(0) // threads that may begin at any time
	by := make([]uint64, n)
	makes := map[[2]int]uint64{}
	for ti, t := range o.p.Threads {
		cell := -1
		if t.States[t.Initial].Kind == program.Unstarted {
			cell = o.r.CellIndex(t.StartCell(t.Initial))
		}
		good := cell >= 0 && o.r.Cells[cell].Init == 0
		if good {
			for i := range t.Edges {
				if e := &t.Edges[i]; e.From == t.Initial {
					good = good && o.waitsFor(ti, &e.Cmd, program.Const(o.r.Cells[cell].Addr), program.Ne, cell)
				}
			}
			for _, s := range o.stores[cell] {
				good = good && releases(s.c) && last(&o.edgeOf(s).Cmd, s.c)
			}
		}
		if !good {
			free |= 1 << ti
			continue
		}
		for _, s := range o.stores[cell] {
			by[ti] |= 1 << s.thread
			makes[[2]int{s.thread, s.edge}] |= 1 << ti
		}
	}
	for ti := range o.p.Threads {
		made := o.orders[ti].flow(false, func(i int, set uint64) uint64 { return set | makes[[2]int{ti, o.orders[ti].edges[i].edge}] })
		for q := range made {
			// Who may have begun makes others; this thread has made those that it has.
			begun := made[q] | free
			for more := begun; more != 0; {
				more = 0
				for u := range n {
					if begun>>u&1 == 0 && by[u]&begun&^(1<<ti) != 0 {
						more |= 1 << u
					}
				}
				begun |= more
			}
			made[q] = begun
		}
		o.orders[ti].begun = made
	}
}

// between is whether accesses of threads t and u to one cell, of which this is known, are in an order in every run.
func between(t int, a where, u int, b where) bool {
	return a.held&b.held != 0 || a.joined>>u&1 != 0 || b.joined>>t&1 != 0 || a.begun>>u&1 == 0 || b.begun>>t&1 == 0
}

// A where is what is known of an access to a cell.
type where struct{ held, joined, begun uint64 }

// at is what is known of the access c of an edge to the cell i; nothing where o is nil.
func (o *orderer) at(thread, edge int, c *program.Command, i int) where {
	if o == nil {
		return where{begun: all}
	}
	w, x := where{all, all, 0}, &o.orders[thread]
	for _, k := range x.of[edge] {
		s := &x.edges[k]
		if v, known := o.resolve(thread, s, c); !known || v == o.r.Cells[i].Addr {
			w.held &= o.with(thread, s, c, i)
			w.joined &= x.joined[s.from]
			w.begun |= x.begun[s.from]
		}
	}
	return w
}

// may is whether the access c of an edge may be to the cell i.
func (o *orderer) may(thread, edge int, c *program.Command, i int) bool {
	x := &o.orders[thread]
	return slices.ContainsFunc(x.of[edge], func(k int) bool {
		v, known := o.resolve(thread, &x.edges[k], c)
		return !known || v == o.r.Cells[i].Addr
	})
}

// resolve is the address of an access of a step, where that is known.
func (o *orderer) resolve(thread int, s *step, c *program.Command) (int64, bool) {
	if changes(&o.p.Threads[thread].Edges[s.edge].Cmd, placeIn(&o.p.Threads[thread].Edges[s.edge].Cmd, c), c.Addr) {
		return 0, false
	}
	return s.known.eval(c.Addr)
}
