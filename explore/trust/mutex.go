package trust

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A mutex is a cell that is 0 at first, is taken by a read-modify-write that waits for 0, and is given back by a store of 0 of who
// has taken it; nobody else looks at it. The models keep read-modify-writes whole and each cell coherent, so who takes it reads what it was
// given back with last, and reads-from puts all its events in one order (the mutex library of Kokologiannakis, Raad and Vafeiadis, "Model
// checking for weakly consistent libraries", PLDI 2019, section 3). A thread that comes to a mutex which is taken has no event: it
// stands there until the mutex is given back. So there are no graphs in which a thread has read in vain that it is taken, and where
// it is never given back the graph ends, with the thread where it stands.
//
// That another order is possible is found when a thread is about to take the mutex, or stands before it and nobody can go on: somebody else
// who has taken it is driven out. The read e by which that was done goes, and what was added after it, but for what is before the
// thread in program order and reads-from; the thread takes the mutex from where e had it, and the one that e was of does so later.
//
// As where a read is changed, all that goes has to be what is added in any case (maximal, in visit.go), so that of the graphs which a graph
// could come of there is one that it does come of: the one in which all that it lacks is added by going on, until the thread is about to take the mutex, or
// nobody can go on. To take a mutex that is free is what is done in any case. To drive out somebody is not, so who has done that is
// never driven out, as a write is not taken back that an older read was changed to read from: there is a graph with the one that was driven out
// in that place. Nothing that stays ever depends on what goes, since of a mutex what comes before an event is before it in program order and
// reads-from. All this is held against brute force, and against an exploration to which a mutex is a cell (mutex_test.go).

// findMutexes finds them, and the edges by which they are taken.
func (x *explorer) findMutexes() {
	if x.opts.mutexesAsCells || x.opts.AnyCoherence || x.opts.Alike || x.weak != nil || x.blocks || x.exclusives ||
		x.opts.Model != memory.RC11 && x.opts.Model != memory.RA && !x.def.Excludes() {
		return
	}
	x.mutex = make([]bool, len(x.ranges.Cells))
	x.takes = make([][]bool, len(x.threads))
	any := false
	for ti, t := range x.p.Threads {
		x.takes[ti] = make([]bool, len(t.Edges))
		for q, out := range t.Out() {
			if len(out) != 1 || !x.ranges.Reachable[ti][q] {
				continue
			}
			if cell := x.taken(&t.Edges[out[0]].Cmd); cell >= 0 {
				x.takes[ti][out[0]], x.mutex[cell], any = true, true, true
			}
		}
	}
	for cell := range x.mutex {
		for ti := range x.p.Threads {
			x.mutex[cell] = x.mutex[cell] && x.disciplined(ti, cell)
		}
	}
	if !any {
		x.mutex = nil
	}
}

// taken is the cell that a command waits for to be 0, and stores something else to; -1 where it is another command.
func (x *explorer) taken(c *program.Command) int {
	if c.Op != program.Atomic || len(c.Body) < 3 {
		return -1
	}
	load, check, store := &c.Body[0], &c.Body[1], &c.Body[2]
	k, constant := store.Value.(program.Const)
	if load.Op != program.Load || check.Op != program.Check || store.Op != program.Store || !constant {
		return -1
	}
	if b, ok := check.Value.(program.Binary); !ok || b.Op != program.Eq || b.X != program.Expr(program.Reg(load.Reg)) || b.Y != program.Expr(program.Const(0)) {
		return -1
	}
	from, to := x.ranges.Access[load], x.ranges.Access[store]
	if len(from) != 1 || len(to) != 1 || from[0] != to[0] {
		return -1
	}
	if cell := &x.ranges.Cells[to[0]]; cell.Init != 0 || cell.Type.Wrap(int64(k)) == 0 {
		return -1
	}
	for i := range c.Body[3:] {
		if c.Body[3+i].Op != program.Assign {
			return -1
		}
	}
	return to[0]
}

// disciplined is whether all that a thread does with a cell is to take it and, while it has it, to look at it and to give it back.
func (x *explorer) disciplined(thread, cell int) bool {
	t := x.p.Threads[thread]
	out := t.Out()
	const unknown, free, held = 0, 1, 2
	at := make([]uint8, len(t.States)) // whether the thread has it there
	at[t.Initial] = free
	work := []program.StateID{t.Initial}
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range out[q] {
			now := at[q]
			switch loads, gives := x.uses(&t.Edges[e].Cmd, cell); {
			case x.takes[thread][e] && loads:
				if now == held {
					continue // it waits for itself
				}
				now = held
			case !loads && gives == 0:
			case now != held || gives < 0:
				return false
			case gives > 0:
				now = free
			}
			switch to := t.Edges[e].To; at[to] {
			case unknown:
				at[to] = now
				work = append(work, to)
			case now:
			default:
				return false // ways meet that have not done the same
			}
		}
	}
	return true
}

// uses is whether a command loads from the cell, and how often it stores 0 there; -1 where it may do anything else with it.
func (x *explorer) uses(c *program.Command, cell int) (loads bool, gives int) {
	c.Accesses(func(a *program.Command) {
		cells := x.ranges.Access[a]
		switch {
		case !slices.Contains(cells, cell):
		case len(cells) > 1:
			gives = -1
		case a.Op == program.Load:
			loads = true
		case a.Op == program.Store && a.Value == program.Expr(program.Const(0)) && gives == 0:
			gives = 1
		default:
			gives = -1
		}
	})
	return loads, gives
}

// waiting is in the place of a thread where some stand before a mutex that is taken, and nobody else goes on.
const waiting int32 = -3

// locks is whether a thread that stops there is about to take a mutex.
func (x *explorer) locks(t int32, stop *threads.Stop) bool {
	return x.mutex != nil && stop.Kind == threads.Load && stop.Cell >= 0 && x.mutex[stop.Cell] && x.takes[t][stop.Edge]
}

// free is whether nobody has the mutex.
func (g *graph) free(cell int32) bool {
	co := g.co[cell]
	return g.events[co[len(co)-1]].value == 0
}

// lock lets a thread take a mutex that is free, or before others that have taken it.
func (x *explorer) lock(t int32, stop *threads.Stop) {
	g := x.g
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	a := x.add(t, read, stop)
	if co := g.co[stop.Cell]; g.free(stop.Cell) {
		g.readFrom(a, co[len(co)-1])
		x.holds(a)
		g.unread(a)
		x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
	}
	c := clock(x.clocks.take(len(g.threads)))
	clear(c)
	if i := g.events[a].index; i > 0 {
		copy(c, g.events[g.threads[t][i-1]].clock)
	}
	c[t] = g.events[a].index + 1
	g.events[a].clock = c
	for e := a - 1; e >= int32(len(g.co)) && !x.halted(); e-- {
		ev := &g.events[e]
		if c.has(ev) {
			continue
		}
		if !x.maximal(e, a) {
			break
		}
		if ev.kind == read && ev.cell == stop.Cell && ev.value == 0 { // who gives it back has read something else
			x.driveOut(e, a)
		}
	}
	g.drop()
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
}

// holds visits the graph in which a has taken a mutex.
func (x *explorer) holds(a int32) {
	x.settle(a)
	x.check.added(x.g, a)
	if !x.check.holds(x.g, a, none) {
		x.wasted(true)
	} else if !x.race(a) {
		x.child()
	}
}

// driveOut lets a take the mutex that e has taken from where that has it. e goes, and what was added after it, except for what is before a.
func (x *explorer) driveOut(e, a int32) {
	if x.counted() {
		x.revisits++
	}
	old := x.g
	points, regs, clocks, seen := x.points.at, x.regs.at, x.clocks.at, x.seen.at
	w, before := old.events[e].rf, old.events[a].clock
	g := x.remaining(func(o int32, ev *event) bool { return o < e || before.has(ev) }, none)
	a = x.renamed[a]
	x.g = g
	g.events[a].ahead = true
	g.readFrom(a, w)
	x.holds(a)
	x.g = old
	x.copies.put(g)
	x.points.at, x.regs.at, x.clocks.at, x.seen.at = points, regs, clocks, seen
}

// standing visits the graph as it is, in which nobody goes on, and what comes of it where one that stands before a mutex takes it first.
func (x *explorer) standing() {
	x.ending = true
	x.child()
	x.ending = false
	for t := int32(0); int(t) < len(x.threads) && !x.halted(); t++ {
		if stop := &x.at(t).stop; x.locks(t, stop) {
			x.lock(t, stop)
		}
	}
}
