package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A copy of what is not written is not written, either: a register that copies load, and that does nothing but to be
// stored, holds marks as well as values, and so may the cells that it is stored to. What does more with what it copies, as
// who takes a member of a union out of the bytes of others, chooses a value when it does.

// copy lets what a load copies be the mark k; it is false where more is done with that.
func (m *marking) copy(g *flowgraph.Graph, c *program.Command, k mark) bool {
	r := &g.Regs[c.Reg]
	if !c.Tags.Has(CopiedTag) || r.Type.Bits != k.t.Word().Bits || !carries(g, c.Reg) {
		return false
	}
	r.Type, r.Mark, m.changed = k.room(), k.v, true
	return true
}

// carries is whether nothing but copies load register r, and nothing is done with it but to store it, as wide as it is.
func carries(g *flowgraph.Graph, r int) bool {
	if r == g.Result {
		return false
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		used := false
		use := func(x int) { used = used || x == r }
		e.Reads(use)
		e.Writes(use)
		if !used {
			continue
		}
		body := e.Cmd.Body
		if e.Cmd.Op != program.Atomic {
			body = []program.Command{e.Cmd}
		}
		if e.Op != nil || slices.ContainsFunc(body, func(c program.Command) bool {
			switch {
			case flowgraph.Writes(&c, r):
				return c.Op != program.Load || !c.Tags.Has(CopiedTag) || flowgraph.Reads(c.Addr, r)
			case flowgraph.ReadAfter([]program.Command{c}, r):
				from, copies := copiedTo(g, &c)
				return c.Op != program.Store || !copies || from != r
			}
			return false
		}) {
			return false
		}
	}
	return true
}

// spread gives marks to the cells to which one may be stored.
func (m *marking) spread(c, analysed *program.Command) {
	if m.types == nil {
		m.types = map[int64]*types.Type{}
		for _, o := range m.u.Objects {
			for k := range o.Count {
				for _, s := range o.Cells {
					m.types[o.Base+k*o.Stride+s.Off] = s.Type
				}
			}
		}
	}
	unset := m.u.unsetCells()
	for _, i := range m.r.Access[analysed] {
		a := m.r.Cells[i].Addr
		if t := m.types[a]; t != nil && m.u.marks[a].t == nil && flowgraph.FitsTag(m.r.Cells[i].Type, c.Tags) {
			if k := m.give(a, t); unset[a] != nil {
				m.u.initial[a] = k.v
			}
		}
	}
	c.Tags = c.Tags.With(markTag)
}
