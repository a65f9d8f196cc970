package memory

import (
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
)

// concrete is the algebra in which a term is its value in one graph. Values live in an
// arena until the next graph comes.
type concrete struct {
	g     *Graph
	arena arena
	// bears is, by the name of a tag, what is known of tags.
	bears map[string]map[program.Tags]bool
	// chosen is the order of a name that a model takes.
	chosen func(name string) Relation
}

// next forgets all values.
func (c *concrete) next(g *Graph) {
	c.g = g
	c.arena.used = 0
}

// arena is memory that is given back all at once.
type arena struct {
	chunk []uint64
	used  int
}

// words is so many words, all 0.
func (a *arena) words(n int) []uint64 {
	if a.used+n > len(a.chunk) {
		a.chunk = make([]uint64, max(2*len(a.chunk), n, 1024)) // who has words of the old one keeps it
		a.used = 0
	}
	w := a.chunk[a.used : a.used+n : a.used+n]
	a.used += n
	clear(w)
	return w
}

func (c *concrete) set() Set {
	n := len(c.g.Events)
	return Set{n, c.arena.words(words(n))}
}

func (c *concrete) relation() Relation {
	n := len(c.g.Events)
	w := words(n)
	return Relation{n, w, c.arena.words(n * w)}
}

func (c *concrete) Sets() cat.Boolean[Set]           { return (*booleanSets)(c) }
func (c *concrete) Relations() cat.Boolean[Relation] { return (*booleanRelations)(c) }

func (c *concrete) Identity(x Set) Relation {
	r := c.relation()
	each(x.bits, func(e int) { r.Add(e, e) })
	return r
}

func (c *concrete) Product(x, y Set) Relation {
	r := c.relation()
	each(x.bits, func(e int) { copy(r.row(e), y.bits) })
	return r
}

func (c *concrete) Domain(x Relation) Set {
	s := c.set()
	x.domain(s)
	return s
}

func (c *concrete) Range(x Relation) Set {
	s := c.set()
	x.rng(s)
	return s
}

func (c *concrete) Sequence(x, y Relation) Relation {
	r := c.relation()
	x.sequence(y, r)
	return r
}

func (c *concrete) Inverse(x Relation) Relation {
	r := c.relation()
	x.inverse(r)
	return r
}

func (c *concrete) Plus(x Relation) Relation {
	r := c.relation()
	copy(r.bits, x.bits)
	r.close()
	return r
}

func (c *concrete) Star(x Relation) Relation {
	r := c.Plus(x)
	r.reflect()
	return r
}

func (c *concrete) Optional(x Relation) Relation {
	r := c.relation()
	copy(r.bits, x.bits)
	r.reflect()
	return r
}

// Order is what has been chosen for the graph.
func (c *concrete) Order(name string, _, _ Relation) Relation { return c.chosen(name) }

// Fix iterates from the empty sets and relations.
func (c *concrete) Fix(sets, relations int, step func([]Set, []Relation) ([]Set, []Relation)) ([]Set, []Relation) {
	s, r := make([]Set, sets), make([]Relation, relations)
	for i := range s {
		s[i] = c.set()
	}
	for i := range r {
		r[i] = c.relation()
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
	s := c.set()
	if e := cat.Number(name); e >= 0 {
		s.Add(e)
		return s
	}
	has := memberships[name]
	if has == nil { // the name of a tag
		known := c.bears[name]
		if known == nil {
			known = map[program.Tags]bool{}
			if c.bears == nil {
				c.bears = map[string]map[program.Tags]bool{}
			}
			c.bears[name] = known
		}
		for i := range c.g.Events {
			t := c.g.Events[i].Tags
			if (t == program.Tags{}) {
				continue
			}
			is, ok := known[t]
			if !ok {
				is = t.Has(name)
				known[t] = is
			}
			if is {
				s.Add(i)
			}
		}
		return s
	}
	for i := range c.g.Events {
		if has(&c.g.Events[i]) {
			s.Add(i)
		}
	}
	return s
}

// memberships are the predefined sets but for those of the events that bear a tag.
var memberships = map[string]func(e *Event) bool{
	"_": func(*Event) bool { return true },
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
		return c.Relations().Intersection(g.RMW, c.Relation("block"))
	case "lxsx":
		return c.Relations().Difference(g.RMW, c.Relation("block"))
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
	case "pick-addr", "pick-data", "pick-ctrl":
		if !g.Picks {
			return c.relation()
		}
		return map[string]Relation{"pick-addr": g.PickAddr, "pick-data": g.PickData, "pick-ctrl": g.PickCtrl}[name]
	case "rcu-rscs":
		return c.sections("Rcu-lock", "Rcu-unlock")
	case "fr":
		return c.Sequence(c.Inverse(g.RF), g.CO)
	case "loc":
		return c.alike(func(e, f *Event) bool { return e.Kind != Fence && f.Kind != Fence && e.Addr == f.Addr })
	case "int":
		return c.alike(sameThread)
	case "ext":
		r := c.Relations().Complement(c.alike(sameThread))
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
	r := c.relation()
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

type booleanSets concrete

func (b *booleanSets) zip(x, y Set, f func(a, b uint64) uint64) Set {
	z := (*concrete)(b).set()
	zip(z.bits, x.bits, y.bits, f)
	return z
}

func (b *booleanSets) Empty() Set                { return (*concrete)(b).set() }
func (b *booleanSets) Union(x, y Set) Set        { return b.zip(x, y, or) }
func (b *booleanSets) Intersection(x, y Set) Set { return b.zip(x, y, and) }
func (b *booleanSets) Difference(x, y Set) Set   { return b.zip(x, y, andNot) }
func (b *booleanSets) Complement(x Set) Set {
	z := (*concrete)(b).set()
	x.complement(z)
	return z
}

type booleanRelations concrete

func (b *booleanRelations) Empty() Relation { return (*concrete)(b).relation() }

func (b *booleanRelations) Union(x, y Relation) Relation {
	z := (*concrete)(b).relation()
	for i := range z.bits {
		z.bits[i] = x.bits[i] | y.bits[i]
	}
	return z
}

func (b *booleanRelations) Intersection(x, y Relation) Relation {
	z := (*concrete)(b).relation()
	for i := range z.bits {
		z.bits[i] = x.bits[i] & y.bits[i]
	}
	return z
}

func (b *booleanRelations) Difference(x, y Relation) Relation {
	z := (*concrete)(b).relation()
	for i := range z.bits {
		z.bits[i] = x.bits[i] &^ y.bits[i]
	}
	return z
}

func (b *booleanRelations) Complement(x Relation) Relation {
	z := (*concrete)(b).relation()
	x.complement(z)
	return z
}
