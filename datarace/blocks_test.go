package datarace_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/fencepost-verifier/fencepost/program"
)

// A blocks makes programs whose steps are of several accesses, of all orders and of none: more of what [datarace.Monitor.Adjacency] has to tell apart than
// front ends write.
type blocks struct {
	rng   *rand.Rand
	p     *program.Program
	role  []role // by cell
	t     *program.Thread
	cur   program.StateID
	apart int // per cent of the accesses that do not keep to the role of their cell
}

// A role is what most accesses to a cell are.
type role uint8

const (
	data role = iota
	sync
	loose
	books
	roles
)

// inBlocks is such a program.
func inBlocks(rng *rand.Rand) *program.Program {
	g := &blocks{rng: rng, apart: rng.IntN(3) * 8, p: &program.Program{Name: "blocks", Arch: program.C11, Default: program.Int32Type}}
	types := []program.Type{program.Int32Type, program.Int32Type, program.BoolType, {Bits: 2}, {Bits: 3, Signed: true}}
	for i := range 2 + rng.IntN(3) {
		typ := types[rng.IntN(len(types))]
		init := int64(0)
		if rng.IntN(4) == 0 {
			init = typ.Wrap(int64(rng.IntN(3)))
		}
		g.p.Memory = append(g.p.Memory, program.Cell{Addr: int64(8 + i), Name: "xyzu"[i : i+1], Type: typ, Init: init})
		g.role = append(g.role, []role{data, data, sync, sync, loose, books}[rng.IntN(6)])
	}
	g.role[0], g.role[1] = data, []role{sync, loose, sync}[rng.IntN(3)]
	n := 2 + rng.IntN(2)
	starts := int64(0)
	if rng.IntN(4) == 0 {
		starts = 20
		g.p.Memory = append(g.p.Memory, program.Cell{Addr: starts, Name: "start1", Type: program.BoolType})
	}
	for ti := range n {
		g.t = &program.Thread{Name: fmt.Sprintf("P%d", ti), Regs: []program.Register{
			{Name: "r0", Type: program.Int32Type}, {Name: "r1", Type: program.Int32Type}, {Name: "r2", Type: program.Type{Bits: 1}}}}
		g.p.Threads = append(g.p.Threads, g.t)
		g.cur = g.state()
		if ti == n-1 && starts != 0 {
			g.t.States[g.cur].Kind = program.Unstarted
			g.emit(program.Start(2, starts, program.NewTags("ACQ")))
		}
		steps := 1 + rng.IntN(9-2*n)
		at := rng.IntN(steps)
		for i := range steps {
			if ti == 0 && starts != 0 && i == at {
				g.emit(program.Command{Op: program.Store, Addr: program.Const(starts), Value: program.Const(1), Tags: g.tag("REL", "REL", "REL", "RLX")})
			}
			g.step()
		}
	}
	return g.p
}

func (g *blocks) tag(names ...string) program.Tags {
	if n := names[g.rng.IntN(len(names))]; n != "" {
		return program.NewTags(n)
	}
	return program.Tags{}
}

func (g *blocks) state() program.StateID {
	q := len(g.t.States)
	g.t.States = append(g.t.States, program.State{Name: fmt.Sprintf("q%d", q)})
	return program.StateID(q)
}

func (g *blocks) edge(from, to program.StateID, c program.Command) {
	g.t.Edges = append(g.t.Edges, program.Edge{From: from, To: to, Cmd: c})
}

func (g *blocks) emit(c program.Command) {
	from := g.cur
	g.cur = g.state()
	g.edge(from, g.cur, c)
}

// step adds what a thread does next.
func (g *blocks) step() {
	switch n := g.rng.IntN(20); {
	case n < 6:
		g.emit(g.access(-1))
	case n < 12:
		g.emit(g.block())
	case n < 14: // waits for a value, or not
		k, r := g.cell(sync), g.rng.IntN(2)
		if g.rng.IntN(2) == 0 {
			k = g.cell(loose)
		}
		c := g.load(k)
		c.Reg = r
		from := g.cur
		g.emit(c)
		is := g.condition(r)
		back := from
		if g.rng.IntN(2) == 0 {
			back = g.state()
		}
		g.edge(g.cur, back, program.Command{Op: program.Check, Value: program.NotExpr(is)})
		g.emit(program.Command{Op: program.Check, Value: is})
	case n < 16: // takes a lock, or does not
		g.take()
	case n < 17:
		g.emit(program.Command{Op: program.Fence, Tags: g.tag("ACQ", "REL", "ACQ_REL", "SC")})
	case n < 18:
		r := g.rng.IntN(2)
		is := g.condition(r)
		from := g.cur
		g.emit(program.Command{Op: program.Check, Value: is})
		end := g.cur
		if g.rng.IntN(2) == 0 {
			end = g.state()
		}
		g.edge(from, end, program.Command{Op: program.Check, Value: program.NotExpr(is)})
	case n < 19:
		g.emit(program.Command{Op: program.Havoc, Reg: g.rng.IntN(3), Lo: 0, Hi: int64(g.rng.IntN(3))})
	default:
		g.emit(program.Command{Op: program.Assert, Value: g.condition(g.rng.IntN(3))})
	}
}

// take takes what is 0, does something, and gives it back; others may look at it.
func (g *blocks) take() {
	k := g.cell(sync)
	addr := program.Const(g.p.Memory[k].Addr)
	l := program.Command{Op: program.Load, Reg: 0, Addr: addr, Tags: g.tag("ACQ", "ACQ", "ACQ", "RLX")}
	from := g.cur
	g.emit(program.Command{Op: program.Atomic, Body: []program.Command{l, {Op: program.Check, Value: program.Binary{Op: program.Eq, X: program.Reg(0), Y: program.Const(0)}},
		{Op: program.Store, Addr: addr, Value: program.Const(1), Tags: g.tag("RLX", "RLX", "REL", "")}}})
	taken := g.cur
	var end program.StateID = -1
	if g.rng.IntN(2) == 0 {
		l.Tags = g.tag("RLX", "ACQ")
		g.cur = from
		g.emit(program.Command{Op: program.Atomic, Body: []program.Command{l, {Op: program.Check, Value: program.Binary{Op: program.Ne, X: program.Reg(0), Y: program.Const(0)}}}})
		if g.rng.IntN(3) == 0 {
			g.emit(g.access(0))
		}
		end = g.cur
	}
	g.cur = taken
	g.emit(g.access(0))
	c := program.Command{Op: program.Store, Addr: addr, Value: program.Const(0), Tags: g.tag("REL", "REL", "REL", "RLX")}
	if end < 0 {
		g.emit(c)
	} else {
		g.edge(g.cur, end, c)
		g.cur = end
	}
}

func (g *blocks) condition(r int) program.Expr {
	return program.Binary{Op: []program.BinaryOp{program.Eq, program.Eq, program.Ne, program.Lt, program.Ge}[g.rng.IntN(5)], X: program.Reg(r), Y: program.Const(g.rng.IntN(3))}
}

// cell is one of a role, if there is one.
func (g *blocks) cell(r role) int {
	for range 20 {
		if k := g.rng.IntN(len(g.role)); g.role[k] == r {
			return k
		}
	}
	return g.rng.IntN(len(g.role))
}

func (g *blocks) addr(k int) program.Expr {
	if k+1 < len(g.role) && g.rng.IntN(12) == 0 {
		return program.Binary{Op: program.Add, X: program.Const(g.p.Memory[k].Addr), Y: program.Binary{Op: program.BitAnd, X: program.Reg(g.rng.IntN(2)), Y: program.Const(1)}}
	}
	return program.Const(g.p.Memory[k].Addr)
}

func (g *blocks) roleOf(k int) role {
	if g.rng.IntN(100) < g.apart {
		return role(g.rng.IntN(int(roles)))
	}
	return g.role[k]
}

func (g *blocks) load(k int) program.Command {
	c := program.Command{Op: program.Load, Reg: g.rng.IntN(3), Addr: g.addr(k)}
	switch g.roleOf(k) {
	case data:
		c.Tags = program.NewTags("NA")
	case sync:
		c.Tags = g.tag("ACQ", "ACQ", "SC", "CON")
	case loose:
		c.Tags = g.tag("RLX", "ACQ", "REL")
	}
	return c
}

func (g *blocks) store(k int) program.Command {
	c := program.Command{Op: program.Store, Addr: g.addr(k), Value: g.value()}
	switch g.roleOf(k) {
	case data:
		c.Tags = program.NewTags("NA")
	case sync:
		c.Tags = g.tag("REL", "REL", "SC")
	case loose:
		c.Tags = g.tag("RLX", "REL", "ACQ")
	}
	return c
}

func (g *blocks) value() program.Expr {
	switch g.rng.IntN(8) {
	case 0:
		return program.Reg(g.rng.IntN(3))
	case 1:
		return program.Binary{Op: program.Add, X: program.Reg(g.rng.IntN(3)), Y: program.Const(1)}
	}
	return program.Const(g.rng.IntN(4))
}

// access is to the cell k, or to any.
func (g *blocks) access(k int) program.Command {
	if k < 0 {
		k = g.rng.IntN(len(g.role))
	}
	if g.rng.IntN(2) == 0 {
		return g.load(k)
	}
	return g.store(k)
}

// block is several accesses in one step, with what comes between them.
func (g *blocks) block() program.Command {
	c := program.Command{Op: program.Atomic}
	if g.rng.IntN(3) == 0 { // a read-modify-write
		k := g.rng.IntN(len(g.role))
		l, s := g.load(k), g.store(k)
		l.Addr = program.Const(g.p.Memory[k].Addr)
		s.Addr = l.Addr
		if g.rng.IntN(2) == 0 {
			s.Value = program.Binary{Op: program.BitAnd, X: program.Binary{Op: program.Add, X: program.Reg(l.Reg), Y: program.Const(1)}, Y: program.Const(3)}
		}
		c.Body = append(c.Body, l)
		if g.rng.IntN(3) == 0 {
			c.Body = append(c.Body, program.Command{Op: program.Check, Value: g.condition(l.Reg)})
		}
		c.Body = append(c.Body, s)
		return c
	}
	for range 2 + g.rng.IntN(3) {
		switch n := g.rng.IntN(12); {
		case n < 8:
			c.Body = append(c.Body, g.access(-1))
		case n < 10:
			c.Body = append(c.Body, program.Command{Op: program.Check, Value: g.condition(g.rng.IntN(3))})
		case n < 11:
			c.Body = append(c.Body, []program.Command{
				{Op: program.Havoc, Reg: g.rng.IntN(3), Lo: 0, Hi: int64(g.rng.IntN(2))},
				{Op: program.Assign, Reg: g.rng.IntN(3), Value: g.value()},
			}[g.rng.IntN(2)])
		default:
			c.Body = append(c.Body, program.Command{Op: program.Assert, Value: g.condition(g.rng.IntN(3))})
		}
	}
	return c
}
