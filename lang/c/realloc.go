package c

import (
	"fmt"
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A copyOp copies what realloc keeps from the object at from to the one at to, which was made
// at the site. What from points to, and how large that is, is known when all objects of the
// heap are.
type copyOp struct {
	flowgraph.None
	from, to program.Expr
	site     *site
}

// Operands implements [flowgraph.Op].
func (op *copyOp) Operands() []program.Expr { return []program.Expr{op.from, op.to} }

// With implements [flowgraph.Op].
func (op *copyOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &copyOp{from: x[0], to: x[1], site: op.site}
}

// realloc makes a new object, copies what fits into it, and gives the old one back. It always
// moves the object: who goes on with the old pointer is wrong in any case. Where there is no memory the old one stays. It is whole where there
// are elements of type t in it, and nothing else.
func (l *lowerer) realloc(n cc.Node, old value, size amount, t *types.Type, whole bool) value {
	v := l.allocation(n, size, false, t)
	l.noMemory(size)
	if v.site == nil {
		return v
	}
	yes, end := l.node(), l.node()
	l.split(bin(program.LogicalAnd, ne(old.e, program.Const(0)), program.NotExpr(size.tooLarge())), yes, end)
	l.cur = yes
	v.site.whole = whole
	l.operate(&copyOp{from: old.e, to: v.e, site: v.site})
	l.emit(program.Command{Op: program.Load, Reg: l.temp(types.UnsignedLong), Addr: old.e, Tags: program.NewTags(flowgraph.FreeTag)})
	l.land(end)
	return v
}

// resolveCopies writes the copies, and what munmap and hazard pointers do, now that all objects are known.
func (u *unit) resolveCopies() {
	for _, t := range u.threads {
		if t.g == nil {
			continue
		}
		for i := range len(t.g.Edges) {
			e := t.g.Edges[i]
			switch op := e.Op.(type) {
			case *copyOp:
				u.copies(t.g, e, op)
			case *unmapOp:
				u.unmap(t.g, e, op)
			case *hazardOp:
				u.hazard(t.g, e, op)
			default:
				continue
			}
			t.g.Edges[i] = flowgraph.Edge{From: e.From, To: t.g.Node(e.Pos), Cmd: checkOp(program.Const(0)), Pos: e.Pos}
		}
	}
}

// copies writes one copy: where the objects that it can be of are arrays of the same, one way for all of them, since an
// array that grows has many; else a way for every two that the old one and the new one can be.
func (u *unit) copies(g *flowgraph.Graph, e flowgraph.Edge, op *copyOp) {
	made := u.pools[op.site]
	if len(made) == 0 { // there is none to copy to, which the allocation says
		g.Add(e.From, e.To, program.Skip(), e.Pos)
		return
	}
	longest := slices.MaxFunc(made, func(a, b *object) int { return len(a.cells) - len(b.cells) })
	uniform := op.site.whole && !slices.ContainsFunc(made, func(o *object) bool { return !startsAs(o, longest, len(o.cells)) })
	var alike, all []*object
	for _, o := range u.objects {
		if !o.heap || o.stack || o.mapped {
			continue
		}
		all = append(all, o)
		if uniform && startsAs(o, longest, fitting(longest, o.size)) {
			alike = append(alike, o)
			continue
		}
		for _, to := range made {
			q := g.Node(e.Pos)
			g.Add(e.From, q, checkOp(flowgraph.Fold(bin(program.LogicalAnd, u.anyAt(op.to, to), u.anyAt(op.from, o)))), e.Pos)
			g.Add(u.copy(g, q, o, to, op, e.Pos), e.To, program.Skip(), e.Pos)
		}
	}
	if len(alike) > 0 {
		q := g.Node(e.Pos)
		g.Add(e.From, q, checkOp(u.anyAt(op.from, alike...)), e.Pos)
		u.copyArray(g, q, e.To, alike, made, longest, op, e.Pos)
	}
	anything := u.anyAt(op.from, all...)
	if slices.ContainsFunc(made, func(o *object) bool { return o.size == 0 }) { // or null in its place
		g.Add(e.From, e.To, checkOp(flowgraph.Fold(bin(program.LogicalAnd, anything, eq(op.to, program.Const(0))))), e.Pos)
	}
	g.Add(e.From, e.To, checkOp(flowgraph.Fold(program.NotExpr(anything))), e.Pos) // free says what is wrong
}

// fitting is how many cells of an object are among its first bytes.
func fitting(o *object, bytes int64) int {
	n := 0
	for n < len(o.cells) && o.cells[n].off+o.cells[n].size <= bytes {
		n++
	}
	return n
}

// startsAs is whether the first n cells of both objects are the same.
func startsAs(o, other *object, n int) bool {
	return len(o.cells) >= n && slices.EqualFunc(o.cells[:n], other.cells[:n], func(a, b scalar) bool { return a.off == b.off && a.t.Word() == b.t.Word() })
}

// copyArray copies, from the node at on to the node end, one cell after the other for as long as both objects have them.
func (u *unit) copyArray(g *flowgraph.Graph, at, end int, from, to []*object, longest *object, op *copyOp, pos program.Position) {
	for i, s := range longest.cells {
		from = slices.DeleteFunc(from, func(o *object) bool { return o.size < s.off+s.size })
		to = slices.DeleteFunc(slices.Clone(to), func(o *object) bool { return len(o.cells) <= i })
		both := flowgraph.Fold(bin(program.LogicalAnd, u.anyAt(op.from, from...), u.anyAt(op.to, to...)))
		next := g.Node(pos)
		g.Add(at, end, checkOp(flowgraph.Fold(program.NotExpr(both))), pos)
		g.Add(at, next, checkOp(both), pos)
		at = u.copyCell(g, next, s, op, pos)
	}
	g.Add(at, end, program.Skip(), pos)
}

// copyCell copies one cell, from the node at on.
func (u *unit) copyCell(g *flowgraph.Graph, at int, s scalar, op *copyOp, pos program.Position) int {
	g.Regs = append(g.Regs, program.Register{Type: s.t.Word(), Temp: true})
	r := len(g.Regs) - 1
	if u.opts.Uninitialised { // what is not written stays so
		g.Regs = append(g.Regs, program.Register{Type: flowgraph.BesideFields, Temp: true})
		is, known, noted := len(g.Regs)-1, g.Node(pos), g.Node(pos)
		g.Add(at, known, program.Command{Op: program.Load, Reg: is, Addr: plus(op.from, s.off+shadowOffset), Tags: shadowTags(s.t)}, pos)
		g.Add(known, noted, program.Command{Op: program.Store, Addr: plus(op.to, s.off+shadowOffset), Value: program.Reg(is), Tags: shadowTags(s.t)}, pos)
		at = noted
	}
	loaded, stored := g.Node(pos), g.Node(pos)
	g.Add(at, loaded, program.Command{Op: program.Load, Reg: r, Addr: plus(op.from, s.off), Tags: tags(plain, s.t).With(copiedTag)}, pos)
	g.Add(loaded, stored, program.Command{Op: program.Store, Addr: plus(op.to, s.off), Value: program.Reg(r), Tags: tags(plain, s.t)}, pos)
	return stored
}

// anyAt is true of addresses of objects of the pools, and of some in between, which free finds out.
func (u *unit) anyAt(addr program.Expr, pools ...*object) program.Expr {
	is := program.Expr(program.Const(0))
	for i := 0; i < len(pools); {
		lo, last := pools[i].base, pools[i]
		for i++; i < len(pools) && !u.apart(last, pools[i]); i++ {
			last = pools[i]
		}
		is = flowgraph.Fold(bin(program.LogicalOr, is, flowgraph.Between(addr, lo, last.base+(last.count-1)*last.stride)))
	}
	return is
}

// apart is whether there is an object between two, or the second one comes before the first.
func (u *unit) apart(x, y *object) bool {
	return y.base < x.base || slices.ContainsFunc(u.objects, func(o *object) bool { return x.base < o.base && o.base < y.base })
}

// copy copies what there is of the object from in the object to, from the node at on.
func (u *unit) copy(g *flowgraph.Graph, at int, from, to *object, op *copyOp, pos program.Position) int {
	there := map[int64]scalar{}
	for _, s := range from.cells {
		there[s.off] = s
	}
	for _, s := range to.cells {
		if s.off+s.size > from.size {
			break
		}
		if !slices.ContainsFunc(from.cells, func(c scalar) bool { return c.off < s.off+s.size && s.off < c.off+c.size }) {
			at = u.copyGap(g, at, interval{s.off, s.off + s.size}, to.t, op, pos)
			continue
		}
		if old, ok := there[s.off]; !ok || old.t.Word() != s.t.Word() {
			bound := g.Node(pos)
			g.Add(at, bound, boundOf(fmt.Sprintf("realloc of %s as another type is not modelled", from.name)), pos)
			g.Bounds = append(g.Bounds, bound)
			at = bound
			break
		}
		at = u.copyCell(g, at, s, op, pos)
	}
	if !op.site.whole {
		for _, gap := range gapsOf(to.cells, min(from.size, to.size)) {
			at = u.copyGap(g, at, gap, to.t, op, pos)
		}
	}
	return at
}

// copyGap copies what there will turn out to be among these bytes, from the node at on.
func (u *unit) copyGap(g *flowgraph.Graph, at int, gap interval, of *types.Type, op *copyOp, pos program.Position) int {
	next := g.Node(pos)
	g.Edges = append(g.Edges, flowgraph.Edge{From: at, To: next, Op: &gapOp{to: plus(op.to, gap.lo), from: plus(op.from, gap.lo), size: gap.hi - gap.lo, of: of}, Pos: pos})
	return next
}
