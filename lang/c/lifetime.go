package c

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Local variables are there as long as their blocks are executed. An object of one has a cell
// that is 1 while it is there; stores to it stand where control enters and leaves the block.
// Most such stores go as soon as values have been analysed: where every access that may reach
// the object is by its own thread, at a place that is left before the object is, there is
// nothing to tell (lifetimes). Before the others an assertion looks at the cell (guards.go).
//
// Blocks are told apart by the nodes of the flow graph, so that it makes no difference how one
// is left: by its end, by break, goto or return.

// Scopes with a meaning of their own. All others are blocks, in the order in which they begin.
const (
	nowhere    = -1 // a node that has no end: nothing that comes there counts
	afterwards = 0  // the thread has ended
	wholeLife  = 1  // the thread runs
)

// openScope begins a block and gives the one around it.
func (l *lowerer) openScope() (around int) {
	around = l.scope
	l.parents = append(l.parents, around)
	l.scope = len(l.parents) - 1
	l.land(l.node())
	return around
}

// closeScope ends a block.
func (l *lowerer) closeScope(around int) {
	l.scope = around
	l.land(l.node())
}

// node makes a node of the block that is being read.
func (l *lowerer) node() int {
	q := l.g.Node(l.pos())
	l.scopes = append(l.scopes[:q], l.scope)
	l.reached = append(l.reached[:q], false)
	return q
}

// endsProgram is true of a thread whose end is that of the program: main, where it cannot end without that, and nothing is called then.
func (l *lowerer) endsProgram() bool { return l.thread == 0 && l.result < 0 && !l.u.callsAtEnd() }

// mortal makes an object that is there until the block ends that is being read.
func (l *lowerer) mortal(name string, t *types.Type, scope int) *object {
	if scope == wholeLife && l.endsProgram() {
		return l.object(name, t)
	}
	o := l.u.newObject(l.name+"."+name, t)
	o.thread, o.scope, o.dies = l.thread, scope, true
	o.who = name + ", a local variable of " + l.name
	if f := l.frame.name; f != "" && f != l.name && scope != wholeLife {
		o.who = name + ", a local variable of " + f + " in " + l.name
	}
	l.u.align = l.u.alignment()
	l.u.placeAlone(o)
	l.mortals = append(l.mortals, o)
	return o
}

// onStack makes an object that has been allocated be there until a block ends.
func (l *lowerer) onStack(p value, scope int, name string) {
	if p.site == nil {
		return
	}
	if p.site.stack = true; scope == wholeLife && l.endsProgram() {
		return
	}
	p.site.dies, p.site.who = true, name+", of "+l.name
	if f := l.frame.name; f != "" && f != l.name {
		p.site.who = name + ", of " + f + " in " + l.name
	}
	l.stacked[scope] = append(l.stacked[scope], p.site)
}

// A leaveOp is where a block ends in which something has been allocated on the stack.
type leaveOp struct {
	flowgraph.None
	site *site
}

// Operands implements [flowgraph.Op].
func (op *leaveOp) Operands() []program.Expr { return nil }

// With implements [flowgraph.Op].
func (op *leaveOp) With([]program.Expr, int) flowgraph.Op { return op }

// resolveLeaves says, now that all objects are known, that those are gone whose blocks are left.
func (u *unit) resolveLeaves() {
	for _, t := range u.threads {
		g := t.g
		if g == nil {
			continue
		}
		for i := range len(g.Edges) {
			e := g.Edges[i]
			op, ok := e.Op.(*leaveOp)
			if !ok {
				continue
			}
			at := e.From
			for _, o := range u.pools[op.site] {
				for k := range o.count {
					next := g.Node(e.Pos)
					g.Add(at, next, program.Command{Op: program.Store, Addr: program.Const(o.liveAddr() + k*o.stride), Value: program.Const(0), Tags: lifeTags}, e.Pos)
					at = next
				}
				if o.busy > 0 {
					next := g.Node(e.Pos)
					g.Add(at, next, program.Command{Op: program.Assign, Reg: o.busy, Value: program.Const(0)}, e.Pos)
					at = next
				}
			}
			g.Edges[i] = flowgraph.Edge{From: at, To: e.To, Cmd: program.Skip(), Pos: e.Pos}
		}
	}
}

// lifeTag marks the accesses to the cells that tell whether local variables are there.
const lifeTag = flowgraph.AccessTag + "life"

// carefulTag marks the accesses to an object that are made where it is known to be there.
const carefulTag = flowgraph.AccessTag + "careful"

var lifeTags = program.NewTags(lifeTag, flowgraph.AccessTag+program.BoolType.String())

// markLives writes the stores that tell of local variables.
func (l *lowerer) markLives() {
	l.noteEarlier()
	l.noteNamed()
	if regs := l.skippable[wholeLife]; len(regs) > 0 {
		start := l.g.Start
		l.g.Start = l.node()
		l.scopes[l.g.Start] = wholeLife
		at := l.g.Start
		for i, r := range regs {
			to := start
			if i < len(regs)-1 {
				to = l.node()
				l.scopes[to] = wholeLife
			}
			l.g.Add(at, to, anything(r, l.skipped[r]), l.g.Nodes[start])
			at = to
		}
	}
	if len(l.mortals)+len(l.skippable)+len(l.stacked) == 0 {
		return
	}
	in := map[int][]*object{}
	for _, o := range l.mortals {
		in[o.scope] = append(in[o.scope], o)
	}
	depth := make([]int, len(l.parents))
	for s := wholeLife + 1; s < len(l.parents); s++ {
		depth[s] = depth[l.parents[s]] + 1
	}
	g := l.g
	for i := range len(g.Edges) {
		from, to := l.scopes[g.Edges[i].From], l.scopes[g.Edges[i].To]
		if from == to || to == nowhere {
			continue
		}
		var dead, born []*object
		var unset []int
		var left []*site
		// The thread's whole life is in no block, and what comes after it is in none either.
		for a, b := from, to; a != b; {
			switch {
			case b == afterwards || a != afterwards && depth[a] >= depth[b]:
				dead, left = append(dead, in[a]...), append(left, l.stacked[a]...)
				a = l.parents[a]
			default:
				born = append(born, in[b]...)
				if b != wholeLife {
					unset = append(unset, l.skippable[b]...)
				}
				b = l.parents[b]
			}
		}
		for _, r := range unset {
			next := g.Node(g.Edges[i].Pos)
			g.Add(next, g.Edges[i].To, anything(r, l.skipped[r]), g.Edges[i].Pos)
			g.Edges[i].To, i = next, len(g.Edges)-1
		}
		for _, s := range left {
			next := g.Node(g.Edges[i].Pos)
			g.Operate(next, g.Edges[i].To, &leaveOp{site: s}, g.Edges[i].Pos)
			g.Edges[i].To, i = next, len(g.Edges)-1
		}
		for k, list := range [][]*object{dead, born} {
			for _, o := range list {
				if k == 1 && o.second {
					continue
				}
				next := g.Node(g.Edges[i].Pos)
				if k == 1 && o.twin != nil {
					to := g.Edges[i].To
					g.Edges[i].To = g.Node(g.Edges[i].Pos)
					o.twin.appears(g, g.Edges[i].To, next, o, g.Edges[i].Pos)
					g.Add(next, to, program.Skip(), g.Edges[i].Pos)
					i = len(g.Edges) - 1
					continue
				}
				mark := program.Command{Op: program.Store, Addr: program.Const(o.liveAddr()), Value: program.Const(k), Tags: lifeTags}
				g.Add(next, g.Edges[i].To, mark, g.Edges[i].Pos)
				g.Edges[i].To, i = next, len(g.Edges)-1
			}
		}
	}
}

// liveAddr is the cell that tells whether a local variable is there.
func (o *object) liveAddr() int64 { return o.base + o.liveOff() }

// mortals are the objects that are gone when their blocks are left, by the cells that tell of them.
func (u *lowered) mortals() map[program.Expr]*object {
	all := map[program.Expr]*object{}
	for cell, s := range u.mortalSlots() {
		all[cell] = s.o
	}
	return all
}

// mortalSlots are the same, and where each of them is.
func (u *lowered) mortalSlots() map[program.Expr]slot {
	all := map[program.Expr]slot{}
	for _, o := range u.objects {
		for k := range o.count {
			if o.dies {
				all[program.Const(o.liveAddr()+k*o.stride)] = slot{o.base + k*o.stride, o}
			}
		}
	}
	return all
}

// lives says at which states of a thread its local variables are there whatever has happened.
type lives struct {
	index map[*object]int
	at    []program.RegSet
}

// livesOf computes it for a thread of p.
func (u *lowered) livesOf(p *program.Program, ti int) *lives {
	v := &lives{index: map[*object]int{}}
	byCell := map[int64]int{}
	var first []int
	for _, o := range u.objects {
		if !o.dies || o.thread != ti {
			continue
		}
		k := len(v.index)
		v.index[o] = k
		if o.count > 1 { // which of them is there is not told apart
			continue
		}
		byCell[o.liveAddr()] = k
		if i := p.CellAt(o.liveAddr()); i >= 0 && p.Memory[i].Init == 1 {
			first = append(first, k)
		}
	}
	t := p.Threads[ti]
	n := len(v.index)
	v.at = make([]program.RegSet, len(t.States))
	if n == 0 {
		return v
	}
	v.at[t.Initial] = program.NewRegSet(n)
	for _, k := range first {
		v.at[t.Initial].Add(k)
	}
	out := t.Out()
	work := []program.StateID{t.Initial}
	set := program.NewRegSet(n)
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			e := &t.Edges[i]
			copy(set, v.at[q])
			if e.Cmd.Op == program.Store && e.Cmd.Tags.Has(lifeTag) {
				addr, _ := e.Cmd.Addr.(program.Const)
				if k, ok := byCell[int64(addr)]; ok {
					if e.Cmd.Value == program.Const(1) {
						set.Add(k)
					} else {
						set.Remove(k)
					}
				}
			}
			if v.at[e.To] == nil {
				v.at[e.To] = slices.Clone(set)
				work = append(work, e.To)
				continue
			}
			changed := false
			for w := range set {
				if old := v.at[e.To][w]; old&^set[w] != 0 {
					v.at[e.To][w] &= set[w]
					changed = true
				}
			}
			if changed {
				work = append(work, e.To)
			}
		}
	}
	return v
}

// sure is true where the object is there whenever its thread is at the state.
func (v *lives) sure(q program.StateID, o *object) bool {
	k, ok := v.index[o]
	return ok && v.at[q] != nil && v.at[q].Has(k)
}

// end is where an object ends, or the last one of a pool.
func (o *object) end() int64 { return o.base + (o.count-1)*o.stride + o.size }

// touches is true of a set of addresses of which one is in the object.
func (o *object) touches(set program.ValueSet) bool {
	if set.Empty() || set.Max() < o.base || set.Min() >= o.end() {
		return false
	}
	for k := range o.count {
		for a := o.base + k*o.stride; a < o.base+k*o.stride+o.size; a++ {
			if set.Has(a) {
				return true
			}
		}
	}
	return false
}

// lifetimes finds the local variables that may be accessed when they are gone, and forgets
// when the others are there. It reports whether there are such.
func (u *lowered) lifetimes(p *program.Program, r *program.Ranges) bool {
	var mortals []*object
	for _, o := range u.objects {
		if o.dies {
			mortals = append(mortals, o)
		}
	}
	if len(mortals) == 0 {
		return false
	}
	slices.SortFunc(mortals, func(a, b *object) int { return int(a.base - b.base) })
	doubtful := map[*object]bool{}
	for ti, t := range p.Threads {
		v := u.livesOf(p, ti)
		for i := range t.Edges {
			e := &t.Edges[i]
			e.Cmd.Accesses(func(c *program.Command) {
				set, ok := r.Address[c]
				if !ok || set.Empty() || c.Tags.Has(lifeTag) || c.Tags.Has(carefulTag) {
					return
				}
				lo, hi, array := flowgraph.Within(c.Tags)
				i, _ := slices.BinarySearchFunc(mortals, set.Min(), func(o *object, a int64) int {
					if o.end() <= a {
						return -1
					}
					return 1
				})
				for ; i < len(mortals) && mortals[i].base <= set.Max(); i++ {
					o := mortals[i]
					if array && (o.base >= hi || o.end() <= lo) {
						continue // an assertion will come before it
					}
					if !doubtful[o] && !v.sure(e.From, o) && o.touches(set) && !o.there(c) {
						doubtful[o] = true
					}
				}
			})
		}
	}
	gone, appears := map[program.Expr]bool{}, map[string]bool{}
	for _, o := range mortals {
		if !doubtful[o] && !(o.heap && u.opts.Leaks) {
			o.dies = false
			for k := range o.count {
				gone[program.Const(o.liveAddr()+k*o.stride)] = true
			}
			appears[o.birthTag()] = true
		}
	}
	for _, t := range u.threads {
		for i := range t.g.Edges {
			c := &t.g.Edges[i].Cmd
			if c.Op != program.Store || !c.Tags.Has(lifeTag) {
				continue
			}
			if _, known := c.Addr.(program.Const); known && gone[c.Addr] || !known && slices.ContainsFunc(mortals, func(o *object) bool { return appears[o.birthTag()] && c.Tags.Has(o.birthTag()) }) {
				*c = program.Skip()
			}
		}
	}
	return len(gone) > 0
}

// mayDie marks the cells of the local variables that may be accessed when they are gone.
func (u *lowered) mayDie(r *program.Ranges) []bool {
	dies := make([]bool, len(r.Cells))
	for _, o := range u.objects {
		if o.born || o.heap && u.opts.Leaks {
			for k := range o.count {
				for _, s := range o.cells {
					if i := r.CellIndex(o.base + k*o.stride + s.off); i >= 0 && o.born {
						dies[i] = true
					}
				}
				if i := r.CellIndex(o.liveAddr() + k*o.stride); i >= 0 {
					dies[i] = true
				}
			}
		}
		if !o.dies {
			continue
		}
		for k := range o.count {
			for _, s := range o.cells {
				if i := r.CellIndex(o.base + k*o.stride + s.off); i >= 0 {
					dies[i] = true
				}
			}
			if i := r.CellIndex(o.liveAddr() + k*o.stride); i >= 0 {
				dies[i] = true
			}
		}
	}
	return dies
}
