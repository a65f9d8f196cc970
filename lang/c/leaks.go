package c

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A leakOp asserts that what was allocated has been freed. Where leaks are looked for, all objects
// of the heap have the cells that tell whether they are there; malloc sets them.
type leakOp struct{ flowgraph.None }

// With implements [flowgraph.Op].
func (op *leakOp) With([]program.Expr, int) flowgraph.Op { return op }

// ends notes that the program ends here.
func (l *lowerer) ends() {
	if l.u.opts.Leaks && l.dryness == 0 {
		l.operate(&leakOp{})
	}
}

// resolveLeaks makes assertions of the operations.
func (u *unit) resolveLeaks() {
	for _, t := range u.threads {
		if t.g == nil {
			continue
		}
		g := t.g
		for i := range len(g.Edges) {
			e := g.Edges[i]
			if _, ok := e.Op.(*leakOp); !ok {
				continue
			}
			at := e.From
			step := func(c program.Command) {
				next := g.Node(e.Pos)
				g.Add(at, next, c, e.Pos)
				at = next
			}
			for _, o := range u.objects {
				if !o.heap || o.stack || o.mapped {
					continue
				}
				for k := range o.count {
					g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
					r := len(g.Regs) - 1
					step(program.Command{Op: program.Load, Reg: r, Addr: program.Const(o.liveAddr() + k*o.stride), Tags: lifeTags})
					step(program.Command{Op: program.Assert, Value: eq(program.Reg(r), program.Const(0)), Text: "the memory that " + o.made.Where() + " allocates is not freed"})
				}
			}
			g.Edges[i] = flowgraph.Edge{From: at, To: e.To, Cmd: program.Skip(), Pos: e.Pos}
		}
	}
}

// withReleases is p with a thread that gives back all that is on the heap, where leaks are looked for: what free
// does to the cells that tell is written last of all (guards.go), and till then what follows on the end of main would
// seem to be out of reach.
func (u *lowered) withReleases(p *program.Program) *program.Program {
	if !u.opts.Leaks {
		return p
	}
	t := &program.Thread{Name: "free", States: []program.State{{Name: "q0"}}}
	for _, o := range u.objects {
		if !o.heap {
			continue
		}
		for k := range o.count {
			t.Edges = append(t.Edges, program.Edge{Cmd: program.Command{Op: program.Store, Addr: program.Const(o.liveAddr() + k*o.stride),
				Value: program.Const(0), Tags: lifeTags}})
		}
	}
	q := *p
	q.Threads = append(slices.Clone(p.Threads), t)
	return &q
}
