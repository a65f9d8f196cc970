package flowgraph

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// lead lets who knows how a choice compares past the tests that it decides: where scanf has read nothing, what it says
// is below 1, which is not 1. So what is read is written wherever the program goes on. As long as threads have numbers and are not
// made that is not done: one that nobody comes to would have a number all the same.
func (g *Graph) lead() {
	const far = 16 // steps to look ahead
	free := g.choices()
	if free == nil || slices.ContainsFunc(g.Edges, func(e Edge) bool { _, starts := e.Op.(Starter); return starts }) {
		return
	}
	out, in := g.Out(), g.ins()
	// What is known at a node to which one edge leads is known as long as the choice is not made again.
	known := make([]map[int]span, len(g.Nodes))
	done := make([]bool, len(g.Edges))
	work := make([]int, 0, len(g.Nodes))
	for q := range g.Nodes {
		if in[q] != 1 || q == g.Start {
			work = append(work, q)
		}
	}
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			if done[i] {
				continue
			}
			done[i] = true
			e := &g.Edges[i]
			after, possible := g.learn(e, known[q], free)
			if !possible {
				continue
			}
			to := e.To
			for n := 0; n < far && e.Op == nil; n++ {
				next := g.led(e.To, out[e.To], after, free)
				if next < 0 {
					break
				}
				e.To = g.Edges[next].To
			}
			if in[to] == 1 {
				known[to] = after
				work = append(work, to)
			}
		}
	}
	g.Prune()
}

// choices is, of every register that holds nothing but choices and what it holds at first, between what values that is; nil
// where there are none.
func (g *Graph) choices() map[int]span {
	free := map[int]span{}
	for i := range g.Edges {
		if c := &g.Edges[i].Cmd; g.Edges[i].Op == nil && c.Op == program.Havoc {
			s, ok := free[c.Reg]
			if !ok {
				s = span{g.Regs[c.Reg].Init, g.Regs[c.Reg].Init}
			}
			free[c.Reg] = span{min(s.lo, c.Lo), max(s.hi, c.Hi)}
		}
	}
	for i := range g.Edges {
		if e := &g.Edges[i]; e.Op != nil || e.Cmd.Op != program.Havoc {
			e.Writes(func(r int) { delete(free, r) })
		}
	}
	delete(free, g.Result)
	if len(free) == 0 {
		return nil
	}
	return free
}

// learn is what is known of choices after an edge, and whether it can be followed at all.
func (g *Graph) learn(e *Edge, known, free map[int]span) (map[int]span, bool) {
	c := &e.Cmd
	r, s := c.Reg, span{c.Lo, c.Hi}
	switch {
	case e.Op != nil:
		return known, true
	case c.Op == program.Havoc:
		if _, ok := free[r]; !ok {
			return known, true
		}
	case c.Op == program.Check:
		var ok bool
		if r, ok = ofOne(c.Value, free); !ok {
			return known, true
		}
		if s = g.where(c.Value, r, at(r, known, free)); s.none() {
			return nil, false
		}
	default:
		return known, true
	}
	after := make(map[int]span, len(known)+1)
	for r, s := range known {
		after[r] = s
	}
	after[r] = s
	return after, true
}

// led is the test that leaves q and is true of all that the choice may be, where the others are of none of it; -1 where
// there is no such test.
func (g *Graph) led(q int, out []int, known, free map[int]span) int {
	if g.marked(q) || len(out) < 2 {
		return -1
	}
	next := -1
	for _, i := range out {
		c := &g.Edges[i].Cmd
		if g.Edges[i].Op != nil || c.Op != program.Check {
			return -1
		}
		r, ok := ofOne(c.Value, free)
		if !ok {
			return -1
		}
		s := at(r, known, free)
		switch {
		case g.where(c.Value, r, s).none():
			continue
		case next >= 0 || !g.where(program.NotExpr(c.Value), r, s).none():
			return -1
		}
		next = i
	}
	return next
}

// at is between what values a choice is.
func at(r int, known, free map[int]span) span {
	if s, ok := known[r]; ok {
		return s
	}
	return free[r]
}

// ofOne is the choice that an expression reads, where it reads that and no other register.
func ofOne(e program.Expr, free map[int]span) (reg int, ok bool) {
	reg = -1
	ok = true
	program.Walk(e, func(x program.Expr) {
		if r, is := x.(program.Reg); is {
			_, choice := free[int(r)]
			ok = ok && choice && (reg < 0 || reg == int(r))
			reg = int(r)
		}
	})
	return reg, ok && reg >= 0
}
