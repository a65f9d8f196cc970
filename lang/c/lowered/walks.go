package lowered

import "github.com/fencepost-verifier/fencepost/program"

// WalkText marks a check that a walk has not come farther than objects are large.
const WalkText = "walk"

// boundWalks puts the size of the largest object there is into these checks.
func (u *Unit) boundWalks() {
	most := int64(0)
	for _, o := range u.Objects {
		most = max(most, o.Size)
	}
	for _, t := range u.Threads {
		for i := range t.Graph.Edges {
			c := &t.Graph.Edges[i].Cmd
			if c.Op != program.Check || c.Text != WalkText {
				continue
			}
			c.Text = ""
			if b, ok := c.Value.(program.Binary); ok {
				c.Value = bin(b.Op, b.X, program.Const(most))
			}
		}
	}
}
