package operations

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// An object has a size that is known when the graph of its thread is unrolled, or it has one of a few (foreseen.go, supposed.go). An operation that
// makes one becomes a pool of objects where it is executed again and again.

// largest is the size of the largest object of the heap.
func (u *Unit) largest() int64 {
	n := int64(0)
	for _, t := range u.lowered.Threads {
		if t.Graph != nil {
			for i := range t.Graph.Edges {
				op, ok := t.Graph.Edges[i].Op.(*Alloc)
				if !ok {
					continue
				}
				if _, known := op.Size.(program.Const); !known {
					n = max(n, slices.Max(u.sizes(op)))
					continue
				}
				n = max(n, u.allocated(op))
			}
		}
	}
	return n
}

// allocated is how many bytes an operation allocates; 0 where there is no such object.
func (u *Unit) allocated(op *Alloc) int64 {
	if k := op.Size.(program.Const); 0 <= k && k <= lowered.MaxObject {
		return int64(k)
	}
	return 0
}

// sizes are those that are looked for where the size of an object is computed from what is not
// known here: of so many elements as a loop is unrolled to make.
func (u *Unit) sizes(op *Alloc) []int64 {
	s := op.Site
	if op.only {
		return op.foreseen
	}
	first, step := int64(4), int64(4)
	if s.Elem != nil {
		first, step = s.Elem.Size, s.Elem.Size
		if n := len(s.Elem.Fields); n > 0 {
			if last := s.Elem.Fields[n-1].Type; s.Elem.Kind == types.StructKind && last.Kind == types.ArrayKind && last.Len == 0 {
				step = last.Elem.Size
			}
		}
	}
	var sizes []int64
	for i := range int64(u.unroll) {
		if n := first + i*step; n > 0 && n <= lowered.MaxObject {
			sizes = append(sizes, n)
		}
	}
	if !s.Mapped {
		sizes = append(sizes, 0)
	}
	if len(sizes)+len(op.foreseen) == 0 {
		u.lowering.Refuse("an object whose size is not known here")
	}
	if len(sizes) > 0 && (s.Elem == nil || s.Elem.Size == 1) { // a copy of a string
		sizes = append(sizes, u.textSizes(slices.Max(sizes))...)
	}
	for _, n := range op.foreseen {
		if !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// maxTexts bounds how many strings, and of how many bytes, a copy is made of where its size is not known.
const maxTexts, maxTextSize = 8, 64

// textSizes are the sizes above least that the literals of the program have.
func (u *Unit) textSizes(least int64) []int64 {
	var sizes []int64
	for _, n := range u.Literals {
		if n > least && n <= maxTextSize && !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	return sizes[:min(len(sizes), maxTexts)]
}

// allocations writes malloc of a computed size: a way for each of the sizes, and a bound. Where the size is computed from one number, that is known
// from then on.
func (u *Unit) allocations(t *lowered.Thread, e flowgraph.Edge, op *Alloc, at int, cyclic bool) int {
	u.lowering.At(e.Pos)
	g, end := t.Graph, t.Graph.Node(e.Pos)
	none := program.Expr(program.Const(1))
	counted, solvable := solutions(g, op.Size)
	for _, n := range u.sizes(op) {
		is := eq(op.Size, program.Const(n))
		var count program.Expr
		if solvable {
			k, some := counted.of(n)
			if !some { // no number has this size
				continue
			}
			is, count = eq(program.Reg(counted.reg), program.Const(k)), program.Const(k)
		}
		none = flowgraph.Fold(bin(program.LogicalAnd, none, program.NotExpr(is)))
		q := g.Node(e.Pos)
		g.Add(at, q, checkOp(is), e.Pos)
		if count != nil {
			known := g.Node(e.Pos)
			g.Add(q, known, program.Command{Op: program.Assign, Reg: counted.reg, Value: count}, e.Pos)
			q = known
		}
		one := *op
		one.Size = program.Const(n)
		g.Add(u.allocation(t, e, &one, q, cyclic), end, program.Skip(), e.Pos)
	}
	q, over := g.Node(e.Pos), g.Node(e.Pos)
	g.Add(at, q, checkOp(none), e.Pos)
	what := fmt.Sprintf("line %d makes an object of none of the sizes of 0 to %d elements", op.Site.Pos.Line, u.unroll)
	if op.only {
		what = fmt.Sprintf("line %d makes an object of none of the sizes that were foreseen", op.Site.Pos.Line)
	}
	g.Add(q, over, lowered.BoundOf(what), e.Pos)
	g.Bounds = append(g.Bounds, over)
	return end
}

// A linear is a size that is times as much as a register holds, and plus.
type linear struct {
	reg         int
	t           program.Type
	times, plus int64
}

// solutions is e as such a size, where no value of the register makes that overflow: so a size tells the value.
func solutions(g *flowgraph.Graph, e program.Expr) (linear, bool) {
	const most = 1 << 31
	switch e := e.(type) {
	case program.Reg:
		t := g.Regs[e].Type
		return linear{int(e), t, 1, 0}, t.Bits <= 32
	case program.Unary:
		x, ok := solutions(g, e.X)
		t, cast := e.Op.Cast()
		return x, ok && cast && t.Bits == 64 && (t.Signed || !x.t.Signed)
	case program.Binary:
		x, ok := solutions(g, e.X)
		k, constant := e.Y.(program.Const)
		if !ok || !constant || k < 0 || k > lowered.MaxObject {
			return x, false
		}
		switch e.Op {
		case program.Mul:
			x.times, x.plus = x.times*int64(k), x.plus*int64(k)
		case program.Add:
			x.plus += int64(k)
		default:
			return x, false
		}
		return x, 0 < x.times && x.times < most && x.plus < most
	}
	return linear{}, false
}

// Narrow is whether a number is computed from one of a narrower type in such a way.
func Narrow(g *flowgraph.Graph, e program.Expr) bool {
	_, ok := solutions(g, e)
	return ok
}

// of is the value for a size, where there is one.
func (x linear) of(size int64) (int64, bool) {
	k := (size - x.plus) / x.times
	return k, k*x.times+x.plus == size && k >= x.t.Min() && k <= x.t.Max()
}

// endsInPadding is true of so many bytes for a structure that all members have room, but not what is behind the last one: accesses to the whole
// are outside then, which those to its members do not tell.
func (u *Unit) endsInPadding(t *types.Type, bytes int64) bool {
	if t.Kind != types.StructKind || bytes >= t.Size {
		return false
	}
	if last := t.Fields[len(t.Fields)-1].Type; last.Kind == types.ArrayKind && last.Len == 0 { // nobody accesses the whole
		return false
	}
	return !slices.ContainsFunc(u.lowering.Scalars(t), func(s lowered.Scalar) bool { return s.Off+s.Size > bytes })
}

// allocation writes what malloc does.
func (u *Unit) allocation(t *lowered.Thread, e flowgraph.Edge, op *Alloc, at int, cyclic bool) int {
	bytes := int64(op.Size.(program.Const))
	if bytes > lowered.MaxObject {
		next := t.Graph.Node(e.Pos)
		t.Graph.Add(at, next, lowered.BoundOf(fmt.Sprintf("not modelled: an object of %d bytes", bytes)), e.Pos)
		t.Graph.Bounds = append(t.Graph.Bounds, next)
		return next
	}
	if bytes == 0 {
		return u.nothing(t, e, op, at, cyclic)
	}
	return u.allocationOf(t, e, op, bytes, at, cyclic)
}

// nothing writes malloc of 0 bytes: an object that nobody may access, or null, as it pleases the library.
func (u *Unit) nothing(t *lowered.Thread, e flowgraph.Edge, op *Alloc, at int, cyclic bool) int {
	g := t.Graph
	if op.Site.Mapped {
		next := g.Node(e.Pos)
		g.Add(at, next, program.Command{Op: program.Assert, Value: program.Const(0), Text: "mmap of 0 bytes"}, e.Pos)
		return next
	}
	end := g.Node(e.Pos)
	if !op.Site.Stack {
		g.Add(at, end, program.Command{Op: program.Assign, Reg: op.Reg, Value: program.Const(0)}, e.Pos)
	}
	g.Add(u.allocationOf(t, e, op, 0, at, cyclic), end, program.Skip(), e.Pos)
	return end
}

// allocationOf writes malloc of so many bytes.
func (u *Unit) allocationOf(t *lowered.Thread, e flowgraph.Edge, op *Alloc, bytes int64, at int, cyclic bool) int {
	g := t.Graph
	s := op.Site
	untyped := s.Elem == nil
	elem := types.Char // until it is known better
	if !untyped {
		if elem = s.Elem; !u.lowering.OneCell(elem) {
			elem = elem.Plain()
		}
	} else if bytes%8 == 0 {
		elem = types.UnsignedLong
	}
	ot := elem
	if bytes == 0 {
		untyped, ot = false, types.ArrayOf(types.Char, 0)
	} else if t := elem.Extended(bytes); t != nil {
		ot = t
	} else if bytes%elem.Size == 0 {
		if bytes > elem.Size {
			ot = types.ArrayOf(elem, bytes/elem.Size)
		}
	} else if !(elem.Kind == types.StructKind && bytes > elem.Size) { // too small, or for more than that
		untyped, ot = true, types.ArrayOf(types.Char, bytes)
		if u.endsInPadding(elem, bytes) {
			next := g.Node(e.Pos)
			g.Add(at, next, lowered.BoundOf(fmt.Sprintf("not modelled: an object of %d bytes for %s, which has %d, some of them for nothing", bytes, elem.Name, elem.Size)), e.Pos)
			g.Bounds = append(g.Bounds, next)
			at = next
		}
	}
	name := elem.Name
	if s.Elem == nil {
		name = "malloc"
	}
	for _, prefix := range []string{"struct ", "union "} {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			name = name[len(prefix):]
		}
	}
	u.heapCount[name]++
	count := int64(1)
	if cyclic {
		count = int64(u.unroll)
	}
	again := cyclic && s.Dies && !untyped && lowered.Forgettable(ot, u.lowering.Scalars(ot))
	if again {
		count++
	}
	o := u.lowering.Pool(fmt.Sprintf("%s@%d", name, s.Pos.Line), ot, bytes, count)
	o.Unset, o.Stack, o.Mapped, o.Made, o.First = !s.Zero, s.Stack, s.Mapped, s.Pos, op.first
	o.Untyped, o.Bytes = untyped || s.Bytes, s.Bytes
	u.pools[s] = append(u.pools[s], o)
	o.Freed = u.lowered.Options.Leaks
	o.Dies, o.Who = s.Dies, s.Who
	if o.Dies {
		o.Thread = t.ID
	}
	born := u.lowered.Bears(o, t)
	if n := u.heapCount[name]; true {
		o.Name = fmt.Sprintf("%s#%d", name, n)
		u.heapCount[name] += int(count) - 1
	}
	step := func(c program.Command) {
		next := g.Node(e.Pos)
		g.Add(at, next, c, e.Pos)
		at = next
	}
	appears := func() {
		switch {
		case born:
			step(o.Birth(program.Reg(op.Reg)))
		case o.Dies && count == 1:
			step(program.Command{Op: program.Store, Addr: program.Const(o.LiveAddr()), Value: program.Const(1), Tags: lowered.LifeTags})
		case o.Dies:
			step(program.Command{Op: program.Store, Addr: plus(program.Reg(op.Reg), o.LiveOff()), Value: program.Const(1), Tags: lowered.LifeTags.With(o.BirthTag())})
		case u.lowered.Options.Leaks:
			step(program.Command{Op: program.Store, Addr: plus(program.Reg(op.Reg), o.LiveOff()), Value: program.Const(1), Tags: lowered.LifeTags})
		}
	}
	if count == 1 {
		step(program.Command{Op: program.Assign, Reg: op.Reg, Value: program.Const(o.Base)})
		appears()
		return at
	}
	g.Regs = append(g.Regs, program.Register{Name: "objects of line " + fmt.Sprint(s.Pos.Line), Type: program.Int32Type, Temp: true})
	n := program.Reg(len(g.Regs) - 1)
	if again {
		return u.lowered.Reused(g, o, op.Reg, int(n), at, e.Pos)
	}
	bound := lowered.BoundOf(fmt.Sprintf("line %d makes more than %d objects", s.Pos.Line, count))
	bound.Value = ne(n, program.Const(count))
	step(bound)
	step(program.Command{Op: program.Assign, Reg: op.Reg, Value: plus(bin(program.Mul, n, program.Const(o.Stride)), o.Base)})
	step(program.Command{Op: program.Assign, Reg: int(n), Value: bin(program.Add, n, program.Const(1))})
	appears()
	return at
}

// An Amount is how many bytes are asked for.
type Amount struct {
	Bytes program.Expr
	Over  program.Expr // whether that is a product that goes round; nil: it does not
}

// TooLarge is whether it is a product that goes round.
func (a Amount) TooLarge() program.Expr {
	if a.Over == nil {
		return program.Const(0)
	}
	return a.Over
}

// none is what is given where there is no such object.
func (s *Site) none() int64 {
	if s.Mapped {
		return -1
	}
	return 0
}

// anyAllocation writes what malloc does, of whatever size.
func (u *Unit) anyAllocation(t *lowered.Thread, e flowgraph.Edge, op *Alloc, at int, cyclic bool) int {
	g := t.Graph
	end := g.Node(e.Pos)
	below := flowgraph.Fold(bin(program.Lt, op.Size, program.Const(0)))
	none := Amount{op.Size, op.Over}.TooLarge()
	unless := func(wrong program.Expr, c program.Command) {
		if wrong == program.Const(0) {
			return
		}
		q, next := g.Node(e.Pos), g.Node(e.Pos)
		g.Add(at, q, checkOp(wrong), e.Pos)
		g.Add(at, next, checkOp(flowgraph.Fold(program.NotExpr(wrong))), e.Pos)
		g.Add(q, end, c, e.Pos)
		at = next
	}
	unless(none, program.Command{Op: program.Assign, Reg: op.Reg, Value: program.Const(op.Site.none())})
	text := "an allocation of fewer than no bytes"
	if k, known := op.Size.(program.Const); known {
		text = fmt.Sprintf("an allocation of %d bytes", int64(k))
	}
	unless(below, program.Command{Op: program.Assert, Value: program.Const(0), Text: text})
	switch bytes, known := op.Size.(program.Const); {
	case !known:
		at = u.allocations(t, e, op, at, cyclic)
	case bytes >= 0:
		at = u.allocation(t, e, op, at, cyclic)
	}
	g.Add(at, end, program.Skip(), e.Pos)
	return end
}
