package flowgraph

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A plain load or store of several cells is one instruction of a processor, which nothing comes in between of, and no fence.
// Until the program is whole it is an Atomic of one of these texts, so that its parts stay together.
const (
	WideLoad  = "load of several cells"
	WideStore = "store of several cells"
)

// Texts of an Atomic that loads, or stores, an atomic object of several cells.
const (
	AtomicLoad  = "load"
	AtomicStore = "store"
)

// IsWide is true of such an Atomic.
func IsWide(c *program.Command) bool {
	return c.Op == program.Atomic && (c.Text == WideLoad || c.Text == WideStore)
}

// narrowed makes steps of the accesses to several cells of which one is left in memory, and takes out of bodies what does nothing.
func (g *Graph) narrowed() {
	for i := range g.Edges {
		e := g.Edges[i]
		if rest := slices.DeleteFunc(slices.Clone(e.Cmd.Body), skips); len(rest) > 0 && len(rest) < len(e.Cmd.Body) {
			e.Cmd.Body = rest
			g.Edges[i] = e
		}
		access := IsWide(&e.Cmd) || e.Cmd.Op == program.Atomic && (e.Cmd.Text == AtomicLoad || e.Cmd.Text == AtomicStore)
		if e.Op != nil || !access || accesses(&e.Cmd) > 1 {
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

func skips(c program.Command) bool { return c.IsSkip() }

// accesses counts the loads and stores of a command.
func accesses(c *program.Command) (n int) {
	c.Accesses(func(*program.Command) { n++ })
	return n
}
