package encode

import (
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// taint is the reads that something depends on, each with the literal under
// which it does.
type taint map[*event]solver.Lit

// dependencies is what an event depends on.
type dependencies struct {
	addr, data, ctrl, cas taint
}

func (a *relational) dependency(x, y *point, of func(*dependencies) taint) solver.Lit {
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
	if l, ok := of(d)[x.ev]; ok {
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
