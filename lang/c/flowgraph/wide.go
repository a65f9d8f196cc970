package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// A plain load or store of several cells is one instruction of a processor, which nothing comes in between of, and no fence.
// Until the program is whole it is an Atomic of one of these texts, so that its parts stay together.
const (
	WideLoad  = "load of several cells"
	WideStore = "store of several cells"
)

// IsWide is true of such an Atomic.
func IsWide(c *program.Command) bool {
	return c.Op == program.Atomic && (c.Text == WideLoad || c.Text == WideStore)
}

// narrowed makes steps of the wide accesses of which one cell is left in memory.
func (g *Graph) narrowed() {
	for i := range g.Edges {
		e := g.Edges[i]
		if e.Op != nil || !IsWide(&e.Cmd) || accesses(&e.Cmd) > 1 {
			continue
		}
		at := e.From
		for k, c := range e.Cmd.Body {
			c.Pos = e.Cmd.Pos
			if k == len(e.Cmd.Body)-1 {
				g.Edges[i] = Edge{From: at, To: e.To, Cmd: c, Pos: e.Pos}
				break
			}
			next := g.Node(g.Nodes[e.From])
			g.Add(at, next, c, e.Pos)
			at = next
		}
	}
}

// accesses counts the loads and stores of a command.
func accesses(c *program.Command) (n int) {
	c.Accesses(func(*program.Command) { n++ })
	return n
}
