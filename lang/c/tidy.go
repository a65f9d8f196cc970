package c

import "github.com/fencepost-verifier/fencepost/program"

// tidy makes the graph smaller.
func (g *graph) tidy() {
	for range 6 {
		g.narrowed()
		g.direct()
		g.forward()
		g.decide()
		g.merge()
		n := len(g.edges)
		g.dropDead()
		g.merge()
		h, _ := g.specialise(maxThreads)
		*g = *h
		g.merge()
		if len(g.edges) == n {
			break
		}
	}
	g.narrow()
	g.dropRegisters()
}

// ins counts the edges that lead to each node; the start has one more.
func (g *graph) ins() []int {
	in := make([]int, len(g.nodes))
	in[g.start]++
	for i := range g.edges {
		in[g.edges[i].to]++
	}
	return in
}

// marked is true of nodes that have a meaning of their own.
func (g *graph) marked(q int) bool {
	if q == g.end || q == g.gaveUp {
		return true
	}
	for _, b := range g.bound {
		if b == q {
			return true
		}
	}
	return false
}

// merge makes one node of two between which nothing happens.
func (g *graph) merge() {
	to := make([]int, len(g.nodes))
	for q := range to {
		to[q] = q
	}
	find := func(q int) int {
		for to[q] != q {
			to[q] = to[to[q]]
			q = to[q]
		}
		return q
	}
	out := g.out()
	gone := make([]bool, len(g.edges))
	for q := range g.nodes {
		if len(out[q]) != 1 || g.marked(q) {
			continue
		}
		i := out[q][0]
		e := &g.edges[i]
		if e.op != nil || !e.cmd.IsSkip() {
			continue
		}
		if dst := find(e.to); dst != q {
			to[q] = dst
			gone[i] = true
		}
	}
	edges := g.edges[:0]
	for i, e := range g.edges {
		if !gone[i] {
			e.from, e.to = find(e.from), find(e.to)
			edges = append(edges, e)
		}
	}
	g.edges = edges
	g.start = find(g.start)
	g.prune()
}

// prune removes what cannot be reached.
func (g *graph) prune() {
	out := g.out()
	seen := make([]bool, len(g.nodes))
	seen[g.start] = true
	stack := []int{g.start}
	for len(stack) > 0 {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, i := range out[q] {
			if to := g.edges[i].to; !seen[to] {
				seen[to] = true
				stack = append(stack, to)
			}
		}
	}
	edges := g.edges[:0]
	for _, e := range g.edges {
		if seen[e.from] {
			edges = append(edges, e)
		}
	}
	g.edges = edges
	if g.end >= 0 && !seen[g.end] {
		g.end = -1
	}
}

// dropDead makes assignments to registers that nobody reads do nothing.
func (g *graph) dropDead() {
	live := g.live()
	for i := range g.edges {
		e := &g.edges[i]
		if e.op != nil {
			continue
		}
		switch e.cmd.Op {
		case program.Assign, program.Havoc:
			if !live[e.to].Has(e.cmd.Reg) {
				e.cmd = program.Skip()
			}
		case program.Check, program.Assert:
			if k, ok := e.cmd.Value.(program.Const); ok && k != 0 {
				e.cmd = program.Skip()
			}
		case program.Atomic:
			body := e.cmd.Body[:0:0]
			for k := range e.cmd.Body {
				c := e.cmd.Body[k]
				if c.Op == program.Assign && !live[e.to].Has(c.Reg) && !readAfter(e.cmd.Body[k+1:], c.Reg) {
					continue
				}
				body = append(body, c)
			}
			if len(body) > 0 {
				e.cmd.Body = body
			}
		}
	}
}

func readAfter(cs []program.Command, reg int) bool {
	found := false
	for i := range cs {
		cs[i].Reads(func(r int) { found = found || r == reg })
	}
	return found
}

// direct lets a command write the variable to which what it writes is copied next.
func (g *graph) direct() {
	live := g.live()
	in := g.ins()
	out := g.out()
	for i := range g.edges {
		e := &g.edges[i]
		if e.op != nil || in[e.to] != 1 || len(out[e.to]) != 1 {
			continue
		}
		n := &g.edges[out[e.to][0]]
		if n.op != nil || n.cmd.Op != program.Assign || n == e {
			continue
		}
		t, ok := n.cmd.Value.(program.Reg)
		x := n.cmd.Reg
		if !ok || int(t) == x || live[n.to].Has(int(t)) {
			continue
		}
		tt, xt := g.regs[t].Type, g.regs[x].Type
		if tt != xt && tt.Bits < xt.Bits {
			continue
		}
		if !writes(&e.cmd, int(t)) || mentions(&e.cmd, x) {
			continue
		}
		if tt != xt && e.cmd.Op == program.Atomic {
			continue // the value in between may be looked at
		}
		rename(&e.cmd, int(t), x)
		n.cmd = program.Skip()
	}
}

func writes(c *program.Command, reg int) bool {
	found := false
	c.Writes(func(r int) { found = found || r == reg })
	return found
}

func mentions(c *program.Command, reg int) bool {
	found := writes(c, reg)
	look := func(c *program.Command) {
		for _, e := range []program.Expr{c.Addr, c.Value} {
			program.Walk(e, func(x program.Expr) { found = found || x == program.Reg(reg) })
		}
	}
	look(c)
	for i := range c.Body {
		look(&c.Body[i])
	}
	return found
}

// rename puts x in the place of t. What c reads before it writes t must not be t.
func rename(c *program.Command, t, x int) {
	if c.Op != program.Atomic {
		c.Reg = x
		return
	}
	body := append([]program.Command(nil), c.Body...)
	for i := range body {
		b := &body[i]
		b.Addr, b.Value = replace(b.Addr, t, program.Reg(x)), replace(b.Value, t, program.Reg(x))
		if b.Reg == t && (b.Op == program.Load || b.Op == program.Assign || b.Op == program.Havoc) {
			b.Reg = x
		}
	}
	c.Body = body
}

// replace is e with x in the place of register r.
func replace(e program.Expr, r int, x program.Expr) program.Expr {
	switch e := e.(type) {
	case program.Reg:
		if int(e) == r {
			return x
		}
	case program.Unary:
		return fold(program.Unary{Op: e.Op, X: replace(e.X, r, x)})
	case program.Binary:
		return fold(program.Binary{Op: e.Op, X: replace(e.X, r, x), Y: replace(e.Y, r, x)})
	}
	return e
}

// maxForward is how large an expression may be that takes the place of a register.
const maxForward = 8

// An available is the expressions that registers are known to equal, by register.
type available map[int]program.Expr

// forward puts the values of registers in the place of the registers.
func (g *graph) forward() {
	live := g.live()
	avail := make([]available, len(g.nodes))
	avail[g.start] = available{}
	out := g.out()
	work := []int{g.start}
	queued := make([]bool, len(g.nodes))
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		queued[q] = false
		for _, i := range out[q] {
			e := g.edges[i]
			a := g.transfer(&e, avail[q])
			to := e.to
			for r := range a {
				if !live[to].Has(r) {
					delete(a, r)
				}
			}
			changed := false
			if avail[to] == nil {
				avail[to] = a
				changed = true
			} else {
				for r, x := range avail[to] {
					if y, ok := a[r]; !ok || y != x {
						delete(avail[to], r)
						changed = true
					}
				}
			}
			if changed && !queued[to] {
				queued[to] = true
				work = append(work, to)
			}
		}
	}
	for i := range g.edges {
		if a := avail[g.edges[i].from]; a != nil {
			g.transfer(&g.edges[i], a)
		}
	}
}

// transfer puts what is available into an edge, in place, and gives what is
// available after it.
func (g *graph) transfer(e *edge, a available) available {
	next := make(available, len(a)+1)
	for r, x := range a {
		next[r] = x
	}
	kill := func(r int) {
		delete(next, r)
		for s, x := range next {
			if reads(x, r) {
				delete(next, s)
			}
		}
	}
	put := func(x program.Expr) program.Expr { return next.substitute(x) }
	switch op := e.op.(type) {
	case *startOp:
		e.op = &startOp{put(op.id), put(op.fn), put(op.arg), op.legacy}
	case *joinOp:
		e.op = &joinOp{put(op.id), op.reg}
	case *signalOp:
		e.op = &signalOp{put(op.cond), op.all, op.futex, op.count}
	case *allocOp:
		e.op = &allocOp{reg: op.reg, site: op.site, size: put(op.size)}
	case *copyOp:
		e.op = &copyOp{put(op.from), put(op.to), op.site}
	case nil:
		g.transferCommand(&e.cmd, next, kill)
		return next
	}
	e.writes(kill)
	return next
}

func (g *graph) transferCommand(c *program.Command, a available, kill func(int)) {
	if c.Op == program.Atomic {
		body := append([]program.Command(nil), c.Body...)
		for i := range body {
			g.transferCommand(&body[i], a, kill)
		}
		c.Body = body
		return
	}
	if c.Addr != nil {
		c.Addr = a.substitute(c.Addr)
	}
	if c.Value != nil {
		c.Value = a.substitute(c.Value)
	}
	switch c.Op {
	case program.Load, program.Havoc:
		kill(c.Reg)
	case program.Assign:
		kill(c.Reg)
		x := c.Value
		t := g.regs[c.Reg].Type
		if !fits(g.rangeOf(x), t) {
			x = fold(program.Unary{Op: program.Cast(t), X: x})
		}
		if !reads(x, c.Reg) && size(x) <= maxForward {
			a[c.Reg] = x
		}
	}
}

// rangeOf is a type that holds all values of e.
func (g *graph) rangeOf(e program.Expr) program.Type {
	switch e := e.(type) {
	case program.Reg:
		return g.regs[e].Type
	case program.Const:
		for _, t := range []program.Type{program.BoolType, {Bits: 7}, {Bits: 8, Signed: true}, {Bits: 15}, {Bits: 16, Signed: true}, {Bits: 31}, {Bits: 32, Signed: true}, {Bits: 32}} {
			if t.Wrap(int64(e)) == int64(e) {
				return t
			}
		}
	case program.Unary:
		if t, ok := e.Op.Cast(); ok {
			return t
		}
		if e.Op == program.LogicalNot {
			return program.BoolType
		}
	case program.Binary:
		if e.Op.Bool() {
			return program.BoolType
		}
		if e.Op == program.BitAnd || e.Op == program.BitOr || e.Op == program.BitXor {
			if x, y := g.rangeOf(e.X), g.rangeOf(e.Y); x == y {
				return x
			}
		}
	}
	return program.Type{Bits: 64, Signed: true}
}

func (a available) substitute(e program.Expr) program.Expr {
	switch e := e.(type) {
	case program.Reg:
		if x, ok := a[int(e)]; ok {
			return x
		}
	case program.Unary:
		return fold(program.Unary{Op: e.Op, X: a.substitute(e.X)})
	case program.Binary:
		return fold(program.Binary{Op: e.Op, X: a.substitute(e.X), Y: a.substitute(e.Y)})
	}
	return e
}

func reads(e program.Expr, r int) bool {
	found := false
	program.Walk(e, func(x program.Expr) { found = found || x == program.Reg(r) })
	return found
}

func size(e program.Expr) int {
	n := 0
	program.Walk(e, func(program.Expr) { n++ })
	return n
}

// dropRegisters renumbers the registers without those that are not used.
func (g *graph) dropRegisters() {
	used := make([]bool, len(g.regs))
	mark := func(r int) { used[r] = true }
	for i := range g.edges {
		g.edges[i].reads(mark)
		g.edges[i].writes(mark)
		if g.edges[i].op == nil {
			g.edges[i].cmd.Writes(mark)
			for k := range g.edges[i].cmd.Body {
				g.edges[i].cmd.Body[k].Reads(mark)
			}
		}
	}
	if g.result >= 0 {
		used[g.result] = true
	}
	to := make([]int, len(g.regs))
	var regs []program.Register
	for r := range g.regs {
		if used[r] {
			to[r] = len(regs)
			regs = append(regs, g.regs[r])
		}
	}
	var renumber func(e program.Expr) program.Expr
	renumber = func(e program.Expr) program.Expr {
		switch e := e.(type) {
		case program.Reg:
			return program.Reg(to[e])
		case program.Unary:
			return program.Unary{Op: e.Op, X: renumber(e.X)}
		case program.Binary:
			return program.Binary{Op: e.Op, X: renumber(e.X), Y: renumber(e.Y)}
		}
		return e
	}
	command := func(c *program.Command) {
		if c.Addr != nil {
			c.Addr = renumber(c.Addr)
		}
		if c.Value != nil {
			c.Value = renumber(c.Value)
		}
		switch c.Op {
		case program.Load, program.Assign, program.Havoc:
			c.Reg = to[c.Reg]
		}
	}
	for i := range g.edges {
		e := &g.edges[i]
		switch op := e.op.(type) {
		case nil:
			command(&e.cmd)
			e.cmd.Body = append([]program.Command(nil), e.cmd.Body...)
			for k := range e.cmd.Body {
				command(&e.cmd.Body[k])
			}
		case *reserveOp:
			e.op = &reserveOp{to[op.reg]}
		case *startOp:
			e.op = &startOp{renumber(op.id), renumber(op.fn), renumber(op.arg), op.legacy}
		case *allocOp:
			e.op = &allocOp{reg: to[op.reg], site: op.site, size: renumber(op.size)}
		case *copyOp:
			e.op = &copyOp{renumber(op.from), renumber(op.to), op.site}
		case *signalOp:
			e.op = &signalOp{renumber(op.cond), op.all, op.futex, op.count}
		case *joinOp:
			used := *op
			e.op = &joinOp{renumber(used.id), to[used.reg]}
		}
	}
	g.regs = regs
	if g.result >= 0 {
		g.result = to[g.result]
	}
}
