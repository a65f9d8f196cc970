package operations

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What realloc copies is known when all objects of the heap are, and what munmap and hazard pointers have to do with.

// A Copy copies what realloc keeps from the object at from to the one at to, which was made
// at the site. What from points to, and how large that is, is known when all objects of the
// heap are.
type Copy struct {
	flowgraph.None
	From, To program.Expr
	Site     *Site
}

// Operands implements [flowgraph.Op].
func (op *Copy) Operands() []program.Expr { return []program.Expr{op.From, op.To} }

// With implements [flowgraph.Op].
func (op *Copy) With(x []program.Expr, _ int) flowgraph.Op {
	return &Copy{From: x[0], To: x[1], Site: op.Site}
}

// resolveCopies writes the copies, and what munmap and hazard pointers do, now that all objects are known.
func (u *Unit) resolveCopies() {
	for _, t := range u.lowered.Threads {
		if t.Graph == nil {
			continue
		}
		for i := range len(t.Graph.Edges) {
			e := t.Graph.Edges[i]
			switch op := e.Op.(type) {
			case *Copy:
				u.copies(t.Graph, e, op)
			case *Unmap:
				u.unmap(t.Graph, e, op)
			case *Hazard:
				u.hazard(t.Graph, e, op)
			default:
				continue
			}
			t.Graph.Edges[i] = flowgraph.Edge{From: e.From, To: t.Graph.Node(e.Pos), Cmd: checkOp(program.Const(0)), Pos: e.Pos}
		}
	}
}

// copies writes one copy: where the objects that it can be of are arrays of the same, one way for all of them, since an
// array that grows has many; else a way for every two that the old one and the new one can be.
func (u *Unit) copies(g *flowgraph.Graph, e flowgraph.Edge, op *Copy) {
	made := u.pools[op.Site]
	if len(made) == 0 { // there is none to copy to, which the allocation says
		g.Add(e.From, e.To, program.Skip(), e.Pos)
		return
	}
	longest := slices.MaxFunc(made, func(a, b *lowered.Object) int { return len(a.Cells) - len(b.Cells) })
	uniform := op.Site.Whole && !slices.ContainsFunc(made, func(o *lowered.Object) bool { return !startsAs(o, longest, len(o.Cells)) })
	var alike, all []*lowered.Object
	for _, o := range u.lowered.Objects {
		if !o.Heap || o.Stack || o.Mapped {
			continue
		}
		all = append(all, o)
		if uniform && startsAs(o, longest, fitting(longest, o.Size)) {
			alike = append(alike, o)
			continue
		}
		for _, to := range made {
			q := g.Node(e.Pos)
			g.Add(e.From, q, checkOp(flowgraph.Fold(bin(program.LogicalAnd, u.anyAt(op.To, to), u.anyAt(op.From, o)))), e.Pos)
			g.Add(u.copy(g, q, o, to, op, e.Pos), e.To, program.Skip(), e.Pos)
		}
	}
	if len(alike) > 0 {
		q := g.Node(e.Pos)
		g.Add(e.From, q, checkOp(u.anyAt(op.From, alike...)), e.Pos)
		u.copyArray(g, q, e.To, alike, made, longest, op, e.Pos)
	}
	anything := u.anyAt(op.From, all...)
	if slices.ContainsFunc(made, func(o *lowered.Object) bool { return o.Size == 0 }) { // or null in its place
		g.Add(e.From, e.To, checkOp(flowgraph.Fold(bin(program.LogicalAnd, anything, eq(op.To, program.Const(0))))), e.Pos)
	}
	g.Add(e.From, e.To, checkOp(flowgraph.Fold(program.NotExpr(anything))), e.Pos) // free says what is wrong
}

// fitting is how many cells of an object are among its first bytes.
func fitting(o *lowered.Object, bytes int64) int {
	n := 0
	for n < len(o.Cells) && o.Cells[n].Off+o.Cells[n].Size <= bytes {
		n++
	}
	return n
}

// startsAs is whether the first n cells of both objects are the same.
func startsAs(o, other *lowered.Object, n int) bool {
	return len(o.Cells) >= n && slices.EqualFunc(o.Cells[:n], other.Cells[:n], func(a, b lowered.Scalar) bool { return a.Off == b.Off && a.Type.Word() == b.Type.Word() })
}

// copyArray copies, from the node at on to the node end, one cell after the other for as long as both objects have them.
func (u *Unit) copyArray(g *flowgraph.Graph, at, end int, from, to []*lowered.Object, longest *lowered.Object, op *Copy, pos program.Position) {
	for i, s := range longest.Cells {
		from = slices.DeleteFunc(from, func(o *lowered.Object) bool { return o.Size < s.Off+s.Size })
		to = slices.DeleteFunc(slices.Clone(to), func(o *lowered.Object) bool { return len(o.Cells) <= i })
		both := flowgraph.Fold(bin(program.LogicalAnd, u.anyAt(op.From, from...), u.anyAt(op.To, to...)))
		next := g.Node(pos)
		g.Add(at, end, checkOp(flowgraph.Fold(program.NotExpr(both))), pos)
		g.Add(at, next, checkOp(both), pos)
		at = u.copyCell(g, next, s, op, pos)
	}
	g.Add(at, end, program.Skip(), pos)
}

// copyCell copies one cell, from the node at on.
func (u *Unit) copyCell(g *flowgraph.Graph, at int, s lowered.Scalar, op *Copy, pos program.Position) int {
	g.Regs = append(g.Regs, program.Register{Type: s.Type.Word(), Temp: true})
	r := len(g.Regs) - 1
	if u.lowered.Options.Uninitialised { // what is not written stays so
		g.Regs = append(g.Regs, program.Register{Type: flowgraph.BesideFields, Temp: true})
		is, known, noted := len(g.Regs)-1, g.Node(pos), g.Node(pos)
		g.Add(at, known, program.Command{Op: program.Load, Reg: is, Addr: plus(op.From, s.Off+lowered.ShadowOffset), Tags: lowered.ShadowTags(s.Type)}, pos)
		g.Add(known, noted, program.Command{Op: program.Store, Addr: plus(op.To, s.Off+lowered.ShadowOffset), Value: program.Reg(is), Tags: lowered.ShadowTags(s.Type)}, pos)
		at = noted
	}
	loaded, stored := g.Node(pos), g.Node(pos)
	g.Add(at, loaded, program.Command{Op: program.Load, Reg: r, Addr: plus(op.From, s.Off), Tags: lowered.Tags(target.Plain, s.Type).With(lowered.CopiedTag)}, pos)
	g.Add(loaded, stored, program.Command{Op: program.Store, Addr: plus(op.To, s.Off), Value: program.Reg(r), Tags: lowered.Tags(target.Plain, s.Type)}, pos)
	return stored
}

// anyAt is true of addresses of objects of the pools, and of some in between, which free finds out.
func (u *Unit) anyAt(addr program.Expr, pools ...*lowered.Object) program.Expr {
	is := program.Expr(program.Const(0))
	for i := 0; i < len(pools); {
		lo, last := pools[i].Base, pools[i]
		for i++; i < len(pools) && !u.apart(last, pools[i]); i++ {
			last = pools[i]
		}
		is = flowgraph.Fold(bin(program.LogicalOr, is, flowgraph.Between(addr, lo, last.Base+(last.Count-1)*last.Stride)))
	}
	return is
}

// apart is whether there is an object between two, or the second one comes before the first.
func (u *Unit) apart(x, y *lowered.Object) bool {
	return y.Base < x.Base || slices.ContainsFunc(u.lowered.Objects, func(o *lowered.Object) bool { return x.Base < o.Base && o.Base < y.Base })
}

// copy copies what there is of the object from in the object to, from the node at on.
func (u *Unit) copy(g *flowgraph.Graph, at int, from, to *lowered.Object, op *Copy, pos program.Position) int {
	there := map[int64]lowered.Scalar{}
	for _, s := range from.Cells {
		there[s.Off] = s
	}
	for _, s := range to.Cells {
		if s.Off+s.Size > from.Size {
			break
		}
		if !slices.ContainsFunc(from.Cells, func(c lowered.Scalar) bool { return c.Off < s.Off+s.Size && s.Off < c.Off+c.Size }) {
			at = u.copyGap(g, at, lowered.Interval{Lo: s.Off, Hi: s.Off + s.Size}, to.Type, op, pos)
			continue
		}
		if old, ok := there[s.Off]; !ok || old.Type.Word() != s.Type.Word() {
			bound := g.Node(pos)
			g.Add(at, bound, lowered.BoundOf(fmt.Sprintf("realloc of %s as another type is not modelled", from.Name)), pos)
			g.Bounds = append(g.Bounds, bound)
			at = bound
			break
		}
		at = u.copyCell(g, at, s, op, pos)
	}
	if !op.Site.Whole {
		for _, gap := range lowered.GapsOf(to.Cells, min(from.Size, to.Size)) {
			at = u.copyGap(g, at, gap, to.Type, op, pos)
		}
	}
	return at
}

// copyGap copies what there will turn out to be among these bytes, from the node at on.
func (u *Unit) copyGap(g *flowgraph.Graph, at int, gap lowered.Interval, of *types.Type, op *Copy, pos program.Position) int {
	next := g.Node(pos)
	g.Edges = append(g.Edges, flowgraph.Edge{From: at, To: next, Op: &lowered.GapOp{To: plus(op.To, gap.Lo), From: plus(op.From, gap.Lo), Size: gap.Hi - gap.Lo, Of: of}, Pos: pos})
	return next
}
