package c

import (
	"cmp"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Nobody may change a string literal or an object that is defined with const (C11, 6.4.5 and 6.7.3), by whatever pointer.

// firstTag marks the stores by which what a block has gets its first value.
const firstTag = flowgraph.AccessTag + "first"

// first writes by f what an object has at first.
func (l *lowerer) first(o *object, f func()) {
	from := len(l.g.Edges)
	f()
	if o == nil || o.fixedIn == nil {
		return
	}
	for i := range l.g.Edges[from:] {
		if c := &l.g.Edges[from+i].Cmd; c.Op == program.Store {
			c.Tags = c.Tags.With(firstTag)
		}
	}
}

// fix makes an object one of which nobody may change what its type says so of.
func (o *object) fix(name string) {
	if o.fixedIn = constantParts(o.t, 0, nil); o.fixedIn != nil {
		o.fixed = name + ", which is const"
		if o.fixedIn[0] != (interval{0, o.t.Size}) {
			o.fixed = "a member of " + o.fixed
		}
	}
}

// An interval is offsets from lo on that are below hi.
type interval struct{ lo, hi int64 }

// constantParts adds the parts of a type that are const. In a union that is nothing: who has stored to another member may have done so.
func constantParts(t *types.Type, off int64, to []interval) []interval {
	switch {
	case t.Const:
		return append(to, interval{off, off + t.Size})
	case t.Kind == types.ArrayKind:
		elem := constantParts(t.Elem, 0, nil)
		if len(elem) == 1 && elem[0] == (interval{0, t.Elem.Size}) {
			return append(to, interval{off, off + t.Size})
		}
		for i := range t.Len {
			for _, p := range elem {
				to = append(to, interval{off + i*t.Elem.Size + p.lo, off + i*t.Elem.Size + p.hi})
			}
		}
	case t.Kind == types.StructKind:
		for _, f := range t.Fields {
			if f.Bits == 0 {
				to = constantParts(f.Type, off+f.Offset, to)
			}
		}
	}
	return to
}

// fixedAt is true of the offset of what nobody may change.
func (o *object) fixedAt(off int64) bool {
	i, found := slices.BinarySearchFunc(o.fixedIn, off, func(p interval, off int64) int { return cmp.Compare(p.lo, off) })
	return found || i > 0 && off < o.fixedIn[i-1].hi
}

// fixedCells are the addresses in such objects.
func (u *lowered) fixedCells() map[int64]bool {
	cells := map[int64]bool{}
	for _, o := range u.objects {
		for _, s := range o.cells {
			if o.fixedAt(s.off) {
				cells[o.base+s.off] = true
			}
		}
	}
	return cells
}

// changeable asserts that a store is not to such an object.
func (g *guarding) changeable(t *program.Thread, c *program.Command, k *looked) []program.Command {
	var may []int64
	what := ""
	if c.Tags.Has(firstTag) {
		return nil
	}
	for _, a := range k.inside {
		if s, _ := g.slotAt(a); s.o.fixedAt(a - s.base) {
			what = s.o.fixed
		} else {
			may = append(may, a)
		}
	}
	if what == "" {
		return nil
	}
	return []program.Command{{Op: program.Assert, Text: "a store to " + what, Says: "check that what " + pointer(t, c.Addr) + " points to may be changed",
		Value: k.expr("changeable", c.Addr, func(x program.Expr) program.Expr { return flowgraph.Among(x, may, program.Values(k.inside...)) })}}
}
