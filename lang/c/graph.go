package c

import "github.com/fencepost-verifier/fencepost/program"

// A graph is the automaton of a thread under construction. Beside commands its edges
// bear operations, which become commands once it is known how often they are there.
type graph struct {
	regs  []program.Register
	nodes []program.Position
	edges []edge
	start int
	// end is where the thread ends, gaveUp where its assumptions fail; -1: nowhere.
	end, gaveUp int
	bound       []int // where bounds are met
	// tracked are cells that nobody but this thread writes: see track.go.
	tracked map[int64]tracked
	result  int // the register of what the thread ends with; -1: none
}

// A tracked cell is one of which is known what it holds at first.
type tracked struct {
	t    program.Type
	init int64
}

// An edge bears a command, or an operation where op is not nil.
type edge struct {
	from, to int
	cmd      program.Command
	op       any // nil, *reserveOp, *startOp, *joinOp, *allocOp, *copyOp, *signalOp, *leakOp, *boundOp
	pos      program.Position
}

// A reserveOp makes reg the number of a new thread.
type reserveOp struct{ reg int }

// A startOp starts the thread whose number id is at the function with the address fn.
type startOp struct {
	id, fn, arg program.Expr
	legacy      map[string]int // see timesIn
}

// An allocOp makes reg the address of a new object.
type allocOp struct {
	reg  int
	site *site
	size program.Expr // in bytes: a constant in the end
	// first is which bytes are written before others know of the object; see fresh.go. It is made out last.
	first []bool
}

// A boundOp ends what is looked at: there would be more to see.
type boundOp struct{ what string }

// A site is where the program makes an object on the heap.
type site struct {
	elem  *ctype // nil: not known yet
	zero  bool
	stack bool // the object is of a block
	bytes bool // elem is what the program calls bytes, which may be anything
	pos   program.Position
}

func (g *graph) node(pos program.Position) int {
	g.nodes = append(g.nodes, pos)
	return len(g.nodes) - 1
}

func (g *graph) edge(from, to int, c program.Command, pos program.Position) {
	c.Pos = pos
	for i := range c.Body {
		c.Body[i].Pos = pos
	}
	g.edges = append(g.edges, edge{from: from, to: to, cmd: c, pos: pos})
}

func (g *graph) operate(from, to int, op any, pos program.Position) {
	g.edges = append(g.edges, edge{from: from, to: to, op: op, pos: pos})
}

// out is the edges that leave each node.
func (g *graph) out() [][]int {
	out := make([][]int, len(g.nodes))
	for i := range g.edges {
		out[g.edges[i].from] = append(out[g.edges[i].from], i)
	}
	return out
}

// A joinOp waits for the thread whose number id is, and makes reg what it ended with.
type joinOp struct {
	id  program.Expr
	reg int
}
