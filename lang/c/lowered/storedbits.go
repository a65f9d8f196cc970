package lowered

import (
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Which bits of a cell have been stored to is followed along each thread, for the cells of which bit-fields are stored to, for the registers
// that load all of one, and for the cells that these are stored to. A load of one of several cells has what has been stored to any of them. What other threads store to a cell counts as stored, but for what they copy
// there of bits to which nothing has been stored: these never are, wherever they may be read.

// A partOfCell is what is known of a cell, or of a register: the bits that have been stored to on all ways, and whether something has been on one of them.
type partOfCell struct {
	stored  uint64
	touched bool
}

const allBits = ^uint64(0)

// meet is what is known where ways come together.
func (c partOfCell) meet(d partOfCell) partOfCell {
	return partOfCell{c.stored & d.stored, c.touched || d.touched}
}

// storedBits are the cells and registers of a program of which that is followed.
type storedBits struct {
	u     *Unit
	p     *program.Program
	r     *program.Ranges
	index map[int]int   // by cell: where it is in a state
	regs  []map[int]int // by thread and register: where that is
	first []partOfCell  // of the cells, when the threads begin
	enter [][]partOfCell
	lost  [][]uint64 // by thread: the bits of cells to which others may copy what nothing has been stored to
}

// storedBits finds them, and what other threads store; nil: there are none.
func (u *Unit) storedBits(p *program.Program, r *program.Ranges) *storedBits {
	x := &storedBits{u: u, p: p, r: r, index: map[int]int{}, regs: make([]map[int]int, len(u.Threads))}
	unset, again := u.unsetAtFirst(), map[int64]bool{}
	for ti, t := range u.Threads {
		x.regs[ti] = map[int]int{}
		maps.Copy(again, forgotten(t))
	}
	follow := func(i int, copied bool) (isNew bool) {
		a := r.Cells[i].Addr
		bits, partly := u.partly[a]
		mark, marked := u.marks[a]
		open := unset[a] != nil || marked && (u.written[a] || u.initial[a] == mark.v) // others have marks only because such cells are copied there
		if _, there := x.index[i]; there || !partly && !copied && !marked && (!open || u.written[a] && !again[a]) {
			return false
		}
		touched := u.written[a] || !open
		if !partly && touched {
			bits = allBits
		}
		x.index[i], x.first = len(x.first), append(x.first, partOfCell{bits, touched})
		return true
	}
	for a := range u.partly {
		if i := r.CellIndex(a); i >= 0 {
			follow(i, false)
		}
	}
	x.each(func(_ int, c *program.Command) {
		if _, some := flowgraph.Bits(c.Tags); some && c.Op == program.Store {
			for _, i := range r.Access[c] {
				follow(i, false)
			}
		}
	})
	if len(x.index) == 0 {
		return nil
	}
	for more := true; more; { // what the cells are copied to, and of
		more = false
		keep := func(ti, reg int) {
			if _, there := x.regs[ti][reg]; !there && reg != u.Threads[ti].Graph.Result {
				x.regs[ti][reg], more = len(x.regs[ti]), true
			}
		}
		keepAll := func(ti int, e program.Expr) {
			program.Walk(e, func(e program.Expr) {
				if r, ok := e.(program.Reg); ok {
					keep(ti, int(r))
				}
			})
		}
		x.each(func(ti int, c *program.Command) {
			switch _, kept := x.regs[ti][c.Reg]; {
			case loadsAll(c):
				if kept {
					for _, i := range r.Access[c] {
						more = follow(i, false) || more
					}
				} else if x.accesses(c) {
					keep(ti, c.Reg)
				}
			case c.Op == program.Assign && onlyMasks(c.Value):
				if kept {
					keepAll(ti, c.Value)
				} else if x.mentions(ti, c.Value) {
					keep(ti, c.Reg)
				}
			case c.Op == program.Store && x.mentions(ti, c.Value):
				for _, i := range r.Access[c] {
					more = follow(i, true) || more
				}
			case c.Op == program.Store && onlyMasks(c.Value) && x.accesses(c):
				keepAll(ti, c.Value)
			}
		})
	}
	for ti := range x.regs {
		for reg := range x.regs[ti] {
			x.regs[ti][reg] += len(x.first)
		}
	}
	x.settle()
	return x
}

// each calls f for the commands of all threads.
func (x *storedBits) each(f func(ti int, c *program.Command)) {
	for ti := range x.u.Threads {
		for ei := range x.p.Threads[ti].Edges {
			for _, c := range partsOfEdge(&x.p.Threads[ti].Edges[ei].Cmd) {
				f(ti, c)
			}
		}
	}
}

// loadsAll is true of a load of a whole cell, and not of a bit-field in it.
func loadsAll(c *program.Command) bool {
	_, field := flowgraph.Bits(c.Tags)
	return c.Op == program.Load && !field && Accessed(c.Tags) != nil && !c.Tags.Has(KeptTag)
}

// accesses is whether a command may access one of the cells.
func (x *storedBits) accesses(c *program.Command) bool {
	return slices.ContainsFunc(x.r.Access[c], func(i int) bool { _, is := x.index[i]; return is })
}

// onlyMasks is true of an expression that takes bits of registers where they are.
func onlyMasks(e program.Expr) bool {
	switch e := e.(type) {
	case program.Const, program.Reg:
		return true
	case program.Unary:
		_, cast := e.Op.Cast()
		return cast && onlyMasks(e.X)
	case program.Binary:
		return (e.Op == program.BitOr || e.Op == program.BitAnd) && onlyMasks(e.X) && onlyMasks(e.Y)
	}
	return false
}

// mentions is whether an expression reads one of the registers of a thread.
func (x *storedBits) mentions(ti int, e program.Expr) (does bool) {
	program.Walk(e, func(e program.Expr) {
		if r, ok := e.(program.Reg); ok {
			_, is := x.regs[ti][int(r)]
			does = does || is
		}
	})
	return does
}

// forgets is true of a store that says of cell i that nothing has been stored to it.
func (x *storedBits) forgets(c *program.Command, i int) bool {
	v, constant := c.Value.(program.Const)
	return c.Tags.Has(UnsetTag) || constant && c.Tags.Has(markTag) && int64(v) == x.u.marks[x.r.Cells[i].Addr].v
}

// settle makes out what other threads store, and copy without that it has been stored.
func (x *storedBits) settle() {
	n := len(x.first)
	by, loses := make([][]uint64, len(x.regs)), make([][]uint64, len(x.regs))
	x.enter, x.lost = make([][]partOfCell, len(x.regs)), make([][]uint64, len(x.regs))
	for ti := range by {
		by[ti], loses[ti] = make([]uint64, n), make([]uint64, n)
	}
	x.each(func(ti int, c *program.Command) {
		if c.Op == program.Store {
			bits, _ := flowgraph.Bits(c.Tags)
			for _, i := range x.r.Access[c] {
				if k, ok := x.index[i]; ok && !x.forgets(c, i) {
					by[ti][k] |= bits
				}
			}
		}
	})
	for more := true; more; {
		more = false
		for ti := range x.enter {
			enter, lost := slices.Clone(x.first), make([]uint64, n)
			for other := range by {
				for k := range n {
					if other != ti {
						enter[k] = partOfCell{enter[k].stored | by[other][k], enter[k].touched || by[other][k] != 0}
						lost[k] |= loses[other][k]
					}
				}
			}
			for range x.regs[ti] {
				enter = append(enter, partOfCell{stored: allBits})
			}
			x.enter[ti], x.lost[ti] = enter, lost
		}
		for ti := range x.enter {
			stored := make([]uint64, n)
			x.along(ti, func(ei int, at []partOfCell) {
				for _, c := range partsOfEdge(&x.p.Threads[ti].Edges[ei].Cmd) {
					if c.Op == program.Store {
						field, _ := flowgraph.Bits(c.Tags)
						v := x.known(ti, at, c.Value)
						for _, i := range x.r.Access[c] {
							k, ok := x.index[i]
							if !ok || x.forgets(c, i) {
								continue
							}
							stored[k] |= field & v.stored
							if less := field &^ v.stored &^ loses[ti][k]; less != 0 {
								loses[ti][k], more = loses[ti][k]|less, true
							}
						}
					}
					x.step(ti, at, c)
				}
			})
			for k, s := range stored {
				more = more || s != by[ti][k]
			}
			by[ti] = stored
		}
	}
}

// known is what is known of the bits of a value.
func (x *storedBits) known(ti int, at []partOfCell, e program.Expr) partOfCell {
	switch e := e.(type) {
	case program.Reg:
		if k, ok := x.regs[ti][int(e)]; ok {
			return at[k]
		}
	case program.Unary:
		v := x.known(ti, at, e.X)
		if t, ok := e.Op.Cast(); ok {
			return v.wrapped(t)
		}
		if e.Op != program.Complement && v.stored != allBits {
			v.stored = 0
		}
		return v
	case program.Binary:
		v, w := x.known(ti, at, e.X), x.known(ti, at, e.Y)
		k, constant := e.Y.(program.Const)
		other := v
		if first, ok := e.X.(program.Const); ok && !constant && e.Op == program.BitAnd {
			k, constant, other = first, true, w
		}
		both := v.meet(w)
		switch {
		case constant && e.Op == program.BitAnd:
			other.stored |= ^uint64(k)
			return other
		case e.Op == program.BitAnd, e.Op == program.BitOr, e.Op == program.BitXor:
			return both
		case constant && e.Op == program.Shl && 0 <= k && k < 64:
			v.stored = v.stored<<k | (1<<k - 1)
			return v
		case constant && e.Op == program.UShr && 0 <= k && k < 64:
			v.stored = v.stored>>k | ^(allBits >> k)
			return v
		case both.stored != allBits:
			both.stored = 0
		}
		return both
	}
	return partOfCell{stored: allBits}
}

// wrapped is what is known of it as a value of type t.
func (c partOfCell) wrapped(t program.Type) partOfCell {
	low := allBits >> (64 - t.Bits)
	c.stored &= low
	if !t.Signed || c.stored>>(t.Bits-1)&1 != 0 {
		c.stored |= ^low
	}
	return c
}

// open is whether nothing may have been stored to bits of a value, beside others.
func (x *storedBits) open(ti int, at []partOfCell, e program.Expr) bool {
	if e == nil || !x.mentions(ti, e) {
		return false
	}
	v := x.known(ti, at, e)
	return v.touched && v.stored != allBits
}

// reads is whether a command does more than to copy such bits of registers, or to tell whether they are a mark.
func (x *storedBits) reads(ti int, at []partOfCell, c *program.Command) bool {
	switch {
	case c.Op == program.Load || c.Op == program.Store:
		return x.open(ti, at, c.Addr)
	case c.Op == program.Check && c.Pick:
		return false
	}
	if _, copy := x.regs[ti][c.Reg]; c.Op == program.Assign && copy && onlyMasks(c.Value) {
		return false
	}
	return x.open(ti, at, c.Value)
}

// looks is whether a load may be of such bits of a cell, and nothing follows the register.
func (x *storedBits) looks(ti int, at []partOfCell, c *program.Command) bool {
	if _, followed := x.regs[ti][c.Reg]; followed && loadsAll(c) {
		return false
	}
	return slices.ContainsFunc(x.r.Access[c], func(i int) bool {
		k, ok := x.index[i]
		return ok && at[k].touched && lookedAt(c.Tags, wordOf(&x.r.Cells[i]))&^x.at(ti, at, k).stored != 0
	})
}

// at is what is known of a cell that others may store to meanwhile.
func (x *storedBits) at(ti int, at []partOfCell, k int) partOfCell {
	c := at[k]
	if lost := x.lost[ti][k]; lost != 0 {
		c.stored, c.touched = c.stored&^lost, true
	}
	return c
}

// step changes what is known by a command.
func (x *storedBits) step(ti int, at []partOfCell, c *program.Command) {
	switch c.Op {
	case program.Load:
		k, ok := x.regs[ti][c.Reg]
		if !ok {
			return
		}
		v := partOfCell{stored: allBits}
		if cells := x.r.Access[c]; loadsAll(c) && len(cells) > 0 {
			v.stored = 0
			for _, i := range cells {
				if cell, ok := x.index[i]; ok {
					w := x.at(ti, at, cell)
					v = partOfCell{v.stored | w.stored, v.touched || w.touched}
				} else {
					v.stored = allBits
				}
			}
			v = v.wrapped(x.p.Threads[ti].Regs[c.Reg].Type)
		}
		at[k] = v
	case program.Assign, program.Havoc:
		if k, ok := x.regs[ti][c.Reg]; ok {
			v := partOfCell{stored: allBits}
			if c.Op == program.Assign {
				v = x.known(ti, at, c.Value).wrapped(x.p.Threads[ti].Regs[c.Reg].Type)
			}
			at[k] = v
		}
	case program.Store:
		field, some := flowgraph.Bits(c.Tags)
		v := x.known(ti, at, c.Value)
		for _, i := range x.r.Access[c] {
			k, ok := x.index[i]
			if !ok {
				continue
			}
			sure := len(x.r.Access[c]) == 1
			switch {
			case x.forgets(c, i):
				if sure {
					at[k] = partOfCell{}
				}
			case v.stored|^field == allBits:
				at[k] = partOfCell{at[k].stored | field, true}
			case some:
				at[k] = partOfCell{at[k].stored&^field | field&v.stored, true}
			case sure, !at[k].touched:
				at[k] = v
			default:
				at[k] = partOfCell{at[k].stored & v.stored, at[k].touched || v.touched}
			}
		}
	}
}

// mayFollow is whether a thread can come along an edge, as far as the values say.
func mayFollow(r *program.Ranges, ti int, e *program.Edge) bool {
	may := r.Reachable[ti][e.To]
	e.Cmd.Accesses(func(c *program.Command) { may = may && !r.Address[c].Empty() })
	return may
}

// along calls seen for the edges of a thread with what is known before them, which is seen's to change.
func (x *storedBits) along(ti int, seen func(edge int, at []partOfCell)) {
	t := x.p.Threads[ti]
	out := t.Out()
	at := make([][]partOfCell, len(t.States))
	at[t.Initial] = x.enter[ti]
	for work := []program.StateID{t.Initial}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			e := &t.Edges[i]
			if !mayFollow(x.r, ti, e) {
				continue
			}
			w := slices.Clone(at[q])
			for _, c := range partsOfEdge(&e.Cmd) {
				x.step(ti, w, c)
			}
			if at[e.To] == nil {
				at[e.To], work = w, append(work, e.To)
				continue
			}
			less := false
			for k := range w {
				now := at[e.To][k].meet(w[k])
				less = less || now != at[e.To][k]
				at[e.To][k] = now
			}
			if less {
				work = append(work, e.To)
			}
		}
	}
	for i := range t.Edges {
		if from := at[t.Edges[i].From]; from != nil {
			seen(i, slices.Clone(from))
		}
	}
}
