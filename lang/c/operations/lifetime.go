package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Leave is where a block ends in which something has been allocated on the stack.
type Leave struct {
	flowgraph.None
	Site *Site
}

// Operands implements [flowgraph.Op].
func (op *Leave) Operands() []program.Expr { return nil }

// With implements [flowgraph.Op].
func (op *Leave) With([]program.Expr, int) flowgraph.Op { return op }

// resolveLeaves says, now that all objects are known, that those are gone whose blocks are left.
func (u *Unit) resolveLeaves() {
	for _, t := range u.lowered.Threads {
		g := t.Graph
		if g == nil {
			continue
		}
		for i := range len(g.Edges) {
			e := g.Edges[i]
			op, ok := e.Op.(*Leave)
			if !ok {
				continue
			}
			at := e.From
			for _, o := range u.pools[op.Site] {
				for k := range o.Count {
					next := g.Node(e.Pos)
					g.Add(at, next, program.Command{Op: program.Store, Addr: program.Const(o.LiveAddr() + k*o.Stride), Value: program.Const(0), Tags: lowered.LifeTags}, e.Pos)
					at = next
				}
				if o.Busy > 0 {
					next := g.Node(e.Pos)
					g.Add(at, next, program.Command{Op: program.Assign, Reg: o.Busy, Value: program.Const(0)}, e.Pos)
					at = next
				}
			}
			g.Edges[i] = flowgraph.Edge{From: at, To: e.To, Cmd: program.Skip(), Pos: e.Pos}
		}
	}
}
