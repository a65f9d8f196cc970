package c

import (
	"fmt"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
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
// moves the object: who goes on with the old pointer is wrong in any case.
func (l *lowerer) realloc(n cc.Node, old, size value, t *ctype) value {
	if l.u.opts.Uninitialised {
		l.u.refuse(n, "realloc where reads of what is not initialised are looked for")
	}
	v := l.allocation(n, size, false, t)
	if v.site == nil {
		return v
	}
	yes, end := l.node(), l.node()
	l.split(ne(old.e, program.Const(0)), yes, end)
	l.cur = yes
	l.operate(&copyOp{from: old.e, to: v.e, site: v.site})
	l.emit(program.Command{Op: program.Load, Reg: l.temp(ulongType), Addr: old.e, Tags: program.NewTags(freeTag)})
	l.land(end)
	return v
}

// resolveCopies writes the copies, and what munmap does, now that all objects are known.
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
			default:
				continue
			}
			t.g.Edges[i] = flowgraph.Edge{From: e.From, To: t.g.Node(e.Pos), Cmd: checkOp(program.Const(0)), Pos: e.Pos}
		}
	}
}

// copies writes one copy: a way for every object that the old one and the new one can be.
func (u *unit) copies(g *flowgraph.Graph, e flowgraph.Edge, op *copyOp) {
	for _, to := range u.pools[op.site] {
		none := to.at(op.to)
		for _, o := range u.objects {
			if !o.heap || o.stack || o.mapped {
				continue
			}
			is := o.at(op.from)
			none = flowgraph.Fold(bin(program.LogicalAnd, none, program.NotExpr(is)))
			q := g.Node(e.Pos)
			g.Add(e.From, q, program.Command{Op: program.Check, Value: flowgraph.Fold(bin(program.LogicalAnd, to.at(op.to), is))}, e.Pos)
			g.Add(u.copy(g, q, o, to, op, e.Pos), e.To, program.Skip(), e.Pos)
		}
		g.Add(e.From, e.To, program.Command{Op: program.Check, Value: none}, e.Pos) // free says what is wrong
	}
}

// at is true of addresses of objects of the pool, and of some in between, which free finds out.
func (o *object) at(addr program.Expr) program.Expr {
	return between(addr, o.base, o.base+(o.count-1)*o.stride)
}

// copy copies what there is of the object from in the object to, from the node at on.
func (u *unit) copy(g *flowgraph.Graph, at int, from, to *object, op *copyOp, pos program.Position) int {
	step := func(c program.Command) {
		next := g.Node(pos)
		g.Add(at, next, c, pos)
		at = next
	}
	there := map[int64]scalar{}
	for _, s := range from.cells {
		there[s.off] = s
	}
	for _, s := range to.cells {
		if s.off+s.size > from.size {
			break
		}
		if old, ok := there[s.off]; !ok || old.t.word() != s.t.word() {
			step(boundOf(fmt.Sprintf("realloc of %s as another type is not modelled", from.name)))
			g.Bounds = append(g.Bounds, at)
			break
		}
		g.Regs = append(g.Regs, program.Register{Type: s.t.word(), Temp: true})
		r := len(g.Regs) - 1
		step(program.Command{Op: program.Load, Reg: r, Addr: plus(op.from, s.off), Tags: tags(plain, s.t).With(copiedTag)})
		step(program.Command{Op: program.Store, Addr: plus(op.to, s.off), Value: program.Reg(r), Tags: tags(plain, s.t)})
	}
	return at
}
