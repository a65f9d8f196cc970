package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A layout is what package [operations] asks of a unit.
type layout struct{ u *unit }

// Object implements [operations.Lowering].
func (l layout) Object(name string, t *types.Type) *lowered.Object { return l.u.object(name, t) }

// Pool implements [operations.Lowering].
func (l layout) Pool(name string, t *types.Type, bytes, count int64) *lowered.Object {
	return l.u.pool(name, t, bytes, count)
}

// Scalars implements [operations.Lowering].
func (l layout) Scalars(t *types.Type) []lowered.Scalar { return l.u.flatten(t, "", 0, nil) }

// OneCell implements [operations.Lowering].
func (l layout) OneCell(t *types.Type) bool { return l.u.packed(t) != nil }

// Refuse implements [operations.Lowering].
func (l layout) Refuse(what string) { l.u.refuseHere(what) }

// At implements [operations.Lowering].
func (l layout) At(pos program.Position) { l.u.here = pos }
