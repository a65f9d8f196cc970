package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// A Graph is the automaton of a thread under construction.
type Graph struct {
	Regs  []program.Register
	Nodes []program.Position
	Edges []Edge
	Start int
	// End is where the thread ends, GaveUp where its assumptions fail; -1: nowhere.
	End, GaveUp int
	Bounds      []int // where bounds are met
	// Tracked are cells that nobody but this thread writes, by address.
	Tracked map[int64]Tracked
	Result  int // the register of what the thread ends with; -1: none
}

// A Tracked cell is one of which is known what it holds at first.
type Tracked struct {
	Type program.Type
	Init int64
}

// An Edge bears a command, or an operation where Op is not nil.
type Edge struct {
	From, To int
	Cmd      program.Command
	Op       Op
	Pos      program.Position
}

// Node adds a node.
func (g *Graph) Node(pos program.Position) int {
	g.Nodes = append(g.Nodes, pos)
	return len(g.Nodes) - 1
}

// Add adds an edge that bears c, which gets the position.
func (g *Graph) Add(from, to int, c program.Command, pos program.Position) {
	c.Pos = pos
	for i := range c.Body {
		c.Body[i].Pos = pos
	}
	g.Edges = append(g.Edges, Edge{From: from, To: to, Cmd: c, Pos: pos})
}

// Operate adds an edge that bears op.
func (g *Graph) Operate(from, to int, op Op, pos program.Position) {
	g.Edges = append(g.Edges, Edge{From: from, To: to, Op: op, Pos: pos})
}

// Out is the edges that leave each node.
func (g *Graph) Out() [][]int {
	out := make([][]int, len(g.Nodes))
	for i := range g.Edges {
		out[g.Edges[i].From] = append(out[g.Edges[i].From], i)
	}
	return out
}
