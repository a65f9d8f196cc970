package lowered

import (
	"cmp"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Nobody may change a string literal or an object that is defined with const (C11, 6.4.5 and 6.7.3), by whatever pointer.

// FirstTag marks the stores by which what a block has gets its first value.
const FirstTag = flowgraph.AccessTag + "first"

// Fix makes an object one of which nobody may change what its type says so of.
func (o *Object) Fix(name string) {
	if o.FixedIn = constantParts(o.Type, 0, nil); o.FixedIn != nil {
		o.Fixed = name + ", which is const"
		if o.FixedIn[0] != (Interval{0, o.Type.Size}) {
			o.Fixed = "a member of " + o.Fixed
		}
	}
}

// constantParts adds the parts of a type that are const. In a union that is nothing: who has stored to another member may have done so.
func constantParts(t *types.Type, off int64, to []Interval) []Interval {
	switch {
	case t.Const:
		return append(to, Interval{off, off + t.Size})
	case t.Kind == types.ArrayKind:
		elem := constantParts(t.Elem, 0, nil)
		if len(elem) == 1 && elem[0] == (Interval{0, t.Elem.Size}) {
			return append(to, Interval{off, off + t.Size})
		}
		for i := range t.Len {
			for _, p := range elem {
				to = append(to, Interval{off + i*t.Elem.Size + p.Lo, off + i*t.Elem.Size + p.Hi})
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
func (o *Object) fixedAt(off int64) bool {
	i, found := slices.BinarySearchFunc(o.FixedIn, off, func(p Interval, off int64) int { return cmp.Compare(p.Lo, off) })
	return found || i > 0 && off < o.FixedIn[i-1].Hi
}

// fixedCells are the addresses in such objects.
func (u *Unit) fixedCells() map[int64]bool {
	cells := map[int64]bool{}
	for _, o := range u.Objects {
		for _, s := range o.Cells {
			if o.fixedAt(s.Off) {
				cells[o.Base+s.Off] = true
			}
		}
	}
	return cells
}

// changeable asserts that a store is not to such an object.
func (g *guarding) changeable(t *program.Thread, c *program.Command, k *looked) []program.Command {
	var may []int64
	what := ""
	if c.Tags.Has(FirstTag) {
		return nil
	}
	for _, a := range k.inside {
		if s, _ := g.slotAt(a); s.o.fixedAt(a - s.base) {
			what = s.o.Fixed
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

// LiteralText is what a string literal is called.
const LiteralText = "a string literal"
