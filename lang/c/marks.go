package c

import (
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// What is read of memory to which nothing has been written is any value. A cell of which that may happen while
// several threads share it (doubts.go) has a mark in it at first, a value that its type does not have, and who loads
// the mark chooses a value instead. So nothing is chosen, and nothing more is to be searched, where a run does not
// read what is unwritten; and two who read it need not read the same.
//
// Since what is chosen goes on to where it may be anything, an address or what is stored, what values there can be is
// made out again with the marks found so far, until nothing comes to be in doubt that was not.

// bits64 is how many bits the widest type has, which has no room for a mark: that is a number to which no store has
// been seen.
const bits64 = 64

// marked is the type of a cell of a type with a mark.
func marked(w program.Type) program.Type {
	if w.Bits == bits64 {
		return w
	}
	return program.Type{Bits: w.Bits + 2, Signed: w.Signed}
}

// wordOf is the type that the program has for a cell, without its mark.
func wordOf(c *program.Cell) program.Type {
	if c.Mark == 0 || c.Type.Bits == bits64 {
		return c.Type
	}
	return program.Type{Bits: c.Type.Bits - 2, Signed: c.Type.Signed}
}

// markTag marks stores of what may be a mark.
const markTag = accessTag + "mark"

// A mark stands in a cell to which nothing has been written.
type mark struct {
	v int64
	t *ctype // of the cell
}

// A marking is the work on one program.
type marking struct {
	u    *unit
	p    *program.Program
	r    *program.Ranges
	wide int64 // the mark of cells of 64 bits; 0: not chosen yet
	// twins are, by thread, the registers that take what may be a mark, by those that take the values.
	twins   []map[twin]int
	chosen  []unwritten
	changed bool
}

type twin struct {
	reg  int
	mark int64
}

// An unwritten is a load of what may be a mark, into the register twin, in the place of reg.
type unwritten struct {
	thread, reg, twin int
	cells             []int // with marks, from which it may load
	mark
	copied bool // the value is only put elsewhere: 0 does
	// Of a read-modify-write that has found out that the value is equal, or is not, to these; may be nil.
	is, not program.Expr
	from    int // the node where a value is chosen
}

// markUnwritten gives marks to the cells that may be read before they are written.
func (u *unit) markUnwritten(left *effort) {
	if u.opts.Uninitialised || len(u.threads) == 1 || len(u.unsetAtFirst()) == 0 {
		return
	}
	m := &marking{u: u, twins: make([]map[twin]int, len(u.threads))}
	for again := true; again; again = m.changed {
		var err error
		if m.p, m.r, err = u.values(left); err != nil {
			if m.p, m.r, err = u.values(nil); err != nil {
				return // guard says so
			}
		}
		m.changed = false
		doubts := u.doubts(m.p, m.r)
		if len(doubts) > 0 && m.wide == 0 {
			m.wide = m.unusual(doubts)
		}
		for a, t := range doubts {
			k := mark{1 << t.word().Bits, t}
			if t.word().Bits == bits64 {
				k.v = m.wide
			}
			if u.marks[a], m.changed = k, true; !u.written[a] {
				u.initial[a] = k.v
			}
		}
		if len(u.marks) > 0 {
			for ti := range u.threads {
				m.thread(ti)
			}
		}
	}
	m.bound()
}

// unusual is a number that no store to a cell of 64 bits has, as far as values are known without what is unwritten.
func (m *marking) unusual(doubts map[int64]*ctype) int64 {
	taken := func(k int64) bool {
		for i, c := range m.r.Cells {
			if doubts[c.Addr] != nil && c.Type.Bits == bits64 && m.r.Cell[i].Has(k) {
				return true
			}
		}
		return false
	}
	for k := int64(11); k < 1<<10; k += 16 { // where there is no object, and no function
		for _, k := range []int64{k, -k} {
			if !taken(k) {
				return k
			}
		}
	}
	return 11
}

// thread sees to the accesses of a thread to cells with marks.
func (m *marking) thread(ti int) {
	t := m.u.threads[ti]
	live := t.g.live()
	for ei, gi := range t.origin {
		if gi < 0 {
			continue
		}
		c, after := &m.p.Threads[ti].Edges[ei].Cmd, live[t.g.edges[gi].to]
		switch c.Op {
		case program.Load:
			if x := m.load(ti, &t.g.edges[gi].cmd, c); x != nil && after.Has(x.reg) {
				m.choose(gi, x)
			}
		case program.Store:
			m.store(t.g, &t.g.edges[gi].cmd, c)
		case program.Atomic:
			m.atomic(ti, gi, c, after)
		}
	}
}

// in lists the cells with marks that an access may be to, and gives one of the marks: of several types the one that
// may be anything.
func (m *marking) in(c *program.Command) (cells []int, k mark) {
	if accessed(c.Tags) == nil {
		return nil, k
	}
	for _, i := range m.r.Access[c] {
		if x, ok := m.u.marks[m.r.Cells[i].Addr]; ok && fitsTag(wordOf(&m.r.Cells[i]), c.Tags) {
			if cells = append(cells, i); k.t == nil || k.t.kind == pointerKind {
				k = x
			}
		}
	}
	return cells, k
}

// load makes a load of what may be a mark one into a register that has room for it; nil: it may not.
func (m *marking) load(ti int, c, analysed *program.Command) *unwritten {
	cells, k := m.in(analysed)
	g := m.u.threads[ti].g
	if cells == nil || g.regs[c.Reg].Mark != 0 {
		return nil
	}
	if m.twins[ti] == nil {
		m.twins[ti] = map[twin]int{}
	}
	t, ok := m.twins[ti][twin{c.Reg, k.v}]
	if !ok {
		w := marked(k.t.word())
		w.Signed = w.Bits < bits64 || w.Signed
		g.regs = append(g.regs, program.Register{Type: w, Temp: true, Mark: k.v})
		t = len(g.regs) - 1
		m.twins[ti][twin{c.Reg, k.v}] = t
	}
	x := &unwritten{thread: ti, reg: c.Reg, twin: t, cells: cells, mark: k, copied: c.Tags.Has(copiedTag)}
	c.Reg, m.changed = t, true
	return x
}

// store keeps what is stored in a cell with a mark among the values of its type, unless it says that the cell is
// unwritten again.
func (m *marking) store(g *graph, c, analysed *program.Command) {
	cells, k := m.in(analysed)
	switch {
	case cells == nil || c.Tags.Has(markTag):
	case c.Tags.Has(unsetTag):
		c.Tags = program.NewTags(slices.DeleteFunc(c.Tags.Names(), func(n string) bool { return n == unsetTag })...).With(markTag)
		c.Value, m.changed = program.Const(k.v), true
	default:
		c.Value = g.cast(c.Value, k.t.word())
	}
}

// cast is e as a value of a type.
func (g *graph) cast(e program.Expr, w program.Type) program.Expr {
	if fits(g.rangeOf(e), w) {
		return e
	}
	return fold(un(program.Cast(w), e))
}

// marked is whether what was loaded is the mark.
func (x *unwritten) marked() program.Expr { return eq(program.Reg(x.twin), program.Const(x.v)) }

// choose puts a choice behind an edge after which x has been loaded.
func (m *marking) choose(i int, x *unwritten) {
	g := m.u.threads[x.thread].g
	at, to, pos := g.node(g.edges[i].pos), g.edges[i].to, g.edges[i].pos
	g.edges[i].to = at
	ask := func(cond program.Expr, from int, says string) int {
		next := g.node(pos)
		g.edge(from, next, program.Command{Op: program.Check, Value: fold(cond), Pick: true, Says: says}, pos)
		return next
	}
	g.edge(ask(program.NotExpr(x.marked()), at, "which is written"), to, program.Command{Op: program.Assign, Reg: x.reg, Value: program.Reg(x.twin)}, pos)
	from := ask(x.marked(), at, "which is not written")
	reg := program.Reg(x.reg)
	x.from = from
	switch c := anything(x.reg, x.t); {
	case x.is != nil:
		g.edge(from, to, program.Command{Op: program.Assign, Reg: x.reg, Value: x.is}, pos)
	case x.copied:
		g.edge(from, to, program.Command{Op: program.Assign, Reg: x.reg, Value: program.Const(0)}, pos)
	case x.not != nil:
		any := g.node(pos)
		for _, c := range numbered(c) {
			g.edge(from, any, c, pos)
		}
		g.edge(any, to, program.Command{Op: program.Check, Value: ne(reg, x.not), Pick: true}, pos)
		g.edge(ask(eq(reg, x.not), any, ""), to, program.Command{Op: program.Assign, Reg: x.reg, Value: plus(reg, 1)}, pos)
	default:
		for _, c := range numbered(c) {
			g.edge(from, to, c, pos)
		}
	}
	m.chosen = append(m.chosen, *x)
}

// numbered is a choice in several, none of which has more values than can be numbered.
func numbered(c program.Command) (parts []program.Command) {
	const most = 1 << 62
	for uint64(c.Hi)-uint64(c.Lo) >= most {
		part := c
		part.Hi = c.Lo + (most - 1)
		c.Lo += most
		parts = append(parts, part)
	}
	return append(parts, c)
}

// atomic sees to what is done at once. A value is chosen when it has been done: until then all may be true of it
// that is asked, and what is computed from it is unwritten again where it is stored in the same place.
func (m *marking) atomic(ti, gi int, analysed *program.Command, live program.RegSet) {
	g := m.u.threads[ti].g
	body := slices.Clone(g.edges[gi].cmd.Body)
	var after []*unwritten
	for k := 0; k < len(body); k++ {
		b := &analysed.Body[k]
		if b.Op == program.Store {
			m.store(g, &body[k], b)
		}
		if b.Op != program.Load {
			continue
		}
		x := m.load(ti, &body[k], b)
		if x == nil {
			continue
		}
		if !m.lift(g, body[k+1:], b, x) {
			m.refuse(g, gi, k, x)
			return
		}
		if live.Has(x.reg) {
			after = append(after, x)
		}
	}
	g.edges[gi].cmd.Body = body
	for _, x := range slices.Backward(after) {
		m.choose(gi, x)
	}
}

// lift lets the rest of a body go on with what x has loaded; it is false where that has no meaning.
func (m *marking) lift(g *graph, rest []program.Command, load *program.Command, x *unwritten) bool {
	value := program.Expr(program.Reg(x.twin))
	if w := g.regs[x.reg].Type; w != x.t.word() {
		value = un(program.Cast(w), value)
	}
	for i := range rest {
		c := &rest[i]
		if writes(c, x.reg) || c.Addr != nil && reads(c.Addr, x.reg) {
			return false
		}
		if c.Value == nil || !reads(c.Value, x.reg) {
			continue
		}
		if b, ok := c.Value.(program.Binary); ok && c.Op == program.Check && b.X == program.Reg(x.reg) && !reads(b.Y, x.reg) && !slices.ContainsFunc(rest, func(c program.Command) bool {
			return c.Op != program.Check && c.Op != program.Store
		}) {
			switch b.Op {
			case program.Eq:
				x.is = b.Y
			case program.Ne:
				x.not = b.Y
			}
		}
		e := replace(c.Value, x.reg, value)
		switch {
		case c.Op == program.Check:
			c.Value = fold(bin(program.LogicalOr, x.marked(), e))
		case c.Op == program.Store && reflect.DeepEqual(c.Addr, load.Addr):
			e = g.cast(e, x.t.word())
			c.Value = fold(bin(program.Add, e, bin(program.Mul, x.marked(), bin(program.Sub, program.Const(x.v), e))))
			c.Tags = c.Tags.With(markTag)
		default:
			return false
		}
	}
	return true
}

// refuse lets the edge i, whose body loads x at k, end what is looked at where that is a mark.
func (m *marking) refuse(g *graph, i, k int, x *unwritten) {
	body := slices.Clone(g.edges[i].cmd.Body)
	body[k].Reg = x.twin
	bound := boundOf("an atomic operation on what is not written is not modelled")
	bound.Value = program.NotExpr(x.marked())
	g.edges[i].cmd.Body = slices.Insert(body, k+1, bound, program.Command{Op: program.Assign, Reg: x.reg, Value: program.Reg(x.twin)})
}

// bound ends what is looked at where a mark of 64 bits is loaded, and may be a number that has been stored.
func (m *marking) bound() {
	if len(m.chosen) == 0 {
		return
	}
	taken := make([]bool, len(m.r.Cells))
	for i, c := range m.r.Cells {
		taken[i] = c.Type.Bits == bits64 && c.Mark == 0 && c.Init == m.wide
	}
	for ti, t := range m.p.Threads {
		for i := range t.Edges {
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				if c.Op != program.Store || c.Value == program.Const(m.wide) && c.Tags.Has(markTag) || !m.r.Value(ti, c.Value).Has(m.wide) {
					return
				}
				for _, i := range m.r.Access[c] {
					taken[i] = taken[i] || m.r.Cells[i].Type.Bits == bits64
				}
			})
		}
	}
	for _, x := range m.chosen {
		if slices.ContainsFunc(x.cells, func(i int) bool { return taken[i] }) {
			g := m.u.threads[x.thread].g
			over := g.node(g.nodes[x.from])
			g.edges = slices.DeleteFunc(g.edges, func(e edge) bool { return e.from == x.from })
			g.edge(x.from, over, boundOf("whether what is loaded has been written is not known"), g.nodes[over])
			g.bound = append(g.bound, over)
		}
	}
}
