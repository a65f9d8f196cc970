package trust

import "slices"

// The exploration is a walk through a tree of graphs. The children of a graph are numbered, in
// the order in which they are come to, so that a path of numbers leads to each graph, whoever
// follows it.

// A position is where in the tree the exploration is.
type position struct {
	next   int32   // the number of the next child
	only   int32   // the child to visit, or every, or nobody
	guided bool    // the way leads further down, to what is to be explored: nothing counts here
	weight float64 // the part of the tree below here that is accounted for at its leaves; 0: above
	share  float64 // that of a child
}

const (
	every  int32 = -1
	nobody int32 = -2
)

// leastWeight is that of graphs whose children have parts of their own in the account of what is
// explored: it takes a look at them beforehand to know how many there are.
const leastWeight = 1e-5

// counted is false on the way to what is to be explored, and where children are only counted.
func (x *explorer) counted() bool { return !x.tree.guided && x.tree.only != nobody }

// split visits the children of the graph, which come of the next event of thread t.
func (x *explorer) split(t int32) {
	d := len(x.path)
	switch n := &x.tree; {
	case d < len(x.goal):
		n.only, n.guided = x.goal[d], true
	case x.walk != nil:
		if k := x.count(t); k > 0 {
			n.next, n.only = 0, int32(x.walk.rng.IntN(k))
			x.walk.product *= float64(k)
		}
	case n.weight >= leastWeight:
		if k := x.count(t); x.halted() {
			return
		} else if k == 0 {
			x.crew.Done(n.weight)
		} else {
			n.share = n.weight / float64(k)
		}
		n.next = 0
	}
	x.expand(t)
}

// count is how many children there are.
func (x *explorer) count(t int32) int {
	n := &x.tree
	n.next, n.only = 0, nobody
	x.expand(t)
	n.only = every
	return int(n.next)
}

// child visits the graph, which is the next child.
func (x *explorer) child() {
	if x.blocks && !x.normal() {
		return
	}
	k := x.tree.next
	if x.tree.next++; x.tree.only != every && x.tree.only != k || x.halted() {
		return
	}
	here := x.tree
	x.path = append(x.path, k)
	if d := len(x.path); d <= len(x.goal) {
		x.tree = position{only: every, guided: d < len(x.goal)}
		if d == len(x.goal) {
			x.tree.weight = x.part
		}
		x.visit()
	} else if here.guided || !x.give(here.share) {
		x.tree = position{only: every, weight: here.share}
		x.visit()
		if here.share > 0 && here.share < leastWeight {
			x.crew.Done(here.share)
		}
	}
	if x.found != nil && x.found.path == nil {
		x.found.path = slices.Clone(x.path)
	}
	x.path = x.path[:len(x.path)-1]
	x.tree = here
}
