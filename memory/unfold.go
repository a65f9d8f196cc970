package memory

import (
	"cmp"
	"slices"
	"sync"

	"github.com/fencepost-verifier/fencepost/memory/cat"
)

// Some models take sets of events apart; what they say of a graph is known when the graph is (see [cat.Model.In]).

// unfolded are the definitions that a model has come to be for graphs.
type unfolded struct {
	sync.Mutex
	by map[*cat.Model]*Definition
}

// maxUnfolded bounds how many of them are kept.
const maxUnfolded = 1000

// in is the definition for a graph: d itself, unless its model unfolds. The error is a [program.Diagnostic].
func (d *Definition) in(g *Graph) (*Definition, error) {
	if d.Cat.Unfolds() == nil {
		return d, nil
	}
	place := make([]int, len(g.Events)) // where an event stands in an order that does not depend on how the graph was found
	for i, e := range g.listed() {
		place[e] = i
	}
	a := &concrete{g: g}
	c, err := d.Cat.In(func(part *cat.Model, t *cat.Term) (members []int) {
		in := cat.NewInterpreter(part, cat.Algebra[Set, Relation](a))
		if t.Type() == cat.Set {
			members = in.Set(t).Events()
			slices.SortFunc(members, func(e, f int) int { return place[e] - place[f] })
			return members
		}
		pairs := in.Relation(t).Pairs()
		slices.SortFunc(pairs, func(p, q [2]int) int {
			return cmp.Or(place[p[0]]-place[q[0]], place[p[1]]-place[q[1]])
		})
		for _, p := range pairs {
			members = append(members, p[0], p[1])
		}
		return members
	})
	if err != nil {
		return nil, err
	}
	u := &d.unfolded
	u.Lock()
	defer u.Unlock()
	of := u.by[c]
	if of == nil {
		if u.by == nil || len(u.by) >= maxUnfolded {
			u.by = map[*cat.Model]*Definition{}
		}
		of = &Definition{Model: d.Model, Arch: d.Arch, Name: d.Name, Source: d.Source, Cat: c}
		u.by[c] = of
	}
	return of, nil
}

// must is [Definition.in] where no error can be returned.
func (d *Definition) must(g *Graph) *Definition {
	in, err := d.in(g)
	if err != nil {
		panic(err)
	}
	return in
}

// listed is the events, initial writes first, by location, and then those of each thread.
func (g *Graph) listed() []int {
	order := make([]int, len(g.Events))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &g.Events[a], &g.Events[b]
		if x.Initial() && y.Initial() {
			return cmp.Compare(x.Addr, y.Addr)
		}
		return cmp.Or(x.Thread-y.Thread, x.Index-y.Index)
	})
	return order
}
