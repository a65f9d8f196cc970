package reduce

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Threads may be alike but for values that say who they are: each stores a number of its own into a
// mutex that it holds, and looks whether it is there. Their exchange exchanges these values, too, wherever
// they may be.
//
// A place is a cell, or a register; a register of a and the same one of b are one place. A place is coloured
// where the one thread has a constant and the other another one: in what they store there, compare it with, or
// begin with; and where values are copied from or to a place that is coloured. Of what is coloured
//
//   - nothing is computed, no address either, and nothing is chosen: it is copied, and compared for equality with
//     constants and with what is coloured;
//   - the constants are those that the exchange makes of each other: of a those of b, and of other threads
//     the same ones; likewise what is there at first;
//   - all has one type, in which the values are, so that no copy changes one;
//   - no property says anything.
//
// So a step stays one when the values in all that is coloured are exchanged before and after it.
type colours struct {
	values [][2]int64 // that are exchanged with each other
	cells  []int      // that are coloured
	cell   []bool     // by cell: whether it is
	regs   [][]int    // by thread: registers that are coloured
}

// of is what the exchange makes of a value in a coloured place.
func (c *colours) of(v int64) int64 {
	for _, p := range c.values {
		switch v {
		case p[0]:
			return p[1]
		case p[1]:
			return p[0]
		}
	}
	return v
}

// inCell is what it makes of a value in a cell.
func (c *colours) inCell(cell int, v int64) int64 {
	if c.cell != nil && c.cell[cell] {
		return c.of(v)
	}
	return v
}

// A painter finds out what is coloured.
type painter struct {
	ranges  *program.Ranges
	first   []int          // by thread: its first register among the places
	parent  []int          // by place, another one that has its colour, or itself
	types   []program.Type // by place
	opaque  []int          // places of which something is computed
	uses    []use
	differs bool // in what has no colour
}

// A use is a constant of a and that of b, or one of another thread twice, that has to do with a place.
type use struct {
	place int
	a, b  int64
}

// paint finds the colours of the exchange of a and b, whose automata are the same but for constants. It is not ok where they are
// not what an exchange of values makes of each other.
func paint(p *program.Program, r *program.Ranges, props []program.Property, a, b int) (*colours, bool) {
	w := &painter{ranges: r}
	for _, c := range r.Cells {
		w.add(c.Type)
	}
	for t, th := range p.Threads {
		w.first = append(w.first, len(w.parent))
		for _, reg := range th.Regs {
			w.add(reg.Type)
		}
		if t == b {
			w.first[b] = w.first[a]
		}
	}
	ta, tb := p.Threads[a], p.Threads[b]
	for i := range ta.Regs {
		w.uses = append(w.uses, use{w.first[a] + i, ta.Regs[i].Init, tb.Regs[i].Init})
	}
	for i := range ta.Edges {
		w.command(a, &ta.Edges[i].Cmd, &tb.Edges[i].Cmd)
	}
	for t, th := range p.Threads {
		if t == a || t == b {
			continue
		}
		for i, reg := range th.Regs {
			w.uses = append(w.uses, use{w.first[t] + i, reg.Init, reg.Init})
		}
		for i := range th.Edges {
			w.command(t, &th.Edges[i].Cmd, &th.Edges[i].Cmd)
		}
	}
	if w.differs {
		return nil, false
	}
	return w.colours(p, props)
}

func (w *painter) add(t program.Type) {
	w.parent = append(w.parent, len(w.parent))
	w.types = append(w.types, t)
}

func (w *painter) find(place int) int {
	for w.parent[place] != place {
		w.parent[place] = w.parent[w.parent[place]]
		place = w.parent[place]
	}
	return place
}

func (w *painter) union(x, y int) { w.parent[w.find(x)] = w.find(y) }

// command looks at a command of a and that of b, or at one of another thread twice.
func (w *painter) command(t int, ca, cb *program.Command) {
	switch reg := w.first[t] + ca.Reg; ca.Op {
	case program.Check, program.Assert:
		w.compare(t, ca.Value, cb.Value)
	case program.Assign:
		w.copy(t, reg, ca.Value, cb.Value)
	case program.Havoc:
		w.opaque = append(w.opaque, reg)
	case program.Load:
		for _, c := range w.accessed(t, ca, cb) {
			w.union(reg, c)
		}
	case program.Store:
		for _, c := range w.accessed(t, ca, cb) {
			w.copy(t, c, ca.Value, cb.Value)
		}
	case program.Atomic:
		for i := range ca.Body {
			w.command(t, &ca.Body[i], &cb.Body[i])
		}
	}
}

// accessed are the cells that an access may be to. Constant addresses are looked at elsewhere.
func (w *painter) accessed(t int, ca, cb *program.Command) []int {
	if _, ok := program.Fold(ca.Addr).(program.Const); !ok {
		w.compare(t, ca.Addr, cb.Addr)
	}
	return append(slices.Clone(w.ranges.Access[ca]), w.ranges.Access[cb]...)
}

// copy looks at what comes to a place.
func (w *painter) copy(t, place int, a, b program.Expr) {
	switch x := a.(type) {
	case program.Const:
		if y, ok := b.(program.Const); ok {
			w.uses = append(w.uses, use{place, int64(x), int64(y)})
			return
		}
	case program.Reg:
		if a == b {
			w.union(place, w.first[t]+int(x))
			return
		}
	}
	w.opaque = append(w.opaque, place)
	w.compare(t, a, b)
}

// compare looks at an expression of which something is computed, unless it compares places and constants.
func (w *painter) compare(t int, a, b program.Expr) {
	switch x := a.(type) {
	case program.Reg:
		w.differs = w.differs || a != b
		w.opaque = append(w.opaque, w.first[t]+int(x))
	case program.Unary:
		y, ok := b.(program.Unary)
		if !ok || x.Op != y.Op {
			w.differs = true
			return
		}
		w.compare(t, x.X, y.X)
	case program.Binary:
		y, ok := b.(program.Binary)
		if !ok || x.Op != y.Op {
			w.differs = true
			return
		}
		if x.Op == program.Eq || x.Op == program.Ne {
			for _, s := range [][4]program.Expr{{x.X, y.X, x.Y, y.Y}, {x.Y, y.Y, x.X, y.X}} {
				r, isReg := s[0].(program.Reg)
				if !isReg || s[0] != s[1] {
					continue
				}
				switch s[2].(type) {
				case program.Reg, program.Const:
					w.copy(t, w.first[t]+int(r), s[2], s[3])
					return
				}
			}
		}
		w.compare(t, x.X, y.X)
		w.compare(t, x.Y, y.Y)
	default:
		w.differs = w.differs || a != b
	}
}

// colours are those of the places, if they can have any.
func (w *painter) colours(p *program.Program, props []program.Property) (*colours, bool) {
	c := &colours{}
	coloured := map[int]bool{} // by the place that stands for all with a colour
	for _, u := range w.uses {
		if u.a == u.b {
			continue
		}
		coloured[w.find(u.place)] = true
		if c.of(u.a) == u.a && c.of(u.b) == u.b {
			c.values = append(c.values, [2]int64{u.a, u.b})
		}
	}
	is := func(place int) bool { return coloured[w.find(place)] }
	for _, u := range w.uses {
		if is(u.place) && c.of(u.a) != u.b {
			return nil, false
		}
	}
	if slices.ContainsFunc(w.opaque, is) {
		return nil, false
	}
	var typ *program.Type
	for place := range w.parent {
		if !is(place) {
			continue
		}
		if typ == nil {
			typ = &w.types[place]
		}
		if w.types[place] != *typ {
			return nil, false
		}
	}
	for _, v := range c.values { // wrapped around, they could be something else
		if typ.Wrap(v[0]) != v[0] || typ.Wrap(v[1]) != v[1] {
			return nil, false
		}
	}
	c.cell = make([]bool, len(w.ranges.Cells))
	for i := range c.cell {
		if c.cell[i] = is(i); c.cell[i] {
			c.cells = append(c.cells, i)
		}
	}
	c.regs = make([][]int, len(p.Threads))
	for t, th := range p.Threads {
		for r := range th.Regs {
			if is(w.first[t] + r) {
				c.regs[t] = append(c.regs[t], r)
			}
		}
	}
	said := func(e program.Expr) (found bool) {
		program.Walk(e, func(e program.Expr) {
			switch e := e.(type) {
			case program.Mem:
				i := w.ranges.CellIndex(e.Addr)
				found = found || i >= 0 && c.cell[i]
			case program.ThreadReg:
				found = found || slices.Contains(c.regs[e.Thread], e.Reg)
			}
		})
		return found
	}
	return c, !said(p.Filter) && !slices.ContainsFunc(props, func(pr program.Property) bool { return said(pr.Cond) })
}
