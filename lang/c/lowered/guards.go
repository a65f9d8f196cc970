package lowered

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Guard gives the program with assertions before the accesses that may go astray: to no object, to
// one that is there no more, or to a part of a scalar, which is not modelled. What
// addresses can be is found out first, so that most accesses need none.
func (u *Unit) Guard() (*program.Program, error) {
	p, r, err := u.values(nil)
	if err != nil {
		return nil, err
	}
	g := &guarding{u: u, p: p, r: r, mortals: u.mortalSlots()}
	g.sort()
	g.markFreed()
	u.Found = Findings{Joins: g.findJoins(), Agree: true, Stays: true, Wary: g.changedBeside()}
	g.findConditions()
	for ti, t := range p.Threads {
		g.ti, g.lives = ti, u.livesOf(p, ti)
		g.thread(t, r.Reachable[ti])
		g.part(t)
	}
	g.liveCells()
	return p, nil
}

// A guarding is the work on one program.
type guarding struct {
	u       *Unit
	p       *program.Program
	r       *program.Ranges
	slots   []slot // ascending
	one     *Object
	ti      int    // the thread
	lives   *lives // of the thread
	seen    map[string]*looked
	mortals map[program.Expr]slot // see mortals
	// The conditions that threads wait for, where it matters who does.
	conditions []program.ValueSet
}

// A slot is one object in memory, alone or of a pool.
type slot struct {
	base int64
	o    *Object
}

func (g *guarding) sort() {
	for _, o := range g.u.Objects {
		for k := range o.Count {
			g.slots = append(g.slots, slot{o.Base + k*o.Stride, o})
		}
	}
	slices.SortFunc(g.slots, func(a, b slot) int {
		if a.base < b.base {
			return -1
		}
		return 1
	})
}

// slotAt is the object that the address is in.
func (g *guarding) slotAt(a int64) (slot, bool) {
	i, _ := slices.BinarySearchFunc(g.slots, a+1, func(s slot, a int64) int {
		switch {
		case s.base < a:
			return -1
		case s.base > a:
			return 1
		}
		return 0
	})
	if i == 0 {
		return slot{}, false
	}
	s := g.slots[i-1]
	return s, a < s.base+s.o.Size
}

// markFreed finds the objects that free may be called with.
func (g *guarding) markFreed() {
	for c, set := range g.r.Address {
		if !c.Tags.Has(flowgraph.FreeTag) {
			continue
		}
		for i := range g.slots {
			s := &g.slots[i]
			if s.o.givenBackBy(c) && !s.o.Freed && set.Has(s.base) {
				s.o.Freed = true
			}
		}
	}
}

// liveCells declares the cells that tell whether objects are there.
func (g *guarding) liveCells() {
	n := len(g.p.Memory)
	for _, s := range g.slots {
		if s.o.Freed && !s.o.born && !g.u.Options.Leaks {
			name := s.o.Name
			if i := g.p.CellAt(s.base); i >= 0 && i < n {
				name = g.p.Memory[i].Name
			}
			g.p.Memory = append(g.p.Memory, program.Cell{Addr: s.base + s.o.LiveOff(), Name: "live " + name, Type: program.BoolType, Init: 1})
		}
	}
	sortCells(g.p.Memory)
}

func sortCells(cells []program.Cell) {
	slices.SortFunc(cells, func(a, b program.Cell) int {
		switch {
		case a.Addr < b.Addr:
			return -1
		case a.Addr > b.Addr:
			return 1
		}
		return 0
	})
}

// thread guards the accesses of a thread.
func (g *guarding) thread(t *program.Thread, reachable []bool) {
	g.relations(t)
	var more []program.Edge
	for q, out := range t.Out() {
		if !reachable[q] {
			continue
		}
		// The guards of all edges that leave a state come first; then the choice.
		at := program.StateID(q)
		var seen []program.Command
		before := func(b program.Command, pos program.Position) {
			b.Pos = pos
			t.States = append(t.States, program.State{Name: fmt.Sprintf("g%d", len(t.States)), Pos: pos})
			next := program.StateID(len(t.States) - 1)
			more = append(more, program.Edge{From: at, To: next, Cmd: b, Pos: pos})
			at = next
		}
		for _, i := range out {
			e := &t.Edges[i]
			if e.Cmd.Op == program.Store && e.Cmd.Tags.Has(LifeTag) && e.Cmd.Value == program.Const(0) && !e.Cmd.Tags.Has(UnwaitedTag) && g.mortals[e.Cmd.Addr].o != nil {
				gone := g.mortals[e.Cmd.Addr]
				for _, b := range g.unwaited(t, program.Const(gone.base), []slot{gone}) {
					before(b, e.Pos)
				}
			}
			e.Cmd.Accesses(func(c *program.Command) {
				set, ok := g.r.Address[c]
				if !ok || c.Tags.Has(LifeTag) || c.Tags.Has(CarefulTag) || slices.ContainsFunc(seen, func(o program.Command) bool { return o.Addr == c.Addr && o.Tags == c.Tags }) {
					if c.Op == program.Store { // as the second part of a read-modify-write
						for _, b := range g.changeable(t, c, g.look(c, set, false)) {
							before(b, e.Pos)
						}
					}
					return
				}
				seen = append(seen, *c)
				guarded := *c
				if c.Tags.Has(flowgraph.ShadowTag) {
					guarded, set = unshadowed(c, set)
				}
				for _, b := range g.before(t, program.StateID(q), &guarded, e.Pos, set) {
					before(b, e.Pos)
				}
				if c.Tags.Has(InitTag) {
					for _, b := range g.unwaitedYet(t, c, set) {
						before(b, e.Pos)
					}
				}
			})
		}
		for _, i := range out {
			e := &t.Edges[i]
			e.From = at
			if e.Cmd.Tags.Has(TouchTag) {
				e.Cmd = program.Skip()
			}
			if c := &e.Cmd; c.Op == program.Load && c.Tags.Has(flowgraph.FreeTag) {
				// free becomes a store to the cell that tells of the object.
				addr := g.liveAddr(c.Addr, g.inside(g.r.Address[c], c), nil)
				e.Cmd = program.Command{Op: program.Store, Addr: addr, Value: program.Const(0), Tags: Tags(target.Plain, types.Bool).With("FREE"), Pos: c.Pos}
			}
		}
	}
	t.Edges = append(t.Edges, more...)
}

// before is what has to come before an access to an address of the set.
func (g *guarding) before(t *program.Thread, q program.StateID, c *program.Command, pos program.Position, set program.ValueSet) []program.Command {
	if set.Empty() {
		return nil
	}
	free := c.Tags.Has(flowgraph.FreeTag)
	k := g.look(c, set, free)
	inside, good := k.inside, k.good
	var cmds []program.Command
	if check, outside := g.insideOf(t, c, set, k, pos); outside {
		cmds = append(cmds, check)
	}
	if c.Op == program.Store {
		cmds = append(cmds, g.changeable(t, c, k)...)
	}
	if !free && len(good) < len(inside) {
		cmds = append(cmds, program.Command{Op: program.Assert, Kind: program.Bound,
			Text:  fmt.Sprintf("line %d accesses a part of a scalar, or one of another size, which is not modelled", pos.Line),
			Value: k.expr("part", c.Addr, func(x program.Expr) program.Expr { return flowgraph.Among(x, good, program.Values(inside...)) })})
	}
	var freed, gone []*Object
	unborn := false
	for _, s := range k.slots {
		foreign := s.o.born && s.o.maker != g.ti
		unborn = unborn || foreign
		switch {
		case s.o.Freed:
			freed = append(freed, s.o)
		case foreign && !slices.Contains(gone, s.o):
			gone = append(gone, s.o)
		case s.o.Dies && !free && !g.lives.sure(q, s.o) && !s.o.there(c) && !slices.Contains(gone, s.o):
			gone = append(gone, s.o)
		}
	}
	if len(freed)+len(gone) == 0 {
		return cmds
	}
	text, what, says := "access to an object that has been freed", "what "+pointer(t, c.Addr)+" points to", "is still there"
	if len(k.slots) == 1 {
		what = k.slots[0].o.Name
	}
	switch {
	case unborn && free:
		text = "free of an object that has been freed, or is not known to be allocated"
	case unborn && len(freed) > 0:
		says = "is known to be allocated, and still there"
		text = "access to an object that has been freed, or is not known to be allocated: malloc does not happen before it"
	case unborn:
		says = "is known to be allocated"
		text = "access to an object that is not known to be allocated: malloc does not happen before it"
	case free:
		text = "free of an object that has been freed"
	case len(gone) == 1 && len(freed) == 0:
		text, what = "access to "+gone[0].Who+", which is no longer there", gone[0].Who
	case len(freed) == 0:
		text = "access to a local variable that is no longer there"
	case len(gone) > 0:
		text = "access to an object that has been freed, or to a local variable that is no longer there"
	}
	t.Regs = append(t.Regs, program.Register{Name: fmt.Sprintf("live%d", len(t.Regs)), Type: program.BoolType, Temp: true})
	r := len(t.Regs) - 1
	how := Tags(target.Plain, types.Bool).With("LIVE")
	switch {
	case unborn:
		how = Tags(target.Relaxed, types.Bool).With("LIVE")
	case len(freed) == 0:
		how = LifeTags
	}
	live := "live"
	for _, o := range gone {
		live = fmt.Sprint(live, " ", o.Base)
	}
	cmds = append(cmds,
		program.Command{Op: program.Load, Reg: r, Addr: k.expr(live, c.Addr, func(x program.Expr) program.Expr { return g.liveAddr(x, inside, gone) }), Tags: how},
		program.Command{Op: program.Assert, Value: ne(program.Reg(r), program.Const(0)), Text: text,
			Says: "check that " + what + " " + says})
	if free && !c.Tags.Has(UnwaitedTag) {
		cmds = append(cmds, g.unwaited(t, c.Addr, k.slots)...)
	}
	return cmds
}

// insideOf is the assertion that an access to an address of the set is in an object; false where it is.
func (g *guarding) insideOf(t *program.Thread, c *program.Command, set program.ValueSet, k *looked, pos program.Position) (program.Command, bool) {
	n, inside := set.Size(), uint64(len(k.inside))
	if inside >= n {
		return program.Command{}, false
	}
	_, _, array := flowgraph.Within(c.Tags)
	text, null := "access outside of any object", k.null
	switch {
	case c.Tags.Has(flowgraph.FreeTag):
		text = "free of what malloc has not given"
	case array:
		text = "access outside of the array"
	case k.stays && !null:
		text = "access outside of the object"
	case null && inside == n-1:
		text = "access through a null pointer"
	case null:
		text = "access through a null pointer, or outside of any object"
	}
	return program.Command{Op: program.Assert, Text: text, Says: g.saysInside(t, c, pos, null, inside < n-1),
		Value: k.expr("outside", c.Addr, func(x program.Expr) program.Expr { return flowgraph.Among(x, k.inside, set) })}, true
}

// A looked is what is found out about the addresses that an access may be to. Programs have many
// accesses to the same.
type looked struct {
	inside, good []int64 // in objects, to the last byte; and where the cell is what the access takes it for
	slots        []slot  // of the objects, in the order of the first address in each
	null         bool    // or null
	stays        bool    // the pointer is moved, but stays in these
	exprs        map[string]program.Expr
}

// look looks at the addresses of a set.
func (g *guarding) look(c *program.Command, set program.ValueSet, free bool) *looked {
	key := []byte(c.Tags.String())
	if vs, ok := set.Few(); ok {
		for _, v := range vs {
			key = binary.AppendVarint(key, v)
		}
	} else {
		key = append(append(key, ' '), set.String()...)
	}
	in, null := g.stays(g.p.Threads[g.ti], c, set)
	for _, s := range in {
		key = binary.AppendVarint(key, s.base)
	}
	if null {
		key = append(key, '0')
	}
	if k, ok := g.seen[string(key)]; ok {
		return k
	}
	k := &looked{inside: g.inside(set, c), exprs: map[string]program.Expr{}, stays: in != nil, null: set.Has(0)}
	if in != nil {
		k.null = null
		k.inside = slices.DeleteFunc(k.inside, func(a int64) bool {
			s, ok := g.slotAt(a)
			return !ok || !slices.Contains(in, s)
		})
	}
	if lo, hi, ok := flowgraph.Within(c.Tags); ok {
		k.inside = slices.DeleteFunc(k.inside, func(a int64) bool { return a < lo || a >= hi })
	}
	if t := Accessed(c.Tags); t != nil && t.Size > 1 {
		k.inside = slices.DeleteFunc(k.inside, func(a int64) bool {
			s, _ := g.slotAt(a)
			return a+t.Size > s.base+s.o.Size && !g.fits(a, c)
		})
	}
	for _, a := range k.inside {
		if s, _ := g.slotAt(a); len(k.slots) == 0 || k.slots[len(k.slots)-1] != s {
			k.slots = append(k.slots, s)
		}
		if !free && g.fits(a, c) {
			k.good = append(k.good, a)
		}
	}
	if g.seen == nil {
		g.seen = map[string]*looked{}
	}
	g.seen[string(key)] = k
	return k
}

// fits is whether there is a cell at an address that is what an access takes it for.
func (g *guarding) fits(a int64, c *program.Command) bool {
	i := g.p.CellAt(a)
	return i >= 0 && flowgraph.FitsTag(wordOf(&g.p.Memory[i]), c.Tags)
}

// hole stands for the address in expressions that are kept.
const hole = program.Reg(1 << 30)

// expr is what f makes of an address; it is called once for every name.
func (k *looked) expr(name string, addr program.Expr, f func(program.Expr) program.Expr) program.Expr {
	if _, ok := addr.(program.Const); ok {
		return f(addr)
	}
	e, ok := k.exprs[name]
	if !ok {
		e = f(hole)
		k.exprs[name] = e
	}
	return flowgraph.Replace(e, int(hole), addr)
}

// givenBackBy is true of an object that a command that stands for free, or for munmap, gives back.
func (o *Object) givenBackBy(c *program.Command) bool {
	return o.Heap && !o.Stack && o.Mapped == c.Tags.Has(UnmapTag)
}

// inside lists the addresses of the set that are in objects, or, for free, where
// those begin that it gives back.
func (g *guarding) inside(set program.ValueSet, c *program.Command) []int64 {
	var in []int64
	set.Spans(func(lo, hi int64) {
		i, _ := slices.BinarySearchFunc(g.slots, lo, func(s slot, a int64) int { return cmp.Compare(s.base+max(1, s.o.Size), a+1) })
		for ; i < len(g.slots) && g.slots[i].base <= hi; i++ {
			s := g.slots[i]
			if c.Tags.Has(flowgraph.FreeTag) {
				if s.o.givenBackBy(c) && s.base >= lo && set.Has(s.base) {
					in = append(in, s.base)
				}
				continue
			}
			for a := max(lo, s.base); a <= min(hi, s.base+s.o.Size-1); a++ {
				if set.Has(a) {
					in = append(in, a)
				}
			}
		}
	})
	return in
}

// liveAddr is where it stands whether the object is there that addr, which is one of inside,
// points into: of those that can be freed, and of the local variables that are listed. For what
// is always there that is a cell that is always 1.
func (g *guarding) liveAddr(addr program.Expr, inside []int64, locals []*Object) program.Expr {
	// Objects lie in slots, at the end of which the cell is; slots have sizes of powers of two.
	bySize := map[int64][]int64{}
	var other []int64
	for _, a := range inside {
		if s, _ := g.slotAt(a); s.o.Freed || slices.Contains(locals, s.o) {
			bySize[s.o.Stride] = append(bySize[s.o.Stride], a)
		} else {
			other = append(other, a)
		}
	}
	if len(bySize) == 0 {
		return addr // nobody comes here
	}
	cell := func(stride int64, as []int64) program.Expr {
		s, _ := g.slotAt(as[0])
		offset := as[0] - s.base
		for _, a := range as {
			if s, _ := g.slotAt(a); a-s.base != offset {
				return plus(bin(program.BitOr, addr, program.Const(stride-1)), -7)
			}
		}
		return plus(addr, stride-8-offset)
	}
	sizes := slices.Sorted(maps.Keys(bySize))
	if len(other) == 0 && len(sizes) == 1 {
		return cell(sizes[0], bySize[sizes[0]])
	}
	always := g.always()
	live := program.Expr(program.Const(always))
	for _, stride := range sizes {
		is := flowgraph.Among(addr, bySize[stride], program.Values(inside...))
		live = flowgraph.Fold(bin(program.Add, bin(program.Mul, is, plus(cell(stride, bySize[stride]), -always)), live))
	}
	return live
}

// always is the address of a cell that is always 1.
func (g *guarding) always() int64 {
	if g.one == nil {
		g.one = g.u.Add("always", types.Bool, []Scalar{{Size: types.Bool.Size, Type: types.Bool, Name: "always"}}, nil)
		g.u.Place(g.one)
		g.one.Init[0] = 1
		g.p.Memory = append(g.p.Memory, program.Cell{Addr: g.one.Base, Name: "always", Type: program.BoolType, Init: 1})
		sortCells(g.p.Memory)
	}
	return g.one.Base
}
