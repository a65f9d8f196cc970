package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Leak asserts that what was allocated has been freed. Where leaks are looked for, all objects
// of the heap have the cells that tell whether they are there; malloc sets them.
type Leak struct{ flowgraph.None }

// With implements [flowgraph.Op].
func (op *Leak) With([]program.Expr, int) flowgraph.Op { return op }

// resolveLeaks makes assertions of the operations.
func (u *Unit) resolveLeaks() {
	for _, t := range u.lowered.Threads {
		if t.Graph == nil {
			continue
		}
		g := t.Graph
		for i := range len(g.Edges) {
			e := g.Edges[i]
			if _, ok := e.Op.(*Leak); !ok {
				continue
			}
			at := e.From
			step := func(c program.Command) {
				next := g.Node(e.Pos)
				g.Add(at, next, c, e.Pos)
				at = next
			}
			for _, o := range u.lowered.Objects {
				if !o.Heap || o.Stack || o.Mapped {
					continue
				}
				for k := range o.Count {
					g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
					r := len(g.Regs) - 1
					step(program.Command{Op: program.Load, Reg: r, Addr: program.Const(o.LiveAddr() + k*o.Stride), Tags: lowered.LifeTags})
					step(program.Command{Op: program.Assert, Value: eq(program.Reg(r), program.Const(0)), Text: "the memory that " + o.Made.Where() + " allocates is not freed"})
				}
			}
			g.Edges[i] = flowgraph.Edge{From: at, To: e.To, Cmd: program.Skip(), Pos: e.Pos}
		}
	}
}
