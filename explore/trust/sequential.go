package trust

// sequential is the order of what is sequentially consistent, in models where other events
// have none: what happens before what, and, of accesses, program order, coherence and
// from-reads, or, between fences, what communication leads from the one to the other. It must
// not have a cycle.
type sequential struct {
	x         *explorer
	happened  func(e *event) clock // before e, and e
	takesPart func(e *event) bool
	accesses  bool // may take part; else it is fences only

	order []int32 // the events that take part
	leads []bool  // by pair of them
	base  []bool  // by event, for one of them
	eco   []bool
	state []uint8
}

// holds is false where the order of what is sequentially consistent has a cycle. A new event
// leads on only to the write that is next in coherence.
func (c *sequential) holds(g *graph, a, r int32) bool {
	e := &g.events[a]
	switch e.kind {
	case fence:
		return true
	case read:
		a = e.rf
	}
	if co := g.co[e.cell]; co[len(co)-1] == a {
		return true
	}
	c.order = c.order[:0]
	for id := len(g.co); id < len(g.events); id++ {
		if c.takesPart(&g.events[id]) {
			c.order = append(c.order, int32(id))
		}
	}
	return len(c.order) < 2 || c.acyclic(g)
}

// before is whether a happens before b.
func (c *sequential) before(g *graph, a, b int32) bool {
	if a == b {
		return false
	}
	ea, eb := &g.events[a], &g.events[b]
	if ea.thread == none || eb.thread == none {
		return false // what is initial is never asked for
	}
	return c.happened(eb).has(ea)
}

// acyclic is whether the order has no cycle.
func (c *sequential) acyclic(g *graph) bool {
	n := len(c.order)
	if c.x.pairs = int64(n) * int64(n); c.x.pairs > int64(cap(c.leads)) {
		c.x.pause() // there may be no room for them
	}
	if c.x.halted() {
		return true // whatever it is: nobody goes on
	}
	c.leads = append(c.leads[:0], make([]bool, n*n)...)
	for i, a := range c.order {
		if c.successors(g, a, c.leads[i*n:(i+1)*n]); c.x.halted() {
			return true
		}
	}
	c.state = append(c.state[:0], make([]uint8, n)...)
	for i := range n {
		if c.cycle(i, n) {
			return false
		}
	}
	return true
}

func (c *sequential) cycle(i, n int) bool {
	switch c.state[i] {
	case 1:
		return true
	case 2:
		return false
	}
	c.state[i] = 1
	c.x.pieced(n / comparisonsPerPiece)
	for j := range n {
		if c.leads[i*n+j] && c.cycle(j, n) {
			return true
		}
	}
	c.state[i] = 2
	return false
}

// comparisonsPerPiece is how many pairs of events are compared in the time of a piece of work.
const comparisonsPerPiece = 100

// successors marks those of the order that a comes before.
func (c *sequential) successors(g *graph, a int32, row []bool) {
	n, first := int32(len(g.events)), int32(len(g.co))
	isFence := g.events[a].kind == fence
	c.base = append(c.base[:0], make([]bool, n)...)
	c.eco = append(c.eco[:0], make([]bool, n)...)
	from := func(x int32) {
		u := c.other(g, x, 1)
		for y := first; y < n; y++ {
			c.base[y] = c.base[y] || c.accesses && c.related(g, x, u, y)
			c.eco[y] = c.eco[y] || isFence && x != a && communicates(g, x, y)
		}
		c.x.pieced(int(n) / comparisonsPerPiece)
	}
	from(a)
	if isFence {
		for x := first; x < n && !c.x.halted(); x++ {
			if c.before(g, a, x) {
				from(x)
			}
		}
	}
	for j, b := range c.order {
		if row[j] = c.base[b]; row[j] || g.events[b].kind != fence {
			continue
		}
		if c.x.pieced(int(n) / comparisonsPerPiece); c.x.halted() {
			return
		}
		row[j] = isFence && c.before(g, a, b)
		for y := first; y < n && !row[j]; y++ {
			row[j] = (c.base[y] || c.eco[y]) && c.before(g, y, b)
		}
	}
}

// other is the next event of the thread of x, in the direction by, that is not an access to
// the same cell; none where there is none.
func (c *sequential) other(g *graph, x, by int32) int32 {
	e := &g.events[x]
	es := g.threads[e.thread]
	for i := e.index + by; i >= 0 && int(i) < len(es); i += by {
		if o := &g.events[es[i]]; !access(e) || !access(o) || o.cell != e.cell {
			return es[i]
		}
	}
	return none
}

func access(e *event) bool { return e.kind == read || e.kind == write }

// related is whether x comes before y by program order, by happens-before on one cell or
// between accesses to others, by coherence or by from-reads. u is other of x.
func (c *sequential) related(g *graph, x, u, y int32) bool {
	ex, ey := &g.events[x], &g.events[y]
	if ex.thread == ey.thread {
		return ex.index < ey.index
	}
	if access(ex) && access(ey) && ex.cell == ey.cell &&
		(c.before(g, x, y) || ey.kind == write && communicates(g, x, y)) {
		return true
	}
	if u == none || !c.before(g, x, y) {
		return false
	}
	v := c.other(g, y, -1)
	return v != none && c.before(g, u, v)
}

// communicates is whether reads-from, coherence and from-reads lead from x to y.
func communicates(g *graph, x, y int32) bool {
	ex, ey := &g.events[x], &g.events[y]
	if !access(ex) || !access(ey) || ex.cell != ey.cell || x == y {
		return false
	}
	from, to := ex.place, ey.place
	if ex.kind == read {
		from = g.events[ex.rf].place
	}
	if ey.kind == read {
		to = g.events[ey.rf].place
	}
	return from < to || from == to && ex.kind == write && ey.kind == read
}
