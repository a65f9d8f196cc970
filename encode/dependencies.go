package encode

import (
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// taint is what something depends on, each with the literal under which it does.
type taint map[dependency]solver.Lit

// dependency is a read that something depends on; picked where the read only chooses what
// it is (see [program.Arch.Picks]).
type dependency struct {
	read   *event
	picked bool
}

// on is the taint of what was read.
func on(r *event, f *Formula) taint { return taint{{read: r}: f.True} }

// pick is the taint of what is no more than picked by what has the taint t.
func (t taint) pick(f *Formula) taint {
	out := taint{}
	for d, l := range t {
		d.picked = true
		if old, ok := out[d]; ok {
			l = f.Or(old, l)
		}
		out[d] = l
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
	if l, ok := of(d)[dependency{x.ev, picked}]; ok {
		return l
	}
	return a.f.False()
}

// join adds what o depends on under cond.
func (t taint) join(f *Formula, o taint, cond solver.Lit) taint {
	if len(o) == 0 {
		return t
	}
	out := taint{}
	for e, l := range t {
		out[e] = l
	}
	for e, l := range o {
		l = f.And(l, cond)
		if old, ok := out[e]; ok {
			l = f.Or(old, l)
		}
		out[e] = l
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
