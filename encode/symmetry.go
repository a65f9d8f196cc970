package encode

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// This file finds threads that can be exchanged, and makes the formula ask for one only of all executions that such
// exchanges make of each other (symmetry breaking: Crawford, Ginsberg, Luks and Roy, "Symmetry-Breaking Predicates for Search
// Problems").
//
// An exchange of threads a and b is an involution of the threads, of the cells, and of the values that a register or a
// cell holds: two values change places, the numbers of the two threads perhaps (so these are a scalarset: Ip and Dill, "Better
// Verification Through Symmetry"). It is a symmetry where it makes each command of a thread that of its counterpart: what
// that computes from exchanged values is what the exchange makes of what the one computes from the values themselves. This
// is found out by computing both, for all values that registers can have. Initial values and properties stay what they are,
// too. So an execution stays one when everything in it is exchanged, and a violation a violation.
//
// Only commands count that matter up to the bound: which stores, or lead to something that does, or that a property looks
// at. Take an execution, up to the last such command of each thread. The exchange makes an execution of it; and from its
// end the threads go on as far as they can, as in any execution, with all that is to come after all that was.
//
// In every thread of a group there is a point that it passes in every execution, the same in all, and the items there
// come in some order. Of all that exchanges make of an execution there is one in which this is the order of the
// threads; so that may be demanded. Nothing else decides about the order of these items: all that is known of an order is
// that it contains what the execution has, unless items have ranks (see rankItems).
//
// What is demanded does not follow from the clauses, so there are no proofs with it.

// symmetry is what is known of like threads.
type symmetry struct {
	forever bool // they are alike whatever the bound
	asked   string
	lit     solver.Lit // the order that asked describes holds
	groups  [][]int    // of threads, that the last question used
}

// Alike is the groups of threads that are alike, if any, of which [Formula.Violations] has used that they are.
func (f *Formula) Alike() [][]int { return f.symmetry.groups }

// likeThreads is the assumptions under which like threads come in order, for a question about properties at the present
// bound.
func (f *Formula) likeThreads() []solver.Lit {
	y := &f.symmetry
	if !f.opts.Symmetry || f.opts.Proofs || y.forever || f.hasLock || f.rank != nil || f.relational() || f.p.Wide() || f.p.Parts() {
		return nil
	}
	if f.bound == 0 {
		if pairs := f.pairs(f.allEdges()); len(pairs) > 0 {
			y.forever = true
			for _, p := range pairs {
				f.Clause(f.before(p[0], p[1]))
			}
			return nil
		}
	}
	y.groups = nil
	pairs := f.pairs(f.relevantEdges())
	if len(pairs) == 0 {
		return nil
	}
	var key strings.Builder
	for _, p := range pairs {
		fmt.Fprint(&key, p[0].id, p[1].id, ";")
	}
	if key.String() != y.asked {
		y.asked, y.lit = key.String(), f.Fresh()
		for _, p := range pairs {
			f.Clause(-y.lit, f.before(p[0], p[1]))
		}
	}
	return []solver.Lit{y.lit}
}

// pairs is the items that are to be in order, of neighbours in groups of threads that are alike as far as those edges go.
func (f *Formula) pairs(edges [][]bool) (pairs [][2]*item) {
	points := make([][]passage, len(f.threads))
	for t := range f.threads {
		points[t] = f.points(f.threads[t], edges[t])
	}
	common := func(p, q []passage) int {
		n := 0
		for n < len(p) && n < len(q) && p[n].node.state == q[n].node.state && p[n].node.layer == q[n].node.layer {
			n++
		}
		return n
	}
	var groups [][]int
next:
	for b := range f.threads {
		for g := range groups {
			a := groups[g][len(groups[g])-1]
			if common(points[a], points[b]) > 0 && f.alike(a, b, edges) {
				groups[g] = append(groups[g], b)
				continue next
			}
		}
		groups = append(groups, []int{b})
	}
	groups = slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 1 })
	for _, g := range groups {
		n := len(points[g[0]])
		for _, t := range g[1:] {
			n = min(n, common(points[g[0]], points[t]))
		}
		for i, t := range g[1:] {
			pairs = append(pairs, [2]*item{points[g[i]][n-1].item, points[t][n-1].item})
		}
	}
	f.symmetry.groups = groups
	return pairs
}

// passage is an item that is there in every execution, and the node before it.
type passage struct {
	node *node
	item *item
}

// points lists those of a thread, in their order, as far as all ways to them are along such edges.
func (f *Formula) points(t *thread, edges []bool) (ps []passage) {
	for _, n := range t.nodes {
		if slices.ContainsFunc(n.out, func(s *step) bool { return !edges[s.edge] }) {
			break
		}
		for _, s := range n.out {
			if s.item < 0 {
				continue
			}
			if it := f.items[s.item]; !it.kind.isFence() && f.IsTrue(it.guard) && (len(ps) == 0 || ps[len(ps)-1].item != it) {
				ps = append(ps, passage{n, it})
			}
		}
	}
	return ps
}

func (f *Formula) allEdges() [][]bool {
	edges := make([][]bool, len(f.threads))
	for i, t := range f.threads {
		edges[i] = slices.Repeat([]bool{true}, len(t.t.Edges))
	}
	return edges
}

// relevantEdges is, by thread and edge, whether the edge stores, up to the bound, or leads to one that does, or to a place
// that a property looks at.
func (f *Formula) relevantEdges() [][]bool {
	edges := make([][]bool, len(f.threads))
	for i, t := range f.threads {
		f.poll()
		edges[i] = make([]bool, len(t.t.Edges))
		type place struct {
			state program.StateID
			layer int
		}
		relevant := map[place]bool{}
		for _, a := range t.violations {
			if !f.IsFalse(a.lit) {
				edges[i][a.edge] = true
				relevant[place{a.node.state, a.node.layer}] = true
			}
		}
		for k := len(t.nodes) - 1; k >= 0; k-- { // nodes come before those that they lead to
			n := t.nodes[k]
			at := place{n.state, n.layer}
			if t.mayStop[n.state] || len(t.out[n.state]) == 0 || t.t.States[n.state].Kind != program.Plain {
				relevant[at] = true
			}
			for _, s := range n.out {
				e := &t.t.Edges[s.edge]
				to := place{e.To, n.layer}
				if t.loops.Back[s.edge] {
					to.layer++
				}
				stores := false
				e.Cmd.Accesses(func(c *program.Command) { stores = stores || c.Op == program.Store })
				if stores || relevant[to] || to.layer > f.bound && t.mayStop[to.state] {
					edges[i][s.edge] = true
					relevant[at] = true
				}
			}
		}
	}
	return edges
}

// exchange is that of threads a and b.
type exchange struct {
	f     *Formula
	a, b  int
	cells []int // by cell: its counterpart
	// What has values, registers of threads and cells, is in classes (a union-find structure). In all that is in one
	// class the same two values change places, if any do.
	class []int
	first []int // by thread: the number of its first register among what has values; the last: of the first cell
	swaps map[int][2]int64
}

// alike is whether threads a and b can be exchanged, as far as those edges go.
func (f *Formula) alike(a, b int, edges [][]bool) bool {
	f.poll()
	ta, tb := f.threads[a], f.threads[b]
	if len(ta.t.States) != len(tb.t.States) || len(ta.t.Edges) != len(tb.t.Edges) || len(ta.t.Regs) != len(tb.t.Regs) || ta.t.Initial != tb.t.Initial ||
		!slices.Equal(ta.mayStop, tb.mayStop) || !slices.Equal(ta.loops.Back, tb.loops.Back) || !slices.Equal(ta.loops.Wait, tb.loops.Wait) {
		return false
	}
	for q := range ta.t.States {
		if ta.t.States[q].Kind != tb.t.States[q].Kind {
			return false
		}
	}
	for r := range ta.t.Regs {
		if ta.t.Regs[r].Type != tb.t.Regs[r].Type {
			return false
		}
	}
	for e := range ta.t.Edges {
		if ta.t.Edges[e].From != tb.t.Edges[e].From || ta.t.Edges[e].To != tb.t.Edges[e].To {
			return false
		}
	}
	var pairs []commands
	for i, t := range f.threads {
		k := i
		switch i {
		case a:
			k = b
		case b:
			k = a
		}
		for e := range t.t.Edges {
			if !edges[i][e] && !edges[k][e] {
				continue
			}
			c, d := &t.t.Edges[e].Cmd, &f.threads[k].t.Edges[e].Cmd
			if !sameShape(c, d) || c.Op == program.Atomic && c.Asserts() {
				return false
			}
			if c.Op != program.Atomic {
				pairs = append(pairs, commands{i, c, d, nil})
				continue
			}
			inside := map[program.Reg]contents{}
			for j := range c.Body {
				p := commands{i, &c.Body[j], &d.Body[j], inside}
				if !sameShape(p.c, p.d) {
					return false
				}
				f.enter(&p)
				pairs = append(pairs, p)
			}
		}
	}
	x := newExchange(f, a, b)
	return x.guess(pairs) && x.initially() && x.invariant() && !slices.ContainsFunc(pairs, func(p commands) bool { return !x.check(&p) })
}

// commands is a command of a thread, and its counterpart.
type commands struct {
	thread int
	c, d   *program.Command
	// inside is what registers may hold in an atomic block, besides what they hold between two commands. It is shared by
	// the commands of the block.
	inside map[program.Reg]contents
}

// contents is values, or so many that they are not listed.
type contents struct {
	values []int64
	many   bool
}

// with is c and, of type t, those values.
func (c contents) with(vs program.ValueSet, t program.Type) contents {
	if c.many || vs.Size() > maxValuations {
		return contents{many: true}
	}
	vs.All(func(v int64) bool { c.values = append(c.values, t.Wrap(v)); return true })
	return c
}

// sameShape is true of commands that differ in their expressions at most.
func sameShape(c, d *program.Command) bool {
	return c.Op == d.Op && c.Reg == d.Reg && c.Lo == d.Lo && c.Hi == d.Hi && c.Kind == d.Kind && c.Tags == d.Tags && c.Part == d.Part &&
		c.Wide == d.Wide && c.Pick == d.Pick && len(c.Body) == len(d.Body) && (c.Addr == nil) == (d.Addr == nil) && (c.Value == nil) == (d.Value == nil)
}

func newExchange(f *Formula, a, b int) *exchange {
	x := &exchange{f: f, a: a, b: b}
	n := 0
	for _, t := range f.threads {
		x.first = append(x.first, n)
		n += len(t.t.Regs)
	}
	x.first = append(x.first, n)
	for c := range f.ranges.Cells {
		x.cells = append(x.cells, c)
	}
	x.class = make([]int, n+len(x.cells))
	for i := range x.class {
		x.class[i] = i
	}
	return x
}

func (x *exchange) thread(t int) int {
	switch t {
	case x.a:
		return x.b
	case x.b:
		return x.a
	}
	return t
}

func (x *exchange) reg(t, r int) int { return x.first[t] + r }
func (x *exchange) cell(c int) int   { return x.first[len(x.first)-1] + c }

func (x *exchange) find(i int) int {
	for x.class[i] != i {
		i = x.class[i]
	}
	return i
}

// join puts i and j into one class, and tells whether they were not.
func (x *exchange) join(i, j int) bool {
	i, j = x.find(i), x.find(j)
	x.class[i] = j
	return i != j
}

// value is the counterpart of value v of i.
func (x *exchange) value(i int, v int64) int64 {
	if s, ok := x.swaps[x.find(i)]; ok {
		switch v {
		case s[0]:
			return s[1]
		case s[1]:
			return s[0]
		}
	}
	return v
}

// guess finds the counterparts of cells and values, if there are any: by the constants in which commands and their
// counterparts differ, and by what is copied where. Whether they are any good, check says.
func (x *exchange) guess(pairs []commands) bool {
	for t := range x.f.threads {
		for r := range x.f.threads[t].t.Regs {
			x.join(x.reg(t, r), x.reg(x.thread(t), r))
		}
	}
	for i := range pairs {
		x.flow(&pairs[i])
	}
	for joined := true; joined; {
		x.swaps = map[int][2]int64{}
		for t := range x.f.threads {
			other := x.f.threads[x.thread(t)].t
			for r, reg := range x.f.threads[t].t.Regs {
				x.differ(x.reg(t, r), program.Const(reg.Init), program.Const(other.Regs[r].Init))
			}
		}
		for i := range pairs {
			switch p := &pairs[i]; p.c.Op {
			case program.Store:
				if cells := x.f.ranges.Access[p.c]; len(cells) > 0 {
					x.differ(x.cell(cells[0]), p.c.Value, p.d.Value)
				}
			case program.Assign:
				x.differ(x.reg(p.thread, p.c.Reg), p.c.Value, p.d.Value)
			case program.Check, program.Assert:
				x.compare(p.thread, p.c.Value, p.d.Value)
			}
		}
		if !x.moveCells(pairs) {
			return false
		}
		joined = false
		for c, d := range x.cells {
			joined = x.join(x.cell(c), x.cell(d)) || joined
		}
	}
	return true
}

// flow puts what p copies, and where it does, into one class.
func (x *exchange) flow(p *commands) {
	to := -1
	join := func(i int) {
		if to >= 0 {
			x.join(to, i)
		}
		to = i
	}
	switch p.c.Op {
	case program.Load, program.Store:
		for _, c := range x.f.ranges.Access[p.c] {
			join(x.cell(c))
		}
	}
	switch p.c.Op {
	case program.Load, program.Assign:
		join(x.reg(p.thread, p.c.Reg))
	}
	if r, ok := p.c.Value.(program.Reg); ok {
		join(x.reg(p.thread, int(r)))
	}
	program.Walk(p.c.Value, func(e program.Expr) {
		if e, ok := e.(program.Binary); ok && (e.Op == program.Eq || e.Op == program.Ne) {
			if r, ok := e.X.(program.Reg); ok {
				if q, ok := e.Y.(program.Reg); ok {
					x.join(x.reg(p.thread, int(r)), x.reg(p.thread, int(q)))
				}
			}
		}
	})
}

// differ notes that i holds c where its counterpart holds d, if these are two constants.
func (x *exchange) differ(i int, c, d program.Expr) {
	u, ok := c.(program.Const)
	v, too := d.(program.Const)
	if i = x.find(i); ok && too && u != v {
		if _, known := x.swaps[i]; !known {
			x.swaps[i] = [2]int64{int64(u), int64(v)}
		}
	}
}

// compare notes the constants in which two conditions differ.
func (x *exchange) compare(t int, c, d program.Expr) {
	switch c := c.(type) {
	case program.Unary:
		if d, ok := d.(program.Unary); ok {
			x.compare(t, c.X, d.X)
		}
	case program.Binary:
		d, ok := d.(program.Binary)
		if !ok {
			return
		}
		if r, ok := c.X.(program.Reg); ok {
			x.differ(x.reg(t, int(r)), c.Y, d.Y)
		}
		if r, ok := c.Y.(program.Reg); ok {
			x.differ(x.reg(t, int(r)), c.X, d.X)
		}
		x.compare(t, c.X, d.X)
		x.compare(t, c.Y, d.Y)
	}
}

// moveCells finds the counterparts of cells by the addresses of commands.
func (x *exchange) moveCells(pairs []commands) bool {
	for c := range x.cells {
		x.cells[c] = -1
	}
	for i := range pairs {
		p := &pairs[i]
		if p.c.Op != program.Load && p.c.Op != program.Store {
			continue
		}
		pair := func(m, n int) bool {
			if n < 0 || x.cells[m] >= 0 && x.cells[m] != n || x.cells[n] >= 0 && x.cells[n] != m {
				return false
			}
			x.cells[m], x.cells[n] = n, m
			return true
		}
		if x.same(p.thread, p.c.Addr, p.d.Addr) {
			for _, m := range x.f.ranges.Access[p.c] {
				if !pair(m, m) {
					return false
				}
			}
			continue
		}
		if !x.each(p, func(c, d *program.Env) bool {
			m, n := x.f.ranges.CellIndex(program.Eval(p.c.Addr, c)), x.f.ranges.CellIndex(program.Eval(p.d.Addr, d))
			return !slices.Contains(x.f.ranges.Access[p.c], m) || pair(m, n) // else it does not happen
		}) {
			return false
		}
	}
	for c := range x.cells {
		if x.cells[c] < 0 {
			x.cells[c] = c
		}
	}
	return true
}

// initially is whether the counterparts of registers and cells begin with the counterparts of their values.
func (x *exchange) initially() bool {
	for t := range x.f.threads {
		other := x.f.threads[x.thread(t)].t
		for r, reg := range x.f.threads[t].t.Regs {
			if x.value(x.reg(t, r), reg.Init) != other.Regs[r].Init {
				return false
			}
		}
	}
	cells := x.f.ranges.Cells
	for c, d := range x.cells {
		if cells[c].Type != cells[d].Type || x.value(x.cell(c), cells[c].Init) != cells[d].Init {
			return false
		}
	}
	return true
}

// invariant is whether the properties, and the filter, are what the exchange makes of them. Of what has values that
// are exchanged they must not speak.
func (x *exchange) invariant() bool {
	p, ok := x.f.p, true
	same := func(e program.Expr) string {
		return program.Canonical(e, x.f.ranges.CellIndex, func(t int) int { return t })
	}
	exchanged := func(e program.Expr) string {
		program.Walk(e, func(e program.Expr) {
			i := -1
			switch e := e.(type) {
			case program.ThreadReg:
				i = x.reg(e.Thread, e.Reg)
			case program.Mem:
				i = x.cell(x.f.ranges.CellIndex(e.Addr))
			default:
				return
			}
			if _, swap := x.swaps[x.find(i)]; swap {
				ok = false
			}
		})
		return program.Canonical(e, func(addr int64) int { return x.cells[x.f.ranges.CellIndex(addr)] }, x.thread)
	}
	var was []string
	for i := range p.Properties {
		was = append(was, p.Properties[i].Kind.String()+" "+same(p.Properties[i].Cond))
	}
	for i := range p.Properties {
		ok = slices.Contains(was, p.Properties[i].Kind.String()+" "+exchanged(p.Properties[i].Cond)) && ok
	}
	return same(p.Filter) == exchanged(p.Filter) && ok
}

// check is whether the exchange makes the command of p its counterpart.
func (x *exchange) check(p *commands) bool {
	ranges := x.f.ranges
	switch p.c.Op {
	case program.Fence:
		return true
	case program.Havoc:
		s, swap := x.swaps[x.find(x.reg(p.thread, p.c.Reg))]
		within := func(v int64) bool { return p.c.Lo <= v && v <= p.c.Hi }
		return !swap || within(s[0]) == within(s[1])
	case program.Load:
		to := x.reg(p.thread, p.c.Reg)
		t := x.f.threads[p.thread].t.Regs[p.c.Reg].Type
		for _, c := range ranges.Access[p.c] {
			if _, swap := x.swaps[x.find(to)]; x.find(x.cell(c)) != x.find(to) || swap && (ranges.Cell[c].Min() < t.Min() || ranges.Cell[c].Max() > t.Max()) {
				return false
			}
		}
		// moveCells has seen to the address
		return true
	case program.Check, program.Assert, program.Assign, program.Store:
		return x.plain(p) || x.each(p, func(c, d *program.Env) bool {
			v, w := program.Eval(p.c.Value, c), program.Eval(p.d.Value, d)
			switch p.c.Op {
			case program.Assign:
				t := x.f.threads[p.thread].t.Regs[p.c.Reg].Type
				return x.value(x.reg(p.thread, p.c.Reg), t.Wrap(v)) == t.Wrap(w)
			case program.Store:
				m := ranges.CellIndex(program.Eval(p.c.Addr, c))
				t := ranges.Cells[max(m, 0)].Type
				return !slices.Contains(ranges.Access[p.c], m) || x.value(x.cell(m), t.Wrap(v)) == t.Wrap(w)
			}
			return (v != 0) == (w != 0)
		})
	}
	return false
}

// plain is whether the command of p is its counterpart, and has to do with nothing that is exchanged: then it may have any number of
// values.
func (x *exchange) plain(p *commands) bool {
	stays := func(i int) bool { _, swap := x.swaps[x.find(i)]; return !swap }
	for _, c := range x.f.ranges.Access[p.c] {
		if x.cells[c] != c || !stays(x.cell(c)) {
			return false
		}
	}
	return (p.c.Op != program.Assign || stays(x.reg(p.thread, p.c.Reg))) && x.same(p.thread, p.c.Addr, p.d.Addr) && x.same(p.thread, p.c.Value, p.d.Value)
}

// same is whether two expressions are the same, without a register whose values are exchanged.
func (x *exchange) same(t int, c, d program.Expr) bool {
	stay := true
	for r := range registers(c) {
		_, swap := x.swaps[x.find(x.reg(t, int(r)))]
		stay = stay && !swap
	}
	return stay && reflect.DeepEqual(c, d)
}

// registers is those that expressions read.
func registers(es ...program.Expr) map[program.Reg]bool {
	regs := map[program.Reg]bool{}
	for _, e := range es {
		program.Walk(e, func(e program.Expr) {
			if r, ok := e.(program.Reg); ok {
				regs[r] = true
			}
		})
	}
	return regs
}

// maxValuations is how many values of the registers of a command are tried.
const maxValuations = 1 << 9

// each calls see for all values that the registers in a command may have, and for their counterparts, until that is
// false, and tells whether it never was. It is false where they are too many.
func (x *exchange) each(p *commands, see func(c, d *program.Env) bool) bool {
	regs := registers(p.c.Addr, p.d.Addr, p.c.Value, p.d.Value)
	return x.f.valuations(p, regs, func(vals map[program.Reg]int64) bool {
		return see(&program.Env{Reg: func(r program.Reg) int64 { return vals[r] }},
			&program.Env{Reg: func(r program.Reg) int64 { return x.value(x.reg(p.thread, int(r)), vals[r]) }})
	})
}

// valuations calls see for all values that registers may have, until that is false, and tells whether it never was. It is
// false where they are too many.
func (f *Formula) valuations(p *commands, regs map[program.Reg]bool, see func(vals map[program.Reg]int64) bool) bool {
	all := []map[program.Reg]int64{{}}
	for r := range regs {
		held := contents{values: slices.Clone(p.inside[r].values), many: p.inside[r].many}.with(f.ranges.Reg[p.thread][r], f.threads[p.thread].t.Regs[r].Type)
		values := slices.Compact(slices.Sorted(slices.Values(held.values)))
		if held.many || len(all)*len(values) > maxValuations {
			return false
		}
		var next []map[program.Reg]int64
		for _, vals := range all {
			for _, v := range values {
				more := maps.Clone(vals)
				more[r] = v
				next = append(next, more)
			}
		}
		all = next
	}
	for _, vals := range all {
		if !see(vals) {
			return false
		}
	}
	return true
}

// enter notes what a command in an atomic block gives its register.
func (f *Formula) enter(p *commands) {
	r := program.Reg(p.c.Reg)
	t := f.threads[p.thread].t.Regs
	switch p.c.Op {
	case program.Load:
		for _, c := range f.ranges.Access[p.c] {
			p.inside[r] = p.inside[r].with(f.ranges.Cell[c], t[r].Type)
		}
	case program.Havoc:
		p.inside[r] = p.inside[r].with(program.Interval(p.c.Lo, p.c.Hi), t[r].Type)
	case program.Assign:
		if !f.valuations(p, registers(p.c.Value), func(vals map[program.Reg]int64) bool {
			v := program.Eval(p.c.Value, &program.Env{Reg: func(r program.Reg) int64 { return vals[r] }})
			p.inside[r] = p.inside[r].with(program.Values(v), t[r].Type)
			return true
		}) {
			p.inside[r] = contents{many: true}
		}
	}
}
