package lowered

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// An Indexing is an access to an array of which it is known where it lies.
type Indexing struct {
	Pos    program.Position
	Lo, Hi int64
}

// saysInside is what an assertion says that the address of an access is inside of objects; null is whether it may be null,
// and outside whether it may be anywhere else.
func (g *guarding) saysInside(t *program.Thread, c *program.Command, pos program.Position, null, outside bool) string {
	p := pointer(t, c.Addr)
	switch lo, hi, array := flowgraph.Within(c.Tags); {
	case c.Tags.Has(flowgraph.FreeTag):
		return "check that malloc has given " + p
	case array && g.u.Indexings[Indexing{pos, lo, hi}] != "":
		return g.u.Indexings[Indexing{pos, lo, hi}]
	case array:
		return "check that the index is inside the array"
	case null && !outside:
		return "check that " + p + " is not null"
	}
	return "check that " + p + " leads to an object"
}

// pointer is what the source calls the pointer that addr is computed from.
func pointer(t *program.Thread, addr program.Expr) string {
	if b, ok := addr.(program.Binary); ok && b.Op == program.Add {
		if _, ok := b.Y.(program.Const); ok {
			addr = b.X
		}
	}
	if r, ok := addr.(program.Reg); ok && !t.Regs[r].Temp {
		return t.Regs[r].Name
	}
	return "the pointer"
}
