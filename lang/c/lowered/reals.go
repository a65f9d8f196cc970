package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Numbers of floating point may lie in memory that has other cells: of a union with an integer or a pointer, or in an array of bytes of which parts are
// handed out. They are stored there as integers of the same size, or piece by piece. The bits of constants are known. Of others nothing is known: what is
// stored stands for them, and nobody may take it for anything else. Cells of 32 and of 64 bits hold a number that hardly anybody stores, which may be
// copied; whoever does more with it has come to where nothing is looked at further, as if it has been stored as an integer. In
// smaller cells there is no room for that, and nobody may read them.

// realBits stand for a number of floating point of which nothing is known, by the size in bits: they are signalling NaNs.
var realBits = map[uint8]int64{32: 0x7fa5c3b1, 64: 0x7ff4a5c3b1d27e69}

// notBytes is where somebody reads them.
const notBytes = "not modelled: bytes of a number of floating point"

// noteReal notes whether a cell holds such a part.
func (x *prefix) noteReal(a int64, is bool) {
	if is {
		x.reals[a] = true
	} else {
		delete(x.reals, a)
	}
}

// A realReads is the search in one program for reads of what may be such a part.
type realReads struct {
	u     *Unit
	p     *program.Program
	r     *program.Ranges // nil: not known
	cells []bool          // which of them may hold one
	regs  []map[int]bool  // by thread, the registers that may
	used  []map[int]bool  // by thread, the registers of which more is made than copies
	more  bool            // there are more cells or registers than before
}

// boundReals has a bound where something is read that may be such a part, and that takes it for something else; r is nil where that is not known.
func (u *Unit) boundReals(p *program.Program, r *program.Ranges) {
	x := &realReads{u: u, p: p, r: r}
	if !x.some() {
		return
	}
	for _, t := range u.Threads {
		x.regs, x.used = append(x.regs, map[int]bool{}), append(x.used, usedIn(t.Graph))
	}
	if r != nil {
		x.cells = make([]bool, len(r.Cells))
		for a := range u.Reals {
			if i := r.CellIndex(a); i >= 0 {
				x.cells[i] = true
				if k, ok := realBits[wordOf(&r.Cells[i]).Bits]; ok {
					u.initial[a] = k
				}
			}
		}
		for x.more = true; x.more; {
			x.more = false
			x.each(x.spread)
		}
	}
	x.each(x.bound)
}

// some is whether there is any.
func (x *realReads) some() bool {
	some := len(x.u.Reals) > 0
	for _, t := range x.u.Threads {
		for i := range t.Graph.Edges {
			t.Graph.Edges[i].Cmd.Accesses(func(c *program.Command) { some = some || c.Op == program.Store && c.Tags.Has(flowgraph.RealTag) })
		}
	}
	return some
}

// each calls f for the edges of all threads.
func (x *realReads) each(f func(ti, gi int, analysed *program.Command)) {
	for ti, t := range x.u.Threads {
		for ei, gi := range t.origin {
			if gi >= 0 {
				f(ti, gi, &x.p.Threads[ti].Edges[ei].Cmd)
			}
		}
	}
}

// partsOfEdge are the commands that an edge executes.
func partsOfEdge(c *program.Command) []*program.Command {
	if c.Op != program.Atomic {
		return []*program.Command{c}
	}
	var all []*program.Command
	for k := range c.Body {
		all = append(all, &c.Body[k])
	}
	return all
}

// copiedTo is the register that a command does nothing with but to copy it, as wide as it is, to another one or to memory.
func copiedTo(g *flowgraph.Graph, c *program.Command) (from int, ok bool) {
	r, is := c.Value.(program.Reg)
	if !is {
		return 0, false
	}
	switch bits := g.Regs[r].Type.Bits; c.Op {
	case program.Assign:
		return int(r), g.Regs[c.Reg].Type.Bits == bits
	case program.Store:
		t := Accessed(c.Tags)
		return int(r), t != nil && t.Word().Bits == bits && !flowgraph.Reads(c.Addr, int(r))
	}
	return 0, false
}

// usedIn are the registers of which more is made than copies.
func usedIn(g *flowgraph.Graph) map[int]bool {
	used := map[int]bool{}
	if g.Result >= 0 {
		used[g.Result] = true
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Op != nil {
			e.Reads(func(r int) { used[r] = true })
			continue
		}
		for _, c := range partsOfEdge(&e.Cmd) {
			from, ok := copiedTo(g, c)
			c.Reads(func(r int) { used[r] = used[r] || !ok || r != from })
		}
	}
	return used
}

// spread notes to which cells and registers an edge may copy one.
func (x *realReads) spread(ti, gi int, analysed *program.Command) {
	g := x.u.Threads[ti].Graph
	all := partsOfEdge(&g.Edges[gi].Cmd)
	for k, a := range partsOfEdge(analysed) {
		c := all[k]
		from, copies := copiedTo(g, c)
		copies = copies && x.regs[ti][from]
		switch {
		case c.Op == program.Store && (c.Tags.Has(flowgraph.RealTag) || copies):
			if c.Tags.Has(flowgraph.RealTag) {
				if k, ok := realBits[Accessed(c.Tags).Word().Bits]; ok {
					c.Value = program.Const(k)
				}
			}
			for _, i := range x.r.Access[a] {
				x.more = x.more || !x.cells[i]
				x.cells[i] = true
			}
		case c.Op == program.Load && x.mayBe(c, a) || c.Op == program.Assign && copies:
			x.more = x.more || !x.regs[ti][c.Reg]
			x.regs[ti][c.Reg] = true
		}
	}
}

// mayBe is whether a load may be of such a part, and takes it for something else.
func (x *realReads) mayBe(c, analysed *program.Command) bool {
	return !c.Tags.Has(flowgraph.RealTag) && (x.r == nil || slices.ContainsFunc(x.r.Access[analysed], func(i int) bool { return x.cells[i] }))
}

// tells is whether what is loaded tells whether it is one.
func (x *realReads) tells(g *flowgraph.Graph, c, analysed *program.Command) bool {
	return x.r != nil && !slices.ContainsFunc(x.r.Access[analysed], func(i int) bool {
		bits := wordOf(&x.r.Cells[i]).Bits
		return x.cells[i] && (realBits[bits] == 0 || bits != g.Regs[c.Reg].Type.Bits)
	})
}

// bound puts bounds where an edge reads one.
func (x *realReads) bound(ti, gi int, analysed *program.Command) {
	g := x.u.Threads[ti].Graph
	e := &g.Edges[gi]
	if e.Op != nil {
		return
	}
	pos := analysed.Pos
	never := BoundOf(notBytes)
	never.Pos = pos
	var body, after []program.Command
	for k, a := range partsOfEdge(analysed) {
		c := *partsOfEdge(&e.Cmd)[k]
		from, copies := copiedTo(g, &c)
		load := c.Op == program.Load && x.mayBe(&c, a)
		if load && !x.tells(g, &c, a) {
			c, load = never, false
		}
		if c.Op != program.Load && len(after) > 0 { // all parts of an access are loaded before one of them is looked at
			body, after = append(body, after...), nil
		}
		body = append(body, c)
		if (load || c.Op == program.Assign && copies && x.regs[ti][from]) && x.used[ti][c.Reg] {
			b := never
			b.Value = ne(program.Reg(c.Reg), program.Const(realBits[g.Regs[c.Reg].Type.Bits]))
			after = append(after, b)
		}
	}
	body = append(body, after...)
	if e.Cmd.Op == program.Atomic {
		e.Cmd.Body = body
		return
	}
	e.Cmd = body[0]
	if len(body) > 1 {
		between, to := g.Node(e.Pos), e.To
		e.To = between
		g.Add(between, to, body[1], pos)
	}
}
