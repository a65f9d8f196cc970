package lowered

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Pointers lead to parts of scalars, and to several at once: to the halves of a word, to the structure that memcpy
// has put into an array of bytes. Which do is known when values have been analysed. Where all that an access may be to has
// other sizes than the access, what it is to is divided into the smallest pieces that its accesses have between them, and
// each access is one to the pieces that it covers, as those of members of unions are (parts.go).

// maxDivided bounds how many addresses an access may have that divides what is there.
const maxDivided = 1 << 10

// divideMemory divides the cells of objects that are accessed in other sizes, and tells whether there are such.
func (u *Unit) divideMemory(p *program.Program, r *program.Ranges) bool {
	if u.Options.Uninitialised {
		return false
	}
	d := &dividing{u: u, r: r, cuts: map[*Object][]Scalar{}}
	for ti := range u.Threads {
		pt := p.Threads[ti]
		d.each(pt, func(c *program.Command, t *types.Type) {
			if !d.note(c, t) {
				d.walked(ti, pt, c, t)
			}
		})
	}
	for _, m := range u.misfitting {
		d.noteMisfit(m)
	}
	u.misfitting = nil
	changed := false
	for _, o := range slices.Clone(u.Objects) {
		if cuts := d.cuts[o]; cuts != nil {
			changed = o.cut(u, cuts) || changed
		}
	}
	for ti, t := range u.Threads {
		pt := p.Threads[ti]
		for ei, gi := range t.origin {
			if gi >= 0 {
				changed = d.rewrite(t.Graph, &t.Graph.Edges[gi], &pt.Edges[ei].Cmd) || changed
			}
		}
	}
	return changed
}

// A dividing is the work on one program.
type dividing struct {
	u    *Unit
	r    *program.Ranges
	cuts map[*Object][]Scalar // by object: the accesses that are not to its cells
}

// each calls f for the accesses of a thread whose addresses are known, and the types that they take cells for.
func (d *dividing) each(t *program.Thread, f func(*program.Command, *types.Type)) {
	for i := range t.Edges {
		t.Edges[i].Cmd.Accesses(func(c *program.Command) {
			if t := Accessed(c.Tags); t != nil && t.Kind != types.FloatKind {
				f(c, t)
			}
		})
	}
}

// A spot is an address in an object.
type spot struct {
	o   *Object
	k   int64 // of a pool: which of its objects
	off int64
}

// spots are where an access may be to, of objects; not ok where there are too many.
func (d *dividing) spots(c *program.Command) (all []spot, ok bool) {
	return d.u.spots(d.r.Address[c], c.Tags)
}

// spots are where an access with these tags is to, the address of which is in a set.
func (u *Unit) spots(set program.ValueSet, tags program.Tags) (all []spot, ok bool) {
	if set.Empty() {
		return nil, false
	}
	lo, hi, bounded := flowgraph.Within(tags)
	for _, o := range u.Objects {
		for k := range o.Count {
			base := o.Base + k*o.Stride
			set.Spans(func(from, to int64) {
				for a := max(from, base); a <= min(to, base+o.Size-1) && len(all) <= maxDivided; a++ {
					if set.Has(a) && (!bounded || lo <= a && a < hi) {
						all = append(all, spot{o, k, a - base})
					}
				}
			})
		}
	}
	return all, len(all) > 0 && len(all) <= maxDivided
}

// note takes note of an access that is to no cell of its size, but in objects that have been divided already; and of one that goes through what is in
// objects. Else, where it may be to a part of something, it is not ok.
func (d *dividing) note(c *program.Command, t *types.Type) (ok bool) {
	spots, ok := d.spots(c)
	if !ok {
		return false
	}
	through, misfits := throughEach(spots, d.r.Address[c], t), false
	for _, s := range spots {
		misfits = misfits || !s.takes(t)
	}
	if !misfits {
		return true
	}
	for _, s := range spots {
		if s.fits(t) && !s.o.divided && !through || !s.cuttable(t) {
			return false
		}
	}
	for _, s := range spots {
		if s.meetsPadding(t.Size) {
			d.u.LooksAt(s.o.Type)
		}
		d.cuts[s.o] = append(d.cuts[s.o], Scalar{Off: s.off, Size: t.Size, Type: t})
	}
	return true
}

// throughEach is whether an access to one of the spots, which are those of a set, goes through each of the objects: to a part of something in there, if
// not to parts alone. There is nothing else in the set, then: else it has what is in no object, or more of the objects than is accessed.
func throughEach(spots []spot, set program.ValueSet, t *types.Type) bool {
	parts := map[*Object]bool{}
	for _, s := range spots {
		parts[s.o] = parts[s.o] || s.o.divided || !s.takes(t)
	}
	for _, is := range parts {
		if !is {
			return false
		}
	}
	return uint64(len(spots)) == set.Size()
}

// fits is whether there is a cell of the size of an access, and takes whether that is all that there is to it: not where it is one of truth values, and
// the access of something else.
func (s spot) fits(t *types.Type) bool {
	in := s.cells(t.Size)
	return len(in) == 1 && in[0].Off == s.off && in[0].Size == t.Size
}

func (s spot) takes(t *types.Type) bool {
	in := s.cells(t.Size)
	return len(in) == 1 && !in[0].Apart(Scalar{Off: s.off, Size: t.Size, Type: t})
}

// cells are those of which there are parts among so many bytes.
func (s spot) cells(size int64) []Scalar {
	i, _ := slices.BinarySearchFunc(s.o.Cells, s.off, func(c Scalar, off int64) int { return cmp.Compare(c.Off+c.Size, off+1) })
	in := s.o.Cells[i:]
	n := 0
	for n < len(in) && in[n].Off < s.off+size {
		n++
	}
	return in[:n]
}

// cuttable is whether an access is inside the object, and to no part of what cannot be divided.
func (s spot) cuttable(t *types.Type) bool {
	return s.off+t.Size <= s.o.Size && !slices.ContainsFunc(s.cells(t.Size), func(x Scalar) bool {
		return x.Type.Kind == types.FloatKind || x.Type.Kind == types.BoolKind && t.Size != x.Size
	})
}

// A misfit is an access that main has come to, and that its object has no cell for.
type misfit struct {
	spot
	t     *types.Type
	store bool // and nothing else
}

// misfits notes such an access.
func (u *Unit) misfits(a int64, t *types.Type, store bool) {
	s := u.spotAt(a)
	if s.o == nil || t == nil {
		return
	}
	takes := s.takes(t)
	if s.o.Untyped && !(takes && s.cells(t.Size)[0].Type.Word().Bits == t.Word().Bits) {
		u.met = append(u.met, misfit{s, t, store})
	}
	if takes {
		return
	}
	if s.meetsPadding(t.Size) {
		u.LooksAt(s.o.Type)
	}
	if !s.empty(t.Size) {
		u.misfitting = append(u.misfitting, misfit{s, t, store})
	}
}

// meetsPadding is whether there are bytes among so many that are in no member of a structure, and have no cell.
func (s spot) meetsPadding(size int64) bool {
	for off := s.off; off < s.off+size; off++ {
		if (spot{s.o, s.k, off}).empty(1) && OwnerOf(s.o.Type, off) != nil {
			return true
		}
	}
	return false
}

// noteMisfit divides what main has come to. Who looks at a byte need not look at others, as those who ask for the order of the bytes in a number; but who has
// gone through some bytes goes through more of them as a rule.
func (d *dividing) noteMisfit(m misfit) {
	end := m.off + 1
	if m.t.Size == 1 {
		for _, s := range m.cells(1) {
			end = s.Off + s.Size
		}
		end = min(max(end, m.off+4*m.bytesBefore()), m.o.Size, m.off+maxDivided)
	}
	for ; m.off < end; m.off++ {
		if m.t.Kind != types.FloatKind && !m.empty(m.t.Size) && m.cuttable(m.t) {
			d.cuts[m.o] = append(d.cuts[m.o], Scalar{Off: m.off, Size: m.t.Size, Type: m.t})
		}
	}
}

// bytesBefore is how many cells of one byte there are right before it.
func (s spot) bytesBefore() (n int64) {
	for n < s.off {
		before := spot{s.o, s.k, s.off - n - 1}.cells(1)
		if len(before) == 0 || before[0].Size != 1 {
			break
		}
		n++
	}
	return n
}

// cut divides the cells of an object at these places, and tells whether that makes a difference.
func (o *Object) cut(u *Unit, at []Scalar) bool {
	was := o.Cells
	cells := Pieces(append(slices.Clone(was), at...))
	named := func(s Scalar) (Scalar, bool) {
		for _, w := range was {
			switch {
			case w.Off == s.Off && w.Size == s.Size:
				if w.Apart(s) { // a truth value that is looked at as a byte
					s.Name = w.Name
					return s, false
				}
				return w, true
			case w.Off <= s.Off && s.Off < w.Off+w.Size:
				s.Name = fmt.Sprintf("%s+%d", w.Name, s.Off-w.Off)
				return s, false
			}
		}
		s.Name = fmt.Sprintf("%s+%d", o.Name, s.Off)
		return s, false
	}
	differs := false
	for i, s := range cells {
		var same bool
		if cells[i], same = named(s); !same {
			differs = true
		}
	}
	if !differs {
		return false
	}
	u.cells += (len(cells) - len(was)) * int(o.Count)
	u.LimitCells(u.cells)
	o.Cells, o.divided = cells, true
	for _, w := range was {
		if slices.Contains(cells, w) {
			continue
		}
		parts := PartsOf(cells, w.Off, w.Type)
		if v, ok := o.Init[w.Off]; ok {
			delete(o.Init, w.Off)
			for _, s := range parts {
				o.Init[w.Off+s.Off] = v >> (8 * s.Off)
			}
		}
		for k := range o.Count {
			a := o.Base + k*o.Stride + w.Off
			stored, partly := u.partly[a]
			delete(u.partly, a)
			for _, s := range parts {
				u.written[a+s.Off] = u.written[a]
				if all := ^uint64(0) >> (64 - 8*s.Size); partly && stored>>(8*s.Off)&all != all {
					u.partly[a+s.Off] = stored >> (8 * s.Off) & all
				}
				if u.Reals[a] {
					u.Reals[a+s.Off] = true
				}
			}
			if v, ok := u.initial[a]; ok {
				delete(u.initial, a)
				for _, s := range parts {
					u.initial[a+s.Off] = s.Type.Word().Wrap(v >> (8 * s.Off))
				}
			}
		}
	}
	return true
}

// parts are the cells that an access covers, wherever it is; nil where that is one, or depends on where.
func (d *dividing) parts(c *program.Command, t *types.Type) []Scalar {
	spots, ok := d.spots(c)
	if !ok {
		return nil
	}
	var parts []Scalar
	for i, s := range spots {
		these := PartsOf(s.o.Cells, s.off, t)
		end := int64(0)
		for _, x := range these {
			if x.Off != end || x.Type.Kind == types.FloatKind || x.Type.Kind == types.BoolKind && c.Op == program.Store && !holdsTruth(c.Value, x.Off) {
				return nil
			}
			end += x.Size
		}
		if these == nil || end != t.Size || i > 0 && !slices.EqualFunc(parts, these, func(a, b Scalar) bool { return a.Off == b.Off && a.Size == b.Size }) {
			return nil
		}
		parts = these
	}
	return parts
}

// holdsTruth is whether byte off of a value is known to be one that a truth value has room for.
func holdsTruth(e program.Expr, off int64) bool {
	k, constant := e.(program.Const)
	return constant && k>>(8*off)&0xff <= 1
}

// rewrite makes accesses to several cells of those of an edge that are.
func (d *dividing) rewrite(g *flowgraph.Graph, e *flowgraph.Edge, analysed *program.Command) bool {
	switch {
	case e.Op != nil:
		return false
	case e.Cmd.Op == program.Atomic:
		var body []program.Command
		changed := false
		for k := range e.Cmd.Body {
			more := d.pieces(g, e.Cmd.Body[k], &analysed.Body[k])
			if changed = changed || more != nil; more == nil {
				more = e.Cmd.Body[k : k+1]
			}
			body = append(body, more...)
		}
		if changed {
			e.Cmd.Body = body
		}
		return changed
	}
	body := d.pieces(g, e.Cmd, analysed)
	switch len(body) {
	case 0:
		return false
	case 1: // a truth value in a byte
		e.Cmd = body[0]
		return true
	}
	text := flowgraph.WideLoad
	if e.Cmd.Op == program.Store {
		if text = flowgraph.WideStore; e.Cmd.Tags.Has(target.OrderTag[target.SeqCst]) {
			text = "xchg"
		}
	}
	e.Cmd = program.Command{Op: program.Atomic, Text: text, Body: body, Pos: e.Cmd.Pos}
	return true
}

// pieces is a command piece by piece; nil: it stays what it is.
func (d *dividing) pieces(g *flowgraph.Graph, c program.Command, analysed *program.Command) []program.Command {
	t := Accessed(c.Tags)
	if c.Op != program.Load && c.Op != program.Store || t == nil || analysed.Op != c.Op {
		return nil
	}
	parts := d.parts(analysed, t)
	if parts == nil {
		return nil
	}
	var body []program.Command
	var es []program.Expr
	for i, s := range parts {
		x := c
		x.Addr, x.Tags = plus(c.Addr, s.Off), retagged(c.Tags, t, s)
		if t.Kind == types.FloatKind {
			x.Tags = x.Tags.With(flowgraph.RealTag)
		}
		if c.Op == program.Store {
			x.Value = Split(parts, c.Value)[i]
		} else {
			g.Regs = append(g.Regs, program.Register{Type: s.Type.Word(), Temp: true})
			x.Reg = len(g.Regs) - 1
			es = append(es, program.Reg(x.Reg))
		}
		body = append(body, x)
	}
	if c.Op == program.Load && t.Kind == types.BoolKind { // the byte may have been stored as something else
		bound := BoundOf("not modelled: a truth value that is neither 0 nor 1")
		bound.Value, bound.Pos = bin(program.ULe, es[0], program.Const(1)), c.Pos
		body = append(body, bound)
	}
	if c.Op == program.Load {
		body = append(body, program.Command{Op: program.Assign, Reg: c.Reg, Value: Joined(parts, es, t), Pos: c.Pos})
	}
	return body
}

// retagged are the tags of an access to a piece of its cell.
func retagged(t program.Tags, was *types.Type, is Scalar) program.Tags {
	names := map[string]bool{flowgraph.AccessTag + is.Type.Word().String(): true}
	for _, n := range t.Names() {
		if n != flowgraph.AccessTag+was.Word().String() {
			names[n] = true
		}
	}
	if mask, some := flowgraph.Bits(t); some {
		maps.DeleteFunc(names, func(n string, _ bool) bool { return flowgraph.IsBitsTag(n) })
		names[flowgraph.PieceTag(mask, is.Off, is.Size)] = true
	}
	return program.NewTags(slices.Sorted(maps.Keys(names))...)
}
