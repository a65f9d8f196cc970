package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// dropRegisters renumbers the registers without those that are not used.
func (g *Graph) dropRegisters() {
	used := make([]bool, len(g.Regs))
	mark := func(r int) { used[r] = true }
	for i := range g.Edges {
		g.Edges[i].Reads(mark)
		g.Edges[i].Writes(mark)
		if g.Edges[i].Op == nil {
			for k := range g.Edges[i].Cmd.Body {
				g.Edges[i].Cmd.Body[k].Reads(mark)
			}
		}
	}
	if g.Result >= 0 {
		used[g.Result] = true
	}
	to := make([]int, len(g.Regs))
	var regs []program.Register
	for r := range g.Regs {
		if used[r] {
			to[r] = len(regs)
			regs = append(regs, g.Regs[r])
		}
	}
	var renumber func(e program.Expr) program.Expr
	renumber = func(e program.Expr) program.Expr {
		switch e := e.(type) {
		case program.Reg:
			return program.Reg(to[e])
		case program.Unary:
			return program.Unary{Op: e.Op, X: renumber(e.X)}
		case program.Binary:
			return program.Binary{Op: e.Op, X: renumber(e.X), Y: renumber(e.Y)}
		}
		return e
	}
	command := func(c *program.Command) {
		if c.Addr != nil {
			c.Addr = renumber(c.Addr)
		}
		if c.Value != nil {
			c.Value = renumber(c.Value)
		}
		switch c.Op {
		case program.Load, program.Assign, program.Havoc:
			c.Reg = to[c.Reg]
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Op != nil {
			e.Op = each(e.Op, renumber, func(r int) int { return to[r] })
			continue
		}
		command(&e.Cmd)
		e.Cmd.Body = append([]program.Command(nil), e.Cmd.Body...)
		for k := range e.Cmd.Body {
			command(&e.Cmd.Body[k])
		}
	}
	g.Regs = regs
	if g.Result >= 0 {
		g.Result = to[g.Result]
	}
}
