package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A loop that goes through the bytes of an object by a pointer (`while (n--) h ^= *p++;`) is known to end there by nobody who looks at values alone:
// what the pointer may be is any number, since nothing says how far it and the counter are apart. But a pointer that is moved stays in its
// object (C11, 6.5.6p8). So that is divided into bytes which the pointer comes from.

// walked divides the objects that a byte is accessed in by a pointer that is moved from byte to byte.
func (d *dividing) walked(thread int, t *program.Thread, c *program.Command, is *types.Type) {
	in := func(a int64) (int64, bool) {
		s := d.u.spotAt(a)
		return a - s.off, s.o != nil
	}
	starts, ok := walkedFrom(d.r, in, thread, t, c.Addr, 1)
	if !ok || is.Size != 1 {
		return
	}
	lo, hi, bounded := flowgraph.Within(c.Tags)
	for _, a := range starts {
		first := d.u.spotAt(a)
		if first.o == nil || inBytes(first.o.Type, first.off) {
			continue
		}
		for s := (spot{first.o, first.k, 0}); s.off < min(s.o.Size, maxDivided); s.off++ {
			at := a - first.off + s.off
			switch {
			case bounded && (at < lo || hi <= at):
			case s.meetsPadding(1):
				d.u.LooksAt(s.o.Type)
			case !s.empty(1) && s.cuttable(is):
				d.cuts[s.o] = append(d.cuts[s.o], Scalar{Off: s.off, Size: 1, Type: is})
			}
		}
	}
}

// stays is the objects that an access is to by a pointer that is moved in one of them, if its values do not tell, and whether it may begin from null; nil
// where that is not known.
func (g *guarding) stays(t *program.Thread, c *program.Command, set program.ValueSet) (in []slot, null bool) {
	is := Accessed(c.Tags)
	if is == nil || set.Size() <= maxDivided {
		return nil, false
	}
	of := func(a int64) (int64, bool) {
		s, inside := g.slotAt(a)
		return s.base, inside
	}
	starts, ok := walkedFrom(g.r, of, g.ti, t, c.Addr, is.Size)
	if !ok {
		return nil, false
	}
	for _, a := range starts {
		if s, inside := g.slotAt(a); inside && !slices.Contains(in, s) {
			in = append(in, s)
		}
	}
	return in, slices.Contains(starts, 0)
}

// walkedFrom is what the pointer in an address begins from, if it is moved by so many bytes at a time: null, or somewhere in an object. What finds where
// the object begins that an address is in.
func walkedFrom(r *program.Ranges, what func(a int64) (base int64, inside bool), thread int, t *program.Thread, addr program.Expr, size int64) (starts []int64, ok bool) {
	w := beginnings{r: r, what: what, thread: thread, t: t, size: size, seen: map[int]bool{}}
	w.from(addr, 0)
	return w.starts, w.steps && !w.lost
}

// inBytes is whether a byte of an object is an element of an array of bytes that is a member of something, which a pointer to it stays in.
func inBytes(t *types.Type, off int64) bool {
	for {
		switch {
		case t.Kind == types.ArrayKind && t.Elem.Size > 0:
			if t.Elem.Size == 1 {
				return true
			}
			t, off = t.Elem, off%t.Elem.Size
		case t.Kind == types.StructKind:
			i := slices.IndexFunc(t.Fields, func(f types.Field) bool { return f.Offset <= off && off < f.Offset+f.Type.Size })
			if i < 0 {
				return false
			}
			t, off = t.Fields[i].Type, off-t.Fields[i].Offset
		default:
			return false
		}
	}
}

// A beginnings finds what the pointer in an address is made of.
type beginnings struct {
	r      *program.Ranges
	what   func(a int64) (base int64, inside bool) // the object that an address is in
	thread int
	t      *program.Thread
	size   int64        // of what it goes along
	seen   map[int]bool // registers
	starts []int64      // the addresses that it gets otherwise than by being moved
	steps  bool         // it is moved
	lost   bool         // or is something else
}

// from takes what an address is made of, which is so far behind it. A number as large as an address may be the pointer, and what is moved an index.
func (w *beginnings) from(e program.Expr, off int64) {
	if x, ok := e.(program.Binary); ok && (x.Op == program.Add || x.Op == program.Sub) {
		if k, ok := x.Y.(program.Const); ok {
			k := int64(k)
			w.steps = w.steps || k == w.size || k == -w.size
			if x.Op == program.Sub {
				k = -k
			}
			if w.lost = w.lost || k >= lowestAddress || k <= -lowestAddress; !w.lost {
				w.from(x.X, off+k)
			}
			return
		}
	}
	r, ok := e.(program.Reg)
	if !ok {
		w.begins(w.r.Value(w.thread, e), off)
		return
	}
	if w.seen[int(r)] {
		return
	}
	w.seen[int(r)] = true
	if a := w.t.Regs[r].Init; a != 0 { // what all begin with is no value of theirs
		w.beginsAt(a, off)
	}
	for i := range w.t.Edges {
		if q := int(w.t.Edges[i].From); q < len(w.r.Reachable[w.thread]) && !w.r.Reachable[w.thread][q] { // what comes before an access is
			continue
		}
		w.given(int(r), &w.t.Edges[i].Cmd, off)
	}
}

// given takes what a register gets by a command.
func (w *beginnings) given(r int, c *program.Command, off int64) {
	switch {
	case c.Op == program.Atomic:
		for i := range c.Body {
			w.given(r, &c.Body[i], off)
		}
	case c.Op == program.Assign && c.Reg == r:
		w.from(c.Value, off)
	case c.Op == program.Load && c.Reg == r:
		for _, cell := range w.r.Access[c] {
			w.begins(w.r.Cell[cell], off)
		}
	default:
		c.Writes(func(reg int) { w.lost = w.lost || reg == r })
	}
}

// begins takes the addresses that a pointer may begin from, if they are few.
func (w *beginnings) begins(set program.ValueSet, off int64) {
	if set.Size() > maxDivided || set.Size() == 0 && !set.Empty() {
		w.lost = true
		return
	}
	for a := range set.All {
		w.beginsAt(a, off)
	}
}

// beginsAt takes one of them. Right behind an object is a place to begin from, too. What is in no object, or is in another one by what is added to it,
// may be an index that looks like an address.
func (w *beginnings) beginsAt(a, off int64) {
	if a == 0 {
		w.starts = append(w.starts, 0)
		return
	}
	in, ok := w.what(a)
	if !ok {
		a--
		in, ok = w.what(a)
	}
	other, also := w.what(a + off)
	if !ok || also && in != other {
		w.lost = true
		return
	}
	w.starts = append(w.starts, a)
}
