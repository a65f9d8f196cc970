package cdcl

import "slices"

// order is the theory of order: a graph whose edges are there where their
// literals are true, and that must not have a cycle.
//
// It keeps a topological order of the edges that are there. An edge that agrees
// with it costs nothing; for one that does not, only the nodes between its ends
// are looked at and put into another order (Pearce and Kelly, "A dynamic
// topological sort algorithm for directed acyclic graphs"). To take an edge back
// costs nothing, since what is in order stays so.
//
// The theory has no literals for what the order implies, and assigns none:
// measured, there are far too many, and they bring nothing.
type order struct {
	edges []edge
	first []int32 // by literal: its first edge; -1: none

	rank    []int32 // by node: its place in the topological order
	out, in [][]int32
	there   []int32 // edges that are in out and in, in the order in which they came
	control []int   // by decision level, from 1: length of there before it
	head    int     // what of the trail is taken in

	visited []uint32 // by node: see visit
	visit   uint32
	forward []int32 // nodes that the new edge leads to, and
	back    []int32 // nodes that lead to it
	ranks   []int32
	from    []int32 // by node: the edge by which the search for a cycle came
	cycle   []uint32
	circle  []int32 // the edges of the cycle, from the new one backwards
}

type edge struct {
	from, to int32
	lit      Lit
	next     int32 // of the same literal; -1: none
}

// NewNode makes a node and returns its number, from 0.
func (s *Solver) NewNode() int {
	o := &s.orders
	n := len(o.rank)
	o.rank = append(o.rank, int32(n))
	o.out = append(o.out, nil)
	o.in = append(o.in, nil)
	o.visited = append(o.visited, 0)
	o.from = append(o.from, 0)
	return n
}

// Nodes is the number of nodes.
func (s *Solver) Nodes() int { return len(s.orders.rank) }

// AddEdge says that where l is true, there is an edge between two nodes.
func (s *Solver) AddEdge(from, to int, l Lit) {
	o := &s.orders
	e := int32(len(o.edges))
	o.edges = append(o.edges, edge{int32(from), int32(to), l, -1})
	if s.vals[l] > 0 { // at level 0, as everything is between calls: it is there for ever
		if s.ok {
			if cycle := o.insert(s, e); cycle != nil {
				s.ok = false
				if s.trace != nil {
					s.noteUnits()
					s.noteContradiction(cycle, s.trace.forbid(o.circle))
				}
			}
		}
		return
	}
	o.edges[e].next = o.first[l]
	o.first[l] = e
}

func (o *order) bytes() int64 { return int64(cap(o.edges))*32 + int64(cap(o.rank))*80 }

func (o *order) newLevel() { o.control = append(o.control, len(o.there)) }

// backtrack takes back the edges above level; n is the length of the trail that is left.
func (o *order) backtrack(level, n int) {
	keep := o.control[level]
	for i := len(o.there) - 1; i >= keep; i-- {
		e := &o.edges[o.there[i]]
		o.out[e.from] = o.out[e.from][:len(o.out[e.from])-1]
		o.in[e.to] = o.in[e.to][:len(o.in[e.to])-1]
	}
	o.there = o.there[:keep]
	o.control = o.control[:level]
	o.head = min(o.head, n)
}

// update takes in the edges of the trail. It returns a clause that forbids a cycle,
// all of whose edges are there, or nil. Of such a cycle one edge is of the current
// level, or else it would have been found below.
func (o *order) update(s *Solver) []uint32 {
	if len(o.edges) == 0 {
		o.head = len(s.trail)
		return nil
	}
	for o.head < len(s.trail) {
		l := s.trail[o.head]
		for e := o.first[l]; e >= 0; e = o.edges[e].next {
			if cycle := o.insert(s, e); cycle != nil {
				return cycle
			}
		}
		o.head++
	}
	return nil
}

// insert adds an edge to the graph, unless that makes a cycle: then it returns
// the clause that forbids it.
func (o *order) insert(s *Solver, e int32) []uint32 {
	from, to := o.edges[e].from, o.edges[e].to
	if from == to {
		o.cycle = append(o.cycle[:0], uint32(o.edges[e].lit^1))
		o.circle = append(o.circle[:0], e)
		return o.cycle
	}
	if o.rank[to] < o.rank[from] {
		if !o.searchForward(to, from) {
			return o.explain(s, e)
		}
		o.searchBack(from, o.rank[to])
		o.reorder()
	}
	o.out[from] = append(o.out[from], e)
	o.in[to] = append(o.in[to], e)
	o.there = append(o.there, e)
	return nil
}

// fresh begins a search.
func (o *order) fresh() {
	if o.visit++; o.visit == 0 {
		clear(o.visited)
		o.visit = 1
	}
}

// searchForward collects the nodes that start leads to and that are before end, and is false
// where it leads to end.
func (o *order) searchForward(start, end int32) bool {
	o.fresh()
	o.forward = append(o.forward[:0], start)
	o.visited[start] = o.visit
	limit := o.rank[end]
	for i := 0; i < len(o.forward); i++ {
		for _, e := range o.out[o.forward[i]] {
			n := o.edges[e].to
			if n == end {
				return false
			}
			if o.visited[n] != o.visit && o.rank[n] < limit {
				o.visited[n] = o.visit
				o.forward = append(o.forward, n)
			}
		}
	}
	return true
}

// searchBack collects the nodes that lead to start and are not before limit.
func (o *order) searchBack(start, limit int32) {
	o.fresh()
	o.back = append(o.back[:0], start)
	o.visited[start] = o.visit
	for i := 0; i < len(o.back); i++ {
		for _, e := range o.in[o.back[i]] {
			n := o.edges[e].from
			if o.visited[n] != o.visit && o.rank[n] > limit {
				o.visited[n] = o.visit
				o.back = append(o.back, n)
			}
		}
	}
}

// reorder gives the ranks of all nodes that were found to those before first, then to those
// after, each in the order that they had.
func (o *order) reorder() {
	byRank := func(a, b int32) int { return int(o.rank[a] - o.rank[b]) }
	slices.SortFunc(o.back, byRank)
	slices.SortFunc(o.forward, byRank)
	o.ranks = o.ranks[:0]
	i, j := 0, 0
	for i < len(o.back) || j < len(o.forward) {
		if j == len(o.forward) || i < len(o.back) && o.rank[o.back[i]] < o.rank[o.forward[j]] {
			o.ranks = append(o.ranks, o.rank[o.back[i]])
			i++
		} else {
			o.ranks = append(o.ranks, o.rank[o.forward[j]])
			j++
		}
	}
	for k, n := range o.back {
		o.rank[n] = o.ranks[k]
	}
	for k, n := range o.forward {
		o.rank[n] = o.ranks[len(o.back)+k]
	}
}

// explain is the clause that forbids the cycle that edge e closes: of all such cycles
// one with the fewest edges that are not there for ever. The search is breadth first,
// but goes on from where edges of level 0 lead before anything else.
func (o *order) explain(s *Solver, e int32) []uint32 {
	start, end := o.edges[e].to, o.edges[e].from
	limit := o.rank[end]
	free := func(e int32) bool { return s.vars[o.edges[e].lit>>1].level == 0 }
	o.fresh()
	// now and later: edges that lead to nodes at the distance of the search, and at one more.
	// A node is done when its first edge is taken from now.
	now, later := o.forward[:0], o.back[:0]
	n := start
	o.visited[n] = o.visit
	for n != end {
		for _, x := range o.out[n] {
			switch m := o.edges[x].to; {
			case o.visited[m] == o.visit || o.rank[m] > limit:
			case free(x):
				now = append(now, x)
			default:
				later = append(later, x)
			}
		}
		for o.visited[n] == o.visit {
			if len(now) == 0 {
				now, later = later, now
			}
			x := now[len(now)-1]
			now = now[:len(now)-1]
			if m := o.edges[x].to; o.visited[m] != o.visit {
				o.from[m] = x
				n = m
			}
		}
		o.visited[n] = o.visit
	}
	o.forward, o.back = now, later
	o.cycle = append(o.cycle[:0], uint32(o.edges[e].lit^1))
	o.circle = append(o.circle[:0], e)
	for n := end; n != start; {
		x := o.from[n]
		o.cycle = append(o.cycle, uint32(o.edges[x].lit^1))
		o.circle = append(o.circle, x)
		n = o.edges[x].from
	}
	return o.cycle
}
