package encode

import (
	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// A generic is the algebra of any part of any execution, of so many events at most: an event is
// there or not, is a read, a write or a fence, and literals say how any two are related. Clauses say what is so in
// every execution of a program of the class, and so in every part of one. Where less is said than is so, less can be
// proved, and nothing wrong.
//
// The first base points are those of which is asked. Where sources is true, each of them that is a read
// has the write that it reads from among the points, too: there is another point for it.
type generic struct {
	*relational
	class                                       Class
	base                                        int
	read, write, fence, initial, locked, access litSet
	sets                                        map[string]litSet
	rels                                        map[string]litRelation
}

// A Class is what is known of the programs that models are compared on: programs for x86 without accesses in parts and without
// locks.
type Class struct {
	// Fences are the tags of the fences. Each fence has one of them at least, and no access has.
	Fences program.Tags
	// Locked is true where there are atomic blocks, whose accesses are locked, and Blocks where some are no read-modify-writes.
	Locked, Blocks bool
}

// newGeneric makes the points in s and says what is so of them.
func newGeneric(s solver.Solver, class Class, base int, sources bool) *generic {
	f := &Formula{Circuit: circuit.New(s), s: s}
	g := &generic{relational: &relational{f: f}, class: class, base: base, sets: map[string]litSet{}, rels: map[string]litRelation{}}
	n := base
	if sources {
		n *= 2
	}
	for range n {
		g.points = append(g.points, &point{guard: f.Fresh(), thread: -1})
	}
	g.kinds()
	g.programOrder()
	g.communication()
	g.blocks()
	if sources {
		for i := range base {
			some := []solver.Lit{-g.read[i]}
			for j := range n {
				some = append(some, g.rel("rf", j, i))
			}
			f.Clause(some...)
		}
	}
	return g
}

// rel is the literal of a pair in a relation that is made.
func (g *generic) rel(name string, i, j int) solver.Lit { return g.rels[name][i*len(g.points)+j] }

// some makes a set of points that are there.
func (g *generic) some() litSet {
	s := g.noSet()
	for i := range s {
		s[i] = g.f.Fresh()
		g.f.Clause(-s[i], g.points[i].guard)
	}
	return s
}

// kinds says what events there are.
func (g *generic) kinds() {
	f := g.f
	g.read, g.write, g.fence, g.initial, g.locked = g.some(), g.some(), g.some(), g.some(), g.noSet()
	g.access = g.noSet()
	for _, tag := range g.class.Fences.Names() {
		g.sets[tag] = g.some()
	}
	if g.class.Locked {
		g.locked = g.some()
		g.sets[program.TagLocked] = g.locked
	}
	for i, p := range g.points {
		f.Clause(-p.guard, g.read[i], g.write[i], g.fence[i])
		f.Clause(-g.read[i], -g.write[i])
		f.Clause(-g.read[i], -g.fence[i])
		f.Clause(-g.write[i], -g.fence[i])
		f.Clause(-g.initial[i], g.write[i])
		f.Clause(-g.locked[i], -g.fence[i])
		bears := []solver.Lit{-g.fence[i]} // every fence is one of some kind
		for _, tag := range g.class.Fences.Names() {
			bears = append(bears, g.sets[tag][i])
			f.Clause(-g.sets[tag][i], g.fence[i])
		}
		f.Clause(bears...)
		f.Clause(-g.locked[i], -g.initial[i])
		g.access[i] = f.Or(g.read[i], g.write[i])
	}
	g.sets["_"] = g.noSet()
	for i, p := range g.points {
		g.sets["_"][i] = p.guard
	}
	g.sets["R"], g.sets["W"], g.sets["F"], g.sets["I"] = g.read, g.write, g.fence, g.initial
}

// relation makes a relation between different points, each of which has what is asked of it.
func (g *generic) relation(name string, symmetric bool, from, to litSet, within ...string) litRelation {
	f, n := g.f, len(g.points)
	r := g.noRelation()
	g.rels[name] = r
	for i := range n {
		for j := range n {
			switch {
			case i == j:
				continue
			case symmetric && j < i:
				r[i*n+j] = r[j*n+i]
				continue
			}
			l := f.Fresh()
			r[i*n+j] = l
			f.Clause(-l, from[i])
			f.Clause(-l, to[j])
			for _, w := range within {
				f.Clause(-l, g.rel(w, i, j))
			}
		}
	}
	return r
}

// transitive says so of a relation between different points: two steps lead on, or back to where they began.
func (g *generic) transitive(name string, strict bool) {
	n := len(g.points)
	for i := range n {
		for j := range n {
			for k := range n {
				switch {
				case i == j || j == k:
				case i != k:
					g.f.Clause(-g.rel(name, i, j), -g.rel(name, j, k), g.rel(name, i, k))
				case strict && i < j:
					g.f.Clause(-g.rel(name, i, j), -g.rel(name, j, i))
				}
			}
		}
	}
}

// pairs calls do for every pair of different points.
func (g *generic) pairs(do func(i, j int)) {
	for i := range g.points {
		for j := range g.points {
			if i != j {
				do(i, j)
			}
		}
	}
}

// programOrder says what is so of threads: program order is total on the events of one.
func (g *generic) programOrder() {
	f, n := g.f, len(g.points)
	own := g.noSet() // events of threads
	for i, p := range g.points {
		own[i] = f.And(p.guard, -g.initial[i])
	}
	same := g.relation("int", true, own, own)
	g.transitive("int", false)
	other := g.noRelation()
	g.pairs(func(i, j int) { other[i*n+j] = f.And(g.both(g.points[i], g.points[j]), -same[i*n+j]) })
	for i := range n {
		same[i*n+i] = own[i]
	}
	g.rels["ext"] = other
	po := g.relation("po", false, own, own, "int")
	g.transitive("po", true)
	g.pairs(func(i, j int) { f.Clause(-same[i*n+j], po[i*n+j], po[j*n+i]) })
}

// communication says what is so of what reads from what, and of coherence.
func (g *generic) communication() {
	f, n := g.f, len(g.points)
	loc := g.relation("loc", true, g.access, g.access)
	g.transitive("loc", false)
	for i := range n {
		loc[i*n+i] = g.access[i]
	}
	rf := g.relation("rf", false, g.write, g.read, "loc")
	co := g.relation("co", false, g.write, g.write, "loc")
	g.transitive("co", true)
	fr := g.relation("fr", false, g.read, g.write, "loc")
	g.pairs(func(i, j int) {
		f.Clause(-g.write[i], -g.write[j], -loc[i*n+j], co[i*n+j], co[j*n+i])
		f.Clause(-co[i*n+j], -g.initial[j])
		for k := range n {
			if k == i || k == j {
				continue
			}
			f.Clause(-rf[i*n+k], -rf[j*n+k])
			f.Clause(-rf[k*n+i], -co[k*n+j], fr[i*n+j])
			f.Clause(-rf[k*n+i], -fr[i*n+j], co[k*n+j])
		}
		f.Clause(-rf[j*n+i], -fr[i*n+j])
	})
}

// blocks says what is so of atomic blocks. All accesses in them are locked.
func (g *generic) blocks() {
	f, n := g.f, len(g.points)
	if !g.class.Locked {
		g.rels["block"], g.rels["rmw"] = g.noRelation(), g.noRelation()
	} else {
		block := g.relation("block", true, g.locked, g.locked, "int")
		g.transitive("block", false)
		rmw := g.relation("rmw", false, g.read, g.write, "loc", "po", "block")
		g.pairs(func(i, j int) {
			for k := range n {
				if k == i || k == j {
					continue
				}
				f.Clause(-block[i*n+j], -g.rel("po", i, k), -g.rel("po", k, j), block[i*n+k])
				f.Clause(-rmw[i*n+j], -rmw[i*n+k]) // the first write after the read
				if !g.class.Blocks {
					f.Clause(-rmw[i*n+j], -g.rel("po", i, k), -g.rel("po", k, j))
					f.Clause(-rmw[i*n+j], -rmw[k*n+j])
				}
			}
			if !g.class.Blocks {
				f.Clause(-block[i*n+j], rmw[i*n+j], rmw[j*n+i])
			}
		})
		for i, p := range g.points {
			block[i*n+i] = f.Fresh() // so it is of a block without accesses, too
			f.Clause(-block[i*n+i], p.guard)
		}
	}
	g.rels["amo"], g.rels["lxsx"] = g.rels["rmw"], g.noRelation()
	part := g.noRelation() // that an access is a part of itself is left open
	for i := range n {
		part[i*n+i] = f.Fresh()
		f.Clause(-part[i*n+i], g.access[i])
	}
	g.rels["part"] = part
}

func (g *generic) Set(name string) litSet {
	if s, ok := g.sets[name]; ok {
		return s
	}
	return g.noSet() // no event bears the tag
}

// Relation is a predefined relation. Of those that are not made so far, dependencies and such, nothing is said but that
// program order has them.
func (g *generic) Relation(name string) litRelation {
	if r, ok := g.rels[name]; ok {
		return r
	}
	return g.relation(name, false, g.sets["_"], g.sets["_"], "po")
}

var _ cat.Algebra[litSet, litRelation] = (*generic)(nil)
var _ cat.Polarized = (*generic)(nil)
