package lowered

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Bytes that are gone over one by one, and are of something larger, lie in an object up to the last one: that some are outside of it comes before that parts
// of what is in it may not be known. There need not be a cell at the last byte, so it is no access that looks: what comes behind an access to no
// cell is never got to, as far as values are analysed, and nothing that is there would be divided, or looked at.

// A ReachOp says that there is an object with the byte at X.
type ReachOp struct {
	flowgraph.None
	X program.Expr
}

// Operands implements [flowgraph.Op].
func (op *ReachOp) Operands() []program.Expr { return []program.Expr{op.X} }

// With implements [flowgraph.Op].
func (op *ReachOp) With(x []program.Expr, _ int) flowgraph.Op { return &ReachOp{X: x[0]} }

// reachTag marks the assertion that stands for a ReachOp while values are made out.
const reachTag = flowgraph.AccessTag + "reach"

func (op *ReachOp) placeholder(pos program.Position) program.Command {
	return program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: op.X, Y: program.Const(1)}, Tags: program.NewTags(reachTag), Pos: pos}
}

func (op *ReachOp) holds(u *Unit, eval func(program.Expr) int64) bool {
	a := eval(op.X)
	for _, o := range u.Objects {
		if k := a - o.Base; k >= 0 && (o.Count == 1 || k/o.Stride < o.Count) {
			if o.Count > 1 {
				k %= o.Stride
			}
			if k < o.Size {
				return true
			}
		}
	}
	return false
}

// reached is the assertion for which c stands, in a thread, or nothing where it holds.
func (g *guarding) reached(t *program.Thread, c *program.Command) program.Command {
	skip := program.Skip()
	skip.Pos = c.Pos
	x := c.Value.(program.Binary).X
	set := g.r.At(c, x)
	if set.Empty() {
		return skip
	}
	access := &program.Command{Op: program.Load, Addr: x, Tags: program.NewTags(reachTag), Pos: c.Pos}
	check, outside := g.insideOf(t, access, set, g.look(access, set, false), c.Pos)
	if !outside {
		return skip
	}
	check.Pos = c.Pos
	return check
}
