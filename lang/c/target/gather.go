package target

import (
	"context"
	"fmt"
	"maps"
	"math/bits"
	"reflect"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// An atomic structure of 16 bytes, such as a pointer with a counter, is two cells, which are loaded, stored and compared
// in one step. Models that are axioms know no step but the read-modify-write of one cell. So for these all of the structure
// becomes one cell of 64 bits, in which each of its members has a share, if nobody stores less than all of it
// at once.
//
// That is the same program as long as each value has room in its share, since then what is loaded of the cell is what was
// stored, and two values of the cell are equal where all members are. What is known to have few values, as
// pointers have since addresses are small numbers here, gets as many bits as these need, and the rest is shared equally.
// Of what is not known to have room, an assertion before the store makes sure;
// where it fails nothing is known of what comes next.
//
// Who loads one member alone loads the cell, which stands for the store that the member is from. That goes for one and the same
// member only: loads of two members are loads of two places, of which the second may give an older store than the first, and
// loads of one cell may not. But all accesses that have a member in common are as if they were to one place.

// maxGathered is how many members a gathered structure has at most.
const maxGathered = 4

// A gathered is the cells of a structure that become one.
type gathered struct {
	offs   []int64 // of the cells, ascending; the first is 0
	bad    bool    // they stay as they are
	shares []share // of the cells, in the whole
	alone  *int    // the member that is loaded without the others; nil: none
}

// A share is where in the whole a member is, and what it holds.
type share struct {
	shift int64
	program.Type
}

// A member is one of the cells of a gathered structure.
type member struct {
	*gathered
	base int64
	n    int
}

// A gathering is the work on one program.
type gathering struct {
	p       *program.Program
	r       *program.Ranges
	members map[int64]member // by address
	worse   bool             // a structure turned out to be bad

	speculation Speculation
	counters    *counters // under models with speculation
}

// Gather makes one cell of each structure that p accesses in single steps, for models with that speculation. The context bounds the
// effort to find out what its values are.
func Gather(ctx context.Context, p *program.Program, speculation Speculation) {
	defer separate(p)
	if !slices.ContainsFunc(p.Threads, func(t *program.Thread) bool {
		return slices.ContainsFunc(t.Edges, func(e program.Edge) bool { return len(storesOf(&e.Cmd)) > 1 })
	}) {
		return
	}
	analyse := program.AnalyseContext
	if speculation != NoSpeculation {
		analyse = program.AnalyseSpeculative
	}
	r, err := analyse(ctx, p)
	if err != nil {
		return
	}
	flowgraph.Confine(p, r)
	g := &gathering{p: p, r: r, speculation: speculation, members: map[int64]member{}}
	if speculation != NoSpeculation {
		g.counters = countersOf(p, r)
	}
	g.each(g.find)
	g.divide()
	for g.worse = true; g.worse; {
		g.worse = false
		g.each(g.try)
		g.guess()
	}
	for ti := range p.Threads {
		g.thread(ti)
	}
	g.memory()
}

func (g *gathering) each(f func(c *program.Command)) {
	for _, t := range g.p.Threads {
		for i := range t.Edges {
			f(&t.Edges[i].Cmd)
		}
	}
}

// storesOf are the stores of a command.
func storesOf(c *program.Command) (all []*program.Command) {
	c.Accesses(func(a *program.Command) {
		if a.Op == program.Store {
			all = append(all, a)
		}
	})
	return all
}

// apart is by how much the address y is greater than x, if they differ by a number.
func apart(x, y program.Expr) (int64, bool) {
	split := func(e program.Expr) (program.Expr, int64) {
		switch e := e.(type) {
		case program.Const:
			return nil, int64(e)
		case program.Binary:
			if k, ok := e.Y.(program.Const); ok && e.Op == program.Add {
				return e.X, int64(k)
			}
		}
		return e, 0
	}
	a, n := split(x)
	b, k := split(y)
	return k - n, reflect.DeepEqual(a, b)
}

// find notes the structures that a command stores to.
func (g *gathering) find(c *program.Command) {
	stores := storesOf(c)
	if len(stores) < 2 {
		return
	}
	var offs []int64
	for i, s := range stores {
		d, ok := apart(stores[0].Addr, s.Addr)
		if !ok || i > 0 && d <= offs[i-1] {
			return
		}
		offs = append(offs, d)
	}
	if len(offs) > maxGathered {
		return
	}
	for _, i := range g.r.Access[stores[0]] {
		base := g.r.Cells[i].Addr
		s := &gathered{offs: offs, bad: offs[len(offs)-1] >= 16}
		for n, d := range offs {
			k := g.p.CellAt(base + d)
			s.bad = s.bad || k < 0
			if m, ok := g.members[base+d]; ok {
				if m.base == base && slices.Equal(m.offs, offs) {
					s = m.gathered
					continue
				}
				m.bad, s.bad = true, true
			}
			g.members[base+d] = member{s, base, n}
		}
	}
}

// divide gives the members of structures their shares, alike in those whose cells have the same types.
func (g *gathering) divide() {
	type shape struct {
		all   []member // the first ones
		needs []int    // bits
	}
	shapes := map[string]*shape{}
	for _, a := range slices.Sorted(maps.Keys(g.members)) {
		m := g.members[a]
		if m.n != 0 || m.bad {
			continue
		}
		var types []program.Type
		for _, d := range m.offs {
			types = append(types, g.cell(m.base+d).Type)
		}
		key := fmt.Sprint(m.offs, types)
		s := shapes[key]
		if s == nil {
			s = &shape{needs: make([]int, len(types))}
			shapes[key] = s
		}
		s.all = append(s.all, m)
		for k, d := range m.offs {
			v := g.r.Cell[g.r.CellIndex(m.base+d)]
			s.needs[k] = max(s.needs[k], min(signedBits(v.Min()), int(types[k].Bits)), min(signedBits(v.Max()), int(types[k].Bits)))
		}
	}
	for _, s := range shapes {
		widths := shareOut(s.needs, flowgraph.WidestBits)
		for _, m := range s.all {
			at := int64(0)
			for k, d := range m.offs {
				c := g.cell(m.base + d)
				t := c.Type
				if int(t.Bits) > widths[k] {
					t = program.Type{Bits: uint8(widths[k]), Signed: true}
				}
				m.shares = append(m.shares, share{at, t})
				at += int64(widths[k])
				m.bad = m.bad || t.Wrap(c.Init) != c.Init || t.Wrap(c.Mark) != c.Mark
			}
		}
	}
}

// signedBits is how many bits v needs in two's complement.
func signedBits(v int64) int { return 1 + bits.Len64(uint64(max(v, ^v))) }

// shareOut gives each what it needs, and those that need more than an equal part of what there is for them that part.
func shareOut(needs []int, total int) (shares []int) {
	shares = make([]int, len(needs))
	for left := len(needs); left > 0; {
		part, modest := total/left, false
		for i, n := range needs {
			if shares[i] == 0 && n <= part {
				shares[i], modest = n, true
				total -= n
				left--
			}
		}
		for i := range needs {
			if shares[i] == 0 && !modest {
				shares[i] = part
				left--
			}
		}
	}
	return shares
}

// at is which member of structures of the same layout a command accesses; not ok where it may access something else,
// and nil where it accesses no structure at all.
func (g *gathering) at(c *program.Command) (m *member, ok bool) {
	ok = true
	for k, i := range g.r.Access[c] {
		x, in := g.members[g.r.Cells[i].Addr]
		in = in && !x.bad
		switch {
		case k == 0 && in:
			m = &x
		case in != (m != nil) || in && (x.n != m.n || !slices.Equal(x.offs, m.offs) || !g.alike(x, *m)):
			ok = false
		}
	}
	return m, ok
}

// reached is false of an access that nobody comes to, such as the store of a compare-and-exchange that never succeeds.
func (g *gathering) reached(c *program.Command) bool { return len(g.r.Access[c]) > 0 }

// alike is true of structures whose cells have the same types.
func (g *gathering) alike(x, y member) bool {
	for _, d := range x.offs {
		if g.cell(x.base+d).Type != g.cell(y.base+d).Type {
			return false
		}
	}
	return true
}

func (g *gathering) cell(a int64) *program.Cell { return &g.p.Memory[g.p.CellAt(a)] }

// spoil takes back the structures that a command accesses.
func (g *gathering) spoil(c *program.Command) {
	c.Accesses(func(a *program.Command) {
		for _, i := range g.r.Access[a] {
			if m, ok := g.members[g.r.Cells[i].Addr]; ok && !m.bad {
				m.bad, g.worse = true, true
			}
		}
	})
}

// try takes back the structures that a command accesses in a way that is none of one cell.
func (g *gathering) try(c *program.Command) {
	if !g.fits(c) {
		g.spoil(c)
	}
}

func (g *gathering) fits(c *program.Command) bool {
	var first *program.Command // access of a structure
	var base *member
	fits, others := true, false
	c.Accesses(func(a *program.Command) {
		if !g.reached(a) {
			return
		}
		m, ok := g.at(a)
		fits = fits && ok && !(a.Part && m != nil)
		if others = others || m == nil; m == nil || !fits {
			return
		}
		if first == nil {
			first, base = a, m
			return
		}
		d, ok := apart(first.Addr, a.Addr)
		fits = fits && ok && slices.Equal(m.offs, base.offs) && d == m.offs[m.n]-base.offs[base.n]
	})
	if !fits || first == nil || others {
		return fits && !(others && first != nil)
	}
	if c.Op == program.Load {
		for _, i := range g.r.Access[c] {
			m := g.members[g.r.Cells[i].Addr]
			if m.alone == nil {
				m.alone = &m.n
			}
			fits = fits && *m.alone == m.n
		}
		return fits
	}
	all := storesOf(c)
	if len(all) > 0 && len(all) != len(base.offs) {
		return false
	}
	for i, s := range all {
		if m, _ := g.at(s); g.reached(s) != g.reached(all[0]) || g.reached(s) && m.n != i {
			return false
		}
	}
	return !g.moves(c)
}

// initialises is true of the stores of atomic_init, which are not atomic.
func initialises(c *program.Command) bool {
	stores := storesOf(c)
	return c.Op == program.Atomic && len(stores) > 1 && stores[0].Tags.Has(OrderTag[Plain])
}

// moves is true of a command that changes a register on which an address or a value that it stores depends, so that
// neither is known before it; and of one that loads after it has stored.
func (g *gathering) moves(c *program.Command) (moves bool) {
	written := map[program.Reg]bool{}
	stored := false
	for i := range c.Body {
		b := &c.Body[i]
		moves = moves || stored && b.Op == program.Load
		stored = stored || b.Op == program.Store
		if b.Op == program.Load || b.Op == program.Store {
			for _, e := range []program.Expr{b.Addr, b.Value} {
				if e != nil {
					program.Walk(e, func(e program.Expr) {
						r, ok := e.(program.Reg)
						moves = moves || ok && written[r]
					})
				}
			}
		}
		b.Writes(func(r int) { written[program.Reg(r)] = true })
	}
	return moves
}

// guess takes back the structures of which it is not known that what is stored has room, where the assertion
// before the store could hide how a number comes about that has none. Who fails it stores nothing more, but under models with
// speculation what comes after such a store may have been seen before the number was loaded, which may be how it came about. Not so
// where the rest of the thread depends on all that the number is computed from by a branch anyway.
func (g *gathering) guess() {
	if g.speculation == NoSpeculation {
		return
	}
	for ti, t := range g.p.Threads {
		for i := range t.Edges {
			e := &t.Edges[i]
			if _, m := g.first(&e.Cmd); m != nil {
				if room := g.room(ti, &e.Cmd, m); room != program.Const(1) && (g.speculation == BeforeBranches || !decided(t, e.From, room)) {
					g.spoil(&e.Cmd)
				}
			}
		}
	}
}

// thread writes the accesses of a thread as those of single cells.
func (g *gathering) thread(ti int) {
	t := g.p.Threads[ti]
	whole := -1      // the register that cells are loaded into
	edges := t.Edges // whose commands are those that are known
	t.Edges = slices.Clone(edges)
	for i := range edges {
		c := &edges[i].Cmd
		first, m := g.first(c)
		if c.Op == program.Atomic && first != nil && !g.reached(first) {
			t.Edges[i].Cmd = program.Command{Op: program.Check, Value: program.Const(0), Pos: c.Pos}
			continue
		}
		if m == nil {
			if initialises(c) {
				steps(t, i, c.Body)
			}
			continue
		}
		if whole < 0 {
			whole = len(t.Regs)
			t.Regs = append(t.Regs, program.Register{Name: "whole", Type: program.Int64Type, Temp: true})
		}
		body := g.body(ti, c, plus(first.Addr, -m.offs[m.n]), m, whole)
		if c.Op == program.Atomic && c.Text != "load" && c.Text != "store" && !flowgraph.IsWide(c) {
			t.Edges[i].Cmd.Body = body
			continue
		}
		steps(t, i, body)
	}
}

// first is the first access of a command, and which member it is to; nil where it is to no gathered structure.
func (g *gathering) first(c *program.Command) (a *program.Command, m *member) {
	c.Accesses(func(b *program.Command) {
		if a == nil {
			a = b
			m, _ = g.at(b)
		}
	})
	return a, m
}

// room is the condition that what a command stores has room, as far as that is not known.
func (g *gathering) room(ti int, c *program.Command, m *member) program.Expr {
	room := program.Expr(program.Const(1))
	for i, s := range storesOf(c) {
		if !g.reached(s) {
			continue
		}
		t := m.shares[i].Type
		if v := g.r.Value(ti, s.Value); v.Min() < t.Min() || v.Max() > t.Max() {
			counts := g.counters != nil && t.Bits >= counterBits && g.counters.is(ti, s.Value)
			if !counts && g.cell(m.base+m.offs[i]).Type.Bits > t.Bits {
				room = flowgraph.Fold(bin(program.LogicalAnd, room, eq(s.Value, un(program.Cast(t), s.Value))))
			}
		}
	}
	return room
}

// body is what a command does with the cell at addr, as far as it is ever done.
func (g *gathering) body(ti int, c *program.Command, addr program.Expr, m *member, whole int) (body []program.Command) {
	all := []*program.Command{c}
	if c.Op == program.Atomic {
		all = nil
		for i := range c.Body {
			all = append(all, &c.Body[i])
		}
	}
	loaded, value := false, program.Expr(program.Const(0))
	stores := 0
	var says []string
	for _, x := range all {
		if (x.Op == program.Load || x.Op == program.Store) && !g.reached(x) {
			break
		}
		b := *x
		switch b.Op {
		case program.Load:
			of, _ := g.at(x)
			if !loaded {
				load := b
				load.Reg, load.Addr = whole, addr
				body, loaded = append(body, load), true
			}
			body = append(body, program.Command{Op: program.Assign, Reg: b.Reg, Pos: b.Pos,
				Value: flowgraph.Fold(un(program.Cast(of.shares[of.n].Type), flowgraph.Fold(bin(program.UShr, program.Reg(whole), program.Const(of.shares[of.n].shift)))))})
			if known := g.known(x); known != nil {
				body = append(body, program.Command{Op: program.Check, Pick: true, Value: flowgraph.OneOf(program.Reg(b.Reg), known), Pos: b.Pos})
			}
		case program.Store:
			w := program.Type{Bits: m.shares[stores].Bits}
			says = append(says, program.FormatExpr(b.Value, g.p.Threads[ti]))
			value = flowgraph.Fold(bin(program.BitOr, value, flowgraph.Fold(bin(program.Shl, flowgraph.Fold(un(program.Cast(w), b.Value)), program.Const(m.shares[stores].shift)))))
			if stores++; stores == len(m.offs) {
				if room := g.room(ti, c, m); room != program.Const(1) {
					body = append(body, program.Command{Op: program.Assert, Kind: program.Bound, Value: room, Pos: b.Pos,
						Text: "a number that has no room in its share of an atomic structure is not modelled",
						Says: "check that what is stored has room in its share of the structure"})
				}
				b.Addr, b.Value, b.Says = addr, value, "{"+strings.Join(says, ", ")+"}"
				body = append(body, b)
			}
		default:
			body = append(body, b)
		}
	}
	return body
}

// known are the values of the cells that a load may be of, where they are few. They do not show in the cell of the whole.
func (g *gathering) known(load *program.Command) (known []int64) {
	for _, i := range g.r.Access[load] {
		few, ok := g.r.Cell[i].Few()
		if !ok {
			return nil
		}
		known = append(known, few...)
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// steps makes edges of the commands of a body.
func steps(t *program.Thread, i int, body []program.Command) {
	e := t.Edges[i]
	at := e.From
	for k, c := range body {
		c.Pos = e.Cmd.Pos
		if k == len(body)-1 {
			t.Edges[i] = program.Edge{From: at, To: e.To, Cmd: c, Pos: e.Pos}
			break
		}
		t.States = append(t.States, program.State{Name: t.States[e.From].Name + "'", Pos: e.Pos})
		next := program.StateID(len(t.States) - 1)
		t.Edges = append(t.Edges, program.Edge{From: at, To: next, Cmd: c, Pos: e.Pos})
		at = next
	}
}

// common is the name of what things with these names are members of.
func common(names []string) string {
	n := names[0]
	for i := range n {
		for _, o := range names[1:] {
			if i >= len(o) || o[i] != n[i] {
				return n[:max(0, strings.LastIndexAny(n[:i], ".["))]
			}
		}
	}
	return n
}

// memory declares the cells that there are now.
func (g *gathering) memory() {
	var cells []program.Cell
	for i := range g.p.Memory {
		c := g.p.Memory[i]
		m, ok := g.members[c.Addr]
		switch {
		case !ok || m.bad:
			cells = append(cells, c)
		case m.n == 0:
			whole := int64(0)
			var names []string
			var members []program.Member
			for k, d := range m.offs {
				one, s := *g.cell(m.base + d), m.shares[k]
				whole |= program.Type{Bits: s.Bits}.Wrap(one.Init) << s.shift
				names = append(names, one.Name)
				members = append(members, program.Member{Type: s.Type, Shift: s.shift, Mark: one.Mark})
			}
			c.Name = common(names)
			for k := range members {
				members[k].Name = strings.TrimPrefix(names[k][len(c.Name):], ".")
			}
			c.Type, c.Init, c.Mark, c.Members = program.Int64Type, whole, 0, program.MembersOf(members)
			cells = append(cells, c)
		}
	}
	g.p.Memory = cells
}

// AtOnce is a bound where several cells are accessed at once.
func AtOnce() program.Command {
	return program.Command{Op: program.Assert, Kind: program.Bound, Value: program.Const(0), Text: "an access to several members of a union at once, which others access, too, is not modelled"}
}

// separate makes bounds of what is left of accesses of several cells that the lowering has kept together.
func separate(p *program.Program) {
	for _, t := range p.Threads {
		for i := range t.Edges {
			if c := t.Edges[i].Cmd; flowgraph.IsWide(&c) {
				steps(t, i, append([]program.Command{AtOnce()}, c.Body...))
			}
		}
	}
}
