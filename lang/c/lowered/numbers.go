package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Marks of 64 bits are numbers. Nothing is looked at beyond where one is stored as a number, or loaded of a cell that has
// it at first.

// unusual is a number that cells of 64 bits do not hold, as far as values are known, or few of them: one of few digits, or
// else one that no other type has.
func (m *marking) unusual() (best int64) {
	least := -1
	for _, far := range []int64{0, 1 << 48} {
		for k := far + 11; k < far+1<<10; k += 16 { // where there is no object, and no function
			for _, k := range []int64{k, -k} {
				held := 0
				for i, c := range m.r.Cells {
					if c.Type.Bits == bits64 && m.r.Cell[i].Has(k) {
						held++
					}
				}
				if least < 0 || held < least {
					best, least = k, held
				}
			}
		}
	}
	return best
}

// numbers sees to it that none is taken for a mark.
func (m *marking) numbers() {
	// Which cells are loaded by who asks for the mark, and may hold it as a number.
	asked, atFirst := make([]bool, len(m.r.Cells)), make([]bool, len(m.r.Cells))
	each := func(f func(ti, gi, k int, c, analysed *program.Command)) {
		for ti, t := range m.u.Threads {
			for ei, gi := range t.origin {
				if gi < 0 {
					continue
				}
				c, analysed := &t.Graph.Edges[gi].Cmd, &m.p.Threads[ti].Edges[ei].Cmd
				f(ti, gi, -1, c, analysed)
				for k := range analysed.Body {
					f(ti, gi, k, &c.Body[k], &analysed.Body[k])
				}
			}
		}
	}
	each(func(ti, _, _ int, c, analysed *program.Command) {
		if c.Op != program.Load || !m.asks(ti, c.Reg) {
			return
		}
		for _, i := range m.r.Access[analysed] {
			asked[i] = true
			atFirst[i] = m.r.Cells[i].Mark == 0 && m.r.Cells[i].Init == m.wide
		}
	})
	type end struct {
		ti, gi, k int
		unless    program.Expr
	}
	var ends []end
	each(func(ti, gi, k int, c, analysed *program.Command) {
		in := func(cells []bool) bool {
			return slices.ContainsFunc(m.r.Access[analysed], func(i int) bool { return cells[i] })
		}
		isMark := func(e program.Expr) program.Expr { return eq(e, program.Const(m.wide)) }
		switch {
		case c.Op == program.Load && m.asks(ti, c.Reg) && in(atFirst):
			ends = append(ends, end{ti, gi, k + 1, program.NotExpr(isMark(program.Reg(c.Reg)))})
		case c.Op != program.Store || !in(asked) || !m.r.Value(ti, analysed.Value).Has(m.wide):
		case !c.Tags.Has(markTag):
			ends = append(ends, end{ti, gi, k, program.NotExpr(isMark(c.Value))})
		case k >= 0 && !flowgraph.Atom(c.Value):
			// What has been computed at once from what may be a mark, and is none.
			for _, l := range m.u.Threads[ti].Graph.Edges[gi].Cmd.Body[:k] {
				if l.Op == program.Load && m.asks(ti, l.Reg) {
					ends = append(ends, end{ti, gi, k, flowgraph.Fold(bin(program.LogicalOr, isMark(program.Reg(l.Reg)), program.NotExpr(isMark(c.Value))))})
				}
			}
		}
	})
	for _, x := range slices.Backward(ends) { // of a body the last one first
		g := m.u.Threads[x.ti].Graph
		e := &g.Edges[x.gi]
		bound := BoundOf("not modelled: a number that is stored, and stands for what is not written")
		bound.Value, bound.Pos = x.unless, e.Pos
		if e.Cmd.Op == program.Atomic {
			e.Cmd.Body = slices.Insert(slices.Clone(e.Cmd.Body), x.k, bound)
			continue
		}
		between := g.Node(e.Pos)
		first, then := bound, e.Cmd
		if then.Op == program.Load {
			first, then = then, first
		}
		to := e.To
		e.Cmd, e.To = first, between
		g.Add(between, to, then, e.Pos)
	}
}

// asks is whether a register of a thread holds marks of 64 bits.
func (m *marking) asks(ti, r int) bool {
	reg := m.u.Threads[ti].Graph.Regs[r]
	return reg.Mark != 0 && reg.Type.Bits == bits64
}
