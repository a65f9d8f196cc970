package c

import (
	"github.com/fencepost-verifier/fencepost/program"
)

// Nobody may change a string literal or an object that is defined with const (C11, 6.4.5 and 6.7.3), by whatever pointer. This is looked at where the object
// has static storage duration: what a block has gets its value by a store like any other.

// fix makes an object of static storage duration one that nobody may change, if its type says so.
func (o *object) fix(name string) {
	t := o.t
	for t.kind == arrayKind {
		t = t.elem
	}
	if t.konst {
		o.fixed = name + ", which is const"
	}
}

// fixedCells are the addresses in such objects.
func (u *unit) fixedCells() map[int64]bool {
	cells := map[int64]bool{}
	for _, o := range u.objects {
		if o.fixed != "" {
			for _, s := range o.cells {
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
	for _, a := range k.inside {
		if s, _ := g.slotAt(a); s.o.fixed != "" {
			what = s.o.fixed
		} else {
			may = append(may, a)
		}
	}
	if what == "" {
		return nil
	}
	return []program.Command{{Op: program.Assert, Text: "a store to " + what, Says: "check that what " + pointer(t, c.Addr) + " points to may be changed",
		Value: k.expr("changeable", c.Addr, func(x program.Expr) program.Expr { return among(x, may, program.Values(k.inside...)) })}}
}
