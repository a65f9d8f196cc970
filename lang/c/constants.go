package c

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// reads calls f for every register that an edge reads before it writes it.
func (e *edge) reads(f func(int)) {
	each := func(xs ...program.Expr) {
		for _, x := range xs {
			program.Walk(x, func(x program.Expr) {
				if r, ok := x.(program.Reg); ok {
					f(int(r))
				}
			})
		}
	}
	switch op := e.op.(type) {
	case nil:
		e.cmd.Reads(f)
	case *startOp:
		each(op.id, op.fn, op.arg)
	case *joinOp:
		each(op.id)
	case *signalOp:
		each(op.cond)
	case *allocOp:
		each(op.size)
	case *copyOp:
		each(op.from, op.to)
	}
}

// writes calls f for every register that an edge writes.
func (e *edge) writes(f func(int)) {
	switch op := e.op.(type) {
	case nil:
		e.cmd.Writes(f)
	case *reserveOp:
		f(op.reg)
	case *allocOp:
		f(op.reg)
	case *joinOp:
		f(op.reg)
	}
}

// live is, for every node, the registers that may still be read.
func (g *graph) live() []program.RegSet {
	in := make([][]int, len(g.nodes))
	for i := range g.edges {
		in[g.edges[i].to] = append(in[g.edges[i].to], i)
	}
	live := make([]program.RegSet, len(g.nodes))
	for q := range live {
		live[q] = program.NewRegSet(len(g.regs))
	}
	if g.end >= 0 && g.result >= 0 {
		live[g.end].Add(g.result)
	}
	work := make([]int, 0, len(g.nodes))
	queued := make([]bool, len(g.nodes))
	for q := range g.nodes {
		work = append(work, q)
		queued[q] = true
	}
	set := program.NewRegSet(len(g.regs))
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		queued[q] = false
		for _, i := range in[q] {
			e := &g.edges[i]
			copy(set, live[q])
			e.writes(set.Remove)
			e.reads(set.Add)
			changed := false
			for w := range set {
				if set[w]&^live[e.from][w] != 0 {
					live[e.from][w] |= set[w]
					changed = true
				}
			}
			if changed && !queued[e.from] {
				queued[e.from] = true
				work = append(work, e.from)
			}
		}
	}
	return live
}

// An environment is what is known of registers, and how many threads have been made in
// the loop that is being unrolled.
type environment struct {
	regs  valuation // those that are known
	mem   valuation // likewise, of the tracked cells of the graph
	spawn int
}

// substitute is x with the constants that are known, simplified.
func (env *environment) substitute(x program.Expr) program.Expr {
	switch x := x.(type) {
	case program.Reg:
		if v, ok := env.regs.get(int64(x)); ok {
			return program.Const(v)
		}
	case program.Unary:
		return fold(program.Unary{Op: x.Op, X: env.substitute(x.X)})
	case program.Binary:
		return fold(program.Binary{Op: x.Op, X: env.substitute(x.X), Y: env.substitute(x.Y)})
	}
	return x
}

// apply executes c on what is known, and simplifies it in place. It is false where c
// cannot be executed.
func (env *environment) apply(g *graph, c *program.Command) bool {
	set := func(x program.Expr) {
		if k, ok := x.(program.Const); ok {
			env.regs.set(int64(c.Reg), g.regs[c.Reg].Type.Wrap(int64(k)))
		} else {
			env.regs.forget(int64(c.Reg))
		}
	}
	if c.Addr != nil {
		c.Addr = env.substitute(c.Addr)
	}
	if c.Value != nil {
		c.Value = env.substitute(c.Value)
	}
	switch c.Op {
	case program.Check:
		if c.Value == program.Const(0) {
			return false
		}
		env.learn(g, c.Value)
	case program.Assign:
		set(c.Value)
	case program.Havoc:
		set(nil)
	case program.Load:
		if k, ok := c.Addr.(program.Const); ok {
			if v, known := env.mem.get(int64(k)); known && fitsTag(g.tracked[int64(k)].t, c.Tags) {
				*c = program.Command{Op: program.Assign, Reg: c.Reg, Value: program.Const(v), Pos: c.Pos}
				set(c.Value)
				return true
			}
		}
		set(nil)
	case program.Store:
		if len(env.mem) == 0 {
			break
		}
		k, ok := c.Addr.(program.Const)
		cell, is := g.tracked[int64(k)]
		v, known := c.Value.(program.Const)
		lo, hi, array := within(c.Tags)
		switch {
		case !ok && array:
			env.mem = slices.DeleteFunc(env.mem, func(b binding) bool { return b.key > lo-8 && b.key < hi })
		case !ok && throughPointer(c.Addr): // nobody points to what is tracked
		case !ok: // it may be any of them
			env.mem = env.mem[:0]
		case is && known && fitsTag(cell.t, c.Tags):
			env.mem.set(int64(k), cell.t.Wrap(int64(v)))
		default:
			env.mem = slices.DeleteFunc(env.mem, func(b binding) bool { // a part of one, or another one
				return b.key > int64(k)-8 && b.key < int64(k)+8
			})
		}
	case program.Atomic:
		body := make([]program.Command, 0, len(c.Body))
		for _, b := range c.Body {
			if !env.apply(g, &b) {
				return false
			}
			if b.IsSkip() {
				continue
			}
			body = append(body, b)
		}
		if len(body) == 0 { // it may be a fence all the same
			body = append(body, program.Skip())
		}
		c.Body = body
	}
	return true
}

// throughPointer is true of an address that is a pointer, or the member of what one points to.
func throughPointer(addr program.Expr) bool {
	const largest = 512 // less than any address
	if b, ok := addr.(program.Binary); ok && b.Op == program.Add {
		if k, ok := b.Y.(program.Const); ok && k >= 0 && k < largest {
			addr = b.X
		}
	}
	_, ok := addr.(program.Reg)
	return ok
}

// learn takes in that e holds.
func (env *environment) learn(g *graph, e program.Expr) {
	switch e := e.(type) {
	case program.Binary:
		switch e.Op {
		case program.LogicalAnd:
			env.learn(g, e.X)
			env.learn(g, e.Y)
		case program.Eq:
			if r, ok := e.X.(program.Reg); ok {
				if k, ok := e.Y.(program.Const); ok && g.regs[r].Type.Wrap(int64(k)) == int64(k) {
					env.regs.set(int64(r), int64(k))
				}
			}
		}
	}
}

// key is the environment as a string.
func (env *environment) key() string {
	b := binary.AppendVarint(nil, int64(env.spawn))
	b = binary.AppendUvarint(b, uint64(len(env.regs)))
	for _, known := range []valuation{env.regs, env.mem} {
		for _, x := range known {
			b = binary.AppendVarint(binary.AppendVarint(b, x.key), x.v)
		}
	}
	return string(b)
}

func (env *environment) clone() *environment {
	return &environment{slices.Clone(env.regs), slices.Clone(env.mem), env.spawn}
}

// components numbers the strongly connected components of g, and says which have a
// cycle. Nodes that start does not reach have none.
func (g *graph) components(out [][]int) (comp []int, cyclic []bool) {
	n := len(g.nodes)
	comp = make([]int, n)
	index := make([]int, n)
	low := make([]int, n)
	for q := range comp {
		comp[q] = -1
	}
	type frame struct{ q, next int }
	var stack []int
	count := 0
	frames := []frame{{g.start, 0}}
	count++
	index[g.start], low[g.start] = count, count
	stack = append(stack, g.start)
	for len(frames) > 0 {
		f := &frames[len(frames)-1]
		if f.next < len(out[f.q]) {
			to := g.edges[out[f.q][f.next]].to
			f.next++
			switch {
			case index[to] == 0:
				count++
				index[to], low[to] = count, count
				stack = append(stack, to)
				frames = append(frames, frame{to, 0})
			case comp[to] < 0:
				low[f.q] = min(low[f.q], index[to])
			}
			continue
		}
		q := f.q
		frames = frames[:len(frames)-1]
		if len(frames) > 0 {
			up := frames[len(frames)-1].q
			low[up] = min(low[up], low[q])
		}
		if low[q] == index[q] {
			id := len(cyclic)
			size := 0
			for {
				top := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				comp[top] = id
				size++
				if top == q {
					break
				}
			}
			self := false
			for _, i := range out[q] {
				self = self || g.edges[i].to == q
			}
			cyclic = append(cyclic, size > 1 || self)
		}
	}
	return comp, cyclic
}

// maxVariants bounds how many copies of its nodes a loop is unrolled to.
const maxVariants = 1 << 14

// A specialiser makes copies of nodes that differ in what is known there: of those in
// loops that make threads or wait for their ends one for every environment, of others
// one that holds for all.
type specialiser struct {
	g      *graph
	out    [][]int
	live   []program.RegSet
	unroll []bool // by node
	limit  int    // how many threads a loop makes

	variants map[variant]int
	nodes    []variant
	envs     []*environment
	work     []int
	queued   []bool
	bounded  bool
	full     bool
	counting bool // nodes are told apart by how many threads there are
}

type variant struct {
	q   int
	key string
}

// specialise propagates constants through g and unrolls the loops that make threads.
// reserve gives the number of a new thread. The result says whether a bound was met.
func (g *graph) specialise(limit int) (_ *graph, bounded bool) {
	s := &specialiser{g: g, out: g.out(), live: g.live(), limit: limit}
	comp, cyclic := g.components(s.out)
	special := make([]bool, len(cyclic))
	spawning := make([]bool, len(cyclic))
	for i := range g.edges {
		e := &g.edges[i]
		c := comp[e.from]
		if c < 0 || !cyclic[c] || comp[e.to] != c {
			continue
		}
		switch e.op.(type) {
		case *reserveOp:
			special[c], spawning[c] = true, true
		case *joinOp:
			special[c] = true
		}
	}
	s.unroll = make([]bool, len(g.nodes))
	for q := range g.nodes {
		s.unroll[q] = comp[q] >= 0 && special[comp[q]]
	}
	s.run()
	if s.full { // loops that only wait for threads can stay as they are
		for q := range g.nodes {
			s.unroll[q] = comp[q] >= 0 && spawning[comp[q]]
		}
		s.run()
	}
	// Between the threads that are made there may be loops that go on as long as they like, with something
	// that counts: where it stands is told by the number of threads alone.
	if s.full {
		s.counting = true
		s.run()
	}
	return s.build(), s.bounded
}

func (s *specialiser) run() {
	s.variants = map[variant]int{}
	s.nodes, s.envs, s.work, s.queued = nil, nil, nil, nil
	s.full, s.bounded = false, false
	env := &environment{}
	for a, c := range s.g.tracked {
		env.mem.set(a, c.init)
	}
	for r := range s.g.regs {
		env.regs = append(env.regs, binding{int64(r), s.g.regs[r].Init})
	}
	s.enter(s.g.start, env)
	for len(s.work) > 0 && !s.full {
		v := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		s.queued[v] = false
		for _, i := range s.out[s.nodes[v].q] {
			e := s.g.edges[i]
			if env, ok := s.step(&e, s.envs[v]); ok {
				s.enter(e.to, env)
			}
		}
	}
}

// step executes a copy of an edge.
func (s *specialiser) step(e *edge, env *environment) (*environment, bool) {
	env = env.clone()
	switch op := e.op.(type) {
	case nil:
		c := e.cmd
		if !env.apply(s.g, &c) {
			return nil, false
		}
		e.cmd = c
		if fails(&c) {
			return nil, false
		}
	case *reserveOp:
		env.regs.forget(int64(op.reg))
		if s.unroll[e.from] {
			env.spawn++
			if env.spawn > s.limit {
				s.bounded = true
				e.op = &boundOp{fmt.Sprintf("a loop makes more than %d threads", s.limit)}
				return nil, false
			}
			// Its number is not known yet, but the copy of the edge tells which it is.
		}
	case *startOp:
		e.op = &startOp{env.substitute(op.id), env.substitute(op.fn), env.substitute(op.arg), op.legacy}
	case *copyOp:
		e.op = &copyOp{env.substitute(op.from), env.substitute(op.to), op.site}
	case *signalOp:
		e.op = &signalOp{env.substitute(op.cond), op.all, op.futex, op.count}
	case *joinOp:
		e.op = &joinOp{env.substitute(op.id), op.reg}
		env.regs.forget(int64(op.reg))
	case *allocOp:
		e.op = &allocOp{reg: op.reg, site: op.site, size: env.substitute(op.size)}
		env.regs.forget(int64(op.reg))
	case *boundOp:
		return nil, false
	}
	return env, true
}

// fails is true of an assertion that always fails.
func fails(c *program.Command) bool { return c.Op == program.Assert && c.Value == program.Const(0) }

// enter comes to node q with env.
func (s *specialiser) enter(q int, env *environment) int {
	env.regs = slices.DeleteFunc(env.regs, func(b binding) bool { return !s.live[q].Has(int(b.key)) })
	key := ""
	if s.unroll[q] {
		if key = env.key(); s.counting {
			key = strconv.Itoa(env.spawn)
		}
	} else {
		env.spawn = 0
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
		s.full = s.full || len(s.nodes) > len(s.g.nodes)+maxVariants
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
func (s *specialiser) build() *graph {
	g := &graph{regs: s.g.regs, end: -1, gaveUp: -1, result: s.g.result, tracked: s.g.tracked}
	place := map[int]int{} // of variants
	var order []int
	at := func(v int) int {
		n, ok := place[v]
		if !ok {
			q := s.nodes[v].q
			n = g.node(s.g.nodes[q])
			switch q {
			case s.g.end:
				g.end = n
			case s.g.gaveUp:
				g.gaveUp = n
			}
			place[v] = n
			order = append(order, v)
		}
		return n
	}
	g.start = at(0)
	for i := 0; i < len(order); i++ {
		v := order[i]
		from := len(g.edges)
		for _, k := range s.out[s.nodes[v].q] {
			e := s.g.edges[k]
			env, ok := s.step(&e, s.envs[v])
			e.from = place[v]
			if !ok {
				if _, bound := e.op.(*boundOp); bound || e.op == nil && fails(&e.cmd) {
					e.to = g.node(e.pos)
					g.edges = append(g.edges, e)
				}
				continue
			}
			e.to = at(s.enter(e.to, env))
			g.edges = append(g.edges, e)
		}
		if outs := s.out[s.nodes[v].q]; len(outs) > 0 && len(g.edges) == from {
			// Who waits for what never comes has not come to its end.
			pos := s.g.edges[outs[0]].pos
			g.edge(place[v], g.node(pos), program.Command{Op: program.Check, Value: program.Const(0)}, pos)
		}
	}
	return g
}
