package datarace

import (
	"github.com/fencepost-verifier/fencepost/program"
)

// Most accesses of most programs are ordered in every run by what can be read from the text: both are made by who holds a lock (the locksets of Eraser,
// Savage et al., TOCS 1997, for locks of which it is known that they are taken in turns), or one is made before the other's thread begins, or after it has been waited for.
// Those need no watching. What is found here holds of all paths of the control flow, whether they can be taken or not.

// An ordering is what is known at the control states of a thread.
type ordering struct {
	held   []uint64 // locks that the thread holds there
	joined []uint64 // threads that it has waited for, to their ends
	begun  []uint64 // threads that may have begun
}

// all is a set of everything, as at a state to which no way leads.
const all = ^uint64(0)

// most is how many locks, and how many threads, are told apart.
const most = 64

// orderings finds out what orders accesses; nil where there are too many threads.
func orderings(p *program.Program, r *program.Ranges) []ordering {
	if len(p.Threads) > most {
		return nil
	}
	o := &orderer{p: p, r: r, orders: make([]ordering, len(p.Threads)), stores: make([][]storing, len(r.Cells))}
	for ti, t := range p.Threads {
		for ei := range t.Edges {
			t.Edges[ei].Cmd.Accesses(func(c *program.Command) {
				if c.Op == program.Store {
					for _, i := range r.Access[c] {
						o.stores[i] = append(o.stores[i], storing{ti, ei, c})
					}
				}
			})
		}
	}
	o.locks()
	o.joins()
	o.starts()
	return o.orders
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
}

// flow goes through the control flow of t. What holds at a state is what holds after all edges, or after some, that lead there.
func flow(t *program.Thread, initial uint64, must bool, after func(edge int, set uint64) uint64) []uint64 {
	at := make([]uint64, len(t.States))
	for q := range at {
		if must {
			at[q] = all
		}
	}
	at[t.Initial] = initial
	out := t.Out()
	work, seen := []program.StateID{t.Initial}, make([]bool, len(t.States))
	seen[t.Initial] = true
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			to, set := t.Edges[i].To, after(i, at[q])
			if must {
				set &= at[to]
			} else {
				set |= at[to]
			}
			if set != at[to] || !seen[to] {
				at[to], seen[to] = set, true
				work = append(work, to)
			}
		}
	}
	return at
}

// waitsFor is true of a step that loads from the cell at addr, acquires, and goes on only where that is op 0.
func waitsFor(c *program.Command, addr int64, op program.BinaryOp) bool {
	if c.Op != program.Atomic {
		return false
	}
	reg := -1
	for i := range c.Body {
		switch b := &c.Body[i]; b.Op {
		case program.Load:
			if reg == b.Reg {
				return false
			}
			if b.Addr == program.Const(addr) && reg < 0 && acquires(b) {
				reg = b.Reg
			}
		case program.Assign:
			if b.Reg == reg {
				return false
			}
		case program.Check, program.Assert:
			if reg >= 0 && b.Kind != program.Bound && b.Value == (program.Binary{Op: op, X: program.Reg(reg), Y: program.Const(0)}) {
				return true
			}
		case program.Store:
			if reg < 0 {
				return false
			}
		}
	}
	return false
}

// locks finds the cells that are locks, and who holds them where. A lock is 0 at first; who takes it waits for that, and stores another number in the same step;
// and only who holds it stores 0 there, and releases. So of those that hold it there is never more than one, and each acquires what the last one has released.
func (o *orderer) locks() {
	var candidates []int
	takes := map[[2]int]uint64{} // by thread and edge
	gives := map[[2]int]uint64{}
	for i := range o.r.Cells {
		cell := &o.r.Cells[i]
		if cell.Init != 0 || len(o.stores[i]) == 0 || len(candidates) == most {
			continue
		}
		bit, good := uint64(1)<<len(candidates), true
		once := map[[2]int]bool{}
		for _, s := range o.stores[i] {
			k, constant := s.c.Value.(program.Const)
			at := [2]int{s.thread, s.edge}
			if !constant || s.c.Addr != program.Const(cell.Addr) || once[at] || k == 0 && !releases(s.c) ||
				k != 0 && (cell.Type.Wrap(int64(k)) == 0 || !waitsFor(&o.p.Threads[s.thread].Edges[s.edge].Cmd, cell.Addr, program.Eq)) {
				good = false
				break
			}
			once[at] = true
		}
		if !good {
			continue
		}
		for _, s := range o.stores[i] {
			at := [2]int{s.thread, s.edge}
			if s.c.Value == program.Const(0) {
				gives[at] |= bit
			} else {
				takes[at] |= bit
			}
		}
		candidates = append(candidates, i)
	}
	locks := all
	for ti, t := range o.p.Threads {
		o.orders[ti].held = flow(t, 0, true, func(e int, set uint64) uint64 {
			at := [2]int{ti, e}
			return (set | takes[at]) &^ gives[at]
		})
	}
	for at, set := range gives { // who gives one back holds it
		locks &^= set &^ o.orders[at[0]].held[o.p.Threads[at[0]].Edges[at[1]].From]
	}
	for ti := range o.orders {
		for q := range o.orders[ti].held {
			o.orders[ti].held[q] &= locks
		}
	}
}

// joins finds out who has been waited for where. A thread that is waited for stores to a cell, which is 0 at first, when it has come to its end.
func (o *orderer) joins() {
	n := len(o.p.Threads)
	ends := make([][]int64, n)  // by thread: the cells that tell
	atEnd := make([]uint64, n)  // whom it has waited for by then
	last := make([][]int, n)    // by thread: the edges that store there
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
			body := bodyOf(&e.Cmd)
			good = good && s.thread == ti && s.c.Addr == program.Const(cell.Addr) && releases(s.c) && silent[ti][e.To] &&
				&body[len(body)-1] == s.c // what is accessed in the same step comes before it
		}
		if !good {
			continue
		}
		ends[ti] = append(ends[ti], cell.Addr)
		for _, s := range o.stores[i] {
			last[ti] = append(last[ti], s.edge)
		}
	}
	for changed := true; changed; { // each round is right if the one before it was
		changed = false
		for ti, t := range o.p.Threads {
			o.orders[ti].joined = flow(t, 0, true, func(e int, set uint64) uint64 {
				for u := range n {
					for _, a := range ends[u] {
						if u != ti && waitsFor(&t.Edges[e].Cmd, a, program.Ne) {
							set |= 1<<u | atEnd[u]
						}
					}
				}
				return set
			})
		}
		for ti, t := range o.p.Threads {
			set := all
			for _, e := range last[ti] {
				set &= o.orders[ti].joined[t.Edges[e].From]
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
					good = good && waitsFor(&e.Cmd, o.r.Cells[cell].Addr, program.Ne)
				}
			}
			for _, s := range o.stores[cell] {
				good = good && releases(s.c)
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
	for ti, t := range o.p.Threads {
		made := flow(t, 0, false, func(e int, set uint64) uint64 { return set | makes[[2]int{ti, e}] })
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

// between is whether accesses of threads t and u at states with what is known of them are in an order in every run.
func between(t int, a where, u int, b where) bool {
	return a.held&b.held != 0 || a.joined>>u&1 != 0 || b.joined>>t&1 != 0 || a.begun>>u&1 == 0 || b.begun>>t&1 == 0
}

// A where is what is known at the state where an access is made.
type where struct{ held, joined, begun uint64 }

// at is what is known at a state; nothing where o has been found out of nobody.
func at(o []ordering, thread int, q program.StateID) where {
	if o == nil {
		return where{begun: all}
	}
	return where{o[thread].held[q], o[thread].joined[q], o[thread].begun[q]}
}
