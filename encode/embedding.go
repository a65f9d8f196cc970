package encode

import "github.com/fencepost-verifier/fencepost/solver"

// An embedding is the strict order of points into which an axiom embeds a relation. Points have the numbers of
// [relational.name].
type embedding struct {
	lasts bool
	nodes map[int32]int           // of a solver that knows orders
	edges map[[2]int32]solver.Lit // likewise, their literals; else the literals of the pairs that are ordered, the smaller number first
	comp  map[int32]int           // of a solver that does not: the component of a point, from 1
}

func newEmbedding() *embedding {
	return &embedding{nodes: map[int32]int{}, edges: map[[2]int32]solver.Lit{}, comp: map[int32]int{}}
}

// acyclic embeds r into a strict order of the points. Pairs that lie on no cycle
// of what r can hold need no order: there is one for each strongly connected
// component. All of this is so unless something is. What o has already is extended.
func (a *relational) acyclic(r litRelation, unless solver.Lit, o *embedding) {
	f, n := a.f, len(a.points)
	for i := range n {
		f.poll()
		a.imply(r[i*n+i], -unless, f.False())
	}
	old := o.comp
	o.comp = map[int32]int{}
	for k, comp := range components(n, func(i, j int) bool { return !f.IsFalse(r[i*n+j]) }) {
		switch {
		case len(comp) == 1:
		case f.graph != nil:
			a.acyclicGraph(r, comp, unless, o)
		default:
			for _, i := range comp {
				o.comp[a.name(i)] = k + 1
			}
			a.acyclicClauses(r, comp, unless, o, old)
		}
	}
}

// acyclicClauses makes r on comp part of an order, in clauses. What was said of triples of one component of old need not be
// said again.
func (a *relational) acyclicClauses(r litRelation, comp []int, unless solver.Lit, o *embedding, old map[int32]int) {
	f, n := a.f, len(a.points)
	before := make([][]solver.Lit, len(comp))
	values := literal * int64(len(comp)*len(comp))
	f.limits.extra += values
	for x := range comp {
		f.poll()
		before[x] = make([]solver.Lit, len(comp))
		for y := range x {
			i, j := comp[y], comp[x]
			key, turned := [2]int32{a.name(i), a.name(j)}, false
			if key[0] > key[1] {
				key[0], key[1], turned = key[1], key[0], true
			}
			l, ok := o.edges[key]
			if turned {
				l = -l
			}
			if !ok {
				// What must be in r is in order for certain.
				switch {
				case f.IsTrue(r[i*n+j]):
					l = f.True
				case f.IsTrue(r[j*n+i]):
					l = f.False()
				default:
					l = f.Fresh()
				}
				if o.edges[key] = l; turned {
					o.edges[key] = -l
				}
			}
			before[y][x], before[x][y] = l, -l
		}
	}
	for x, i := range comp {
		f.poll()
		for y, j := range comp {
			if x != y {
				a.imply(r[i*n+j], -unless, before[x][y])
			}
		}
	}
	was := make([]int, len(comp))
	for x, i := range comp {
		was[x] = old[a.name(i)]
	}
	for x := range comp {
		for y := range x {
			f.poll()
			for z := range y {
				if was[x] != 0 && was[x] == was[y] && was[x] == was[z] {
					continue
				}
				f.Clause(-before[x][y], -before[y][z], before[x][z], unless)
				f.Clause(before[x][y], before[y][z], -before[x][z], unless)
			}
		}
	}
}

// acyclicGraph makes r on comp a graph of the solver.
func (a *relational) acyclicGraph(r litRelation, comp []int, unless solver.Lit, o *embedding) {
	f, n, theory := a.f, len(a.points), a.f.graph.theory
	for _, i := range comp {
		if _, ok := o.nodes[a.name(i)]; !ok {
			o.nodes[a.name(i)] = theory.NewNode()
		}
	}
	for x, i := range comp {
		f.poll()
		for y, j := range comp {
			l := r[i*n+j]
			if x == y || f.IsFalse(l) {
				continue
			}
			key := [2]int32{a.name(i), a.name(j)}
			e, ok := o.edges[key]
			if !ok {
				if e = -unless; !f.IsTrue(l) {
					e = f.consequence()
				}
				o.edges[key] = e
				theory.AddEdge(o.nodes[key[0]], o.nodes[key[1]], e)
			}
			a.imply(l, -unless, e)
		}
	}
}
