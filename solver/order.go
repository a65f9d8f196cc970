package solver

import "fmt"

// An Order is a Solver with a theory of order: a graph over nodes, with edges
// that are there where their literals are true. A model is one of the clauses only
// if its graph has no cycle.
type Order interface {
	// NewNode makes a node and returns its number, from 0.
	NewNode() int

	// AddEdge says that where l is true, there is an edge between two nodes. Several
	// edges may have one literal, and several literals one edge.
	AddEdge(from, to int, l Lit)
}

// OrderOf returns the theory of order of s, or nil where its back end has none.
func OrderOf(s Solver) Order {
	if s, ok := own(s); ok {
		if _, ok := s.b.(orderer); ok {
			return &ordered{s}
		}
	}
	return nil
}

// own is what s is of this package. Whoever wraps a Solver, and does not mind that it gets edges and
// wishes directly, has a method Unwrap.
func own(s Solver) (*checked, bool) {
	if w, ok := s.(interface{ Unwrap() Solver }); ok {
		s = w.Unwrap()
	}
	c, ok := s.(*checked)
	return c, ok
}

// An orderer is a back end that minds the edges of the log.
type orderer interface{ knowsOrders() }

type ordered struct{ *checked }

// graphEdge is an edge in the log.
type graphEdge struct {
	from, to int
	lit      Lit
}

func (o *ordered) NewNode() int {
	o.cnf.nodes++
	return o.cnf.nodes - 1
}

func (o *ordered) AddEdge(from, to int, l Lit) {
	o.cnf.mustHave([]Lit{l})
	if n := o.cnf.nodes; from < 0 || from >= n || to < 0 || to >= n {
		panic(fmt.Sprintf("solver: edge from %d to %d, of %d nodes", from, to, n))
	}
	o.cnf.edges = append(o.cnf.edges, graphEdge{from, to, l})
}

// cyclic returns the literal of an edge on a cycle of the graph that m has, or one that
// leads to it; 0: there is none. It removes what nothing leads to (Kahn), as often as it can.
func (c *clauseLog) cyclic(m model) Lit {
	if len(c.edges) == 0 {
		return 0
	}
	out := make([][]int32, c.nodes)
	in := make([]int, c.nodes)
	for _, e := range c.edges {
		if m.value(e.lit) {
			out[e.from] = append(out[e.from], int32(e.to))
			in[e.to]++
		}
	}
	var work []int32
	for n := range in {
		if in[n] == 0 {
			work = append(work, int32(n))
		}
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, k := range out[n] {
			if in[k]--; in[k] == 0 {
				work = append(work, k)
			}
		}
	}
	for _, e := range c.edges {
		if m.value(e.lit) && in[e.from] > 0 && in[e.to] > 0 {
			return e.lit
		}
	}
	return 0
}
