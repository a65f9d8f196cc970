package lowered

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// When the program is whole, the parts of an access to several cells are steps
// one after the other, of which the second and later ones are marked (see [program.Command.Part]), unless no other thread
// comes near. What such an access is in C11 no model says, and for
// other processors none of ours holds its parts together; that of one that is not atomic only tells where there is a data race.

// part makes steps of all wide accesses of a thread.
func (g *guarding) part(t *program.Thread) {
	for i := range t.Edges {
		e := t.Edges[i]
		if !flowgraph.IsWide(&e.Cmd) {
			continue
		}
		body, together, atomic := e.Cmd.Body, 0, false
		for k := range body {
			if set, ok := g.r.Address[&body[k]]; ok && !g.alone(&body[k], set) {
				together++
				atomic = atomic || !body[k].Tags.Has(target.OrderTag[target.Plain])
			}
		}
		if together > 1 && atomic && !g.u.Options.X86 {
			if g.u.Options.NoBlocks { // gather may make one cell of it
				continue
			}
			body = append([]program.Command{target.AtOnce()}, body...)
		}
		at, begun := e.From, false
		for k, c := range body {
			c.Pos = e.Cmd.Pos
			if c.Op == program.Load || c.Op == program.Store {
				c.Part = begun && together > 1 && g.u.Options.X86
				begun = true
			}
			if k == len(body)-1 {
				t.Edges[i] = program.Edge{From: at, To: e.To, Cmd: c, Pos: e.Pos}
				break
			}
			t.States = append(t.States, program.State{Name: t.States[e.From].Name + "'", Pos: e.Pos})
			next := program.StateID(len(t.States) - 1)
			t.Edges = append(t.Edges, program.Edge{From: at, To: next, Cmd: c, Pos: e.Pos})
			at = next
		}
	}
}

// alone is true where no other thread can come between the parts of an access.
func (g *guarding) alone(c *program.Command, set program.ValueSet) bool {
	beside := int64(0)
	if c.Tags.Has(flowgraph.ShadowTag) {
		v, of := unshadowed(c, set)
		c, set, beside = &v, of, ShadowOffset
	}
	for _, a := range g.inside(set, c) {
		i := g.r.CellIndex(a + beside)
		if i >= 0 && g.r.Private(i) < 0 && (c.Op == program.Store || !g.r.ReadOnly(i)) {
			return false
		}
	}
	return true
}
