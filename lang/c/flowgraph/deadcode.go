package flowgraph

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// Aggressive dead-code elimination (Cytron, Ferrante, Rosen, Wegman, Zadeck, "Efficiently computing static single
// assignment form and the control dependence graph", TOPLAS 1991, section 7.1): what is not shown to be needed goes,
// loops among it. So goes a thread that backs off,
//
//	for (i = 0; i < ceiling; i++) pause();
//	ceiling <<= 1;
//
// of which only its next backing off tells, and a loop around it in which nothing else happens only waits.
//
// Needed is all but assignments, choices, and branches of which one is always taken; assignments to registers that
// something needed reads; and branches that decide which of two needed things comes next: what is not needed has
// one needed node that it leads to, whichever way it takes (weak control closure: Danicic, Barraclough, Harman,
// Howroyd, Kiss, Laurence, "A unifying theory of control dependence and its application to arbitrary program
// structures", TCS 2011). That it gets there at all is shown for each loop (terminates); who goes round for
// ever in one of the others is there to be found.

// DropPointless makes everything that is not needed lead to what comes next. Where dependencies order accesses,
// branches that depend on what is loaded stay. It reports whether there was something.
func (g *Graph) DropPointless(dependencies bool) bool {
	s := &slice{g: g, out: g.Out(), needed: make([]bool, len(g.Nodes)), next: make([]int, len(g.Nodes))}
	s.roots(dependencies)
	s.postorder()
	for again := true; again; {
		again = s.data()
		again = s.control() || again
		if !again {
			again = s.loops()
		}
	}
	changed := false
	gone := make([]bool, len(g.Edges))
	for q := range g.Nodes {
		if s.needed[q] || s.next[q] < 0 || len(s.out[q]) == 1 && g.Edges[s.out[q][0]].Cmd.IsSkip() {
			continue
		}
		changed = true
		for k, i := range s.out[q] {
			if gone[i] = k > 0; k == 0 {
				e := &g.Edges[i]
				e.To, e.Cmd = s.next[q], program.Skip()
				e.Cmd.Pos = e.Pos
			}
		}
	}
	if !changed {
		return false
	}
	edges := g.Edges[:0]
	for i, e := range g.Edges {
		if !gone[i] {
			edges = append(edges, e)
		}
	}
	g.Edges = edges
	g.merge()
	return true
}

// A slice is what is needed of a graph.
type slice struct {
	g      *Graph
	out    [][]int
	needed []bool // by node: what leaves it
	// next is, by node, the needed one that is come to from there, or itself; -1: none.
	next  []int
	order []int // the nodes, successors first where there is no loop
}

// roots are the nodes that are needed for what they do: access memory, may stop or fail, or mean something of their own.
func (s *slice) roots(dependencies bool) {
	g := s.g
	var loaded program.RegSet
	if dependencies {
		loaded = g.loaded()
	}
	for q := range g.Nodes {
		out := s.out[q]
		pure := !g.marked(q) && (len(out) == 1 || len(out) == 2 && flow.Opposite(&g.Edges[out[0]].Cmd, &g.Edges[out[1]].Cmd))
		for _, i := range out {
			e := &g.Edges[i]
			if e.Op != nil {
				pure = false
				break
			}
			switch e.Cmd.Op {
			case program.Assign, program.Havoc:
			case program.Check:
				pure = pure && (len(out) == 2 || e.Cmd.IsSkip())
				if dependencies && !e.Cmd.Pick {
					e.Cmd.Reads(func(r int) { pure = pure && !loaded.Has(r) })
				}
			default:
				pure = false
			}
		}
		s.needed[q] = !pure
	}
}

// loaded is the registers whose values may depend on what is loaded.
func (g *Graph) loaded() program.RegSet {
	set := program.NewRegSet(len(g.Regs))
	for again := true; again; {
		again = false
		for i := range g.Edges {
			e := &g.Edges[i]
			depends := e.Op != nil || e.Cmd.Op != program.Assign && e.Cmd.Op != program.Havoc
			e.Reads(func(r int) { depends = depends || set.Has(r) })
			if depends {
				e.Writes(func(r int) {
					again = again || !set.Has(r)
					set.Add(r)
				})
			}
		}
	}
	return set
}

// postorder is that of a depth-first walk.
func (s *slice) postorder() {
	seen := make([]bool, len(s.g.Nodes))
	type frame struct{ q, next int }
	for root := range s.g.Nodes {
		if seen[root] {
			continue
		}
		seen[root] = true
		for stack := []frame{{root, 0}}; len(stack) > 0; {
			f := &stack[len(stack)-1]
			if f.next == len(s.out[f.q]) {
				s.order = append(s.order, f.q)
				stack = stack[:len(stack)-1]
				continue
			}
			to := s.g.Edges[s.out[f.q][f.next]].To
			f.next++
			if !seen[to] {
				seen[to] = true
				stack = append(stack, frame{to, 0})
			}
		}
	}
}

// data adds the assignments to registers that something needed reads.
func (s *slice) data() (more bool) {
	g := s.g
	live := make([]program.RegSet, len(g.Nodes))
	for q := range live {
		live[q] = program.NewRegSet(len(g.Regs))
	}
	if g.End >= 0 && g.Result >= 0 {
		live[g.End].Add(g.Result)
	}
	set := program.NewRegSet(len(g.Regs))
	for again := true; again; {
		again = false
		for _, q := range s.order {
			for _, i := range s.out[q] {
				e := &g.Edges[i]
				copy(set, live[e.To])
				if !s.needed[q] {
					e.Writes(func(r int) { s.needed[q] = s.needed[q] || set.Has(r) })
					more = more || s.needed[q]
				}
				if s.needed[q] {
					e.Writes(set.Remove)
					e.Reads(set.Add)
				}
				again = live[q].Union(set) || again
			}
		}
	}
	return more
}

// control adds the branches that decide which of two needed nodes comes next.
func (s *slice) control() (more bool) {
	for added := true; added; {
		added = false
		for q := range s.next {
			s.next[q] = -1
			if s.needed[q] {
				s.next[q] = q
			}
		}
		for again := true; again; {
			again = false
			for _, q := range s.order {
				if s.needed[q] {
					continue
				}
				next := -1
				for _, i := range s.out[q] {
					n := s.next[s.g.Edges[i].To]
					if n >= 0 && next >= 0 && n != next {
						s.needed[q], added, more = true, true, true
						next = q
						break
					}
					next = max(n, next)
				}
				again = again || next != s.next[q]
				s.next[q] = next
			}
		}
	}
	return more
}

// loops adds those of what is not needed that may go round for ever.
func (s *slice) loops() (more bool) {
	var edges []int
	for i := range s.g.Edges {
		if e := &s.g.Edges[i]; !s.needed[e.From] && !s.needed[e.To] {
			edges = append(edges, i)
		}
	}
	for _, loop := range s.g.cycles(edges) {
		if !s.g.terminates(loop) {
			for _, i := range loop {
				s.needed[s.g.Edges[i].From] = true
			}
			more = true
		}
	}
	return more
}

// cycles is the strongly connected components that these edges form, as their edges.
func (g *Graph) cycles(edges []int) (loops [][]int) {
	if len(edges) == 0 {
		return nil
	}
	number := map[int]program.StateID{}
	at := func(q int) program.StateID {
		n, ok := number[q]
		if !ok {
			n = program.StateID(len(number))
			number[q] = n
		}
		return n
	}
	t := &program.Thread{}
	for _, i := range edges {
		t.Edges = append(t.Edges, program.Edge{From: at(g.Edges[i].From), To: at(g.Edges[i].To)})
	}
	t.States = make([]program.State, len(number))
	component := map[int]int{}
	comp := flow.Components(t, func(int) bool { return true })
	for k, i := range edges {
		from, to := comp[t.Edges[k].From], comp[t.Edges[k].To]
		if from != to {
			continue
		}
		l, ok := component[from]
		if !ok {
			l = len(loops)
			component[from] = l
			loops = append(loops, nil)
		}
		loops[l] = append(loops[l], i)
	}
	return loops
}

// terminates is true of a strongly connected component of assignments, choices and checks that is left in the end,
// because a check in it counts: what it asks about moves by the same number from each time to the next, towards what it is
// compared with; and without that check there is no loop, or one that is left.
func (g *Graph) terminates(loop []int) bool {
	for _, i := range loop {
		if g.Edges[i].Cmd.Op != program.Check || g.Edges[i].Cmd.IsSkip() {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(loop), func(k int) bool { return k == i })
		if !g.counts(i, rest) {
			continue
		}
		ends := true
		for _, inner := range g.cycles(rest) {
			ends = ends && g.terminates(inner)
		}
		if ends {
			return true
		}
	}
	return false
}

// An affine is what a register holds: what base held at the beginning, and off, modulo two to the bits that both
// have; nothing that is known where base is -1.
type affine struct {
	base int
	off  int64
}

// An affineEnv is what is known of the registers that a loop writes; of others it is that they hold what they held.
type affineEnv map[int]affine

func (env affineEnv) of(r int) affine {
	if a, ok := env[r]; ok {
		return a
	}
	return affine{base: r}
}

// counts is true of the edge of a check of which a loop takes only so many; rest is the other edges of the loop.
func (g *Graph) counts(edge int, rest []int) bool {
	e := &g.Edges[edge]
	at := map[int]affineEnv{e.To: {}}
	for again := true; again; {
		again = false
		for _, i := range rest {
			x := &g.Edges[i]
			before, ok := at[x.From]
			if !ok {
				continue
			}
			after := affineEnv{}
			for r, a := range before {
				after[r] = a
			}
			x.Cmd.Writes(func(r int) { after[r] = g.affineOf(&x.Cmd, r, before) })
			old, ok := at[x.To]
			if !ok {
				at[x.To] = after
				again = true
				continue
			}
			for r := range after {
				if _, ok := old[r]; !ok {
					old[r] = affine{base: r}
				}
			}
			for r, a := range old {
				if a.base >= 0 && a != after.of(r) {
					old[r] = affine{base: -1}
					again = true
				}
			}
		}
	}
	env, ok := at[e.From]
	return ok && g.countsDown(e.Cmd.Value, env)
}

// affineOf is what register r holds after c has written it.
func (g *Graph) affineOf(c *program.Command, r int, env affineEnv) affine {
	unknown := affine{base: -1}
	if c.Op != program.Assign {
		return unknown
	}
	bits := g.Regs[r].Type.Bits
	off, x := int64(0), c.Value
	for {
		switch e := x.(type) {
		case program.Reg:
			a := env.of(int(e))
			if a.base < 0 || g.Regs[e].Type.Bits != bits {
				return unknown
			}
			return affine{a.base, a.off + off}
		case program.Unary:
			if t, ok := e.Op.Cast(); !ok || t.Bits < bits {
				return unknown
			}
			x = e.X
		case program.Binary:
			k, ok := e.Y.(program.Const)
			switch {
			case ok && e.Op == program.Add:
				off += int64(k)
			case ok && e.Op == program.Sub:
				off -= int64(k)
			default:
				return unknown
			}
			x = e.X
		default:
			return unknown
		}
	}
}

// countsDown is true of a condition that does not hold for ever where the registers are what they were
// the last time that it held, but for what env says.
func (g *Graph) countsDown(e program.Expr, env affineEnv) bool {
	b, ok := e.(program.Binary)
	if !ok {
		return false
	}
	if b.Op == program.LogicalAnd {
		return g.countsDown(b.X, env) || g.countsDown(b.Y, env)
	}
	return g.movesTo(b.X, b.Op, b.Y, env, false) || g.movesTo(b.Y, b.Op, b.X, env, true)
}

// movesTo is true where v, of which (v op b) has held, or (b op v) where swapped, comes to where it does not, and v does
// not go round past the end of its type before.
func (g *Graph) movesTo(v program.Expr, op program.BinaryOp, b program.Expr, env affineEnv, swapped bool) bool {
	// What v is: a register, or what that is with the other signedness.
	t := program.Type{}
	if u, ok := v.(program.Unary); ok {
		if t, ok = u.Op.Cast(); !ok {
			return false
		}
		v = u.X
	}
	r, ok := v.(program.Reg)
	if !ok || t.Bits != 0 && t.Bits != g.Regs[r].Type.Bits {
		return false
	}
	if t.Bits == 0 {
		t = g.Regs[r].Type
	}
	// It moves as the register does that it is taken from.
	from := env.of(int(r)).base
	if from < 0 || env.of(from).base != from {
		return false
	}
	step := program.Type{Bits: t.Bits, Signed: true}.Wrap(env.of(from).off)
	const far = 1 << 60
	if step == 0 || step > far || step < -far {
		return false
	}
	same := true
	program.Walk(b, func(x program.Expr) {
		if r, ok := x.(program.Reg); ok {
			same = same && env.of(int(r)) == affine{base: int(r)}
		}
	})
	if !same {
		return false
	}
	within := g.rangeOf(b)
	lo, hi := within.Min(), within.Max()
	if k, ok := b.(program.Const); ok {
		lo, hi = int64(k), int64(k)
	}
	if op == program.Ne || op == program.Eq {
		// An odd step comes by all values; any step leaves one.
		return op == program.Eq || step&1 != 0 && lo >= t.Min() && hi <= t.Max()
	}
	unsigned := op == program.ULt || op == program.ULe
	less := op == program.Lt || op == program.Le || unsigned
	if swapped {
		less = !less
	}
	equal := op == program.Le || op == program.Ge || op == program.ULe
	switch op {
	case program.Lt, program.Le, program.Gt, program.Ge, program.ULt, program.ULe:
	default:
		return false
	}
	if less != (step > 0) {
		return false
	}
	if t.Bits == 64 && (step == 1 || step == -1) && !equal && unsigned {
		return true // strictly less than a number: one more is no more than that
	}
	if unsigned && (lo < 0 || !less && t.Signed) || !unsigned && t == program.Uint64Type {
		return false
	}
	// The last value for which the condition holds, and a step further.
	if less {
		if !equal {
			step--
		}
		return hi <= t.Max()-step
	}
	if !equal {
		step++
	}
	return lo >= t.Min()-step && (!unsigned || lo >= -step)
}
