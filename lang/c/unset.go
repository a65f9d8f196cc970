package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What is read of memory that nothing has been written to is any value, which package lowered sees to (unset.go there). A local variable that is
// declared once more, as in a loop, is such memory again.

// forgets writes the stores for a local variable that is declared without a value.
func (l *lowerer) forgets(o *lowered.Object) {
	if len(o.Cells)-len(l.padding(o.Type)) <= lowered.MaxForgotten {
		l.forgetsThat(o, o.Cells)
	}
}

// forgetsThat writes them for some of its cells.
func (l *lowerer) forgetsThat(o *lowered.Object, cells []lowered.Scalar) {
	if o.Twin != nil {
		first, second, end := l.node(), l.node(), l.node()
		l.split(eq(program.Reg(o.Twin.At), program.Const(o.Base)), first, second)
		l.cur = first
		l.forgetAt(o, cells)
		l.jump(end)
		l.cur = second
		l.forgetAt(o.Twin.Other, cells)
		l.land(end)
		return
	}
	l.forgetAt(o, cells)
}

// forgetAt writes the stores to one place.
func (l *lowerer) forgetAt(o *lowered.Object, cells []lowered.Scalar) {
	skip := lowered.LibrarySpans(o.Type, 0, nil)
	for _, s := range cells {
		if !lowered.InSpans(skip, s.Off) && s.Type.Kind != types.FloatKind {
			l.emit(program.Command{Op: program.Store, Addr: program.Const(o.Base + s.Off), Value: program.Const(0), Tags: lowered.Tags(plain, s.Type).With(lowered.UnsetTag)})
		}
	}
}
