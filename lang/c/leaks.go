package c

import (
	"github.com/fencepost-verifier/fencepost/program"
)

// A leakOp asserts that what was allocated has been freed. Where leaks are looked for, all objects
// of the heap have the cells that tell whether they are there; malloc sets them.
type leakOp struct{}

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
		for i := range len(g.edges) {
			e := g.edges[i]
			if _, ok := e.op.(*leakOp); !ok {
				continue
			}
			at := e.from
			step := func(c program.Command) {
				next := g.node(e.pos)
				g.edge(at, next, c, e.pos)
				at = next
			}
			for _, o := range u.objects {
				if !o.heap || o.stack {
					continue
				}
				for k := range o.count {
					g.regs = append(g.regs, program.Register{Type: program.BoolType, Temp: true})
					r := len(g.regs) - 1
					step(program.Command{Op: program.Load, Reg: r, Addr: program.Const(o.liveAddr() + k*o.stride), Tags: lifeTags})
					step(program.Command{Op: program.Assert, Value: eq(program.Reg(r), program.Const(0)), Text: "the memory that " + o.made.Where() + " allocates is not freed"})
				}
			}
			g.edges[i] = edge{from: at, to: e.to, cmd: program.Skip(), pos: e.pos}
		}
	}
}
