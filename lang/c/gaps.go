package c

import (
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
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
	of       *types.Type // the structure that has them
	fills    bool        // from is the byte
	whole    bool        // there is nothing in the memory but such structures
	unit     bool        // it is a unit of bit-fields, of which some bits belong to none
}

// Operands implements [flowgraph.Op].
func (op *gapOp) Operands() []program.Expr { return []program.Expr{op.to, op.from} }

// With implements [flowgraph.Op].
func (op *gapOp) With(x []program.Expr, _ int) flowgraph.Op {
	next := *op
	next.to, next.from = x[0], x[1]
	return &next
}

// watches is whether an operation does nothing but to show where structures are that are accessed as a whole.
func watches(op flowgraph.Op) bool {
	gap, is := op.(*gapOp)
	return is && gap.whole
}

// gapTag marks what stands for a gapOp while values are made out.
const gapTag = flowgraph.AccessTag + "gap"

func (op *gapOp) placeholder(pos program.Position) program.Command {
	return program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: program.Binary{Op: program.Sub, X: op.to, Y: op.from}, Y: program.Const(1)},
		Tags: program.NewTags(gapTag), Pos: pos}
}

// holds is true where there is nothing between and behind the members: in structures alone, and in what is no memory from malloc.
func (op *gapOp) holds(u *lowered, eval func(program.Expr) int64) bool {
	at := []spot{u.spotAt(eval(op.to))}
	if !op.fills {
		at = append(at, u.spotAt(eval(op.from)))
	}
	if op.whole {
		for _, s := range at {
			op.findCells(u, []spot{s})
			u.passed = append(u.passed, passedGap{op, s})
		}
		return true
	}
	return !slices.ContainsFunc(at, func(s spot) bool { return s.o == nil || s.o.heap || !s.empty(op.size) })
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
func (l *lowerer) isOf(size cc.ExpressionNode, t *types.Type) bool {
	x, sum := unwrap(size).(*cc.AdditiveExpression)
	if sum && (x.Case == cc.AdditiveExpressionAdd || x.Case == cc.AdditiveExpressionSub) {
		return false
	}
	s := l.sized(size)
	return s != nil && t != nil && s.Same(t)
}

// hasGaps is whether there are bytes between or behind the members of a type.
func (l *lowerer) hasGaps(t *types.Type) bool {
	return len(gapsOf(l.u.flatten(t.Plain(), "", 0, nil), t.Size)) > 0
}

// gaps copies, or fills, what is in no scalar of n bytes at two addresses.
func (l *lowerer) gaps(to, from program.Expr, fills bool, t *types.Type, whole bool, scalars []scalar, n int64) {
	many := t
	if n > t.Size && t.Size > 0 {
		many = types.ArrayOf(t.Plain(), n/t.Size)
	}
	source := func(off int64) program.Expr {
		if fills {
			return from
		}
		return plus(from, off)
	}
	if whole {
		for _, open := range l.u.openUnits(many, 0, true) {
			if open.off+open.t.Size <= n {
				l.operate(&gapOp{to: plus(to, open.off), from: source(open.off), size: open.t.Size, of: t, fills: fills, whole: true, unit: true})
			}
		}
	}
	for _, gap := range gapsOf(scalars, n) {
		if whole && !isOpen(many, gap) {
			continue
		}
		l.operate(&gapOp{to: plus(to, gap.lo), from: source(gap.lo), size: gap.hi - gap.lo, of: t, fills: fills, whole: whole})
	}
}

// fillGaps makes accesses of the operations that are to cells, or to what lies outside of an object, and tells whether there are such.
func (u *lowered) fillGaps(p *program.Program, r *program.Ranges) bool {
	changed := false
	cuts := map[*object][]scalar{}
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
			spots := u.spotsIn(r.At(c, op.to))
			var from []spot
			if !op.fills {
				from = u.spotsIn(r.At(c, op.from))
			}
			if op.whole {
				op.findCells(u, spots)
				op.findCells(u, from)
				continue
			}
			spots = append(spots, from...)
			if !slices.ContainsFunc(spots, func(s spot) bool { return s.o == nil || !s.empty(op.size) }) {
				continue
			}
			if u.looksInto(spots, op.size) {
				continue
			}
			changed = true
			parts := partsIn(spots, op.size)
			for _, s := range spots {
				if s.o == nil || u.opts.Uninitialised {
					continue
				}
				for _, x := range parts {
					if x.off += s.off; s.divisible(x) {
						cuts[s.o] = append(cuts[s.o], x)
					}
				}
			}
			u.fillGap(t.g, gi, op, parts)
		}
	}
	for _, o := range slices.Clone(u.objects) {
		if cuts[o] != nil {
			o.cut(u, cuts[o])
		}
	}
	return changed
}

// spotsIn are the addresses of a set; one without an object is in none, or where it is is not known.
func (u *lowered) spotsIn(set program.ValueSet) (spots []spot) {
	left := uint64(maxDivided)
	set.Spans(func(lo, hi int64) {
		n := uint64(hi) - uint64(lo)
		if n >= left {
			spots = append(spots, spot{})
			return
		}
		left -= n + 1
		for a := lo; a <= hi; a++ {
			if set.Has(a) {
				spots = append(spots, u.spotAt(a))
			}
		}
	})
	return spots
}

func (u *lowered) spotAt(a int64) spot {
	for _, o := range u.objects {
		off := a - o.base
		if off < 0 || off >= (o.count-1)*o.stride+o.size {
			continue
		}
		k := int64(0)
		if o.count > 1 {
			k, off = off/o.stride, off%o.stride
		}
		if off < o.size {
			return spot{o, k, off}
		}
	}
	return spot{}
}

// empty is whether there are size bytes of the object from there on, without a cell.
func (s spot) empty(size int64) bool {
	return s.off+size <= s.o.size && len(s.cells(size)) == 0
}

// looksInto notes the structures and unions that bytes at these places are of, and no scalar: they have to have cells from the beginning, since what
// initialises and assigns the whole of them is about these bytes, too.
func (u *lowered) looksInto(spots []spot, size int64) (some bool) {
	for _, s := range spots {
		if s.o == nil {
			continue
		}
		for off := s.off; off < min(s.off+size, s.o.size); off++ {
			if of := ownerOf(s.o.t, off); of != nil && !u.padded[of.Node] && (spot{s.o, s.k, off}).empty(1) {
				u.looksAt(s.o.t)
				some = true
				break
			}
		}
	}
	return some
}

// divisible is whether a piece may be one of an object: it is inside, and a part of nothing that cannot be divided.
func (s spot) divisible(x scalar) bool {
	return x.off+x.size <= s.o.size && !slices.ContainsFunc(s.o.cells, func(c scalar) bool {
		return c.off < x.off+x.size && x.off < c.off+c.size && (c.t.Kind == types.FloatKind || c.t.Kind == types.BoolKind)
	})
}

// partsIn are the pieces in which size bytes at these places are copied or filled: the cells that all have there, and else bytes.
func partsIn(spots []spot, size int64) (parts []scalar) {
	for off := int64(0); off < size; {
		t := types.UnsignedChar
		for _, s := range spots {
			if s.o == nil {
				t = types.UnsignedChar
				break
			}
			i := slices.IndexFunc(s.o.cells, func(c scalar) bool { return c.off == s.off+off })
			if i >= 0 && t.Size == 1 && s.o.cells[i].size <= size-off && types.UnsignedOf(s.o.cells[i].size) != nil {
				t = types.UnsignedOf(s.o.cells[i].size)
			}
		}
		agrees := func(s spot) bool {
			return s.o == nil || !slices.ContainsFunc(s.o.cells, func(c scalar) bool {
				return c.off < s.off+off+t.Size && s.off+off < c.off+c.size && (c.off != s.off+off || c.size != t.Size)
			})
		}
		if slices.ContainsFunc(spots, func(s spot) bool { return !agrees(s) }) {
			t = types.UnsignedChar
		}
		parts = append(parts, scalar{off: off, size: t.Size, t: t})
		off += t.Size
	}
	return parts
}

// fillGap writes one operation as accesses to these parts.
func (u *lowered) fillGap(g *flowgraph.Graph, i int, op *gapOp, parts []scalar) {
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
	for k, s := range parts {
		var v program.Expr
		if op.fills {
			v = flowgraph.Fold(bin(program.Mul, bin(program.BitAnd, op.from, program.Const(0xff)), program.Const(s.t.Word().Wrap(0x0101010101010101))))
		} else {
			g.Regs = append(g.Regs, program.Register{Type: s.t.Word(), Temp: true})
			r := len(g.Regs) - 1
			next := g.Node(e.Pos)
			g.Add(at, next, program.Command{Op: program.Load, Reg: r, Addr: plus(op.from, s.off), Tags: tags(plain, s.t).With(copiedTag)}, e.Pos)
			at, v = next, program.Reg(r)
		}
		next := e.To
		if k < len(parts)-1 {
			next = g.Node(e.Pos)
		}
		g.Add(at, next, program.Command{Op: program.Store, Addr: plus(op.to, s.off), Value: v, Tags: tags(plain, s.t)}, e.Pos)
		at = next
	}
}

// dropGaps takes out the operations that are left: there is nothing that they copy, where that is known.
func (u *lowered) dropGaps(known bool) {
	for _, t := range u.threads {
		if t.g == nil {
			continue
		}
		for i := range len(t.g.Edges) {
			e := &t.g.Edges[i]
			op, ok := e.Op.(*gapOp)
			if !ok {
				continue
			}
			e.Op, e.Cmd = nil, program.Skip()
			if !known && !op.whole {
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
