package c

import (
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// maxPrefix bounds how many steps of main are taken while the program is read.
const maxPrefix = 1 << 17

// A prefix is the beginning of main, executed while the program is read. As long as no
// other thread runs, what main does is only one run, and its effects can be in what
// memory and registers hold at first.
type prefix struct {
	u     *unit
	t     *thread
	mem   map[int64]int64
	cells map[int64]*program.Cell
	regs  []int64
	// alone is true of cells that no other thread accesses. Where it is not nil
	// threads may have been started: they run from the beginning then, as what main
	// does until it accesses anything else is nothing to them.
	alone func(addr int64) bool
	// live is, by the cells of local variables, where it stands whether these are there.
	live map[int64]int64
	// unset are the cells that nothing has been written to, and read the registers that matter by the node
	// at which they do.
	unset map[int64]*ctype
	read  []program.RegSet
}

// run executes the beginning of main.
func (u *unit) prefix(p *program.Program, alone func(addr int64) bool) {
	t := u.threads[0]
	x := &prefix{u: u, t: t, mem: map[int64]int64{}, cells: map[int64]*program.Cell{}, alone: alone, unset: u.unsetCells(), read: t.g.live()}
	for i := range p.Memory {
		c := &p.Memory[i]
		x.mem[c.Addr], x.cells[c.Addr] = c.Init, c
	}
	x.live = map[int64]int64{}
	for _, o := range u.objects {
		if o.dies {
			for _, s := range o.cells {
				x.live[o.base+s.off] = o.liveAddr()
			}
		}
	}
	g := t.g
	for _, r := range g.regs {
		x.regs = append(x.regs, r.Init)
	}
	out := g.out()
	q := g.start
	var started []*thread
	written, types := maps.Clone(u.written), u.unsetAtFirst()
	for range maxPrefix {
		// The step must be the only one there is.
		next := -1
		var what *effect
		for _, i := range out[q] {
			f, ok := x.step(&g.edges[i])
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
		c := &g.edges[next].cmd
		if c.Op == program.Atomic && c.Text == createText {
			if alone == nil {
				break
			}
			for _, s := range u.threads {
				if s.start != nil && program.Const(s.start.base) == c.Body[len(c.Body)-1].Addr {
					started = append(started, s)
				}
			}
		}
		x.regs = what.regs
		for a, v := range what.written {
			x.mem[a] = v
			if written[a] = !what.forgets; written[a] {
				delete(x.unset, a)
			} else {
				x.unset[a] = types[a]
			}
		}
		q = g.edges[next].to
	}
	if q == g.start {
		return
	}
	for _, s := range started {
		s.first = true
	}
	u.written = written
	g.start = q
	live := g.live()[q]
	for r := range g.regs {
		g.regs[r].Init = 0
		if live.Has(r) {
			g.regs[r].Init = x.regs[r]
		}
	}
	for a, v := range x.mem {
		u.initial[a] = v
	}
	g.prune()
}

// An effect is what a command does.
type effect struct {
	regs    []int64
	written map[int64]int64
	forgets bool // it says that what is written is unset
}

// step is the effect of a command, or nil where it is disabled; ok is false where it
// cannot be executed beforehand.
func (x *prefix) step(e *edge) (_ *effect, ok bool) {
	c := &e.cmd
	f := &effect{regs: append([]int64(nil), x.regs...), written: map[int64]int64{}}
	body := []program.Command{*c}
	if c.Op == program.Atomic {
		body = c.Body
	}
	create := c.Op == program.Atomic && c.Text == createText
	for i := range body {
		b := &body[i]
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
		case program.Load, program.Store:
			a := f.eval(b.Addr)
			cell, declared := x.cells[a]
			lo, hi, bounded := within(b.Tags)
			if !declared || !fitsTag(wordOf(cell), b.Tags) || bounded && (a < lo || a >= hi) || x.alone != nil && !create && !x.alone(a) && !x.u.argument(a) {
				return nil, false
			}
			if cell, ok := x.live[a]; ok && x.mem[cell] == 0 {
				return nil, false
			}
			if b.Op == program.Store {
				f.written[a] = cell.Type.Wrap(f.eval(b.Value))
				f.forgets = b.Tags.Has(unsetTag)
				continue
			}
			v, ok := f.written[a]
			if !ok {
				if x.unset[a] != nil && !b.Tags.Has(copiedTag) && (c.Op == program.Atomic || x.read[e.to].Has(b.Reg)) {
					return nil, false
				}
				v = x.mem[a]
			}
			x.set(f, b.Reg, v)
		default:
			return nil, false
		}
	}
	return f, true
}

// argument is whether a is the cell for the argument of a thread, which nobody reads before
// that has been started.
func (u *unit) argument(a int64) bool {
	return slices.ContainsFunc(u.threads, func(t *thread) bool { return t.argBox != nil && t.argBox.base == a })
}

func (x *prefix) set(f *effect, r int, v int64) { f.regs[r] = x.t.g.regs[r].Type.Wrap(v) }

func (f *effect) eval(e program.Expr) int64 {
	return program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return f.regs[r] }})
}

// These are what the commands are called that start threads, wait for their ends, and tell of them.
const (
	createText = "create"
	joinText   = "join"
	endText    = "end"
)
