package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// Tidy makes the graph smaller.
func (g *Graph) Tidy() {
	for range 6 {
		g.narrowed()
		g.direct()
		g.forward()
		g.decide()
		g.lead()
		g.merge()
		n := len(g.Edges)
		g.DropDead()
		g.merge()
		h, _ := g.Specialise(MaxThreads)
		*g = *h
		g.merge()
		if len(g.Edges) == n {
			break
		}
	}
	g.narrow()
	g.dropRegisters()
}

// ins counts the edges that lead to each node; the start has one more.
func (g *Graph) ins() []int {
	in := make([]int, len(g.Nodes))
	in[g.Start]++
	for i := range g.Edges {
		in[g.Edges[i].To]++
	}
	return in
}

// marked is true of nodes that have a meaning of their own.
func (g *Graph) marked(q int) bool {
	if q == g.End || q == g.GaveUp {
		return true
	}
	for _, b := range g.Bounds {
		if b == q {
			return true
		}
	}
	return false
}

// merge makes one node of two between which nothing happens.
func (g *Graph) merge() {
	to := make([]int, len(g.Nodes))
	for q := range to {
		to[q] = q
	}
	find := func(q int) int {
		for to[q] != q {
			to[q] = to[to[q]]
			q = to[q]
		}
		return q
	}
	out := g.Out()
	gone := make([]bool, len(g.Edges))
	for q := range g.Nodes {
		if len(out[q]) != 1 || g.marked(q) {
			continue
		}
		i := out[q][0]
		e := &g.Edges[i]
		if e.Op != nil || !e.Cmd.IsSkip() {
			continue
		}
		if dst := find(e.To); dst != q {
			to[q] = dst
			gone[i] = true
		}
	}
	edges := g.Edges[:0]
	for i, e := range g.Edges {
		if !gone[i] {
			e.From, e.To = find(e.From), find(e.To)
			edges = append(edges, e)
		}
	}
	g.Edges = edges
	g.Start = find(g.Start)
	g.Prune()
}

// Prune removes what cannot be reached.
func (g *Graph) Prune() {
	seen := g.Reachable(g.Out(), g.Start)
	edges := g.Edges[:0]
	for _, e := range g.Edges {
		if seen[e.From] {
			edges = append(edges, e)
		}
	}
	g.Edges = edges
	if g.End >= 0 && !seen[g.End] {
		g.End = -1
	}
}

// Reachable is which nodes are reached from a node, that one among them.
func (g *Graph) Reachable(out [][]int, from int) []bool {
	seen := make([]bool, len(g.Nodes))
	seen[from] = true
	stack := []int{from}
	for len(stack) > 0 {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, i := range out[q] {
			if to := g.Edges[i].To; !seen[to] {
				seen[to] = true
				stack = append(stack, to)
			}
		}
	}
	return seen
}

// DropDead makes assignments to registers that nobody reads do nothing.
func (g *Graph) DropDead() {
	live := g.Live()
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Op != nil {
			continue
		}
		switch e.Cmd.Op {
		case program.Assign, program.Havoc:
			if !live[e.To].Has(e.Cmd.Reg) {
				e.Cmd = program.Skip()
			}
		case program.Check, program.Assert:
			if k, ok := e.Cmd.Value.(program.Const); ok && k != 0 {
				e.Cmd = program.Skip()
			}
		case program.Atomic:
			body := e.Cmd.Body[:0:0]
			for k := range e.Cmd.Body {
				c := e.Cmd.Body[k]
				if c.Op == program.Assign && !live[e.To].Has(c.Reg) && !ReadAfter(e.Cmd.Body[k+1:], c.Reg) {
					continue
				}
				body = append(body, c)
			}
			if len(body) > 0 {
				e.Cmd.Body = body
			}
		}
	}
}

func ReadAfter(cs []program.Command, reg int) bool {
	found := false
	for i := range cs {
		cs[i].Reads(func(r int) { found = found || r == reg })
	}
	return found
}

// direct lets a command write the variable to which what it writes is copied next.
func (g *Graph) direct() {
	live := g.Live()
	in := g.ins()
	out := g.Out()
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Op != nil || in[e.To] != 1 || len(out[e.To]) != 1 {
			continue
		}
		n := &g.Edges[out[e.To][0]]
		if n.Op != nil || n.Cmd.Op != program.Assign || n == e {
			continue
		}
		t, ok := n.Cmd.Value.(program.Reg)
		x := n.Cmd.Reg
		if !ok || int(t) == x || live[n.To].Has(int(t)) {
			continue
		}
		tt, xt := g.Regs[t].Type, g.Regs[x].Type
		if tt != xt && tt.Bits < xt.Bits {
			continue
		}
		if !Writes(&e.Cmd, int(t)) || mentions(&e.Cmd, x) {
			continue
		}
		reads := false // it would read the variable in its place
		e.Cmd.Reads(func(r int) { reads = reads || r == int(t) })
		if reads && e.Cmd.Op == program.Atomic {
			continue
		}
		if tt != xt && e.Cmd.Op == program.Atomic {
			continue // the value in between may be looked at
		}
		if e.Cmd.Op == program.Havoc && !e.choose(xt) {
			continue
		}
		rename(&e.Cmd, int(t), x)
		n.Cmd = program.Skip()
	}
}

// choose makes the choice of an edge one of values of t; it is false where that would be another choice.
func (e *Edge) choose(t program.Type) bool {
	c := &e.Cmd
	if t.Wrap(c.Lo) == c.Lo && t.Wrap(c.Hi) == c.Hi {
		return true
	}
	if uint64(c.Hi)-uint64(c.Lo) < uint64(t.Max())-uint64(t.Min()) {
		return false // what is beyond goes round to some of them
	}
	c.Lo, c.Hi = t.Min(), t.Max()
	return true
}

func Writes(c *program.Command, reg int) bool {
	found := false
	c.Writes(func(r int) { found = found || r == reg })
	return found
}

func mentions(c *program.Command, reg int) bool {
	found := Writes(c, reg)
	look := func(c *program.Command) {
		for _, e := range []program.Expr{c.Addr, c.Value} {
			program.Walk(e, func(x program.Expr) { found = found || x == program.Reg(reg) })
		}
	}
	look(c)
	for i := range c.Body {
		look(&c.Body[i])
	}
	return found
}

// rename puts x in the place of t. What c reads before it writes t must not be t.
func rename(c *program.Command, t, x int) {
	if c.Op != program.Atomic {
		c.Reg = x
		return
	}
	body := append([]program.Command(nil), c.Body...)
	for i := range body {
		b := &body[i]
		b.Addr, b.Value = Replace(b.Addr, t, program.Reg(x)), Replace(b.Value, t, program.Reg(x))
		if b.Reg == t && (b.Op == program.Load || b.Op == program.Assign || b.Op == program.Havoc) {
			b.Reg = x
		}
	}
	c.Body = body
}

// Replace is e with x in the place of register r.
func Replace(e program.Expr, r int, x program.Expr) program.Expr {
	switch e := e.(type) {
	case program.Reg:
		if int(e) == r {
			return x
		}
	case program.Unary:
		return Fold(program.Unary{Op: e.Op, X: Replace(e.X, r, x)})
	case program.Binary:
		return Fold(program.Binary{Op: e.Op, X: Replace(e.X, r, x), Y: Replace(e.Y, r, x)})
	}
	return e
}
