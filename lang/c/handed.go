package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A handed is registers in which a value is handed on from where one of several ways ends: the scalars that it has and, of a structure where
// reads of what is not initialised are violations, whether each has been written to.
type handed struct{ regs, sets []int }

// handedIn are registers for a value of type t.
func (l *lowerer) handedIn(t *types.Type) *handed {
	h := &handed{}
	switch {
	case t.Aggregate():
		for _, s := range l.u.flatten(t, "", 0, nil) {
			h.regs = append(h.regs, l.temp(s.Type))
			if l.u.opts.Uninitialised {
				h.sets = append(h.sets, l.temp(types.UnsignedLong))
			}
		}
	case t.Kind != types.VoidKind:
		h.regs = append(h.regs, l.temp(t))
	}
	return h
}

// hand puts the scalars of v into registers.
func (l *lowerer) hand(h *handed, v value) {
	if !v.t.Aggregate() {
		for _, r := range h.regs {
			l.assign(r, v.e)
		}
		return
	}
	for i, r := range h.regs {
		l.assign(r, v.agg[i])
	}
	for i, r := range h.sets {
		set := program.Expr(program.Const(1))
		if v.sets != nil {
			set = v.sets[i]
		}
		l.assign(r, set)
	}
}

// value is what has been put there, of type t.
func (h *handed) value(t *types.Type) value {
	v := value{t: t}
	if !t.Aggregate() {
		if len(h.regs) > 0 {
			v.e = program.Reg(h.regs[0])
		}
		return v
	}
	for _, r := range h.regs {
		v.agg = append(v.agg, program.Reg(r))
	}
	for _, r := range h.sets {
		v.sets = append(v.sets, program.Reg(r))
	}
	return v
}
