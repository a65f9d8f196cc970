package graphs

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A lock in memory, as the kernel's C has it, is a cell that is 0 at first, is taken by a
// read-modify-write that finds 0, and given back by a store of 0 of who has taken it. Under a
// model that keeps read-modify-writes whole and each location coherent, those who take it and
// those who give it back take turns in coherence order: before somebody takes it, it has been
// given back as often as it was taken. Of a part of an execution that is known before the reads
// that guess have found their writes: what other threads add to the order comes in pairs, first
// taken and then given back, so that who takes it too early stays so.
//
// For each read that takes it reads 0 from the write right before its own, which is the initial
// one or gives it back. Let somebody take it for the first time while it is taken. The write right
// before gives it back, and before that it was taken twice; that was no first time.

// mutexes is which cells are such locks.
func (x *enumeration) mutexes() []bool {
	locks := make([]bool, len(x.cells))
	takes := false
	for k := range x.threads {
		for e := range x.threads[k].Edges {
			takes = takes || x.takes(&x.threads[k].Edges[e].Cmd) >= 0
		}
	}
	if !takes || !x.def.Excludes() {
		return locks
	}
	for i, c := range x.cells {
		locks[i] = c.Init == 0
	}
	taken := make([]bool, len(locks))
	for k := range x.threads {
		x.usesOf(&x.threads[k], locks, taken)
	}
	for i := range locks {
		locks[i] = locks[i] && taken[i]
	}
	return locks
}

// usesOf strikes out the cells that a thread uses in another way, and notes which it takes.
func (x *enumeration) usesOf(t *thread, locks, taken []bool) {
	held := make([]map[int]bool, len(t.States)) // by state: the locks, once it is known
	held[t.Initial] = map[int]bool{}
	work := []program.StateID{t.Initial}
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range t.out[q] {
			now := map[int]bool{}
			for c := range held[q] {
				now[c] = true
			}
			x.use(&t.Edges[e].Cmd, now, locks, taken)
			to := t.Edges[e].To
			if held[to] == nil {
				held[to] = now
				work = append(work, to)
				continue
			}
			for c := range locks { // ways meet that have not done the same
				if held[to][c] != now[c] {
					locks[c] = false
				}
			}
		}
	}
}

// use is what a command does to the locks that are held.
func (x *enumeration) use(c *program.Command, held map[int]bool, locks, taken []bool) {
	if cell := x.takes(c); cell >= 0 {
		if held[cell] {
			locks[cell] = false
		}
		held[cell], taken[cell] = true, true
		return
	}
	c.Accesses(func(a *program.Command) {
		if a.Op != program.Store {
			return
		}
		cells := x.ranges.Access[a] // which are there: something takes a lock
		if len(cells) == 1 && c.Op == program.Store && a.Value == program.Expr(program.Const(0)) && held[cells[0]] {
			delete(held, cells[0])
			return
		}
		for _, i := range cells {
			locks[i] = false
		}
	})
}

// takes is the cell that a command takes: an atomic block that reads it, goes on where it is 0,
// and stores something else; -1 where it is another command.
func (x *enumeration) takes(c *program.Command) int {
	if c.Op != program.Atomic || len(c.Body) != 3 {
		return -1
	}
	load, check, store := &c.Body[0], &c.Body[1], &c.Body[2]
	k, constant := store.Value.(program.Const)
	if load.Op != program.Load || check.Op != program.Check || store.Op != program.Store || !constant || k == 0 {
		return -1
	}
	if b, ok := check.Value.(program.Binary); !ok || b.Op != program.Eq || b.X != program.Expr(program.Reg(load.Reg)) || b.Y != program.Expr(program.Const(0)) {
		return -1
	}
	r, err := x.analysed()
	if err != nil {
		return -1 // and there are no locks
	}
	from, to := r.Access[load], r.Access[store]
	if len(from) != 1 || len(to) != 1 || from[0] != to[0] || x.cells[to[0]].Type.Wrap(int64(k)) == 0 {
		return -1
	}
	return to[0]
}

// takenTwice is whether somebody takes a lock that is taken, in the order of the writes to it. That
// who takes it in the running thread gives it back is yet to come: it may be anywhere after.
func takenTwice(g *memory.Graph, order []int, running int) bool {
	last := -1
	for _, w := range order {
		if g.Events[w].Thread == running {
			last = max(last, w)
		}
	}
	held := 0
	for _, w := range order[1:] {
		switch {
		case g.Events[w].Value == 0:
			held--
		case held > 0:
			return true
		case w != last:
			held++
		}
	}
	return false
}
