package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// reach writes that there is the last one of k bytes from p on, where these are gone over one by one and are of something larger.
func (l *lowerer) reach(p, k value, t, bytes *types.Type) {
	n, constant := k.e.(program.Const)
	if l.dryness > 0 || !constant || n < 1 || t == nil || t.Size <= 1 || bytes.Size > 1 {
		return
	}
	l.operate(&lowered.ReachOp{X: plus(p.e, int64(n)-1)})
}
