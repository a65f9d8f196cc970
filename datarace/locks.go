package datarace

import (
	"math/bits"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Locks may lie beside what they protect, in objects and in arrays whose elements are reached by a pointer or an index that is not known. Who takes the lock
// of such an element holds it as long as the register stays as it is; and an access by the same register to a cell of one element is made
// with the lock of that element. So which locks are held is asked of an access to a cell, not of a place in the program.

// A form is an address as a thread computes it: something that registers give, times a scale, and an offset; or the offset alone where that is nil.
type form struct {
	of            program.Expr
	scale, offset int64
}

// formOf is the form of an address.
func formOf(e program.Expr) form {
	switch e := e.(type) {
	case program.Const:
		return form{offset: int64(e)}
	case program.Binary:
		x, y := formOf(e.X), formOf(e.Y)
		switch {
		case e.Op == program.Add && y.of == nil:
			return form{x.of, x.scale, x.offset + y.offset}
		case e.Op == program.Add && x.of == nil:
			return form{y.of, y.scale, x.offset + y.offset}
		case e.Op == program.Sub && y.of == nil:
			return form{x.of, x.scale, x.offset - y.offset}
		case e.Op == program.Mul && y.of == nil:
			return form{x.of, x.scale * y.offset, x.offset * y.offset}
		case e.Op == program.Mul && x.of == nil:
			return form{y.of, y.scale * x.offset, y.offset * x.offset}
		}
	}
	return form{of: e, scale: 1}
}

// address is the form of the address of an access: a constant wherever its values are one.
func (o *orderer) address(c *program.Command) form {
	if few, ok := o.r.Address[c].Few(); ok && len(few) == 1 {
		return form{offset: few[0]}
	}
	return formOf(c.Addr)
}

// solve is what is scaled in f where the address is addr; false where that may be several values.
func (o *orderer) solve(thread int, f form, addr int64) (int64, bool) {
	d := addr - f.offset
	if f.scale == 1 {
		return d, true
	}
	const far = 1 << 30 // so that nothing wraps around
	if s := o.r.Value(thread, f.of); f.scale < 2 || f.scale > far || s.Empty() || s.Min() < -far || s.Max() > far || d%f.scale != 0 {
		return 0, false
	}
	return d / f.scale, true
}

// changes is whether a command, or the first n of its body, writes a register that e reads.
func changes(c *program.Command, n int, e program.Expr) bool {
	changed := false
	program.Walk(e, func(x program.Expr) {
		if r, ok := x.(program.Reg); ok {
			for i, b := range bodyOf(c) {
				if i < n {
					b.Writes(func(w int) { changed = changed || w == int(r) })
				}
			}
		}
	})
	return changed
}

// A test is a comparison with a constant that an atomic step makes of what it has loaded from an address, and goes on only where it holds.
type test struct {
	op              program.BinaryOp
	constant        int64
	acquires, whole bool // whole: what has been loaded is all that is there
}

// tests calls f for the tests of the cell at addr that c makes before the command with the number before of its body, and not after it has stored
// anything there.
func (o *orderer) tests(thread int, c *program.Command, addr program.Expr, before int, cells []int, f func(test)) {
	if c.Op != program.Atomic || changes(c, len(c.Body), addr) {
		return
	}
	loaded, wholes := map[int]*program.Command{}, map[int]bool{} // by register
	var conditions func(e program.Expr)
	conditions = func(e program.Expr) {
		b, ok := e.(program.Binary)
		if !ok {
			return
		}
		if b.Op == program.LogicalAnd {
			conditions(b.X)
			conditions(b.Y)
			return
		}
		r, isReg := b.X.(program.Reg)
		k, isConst := b.Y.(program.Const)
		if l := loaded[int(r)]; isReg && isConst && l != nil {
			f(test{b.Op, int64(k), acquires(l), wholes[int(r)]})
		}
	}
	stored := false
	for i := range min(before, len(c.Body)) {
		b := &c.Body[i]
		b.Writes(func(r int) { delete(loaded, r) })
		switch b.Op {
		case program.Load:
			if b.Addr == addr && !stored {
				loaded[b.Reg], wholes[b.Reg] = b, true
				for _, i := range cells {
					wholes[b.Reg] = wholes[b.Reg] && o.r.Cells[i].Type.Fits(o.p.Threads[thread].Regs[b.Reg].Type)
				}
			}
		case program.Store:
			stored = true
		case program.Check, program.Assert:
			if b.Kind != program.Bound {
				conditions(b.Value)
			}
		}
	}
}

// waitsFor is true of a step that loads from a cell at addr, acquires, and goes on only where that is op 0.
func (o *orderer) waitsFor(thread int, c *program.Command, addr program.Expr, op program.BinaryOp, cells ...int) bool {
	found := false
	o.tests(thread, c, addr, len(c.Body), cells, func(t test) {
		found = found || t.acquires && t.op == op && t.constant == 0 && (t.whole || op == program.Ne)
	})
	return found
}

// A locker finds the locks.
type locker struct {
	*orderer
	takes map[*program.Command]bool // the stores that take a lock, wherever that is
	// By thread: the forms of the addresses of those, which cells they may be of, and which of them are of locks that it holds, by control state.
	forms [][]form
	cells [][]map[int]bool
	held  [][]uint64
	valid map[int]bool // cells that are locks
	// By cell, the numbers of the locks that its accesses are made with.
	numbers []map[int]int
}

// locks finds the cells that are locks, and who holds them where. A lock is 0 at first; who takes it waits for that, and stores another number in the same step;
// and only who holds it stores 0 there, and releases. So of those that hold it there is never more than one, and each acquires what the last one has released.
// Others may store other numbers: if nobody holds it, nobody will any more. While nobody else is there who takes it, a thread may store what it wants.
func (o *orderer) locks() {
	l := &locker{orderer: o, takes: map[*program.Command]bool{}, valid: map[int]bool{}, numbers: make([]map[int]int, len(o.r.Cells))}
	o.locker = l
	for ti, t := range o.p.Threads {
		l.forms, l.cells = append(l.forms, nil), append(l.cells, nil)
		u := o.orders[ti].unfolded
		taken, lost := make([]uint64, len(u.edges)), make([]uint64, len(u.edges))
		for ei := range t.Edges {
			e := &t.Edges[ei]
			e.Cmd.Accesses(func(c *program.Command) {
				if c.Op == program.Store && l.isTake(ti, &e.Cmd, c) {
					l.takes[c] = true
					for _, i := range u.of[ei] {
						taken[i] |= l.form(ti, &u.edges[i], c)
					}
				}
			})
		}
		if len(l.forms[ti]) == 0 {
			l.held = append(l.held, make([]uint64, len(u.out)))
			continue
		}
		for i := range u.edges {
			lost[i] = l.lost(ti, &u.edges[i])
			taken[i] |= l.finds(ti, &u.edges[i])
		}
		l.held = append(l.held, u.flow(true, func(i int, set uint64) uint64 { return (set | taken[i]) &^ lost[i] }))
	}
	for i := range o.r.Cells {
		if o.r.Cells[i].Init == 0 && l.isLock(i) {
			l.valid[i] = true
		}
	}
}

// isTake is whether the store c in a step takes what it stores to, if that is a lock.
func (l *locker) isTake(thread int, step, c *program.Command) bool {
	k, constant := c.Value.(program.Const)
	cells := l.r.Access[c]
	if !constant || len(cells) == 0 {
		return false
	}
	for _, i := range cells {
		if l.r.Cells[i].Type.Wrap(int64(k)) == 0 {
			return false
		}
	}
	return l.waitsFor(thread, step, c.Addr, program.Eq, cells...)
}

// form is the bits of the forms of the address of a store that takes a lock.
func (l *locker) form(thread int, s *step, c *program.Command) (set uint64) {
	add := func(f form, cells ...int) {
		k := slices.Index(l.forms[thread], f)
		if k < 0 {
			if k = len(l.forms[thread]); k == most {
				return
			}
			l.forms[thread] = append(l.forms[thread], f)
			l.cells[thread] = append(l.cells[thread], map[int]bool{})
		}
		for _, i := range cells {
			l.cells[thread][k][i] = true
		}
		set |= 1 << k
	}
	f := l.address(c)
	add(f, l.r.Access[c]...)
	if v, known := l.resolve(thread, s, c); known && f.of != nil {
		if i := l.r.CellIndex(v); i >= 0 {
			add(form{offset: v}, i)
		}
	}
	return set
}

// finds are the forms of locks that a thread finds in a step to be its own: they have a number that only its taking stores. So it is with
// recursive mutexes.
func (l *locker) finds(thread int, s *step) (set uint64) {
	cmd := &l.p.Threads[thread].Edges[s.edge].Cmd
	for i := range cmd.Body {
		c := &cmd.Body[i]
		addr, known := l.resolve(thread, s, c)
		if c.Op != program.Load || !known {
			continue
		}
		cell, form := l.r.CellIndex(addr), slices.Index(l.forms[thread], form{offset: addr})
		if cell < 0 || form < 0 {
			continue
		}
		l.tests(thread, cmd, c.Addr, len(cmd.Body), []int{cell}, func(t test) {
			if t.op == program.Eq && t.whole && t.constant != 0 && l.only(cell, thread, t.constant, 0) {
				set |= 1 << form
			}
		})
	}
	return set
}

// lost are the forms of which a thread does not know after a step that it holds the lock: it may have given it back, or the register is another.
func (l *locker) lost(thread int, s *step) (lost uint64) {
	cmd := &l.p.Threads[thread].Edges[s.edge].Cmd
	for k, f := range l.forms[thread] {
		if f.of != nil && changes(cmd, max(1, len(cmd.Body)), f.of) {
			lost |= 1 << k
		}
	}
	cmd.Accesses(func(c *program.Command) {
		if v, constant := c.Value.(program.Const); c.Op != program.Store || l.takes[c] || constant && l.stays(c, v) {
			return
		}
		g := formOf(c.Addr)
		addr, known := l.resolve(thread, s, c)
		for k, f := range l.forms[thread] {
			if f.of != nil && f.of == g.of && f.scale == g.scale && f.offset != g.offset && lost>>k&1 == 0 {
				continue // of the same object, and another member
			}
			for _, i := range l.r.Access[c] {
				if l.cells[thread][k][i] && (!known || l.r.Cells[i].Addr == addr) {
					lost |= 1 << k
				}
			}
		}
	})
	return lost
}

// stays is whether a store of v lets a lock be taken that is: it is not 0.
func (l *locker) stays(c *program.Command, v program.Const) bool {
	for _, i := range l.r.Access[c] {
		if l.r.Cells[i].Type.Wrap(int64(v)) == 0 {
			return false
		}
	}
	return true
}

// isLock is whether a cell, which is 0 at first, is a lock.
func (l *locker) isLock(i int) bool {
	takers := uint64(0)
	for _, s := range l.stores[i] {
		if l.takes[s.c] {
			takers |= 1 << s.thread
		}
	}
	once := map[[2]int]bool{}
	for _, s := range l.stores[i] {
		at := [2]int{s.thread, s.edge}
		if takers == 0 || once[at] {
			return false
		}
		once[at] = true
		k, constant := s.c.Value.(program.Const)
		switch {
		case l.takes[s.c]:
		case l.alone(s, takers):
		case !constant:
			return false
		case l.r.Cells[i].Type.Wrap(int64(k)) != 0:
		case !releases(s.c) || !l.givesBack(i, s, takers):
			return false
		}
	}
	return takers != 0
}

// alone is whether a store is made while no other thread is there that takes the lock.
func (l *locker) alone(s storing, takers uint64) bool {
	o := &l.orders[s.thread]
	for _, i := range o.of[s.edge] {
		if n := o.edges[i].from; takers&^(1<<s.thread)&o.begun[n]&^o.joined[n] != 0 {
			return false
		}
	}
	return true
}

// givesBack is whether who stores 0 to the cell i holds the lock that it is: it has taken it on all ways, or it looks whether there is a number that
// only its taking has stored.
func (l *locker) givesBack(i int, s storing, takers uint64) bool {
	e := l.edgeOf(s)
	if !last(&e.Cmd, s.c) {
		return false
	}
	found := false
	l.tests(s.thread, &e.Cmd, s.c.Addr, placeIn(&e.Cmd, s.c), []int{i}, func(t test) {
		found = found || t.op == program.Eq && t.whole && t.constant != 0 && l.only(i, s.thread, t.constant, takers)
	})
	return found || l.hasTaken(i, s)
}

// hasTaken is whether a thread holds what it stores to, if that is i.
func (l *locker) hasTaken(i int, s storing) bool {
	f := l.address(s.c)
	ok := !changes(&l.edgeOf(s).Cmd, placeIn(&l.edgeOf(s).Cmd, s.c), s.c.Addr)
	o := &l.orders[s.thread]
	for _, k := range o.of[s.edge] {
		x := &o.edges[k]
		v, known := l.resolve(s.thread, x, s.c)
		if known && v != l.r.Cells[i].Addr {
			continue
		}
		holds := false
		for b, g := range l.forms[s.thread] {
			if ok && f == g || g.of == nil && known && g.offset == v {
				holds = holds || l.held[s.thread][x.from]>>b&1 != 0
			}
		}
		if !holds {
			return false
		}
	}
	return true
}

// only is whether nobody but a thread that takes the lock i, or is alone where there are takers, stores k there.
func (l *locker) only(i, thread int, k int64, takers uint64) bool {
	for _, s := range l.stores[i] {
		v, constant := s.c.Value.(program.Const)
		if constant && l.r.Cells[i].Type.Wrap(int64(v)) != k || s.thread == thread && (l.takes[s.c] || takers != 0 && l.alone(s, takers)) {
			continue
		}
		return false
	}
	return true
}

func (o *orderer) edgeOf(s storing) *program.Edge { return &o.p.Threads[s.thread].Edges[s.edge] }

// placeIn is the number of an access in the body of a step.
func placeIn(step, c *program.Command) int {
	if step == c {
		return 0
	}
	for i := range step.Body {
		if &step.Body[i] == c {
			return i
		}
	}
	return -1
}

// last is whether no access comes after c in its step, so that what a store releases is all of it.
func last(step, c *program.Command) bool {
	var end *program.Command
	step.Accesses(func(a *program.Command) { end = a })
	return end == c
}

// with are the locks that a thread holds when it accesses the cell i by c, which a step does.
func (l *locker) with(thread int, s *step, c *program.Command, i int) (set uint64) {
	cmd := &l.p.Threads[thread].Edges[s.edge].Cmd
	held := l.held[thread][s.from]
	if len(l.forms[thread]) < most {
		held &= 1<<len(l.forms[thread]) - 1
	}
	for ; held != 0; held &= held - 1 {
		f := l.forms[thread][bits.TrailingZeros64(held)]
		addr := f.offset
		if f.of != nil {
			g := formOf(c.Addr)
			if g.of != f.of || changes(cmd, placeIn(cmd, c), f.of) {
				continue
			}
			v, ok := l.solve(thread, g, l.r.Cells[i].Addr)
			if !ok {
				continue
			}
			addr += f.scale * v
		}
		lock := l.r.CellIndex(addr)
		if lock < 0 || !l.valid[lock] {
			continue
		}
		if l.numbers[i] == nil {
			l.numbers[i] = map[int]int{}
		}
		k, ok := l.numbers[i][lock]
		if !ok {
			if k = len(l.numbers[i]); k == most {
				continue
			}
			l.numbers[i][lock] = k
		}
		set |= 1 << k
	}
	return set
}
