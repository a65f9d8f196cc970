package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// PrintedTag marks the load of the first character of a string that is read for nothing else.
const PrintedTag = flowgraph.AccessTag + "printed"

// textsEnd is true where a text is at each of these addresses that nobody changes as long as there are threads, or a string literal. Of those the
// first character is as good as all: whoever may give back the memory while the others are read may do so before the first is, since
// nobody can tell how far somebody has read.
func (u *Unit) textsEnd(r *program.Ranges, set program.ValueSet, unset map[int64]*types.Type) bool {
	vs, ok := set.Few()
	return ok && !slices.ContainsFunc(vs, func(a int64) bool {
		o := u.ObjectOf(program.Const(a))
		return (o == nil || o.Fixed != LiteralText || a >= o.Base+o.Size) && !u.textEnds(r, a, unset)
	})
}

func (u *Unit) textEnds(r *program.Ranges, a int64, unset map[int64]*types.Type) bool {
	for _, o := range u.Objects {
		off := a - o.Base
		if off < 0 || off >= o.Count*o.Stride {
			continue
		}
		for off %= o.Stride; off < o.Size; off, a = off+1, a+1 {
			i := r.CellIndex(a)
			if i < 0 || !r.ReadOnly(i) || unset[a] != nil || r.Cells[i].Mark != 0 || r.Cells[i].Type.Bits != 8 {
				return false
			}
			if r.Cells[i].Init == 0 {
				return true
			}
		}
	}
	return false
}
