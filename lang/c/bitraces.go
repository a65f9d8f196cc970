package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Bit-fields that stand side by side are one memory location (C11, 3.14), also where they lie in several units: a compiler may
// write all of them where one is assigned to. Where data races are looked for, whoever accesses one that is not in the first of these units
// accesses that as well, and stores there what is there. That changes nothing but where there is a race.

// firstUnit is, for a field of the structure t, the first bit-field of the same memory location, if that has another unit.
func (u *unit) firstUnit(t *types.Type, f types.Field) *types.Field {
	if !u.opts.Races || f.Bits == 0 || t.Kind != types.StructKind {
		return nil
	}
	for i := range t.Fields {
		if g := &t.Fields[i]; g.Bits > 0 && g.Run == f.Run {
			if g.Offset == f.Offset {
				return nil
			}
			return g
		}
	}
	return nil
}

// touchFirst accesses that first unit, or the pieces that it is divided into.
func (l *lowerer) touchFirst(p place, order int, stores bool) {
	if p.first == nil {
		return
	}
	cells := lowered.PartsOf(p.inside, p.first.Offset-p.firstTo, p.first.Unit)
	if cells == nil {
		cells = []lowered.Scalar{{Type: p.first.Unit}}
	}
	for _, s := range cells {
		unit := place{addr: plus(p.addr, p.first.Offset-p.firstTo+s.Off), unit: s.Type, trusted: true} // none of its bits counts as looked at, nor as stored to
		r := l.temp(unit.unit)
		l.emit(program.Command{Op: program.Load, Reg: r, Addr: unit.addr, Tags: l.copied(unit, unit.unitTags(order))})
		if stores {
			l.emit(program.Command{Op: program.Store, Addr: unit.addr, Value: program.Reg(r), Tags: unit.unitTags(order)})
		}
	}
}
