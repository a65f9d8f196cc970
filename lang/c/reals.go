package c

import (
	"math"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What becomes of numbers of floating point in memory that has other cells is in package lowered (reals.go there).

// bitsOf is the bits of a number of floating point as an integer, if it is known. Of others v is what it was: of what is no number, too, whose sign
// depends on whether it is computed when the program is compiled or when it runs.
func bitsOf(v value) (bits value, known bool) {
	switch {
	case v.t.Kind != types.FloatKind:
		return v, true
	case v.real == nil || math.IsNaN(*v.real) || v.t.Size > 8:
		return v, false
	case v.t.Size == 4:
		return value{t: types.UnsignedInt, e: program.Const(math.Float32bits(float32(*v.real)))}, true
	}
	return value{t: types.UnsignedLong, e: program.Const(int64(math.Float64bits(*v.real)))}, true
}
