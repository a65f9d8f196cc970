package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// Before there are other threads, nobody can tell when main stores to memory. What it chooses and keeps there, as the
// number of threads that somebody types in, is compared as it has been chosen, and stored behind the comparisons: then it is known how
// little is left of it. That is why a choice that is stored first and looked at then has as few values as one that is not stored.

// An Early is the beginning of a thread, as long as it is the only one.
type Early struct {
	G *Graph
	// Begins is true of a command by which there may be another thread from then on.
	Begins func(c *program.Command) bool
	// Cell is the one that an access is to, if it cannot go astray as long as nothing has been freed; nil: none.
	Cell func(c *program.Command) *program.Cell
	// Frees is true of a command that gives memory back, and Freed of a cell to which that may be done.
	Frees func(c *program.Command) bool
	Freed func(c *program.Cell) bool
	// Wide is true of a choice of so many values that it matters.
	Wide func(c *program.Command) bool
}

// Compare compares choices as they have been chosen. dropped is whether something is not stored any more, since the program ends.
func (x *Early) Compare() (dropped bool) {
	free := x.wide()
	if len(free) == 0 {
		return false
	}
	if x.forward(free) {
		x.G.Tidy()
	}
	if free = x.wide(); len(free) == 0 {
		return false
	}
	moved := x.sink(free)
	if dropped = x.drop(free); moved || dropped {
		x.G.Tidy()
	}
	return dropped
}

// wide are the registers that hold nothing but choices, one of which is of many values.
func (x *Early) wide() map[int]span {
	all := x.G.choices()
	free := map[int]span{}
	for i := range x.G.Edges {
		if c := &x.G.Edges[i].Cmd; x.G.Edges[i].Op == nil && x.Wide(c) {
			if s, ok := all[c.Reg]; ok {
				free[c.Reg] = s
			}
		}
	}
	return free
}

// alone is the nodes that the thread comes to as the only one.
func (x *Early) alone(out [][]int) []bool { return x.before(out, x.Begins) }

// there is the nodes that it comes to before it frees anything.
func (x *Early) there(out [][]int) []bool { return x.before(out, x.Frees) }

// before is the nodes that the thread comes to without such a command, and never by way of one.
func (x *Early) before(out [][]int, such func(c *program.Command) bool) []bool {
	in := make([]bool, len(x.G.Nodes))
	in[x.G.Start] = true
	for work := []int{x.G.Start}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			if e := &x.G.Edges[i]; !such(&e.Cmd) && !in[e.To] {
				in[e.To] = true
				work = append(work, e.To)
			}
		}
	}
	// What it may come to in both ways is not among them.
	var work []int
	late := make([]bool, len(x.G.Nodes))
	for i := range x.G.Edges {
		if e := &x.G.Edges[i]; such(&e.Cmd) && !late[e.To] {
			late[e.To] = true
			work = append(work, e.To)
		}
	}
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			if to := x.G.Edges[i].To; !late[to] {
				late[to] = true
				work = append(work, to)
			}
		}
	}
	for q := range in {
		in[q] = in[q] && !late[q]
	}
	return in
}

// kept is where a command that leaves a node stores a choice, and which.
func (x *Early) kept(c *program.Command, there bool, free map[int]span) (addr int64, reg int, ok bool) {
	r, isReg := c.Value.(program.Reg)
	if c.Op != program.Store || !isReg {
		return 0, 0, false
	}
	s, ok := free[int(r)]
	if !ok {
		return 0, 0, false
	}
	cell := x.whole(c, there)
	if cell == nil {
		return 0, 0, false
	}
	t := WordOf(cell)
	return cell.Addr, int(r), t.Wrap(s.lo) == s.lo && t.Wrap(s.hi) == s.hi
}

// whole is the cell that an access is to, and not to a part of it; nil where there is none. An assertion stands before an access that
// may go astray, as to what has been freed or is const: it must stay where it is. there is whether nothing has been freed before.
func (x *Early) whole(c *program.Command, there bool) *program.Cell {
	if _, ok := c.Addr.(program.Const); !ok {
		return nil
	}
	cell := x.Cell(c)
	if cell == nil || cell.Members != nil || !FitsTag(WordOf(cell), c.Tags) || !there && x.Freed(cell) {
		return nil
	}
	return cell
}

// forward reads a choice where it has been stored to memory and is loaded. It tells whether there is one.
func (x *Early) forward(free map[int]span) (changed bool) {
	g := x.G
	out := g.Out()
	alone, there := x.alone(out), x.there(out)
	kept := make([]map[int64]int, len(g.Nodes)) // what choice is in a cell
	after := func(e *Edge) map[int64]int {
		next := map[int64]int{}
		if e.Op != nil {
			return next
		}
		for a, r := range kept[e.From] {
			next[a] = r
		}
		stores := false
		e.Cmd.Accesses(func(c *program.Command) { stores = stores || c.Op == program.Store })
		e.Cmd.Writes(func(r int) {
			for a, k := range next {
				if k == r {
					delete(next, a)
				}
			}
		})
		if !stores {
			return next
		}
		a, isConst := e.Cmd.Addr.(program.Const)
		if e.Cmd.Op != program.Store || !isConst {
			return map[int64]int{}
		}
		delete(next, int64(a))
		if a, r, ok := x.kept(&e.Cmd, there[e.From], free); ok {
			next[a] = r
		}
		return next
	}
	kept[g.Start] = map[int64]int{}
	for work := []int{g.Start}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			e := &g.Edges[i]
			if !alone[e.To] {
				continue
			}
			next := after(e)
			if kept[e.To] == nil {
				kept[e.To] = next
				work = append(work, e.To)
				continue
			}
			less := false
			for a, r := range kept[e.To] {
				if k, ok := next[a]; !ok || k != r {
					delete(kept[e.To], a)
					less = true
				}
			}
			if less {
				work = append(work, e.To)
			}
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		a, isConst := e.Cmd.Addr.(program.Const)
		if e.Op != nil || e.Cmd.Op != program.Load || !isConst || !alone[e.From] || x.whole(&e.Cmd, there[e.From]) == nil {
			continue
		}
		if r, ok := kept[e.From][int64(a)]; ok {
			e.Cmd = program.Command{Op: program.Assign, Reg: e.Cmd.Reg, Value: program.Reg(r), Pos: e.Cmd.Pos}
			changed = true
		}
	}
	return changed
}

// sink moves stores of choices behind what the thread does in its registers alone. It tells whether there is one.
func (x *Early) sink(free map[int]span) (moved bool) {
	const most = 64
	g := x.G
	for range most {
		out, in := g.Out(), g.ins()
		alone, there := x.alone(out), x.there(out)
		found := -1
		for i := range g.Edges {
			e := &g.Edges[i]
			if _, r, ok := x.kept(&e.Cmd, there[e.From], free); ok && e.Op == nil && alone[e.From] && len(out[e.From]) == 1 && x.passes(e.To, r, out[e.To], in) {
				found = i
				break
			}
		}
		if found < 0 {
			return moved
		}
		moved = true
		store := g.Edges[found]
		for _, i := range out[store.To] {
			next := g.Node(store.Pos)
			g.Edges = append(g.Edges, Edge{From: next, To: g.Edges[i].To, Cmd: store.Cmd, Pos: store.Pos})
			g.Edges[i].From, g.Edges[i].To = store.From, next
		}
		g.Edges[found].From, g.Edges[found].To = store.To, store.To // where nobody comes to any more
		g.Prune()
	}
	return moved
}

// passes is true of a node that one edge leads to, and where nothing happens that has to do with memory or changes register r.
func (x *Early) passes(q, r int, out, in []int) bool {
	if in[q] != 1 || len(out) == 0 || x.G.marked(q) {
		return false
	}
	for _, i := range out {
		switch c := &x.G.Edges[i].Cmd; {
		case x.G.Edges[i].Op != nil:
			return false
		case c.Op == program.Check:
		case c.Op == program.Assign || c.Op == program.Havoc:
			if c.Reg == r {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// drop leaves out stores of choices behind which the program ends.
func (x *Early) drop(free map[int]span) (dropped bool) {
	g := x.G
	out := g.Out()
	alone, there := x.alone(out), x.there(out)
	for i := range g.Edges {
		e := &g.Edges[i]
		if _, _, ok := x.kept(&e.Cmd, there[e.From], free); ok && e.Op == nil && alone[e.From] && len(out[e.To]) == 0 {
			e.Cmd, dropped = program.Skip(), true
		}
	}
	return dropped
}
