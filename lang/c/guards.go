package c

import (
	"github.com/fencepost-verifier/fencepost/program"
)

// guard sees to it that every access is one to a cell of the type that it takes the
// cell for.
func (u *unit) guard(p *program.Program) {
	if len(u.bounded) > 0 {
		u.failAt(program.Position{}, "raise the bound", "not modelled: %s", u.bounded[0])
	}
	for _, t := range p.Threads {
		for i := range t.Edges {
			e := &t.Edges[i]
			e.Cmd.Accesses(func(c *program.Command) {
				if e.Cmd.Text == "join" || len(c.Tags.Names()) == 0 {
					return
				}
				k, ok := c.Addr.(program.Const)
				if !ok {
					u.failAt(e.Pos, "", "not modelled: an address that is computed")
				}
				if i := p.CellAt(int64(k)); i < 0 || !c.Tags.Has(accessTag+p.Memory[i].Type.String()) {
					u.failAt(e.Pos, "", "not modelled: an access past the end of an object, or to a part of it")
				}
			})
		}
	}
}
