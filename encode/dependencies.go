package encode

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// taint is what something depends on, each once. It has an order, so that a formula is the same
// whenever it is made.
type taint []dependency

// dependency is a read that something depends on, with the literal under which it does; picked
// where the read only chooses what it is (see [program.Arch.Picks]).
type dependency struct {
	read   *event
	picked bool
	lit    solver.Lit
}

// on is the taint of what was read.
func on(r *event, f *Formula) taint { return taint{{read: r, lit: f.True}} }

// find is the place of a dependency, or -1.
func (t taint) find(r *event, picked bool) int {
	return slices.IndexFunc(t, func(d dependency) bool { return d.read == r && d.picked == picked })
}

// add is t with another dependency. t is its own to change.
func (t taint) add(f *Formula, d dependency) taint {
	if i := t.find(d.read, d.picked); i >= 0 {
		t[i].lit = f.Or(t[i].lit, d.lit)
		return t
	}
	return append(t, d)
}

// pick is the taint of what is no more than picked by what has the taint t.
func (t taint) pick(f *Formula) (out taint) {
	for _, d := range t {
		d.picked = true
		out = out.add(f, d)
	}
	return out
}

// dependencies is what an event depends on.
type dependencies struct {
	addr, data, ctrl, cas taint
}

// dependency is the literal that y depends on the read x.
func (a *relational) dependency(x, y *point, of func(*dependencies) taint) solver.Lit {
	return a.depends(x, y, of, false)
}

// pick is the literal that y depends on the read x in no more than that it is picked.
func (a *relational) pick(x, y *point, of func(*dependencies) taint) solver.Lit {
	return a.depends(x, y, of, true)
}

func (a *relational) depends(x, y *point, of func(*dependencies) taint, picked bool) solver.Lit {
	if x.ev == nil || y.item == nil {
		return a.f.False()
	}
	d := y.item.deps
	if y.ev != nil {
		d = y.ev.deps
	}
	if d == nil {
		return a.f.False()
	}
	t := of(d)
	if i := t.find(x.ev, picked); i >= 0 {
		return t[i].lit
	}
	return a.f.False()
}

// join adds what o depends on under cond.
func (t taint) join(f *Formula, o taint, cond solver.Lit) taint {
	if len(o) == 0 {
		return t
	}
	out := slices.Clone(t)
	for _, d := range o {
		d.lit = f.And(d.lit, cond)
		out = out.add(f, d)
	}
	const entry = 40
	f.limits.extra += entry * int64(len(out))
	return out
}

// dependsOn is what the value of e depends on.
func (b *body) dependsOn(e program.Expr) taint {
	var t taint
	if !b.f.relational() {
		return nil
	}
	program.Walk(e, func(x program.Expr) {
		if r, ok := x.(program.Reg); ok {
			t = t.join(b.f, b.frame.taint[r], b.f.True)
		}
	})
	return t
}
