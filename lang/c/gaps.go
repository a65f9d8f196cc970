package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// isOf is whether a size is that of a t, or of so many of them: then there is nothing else in the memory.
func (l *lowerer) isOf(size cc.ExpressionNode, t *types.Type) bool {
	x, sum := unwrap(size).(*cc.AdditiveExpression)
	if sum && (x.Case == cc.AdditiveExpressionAdd || x.Case == cc.AdditiveExpressionSub) {
		return false
	}
	s := l.sized(size)
	return s != nil && t != nil && s.Same(t)
}

// hasGaps is whether there are bytes between or behind the members of a type.
func (l *lowerer) hasGaps(t *types.Type) bool {
	return len(lowered.GapsOf(l.u.flatten(t.Plain(), "", 0, nil), t.Size)) > 0
}

// gaps copies, or fills, what is in no scalar of n bytes at two addresses.
func (l *lowerer) gaps(to, from program.Expr, fills bool, t *types.Type, whole bool, scalars []lowered.Scalar, n int64) {
	many := t
	if n > t.Size && t.Size > 0 {
		many = types.ArrayOf(t.Plain(), n/t.Size)
	}
	source := func(off int64) program.Expr {
		if fills {
			return from
		}
		return plus(from, off)
	}
	if whole {
		for _, open := range l.u.openUnits(many, 0, true) {
			if open.Off+open.Type.Size <= n {
				l.operate(&lowered.GapOp{To: plus(to, open.Off), From: source(open.Off), Size: open.Type.Size, Of: t, Fills: fills, Whole: true, Unit: true})
			}
		}
	}
	for _, gap := range lowered.GapsOf(scalars, n) {
		if whole && !lowered.IsOpen(many, gap) {
			continue
		}
		l.operate(&lowered.GapOp{To: plus(to, gap.Lo), From: source(gap.Lo), Size: gap.Hi - gap.Lo, Of: t, Fills: fills, Whole: whole})
	}
}
