package c

import (
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A store to a bit-field stores to the whole unit: in memory to which nothing has been written the bits beside it are 0 from then on. They may be anything
// in C. So nothing is looked at further where a bit-field is read to which its thread has not stored on all ways there, though it has stored
// to others of the unit, and nobody else may have. What is stored to one of several places counts for all of them, and what is copied as written.

// A partOfCell is what is known of a cell: the bits that have been stored to on all ways, and whether something has been on one of them.
type partOfCell struct {
	stored  uint64
	touched bool
}

// partlyStored notes what the prefix knows of a cell when a command has stored to it: the bits that it has stored to, where it has not to all.
func (x *prefix) partlyStored(a int64, tags program.Tags, unset bool) {
	bits, some := flowgraph.Bits(tags)
	before, partly := x.partly[a]
	if some && (unset || partly) && !tags.Has(unsetTag) {
		x.partly[a] = before | bits
	} else {
		delete(x.partly, a)
	}
}

// lookedAt are the bits that a load is about, of a unit that is read as t: all of them where that is no bit-field and more than to copy it.
func lookedAt(tags program.Tags, t program.Type) uint64 {
	bits, some := flowgraph.Bits(tags)
	switch {
	case tags.Has(keptTag), !some && (tags.Has(copiedTag) || accessed(tags) == nil):
		return 0
	case some:
		return bits
	}
	return ^uint64(0) >> (64 - t.Bits)
}

// boundParts has a bound behind each load of a bit-field that nothing may have been stored to, beside others that have been.
func (u *unit) boundParts(p *program.Program, r *program.Ranges) {
	index, first := map[int]int{}, []partOfCell(nil)
	unset, again := u.unsetAtFirst(), map[int64]bool{}
	for _, t := range u.threads {
		maps.Copy(again, forgotten(t))
	}
	each := func(f func(ti, ei int, c *program.Command)) {
		for ti := range u.threads {
			for ei := range p.Threads[ti].Edges {
				p.Threads[ti].Edges[ei].Cmd.Accesses(func(c *program.Command) { f(ti, ei, c) })
			}
		}
	}
	ask := func(i int) {
		a := r.Cells[i].Addr
		bits, partly := u.partly[a]
		if _, there := index[i]; there || unset[a] == nil && u.marks[a].t == nil || u.written[a] && !partly && !again[a] {
			return
		}
		if !partly && u.written[a] {
			bits = ^uint64(0)
		}
		index[i] = len(first)
		first = append(first, partOfCell{bits, u.written[a]})
	}
	for a := range u.partly {
		if i := r.CellIndex(a); i >= 0 {
			ask(i)
		}
	}
	each(func(_, _ int, c *program.Command) {
		if _, some := flowgraph.Bits(c.Tags); some && c.Op == program.Store {
			for _, i := range r.Access[c] {
				ask(i)
			}
		}
	})
	if len(index) == 0 {
		return
	}
	by := make([][]partOfCell, len(u.threads)) // what threads store at all
	for ti := range by {
		by[ti] = make([]partOfCell, len(first))
	}
	each(func(ti, _ int, c *program.Command) {
		for _, i := range r.Access[c] {
			if k, ok := index[i]; ok && c.Op == program.Store && !c.Tags.Has(unsetTag) {
				bits, _ := flowgraph.Bits(c.Tags)
				by[ti][k].stored |= bits
			}
		}
	})
	type found struct{ ti, gi, at int } // at: where in a block
	var all []found
	for ti, t := range u.threads {
		enter := slices.Clone(first)
		for k := range enter {
			for other := range by {
				if other != ti {
					enter[k].stored |= by[other][k].stored
				}
			}
		}
		used := usedLater(t.g)
		partsAlong(p, r, ti, index, enter, func(ei int, at []partOfCell) {
			gi := t.origin[ei]
			if gi < 0 {
				return
			}
			for k, c := range partsOfEdge(&p.Threads[ti].Edges[ei].Cmd) {
				if _, field := flowgraph.Bits(c.Tags); c.Op == program.Load && (field || used[partsOfEdge(&t.g.Edges[gi].Cmd)[k].Reg]) && slices.ContainsFunc(r.Access[c], func(i int) bool {
					k, ok := index[i]
					return ok && at[k].touched && lookedAt(c.Tags, wordOf(&r.Cells[i]))&^at[k].stored != 0
				}) {
					all = append(all, found{ti, gi, k})
				}
			}
		})
	}
	for _, x := range slices.Backward(all) { // those of a block from its end on
		g := u.threads[x.ti].g
		e := &g.Edges[x.gi]
		bound := boundOf("not modelled: a bit-field that nothing has been stored to, beside others of its unit")
		bound.Pos = e.Pos
		if reg := partsOfEdge(&e.Cmd)[x.at].Reg; g.Regs[reg].Mark != 0 { // nothing has been stored to any of them, and any value will be chosen
			bound.Value = eq(program.Reg(reg), program.Const(g.Regs[reg].Mark))
		}
		if e.Cmd.Op == program.Atomic {
			e.Cmd.Body = slices.Insert(slices.Clone(e.Cmd.Body), x.at+1, bound)
			continue
		}
		between, to := g.Node(bound.Pos), e.To
		e.To = between
		g.Add(between, to, bound, bound.Pos)
	}
}

// usedLater are the registers of which, or of whose copies, more is made than copies.
func usedLater(g *flowgraph.Graph) map[int]bool {
	used := usedIn(g)
	for more := true; more; {
		more = false
		for i := range g.Edges {
			for _, c := range partsOfEdge(&g.Edges[i].Cmd) {
				if from, ok := copiedTo(g, c); ok && c.Op == program.Assign && used[c.Reg] && !used[from] {
					used[from], more = true, true
				}
			}
		}
	}
	return used
}

// mayFollow is whether a thread can come along an edge, as far as the values say.
func mayFollow(r *program.Ranges, ti int, e *program.Edge) bool {
	may := r.Reachable[ti][e.To]
	e.Cmd.Accesses(func(c *program.Command) { may = may && !r.Address[c].Empty() })
	return may
}

// partsAlong calls seen for the edges of a thread with what is known of cells before them.
func partsAlong(p *program.Program, r *program.Ranges, ti int, index map[int]int, enter []partOfCell, seen func(edge int, at []partOfCell)) {
	t := p.Threads[ti]
	out := t.Out()
	at := make([][]partOfCell, len(t.States))
	at[t.Initial] = enter
	step := func(c *program.Command, w []partOfCell) {
		c.Accesses(func(c *program.Command) {
			if c.Op != program.Store {
				return
			}
			bits, _ := flowgraph.Bits(c.Tags)
			for _, i := range r.Access[c] {
				k, ok := index[i]
				switch {
				case !ok:
				case !c.Tags.Has(unsetTag):
					w[k].stored, w[k].touched = w[k].stored|bits, true
				case len(r.Access[c]) == 1:
					w[k] = partOfCell{}
				}
			}
		})
	}
	for work := []program.StateID{t.Initial}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			e := &t.Edges[i]
			if !mayFollow(r, ti, e) {
				continue
			}
			w := slices.Clone(at[q])
			step(&e.Cmd, w)
			if at[e.To] == nil {
				at[e.To], work = w, append(work, e.To)
				continue
			}
			less := false
			for k := range w {
				was := at[e.To][k]
				now := partOfCell{was.stored & w[k].stored, was.touched || w[k].touched}
				less = less || now != was
				at[e.To][k] = now
			}
			if less {
				work = append(work, e.To)
			}
		}
	}
	for i := range t.Edges {
		if from := at[t.Edges[i].From]; from != nil {
			seen(i, from)
		}
	}
}
