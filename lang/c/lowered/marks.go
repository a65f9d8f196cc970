package lowered

import (
	"maps"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What is read of memory to which nothing has been written is any value. A cell of which that may happen while
// several threads share it (doubts.go) has a mark in it at first, a value that its type does not have, and who loads
// the mark chooses a value instead. So nothing is chosen, and nothing more is to be searched, where a run does not
// read what is unwritten; and two who read it need not read the same.
//
// Since what is chosen goes on to where it may be anything, an address or what is stored, what values there can be is
// made out again with the marks found so far, until nothing comes to be in doubt that was not.
//
// What is copied, as members of structures are, is copied with its mark (copies.go).

// bits64 is how many bits the widest type has, which has no room for a mark: that is a number to which no store has
// been seen, or nothing is looked at beyond one (numbers.go).
const bits64 = flowgraph.WidestBits

// wordOf is the type that the program has for a cell, without its mark.
func wordOf(c *program.Cell) program.Type { return flowgraph.WordOf(c) }

// markTag marks stores of what may be a mark.
const markTag = flowgraph.AccessTag + "mark"

// A mark stands in a cell to which nothing has been written.
type mark struct {
	v int64
	t *types.Type // of the cell
}

// A marking is the work on one program.
type marking struct {
	u    *Unit
	p    *program.Program
	r    *program.Ranges
	wide int64 // the mark of cells of 64 bits; 0: not chosen yet
	// twins are, by thread, the registers that take what may be a mark, by those that take the values.
	twins   []map[twin]int
	types   map[int64]*types.Type // of all cells
	changed bool
}

type twin struct {
	reg  int
	mark int64
}

// An unwritten is a load of what may be a mark, into the register twin, in the place of reg.
type unwritten struct {
	thread, reg, twin int
	mark
	kept bool // what is not written does not matter: 0 does
	// Of a read-modify-write that has found out that the value is equal, or is not, to these; may be nil.
	is, not program.Expr
}

// markUnwritten gives marks to the cells that may be read before they are written.
func (u *Unit) markUnwritten(left *Effort) {
	if u.Options.Uninitialised || len(u.unsetAtFirst()) == 0 {
		return
	}
	m := &marking{u: u, twins: make([]map[twin]int, len(u.Threads))}
	for again := true; again; again = m.changed {
		var err error
		if m.p, m.r, err = u.values(left); err != nil {
			if m.p, m.r, err = u.values(nil); err != nil {
				return // guard says so
			}
		}
		m.changed = false
		doubts := u.doubts(m.p, m.r, notOwn)
		if len(doubts) > 0 && m.wide == 0 { // those of 64 bits last, when it is known what is read of others
			wide := maps.Clone(doubts)
			maps.DeleteFunc(doubts, func(_ int64, t *types.Type) bool { return t.Word().Bits == bits64 })
			if len(doubts) == 0 {
				m.wide, doubts = m.unusual(), wide
			}
		}
		for a, t := range doubts {
			if k := m.give(a, t); !u.written[a] {
				u.initial[a] = k.v
			}
		}
		if len(u.marks) > 0 {
			for ti := range u.Threads {
				m.thread(ti)
			}
		}
		if !m.changed {
			m.changed = u.note(m.p, m.r)
		}
	}
	u.boundParts(m.p, m.r)
	m.numbers()
}

// give gives a cell of type t a mark.
func (m *marking) give(a int64, t *types.Type) mark {
	k := mark{1 << t.Word().Bits, t}
	if t.Word().Bits == bits64 {
		k.v = m.wide
	}
	m.u.marks[a], m.changed = k, true
	return k
}

// thread sees to the accesses of a thread to cells with marks.
func (m *marking) thread(ti int) {
	t := m.u.Threads[ti]
	live := t.Graph.Live()
	for ei, gi := range t.origin {
		if gi < 0 {
			continue
		}
		c, after := &m.p.Threads[ti].Edges[ei].Cmd, live[t.Graph.Edges[gi].To]
		switch c.Op {
		case program.Load:
			if x := m.load(ti, &t.Graph.Edges[gi].Cmd, c); x != nil && after.Has(x.reg) {
				m.choose(gi, x)
			}
		case program.Store:
			m.store(t.Graph, &t.Graph.Edges[gi].Cmd, c)
		case program.Atomic:
			m.atomic(ti, gi, c, after)
		}
	}
}

// in gives a mark of the cells that an access may be to, if any has one: of several types the one that may be
// anything.
func (m *marking) in(c *program.Command) (k mark, some bool) {
	if Accessed(c.Tags) == nil {
		return k, false
	}
	for _, i := range m.r.Access[c] {
		if x, ok := m.u.marks[m.r.Cells[i].Addr]; ok && flowgraph.FitsTag(wordOf(&m.r.Cells[i]), c.Tags) {
			if k.t == nil || k.t.Kind == types.PointerKind {
				k = x
			}
		}
	}
	return k, k.t != nil
}

// room is the type of a register that holds values of the cell, or the mark.
func (k mark) room() program.Type {
	w := flowgraph.Marked(k.t.Word())
	w.Signed = w.Bits < bits64 || w.Signed
	return w
}

// load makes a load of what may be a mark one into a register that has room for it; nil: it may not.
func (m *marking) load(ti int, c, analysed *program.Command) *unwritten {
	k, some := m.in(analysed)
	g := m.u.Threads[ti].Graph
	if !some || g.Regs[c.Reg].Mark != 0 || m.copy(g, c, k) {
		return nil
	}
	if m.twins[ti] == nil {
		m.twins[ti] = map[twin]int{}
	}
	t, ok := m.twins[ti][twin{c.Reg, k.v}]
	if !ok {
		g.Regs = append(g.Regs, program.Register{Type: k.room(), Temp: true, Mark: k.v})
		t = len(g.Regs) - 1
		m.twins[ti][twin{c.Reg, k.v}] = t
	}
	x := &unwritten{thread: ti, reg: c.Reg, twin: t, mark: k, kept: c.Tags.Has(KeptTag)}
	c.Reg, m.changed = t, true
	return x
}

// store keeps what is stored in a cell with a mark among the values of its type, unless it says that the cell is
// unwritten again.
func (m *marking) store(g *flowgraph.Graph, c, analysed *program.Command) {
	if r, ok := c.Value.(program.Reg); ok && g.Regs[r].Mark != 0 {
		m.spread(c, analysed)
		return
	}
	k, some := m.in(analysed)
	switch {
	case !some || c.Tags.Has(markTag):
	case c.Tags.Has(UnsetTag):
		c.Tags = program.NewTags(slices.DeleteFunc(c.Tags.Names(), func(n string) bool { return n == UnsetTag })...).With(markTag)
		c.Value, m.changed = program.Const(k.v), true
	default:
		c.Value = g.Cast(c.Value, k.t.Word())
	}
}

// marked is whether what was loaded is the mark.
func (x *unwritten) marked() program.Expr { return eq(program.Reg(x.twin), program.Const(x.v)) }

// choose puts a choice behind an edge after which x has been loaded.
func (m *marking) choose(i int, x *unwritten) {
	g := m.u.Threads[x.thread].Graph
	at, to, pos := g.Node(g.Edges[i].Pos), g.Edges[i].To, g.Edges[i].Pos
	g.Edges[i].To = at
	ask := func(cond program.Expr, from int, says string) int {
		next := g.Node(pos)
		g.Add(from, next, program.Command{Op: program.Check, Value: flowgraph.Fold(cond), Pick: true, Says: says}, pos)
		return next
	}
	g.Add(ask(program.NotExpr(x.marked()), at, "which is written"), to, program.Command{Op: program.Assign, Reg: x.reg, Value: program.Reg(x.twin)}, pos)
	from := ask(x.marked(), at, "which is not written")
	reg := program.Reg(x.reg)
	switch c := anythingIn(g, x.reg, x.t); {
	case x.is != nil:
		g.Add(from, to, program.Command{Op: program.Assign, Reg: x.reg, Value: x.is}, pos)
	case x.kept:
		g.Add(from, to, program.Command{Op: program.Assign, Reg: x.reg, Value: program.Const(0)}, pos)
	case x.not != nil:
		any := g.Node(pos)
		g.Add(from, any, c, pos)
		g.Add(any, to, program.Command{Op: program.Check, Value: ne(reg, x.not), Pick: true}, pos)
		g.Add(ask(eq(reg, x.not), any, ""), to, program.Command{Op: program.Assign, Reg: x.reg, Value: plus(reg, 1)}, pos)
	default:
		g.Add(from, to, c, pos)
	}
}

// atomic sees to what is done at once. A value is chosen when it has been done: until then all may be true of it
// that is asked, and what is computed from it is unwritten again where it is stored in the same place.
func (m *marking) atomic(ti, gi int, analysed *program.Command, live program.RegSet) {
	g := m.u.Threads[ti].Graph
	body := slices.Clone(g.Edges[gi].Cmd.Body)
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
	g.Edges[gi].Cmd.Body = body
	for _, x := range slices.Backward(after) {
		m.choose(gi, x)
	}
}

// lift lets the rest of a body go on with what x has loaded; it is false where that has no meaning.
func (m *marking) lift(g *flowgraph.Graph, rest []program.Command, load *program.Command, x *unwritten) bool {
	value := program.Expr(program.Reg(x.twin))
	if w := g.Regs[x.reg].Type; w != x.t.Word() {
		value = un(program.Cast(w), value)
	}
	for i := range rest {
		c := &rest[i]
		if flowgraph.Writes(c, x.reg) || c.Addr != nil && flowgraph.Reads(c.Addr, x.reg) {
			return false
		}
		if c.Value == nil || !flowgraph.Reads(c.Value, x.reg) {
			continue
		}
		if b, ok := c.Value.(program.Binary); ok && c.Op == program.Check && b.X == program.Reg(x.reg) && !flowgraph.Reads(b.Y, x.reg) && !slices.ContainsFunc(rest, func(c program.Command) bool {
			return c.Op != program.Check && c.Op != program.Store
		}) {
			switch b.Op {
			case program.Eq:
				x.is = b.Y
			case program.Ne:
				x.not = b.Y
			}
		}
		e := flowgraph.Replace(c.Value, x.reg, value)
		switch {
		case c.Op == program.Check:
			c.Value = flowgraph.Fold(bin(program.LogicalOr, x.marked(), e))
		case c.Op == program.Store && reflect.DeepEqual(c.Addr, load.Addr):
			e = g.Cast(e, x.t.Word())
			c.Value = flowgraph.Fold(bin(program.Add, e, bin(program.Mul, x.marked(), bin(program.Sub, program.Const(x.v), e))))
			c.Tags = c.Tags.With(markTag)
		default:
			return false
		}
	}
	return true
}

// refuse lets the edge i, whose body loads x at k, end what is looked at where that is a mark.
func (m *marking) refuse(g *flowgraph.Graph, i, k int, x *unwritten) {
	body := slices.Clone(g.Edges[i].Cmd.Body)
	body[k].Reg = x.twin
	bound := BoundOf("an atomic operation on what is not written is not modelled")
	bound.Value = program.NotExpr(x.marked())
	at := k + 1
	// All parts of an access are loaded before one of them is looked at: nothing comes between these.
	uses := func(e program.Expr) bool { return e != nil && flowgraph.Reads(e, x.reg) }
	for n := at; n < len(body) && body[n].Op != program.Store && !flowgraph.Writes(&body[n], x.reg) && !uses(body[n].Addr) && !uses(body[n].Value); n++ {
		if body[n].Op == program.Load {
			at = n + 1
		}
	}
	g.Edges[i].Cmd.Body = slices.Insert(body, at, bound, program.Command{Op: program.Assign, Reg: x.reg, Value: program.Reg(x.twin)})
}
