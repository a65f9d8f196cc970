package operations

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Sizes of objects, and numbers of threads, have to be known while there is no memory yet, and programs keep them there:
// pool->n = n; pool->threads = malloc(pool->n * sizeof *pool->threads). So main is rehearsed on its graph, from its beginning on and
// as if no other thread did anything. What it reads then is a guess and no more: the program itself compares, where it reads, and a bound
// is met where it reads anything else. Where nobody else stores, that is seen not to happen when there is memory.

const (
	// maxRehearsed bounds how many steps are rehearsed, and maxRehearsals how often that is done: in loops that have been unrolled
	// each round has guesses of its own.
	maxRehearsed, MaxRehearsals = 1 << 15, 3
	// maxForeseen bounds how many sizes of the objects of one place are noted, and maxForeseenSize which.
	maxForeseen, maxForeseenSize = 16, 1 << 12
	// rehearsedHeap is where objects lie in a rehearsal, and rehearsedStride how far apart they are.
	rehearsedHeap, rehearsedStride = int64(1) << 44, int64(1) << 20
)

// A rehearsal is main at a node.
type rehearsal struct {
	g      *flowgraph.Graph
	out    [][]int
	regs   map[int]int64 // those that are known
	mem    map[int64]rehearsed
	zero   map[int64]bool // the objects of the heap in which there is 0 at first
	made   int64
	beside bool // other threads may run
	steps  int
	last   int // the node at which it has ended
	loads  map[int]*guess
	sizes  map[int][]int64
	over   bool       // main has come to its end, or no further
	missed bool       // there are sizes that are not noted
	free   *supposing // nil: what is chosen freely is not known
}

// A rehearsed is what has been stored, by where; of how many bytes.
type rehearsed struct{ size, v int64 }

// A guess is what the load of an edge reads.
type guess struct {
	v           int64
	several     bool
	beside      bool
	first, last int // of the steps
}

// Unforeseen is whether a graph makes objects whose sizes, or how many there are, are not known.
func Unforeseen(g *flowgraph.Graph) bool {
	comp, cyclic := g.Components(g.Out())
	return slices.ContainsFunc(g.Edges, func(e flowgraph.Edge) bool {
		op, ok := e.Op.(*Alloc)
		if !ok {
			return false
		}
		_, known := op.Size.(program.Const)
		return !known || comp[e.From] >= 0 && cyclic[comp[e.From]] && comp[e.From] == comp[e.To]
	})
}

// Foresee makes the graph of main compare what it reads, where sizes or numbers of threads and objects depend on it, with what a rehearsal reads. It
// is false where there is nothing to compare.
func (u *Unit) Foresee(g *flowgraph.Graph) bool {
	x := u.rehearse(g, nil)
	all, only := u.supposed(x)
	for i, sizes := range all {
		op := *g.Edges[i].Op.(*Alloc)
		op.foreseen, op.only = sizes, only
		g.Edges[i].Op = &op
	}
	matter := x.matter()
	comp, _ := g.Components(x.out)
	some, rest := false, -1 // the step up to which guesses rest on what is read
	for i := range x.out {
		for _, k := range x.out[i] {
			e := &g.Edges[k]
			v := x.loads[k]
			// In a loop that it has not come out of there may be other values later.
			if v == nil || v.several || !matter[e.Cmd.Reg] || v.beside && u.Known.Wary || comp[i] >= 0 && comp[i] == comp[x.last] || x.compared(e) {
				continue
			}
			to, r, pos := e.To, program.Reg(e.Cmd.Reg), e.Pos
			loaded, other, over := g.Node(pos), g.Node(pos), g.Node(pos)
			e.To = loaded
			g.Add(loaded, to, checkOp(eq(r, program.Const(v.v))), pos)
			g.Add(loaded, other, checkOp(ne(r, program.Const(v.v))), pos)
			g.Operate(other, over, &flowgraph.Bound{What: fmt.Sprintf("line %d reads something else than main has stored, of which a size or a number of threads depends", pos.Line)}, pos)
			if some = true; v.beside {
				rest = max(rest, v.last)
			}
		}
	}
	for k, v := range x.loads {
		if c := &g.Edges[k].Cmd; v.beside && v.first <= rest {
			c.Tags = c.Tags.With(lowered.ForeseenTag)
		}
	}
	return some
}

// matter are the registers on which it depends how large objects are, and how often the loops go round that make objects and threads.
func (x *rehearsal) matter() map[int]bool {
	regs := map[int]bool{}
	note := func(r int) { regs[r] = true }
	comp, cyclic := x.g.Components(x.out)
	making := make([]bool, len(cyclic))
	within := func(e *flowgraph.Edge) int {
		if c := comp[e.From]; c >= 0 && cyclic[c] && comp[e.To] == c {
			return c
		}
		return -1
	}
	for i := range x.g.Edges {
		e := &x.g.Edges[i]
		if op, ok := e.Op.(*Alloc); ok {
			readsOf(op.Size, note)
		}
		switch e.Op.(type) {
		case *flowgraph.Reserve, flowgraph.Maker:
			if c := within(e); c >= 0 {
				making[c] = true
			}
		}
	}
	for i := range x.g.Edges {
		e := &x.g.Edges[i]
		if c := comp[e.From]; e.Op == nil && e.Cmd.Op == program.Check && c >= 0 && cyclic[c] && making[c] {
			readsOf(e.Cmd.Value, note)
		}
	}
	for n := -1; n < len(regs); {
		n = len(regs)
		for i := range x.g.Edges {
			if e := &x.g.Edges[i]; e.Op == nil && e.Cmd.Op == program.Assign && regs[e.Cmd.Reg] {
				readsOf(e.Cmd.Value, note)
			}
		}
	}
	return regs
}

// readsOf calls f for the registers in an expression.
func readsOf(e program.Expr, f func(int)) {
	program.Walk(e, func(e program.Expr) {
		if r, ok := e.(program.Reg); ok {
			f(int(r))
		}
	})
}

// compared is whether what an edge loads is compared with a guess already.
func (x *rehearsal) compared(e *flowgraph.Edge) bool {
	return slices.ContainsFunc(x.out[e.To], func(i int) bool {
		c := &x.g.Edges[i].Cmd
		b, ok := c.Value.(program.Binary)
		if x.g.Edges[i].Op != nil || c.Op != program.Check || !ok || b.Op != program.Eq || b.X != program.Reg(e.Cmd.Reg) {
			return false
		}
		_, ok = b.Y.(program.Const)
		return ok
	})
}

// rehearse executes main, for as long as it has one way to go that is known.
func (u *Unit) rehearse(g *flowgraph.Graph, free *supposing) *rehearsal {
	x := &rehearsal{g: g, free: free, out: g.Out(), regs: map[int]int64{}, mem: map[int64]rehearsed{}, zero: map[int64]bool{}, loads: map[int]*guess{}, sizes: map[int][]int64{}}
	for _, o := range u.lowered.Objects {
		if o.Unset || o.Heap {
			continue
		}
		for _, s := range o.Cells {
			x.mem[o.Base+s.Off] = rehearsed{s.Size, s.Type.Word().Wrap(o.Init[s.Off])}
		}
	}
	for r := range g.Regs {
		x.regs[r] = g.Regs[r].Init
	}
	x.last = g.Start
	for ; x.steps < maxRehearsed; x.steps++ {
		next := -1
		for _, i := range x.out[x.last] {
			if x.beside && len(x.out[x.last]) > 1 && x.g.Edges[i].Cmd.Op == program.Atomic { // others may decide which way it goes
				return x
			}
			enabled, known := x.enabled(&g.Edges[i])
			if !known || enabled && next >= 0 {
				return x
			}
			if enabled {
				next = i
			}
		}
		if x.over = next < 0; x.over || !x.take(next) {
			return x
		}
		x.last = g.Edges[next].To
	}
	return x
}

// enabled is whether an edge can be taken.
func (x *rehearsal) enabled(e *flowgraph.Edge) (yes, known bool) {
	if e.Op != nil {
		_, bound := e.Op.(*flowgraph.Bound)
		_, asks := e.Op.(*flowgraph.Asks)
		_, waits := e.Op.(*Wait)
		return true, !bound && !asks && !waits
	}
	switch c := &e.Cmd; c.Op {
	case program.Atomic:
		return x.enabledBlock(c.Body)
	case program.Check:
		v, known := x.eval(c.Value)
		return v != 0, known
	case program.Assert:
		v, known := x.eval(c.Value)
		if known && v == 0 && c.Kind != program.Bound { // a violation, with which a run has come to its end
			return false, true
		}
		return true, v != 0 || !known && c.Kind != program.Bound // an assertion of which nothing is known may hold
	}
	return true, true
}

// enabledBlock is whether an atomic block can be taken. What comes before a check in it reads registers of the block.
func (x *rehearsal) enabledBlock(body []program.Command) (yes, known bool) {
	for i := range body {
		body[i].Reads(func(r int) { x.suppose(r) })
	}
	trial := *x
	trial.regs, trial.loads, trial.free = maps.Clone(x.regs), nil, nil
	for i := range body {
		c := &body[i]
		switch c.Op {
		case program.Check:
			if v, known := trial.eval(c.Value); !known || v == 0 {
				return false, known
			}
		case program.Store: // what is checked is read before
		default:
			if !trial.command(c, -1) {
				return false, false
			}
		}
	}
	return true, true
}

// take takes an edge; it is false where it is not known what comes of that.
func (x *rehearsal) take(i int) bool {
	e := &x.g.Edges[i]
	switch op := e.Op.(type) {
	case nil:
	case *Start:
		x.beside = true
		return true
	case *Alloc:
		x.allocate(i, op)
		return true
	case *Copy:
		return x.copy(op)
	default:
		e.Writes(func(r int) { x.set(r, 0, false) })
		return true
	}
	if e.Cmd.Op != program.Atomic {
		return x.command(&e.Cmd, i)
	}
	for k := range e.Cmd.Body {
		if !x.command(&e.Cmd.Body[k], -1) {
			return false
		}
	}
	for k := range e.Cmd.Body {
		if c := &e.Cmd.Body[k]; x.beside && c.Op == program.Load { // others exchange it, too
			delete(x.regs, c.Reg)
		}
	}
	return true
}

// allocate makes an object.
func (x *rehearsal) allocate(i int, op *Alloc) {
	at := rehearsedHeap + x.made*rehearsedStride
	x.made++
	x.regs[op.Reg] = at
	x.zero[at] = op.Site.Zero
	n, known := x.eval(op.Size)
	if large, sure := x.eval(Amount{op.Size, op.Over}.TooLarge()); sure && large != 0 {
		x.regs[op.Reg] = op.Site.none()
		return
	}
	if _, constant := op.Size.(program.Const); constant || slices.Contains(x.sizes[i], n) {
		return
	}
	if !known || n > maxForeseenSize || len(x.sizes[i]) == maxForeseen {
		x.missed = true
	} else if n >= 0 {
		x.sizes[i] = append(x.sizes[i], n)
	}
}

// copy is realloc.
func (x *rehearsal) copy(op *Copy) bool {
	from, known := x.eval(op.From)
	to, ok := x.eval(op.To)
	if !known || !ok {
		return false
	}
	moved := map[int64]rehearsed{}
	for a, m := range x.mem {
		if from <= a && a < from+rehearsedStride {
			moved[a-from+to] = m
		}
	}
	for a, m := range moved {
		x.mem[a] = m
	}
	x.zero[to] = false
	return true
}

func (x *rehearsal) eval(e program.Expr) (v int64, known bool) {
	known = true
	readsOf(e, func(r int) {
		if _, ok := x.regs[r]; !ok && !x.suppose(r) {
			known = false
		}
	})
	if !known {
		return 0, false
	}
	return program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return x.regs[int(r)] }}), true
}

func (x *rehearsal) set(r int, v int64, known bool) {
	x.free.close(r)
	if delete(x.regs, r); known {
		x.regs[r] = x.g.Regs[r].Type.Wrap(v)
	}
}

// command executes a command that is not a block, of edge i; -1: in one.
func (x *rehearsal) command(c *program.Command, i int) bool {
	switch c.Op {
	case program.Assign:
		v, known := x.eval(c.Value)
		x.set(c.Reg, v, known)
	case program.Havoc:
		delete(x.regs, c.Reg)
		x.free.open(c)
	case program.Check, program.Assert, program.Fence, program.Lock, program.Unlock:
	case program.Load:
		v, known := x.load(c)
		if x.set(c.Reg, v, known); i >= 0 {
			x.hear(i, x.regs[c.Reg], known)
		}
	case program.Store:
		a, known := x.eval(c.Addr)
		t := lowered.Accessed(c.Tags)
		if c.Tags.Has(lowered.LifeTag) || c.Tags.Has(flowgraph.ShadowTag) {
			return true
		}
		if !known || t == nil {
			return false
		}
		for k := a - 7; k < a+t.Size; k++ {
			if m, ok := x.mem[k]; ok && k+m.size > a {
				delete(x.mem, k)
			}
		}
		if v, known := x.eval(c.Value); known && !c.Tags.Has(lowered.UnsetTag) {
			x.mem[a] = rehearsed{t.Size, v}
		} else {
			x.mem[a] = rehearsed{} // nothing that is known
		}
	default:
		return false
	}
	return true
}

// load is what a load reads.
func (x *rehearsal) load(c *program.Command) (int64, bool) {
	a, known := x.eval(c.Addr)
	t := lowered.Accessed(c.Tags)
	if !known || t == nil {
		return 0, false
	}
	m, ok := x.mem[a]
	if !ok && a >= rehearsedHeap && x.zero[a&^(rehearsedStride-1)] && !x.overlaps(a, t) {
		return 0, true
	}
	if !ok || m.size != t.Size {
		return 0, false
	}
	return t.Word().Wrap(m.v), true
}

// overlaps is whether anything has been stored to a part of what is at an address.
func (x *rehearsal) overlaps(a int64, t *types.Type) bool {
	for k := a - 7; k < a+t.Size; k++ {
		if m, ok := x.mem[k]; ok && (k >= a || k+m.size > a) {
			return true
		}
	}
	return false
}

// hear notes what the load of an edge reads. Where objects lie in a rehearsal is nothing to know.
func (x *rehearsal) hear(i int, v int64, known bool) {
	known = known && (v < rehearsedHeap || v >= rehearsedHeap+(x.made+1)*rehearsedStride)
	m := x.loads[i]
	if m == nil {
		m = &guess{v: v, first: x.steps}
		x.loads[i] = m
	}
	m.several = m.several || !known || v != m.v
	m.beside, m.last = m.beside || x.beside, x.steps
}
