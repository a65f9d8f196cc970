package c

import (
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Memory is copied and filled by the scalars of the type that it is taken for. Where that is a structure there may be bytes between its
// members and behind them, and where the memory is not that structure alone, but one with something behind it, these bytes may be what
// matters. What lies there is known when objects have been divided (divide.go): until then it is an operation of the flow graph, which
// becomes one for each byte where there is something, and nothing where there is not.

// A gapOp copies bytes from one place to another, or sets them to one.
type gapOp struct {
	flowgraph.None
	to, from program.Expr
	size     int64
	fills    bool // from is the byte
}

// Operands implements [flowgraph.Op].
func (op *gapOp) Operands() []program.Expr { return []program.Expr{op.to, op.from} }

// With implements [flowgraph.Op].
func (op *gapOp) With(x []program.Expr, _ int) flowgraph.Op {
	return &gapOp{to: x[0], from: x[1], size: op.size, fills: op.fills}
}

// gapTag marks what stands for a gapOp while values are made out.
const gapTag = flowgraph.AccessTag + "gap"

func (op *gapOp) placeholder(pos program.Position) program.Command {
	return program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: program.Binary{Op: program.Sub, X: op.to, Y: op.from}, Y: program.Const(1)},
		Tags: program.NewTags(gapTag), Pos: pos}
}

// holds is true between and behind the members of what is no memory from malloc: there is nothing.
func (op *gapOp) holds(u *unit, eval func(program.Expr) int64) bool {
	declared := func(e program.Expr) bool {
		o := u.objectOf(program.Const(eval(e)))
		return o != nil && !o.heap
	}
	return declared(op.to) && (op.fills || declared(op.from))
}

// gapsOf are the bytes among the first n of which the scalars have none.
func gapsOf(scalars []scalar, n int64) (gaps []interval) {
	end := int64(0)
	for _, s := range scalars {
		if s.off > end {
			gaps = append(gaps, interval{end, min(s.off, n)})
		}
		if end = max(end, s.off+s.size); end >= n {
			return gaps
		}
	}
	if end < n {
		gaps = append(gaps, interval{end, n})
	}
	return gaps
}

// isOf is whether a size is that of a t, or of so many of them: then there is nothing else in the memory.
func (l *lowerer) isOf(size cc.ExpressionNode, t *ctype) bool {
	x, sum := unwrap(size).(*cc.AdditiveExpression)
	if sum && (x.Case == cc.AdditiveExpressionAdd || x.Case == cc.AdditiveExpressionSub) {
		return false
	}
	s := l.sized(size)
	return s != nil && t != nil && s.same(t)
}

// hasGaps is whether there are bytes between or behind the members of a type.
func (l *lowerer) hasGaps(t *ctype) bool {
	return len(gapsOf(l.u.flatten(t.plain(), "", 0, nil), t.size)) > 0
}

// gaps copies, or fills, what is in no scalar of n bytes at two addresses.
func (l *lowerer) gaps(to, from program.Expr, fills bool, scalars []scalar, n int64) {
	for _, gap := range gapsOf(scalars, n) {
		op := &gapOp{to: plus(to, gap.lo), from: from, size: gap.hi - gap.lo, fills: fills}
		if !fills {
			op.from = plus(from, gap.lo)
		}
		l.operate(op)
	}
}

// fillGaps makes accesses of the operations that are to cells, or to what lies outside of an object, and tells whether there are such.
func (u *unit) fillGaps(p *program.Program, r *program.Ranges) bool {
	changed := false
	for ti, t := range u.threads {
		for ei, gi := range t.origin {
			if gi < 0 {
				continue
			}
			op, ok := t.g.Edges[gi].Op.(*gapOp)
			if !ok {
				continue
			}
			c := &p.Threads[ti].Edges[ei].Cmd
			if u.hollow(r.At(c, op.to), op.size) && (op.fills || u.hollow(r.At(c, op.from), op.size)) {
				continue
			}
			changed = true
			u.fillGap(t.g, gi, op)
		}
	}
	return changed
}

// hollow is whether there are size bytes of an object at all of the addresses, without a cell.
func (u *unit) hollow(set program.ValueSet, size int64) bool {
	hollow, left := true, int64(maxDivided)
	set.Spans(func(lo, hi int64) {
		if left -= hi - lo + 1; left < 0 || hi < lo {
			hollow = false
		}
		for a := lo; hollow && a <= hi; a++ {
			hollow = !set.Has(a) || u.emptyAt(a, size)
		}
	})
	return hollow
}

// emptyAt is whether there are size bytes of an object at an address, without a cell.
func (u *unit) emptyAt(a, size int64) bool {
	for _, o := range u.objects {
		off := a - o.base
		if off < 0 || o.count == 1 && off >= o.size || o.count > 1 && off >= o.count*o.stride {
			continue
		}
		if o.count > 1 {
			off %= o.stride
		}
		return off+size <= o.size && !slices.ContainsFunc(o.cells, func(s scalar) bool { return s.off < off+size && off < s.off+s.size })
	}
	return false
}

// fillGap writes one operation as accesses to bytes.
func (u *unit) fillGap(g *flowgraph.Graph, i int, op *gapOp) {
	e := g.Edges[i]
	g.Edges[i] = flowgraph.Edge{From: e.From, To: g.Node(e.Pos), Cmd: checkOp(program.Const(0)), Pos: e.Pos}
	at := e.From
	if u.opts.Uninitialised {
		bound := g.Node(e.Pos)
		g.Add(at, bound, boundOf("not modelled: a copy of bytes between and behind the members of a structure"), e.Pos)
		g.Bounds = append(g.Bounds, bound)
		g.Add(bound, e.To, program.Skip(), e.Pos)
		return
	}
	for k := range op.size {
		v := op.from
		if !op.fills {
			g.Regs = append(g.Regs, program.Register{Type: ucharType.word(), Temp: true})
			r := len(g.Regs) - 1
			next := g.Node(e.Pos)
			g.Add(at, next, program.Command{Op: program.Load, Reg: r, Addr: plus(op.from, k), Tags: tags(plain, ucharType).With(copiedTag)}, e.Pos)
			at, v = next, program.Reg(r)
		}
		next := e.To
		if k < op.size-1 {
			next = g.Node(e.Pos)
		}
		g.Add(at, next, program.Command{Op: program.Store, Addr: plus(op.to, k), Value: v, Tags: tags(plain, ucharType)}, e.Pos)
		at = next
	}
}

// dropGaps takes out the operations that are left: there is nothing that they copy, where that is known.
func (u *unit) dropGaps(known bool) {
	for _, t := range u.threads {
		if t.g == nil {
			continue
		}
		for i := range len(t.g.Edges) {
			e := &t.g.Edges[i]
			if _, ok := e.Op.(*gapOp); !ok {
				continue
			}
			e.Op, e.Cmd = nil, program.Skip()
			if !known {
				to, bound := e.To, t.g.Node(e.Pos)
				pos := e.Pos
				e.Cmd = boundOf("not modelled: a copy of bytes between and behind the members of a structure, whose place is not known")
				e.To = bound
				t.g.Bounds = append(t.g.Bounds, bound)
				t.g.Add(bound, to, program.Skip(), pos)
				continue
			}
			e.Cmd.Pos = e.Pos
		}
	}
}
