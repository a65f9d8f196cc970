package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Memory is copied and filled by the scalars of the type that it is taken for. Where that is a structure there may be bytes between its
// members and behind them, and where the memory is not that structure alone, but one with something behind it, these bytes may be what
// matters. What lies there is known when objects have been divided (divide.go): until then it is an operation of the flow graph, which
// becomes one for each byte where there is something, and nothing where there is not.

// A GapOp copies bytes from one place to another, or sets them to one.
type GapOp struct {
	flowgraph.None
	To, From program.Expr
	Size     int64
	Of       *types.Type // the structure that has them
	Fills    bool        // From is the byte
	Whole    bool        // there is nothing in the memory but such structures
	Unit     bool        // it is a unit of bit-fields, of which some bits belong to none
}

// Operands implements [flowgraph.Op].
func (op *GapOp) Operands() []program.Expr { return []program.Expr{op.To, op.From} }

// With implements [flowgraph.Op].
func (op *GapOp) With(x []program.Expr, _ int) flowgraph.Op {
	next := *op
	next.To, next.From = x[0], x[1]
	return &next
}

// Watches is whether an operation does nothing but to show where structures are that are accessed as a whole.
func Watches(op flowgraph.Op) bool {
	gap, is := op.(*GapOp)
	return is && gap.Whole
}

// gapTag marks what stands for a GapOp while values are made out.
const gapTag = flowgraph.AccessTag + "gap"

func (op *GapOp) placeholder(pos program.Position) program.Command {
	return program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: program.Binary{Op: program.Sub, X: op.To, Y: op.From}, Y: program.Const(1)},
		Tags: program.NewTags(gapTag), Pos: pos}
}

// holds is true where there is nothing between and behind the members: in structures alone, and in what is no memory from malloc.
func (op *GapOp) holds(u *Unit, eval func(program.Expr) int64) bool {
	at := []spot{u.spotAt(eval(op.To))}
	if !op.Fills {
		at = append(at, u.spotAt(eval(op.From)))
	}
	if op.Whole {
		for _, s := range at {
			op.findCells(u, []spot{s})
			u.passed = append(u.passed, passedGap{op, s})
		}
		return true
	}
	return !slices.ContainsFunc(at, func(s spot) bool { return s.o == nil || s.o.Heap || !s.empty(op.Size) })
}

// GapsOf are the bytes among the first n of which the scalars have none.
func GapsOf(scalars []Scalar, n int64) (gaps []Interval) {
	end := int64(0)
	for _, s := range scalars {
		if s.Off > end {
			gaps = append(gaps, Interval{end, min(s.Off, n)})
		}
		if end = max(end, s.Off+s.Size); end >= n {
			return gaps
		}
	}
	if end < n {
		gaps = append(gaps, Interval{end, n})
	}
	return gaps
}

// fillGaps makes accesses of the operations that are to cells, or to what lies outside of an object, and tells whether there are such.
func (u *Unit) fillGaps(p *program.Program, r *program.Ranges) bool {
	changed := false
	cuts := map[*Object][]Scalar{}
	for ti, t := range u.Threads {
		for ei, gi := range t.origin {
			if gi < 0 {
				continue
			}
			op, ok := t.Graph.Edges[gi].Op.(*GapOp)
			if !ok {
				continue
			}
			c := &p.Threads[ti].Edges[ei].Cmd
			spots := u.spotsIn(r.At(c, op.To))
			var from []spot
			if !op.Fills {
				from = u.spotsIn(r.At(c, op.From))
			}
			if op.Whole {
				op.findCells(u, spots)
				op.findCells(u, from)
				continue
			}
			spots = append(spots, from...)
			if !slices.ContainsFunc(spots, func(s spot) bool { return s.o == nil || !s.empty(op.Size) }) {
				continue
			}
			if u.looksInto(spots, op.Size) {
				continue
			}
			changed = true
			parts := partsIn(spots, op.Size)
			for _, s := range spots {
				if s.o == nil || u.Options.Uninitialised {
					continue
				}
				for _, x := range parts {
					if x.Off += s.off; s.divisible(x) {
						cuts[s.o] = append(cuts[s.o], x)
					}
				}
			}
			u.fillGap(t.Graph, gi, op, parts)
		}
	}
	for _, o := range slices.Clone(u.Objects) {
		if cuts[o] != nil {
			o.cut(u, cuts[o])
		}
	}
	return changed
}

// spotsIn are the addresses of a set; one without an object is in none, or where it is is not known.
func (u *Unit) spotsIn(set program.ValueSet) (spots []spot) {
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

func (u *Unit) spotAt(a int64) spot {
	for _, o := range u.Objects {
		off := a - o.Base
		if off < 0 || off >= (o.Count-1)*o.Stride+o.Size {
			continue
		}
		k := int64(0)
		if o.Count > 1 {
			k, off = off/o.Stride, off%o.Stride
		}
		if off < o.Size {
			return spot{o, k, off}
		}
	}
	return spot{}
}

// empty is whether there are size bytes of the object from there on, without a cell.
func (s spot) empty(size int64) bool {
	return s.off+size <= s.o.Size && len(s.cells(size)) == 0
}

// looksInto notes the structures and unions that bytes at these places are of, and no scalar: they have to have cells from the beginning, since what
// initialises and assigns the whole of them is about these bytes, too.
func (u *Unit) looksInto(spots []spot, size int64) (some bool) {
	for _, s := range spots {
		if s.o == nil {
			continue
		}
		for off := s.off; off < min(s.off+size, s.o.Size); off++ {
			if of := OwnerOf(s.o.Type, off); of != nil && !u.Padded[of.Node] && (spot{s.o, s.k, off}).empty(1) {
				u.LooksAt(s.o.Type)
				some = true
				break
			}
		}
	}
	return some
}

// divisible is whether a piece may be one of an object: it is inside, and a part of nothing that cannot be divided.
func (s spot) divisible(x Scalar) bool {
	return x.Off+x.Size <= s.o.Size && !slices.ContainsFunc(s.o.Cells, func(c Scalar) bool {
		return c.Off < x.Off+x.Size && x.Off < c.Off+c.Size && (c.Type.Kind == types.FloatKind || c.Type.Kind == types.BoolKind)
	})
}

// partsIn are the pieces in which size bytes at these places are copied or filled: the cells that all have there, and else bytes.
func partsIn(spots []spot, size int64) (parts []Scalar) {
	for off := int64(0); off < size; {
		t := types.UnsignedChar
		for _, s := range spots {
			if s.o == nil {
				t = types.UnsignedChar
				break
			}
			i := slices.IndexFunc(s.o.Cells, func(c Scalar) bool { return c.Off == s.off+off })
			if i >= 0 && t.Size == 1 && s.o.Cells[i].Size <= size-off && types.UnsignedOf(s.o.Cells[i].Size) != nil {
				t = types.UnsignedOf(s.o.Cells[i].Size)
			}
		}
		agrees := func(s spot) bool {
			return s.o == nil || !slices.ContainsFunc(s.o.Cells, func(c Scalar) bool {
				return c.Off < s.off+off+t.Size && s.off+off < c.Off+c.Size && (c.Off != s.off+off || c.Size != t.Size)
			})
		}
		if slices.ContainsFunc(spots, func(s spot) bool { return !agrees(s) }) {
			t = types.UnsignedChar
		}
		parts = append(parts, Scalar{Off: off, Size: t.Size, Type: t})
		off += t.Size
	}
	return parts
}

// fillGap writes one operation as accesses to these parts.
func (u *Unit) fillGap(g *flowgraph.Graph, i int, op *GapOp, parts []Scalar) {
	e := g.Edges[i]
	g.Edges[i] = flowgraph.Edge{From: e.From, To: g.Node(e.Pos), Cmd: checkOp(program.Const(0)), Pos: e.Pos}
	at := e.From
	if u.Options.Uninitialised {
		bound := g.Node(e.Pos)
		g.Add(at, bound, BoundOf("not modelled: a copy of bytes between and behind the members of a structure"), e.Pos)
		g.Bounds = append(g.Bounds, bound)
		g.Add(bound, e.To, program.Skip(), e.Pos)
		return
	}
	for k, s := range parts {
		var v program.Expr
		if op.Fills {
			v = flowgraph.Fold(bin(program.Mul, bin(program.BitAnd, op.From, program.Const(0xff)), program.Const(s.Type.Word().Wrap(0x0101010101010101))))
		} else {
			g.Regs = append(g.Regs, program.Register{Type: s.Type.Word(), Temp: true})
			r := len(g.Regs) - 1
			next := g.Node(e.Pos)
			g.Add(at, next, program.Command{Op: program.Load, Reg: r, Addr: plus(op.From, s.Off), Tags: Tags(target.Plain, s.Type).With(CopiedTag)}, e.Pos)
			at, v = next, program.Reg(r)
		}
		next := e.To
		if k < len(parts)-1 {
			next = g.Node(e.Pos)
		}
		g.Add(at, next, program.Command{Op: program.Store, Addr: plus(op.To, s.Off), Value: v, Tags: Tags(target.Plain, s.Type)}, e.Pos)
		at = next
	}
}

// dropGaps takes out the operations that are left: there is nothing that they copy, where that is known.
func (u *Unit) dropGaps(known bool) {
	for _, t := range u.Threads {
		if t.Graph == nil {
			continue
		}
		for i := range len(t.Graph.Edges) {
			e := &t.Graph.Edges[i]
			op, ok := e.Op.(*GapOp)
			if !ok {
				continue
			}
			e.Op, e.Cmd = nil, program.Skip()
			if !known && !op.Whole {
				to, bound := e.To, t.Graph.Node(e.Pos)
				pos := e.Pos
				e.Cmd = BoundOf("not modelled: a copy of bytes between and behind the members of a structure, whose place is not known")
				e.To = bound
				t.Graph.Bounds = append(t.Graph.Bounds, bound)
				t.Graph.Add(bound, to, program.Skip(), pos)
				continue
			}
			e.Cmd.Pos = e.Pos
		}
	}
}
