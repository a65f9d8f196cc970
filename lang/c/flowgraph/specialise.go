package flowgraph

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// MaxThreads bounds the threads of a program.
const MaxThreads = 64

// maxVariants bounds how many copies of its nodes a loop is unrolled to.
const maxVariants = 1 << 14

// maxObjects bounds how many objects a loop is unrolled for. Those of a loop that is not unrolled are counted in the run.
const maxObjects = 64

// A specialiser makes copies of nodes that differ in what is known there: of those in
// loops that make threads or wait for their ends one for every environment, of others
// one that holds for all.
type specialiser struct {
	g      *Graph
	out    [][]int
	live   []program.RegSet
	unroll []bool // by node
	limit  int    // how many threads a loop makes
	// How many objects a loop makes that is unrolled for them; 0: any number, as it is for something else.
	objects int

	variants map[variant]int
	nodes    []variant
	envs     []*environment
	work     []int
	queued   []bool
	bounded  bool
	full     bool
	counting bool // nodes are told apart by how many threads there are
	ignorant bool // nothing is known: it would not settle within the limit
	most     int  // copies of nodes
}

type variant struct {
	q   int
	key string
}

// Specialise propagates constants through g and unrolls the loops that make threads.
// The result says whether a bound was met.
func (g *Graph) Specialise(limit int) (_ *Graph, bounded bool) {
	s := &specialiser{g: g, out: g.Out(), live: g.Live(), limit: limit, most: maxVariants}
	g = s.specialised()
	return g, s.bounded
}

func (s *specialiser) specialised() *Graph {
	g := s.g
	comp, cyclic := g.Components(s.out)
	special := make([]bool, len(cyclic))
	spawning, making := make([]bool, len(cyclic)), make([]bool, len(cyclic))
	for i := range g.Edges {
		e := &g.Edges[i]
		c := comp[e.From]
		if c < 0 || !cyclic[c] || comp[e.To] != c {
			continue
		}
		switch e.Op.(type) {
		case *Reserve:
			special[c], spawning[c] = true, true
		case *Join, *Detach:
			special[c] = true
		case Maker:
			making[c] = true
		}
	}
	unrolled := func(which ...[]bool) {
		for q := range g.Nodes {
			s.unroll[q] = comp[q] >= 0 && slices.ContainsFunc(which, func(w []bool) bool { return w[comp[q]] })
		}
		s.run()
	}
	s.unroll = make([]bool, len(g.Nodes))
	s.objects = maxObjects
	unrolled(special, making)
	if s.objects = 0; s.full { // objects can be counted in the run
		unrolled(special)
	}
	if s.full { // loops that only wait for threads can stay as they are
		unrolled(spawning)
	}
	// Between the threads that are made there may be loops that go on as long as they like, with something
	// that counts: where it stands is told by the number of threads alone.
	if s.full {
		s.counting = true
		s.run()
	}
	if s.full {
		s.ignorant = true
		s.run()
	}
	return s.build()
}

func (s *specialiser) run() {
	s.variants = map[variant]int{}
	s.nodes, s.envs, s.work, s.queued = nil, nil, nil, nil
	s.full, s.bounded = false, false
	env := &environment{}
	for a, c := range s.g.Tracked {
		env.mem.set(a, c.Init)
	}
	for r := range s.g.Regs {
		env.regs = append(env.regs, binding{int64(r), s.g.Regs[r].Init})
	}
	s.enter(s.g.Start, env)
	for len(s.work) > 0 && !s.full {
		v := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		s.queued[v] = false
		for _, i := range s.out[s.nodes[v].q] {
			e := s.g.Edges[i]
			if env, ok := s.step(&e, s.envs[v]); ok {
				s.enter(e.To, env)
			}
		}
	}
}

// step executes a copy of an edge.
func (s *specialiser) step(e *Edge, env *environment) (*environment, bool) {
	env = env.clone()
	switch e.Op.(type) {
	case nil:
		c := e.Cmd
		if !env.apply(s.g, &c) {
			return nil, false
		}
		e.Cmd = c
		return env, !fails(&c)
	case *Bound:
		return nil, false
	case *Reserve:
		if s.unroll[e.From] {
			env.spawn++
			if env.spawn > s.limit {
				s.bounded = true
				e.Op = &Bound{What: fmt.Sprintf("a loop makes more than %d threads", s.limit)}
				return nil, false
			}
			// Its number is not known yet, but the copy of the edge tells which it is.
		}
	case Maker:
		if s.unroll[e.From] {
			env.made++
			s.full = s.full || s.objects > 0 && env.made > s.objects
		}
	}
	e.Op = substitute(e.Op, env.substitute)
	e.Writes(func(r int) { env.regs.forget(int64(r)) })
	return env, true
}

// fails is true of an assertion that always fails.
func fails(c *program.Command) bool { return c.Op == program.Assert && c.Value == program.Const(0) }

// enter comes to node q with env.
func (s *specialiser) enter(q int, env *environment) int {
	if s.ignorant {
		env.regs, env.mem = nil, nil
	}
	env.regs = slices.DeleteFunc(env.regs, func(b binding) bool { return !s.live[q].Has(int(b.key)) })
	key := ""
	if s.unroll[q] {
		if key = env.key(); s.counting {
			key = strconv.Itoa(env.spawn)
		}
	} else {
		env.spawn, env.made = 0, 0
	}
	k := variant{q, key}
	v, ok := s.variants[k]
	if !ok {
		v = len(s.nodes)
		s.variants[k] = v
		s.nodes = append(s.nodes, k)
		s.envs = append(s.envs, env)
		s.queued = append(s.queued, true)
		s.work = append(s.work, v)
		s.full = s.full || len(s.nodes) > len(s.g.Nodes)+s.most
		return v
	}
	old := s.envs[v]
	changed := old.regs.meet(env.regs)
	changed = old.mem.meet(env.mem) || changed
	if changed && !s.queued[v] {
		s.queued[v] = true
		s.work = append(s.work, v)
	}
	return v
}

// build is the graph of the copies.
func (s *specialiser) build() *Graph {
	g := &Graph{Regs: s.g.Regs, End: -1, GaveUp: -1, Result: s.g.Result, Tracked: s.g.Tracked}
	place := map[int]int{} // of variants
	var order []int
	at := func(v int) int {
		n, ok := place[v]
		if !ok {
			q := s.nodes[v].q
			n = g.Node(s.g.Nodes[q])
			switch q {
			case s.g.End:
				g.End = n
			case s.g.GaveUp:
				g.GaveUp = n
			}
			place[v] = n
			order = append(order, v)
		}
		return n
	}
	g.Start = at(0)
	for i := 0; i < len(order); i++ {
		v := order[i]
		from := len(g.Edges)
		for _, k := range s.out[s.nodes[v].q] {
			e := s.g.Edges[k]
			env, ok := s.step(&e, s.envs[v])
			e.From = place[v]
			if !ok {
				if _, bound := e.Op.(*Bound); bound || e.Op == nil && fails(&e.Cmd) {
					e.To = g.Node(e.Pos)
					g.Edges = append(g.Edges, e)
				}
				continue
			}
			e.To = at(s.enter(e.To, env))
			g.Edges = append(g.Edges, e)
		}
		if outs := s.out[s.nodes[v].q]; len(outs) > 0 && len(g.Edges) == from {
			// Who waits for what never comes has not come to its end.
			pos := s.g.Edges[outs[0]].Pos
			g.Add(place[v], g.Node(pos), program.Command{Op: program.Check, Value: program.Const(0)}, pos)
		}
	}
	return g
}
