package memory

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// pairs is a relation as plainly as can be, and elements a set.
type (
	pairs    map[[2]int]bool
	elements map[int]bool
)

func randomRelation(rng *rand.Rand, n int) (Relation, pairs) {
	r, p := NewRelation(n), pairs{}
	for range rng.IntN(2*n + 1) {
		e, f := rng.IntN(n), rng.IntN(n)
		r.Add(e, f)
		p[[2]int{e, f}] = true
	}
	return r, p
}

func randomSet(rng *rand.Rand, n int) (Set, elements) {
	s, m := NewSet(n), elements{}
	for range rng.IntN(n + 1) {
		e := rng.IntN(n)
		s.Add(e)
		m[e] = true
	}
	return s, m
}

// suchThat is the pairs over n events that satisfy f.
func suchThat(n int, f func(e, g int) bool) pairs {
	p := pairs{}
	for e := range n {
		for g := range n {
			if f(e, g) {
				p[[2]int{e, g}] = true
			}
		}
	}
	return p
}

func (p pairs) has(e, f int) bool { return p[[2]int{e, f}] }

func (p pairs) then(q pairs) pairs {
	z := pairs{}
	for a := range p {
		for b := range q {
			if a[1] == b[0] {
				z[[2]int{a[0], b[1]}] = true
			}
		}
	}
	return z
}

func (p pairs) closure() pairs {
	z := pairs{}
	for a := range p {
		z[a] = true
	}
	for {
		before := len(z)
		for a := range z.then(p) {
			z[a] = true
		}
		if len(z) == before {
			return z
		}
	}
}

func TestRelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 5, 8, 63, 64, 65, 130} {
		rounds := 40
		if n > 20 {
			rounds = 3
		}
		for range rounds {
			r, p := randomRelation(rng, n)
			s, q := randomRelation(rng, n)
			u, m := randomSet(rng, n)
			v, k := randomSet(rng, n)
			all := func(e, f int) bool { return true }
			closure := p.closure()
			for _, c := range []struct {
				name string
				got  Relation
				want pairs
			}{
				{"union", r.Union(s), suchThat(n, func(e, f int) bool { return p.has(e, f) || q.has(e, f) })},
				{"intersection", r.Intersection(s), suchThat(n, func(e, f int) bool { return p.has(e, f) && q.has(e, f) })},
				{"difference", r.Difference(s), suchThat(n, func(e, f int) bool { return p.has(e, f) && !q.has(e, f) })},
				{"complement", r.Complement(), suchThat(n, func(e, f int) bool { return !p.has(e, f) })},
				{"inverse", r.Inverse(), suchThat(n, func(e, f int) bool { return p.has(f, e) })},
				{"sequence", r.Sequence(s), p.then(q)},
				{"plus", r.Plus(), closure},
				{"star", r.Star(), suchThat(n, func(e, f int) bool { return e == f || closure.has(e, f) })},
				{"optional", r.Optional(), suchThat(n, func(e, f int) bool { return e == f || p.has(e, f) })},
				{"identity", u.Identity(), suchThat(n, func(e, f int) bool { return e == f && m[e] })},
				{"product", u.Product(v), suchThat(n, func(e, f int) bool { return m[e] && k[f] })},
				{"full", NewRelation(n).Complement(), suchThat(n, all)},
			} {
				if c.got.Len() != n || len(c.got.Pairs()) != len(c.want) {
					t.Fatalf("%s over %d events: %d pairs, want %d", c.name, n, len(c.got.Pairs()), len(c.want))
				}
				for _, x := range c.got.Pairs() {
					if !c.want[x] || !c.got.Has(x[0], x[1]) {
						t.Fatalf("%s over %d events: %v", c.name, n, x)
					}
				}
			}
			acyclic, irreflexive := true, true
			for e := range n {
				acyclic = acyclic && !closure.has(e, e)
				irreflexive = irreflexive && !p.has(e, e)
			}
			if r.Acyclic() != acyclic || r.Irreflexive() != irreflexive || r.Empty() != (len(p) == 0) {
				t.Fatalf("acyclic %v, want %v; irreflexive %v, want %v", r.Acyclic(), acyclic, r.Irreflexive(), irreflexive)
			}
			for _, c := range []struct {
				name string
				got  Set
				want func(e int) bool
			}{
				{"union", u.Union(v), func(e int) bool { return m[e] || k[e] }},
				{"intersection", u.Intersection(v), func(e int) bool { return m[e] && k[e] }},
				{"difference", u.Difference(v), func(e int) bool { return m[e] && !k[e] }},
				{"complement", u.Complement(), func(e int) bool { return !m[e] }},
				{"domain", r.Domain(), func(e int) bool { return slices.ContainsFunc(r.Pairs(), func(p [2]int) bool { return p[0] == e }) }},
				{"range", r.Range(), func(e int) bool { return slices.ContainsFunc(r.Pairs(), func(p [2]int) bool { return p[1] == e }) }},
			} {
				var want []int
				for e := range n {
					if c.want(e) {
						want = append(want, e)
					}
				}
				if c.got.Len() != n || !slices.Equal(c.got.Events(), want) {
					t.Fatalf("%s of sets over %d events: %v, want %v", c.name, n, c.got.Events(), want)
				}
			}
			g := r.Clone()
			g.grow()
			if g.Len() != n+1 || !slices.Equal(g.Pairs(), r.Pairs()) {
				t.Fatalf("grown from %d events", n)
			}
		}
	}
}

// TestLaws checks laws of the calculus of relations on the matrices.
func TestLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + rng.IntN(70)
		r, _ := randomRelation(rng, n)
		s, _ := randomRelation(rng, n)
		u, _ := randomRelation(rng, n)
		id := NewSet(n).Complement().Identity()
		for _, c := range []struct {
			law  string
			x, y Relation
		}{
			{"(r;s);u = r;(s;u)", r.Sequence(s).Sequence(u), r.Sequence(s.Sequence(u))},
			{"r;id = r", r.Sequence(id), r},
			{"r;(s|u) = r;s | r;u", r.Sequence(s.Union(u)), r.Sequence(s).Union(r.Sequence(u))},
			{"(r;s)^-1 = s^-1;r^-1", r.Sequence(s).Inverse(), s.Inverse().Sequence(r.Inverse())},
			{"~(r|s) = ~r & ~s", r.Union(s).Complement(), r.Complement().Intersection(s.Complement())},
			{"r\\s = r & ~s", r.Difference(s), r.Intersection(s.Complement())},
			{"r^+ = r | r;r^+", r.Plus(), r.Union(r.Sequence(r.Plus()))},
			{"r^+^+ = r^+", r.Plus().Plus(), r.Plus()},
			{"r^* = id | r^+", r.Star(), id.Union(r.Plus())},
			{"(r|s)^* = (r^*;s^*)^*", r.Union(s).Star(), r.Star().Sequence(s.Star()).Star()},
			{"[domain(r)];r = r", r.Domain().Identity().Sequence(r), r},
			{"r;[range(r)] = r", r.Sequence(r.Range().Identity()), r},
			{"r & domain(r)*range(r) = r", r.Intersection(r.Domain().Product(r.Range())), r},
		} {
			if !c.x.Equal(c.y) {
				t.Fatalf("%s does not hold over %d events", c.law, n)
			}
		}
	}
}
