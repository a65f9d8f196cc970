package lowered

import (
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// maxPrefix bounds how many steps of main are taken while the program is read.
const maxPrefix = 1 << 17

// A prefix is the beginning of main, executed while the program is read. As long as no
// other thread runs, what main does is only one run, and its effects can be in what
// memory and registers hold at first.
type prefix struct {
	u     *Unit
	t     *Thread
	mem   map[int64]int64
	cells map[int64]*program.Cell
	regs  []int64
	// alone is true of cells that no other thread accesses. Where it is not nil
	// threads may have been started: they run from the beginning then, as what main
	// does until it accesses anything else is nothing to them.
	alone func(addr int64) bool
	// live is, by the cells of local variables, where it stands whether these are there.
	live map[int64]int64
	// fixed are the cells that nobody may change.
	fixed map[int64]bool
	// unset are the cells that nothing has been written to, and read the registers that matter by the node
	// at which they do.
	unset map[int64]*types.Type
	read  []program.RegSet
	// types are those of the cells that may be unset, and hollow the registers that copy what is, with the bits of them that have been stored to:
	// a store puts that elsewhere.
	types  map[int64]*types.Type
	hollow map[int]uint64
	reals  map[int64]bool   // see reals.go
	partly map[int64]uint64 // of the cells to bit-fields of which alone something has been stored: the bits (partly.go)
}

// A fallback is where main can end to be executed while a copy is half done.
type fallback struct {
	node    int
	regs    []int64
	started int
	undo    []func() // in memory, the last one first
}

// run executes the beginning of main.
func (u *Unit) prefix(p *program.Program, alone func(addr int64) bool) {
	t := u.Threads[0]
	x := &prefix{u: u, t: t, mem: map[int64]int64{}, cells: map[int64]*program.Cell{}, alone: alone, unset: u.unsetCells(), read: t.Graph.Live()}
	for i := range p.Memory {
		c := &p.Memory[i]
		x.mem[c.Addr], x.cells[c.Addr] = c.Init, c
	}
	x.live = map[int64]int64{}
	x.fixed = u.fixedCells()
	for _, o := range u.Objects {
		if o.Dies {
			for k := range o.Count {
				for _, s := range o.Cells {
					x.live[o.Base+k*o.Stride+s.Off] = o.LiveAddr() + k*o.Stride
				}
			}
		}
	}
	g := t.Graph
	for _, r := range g.Regs {
		x.regs = append(x.regs, r.Init)
	}
	out := g.Out()
	q := g.Start
	var started []*Thread
	written := maps.Clone(u.written)
	x.reals, x.partly = maps.Clone(u.Reals), maps.Clone(u.partly)
	x.types = u.unsetAtFirst()
	var back *fallback
	for range maxPrefix {
		// The step must be the only one there is.
		next := -1
		var what *effect
		for _, i := range out[q] {
			f, ok := x.step(&g.Edges[i])
			if !ok || f != nil && next >= 0 {
				next = -1
				break
			}
			if f != nil {
				next, what = i, f
			}
		}
		if next < 0 {
			break
		}
		c := &g.Edges[next].Cmd
		if c.Op == program.Atomic && c.Text == CreateText {
			if alone == nil {
				break
			}
			for _, s := range u.Threads {
				if s.Start != nil && program.Const(s.Start.Base) == c.Body[len(c.Body)-1].Addr {
					started = append(started, s)
				}
			}
		}
		if back == nil && len(what.hollow) > 0 {
			back = &fallback{node: q, regs: x.regs, started: len(started)}
		}
		x.regs, x.hollow = what.regs, what.hollow
		for a, v := range what.written {
			if back != nil {
				mem, was, isReal, unset := x.mem[a], written[a], x.reals[a], x.unset[a]
				bits, partly := x.partly[a]
				back.undo = append(back.undo, func() {
					x.noteReal(a, isReal)
					if delete(x.partly, a); partly {
						x.partly[a] = bits
					}
					if x.mem[a], written[a], x.unset[a] = mem, was, unset; unset == nil {
						delete(x.unset, a)
					}
				})
			}
			if x.mem[a] = v; what.copies {
				u.blank[a] = true
			}
			x.noteReal(a, what.reals[a])
			x.partlyStored(a, what, x.unset[a] != nil)
			if written[a] = !what.forgets[a]; written[a] {
				delete(x.unset, a)
			} else {
				x.unset[a] = x.types[a]
			}
		}
		q = g.Edges[next].To
		maps.DeleteFunc(x.hollow, func(r int, _ uint64) bool { return !x.read[q].Has(r) })
		if len(x.hollow) == 0 {
			x.hollow, back = nil, nil
		}
	}
	if back != nil {
		q, x.regs, started = back.node, back.regs, started[:back.started]
		for _, undo := range slices.Backward(back.undo) {
			undo()
		}
	}
	if q == g.Start {
		return
	}
	for _, s := range started {
		s.First = true
	}
	u.written, u.Reals, u.partly = written, x.reals, x.partly
	g.Start = q
	live := g.Live()[q]
	for r := range g.Regs {
		g.Regs[r].Init = 0
		if live.Has(r) {
			g.Regs[r].Init = x.regs[r]
		}
	}
	for a, v := range x.mem {
		u.initial[a] = v
	}
	g.Prune()
}

// An effect is what a command does.
type effect struct {
	regs    []int64
	written map[int64]int64
	forgets map[int64]bool // what it writes, and is unset then
	copies  bool           // because it copies what is
	hollow  map[int]uint64
	parts   map[int64]uint64 // what it copies of which only some bits have been stored to
	reals   map[int64]bool   // what it writes, and is a part of a number of floating point
	tags    map[int64]program.Tags
}

// step is the effect of a command, or nil where it is disabled; ok is false where it
// cannot be executed beforehand.
func (x *prefix) step(e *flowgraph.Edge) (_ *effect, ok bool) {
	c := &e.Cmd
	f := &effect{regs: append([]int64(nil), x.regs...), written: map[int64]int64{}, tags: map[int64]program.Tags{}, hollow: maps.Clone(x.hollow)}
	body := []program.Command{*c}
	if c.Op == program.Atomic {
		body = c.Body
	}
	if e.Op != nil {
		op, ok := e.Op.(Condition)
		e.Reads(func(r int) { ok = ok && !f.isHollow(r) })
		if !ok || !op.holds(x.u, f.eval) {
			return nil, false
		}
		return f, true
	}
	create := c.Op == program.Atomic && c.Text == CreateText
	for i := range body {
		b := &body[i]
		copies, stored := false, uint64(0)
		if len(f.hollow) > 0 {
			ok := true
			b.Reads(func(r int) { ok = ok && !f.isHollow(r) })
			if from, is := copiedTo(x.t.Graph, b); is && f.isHollow(from) {
				copies, stored = true, f.hollow[from]
			}
			if !ok && !copies {
				return nil, false
			}
			b.Writes(func(r int) { delete(f.hollow, r) })
		}
		switch b.Op {
		case program.Check:
			if f.eval(b.Value) == 0 {
				return nil, true
			}
		case program.Assert:
			if b.Kind == program.Bound || f.eval(b.Value) == 0 {
				return nil, false
			}
		case program.Fence:
		case program.Assign:
			x.set(f, b.Reg, f.eval(b.Value))
			if copies {
				f.hollows(b.Reg, stored)
			}
		case program.Load, program.Store:
			a := f.eval(b.Addr)
			cell, declared := x.cells[a]
			if !declared || !flowgraph.FitsTag(wordOf(cell), b.Tags) {
				x.u.misfits(a, Accessed(b.Tags), c.Op == program.Store)
				return nil, false
			}
			lo, hi, bounded := flowgraph.Within(b.Tags)
			if b.Tags.Has(AlignTag) && a&(int64(wordOf(cell).Bits)/8-1) != 0 || bounded && (a < lo || a >= hi) || x.alone != nil && !create && !x.alone(a) && !x.u.argument(a) {
				return nil, false
			}
			if cell, ok := x.live[a]; ok && (x.mem[cell] == 0 || b.Tags.Has(EarlierTag) && x.u.mayBeRenewed(a)) {
				return nil, false // it is not there, or may be one of another round
			}
			if b.Op == program.Store {
				if x.fixed[a] && !b.Tags.Has(FirstTag) {
					return nil, false
				}
				f.written[a], f.tags[a] = cell.Type.Wrap(f.eval(b.Value)), b.Tags
				if delete(f.reals, a); b.Tags.Has(flowgraph.RealTag) {
					if f.reals == nil {
						f.reals = map[int64]bool{}
					}
					f.reals[a] = true
				}
				if delete(f.parts, a); copies && stored != 0 {
					if _, field := flowgraph.Bits(b.Tags); field {
						return nil, false
					}
					if copies = false; f.parts == nil {
						f.parts = map[int64]uint64{}
					}
					f.parts[a] = stored
				}
				if copies && x.types[a] == nil {
					return nil, false
				}
				f.copies = f.copies || copies
				if delete(f.forgets, a); copies || b.Tags.Has(UnsetTag) {
					if f.forgets == nil {
						f.forgets = map[int64]bool{}
					}
					f.forgets[a] = true
				}
				continue
			}
			v, ok := f.written[a]
			if !ok {
				v = x.mem[a]
			}
			if (f.reals[a] || !ok && x.reals[a]) && !b.Tags.Has(flowgraph.RealTag) {
				return nil, false
			}
			live := c.Op == program.Atomic || x.read[e.To].Has(b.Reg)
			bits, partly := f.partly(x, a)
			if partly && lookedAt(b.Tags, wordOf(cell))&^bits != 0 {
				return nil, false
			}
			if _, field := flowgraph.Bits(b.Tags); partly && live && !field && b.Tags.Has(CopiedTag) && !b.Tags.Has(KeptTag) {
				f.hollows(b.Reg, bits)
			}
			if (f.forgets[a] || !ok && x.unset[a] != nil) && !b.Tags.Has(KeptTag) && live {
				if !b.Tags.Has(CopiedTag) {
					return nil, false
				}
				f.hollows(b.Reg, 0)
			}
			x.set(f, b.Reg, v)
		default:
			return nil, false
		}
	}
	return f, true
}

// isHollow is whether register r copies what is not written, or what only bits of are.
func (f *effect) isHollow(r int) bool {
	_, is := f.hollow[r]
	return is
}

// hollows notes that it does, and which bits have been stored to.
func (f *effect) hollows(r int, stored uint64) {
	if f.hollow == nil {
		f.hollow = map[int]uint64{}
	}
	f.hollow[r] = stored
}

// partly is which bits of a cell alone have been stored to, if that is so.
func (f *effect) partly(x *prefix, a int64) (stored uint64, is bool) {
	if stored, is = f.parts[a]; !is {
		stored, is = x.partly[a]
	}
	return stored, is
}

// argument is whether a is a cell for what a thread is given, which nobody reads before
// that has been started.
func (u *Unit) argument(a int64) bool {
	return slices.ContainsFunc(u.Threads, func(t *Thread) bool {
		return t.ArgBox != nil && t.ArgBox.Base == a || slices.ContainsFunc(t.Copies, func(o *Object) bool { return o.Base == a })
	})
}

func (x *prefix) set(f *effect, r int, v int64) { f.regs[r] = x.t.Graph.Regs[r].Type.Wrap(v) }

func (f *effect) eval(e program.Expr) int64 {
	return program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return f.regs[r] }})
}

// These are what the commands are called that start threads, wait for their ends, and tell of them.
const (
	CreateText = "create"
	JoinText   = "join"
	EndText    = "end"
)
