package memory

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/memory/cat"
)

// A route is how two events are related in terms of the predefined relations: a
// step, or two routes one after the other, or nothing at all from an event to
// itself.
type route struct {
	cost        int
	step        Step
	left, right *route
}

// nowhere is the route of no steps.
var nowhere = &route{}

// steps lists the steps after those in path.
func (r *route) steps(path []Step) []Step {
	switch {
	case r == nowhere:
		return path
	case r.left == nil:
		return append(path, r.step)
	}
	return r.right.steps(r.left.steps(path))
}

// The costs of a step. Where an intersection offers several routes, one that
// leads somewhere is told rather than one that only says that two events are
// alike.
const (
	stepCost  = 10
	blockCost = 11 // po says more
	alikeCost = 1000
	maxCost   = 1 << 16
)

// routes is a relation with the cheapest route for every pair, nil for the pairs
// that are not in it.
type routes struct {
	n  int
	at []*route
}

func newRoutes(n int) routes { return routes{n, make([]*route, n*n)} }

func (x routes) get(e, f int) *route { return x.at[e*x.n+f] }

// offer takes r for the pair if it is cheaper than what is there.
func (x routes) offer(e, f int, r *route) {
	if old := x.at[e*x.n+f]; r != nil && (old == nil || r.cost < old.cost) {
		x.at[e*x.n+f] = r
	}
}

// explainer is the algebra in which a relation is its cheapest routes.
type explainer struct {
	concrete
	ctx context.Context
	n   int
	in  *cat.Interpreter[Set, routes]
}

func newExplainer(ctx context.Context, m *cat.Model, g *Graph) *explainer {
	x := &explainer{concrete: concrete{g: g}, ctx: ctx, n: len(g.Events)}
	x.in = cat.NewInterpreter(m, x)
	return x
}

// poll leaves the search where its context has ended.
func (x *explainer) poll() {
	if x.ctx.Err() != nil {
		panic(errStopped)
	}
}

// of is the relation r, told as steps.
func (x *explainer) of(r Relation, name string, cost int) routes {
	z := newRoutes(x.n)
	for e := range x.n {
		each(r.row(e), func(f int) {
			z.at[e*x.n+f] = &route{cost: cost, step: Step{e, f, name}}
		})
	}
	return z
}

func (x *explainer) Relation(name string) routes {
	cost := stepCost
	switch name {
	case "loc", "int", "ext":
		cost = alikeCost
	case "block":
		cost = blockCost
	}
	return x.of(x.concrete.Relation(name), name, cost)
}

func (x *explainer) Relations() cat.Boolean[routes] { return booleanRoutes{x} }

func (x *explainer) Identity(s Set) routes {
	z := newRoutes(x.n)
	each(s.bits, func(e int) { z.at[e*x.n+e] = nowhere })
	return z
}

func (x *explainer) Product(s, t Set) routes { return x.of(s.Product(t), "*", alikeCost) }

func (x *explainer) Domain(r routes) Set { return support(r).Domain() }
func (x *explainer) Range(r routes) Set  { return support(r).Range() }

// support is the pairs that have a route.
func support(x routes) Relation {
	r := NewRelation(x.n)
	for i, p := range x.at {
		if p != nil {
			r.Add(i/x.n, i%x.n)
		}
	}
	return r
}

func (x *explainer) Sequence(r, s routes) routes {
	z := newRoutes(x.n)
	for e := range x.n {
		x.poll()
		for via := range x.n {
			if first := r.get(e, via); first != nil {
				for f := range x.n {
					z.join(e, f, first, s.get(via, f))
				}
			}
		}
	}
	return z
}

// join offers first and then second, which may be nil, for the pair.
func (x routes) join(e, f int, first, second *route) {
	if second == nil {
		return
	}
	cost := min(first.cost+second.cost, maxCost)
	if old := x.get(e, f); old != nil && old.cost <= cost {
		return
	}
	r := &route{cost: cost, left: first, right: second}
	switch {
	case cost == maxCost: // nobody wants to see that
		r = &route{cost: cost, step: Step{e, f, "..."}}
	case first == nowhere:
		r = second
	case second == nowhere:
		r = first
	}
	x.at[e*x.n+f] = r
}

func (x *explainer) Inverse(r routes) routes {
	z := newRoutes(x.n)
	for i, p := range r.at {
		if p != nil {
			z.at[i%x.n*x.n+i/x.n] = backwards(p)
		}
	}
	return z
}

func backwards(r *route) *route {
	switch {
	case r == nowhere:
		return r
	case r.left == nil:
		return &route{cost: r.cost, step: Step{r.step.To, r.step.From, r.step.Relation + "^-1"}}
	}
	return &route{cost: r.cost, left: backwards(r.right), right: backwards(r.left)}
}

// Plus is the algorithm of Floyd and Warshall.
func (x *explainer) Plus(r routes) routes {
	z := routes{x.n, slices.Clone(r.at)}
	for via := range x.n {
		x.poll()
		for e := range x.n {
			if first := z.get(e, via); first != nil {
				for f := range x.n {
					z.join(e, f, first, z.get(via, f))
				}
			}
		}
	}
	return z
}

// Order is steps, by the name that the model gives the order.
func (x *explainer) Order(name string, _, _ routes) routes {
	return x.of(x.chosen(name), cat.OrderName(name), stepCost)
}

func (x *explainer) Star(r routes) routes { return x.Optional(x.Plus(r)) }

func (x *explainer) Optional(r routes) routes {
	z := routes{x.n, slices.Clone(r.at)}
	for e := range x.n {
		z.at[e*x.n+e] = nowhere
	}
	return z
}

// Fix iterates until no route gets cheaper.
func (x *explainer) Fix(sets, relations int, step func([]Set, []routes) ([]Set, []routes)) ([]Set, []routes) {
	s, r := make([]Set, sets), make([]routes, relations)
	for i := range s {
		s[i] = NewSet(x.n)
	}
	for i := range r {
		r[i] = newRoutes(x.n)
	}
	for {
		s1, r1 := step(s, r)
		same := slices.EqualFunc(s, s1, Set.Equal) && slices.EqualFunc(r, r1, func(a, b routes) bool {
			return slices.EqualFunc(a.at, b.at, func(p, q *route) bool {
				return (p == nil) == (q == nil) && (p == nil || p.cost == q.cost)
			})
		})
		if same {
			return s, r
		}
		s, r = s1, r1
	}
}

type booleanRoutes struct{ x *explainer }

func (b booleanRoutes) Empty() routes { return newRoutes(b.x.n) }

func (b booleanRoutes) Union(r, s routes) routes {
	z := routes{r.n, slices.Clone(r.at)}
	for i, p := range s.at {
		z.offer(i/r.n, i%r.n, p)
	}
	return z
}

func (b booleanRoutes) Intersection(r, s routes) routes {
	z := newRoutes(r.n)
	for i := range r.at {
		if p, q := r.at[i], s.at[i]; p != nil && q != nil {
			z.at[i] = p
			z.offer(i/r.n, i%r.n, q)
		}
	}
	return z
}

func (b booleanRoutes) Difference(r, s routes) routes {
	z := newRoutes(r.n)
	for i := range r.at {
		if s.at[i] == nil {
			z.at[i] = r.at[i]
		}
	}
	return z
}

func (b booleanRoutes) Complement(r routes) routes {
	return b.x.of(support(r).Complement(), "~", alikeCost)
}

// witness shows that the test of a fails.
func (x *explainer) witness(a *cat.Axiom, j *judge) (events []int, paths [][]Step) {
	if a.Term.Type() == cat.Set {
		return j.interpreter().Set(a.Term).Events()[:1], nil
	}
	r := x.in.Relation(a.Term)
	switch a.Test {
	case cat.Acyclic:
		events = x.cheapestCycle(r)
	case cat.Irreflexive:
		e := x.cheapest(r, func(e, f int) bool { return e == f })
		return e[:1], [][]Step{r.get(e[0], e[0]).steps(nil)}
	default:
		events = x.cheapest(r, func(int, int) bool { return true })
		for _, side := range a.Term.Conjuncts() {
			paths = append(paths, x.in.Relation(side).get(events[0], events[1]).steps(nil))
		}
		return events, paths
	}
	for i, e := range events {
		paths = append(paths, r.get(e, events[(i+1)%len(events)]).steps(nil))
	}
	return events, paths
}

// cheapest is the pair among those that count which has the cheapest route.
func (x *explainer) cheapest(r routes, counts func(e, f int) bool) []int {
	best := -1
	for i, p := range r.at {
		if p != nil && counts(i/x.n, i%x.n) && (best < 0 || p.cost < r.at[best].cost) {
			best = i
		}
	}
	return []int{best / x.n, best % x.n}
}

// cheapestCycle is the events of a cycle of the least total cost, the smallest
// one first. There must be a cycle.
func (x *explainer) cheapestCycle(r routes) []int {
	onCycle := support(r).Plus()
	var best []int
	least := -1
	for start := range r.n {
		if !onCycle.Has(start, start) {
			continue
		}
		x.poll()
		// Dijkstra, from start back to start.
		dist, from := make([]int, r.n), make([]int, r.n)
		for i := range dist {
			dist[i], from[i] = -1, -1
		}
		back, last := -1, -1
		done := make([]bool, r.n)
		for e, d := start, 0; e >= 0; {
			done[e] = true
			for f := range r.n {
				p := r.get(e, f)
				switch {
				case p == nil:
				case f == start:
					if back < 0 || d+p.cost < back {
						back, last = d+p.cost, e
					}
				case !done[f] && (dist[f] < 0 || d+p.cost < dist[f]):
					dist[f], from[f] = d+p.cost, e
				}
			}
			e = -1
			for f := range r.n {
				if !done[f] && dist[f] >= 0 && (e < 0 || dist[f] < dist[e]) {
					e = f
				}
			}
			if e >= 0 {
				d = dist[e]
			}
		}
		if least >= 0 && back >= least {
			continue
		}
		least, best = back, nil
		for e := last; e != start; e = from[e] {
			best = append(best, e)
		}
		best = append(best, start)
		slices.Reverse(best)
	}
	return best
}
