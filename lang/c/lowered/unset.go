package lowered

import (
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Memory of an object that is declared without a value, or that malloc gives, may hold anything until
// it is written to. Its cells hold 0 in the program, and this file sees to it that what is read there is
// any value where it is known that nothing was written before: main is not executed beyond such a read
// (prefix.go), a cell that becomes a register has another one beside it that tells whether something has
// been written (optimise.go), what no thread writes to is a choice wherever it is read, and what several threads
// share has a mark in it that whoever reads it tells from a value (marks.go). The registers
// beside others are constants, and go, where all paths to a read have written. What copies structures or bytes
// reads nothing in this sense, and leaves unwritten what it writes so: in memory that has marks then, or by main
// alone (prefix.go). Nor does what puts bit-fields beside others (partly.go).

const (
	// CopiedTag marks loads whose value is only put elsewhere: what is not written is not written there, either.
	CopiedTag = flowgraph.AccessTag + "copied"
	// KeptTag marks loads of what need not have been written, of which only a part that has been counts.
	KeptTag = flowgraph.AccessTag + "kept"
	// UnsetTag marks stores that stand where a local variable is declared once more in a loop, and has lost
	// what it had.
	UnsetTag = flowgraph.AccessTag + "unset"
)

// MaxForgotten is how many scalars a local variable may have to be forgotten when it is declared once more.
const MaxForgotten = 1024

// forgetOnce drops these stores where they are executed once, also when loops have been unrolled, and where always
// is true all of them.
func forgetOnce(g *flowgraph.Graph, always bool) {
	comp, cyclic := g.Components(g.Out())
	times := map[program.Expr]int{}
	for i := range g.Edges {
		if c := &g.Edges[i].Cmd; c.Tags.Has(UnsetTag) {
			times[c.Addr]++
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		again := comp[e.From] >= 0 && cyclic[comp[e.From]] || times[e.Cmd.Addr] > 1
		if e.Op == nil && e.Cmd.Tags.Has(UnsetTag) && (always || !again) {
			e.Cmd = program.Skip()
		}
	}
}

// LibrarySpans adds where there are objects of the library in a t at off: these see to it themselves that they
// are initialised.
func LibrarySpans(t *types.Type, off int64, to [][2]int64) [][2]int64 {
	switch {
	case t.Library:
		return append(to, [2]int64{off, off + t.Size})
	case t.Kind == types.ArrayKind:
		if one := LibrarySpans(t.Elem, 0, nil); one != nil {
			for i := range t.Len {
				to = LibrarySpans(t.Elem, off+i*t.Elem.Size, to)
			}
		}
	case t.Kind == types.StructKind || t.Kind == types.UnionKind:
		for _, f := range t.Fields {
			to = LibrarySpans(f.Type, off+f.Offset, to)
		}
	}
	return to
}

// InSpans is whether an offset is in one of these.
func InSpans(spans [][2]int64, off int64) bool {
	return slices.ContainsFunc(spans, func(s [2]int64) bool { return s[0] <= off && off < s[1] })
}

// unsetAtFirst are the cells of objects that nothing is in at first, with their types, but for those with marks.
func (u *Unit) unsetAtFirst() map[int64]*types.Type {
	unset := map[int64]*types.Type{}
	for _, o := range u.Objects {
		if !o.Unset || u.Options.Uninitialised {
			continue
		}
		skip := LibrarySpans(o.Type, 0, nil)
		for _, s := range o.Cells {
			if InSpans(skip, s.Off) || s.Type.Kind == types.FloatKind {
				continue
			}
			for k := range o.Count {
				if a := o.Base + k*o.Stride + s.Off; u.marks[a].v == 0 {
					unset[a] = s.Type
				}
			}
		}
	}
	return unset
}

// unsetCells are those of them to which main has not written before the threads begin.
func (u *Unit) unsetCells() map[int64]*types.Type {
	unset := u.unsetAtFirst()
	maps.DeleteFunc(unset, func(a int64, _ *types.Type) bool { return u.written[a] })
	return unset
}

// forgotten are the cells of which some store says that they are unset again.
func forgotten(t *Thread) map[int64]bool {
	cells := map[int64]bool{}
	for i := range t.Graph.Edges {
		if c := &t.Graph.Edges[i].Cmd; c.Tags.Has(UnsetTag) {
			if a, ok := c.Addr.(program.Const); ok {
				cells[int64(a)] = true
			}
		}
	}
	return cells
}

// A promotion is a cell that becomes a register, and the register beside it that tells whether something has been
// written; -1: that is known.
type promotion struct {
	reg, set int
	t        *types.Type
}

// choose puts before whatever leaves node q a choice of what the cells hold to which nothing has been written.
func choose(g *flowgraph.Graph, q int, cells []promotion) {
	pos := g.Nodes[q]
	rest := g.Node(pos)
	for i := range g.Edges {
		if g.Edges[i].From == q {
			g.Edges[i].From = rest
		}
	}
	for i, c := range cells {
		next := rest
		if i < len(cells)-1 {
			next = g.Node(pos)
		}
		isSet := program.Reg(c.set)
		any, then := g.Node(pos), g.Node(pos)
		g.Add(q, next, checkOp(ne(isSet, program.Const(0))), pos)
		g.Add(q, any, checkOp(eq(isSet, program.Const(0))), pos)
		g.Add(any, then, Anything(c.reg, c.t), pos)
		g.Add(then, next, program.Command{Op: program.Assign, Reg: c.set, Value: program.Const(1)}, pos)
		q = next
	}
}

// getInstead puts a command after the load of an edge that gives another value to the register.
func getInstead(g *flowgraph.Graph, i int, c program.Command) {
	e := &g.Edges[i]
	reg := e.Cmd.Reg
	g.Regs = append(g.Regs, program.Register{Type: g.Regs[reg].Type, Temp: true})
	e.Cmd.Reg = len(g.Regs) - 1
	between, to, pos := g.Node(e.Pos), e.To, e.Pos
	e.To = between
	g.Add(between, to, c, pos)
}

// uncounted is true of a load that may be of what is not written, and reads nothing then: if it copies that, it is
// not so there (marks.go).
func uncounted(c *program.Command) bool { return c.Tags.Has(CopiedTag) || c.Tags.Has(KeptTag) }

// chosen is the type of what a load reads where no thread writes to any of these cells, nor has main before, or
// nil.
func (u *Unit) chosen(r *program.Ranges, cells []int, unset map[int64]*types.Type, c *program.Command) *types.Type {
	for _, i := range cells {
		if unset[r.Cells[i].Addr] == nil || !r.ReadOnly(i) || uncounted(c) || !flowgraph.FitsTag(wordOf(&r.Cells[i]), c.Tags) {
			return nil
		}
		if lo, hi, ok := flowgraph.Within(c.Tags); ok && (r.Cells[i].Addr < lo || r.Cells[i].Addr >= hi) {
			return nil
		}
	}
	return unset[r.Cells[cells[0]].Addr]
}
