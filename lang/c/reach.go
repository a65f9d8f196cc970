package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Bytes that are gone over one by one, and are of something larger, lie in an object up to the last one: that some are outside of it comes before that parts
// of what is in it may not be known. There need not be a cell at the last byte, so it is no access that looks: what comes behind an access to no
// cell is never got to, as far as values are analysed, and nothing that is there would be divided, or looked at.

// A reachOp says that there is an object with the byte at x.
type reachOp struct {
	flowgraph.None
	x program.Expr
}

// Operands implements [flowgraph.Op].
func (op *reachOp) Operands() []program.Expr { return []program.Expr{op.x} }

// With implements [flowgraph.Op].
func (op *reachOp) With(x []program.Expr, _ int) flowgraph.Op { return &reachOp{x: x[0]} }

// reach writes that there is the last one of k bytes from p on, where these are gone over one by one and are of something larger.
func (l *lowerer) reach(p, k value, t, bytes *types.Type) {
	n, constant := k.e.(program.Const)
	if l.dryness > 0 || !constant || n < 1 || t == nil || t.Size <= 1 || bytes.Size > 1 {
		return
	}
	l.operate(&reachOp{x: plus(p.e, int64(n)-1)})
}

// reachTag marks the assertion that stands for a reachOp while values are made out.
const reachTag = flowgraph.AccessTag + "reach"

func (op *reachOp) placeholder(pos program.Position) program.Command {
	return program.Command{Op: program.Assert, Value: program.Binary{Op: program.BitOr, X: op.x, Y: program.Const(1)}, Tags: program.NewTags(reachTag), Pos: pos}
}

func (op *reachOp) holds(u *lowered, eval func(program.Expr) int64) bool {
	a := eval(op.x)
	for _, o := range u.objects {
		if k := a - o.base; k >= 0 && (o.count == 1 || k/o.stride < o.count) {
			if o.count > 1 {
				k %= o.stride
			}
			if k < o.size {
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
