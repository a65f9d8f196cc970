package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A pointer that is cast to a pointer to a type of a larger alignment has to be aligned for it (C11, 6.3.2.3p7; see [lowered.AlignedOp]). Looked at are casts of
// what is declared to point to something smaller. What comes by way of void *, or of a number, as the marked pointers of lists without locks do, is let
// pass: whether it is aligned is looked at where it is accessed.

// aligns writes that v, which is cast to a pointer of type t, is aligned for it.
func (l *lowerer) aligns(v value, t *types.Type) {
	if v.t.Kind != types.PointerKind || t.Kind != types.PointerKind || v.site != nil {
		return
	}
	from, to := v.t.Elem, t.Elem
	if from.Incomplete() || to.Incomplete() || from.Kind == types.VoidKind || from.Kind == types.FunctionKind || to.Kind == types.FunctionKind || from.Align >= to.Align {
		return
	}
	if a, known := v.e.(program.Const); known && int64(a)%to.Align == 0 {
		return
	}
	l.operate(&lowered.AlignedOp{X: v.e, Align: to.Align, Text: lowered.AlignedText, Says: "check that the pointer is aligned for " + to.Name})
}
