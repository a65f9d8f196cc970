package memory

import (
	"github.com/fencepost-verifier/fencepost/memory/cat"
)

// concrete is the algebra in which a term is its value in one graph.
type concrete struct{ g *Graph }

func (c *concrete) Sets() cat.Boolean[Set]           { return booleanSets{len(c.g.Events)} }
func (c *concrete) Relations() cat.Boolean[Relation] { return booleanRelations{len(c.g.Events)} }

func (c *concrete) Identity(x Set) Relation         { return x.Identity() }
func (c *concrete) Product(x, y Set) Relation       { return x.Product(y) }
func (c *concrete) Domain(x Relation) Set           { return x.Domain() }
func (c *concrete) Range(x Relation) Set            { return x.Range() }
func (c *concrete) Sequence(x, y Relation) Relation { return x.Sequence(y) }
func (c *concrete) Inverse(x Relation) Relation     { return x.Inverse() }
func (c *concrete) Plus(x Relation) Relation        { return x.Plus() }
func (c *concrete) Star(x Relation) Relation        { return x.Star() }
func (c *concrete) Optional(x Relation) Relation    { return x.Optional() }

// Fix iterates from the empty sets and relations.
func (c *concrete) Fix(sets, relations int, step func([]Set, []Relation) ([]Set, []Relation)) ([]Set, []Relation) {
	n := len(c.g.Events)
	s, r := make([]Set, sets), make([]Relation, relations)
	for i := range s {
		s[i] = NewSet(n)
	}
	for i := range r {
		r[i] = NewRelation(n)
	}
	for {
		s1, r1 := step(s, r)
		same := true
		for i := range s {
			same = same && s[i].Equal(s1[i])
		}
		for i := range r {
			same = same && r[i].Equal(r1[i])
		}
		if same {
			return s, r
		}
		s, r = s1, r1
	}
}

// Set is a predefined set.
func (c *concrete) Set(name string) Set {
	if name == "_" {
		return NewSet(len(c.g.Events)).Complement()
	}
	has := memberships[name]
	if has == nil { // the name of a tag
		has = func(e *Event) bool { return e.Tags.Has(name) }
	}
	s := NewSet(len(c.g.Events))
	for i := range c.g.Events {
		if has(&c.g.Events[i]) {
			s.Add(i)
		}
	}
	return s
}

// memberships are the predefined sets but for that of all events and those of the
// events that bear a tag.
var memberships = map[string]func(e *Event) bool{
	"R": func(e *Event) bool { return e.Kind == Read },
	"W": func(e *Event) bool { return e.Kind == Write },
	"F": func(e *Event) bool { return e.Kind == Fence },
	"I": func(e *Event) bool { return e.Kind == Write && e.Initial() },
}

// Relation is a predefined relation.
func (c *concrete) Relation(name string) Relation {
	g := c.g
	switch name {
	case "po":
		return g.PO
	case "rf":
		return g.RF
	case "co":
		return g.CO
	case "rmw":
		return g.RMW
	case "amo":
		return g.RMW.Intersection(c.Relation("block"))
	case "lxsx":
		return g.RMW.Difference(c.Relation("block"))
	case "part":
		return c.alike(func(e, f *Event) bool {
			return sameThread(e, f) && e.whole == f.whole && (e.Part || f.Part || e.Index == f.Index) && e.Kind != Fence
		})
	case "addr":
		return g.Addr
	case "data":
		return g.Data
	case "ctrl":
		return g.Ctrl
	case "casdep":
		return g.CasDep
	case "rcu-rscs":
		return c.sections("Rcu-lock", "Rcu-unlock")
	case "fr":
		return g.RF.Inverse().Sequence(g.CO)
	case "loc":
		return c.alike(func(e, f *Event) bool { return e.Kind != Fence && f.Kind != Fence && e.Addr == f.Addr })
	case "int":
		return c.alike(sameThread)
	case "ext":
		r := c.alike(sameThread).Complement()
		for e := range r.n {
			r.Remove(e, e)
		}
		return r
	case "block":
		return c.alike(func(e, f *Event) bool { return e.Block != 0 && e.Block == f.Block })
	}
	panic("memory: no relation " + name)
}

// sections relates what begins a critical section with what ends it. Sections nest.
func (c *concrete) sections(begin, end string) Relation {
	r := NewRelation(len(c.g.Events))
	open := map[int][]int{} // by thread
	for _, e := range c.g.inOrder() {
		t := c.g.Events[e].Thread
		switch tags := c.g.Events[e].Tags; {
		case tags.Has(begin):
			open[t] = append(open[t], e)
		case tags.Has(end) && len(open[t]) > 0:
			n := len(open[t]) - 1
			r.Add(open[t][n], e)
			open[t] = open[t][:n]
		}
	}
	return r
}

func sameThread(e, f *Event) bool { return e.Thread == f.Thread && !e.Initial() }

// alike is the relation of the events that are alike, an equivalence on some of
// them.
func (c *concrete) alike(alike func(e, f *Event) bool) Relation {
	r := NewRelation(len(c.g.Events))
	for e := range c.g.Events {
		for f := range e + 1 {
			if alike(&c.g.Events[e], &c.g.Events[f]) {
				r.Add(e, f)
				r.Add(f, e)
			}
		}
	}
	return r
}

type booleanSets struct{ n int }

func (b booleanSets) Empty() Set                { return NewSet(b.n) }
func (b booleanSets) Union(x, y Set) Set        { return x.Union(y) }
func (b booleanSets) Intersection(x, y Set) Set { return x.Intersection(y) }
func (b booleanSets) Difference(x, y Set) Set   { return x.Difference(y) }
func (b booleanSets) Complement(x Set) Set      { return x.Complement() }

type booleanRelations struct{ n int }

func (b booleanRelations) Empty() Relation                     { return NewRelation(b.n) }
func (b booleanRelations) Union(x, y Relation) Relation        { return x.Union(y) }
func (b booleanRelations) Intersection(x, y Relation) Relation { return x.Intersection(y) }
func (b booleanRelations) Difference(x, y Relation) Relation   { return x.Difference(y) }
func (b booleanRelations) Complement(x Relation) Relation      { return x.Complement() }
